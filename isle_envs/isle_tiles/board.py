"""The board: neighbours, and how the four parts are put together (rulebook, Setup 1).

While a layout is put together it is a canvas: one ``uint64`` a row, one bit a column, the middle at row and column ``CANVAS_CENTRE``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, count_bits, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.rng import below, shuffle
from isle_envs.isle_tiles.state import (
    CANVAS,
    CANVAS_CENTRE,
    DRAFT_CENTRE,
    NOWHERE,
    PART_REACH,
    PARTS,
    SPACES,
)


@kernel
def is_east(board: Any, space: int) -> bool:
    """Whether ``space + 1`` is the eastern neighbour of ``space``."""
    return bool((board.east >> np.uint64(space)) & ONE)


@kernel
def under(board: Any, space: int, k: int) -> int:
    """The neighbour of ``space`` in the next row, SW (squares: S) for k = 0 or SE for 1, or NOWHERE."""
    if board.down[k] & bit(space) == NO_BITS:
        return NOWHERE
    return wide(board.below[space]) + (k == 1 and board.down[0] & bit(space) != NO_BITS)


@kernel(inline=True)
def west_of(board: Any, spaces: Any) -> Any:
    """The spaces whose eastern neighbour is one of some spaces."""
    return (spaces >> ONE) & board.east


@kernel
def above(tables: Any, board: Any, spaces: Any) -> Any:
    """The spaces whose neighbours in the next row, SW (squares: S) and SE, are among some spaces: (SW, SE)."""
    west, east = NO_BITS, NO_BITS
    if tables.fixed_layout:
        for place in range(tables.steps):
            west |= spaces >> tables.step[place] & tables.stepping[place, 0]
            east |= spaces >> tables.step[place] & tables.stepping[place, 1]
        return west, east
    for space in range(SPACES):
        pair = spaces >> np.uint64(board.below[space])  # its first bits: whether the two neighbours are among them
        west |= (pair & ONE) << np.uint64(space)
        east |= (pair >> (board.down[0] >> np.uint64(space) & ONE) & ONE) << np.uint64(space)
    return west & board.down[0], east & board.down[1]


@kernel
def below_of(tables: Any, board: Any, west: Any, east: Any) -> Any:
    """The neighbours in the next row, SW (squares: S) of some spaces and SE of others, all of which have one: (of some, of others)."""
    below_west, below_east = NO_BITS, NO_BITS
    if tables.fixed_layout:
        for place in range(tables.steps):
            below_west |= (west & tables.stepping[place, 0]) << tables.step[place]
            below_east |= (east & tables.stepping[place, 1]) << tables.step[place]
        return below_west, below_east
    for space in range(SPACES):
        below = np.uint64(board.below[space])
        below_west |= (west >> np.uint64(space) & ONE) << below
        below_east |= (east >> np.uint64(space) & ONE) << below + (board.down[0] >> np.uint64(space) & ONE)
    return below_west, below_east


@kernel
def row_of(board: Any, space: int) -> int:
    """The row of a space. No row between the top and the bottom is empty, for all spaces are connected."""
    return wide(board.top) - 1 + count_bits(board.first & (bit(space + 1) - ONE))


def rows_of(board: Any) -> list[int]:
    """The row of each space, in Python."""
    first = np.uint64(board["first"]) >> np.arange(SPACES, dtype=np.uint64) & ONE
    rows: list[int] = (int(board["top"]) - 1 + np.cumsum(first.astype(np.int64))).tolist()
    return rows


@kernel
def neighbour_sets(board: Any) -> Any:
    """uint64 ``(60,)``: the neighbours of each space, bit i for space i."""
    near = np.zeros(SPACES, np.uint64)
    for i in range(SPACES):
        here = np.uint64(i)
        east, west_below, east_below = (
            board.east >> here & ONE,
            board.down[0] >> here & ONE,
            board.down[1] >> here & ONE,
        )
        below = wide(board.below[i])
        near[i] |= east << here + ONE | west_below << np.uint64(below) | east_below << np.uint64(below) + west_below
        near[min(i + 1, SPACES - 1)] |= east << here  # the last space has no eastern neighbour
        near[below] |= west_below << here
        near[below + wide(west_below & east_below)] |= east_below << here
    return near


@kernel
def neighbour(tables: Any, board: Any, space: int, direction: int) -> int:
    """The space next to ``space`` in a direction, or NOWHERE."""
    if direction == 0:
        return space + 1 if is_east(board, space) else NOWHERE
    half_turn = tables.directions // 2
    if direction == half_turn:
        return space - 1 if space > 0 and is_east(board, space - 1) else NOWHERE
    for k in range(2):
        if direction == tables.below_direction[k]:
            return under(board, space, k)
        if direction + half_turn == tables.below_direction[k]:
            for above in range(space):
                if under(board, above, k) == space:
                    return above
    return NOWHERE


@kernel
def stamp(tables: Any, canvas: Any, part: int, turn: int, row: int, column: int) -> None:
    """Puts a part on the canvas, its reference space at (row, column)."""
    for r in range(-tables.part_reach, tables.part_reach + 1):
        bits = tables.part_row[part, turn, r + PART_REACH]
        if bits != 0:
            canvas[row + r] |= bits << np.uint64(column - PART_REACH)


@kernel
def beside(tables: Any, canvas: Any) -> Any:
    """The canvas of all cells with a neighbour among the cells of ``canvas``."""
    near = np.zeros(CANVAS, np.uint64)
    for row in range(CANVAS):
        above = canvas[row - 1] if row > 0 else NO_BITS
        under = canvas[row + 1] if row < CANVAS - 1 else NO_BITS
        near[row] = (canvas[row] << ONE) | (canvas[row] >> ONE) | above | under
        if tables.hexes:  # NE of a cell of the row below, SW of one of the row above
            near[row] |= (under << ONE) | (above >> ONE)
    return near


@kernel
def fits(tables: Any, canvas: Any, near: Any, part: int, turn: int, row: int, column: int) -> bool:
    """Whether a part may be attached: no overlap, and at least one side touches."""
    touches = False
    for r in range(-tables.part_reach, tables.part_reach + 1):
        bits = tables.part_row[part, turn, r + PART_REACH]
        if bits != 0:
            bits = bits << np.uint64(column - PART_REACH)
            if canvas[row + r] & bits:
                return False
            if near[row + r] & bits:
                touches = True
    return touches


@kernel
def fits_in_row(tables: Any, canvas: Any, near: Any, part: int, turn: int, row: int) -> bool:
    """Whether a part may be attached with its reference space somewhere in a row."""
    for column in range(CANVAS_CENTRE - tables.reach, CANVAS_CENTRE + tables.reach + 1):
        if fits(tables, canvas, near, part, turn, row, column):
            return True
    return False


@kernel
def fits_turned(tables: Any, canvas: Any, near: Any, part: int, turn: int) -> bool:
    """Whether a part turned like that may be attached anywhere."""
    for row in range(CANVAS_CENTRE - tables.reach, CANVAS_CENTRE + tables.reach + 1):
        if fits_in_row(tables, canvas, near, part, turn, row):
            return True
    return False


@kernel
def draft_canvas(tables: Any, state: Any) -> Any:
    """The parts laid so far."""
    canvas = np.zeros(CANVAS, np.uint64)
    for k in range(state.laid):
        part, turn = wide(state.lay[k, 0]), wide(state.lay[k, 1])
        row, column = wide(state.lay[k, 2]) - DRAFT_CENTRE, wide(state.lay[k, 3]) - DRAFT_CENTRE
        stamp(tables, canvas, part, turn, row + CANVAS_CENTRE, column + CANVAS_CENTRE)
    return canvas


@kernel
def shuffled_parts(stream: Any) -> Any:
    """The board parts in random order."""
    order = np.empty(PARTS, np.uint8)
    for part in range(PARTS):
        order[part] = part
    shuffle(stream, order)
    return order


@kernel
def random_layout(tables: Any, state: Any) -> None:
    """Option ``board="random"``: parts in random order, each further one drawn evenly among all legal rotations and positions."""
    order = shuffled_parts(state.stream)
    canvas = np.zeros(CANVAS, np.uint64)
    stamp(tables, canvas, wide(order[0]), wide(0), wide(CANVAS_CENTRE), wide(CANVAS_CENTRE))
    legal = np.empty((6 * CANVAS * CANVAS, 3), np.int8)  # turn, row, column
    low, high = CANVAS_CENTRE, CANVAS_CENTRE  # the references laid so far lie in this square
    for k in range(1, PARTS):
        near = beside(tables, canvas)
        first = max(low - 2 * tables.part_reach - 1, CANVAS_CENTRE - tables.reach)
        last = min(high + 2 * tables.part_reach + 1, CANVAS_CENTRE + tables.reach)
        count = 0
        for turn in range(tables.directions):
            for row in range(first, last + 1):
                for column in range(first, last + 1):
                    if fits(tables, canvas, near, wide(order[k]), turn, row, column):
                        legal[count, 0] = turn
                        legal[count, 1] = row
                        legal[count, 2] = column
                        count += 1
        drawn = legal[below(state.stream, count)]
        stamp(tables, canvas, wide(order[k]), wide(drawn[0]), wide(drawn[1]), wide(drawn[2]))
        low = min(low, wide(drawn[1]), wide(drawn[2]))
        high = max(high, wide(drawn[1]), wide(drawn[2]))
    number_spaces(canvas, tables.hexes, state.board)


@kernel
def number_spaces(canvas: Any, hexes: bool, board: Any) -> int:
    """Numbers the spaces row by row from the top, from the left in a row, and finds their neighbours; returns how many there are."""
    count = 0
    board.first = NO_BITS
    for row in range(CANVAS):
        for column in range(CANVAS):
            if canvas[row] >> np.uint64(column) & ONE:
                if count == 0:
                    board.top = row - CANVAS_CENTRE
                if count < SPACES:
                    board.q[count] = column - CANVAS_CENTRE
                    if canvas[row] & (bit(column) - ONE) == NO_BITS:
                        board.first |= bit(count)
                count += 1
    board.east, board.down[0], board.down[1] = NO_BITS, NO_BITS, NO_BITS
    for i in range(min(count, SPACES)):
        board.below[i] = 0
        for j in range(min(count, SPACES) - 1, i, -1):
            q, r = board.q[j] - board.q[i], row_of(board, j) - row_of(board, i)
            if r == 0 and q == 1:
                board.east |= bit(i)
            elif r == 1 and (q == 0 or (q == -1 and hexes)):
                board.down[1 if q == 0 and hexes else 0] |= bit(i)  # SE, or S, or SW
                board.below[i] = j
    return count

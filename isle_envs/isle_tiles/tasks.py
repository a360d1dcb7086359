"""The twenty task cards, in the rulebook's order (rulebook, "Overview of the Task Cards"; readings: ruling 8).

A set of spaces is a ``uint64``, bit i for space i; ``near`` are the neighbours of each space as such sets.
"""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, ONE, bit, count_bits, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.isle_tiles.areas import NOBODY, markers_of
from isle_envs.isle_tiles.state import LANDSCAPES, NOWHERE, SLOTS

CARD_NAMES = (
    "Wide Land",
    "Variety",
    "High Plateau",
    "Far From the Coast",
    "Cliff",
    "In the Centre",
    "Deep Valley",
    "Terraced Landscape",
    "Mountain Animals",
    "Archipelago",
    "Monoculture",
    "Twin Areas",
    "Mountain Peak",
    "Distant Land",
    "Large and Small",
    "Rather Alone",
    "Predetermined Area",
    "Small Animals",
    "2 Levels",
    "Long Route",
)
PREDETERMINED = 17


@kernel
def _border(near: Any, spaces: Any) -> Any:
    """The spaces next to some spaces, without these."""
    border = NO_BITS
    rest = spaces
    while rest != NO_BITS:
        border |= near[lowest(rest)]
        rest &= rest - ONE
    return border & ~spaces


@kernel
def _gap(state: Any, a: int, b: int) -> int:
    """The difference in height."""
    return abs(wide(state.height[a]) - wide(state.height[b]))


@kernel
def _steep(near: Any, state: Any, spaces: Any, others: Any) -> bool:
    """Whether one of the spaces and an adjacent one of the others differ in height by 3 or more."""
    rest = spaces
    while rest != NO_BITS:
        space = lowest(rest)
        rest &= rest - ONE
        beside = near[space] & others
        while beside != NO_BITS:
            if _gap(state, space, lowest(beside)) >= 3:
                return True
            beside &= beside - ONE
    return False


@kernel
def _heights(state: Any, spaces: Any) -> Any:
    """The different heights of some spaces, as a set."""
    heights = NO_BITS
    rest = spaces
    while rest != NO_BITS:
        heights |= bit(state.height[lowest(rest)])
        rest &= rest - ONE
    return heights


@kernel
def _high(state: Any, spaces: Any, least: int) -> Any:
    """Those of some spaces that are at least so high."""
    high = NO_BITS
    rest = spaces
    while rest != NO_BITS:
        if state.height[lowest(rest)] >= least:
            high |= rest & ~(rest - ONE)
        rest &= rest - ONE
    return high


@kernel
def _owned(areas: Any, count: int, seat: int, landscape: int) -> Any:
    """All spaces of a seat's areas of one landscape, or of any for −1."""
    spaces = NO_BITS
    for k in range(count):
        if areas[k].owner == seat and (landscape < 0 or areas[k].landscape == landscape):
            spaces |= areas[k].spaces
    return spaces


@kernel
def _high_plateau(state: Any, spaces: Any) -> bool:
    """Three spaces of one same height of at least 2, touching or not."""
    high = _high(state, spaces, 2)
    rest = high
    while rest != NO_BITS:
        space = lowest(rest)
        same = 0
        others = rest
        while others != NO_BITS:
            same += state.height[lowest(others)] == state.height[space]
            others &= others - ONE
        if same >= 3:
            return True
        rest &= rest - ONE
    return False


@kernel
def _bordering(near: Any, areas: Any, count: int, spaces: Any, twice: bool) -> int:
    """How many areas border some spaces; with ``twice`` only those of a landscape of which there are several."""
    border = _border(near, spaces)
    number = 0
    last = -1  # areas are found landscape by landscape
    for k in range(count):
        if areas[k].spaces & border:
            if not twice or areas[k].landscape == last:
                number += 1
            last = areas[k].landscape
    return number


@kernel
def _alone(near: Any, areas: Any, count: int, spaces: Any, seat: int) -> bool:
    """Whether no area of another player borders some spaces."""
    border = _border(near, spaces)
    for k in range(count):
        if areas[k].spaces & border and areas[k].owner != seat and areas[k].owner != NOBODY:
            return False
    return True


@kernel
def _twin(areas: Any, count: int, seat: int, which: int) -> bool:
    """Whether another area of the seat is as large as that one."""
    for k in range(count):
        if k != which and areas[k].owner == seat and count_bits(areas[k].spaces) == count_bits(areas[which].spaces):
            return True
    return False


@kernel
def _distant(near: Any, areas: Any, count: int, seat: int, which: int) -> bool:
    """Whether another area of the seat and of the same landscape is at least five steps away, over all spaces of the board."""
    reached = areas[which].spaces
    for _ in range(4):
        reached |= _border(near, reached)
    for k in range(count):
        if areas[k].owner == seat and areas[k].landscape == areas[which].landscape and not areas[k].spaces & reached:
            return True
    return False


@kernel
def _large_and_small(areas: Any, count: int, seat: int, which: int) -> bool:
    """Whether that area is strictly the largest of its landscape and another one of the seat's strictly the smallest."""
    size = count_bits(areas[which].spaces)
    smallest, ties, its_owner = 64, 0, NOBODY
    for k in range(count):
        if k != which and areas[k].landscape == areas[which].landscape:
            other = count_bits(areas[k].spaces)
            if other >= size:
                return False
            if other < smallest:
                smallest, ties, its_owner = other, 0, wide(areas[k].owner)
            elif other == smallest:
                ties += 1
    return smallest < 64 and ties == 0 and its_owner == seat


@kernel
def _two_levels(near: Any, state: Any, areas: Any, count: int, seat: int, which: int) -> bool:
    """A gap of 3 or more towards an own area of another landscape."""
    for k in range(count):
        if areas[k].owner == seat and areas[k].landscape != areas[which].landscape:
            if _steep(near, state, areas[which].spaces, areas[k].spaces):
                return True
    return False


@kernel
def _long_route(tables: Any, board: Any, markers: Any) -> bool:
    """Four markers on one line: a row, or a column; on hexes a line of equal q, or one of equal q + r."""
    start = markers
    while start != NO_BITS:
        a = lowest(start)
        in_row, in_q, in_sum = 0, 0, 0
        other = start
        while other != NO_BITS:
            b = lowest(other)
            in_row += board.r[a] == board.r[b]
            in_q += board.q[a] == board.q[b]
            in_sum += tables.hexes and wide(board.q[a]) + board.r[a] == wide(board.q[b]) + board.r[b]
            other &= other - ONE
        if max(in_row, in_q, in_sum) >= 4:
            return True
        start &= start - ONE
    return False


@kernel
def _by_one_area(
    tables: Any,
    near: Any,
    state: Any,
    areas: Any,
    count: int,
    which: int,
    card: int,
    seat: int,
    markers: Any,
    water: Any,
) -> bool:
    """The cards that a single area fulfils, or that area together with others of the seat."""
    spaces = areas[which].spaces
    if card == 1:  # Wide Land
        return count_bits(spaces) >= 5
    if card == 3:  # High Plateau
        return _high_plateau(state, spaces)
    if card == 4:  # Far From the Coast
        return not _border(near, spaces) & water
    if card == 5:  # Cliff
        return bool(_border(near, _high(state, spaces, 3)) & water)
    if card == 6:  # In the Centre
        return _bordering(near, areas, count, spaces, False) >= 4
    if card == 7:  # Deep Valley
        return _steep(near, state, spaces, spaces)
    if card == 8:  # Terraced Landscape
        return count_bits(_heights(state, spaces)) >= 3
    if card == 9:  # Mountain Animals
        return count_bits(_heights(state, spaces & markers)) >= 3
    if card == 11:  # Monoculture
        return _bordering(near, areas, count, spaces, True) >= 1
    if card == 12:  # Twin Areas
        return count_bits(spaces) >= 3 and _twin(areas, count, seat, which)
    if card == 13:  # Mountain Peak
        return bool(_high(state, spaces & markers, 4) != NO_BITS)
    if card == 14:  # Distant Land
        return _distant(near, areas, count, seat, which)
    if card == 15:  # Large and Small
        return _large_and_small(areas, count, seat, which)
    if card == 16:  # Rather Alone
        return _alone(near, areas, count, spaces, seat)
    if card == PREDETERMINED:
        shown = tables.tile[state.removed[state.shown]]
        is_shown = areas[which].landscape == shown[0] or areas[which].landscape == shown[1]
        return bool(is_shown and count_bits(spaces) >= 3)
    if card == 18:  # Small Animals
        small = NO_BITS
        for index in range(3):
            if state.marker_at[seat, index] == NOWHERE:
                return False
            small |= bit(state.marker_at[seat, index])
        return bool(small & ~spaces == NO_BITS)
    # 2 Levels
    return _two_levels(near, state, areas, count, seat, which)


@kernel
def fulfilled(
    tables: Any, board: Any, near: Any, state: Any, areas: Any, count: int, owned: Any, card: int, seat: int
) -> bool:
    """Whether a seat meets the requirements of a card (1 … 20); ``owned`` are its areas, as a set of indices."""
    markers = markers_of(state, seat)
    if card == 2:  # Variety
        for landscape in range(LANDSCAPES):
            if _owned(areas, count, seat, landscape) == NO_BITS:
                return False
        return True
    if card == 10:  # Archipelago
        return count_bits(owned) >= 4
    if card == 20:  # Long Route
        return _long_route(tables, board, markers & _owned(areas, count, seat, -1))
    water = ~(state.land[0] | state.land[1] | state.land[2] | state.land[3] | state.land[4])
    rest = owned
    while rest != NO_BITS:
        if _by_one_area(tables, near, state, areas, count, lowest(rest), card, seat, markers, water):
            return True
        rest &= rest - ONE
    return False


@kernel
def open_tasks(tables: Any, board: Any, near: Any, state: Any, areas: Any, count: int, seat: int) -> int:
    """The slots whose card still lies there and is fulfilled by the seat, bit i for slot i."""
    slots = 0
    owned = NO_BITS
    for k in range(count):
        if areas[k].owner == seat:
            owned |= bit(k)
    for slot in range(SLOTS):
        if state.taken_by[slot] < 0 and owned != NO_BITS:
            if fulfilled(tables, board, near, state, areas, count, owned, wide(state.card[slot]), seat):
                slots |= 1 << slot
    return slots

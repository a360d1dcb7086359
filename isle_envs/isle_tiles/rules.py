"""The rules of Isle Tiles, in the rulebook's order. Rulings are those of the game's README."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, wide, wrapped
from isle_envs.core.blocks import scatter
from isle_envs.core.kernel import kernel
from isle_envs.core.outcome import build_forfeit, build_margin, build_rank, build_reward
from isle_envs.core.rng import below, shuffle
from isle_envs.isle_tiles.actions import (
    A_COLUMN,
    A_DONE,
    A_MARKER,
    A_NO_TASK,
    A_PART,
    A_PLACE,
    A_ROW,
    A_TASK,
    A_TURN,
    DIRECTIONS,
)
from isle_envs.isle_tiles.areas import (
    all_markers,
    know_areas,
    move_marker,
    near_of,
    same_height,
    settle,
)
from isle_envs.isle_tiles.board import (
    above,
    below_of,
    beside,
    draft_canvas,
    fits,
    fits_in_row,
    fits_turned,
    neighbour,
    number_spaces,
    random_layout,
    shuffled_parts,
    west_of,
)
from isle_envs.isle_tiles.state import (
    CANVAS_CENTRE,
    CARDS,
    COLUMN,
    DRAFT_CENTRE,
    DRAFT_SIZE,
    KINDS,
    LANDSCAPES,
    MARKER,
    MARKERS,
    MOST_HIDDEN,
    NONE,
    NOWHERE,
    OVER,
    PART,
    PARTS,
    PLACE,
    POINTS_PER_TASK,
    ROW,
    SLOTS,
    SPACES,
    TASK,
    TILES,
    TURN,
)
from isle_envs.isle_tiles.tasks import PREDETERMINED, open_tasks

_OFFSET = CANVAS_CENTRE - DRAFT_CENTRE  # from a row of the draft to a row of the canvas

MARGIN = 20.0  # points, by which the reward ``margin`` is divided

# ---------------------------------------------------------------------------------------------------------------- Setup


@kernel
def deal(tables: Any, state: Any) -> None:
    """Setup 1–6. With a draft the board comes first, but everything is shuffled here, so that no later chance is left."""
    state.marker_at[:, :] = NOWHERE  # 2. all markers lie in front of their players
    state.hand[:] = NONE
    state.taken_by[:] = NONE
    state.noted[:] = NONE
    state.last_turns = NONE
    state.shown = NONE
    state.chosen[:] = NONE
    if not tables.fixed_layout and not tables.draft:
        random_layout(tables, state)
    if tables.draft:
        order = shuffled_parts(state.stream)
        for k in range(PARTS):
            state.order[k] = order[k]

    # 3, 4. The tiles face down, two of them put aside unseen.
    tiles = np.empty(TILES, np.uint8)
    count = 0
    for kind in range(KINDS):
        for _ in range(tables.tile_count[kind]):
            tiles[count] = kind
            count += 1
    shuffle(state.stream, tiles)
    state.removed[0] = tiles[0]
    state.removed[1] = tiles[1]

    # 5. Four task cards: random ones, or 1–4 as for a first game.
    cards = np.empty(CARDS, np.uint8)
    for k in range(CARDS):
        cards[k] = k + 1
    if tables.random_tasks:
        shuffle(state.stream, cards)
    for slot in range(SLOTS):
        state.card[slot] = cards[slot]
        if cards[slot] == PREDETERMINED:
            state.shown = below(state.stream, 2)

    # 6. Each player draws a tile.
    for seat in range(tables.num_players):
        state.hand[seat] = tiles[2 + seat]
    state.supply_size = TILES - 2 - tables.num_players
    for k in range(state.supply_size):
        state.supply[k] = tiles[2 + tables.num_players + k]

    if tables.draft:
        state.chosen[0], state.chosen[1], state.chosen[2] = state.order[0], 0, DRAFT_CENTRE
        lay_part(tables, state, wide(DRAFT_CENTRE))
    else:
        begin(state)


@kernel
def holds_part(tables: Any, state: Any, seat: int, part: int) -> bool:
    """Whether a board part was dealt to a seat and does not lie yet. Parts are dealt one by one from seat 0."""
    for k in range(state.laid):
        if state.lay[k, 0] == part:
            return False
    for k in range(PARTS):
        if state.order[k] == part:
            return bool(k % tables.num_players == seat)
    return False


@kernel
def lay_part(tables: Any, state: Any, column: int) -> None:
    """Lays the chosen board part; then the next player in turn order is to attach one, or the layout is complete."""
    for k in range(3):
        state.lay[state.laid, k] = state.chosen[k]
    state.lay[state.laid, 3] = column
    state.laid += 1
    state.chosen[:] = NONE
    if state.laid == PARTS:
        number_spaces(draft_canvas(tables, state), tables.hexes, state.board)
        begin(state)
        return
    seat = state.laid % tables.num_players
    state.current_player = seat
    state.phase = TURN
    held = 0
    for candidate in range(PARTS):
        if holds_part(tables, state, seat, candidate):
            held += 1
            state.chosen[0] = candidate
    if held > 1:
        state.chosen[0] = NONE
        state.phase = PART


# ------------------------------------------------------------------------------------------------------------- Gameplay


@kernel
def begin(state: Any) -> None:
    """The first turn, seat 0's: with nothing but water no task is fulfilled, and every tile can be placed."""
    state.current_player = 0
    state.phase = PLACE


@kernel
def start_turn(tables: Any, near: Any, state: Any) -> None:
    """The current player's step 1; turns in which nothing is to be decided are played to their end, one after the other (ruling 1)."""
    board = tables.board if tables.fixed_layout else state.board
    while state.phase != OVER:
        if open_tasks(tables, board, near, state, wide(state.current_player)) != 0:
            state.phase = TASK
            return
        if can_place(tables, board, state):
            state.phase = PLACE
            return
        set_tile_aside(tables, state)


@kernel
def free_spaces(state: Any) -> Any:
    """The spaces without a marker."""
    return (bit(SPACES) - ONE) & ~all_markers(state)


@kernel
def can_place(tables: Any, board: Any, state: Any) -> bool:
    """Whether some two adjacent spaces of equal height are free of markers; water is height 0."""
    rest = free_spaces(state)
    while rest != NO_BITS:
        level = same_height(state, rest)
        rest &= ~level
        west, east = above(tables, board, level)
        if level & (west_of(board, level) | west | east) != NO_BITS:
            return True
    return False


@kernel
def set_tile_aside(tables: Any, state: Any) -> None:
    """Ruling 1: a tile that cannot be placed is set aside face down, and the turn ends."""
    seat = state.current_player
    state.set_aside[seat, state.hand[seat]] += 1
    state.hand[seat] = NONE
    end_turn(tables, state)


@kernel
def place_tile(tables: Any, near: Any, state: Any, space: int, direction: int) -> None:
    """Step 2: the tile in hand covers two spaces, which grow by one level."""
    board = tables.board if tables.fixed_layout else state.board
    seat = state.current_player
    state.placed[0] = space
    state.placed[1] = neighbour(tables, board, space, direction)
    changed = NO_BITS  # spaces of all areas that shrink, fall apart, grow or join
    for half in range(2):
        here = bit(state.placed[half])
        changed |= here
        for landscape in range(LANDSCAPES):
            if state.land[landscape] & here != NO_BITS:
                state.land[landscape] &= ~here
                changed |= near[state.placed[half]] & state.land[landscape]
        state.land[tables.tile[state.hand[seat], half]] |= here
        state.height[state.placed[half]] += 1
    know_areas(near, state, changed)
    state.hand[seat] = NONE
    state.half = 0
    state.used = 0
    state.phase = MARKER


@kernel
def place_marker(near: Any, state: Any, value: int, half: int) -> bool:
    """Step 3: a marker from the supply or from the board; True if that ends the step, as one on the second half does (ruling 2)."""
    move_marker(near, state, wide(state.current_player), value, wide(state.placed[half]))
    state.used = value
    state.half = half + 1
    return half == 1


@kernel
def finish_turn(tables: Any, near: Any, state: Any) -> None:
    """After the last decision of a turn: areas with markers of several players are settled; then the next turn.

    In the phase TASK no tile could be placed, and the tile is set aside.
    """
    if state.phase == MARKER:
        settle(near, state)
        end_turn(tables, state)
    else:
        set_tile_aside(tables, state)
    start_turn(tables, near, state)


@kernel
def end_turn(tables: Any, state: Any) -> None:
    """Step 4, or in the last round the scoring; then it is the next player's turn."""
    seat = wide(state.current_player)
    if state.last_turns != NONE:
        state.noted[seat] = points(state, seat)
        state.last_turns -= 1
    else:
        state.hand[seat] = state.supply[state.drawn]
        state.drawn += 1
        if state.drawn == state.supply_size:
            state.last_turns = tables.num_players  # the last round begins; this player's last turn is its last
    state.placed[:] = 0
    state.half = 0
    state.used = 0
    if state.last_turns == 0:
        state.phase = OVER
        state.current_player = NONE
    else:
        state.current_player = wrapped(seat + 1, wide(tables.num_players))


# -------------------------------------------------------------------------------------------------------- End of the game


@kernel
def points(state: Any, seat: int) -> int:
    """What a seat would note now: the heights of its areas' spaces, and its tasks."""
    owned = state.owned[seat]
    total = 0
    for space in range(SPACES):
        total += wide(state.height[space]) * wide(owned >> np.uint64(space) & ONE)
    return total + POINTS_PER_TASK * tasks_taken(state, seat)


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    """The noted score, or before that what the seat would note now."""
    if state.noted[seat] != NONE:
        return wide(state.noted[seat])
    return points(state, seat)


@kernel
def tasks_taken(state: Any, seat: int) -> int:
    """How many task cards a seat has."""
    count = 0
    for slot in range(SLOTS):
        count += state.taken_by[slot] == seat
    return count


@kernel
def compare(tables: Any, state: Any, one: int, other: int) -> int:
    """Positive if seat ``one`` is ahead: points, then tasks, then the earlier seat (ruling 7), so that no win is shared."""
    ahead = score(tables, state, one) - score(tables, state, other)
    if ahead == 0:
        ahead = tasks_taken(state, one) - tasks_taken(state, other)
    if ahead == 0:
        ahead = other - one
    return ahead


rank = build_rank(compare)
_margin = build_margin(score, MARGIN)
_reward = build_reward(compare, _margin)
forfeit = build_forfeit(_margin)


# ------------------------------------------------------------------------------------------------------------- Decisions


@kernel
def legal(tables: Any, state: Any, mask: Any) -> None:
    """Sets the legal actions of the current player."""
    if state.phase == PLACE:
        _legal_placements(tables, state, mask)
    elif state.phase == MARKER:
        for half in range(state.half, 2):
            for value in range(1, MARKERS + 1):
                mask[A_MARKER + 2 * (value - 1) + half] = value != state.used
        mask[A_DONE] = True
    elif state.phase == TASK:
        near = near_of(tables, state)
        board = tables.board if tables.fixed_layout else state.board
        slots = open_tasks(tables, board, near, state, wide(state.current_player))
        for slot in range(SLOTS):
            mask[A_TASK + slot] = (slots >> slot) & 1
        mask[A_NO_TASK] = True
    else:
        _legal_in_draft(tables, state, mask)


@kernel
def _legal_placements(tables: Any, state: Any, mask: Any) -> None:
    board = tables.board if tables.fixed_layout else state.board
    tile = tables.tile[state.hand[state.current_player]]
    mixed = tile[0] != tile[1]
    # From the first half to the second: eastwards, downwards in two directions; a mixed tile also the other way round.
    east, down, down_east = NO_BITS, NO_BITS, NO_BITS  # the first halves
    rest = free_spaces(state)
    while rest != NO_BITS:
        level = same_height(state, rest)
        rest &= ~level
        east |= level & west_of(board, level)
        over, over_west = above(tables, board, level)
        down |= level & over
        down_east |= level & over_west
    west, up, up_west = NO_BITS, NO_BITS, NO_BITS
    if mixed:
        west = east << ONE
        up, up_west = below_of(tables, board, down, down_east)
    half_turn = np.uint64(tables.directions // 2)
    d, e = np.uint64(tables.below_direction[0]), np.uint64(tables.below_direction[1])
    for first in range(0, SPACES, _WORD):
        legal = _fan(east, first) | _fan(west, first) << half_turn
        legal |= _fan(down, first) << d | _fan(up, first) << (d - half_turn)
        legal |= _fan(down_east, first) << e | _fan(up_west, first) << (e - half_turn)
        scatter(mask, A_PLACE + DIRECTIONS * first, legal)


_WORD = 10  # spaces whose actions, one for each direction, fit into one set


@kernel(inline=True)
def _fan(spaces: Any, first: int) -> Any:
    """``_WORD`` spaces from ``first`` on, with as much room for each as it has directions: bit i becomes bit 6 i."""
    bits = spaces >> np.uint64(first)
    # Five copies, of which one bit each is taken; so five bits at a time.
    low = (bits & np.uint64(31)) * np.uint64(0x108421) & np.uint64(0x1041041)
    high = (bits >> np.uint64(5) & np.uint64(31)) * np.uint64(0x108421) & np.uint64(0x1041041)
    return low | high << np.uint64(30)


@kernel
def _legal_in_draft(tables: Any, state: Any, mask: Any) -> None:
    """A choice is legal only if some legal attachment remains."""
    canvas = draft_canvas(tables, state)
    near = beside(tables, canvas)
    part, turn = wide(state.chosen[0]), wide(state.chosen[1])
    if state.phase == PART:
        for candidate in range(PARTS):
            if holds_part(tables, state, wide(state.current_player), candidate):
                for candidate_turn in range(tables.directions):
                    if fits_turned(tables, canvas, near, candidate, candidate_turn):
                        mask[A_PART + candidate] = True
    elif state.phase == TURN:
        for candidate in range(tables.directions):
            if tables.part_turns[part, candidate]:
                mask[A_TURN + candidate] = fits_turned(tables, canvas, near, part, candidate)
    elif state.phase == ROW:
        for row in range(DRAFT_SIZE):
            mask[A_ROW + row] = fits_in_row(tables, canvas, near, part, turn, row + _OFFSET)
    elif state.phase == COLUMN:
        row = wide(state.chosen[2]) + _OFFSET
        for column in range(DRAFT_SIZE):
            mask[A_COLUMN + column] = fits(tables, canvas, near, part, turn, row, column + _OFFSET)


@kernel
def apply(tables: Any, state: Any, action: int, rewards: Any) -> None:
    """Plays a legal action."""
    near = near_of(tables, state)
    turn_is_over = False
    if action < A_PLACE:
        if action != A_NO_TASK:
            state.taken_by[action - A_TASK] = state.current_player
        if can_place(tables, tables.board if tables.fixed_layout else state.board, state):
            state.phase = PLACE
        else:
            turn_is_over = True
    elif action < A_MARKER:
        place_tile(tables, near, state, (action - A_PLACE) // DIRECTIONS, (action - A_PLACE) % DIRECTIONS)
    elif action < A_DONE:
        turn_is_over = place_marker(near, state, (action - A_MARKER) // 2 + 1, (action - A_MARKER) % 2)
    elif action == A_DONE:
        turn_is_over = True
    elif action < A_TURN:
        state.chosen[0] = action - A_PART
        state.phase = TURN
    elif action < A_ROW:
        state.chosen[1] = action - A_TURN
        state.phase = ROW
    elif action < A_COLUMN:
        state.chosen[2] = action - A_ROW
        state.phase = COLUMN
    else:
        lay_part(tables, state, action - A_COLUMN)
    if turn_is_over:
        finish_turn(tables, near, state)
    if state.phase == OVER:
        _reward(tables, state, rewards)


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    """Shuffles what the seat has not seen: the supply, the others' hands, the tiles put aside (ruling 9). Covered tiles are known."""
    drafting = state.phase < TASK
    pool = np.empty(MOST_HIDDEN, np.uint8)
    count = 0
    for k in range(state.drawn, state.supply_size):
        pool[count] = state.supply[k]
        count += 1
    for k in range(2):
        if k != state.shown or drafting:
            pool[count] = state.removed[k]
            count += 1
    for other in range(tables.num_players):
        if (other != seat or drafting) and state.hand[other] != NONE:
            pool[count] = state.hand[other]
            count += 1
        if other != seat:
            for kind in range(KINDS):
                for _ in range(state.set_aside[other, kind]):
                    pool[count] = kind
                    count += 1
    shuffle(state.stream, pool[:count])
    for k in range(state.drawn, state.supply_size):
        count -= 1
        state.supply[k] = pool[count]
    for k in range(2):
        if k != state.shown or drafting:
            count -= 1
            state.removed[k] = pool[count]
    for other in range(tables.num_players):
        if (other != seat or drafting) and state.hand[other] != NONE:
            count -= 1
            state.hand[other] = pool[count]
        if other != seat:
            aside = 0
            for kind in range(KINDS):
                aside += state.set_aside[other, kind]
                state.set_aside[other, kind] = 0
            for _ in range(aside):
                count -= 1
                state.set_aside[other, pool[count]] += 1
    if drafting and tables.random_tasks:  # nobody has seen the task cards either
        cards = np.arange(1, CARDS + 1)
        shuffle(state.stream, cards)
        state.shown = NONE
        for slot in range(SLOTS):
            state.card[slot] = cards[slot]
            if cards[slot] == PREDETERMINED:
                state.shown = below(state.stream, 2)

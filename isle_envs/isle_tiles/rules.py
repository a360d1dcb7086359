"""The rules of Isle Tiles, in the rulebook's order. Rulings are those of the game's README."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.kernel import kernel
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
from isle_envs.isle_tiles.areas import find_areas, find_owners, settle
from isle_envs.isle_tiles.board import (
    beside,
    draft_canvas,
    fits,
    fits_in_row,
    fits_turned,
    is_east,
    neighbour,
    number_spaces,
    random_layout,
)
from isle_envs.isle_tiles.state import (
    CANVAS_CENTRE,
    CARDS,
    COLUMN,
    DRAFT_CENTRE,
    DRAFT_SIZE,
    KINDS,
    MARKER,
    MARKERS,
    NONE,
    NOWHERE,
    OVER,
    PART,
    PARTS,
    PLACE,
    PLAYERS,
    POINTS_PER_TASK,
    ROW,
    SLOTS,
    SPACES,
    TASK,
    TILES,
    TURN,
    WATER,
)
from isle_envs.isle_tiles.tasks import PREDETERMINED, open_tasks

_OFFSET = CANVAS_CENTRE - DRAFT_CENTRE  # from a row of the draft to a row of the canvas

# ---------------------------------------------------------------------------------------------------------------- Setup


@kernel
def deal(tables: Any, state: Any) -> None:
    """Setup 1–6. With a draft the board comes first, but everything is shuffled here, so that no later chance is left."""
    state.landscape[:] = WATER
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
        order = np.arange(PARTS)
        shuffle(state.stream, order)
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
    cards = np.arange(1, CARDS + 1)
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
        lay_part(tables, state, int(state.order[0]), 0, DRAFT_CENTRE, DRAFT_CENTRE)
    else:
        start_turn(tables, state, 0)


@kernel
def holds_part(tables: Any, state: Any, seat: int, part: int) -> bool:
    """Whether a board part was dealt to a seat and does not lie yet. Parts are dealt one by one from seat 0."""
    for k in range(state.laid):
        if state.lay[k, 0] == part:
            return False
    for k in range(PARTS):
        if state.order[k] == part:
            return k % tables.num_players == seat
    return False


@kernel
def lay_part(tables: Any, state: Any, part: int, turn: int, row: int, column: int) -> None:
    """Lays a board part; then the next player in turn order is to attach one, or the layout is complete."""
    state.lay[state.laid, 0] = part
    state.lay[state.laid, 1] = turn
    state.lay[state.laid, 2] = row
    state.lay[state.laid, 3] = column
    state.laid += 1
    state.chosen[:] = NONE
    if state.laid == PARTS:
        number_spaces(draft_canvas(tables, state), tables.hexes, state.board)
        start_turn(tables, state, 0)
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
def start_turn(tables: Any, state: Any, seat: int) -> None:
    """Step 1 of a turn; turns in which nothing is to be decided are played to their end, one after the other (ruling 1)."""
    state.current_player = seat
    while True:
        board = tables.board if tables.fixed_layout else state.board
        if open_tasks(tables, board, state, int(state.current_player)) != 0:
            state.phase = TASK
            return
        if can_place(board, state):
            state.phase = PLACE
            return
        set_tile_aside(tables, state)
        if state.phase == OVER:
            return


@kernel
def can_place(board: Any, state: Any) -> bool:
    """Whether some two adjacent spaces of equal height are free of markers; water is height 0."""
    marked = marked_spaces(state)
    for i in range(SPACES):
        if not marked[i]:
            if is_east(board, i) and state.height[i] == state.height[i + 1] and not marked[i + 1]:
                return True
            for k in range(2):
                j = int(board.below[i, k])
                if j != NOWHERE and state.height[i] == state.height[j] and not marked[j]:
                    return True
    return False


@kernel
def marked_spaces(state: Any) -> Any:
    """bool ``(60,)``: where any marker lies."""
    marked = np.zeros(SPACES, np.bool_)
    for seat in range(PLAYERS):
        for index in range(MARKERS):
            if state.marker_at[seat, index] != NOWHERE:
                marked[state.marker_at[seat, index]] = True
    return marked


@kernel
def set_tile_aside(tables: Any, state: Any) -> None:
    """Ruling 1: a tile that cannot be placed is set aside face down, and the turn ends."""
    seat = int(state.current_player)
    state.set_aside[seat, state.hand[seat]] += 1
    state.hand[seat] = NONE
    end_turn(tables, state)


@kernel
def place_tile(tables: Any, state: Any, space: int, direction: int) -> None:
    """Step 2: the tile in hand covers two spaces, which grow by one level."""
    board = tables.board if tables.fixed_layout else state.board
    seat = int(state.current_player)
    second = neighbour(tables, board, space, direction)
    state.landscape[space] = tables.tile[state.hand[seat], 0]
    state.landscape[second] = tables.tile[state.hand[seat], 1]
    state.height[space] += 1
    state.height[second] += 1
    state.hand[seat] = NONE
    state.placed[0] = space
    state.placed[1] = second
    state.half = 0
    state.used = 0
    state.phase = MARKER


@kernel
def place_marker(tables: Any, state: Any, value: int, half: int) -> None:
    """Step 3: a marker from the supply or from the board; the step ends by itself after one on the second half (ruling 2)."""
    state.marker_at[state.current_player, value - 1] = state.placed[half]
    state.used = value
    state.half = half + 1
    if half == 1:
        end_marker_step(tables, state)


@kernel
def end_marker_step(tables: Any, state: Any) -> None:
    """Step 3, afterwards: areas with markers of several players are settled."""
    board = tables.board if tables.fixed_layout else state.board
    settle(state, find_areas(board, state.landscape))
    end_turn(tables, state)
    if state.phase != OVER:
        start_turn(tables, state, int(state.current_player))


@kernel
def end_turn(tables: Any, state: Any) -> None:
    """Step 4, or in the last round the scoring; then it is the next player's turn."""
    seat = int(state.current_player)
    if state.last_turns != NONE:
        state.noted[seat] = score(tables, state, seat)
        state.last_turns -= 1
    elif state.drawn < state.supply_size:
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
        state.current_player = (seat + 1) % tables.num_players


# -------------------------------------------------------------------------------------------------------- End of the game


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    """The noted score, or before that what the seat would note now: the heights of its areas' spaces, and its tasks."""
    if state.noted[seat] != NONE:
        return int(state.noted[seat])
    board = tables.board if tables.fixed_layout else state.board
    area = find_areas(board, state.landscape)
    owner = find_owners(state, area)
    points = POINTS_PER_TASK * tasks_taken(state, seat)
    for i in range(SPACES):
        if owner[area[i]] == seat:
            points += int(state.height[i])
    return points


@kernel
def tasks_taken(state: Any, seat: int) -> int:
    """How many task cards a seat has."""
    count = 0
    for slot in range(SLOTS):
        count += state.taken_by[slot] == seat
    return count


@kernel
def rank(tables: Any, state: Any, seat: int) -> int:
    """Most points; then more tasks; then the earlier seat (ruling 7). 0 before the end."""
    if state.phase != OVER:
        return 0
    better = 0
    for other in range(tables.num_players):
        if other != seat:
            points = score(tables, state, other) - score(tables, state, seat)
            tasks = tasks_taken(state, other) - tasks_taken(state, seat)
            better += points > 0 or (points == 0 and (tasks > 0 or (tasks == 0 and other < seat)))
    return 1 + better


@kernel
def margin(tables: Any, state: Any, seat: int) -> float:
    """Own score minus the best other score, divided by 20."""
    best = -1
    for other in range(tables.num_players):
        if other != seat:
            best = max(best, score(tables, state, other))
    return (score(tables, state, seat) - best) / 20.0


@kernel
def forfeit(tables: Any, state: Any, seat: int) -> float:
    """What an illegal action is worth: never more than any natural end."""
    return min(0.0, margin(tables, state, seat)) - 1.0 if tables.margin else -1.0


# ------------------------------------------------------------------------------------------------------------- Decisions


@kernel
def legal(tables: Any, state: Any, mask: Any) -> None:
    """Sets the legal actions of the current player."""
    seat = int(state.current_player)
    board = tables.board if tables.fixed_layout else state.board
    if state.phase == PLACE:
        _legal_placements(tables, board, state, mask)
    elif state.phase == MARKER:
        for half in range(state.half, 2):
            for value in range(1, MARKERS + 1):
                mask[A_MARKER + 2 * (value - 1) + half] = value != state.used
        mask[A_DONE] = True
    elif state.phase == TASK:
        slots = open_tasks(tables, board, state, seat)
        for slot in range(SLOTS):
            mask[A_TASK + slot] = (slots >> slot) & 1
        mask[A_NO_TASK] = True
    else:
        _legal_in_draft(tables, state, mask)


@kernel
def _legal_placements(tables: Any, board: Any, state: Any, mask: Any) -> None:
    tile = tables.tile[state.hand[state.current_player]]
    mixed = tile[0] != tile[1]
    half_turn = tables.directions // 2
    marked = marked_spaces(state)
    for i in range(SPACES):
        if marked[i]:
            continue
        height = state.height[i]
        if is_east(board, i) and state.height[i + 1] == height and not marked[i + 1]:
            mask[A_PLACE + DIRECTIONS * i] = True
            if mixed:
                mask[A_PLACE + DIRECTIONS * (i + 1) + half_turn] = True
        for k in range(2):
            j = int(board.below[i, k])
            if j != NOWHERE and state.height[j] == height and not marked[j]:
                direction = tables.below_direction[k]
                mask[A_PLACE + DIRECTIONS * i + direction] = True
                if mixed:
                    mask[A_PLACE + DIRECTIONS * j + direction - half_turn] = True


@kernel
def _legal_in_draft(tables: Any, state: Any, mask: Any) -> None:
    """A choice is legal only if some legal attachment remains."""
    canvas = draft_canvas(tables, state)
    near = beside(tables, canvas)
    part, turn = int(state.chosen[0]), int(state.chosen[1])
    if state.phase == PART:
        for candidate in range(PARTS):
            if holds_part(tables, state, int(state.current_player), candidate):
                mask[A_PART + candidate] = fits_turned(tables, canvas, near, candidate, 0) or _fits_otherwise(
                    tables, canvas, near, candidate
                )
    elif state.phase == TURN:
        for candidate in range(tables.directions):
            if tables.part_turns[part, candidate]:
                mask[A_TURN + candidate] = fits_turned(tables, canvas, near, part, candidate)
    elif state.phase == ROW:
        for row in range(DRAFT_SIZE):
            mask[A_ROW + row] = fits_in_row(tables, canvas, near, part, turn, row + _OFFSET)
    elif state.phase == COLUMN:
        row = int(state.chosen[2]) + _OFFSET
        for column in range(DRAFT_SIZE):
            mask[A_COLUMN + column] = fits(tables, canvas, near, part, turn, row, column + _OFFSET)


@kernel
def _fits_otherwise(tables: Any, canvas: Any, near: Any, part: int) -> bool:
    for turn in range(1, tables.directions):
        if fits_turned(tables, canvas, near, part, turn):
            return True
    return False


@kernel
def apply(tables: Any, state: Any, action: int, rewards: Any) -> None:
    """Plays a legal action."""
    if action < A_PLACE:
        if action != A_NO_TASK:
            state.taken_by[action - A_TASK] = state.current_player
        _after_task(tables, state)
    elif action < A_MARKER:
        place_tile(tables, state, (action - A_PLACE) // DIRECTIONS, (action - A_PLACE) % DIRECTIONS)
    elif action < A_DONE:
        place_marker(tables, state, (action - A_MARKER) // 2 + 1, (action - A_MARKER) % 2)
    elif action == A_DONE:
        end_marker_step(tables, state)
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
        part, turn, row = int(state.chosen[0]), int(state.chosen[1]), int(state.chosen[2])
        lay_part(tables, state, part, turn, row, action - A_COLUMN)
    if state.phase == OVER:
        _reward(tables, state, rewards)


@kernel
def _after_task(tables: Any, state: Any) -> None:
    board = tables.board if tables.fixed_layout else state.board
    if can_place(board, state):
        state.phase = PLACE
        return
    set_tile_aside(tables, state)
    if state.phase != OVER:
        start_turn(tables, state, int(state.current_player))


@kernel
def _reward(tables: Any, state: Any, rewards: Any) -> None:
    for seat in range(tables.num_players):
        if tables.margin:
            rewards[seat] += margin(tables, state, seat)
        else:  # a win is never shared
            rewards[seat] += 1.0 if rank(tables, state, seat) == 1 else -1.0 / (tables.num_players - 1)


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    """Shuffles what the seat has not seen: the supply, the others' hands, the tiles put aside (ruling 9). Covered tiles are known."""
    drafting = state.phase < TASK
    pool = np.empty(TILES, np.uint8)
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

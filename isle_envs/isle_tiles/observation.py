"""What a player sees, from its own seat: own things first, then the others in turn order."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import bit, count_bits, wide, wrapped
from isle_envs.core.blocks import at_least, equal, scatter
from isle_envs.core.kernel import kernel
from isle_envs.core.observation import ObservationBlock, ObservationSpace
from isle_envs.isle_tiles.board import draft_canvas, row_of
from isle_envs.isle_tiles.rules import holds_part, points
from isle_envs.isle_tiles.state import (
    CANVAS_CENTRE,
    CARDS,
    DRAFT_CENTRE,
    DRAFT_REACH,
    DRAFT_SIZE,
    KINDS,
    LANDSCAPES,
    MARKER,
    MARKERS,
    NONE,
    NOWHERE,
    PARTS,
    PHASES,
    PLAYERS,
    POINTS_PER_TASK,
    SLOTS,
    SPACES,
    TASK,
    TILES,
)

MOST_HEIGHT = TILES - 2  # every tile on the same two spaces
LEVELS = (2, 3, 4, 5)
MOST_POINTS = 2 * (TILES - 2) + SLOTS * POINTS_PER_TASK
PLANE = DRAFT_SIZE + 2 * DRAFT_REACH


def observation_space(
    num_players: int, most_of_a_kind: int, fixed_layout: bool, draft: bool, reach: int
) -> ObservationSpace:
    """The layout for a number of players; with a layout that differs from game to game it has coordinates, with a draft its canvas."""
    n = num_players
    block = ObservationBlock
    blocks = [
        block("phase", (len(PHASES),), 0, 1, "what is decided next: " + ", ".join(PHASES)),
        block("seat", (n,), 0, 1, "the observing seat, seat 0 first"),
        block("current_player", (n,), 0, 1, "whose decision it is; none when the game is over"),
        block("landscape", (LANDSCAPES, SPACES), 0, 1, "the spaces of each landscape; water in none"),
        block("height", (SPACES,), 0, MOST_HEIGHT, "the height of each space, 0 for water"),
        block("level", (len(LEVELS), SPACES), 0, 1, "the spaces at least 2, 3, 4, 5 high"),
        block("markers", (n, SPACES), 0, MARKERS, "the value of each player's marker on each space, 0 for none"),
        block("owner", (n, SPACES), 0, 1, "the spaces of each player's areas"),
        block("area_size", (SPACES,), 0, SPACES, "the size of each space's area, 0 for water"),
        block("hand", (2, LANDSCAPES), 0, 1, "the two halves of the own tile"),
        block("placed", (2, SPACES), 0, 1, "while markers are placed: where the tile's halves lie"),
        block("half", (1,), 0, 1, "while markers are placed: 1 if the first half has its marker"),
        block("used", (MARKERS,), 0, 1, "the marker already placed in this step"),
        block("markers_left", (n, MARKERS), 0, 1, "the markers in front of each player"),
        block("cards", (SLOTS, CARDS), 0, 1, "the task card in each slot"),
        block("taken_by", (SLOTS, n), 0, 1, "who took it"),
        block("predetermined", (LANDSCAPES,), 0, 1, "the landscapes shown on the card Predetermined Area"),
        block("score", (n,), 0, MOST_POINTS, "the noted score, or what would be noted now"),
        block("noted", (n,), 0, 1, "who has noted a score"),
        block("unseen", (KINDS,), 0, most_of_a_kind, "how many tiles of each kind this player has not seen"),
        block("supply", (1,), 0, TILES - 2, "how many tiles are left to draw"),
        block("set_aside", (n,), 0, TILES - 2, "how many tiles each player has had to set aside"),
        block("last_turns", (1,), 0, n, "turns left once the last tile is drawn, 0 before"),
    ]
    if not fixed_layout:
        blocks += [
            block("column", (SPACES,), -reach, reach, "axial column of each space (squares: column)"),
            block("row", (SPACES,), -reach, reach, "row of each space"),
        ]
    if draft:
        blocks += [
            block(
                "laid", (PLANE, PLANE), 0, 1, "the cells of the board parts laid; row and column 2 more than in actions"
            ),
            block("parts", (n, PARTS), 0, 1, "the board parts each player still holds"),
            block("chosen_part", (PARTS,), 0, 1, "the part being laid, once chosen"),
            block("chosen_turn", (6,), 0, 1, "its rotation, once chosen"),
            block("chosen_row", (DRAFT_SIZE,), 0, 1, "its reference space's row, once chosen"),
        ]
    return ObservationSpace(blocks)


_ALL = np.uint64((1 << SPACES) - 1)


@kernel(inline=True)
def _copy(plane: Any, out: Any) -> None:
    for space in range(SPACES):
        out[space] = plane[space]


@kernel
def observe(tables: Any, state: Any, seat: int, out: Any) -> None:
    """Writes the raw observation of ``seat``; ``out`` is int8 ``(size,)`` and all zeros.

    Sets of spaces are scattered over 64 bytes, 4 more than a plane has: what follows a plane is written after it.
    """
    n = wide(tables.num_players)
    drafting = state.phase < TASK
    at = 0  # where the next block starts
    out[at + state.phase] = 1
    at += len(PHASES)
    out[at + seat] = 1
    at += n
    if state.current_player >= 0:
        out[at + wrapped(wide(state.current_player) - seat + n, n)] = 1
    at += n

    for landscape in range(LANDSCAPES):
        scatter(out, at, state.land[landscape])
        at += SPACES
    _copy(state.height, out[at : at + SPACES])
    at += SPACES
    for level in LEVELS:
        scatter(out, at, at_least(state.height, 0, level) & _ALL)
        at += SPACES
    for k in range(n):
        for index in range(MARKERS):
            out[at + wide(state.marker_at[wrapped(seat + k, n), index])] = index + 1
        at += SPACES
        out[at] = 0  # where the markers that lie nowhere have gone: the next plane's first space
    for k in range(n):
        scatter(out, at, state.owned[wrapped(seat + k, n)])
        at += SPACES
    _copy(state.area_size, out[at : at + SPACES])
    at += SPACES

    if not drafting and state.hand[seat] != NONE:
        tile = tables.tile[state.hand[seat]]
        out[at + wide(tile[0])] = 1
        out[at + LANDSCAPES + wide(tile[1])] = 1
    at += 2 * LANDSCAPES
    if state.phase == MARKER:
        out[at + wide(state.placed[0])] = 1
        out[at + SPACES + wide(state.placed[1])] = 1
        out[at + 2 * SPACES] = state.half
        if state.used > 0:
            out[at + 2 * SPACES + wide(state.used)] = 1
    at += 2 * SPACES + 1 + MARKERS
    for k in range(n):
        for index in range(MARKERS):
            out[at + index] = state.marker_at[wrapped(seat + k, n), index] == NOWHERE
        at += MARKERS

    if not drafting:
        for slot in range(SLOTS):
            out[at + CARDS * slot + wide(state.card[slot]) - 1] = 1
            if state.taken_by[slot] >= 0:
                out[at + SLOTS * CARDS + n * slot + wrapped(wide(state.taken_by[slot]) - seat + n, n)] = 1
        if state.shown >= 0:
            shown = tables.tile[state.removed[state.shown]]
            out[at + SLOTS * (CARDS + n) + wide(shown[0])] = 1
            out[at + SLOTS * (CARDS + n) + wide(shown[1])] = 1
    at += SLOTS * (CARDS + n) + LANDSCAPES
    for k in range(n):
        other = wrapped(seat + k, n)
        now = points(state, other) if state.noted[other] == NONE else wide(state.noted[other])
        out[at + k] = min(now, MOST_POINTS)  # more only in positions from elsewhere, whose tiles need not add up
        out[at + n + k] = state.noted[other] != NONE
    at += 2 * n
    _unseen(tables, state, seat, drafting, out[at : at + KINDS])
    at += KINDS
    out[at] = state.supply_size - state.drawn
    at += 1
    for k in range(n):
        other = wrapped(seat + k, n)
        aside = 0
        for kind in range(KINDS):
            aside += wide(state.set_aside[other, kind])
        out[at + k] = aside
    at += n
    out[at] = max(0, wide(state.last_turns))
    at += 1
    if not tables.fixed_layout:
        if not drafting:
            for i in range(SPACES):
                out[at + i] = state.board.q[i]
                out[at + SPACES + i] = row_of(state.board, i)
        at += 2 * SPACES
    if tables.draft:
        _draft(tables, state, seat, out[at:])


@kernel
def _unseen(tables: Any, state: Any, seat: int, drafting: bool, out: Any) -> None:
    """Tiles in the supply, in the others' hands and put aside; not those on or under the board, in the own hand or set aside by oneself."""
    drawable = bit(state.supply_size) - bit(state.drawn)  # as a set
    for kind in range(KINDS):
        count = count_bits(equal(state.supply, 0, kind) & drawable)
        for other in range(PLAYERS):
            count += wide(state.set_aside[other, kind])
        out[kind] = count - wide(state.set_aside[seat, kind])
    for k in range(2):
        if k != state.shown or drafting:
            out[state.removed[k]] += 1
    for other in range(tables.num_players):
        if (other != seat or drafting) and state.hand[other] != NONE:
            out[state.hand[other]] += 1


@kernel
def _draft(tables: Any, state: Any, seat: int, out: Any) -> None:
    n = tables.num_players
    canvas = draft_canvas(tables, state)
    corner = CANVAS_CENTRE - DRAFT_CENTRE - DRAFT_REACH
    for row in range(PLANE):
        for column in range(PLANE):
            out[PLANE * row + column] = (canvas[corner + row] >> np.uint64(corner + column)) & np.uint64(1)
    at = PLANE * PLANE
    for k in range(n):
        for part in range(PARTS):
            out[at + PARTS * k + part] = holds_part(tables, state, wrapped(seat + k, n), part)
    at += n * PARTS
    if state.chosen[0] != NONE:
        out[at + state.chosen[0]] = 1
    if state.chosen[1] != NONE:
        out[at + PARTS + state.chosen[1]] = 1
    if state.chosen[2] != NONE:
        out[at + PARTS + 6 + state.chosen[2]] = 1

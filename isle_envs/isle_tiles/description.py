"""Positions of Isle Tiles as JSON-ready dictionaries, and back. The fields are listed in the game's README."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.describing import Reader, describe_stream, read_stream, require_game
from isle_envs.core.records import for_kernels
from isle_envs.isle_tiles.board import draft_canvas, number_spaces, rows_of
from isle_envs.isle_tiles.state import (
    CANVAS,
    CANVAS_CENTRE,
    CARDS,
    COLUMN,
    DRAFT_SIZE,
    KINDS,
    LANDSCAPES,
    MARKER,
    MARKERS,
    NONE,
    NOWHERE,
    OVER,
    PARTS,
    PHASES,
    PLACE,
    POINTS_PER_TASK,
    ROW,
    SLOTS,
    SPACES,
    STATE,
    TASK,
    TILES,
    TURN,
)
from isle_envs.isle_tiles.tables import KIND_OF, LANDSCAPES_OF
from isle_envs.isle_tiles.tasks import PREDETERMINED

HIDDEN = "hidden"


def _tile(kind: int) -> list[int] | None:
    return None if kind == NONE else list(LANDSCAPES_OF[kind])


def _optional(value: int) -> int | None:
    return None if value == NONE else int(value)


def describe(tables: np.record, state: np.record, seat: int | None) -> dict[str, Any]:
    """See :meth:`isle_envs.core.game.Game.describe`."""
    n = int(tables.num_players)
    phase = int(state.phase)
    drafting = phase < TASK
    result: dict[str, Any] = {
        "game": "isle_tiles",
        "num_players": n,
        "phase": PHASES[phase],
        "current_player": _optional(state.current_player),
        "grid": "hex" if tables.hexes else "square",
        "spaces": [] if drafting else _spaces(tables, state),
        "parts": _parts(state) if tables.draft else None,
        "hands": [_tile(int(state.hand[other])) for other in range(n)],
        "supply": [_tile(int(kind)) for kind in state.supply[state.drawn : state.supply_size]],
        "removed": [_tile(int(kind)) for kind in state.removed],
        "shown": _optional(state.shown),
        "set_aside": [
            [_tile(kind) for kind in range(KINDS) for _ in range(state.set_aside[other, kind])] for other in range(n)
        ],
        "tasks": [
            {"card": int(state.card[slot]), "taken_by": _optional(state.taken_by[slot])} for slot in range(SLOTS)
        ],
        "last_turns": _optional(state.last_turns),
        "placed": {
            "spaces": [int(space) for space in state.placed],
            "half": int(state.half),
            "used": int(state.used) or None,
        }
        if phase == MARKER
        else None,
        "scores": [_optional(state.noted[other]) for other in range(n)],
        "stream": describe_stream(state.stream),
    }
    return result if seat is None else _seen_by(result, seat, drafting)


def _seen_by(full: dict[str, Any], seat: int, drafting: bool) -> dict[str, Any]:
    """What a seat may know of a full description (ruling 9); before the board lies, nobody has drawn anything."""
    others = [other for other in range(full["num_players"]) if other != seat or drafting]
    shown = None if drafting else full["shown"]
    for other in others:
        full["hands"][other] = full["hands"][other] and HIDDEN
    for other in range(full["num_players"]):
        if other != seat:
            full["set_aside"][other] = len(full["set_aside"][other])
    full["supply"] = len(full["supply"])
    full["removed"] = [tile if k == shown else None for k, tile in enumerate(full["removed"])]
    full["shown"] = shown
    if drafting:
        full["tasks"] = []
    del full["stream"]
    return full


def _spaces(tables: np.record, state: np.record) -> list[dict[str, Any]]:
    board = tables.board if tables.fixed_layout else state.board
    rows = rows_of(board)
    spaces = [
        {
            "q": int(board.q[i]),
            "r": rows[i],
            "landscape": next((k for k in range(LANDSCAPES) if int(state.land[k]) >> i & 1), None),
            "height": int(state.height[i]),
            "marker": None,
        }
        for i in range(SPACES)
    ]
    for seat, index in np.argwhere(state.marker_at != NOWHERE):
        spaces[state.marker_at[seat, index]]["marker"] = {"seat": int(seat), "value": int(index) + 1}
    return spaces


def _parts(state: np.record) -> dict[str, Any]:
    names = ("part", "turn", "row", "column")
    return {
        "order": [int(part) for part in state.order],
        "laid": [dict(zip(names, map(int, state.lay[k]), strict=True)) for k in range(state.laid)],
        "chosen": dict(zip(names[:3], map(_optional, state.chosen), strict=True)),
    }


def undescribe(tables: np.record, description: Mapping[str, Any]) -> np.recarray[Any, Any]:
    """See :meth:`isle_envs.core.game.Game.undescribe`. Tiles need not add up to 50: a test may set up any position."""
    read = Reader(description)
    n = int(tables.num_players)
    require_game(read, game="isle_tiles", num_players=n, grid="hex" if tables.hexes else "square")
    plain = np.zeros(1, STATE)
    states = plain.view(np.recarray)
    state = states[0]
    read_stream(description, state)
    state.phase = read["phase"].choice(PHASES)
    state.current_player = read["current_player"].optional(0, n - 1)
    if (state.phase == OVER) != (state.current_player == NONE):
        raise read["current_player"].fail("a seat, or None exactly when the phase is 'over'")
    drafting = state.phase < TASK
    if drafting and not tables.draft:
        raise read["phase"].fail("a phase of play: this game has no draft")
    _read_parts(tables, read, plain)
    state.marker_at[:] = NOWHERE
    if not drafting:
        _read_spaces(tables, read, plain)
    state.hand[:] = NONE
    for seat, hand in enumerate(read["hands"].items(n)):
        state.hand[seat] = NONE if hand.value is None else _read_tile(hand)
    supply = read["supply"].items(most=TILES - 2)
    state.supply_size = len(supply)
    for k, tile in enumerate(supply):
        state.supply[k] = _read_tile(tile)
    for k, tile in enumerate(read["removed"].items(2)):
        state.removed[k] = _read_tile(tile)
    state.shown = read["shown"].optional(0, 1)
    for seat, tiles in enumerate(read["set_aside"].items(n)):
        for tile in tiles.items(most=TILES):
            state.set_aside[seat, _read_tile(tile)] += 1
    state.taken_by[:] = NONE
    for slot, task in enumerate(read["tasks"].items(SLOTS)):
        state.card[slot] = task["card"].integer(1, CARDS)
        state.taken_by[slot] = task["taken_by"].optional(0, n - 1)
    if len(set(state.card)) < SLOTS:
        raise read["tasks"].fail("four different cards")
    if (PREDETERMINED in state.card) != (state.shown != NONE):
        raise read["shown"].fail("0 or 1 if card 17 is among the tasks, else None")
    state.last_turns = read["last_turns"].optional(0, n)
    if (state.last_turns != NONE) != (not supply) or (state.last_turns == 0) != (state.phase == OVER):
        raise read["last_turns"].fail(
            "None while there is a supply, else the turns left, 0 exactly when the phase is 'over'"
        )
    state.noted[:] = NONE
    for seat, noted in enumerate(read["scores"].items(n)):
        state.noted[seat] = noted.optional(0, 2 * (TILES - 2) + SLOTS * POINTS_PER_TASK)
    if state.phase in (TASK, PLACE) and state.hand[state.current_player] == NONE:
        raise read["hands"].fail("a list with a tile for the player whose turn it is")
    if state.phase == MARKER:
        placed = read["placed"]
        for half, space in enumerate(placed["spaces"].items(2)):
            state.placed[half] = space.integer(0, SPACES - 1)
            if state.height[state.placed[half]] == 0:
                raise space.fail("a covered space")
        state.half = placed["half"].integer(0, 1)
        state.used = placed["used"].optional(1, MARKERS, 0)
    return states


def _read_tile(tile: Reader) -> int:
    halves = sorted(half.integer(0, LANDSCAPES - 1) for half in tile.items(2))
    return KIND_OF[halves[0], halves[1]]


def _read_spaces(tables: np.record, read: Reader, plain: npt.NDArray[Any]) -> None:
    state = plain.view(np.recarray)[0]
    board = tables.board if tables.fixed_layout else state.board
    rows = rows_of(board)
    given = []
    for i, space in enumerate(read["spaces"].items(SPACES)):
        q, r = space["q"].integer(-127, 127), space["r"].integer(-127, 127)
        given.append((r, q))
        if (tables.fixed_layout or tables.draft) and (q, r) != (board.q[i], rows[i]):
            raise space.fail(f"at q = {board.q[i]}, r = {rows[i]} in this layout")
        state.height[i] = space["height"].integer(0, TILES - 2)
        landscape = space["landscape"].optional(0, LANDSCAPES - 1)
        if (state.height[i] == 0) != (landscape == NONE):
            raise space.fail("of height 0 exactly when it has no landscape")
        if landscape != NONE:
            state.land[landscape] |= np.uint64(1 << i)
        if space["marker"].value is not None:
            seat = space["marker"]["seat"].integer(0, int(tables.num_players) - 1)
            value = space["marker"]["value"].integer(1, MARKERS)
            if state.marker_at[seat, value - 1] != NOWHERE:
                raise space["marker"].fail("a marker that lies nowhere else")
            if state.height[i] == 0:
                raise space["marker"].fail("None on water")
            state.marker_at[seat, value - 1] = i
    if not tables.fixed_layout and not tables.draft:
        _number(tables, read, given, plain)


def _number(tables: np.record, read: Reader, given: list[tuple[int, int]], plain: npt.NDArray[Any]) -> None:
    """Finds the neighbours of a layout given by its spaces' rows and columns."""
    canvas = np.zeros(CANVAS, np.uint64)
    if given != sorted(set(given)) or any(max(map(abs, cell)) > CANVAS_CENTRE for cell in given):
        raise read["spaces"].fail(f"different cells within {CANVAS_CENTRE} of the middle, row by row from the top")
    rows = [r for r, _ in given]
    if any(after - before > 1 for before, after in itertools.pairwise(rows)):
        raise read["spaces"].fail("a board in one piece: no row between the first and the last may be empty")
    for r, q in given:
        canvas[r + CANVAS_CENTRE] |= np.uint64(1 << (q + CANVAS_CENTRE))
    number_spaces(canvas, bool(tables.hexes), for_kernels(plain)[0]["board"])


def _read_parts(tables: np.record, read: Reader, plain: npt.NDArray[Any]) -> None:
    state = plain.view(np.recarray)[0]
    state.chosen[:] = NONE
    parts = read["parts"]
    if not tables.draft:
        if parts.value is not None:
            raise parts.fail("None: this game has no draft")
        return
    for k, part in enumerate(parts["order"].items(PARTS)):
        state.order[k] = part.integer(0, PARTS - 1)
    if len(set(state.order)) < PARTS:
        raise parts["order"].fail("four different parts")
    laid = parts["laid"].items(most=PARTS)
    state.laid = len(laid)
    if (state.laid == PARTS) == (state.phase < TASK) or not laid:
        raise parts["laid"].fail("1 to 3 parts during the draft, 4 after it")
    for k, lay in enumerate(laid):
        limits = (("part", PARTS), ("turn", 6), ("row", DRAFT_SIZE), ("column", DRAFT_SIZE))
        state.lay[k] = [lay[name].integer(0, limit - 1) for name, limit in limits]
    for k, (name, limit) in enumerate((("part", PARTS), ("turn", 6), ("row", DRAFT_SIZE))):
        state.chosen[k] = parts["chosen"][name].optional(0, limit - 1)
    needed = {TURN: 1, ROW: 2, COLUMN: 3}.get(int(state.phase), 0)  # how many choices come before this phase
    if any((state.chosen[k] != NONE) != (k < needed) for k in range(3)):
        raise parts["chosen"].fail("what has been chosen before this phase, and None for the rest")
    if state.laid == PARTS:
        records = for_kernels(plain)
        number_spaces(draft_canvas(tables, records[0]), bool(tables.hexes), records[0]["board"])

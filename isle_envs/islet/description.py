"""Positions of Islet as JSON-ready dictionaries, and back. The fields are listed in the game's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isle_envs.core.describing import Reader, describe_stream, read_stream, require_game
from isle_envs.core.records import for_kernels
from isle_envs.islet.observation import MOST_LEVEL
from isle_envs.islet.state import (
    CARD,
    CARDS,
    COLUMNS,
    DISCARD,
    ENDS,
    EXPLORE,
    GAIN,
    GIVE_UP,
    GUARANTEED_LIMIT,
    HAND,
    KEEP,
    KINDS,
    MOST_CARDS,
    MOVE,
    NONE,
    OVER,
    PAY,
    PHASES,
    PLACE,
    ROUNDS,
    SEA,
    SHOWN,
    SOLO_COLUMNS,
    SOURCES,
    START,
    STATE,
    TILES,
    TURN,
    TYPES,
)
from isle_envs.islet.tiles import add_tile

_IN_MOVE = (MOVE, PAY, GAIN, GIVE_UP, CARD)


def _optional(value: int) -> int | None:
    return None if value == NONE else int(value)


def _counts(values: Any) -> list[int]:
    return [int(value) for value in values]


def _kinds(counts: Any) -> list[int]:
    """Tiles one by one, sorted, from their counts."""
    return [kind for kind in range(KINDS) for _ in range(counts[kind])]


def place_of(tables: np.record, cell: int) -> list[int]:
    """A cell as [row, column], solo as [islet, row, column]."""
    columns = SOLO_COLUMNS if tables.solo else COLUMNS
    islet, inside = divmod(int(cell), int(tables.islet_cells))
    return [islet, *divmod(inside, columns)] if tables.solo else [*divmod(inside, columns)]


def describe(tables: np.record, state: np.record, seat: int | None) -> dict[str, Any]:
    """See :meth:`isle_envs.core.game.Game.describe`."""
    n, phase = int(tables.num_players), int(state.phase)
    cells = state.tile_cell[: state.tiles]

    def at(tile: int) -> list[int] | None:
        return None if tile == SEA else place_of(tables, cells[tile])

    paying = phase == PAY
    result: dict[str, Any] = {
        "game": "islet",
        "num_players": n,
        "phase": PHASES[phase],
        "current_player": _optional(state.current_player),
        "round": int(state.round_number),
        "last_round": int(state.last_round) or None,
        "tiles": [
            {
                "cell": place_of(tables, cells[tile]),
                "level": int(state.tile_level[tile]),
                "kind": int(state.tile_kind[tile]),
                "egg": _optional(state.tile_egg[tile]),
            }
            for tile in np.argsort(cells)
        ],
        "birds": [at(int(state.bird[other])) for other in range(n)],
        "bag": _counts(state.bag[state.drawn : state.bag_size]),
        "hands": [_kinds(state.hand[other]) for other in range(n)],
        "removed": _kinds(state.removed),
        "stacks": _counts(state.stack),
        "loose": [_counts(state.loose[other]) for other in range(n)],
        "guaranteed": [_counts(state.guaranteed[other]) for other in range(n)],
        "spent": [_counts(state.spent[other]) for other in range(n)],
        "eggs": [{"free": int(state.free_eggs[other]), "laid": int(state.laid[other])} for other in range(n)],
        "explore": {
            "picked": _optional(state.picked),
            "last": at(int(state.last)),
            "placed": int(state.placed),
            "gains": _counts(state.gain[: state.placed]),
        }
        if phase in (PLACE, EXPLORE)
        else None,
        "discarded": _optional(state.discarded) if phase == DISCARD else None,
        "payment": {
            "for": "lay" if state.target == SEA else "advance",
            "to": at(int(state.target)),
            "paid": _counts(state.paid),
        }
        if paying
        else None,
        "stood": sorted(
            place_of(tables, cells[tile])
            for tile in range(state.tiles)
            if int(state.stood[tile // 64]) >> tile % 64 & 1
        ),
        "moved": bool(state.moved),
        "deck": _counts(state.deck[state.revealed :]) if tables.solo else None,
        "cards": [[int(card) for card in state.shown[islet] if card != NONE] for islet in range(2)]
        if tables.solo
        else None,
        "used": sorted(set(_counts(state.deck[: state.revealed])) - set(_counts(state.shown.ravel())))
        if tables.solo
        else None,
        "end": ENDS[state.end] or None,
        "stream": describe_stream(state.stream),
    }
    if seat is not None:
        result["bag"] = len(result["bag"])
        result["hands"] = [hand if other == seat else len(hand) for other, hand in enumerate(result["hands"])]
        if tables.solo:
            result["deck"] = len(result["deck"])
        del result["stream"]
    return result


def undescribe(tables: np.record, description: Mapping[str, Any]) -> np.recarray[Any, Any]:
    """See :meth:`isle_envs.core.game.Game.undescribe`. Tiles need not add up to 90, nor resources to 12: a test may set up any position."""
    read = Reader(description)
    n = int(tables.num_players)
    require_game(read, game="islet", num_players=n)
    plain = np.zeros(1, STATE)
    state = plain.view(np.recarray)[0]
    read_stream(description, state)
    state.phase = read["phase"].choice(PHASES)
    state.current_player = read["current_player"].optional(0, n - 1)
    if (state.phase == OVER) != (state.current_player == NONE):
        raise read["current_player"].fail("a seat, or None exactly when the phase is 'over'")
    if not tables.solo and state.phase in (START, KEEP, CARD):
        raise read["phase"].fail("a phase of the game for several players")
    state.round_number = read["round"].integer(1, ROUNDS)
    state.last_round = read["last_round"].optional(1, ROUNDS + 1, 0)
    tile_of = _read_tiles(tables, read, plain)

    def at(place: Reader) -> int:
        if place.value is None:
            return SEA
        cell = tuple(item.integer(0, 99) for item in place.items(3 if tables.solo else 2))
        if cell not in tile_of:
            raise place.fail("None or the cell of a tile")
        return tile_of[cell]

    state.bird[:] = SEA
    for seat, bird in enumerate(read["birds"].items(n)):
        state.bird[seat] = at(bird)
        if tables.solo and (state.bird[seat] == SEA) != (state.phase == START):
            raise bird.fail("None exactly in the phase 'start'")
    bag = read["bag"].items(most=TILES)
    state.bag_size = len(bag)
    state.bag[: len(bag)] = [kind.integer(0, KINDS - 1) for kind in bag]
    for seat, hand in enumerate(read["hands"].items(n)):
        for kind in hand.items(most=HAND):
            state.hand[seat, kind.integer(0, KINDS - 1)] += 1
    for kind in read["removed"].items(most=TILES):
        state.removed[kind.integer(0, KINDS - 1)] += 1
    state.stack[:] = [count.integer(0, MOST_CARDS) for count in read["stacks"].items(TYPES)]
    for seat in range(n):
        for name, most in (("loose", MOST_CARDS), ("guaranteed", GUARANTEED_LIMIT), ("spent", GUARANTEED_LIMIT)):
            state[name][seat] = [count.integer(0, most) for count in read[name].items(n)[seat].items(TYPES)]
        if (state.spent[seat] > state.guaranteed[seat]).any():
            raise read["spent"].items(n)[seat].fail("no more than what is guaranteed")
        eggs = read["eggs"].items(n)[seat]
        state.free_eggs[seat] = eggs["free"].integer(0, int(tables.eggs))
        state.laid[seat] = eggs["laid"].integer(0, int(tables.eggs))
        if (
            int(state.free_eggs[seat]) % 2
            or state.free_eggs[seat] + state.laid[seat] + state.guaranteed[seat].sum() != tables.eggs
        ):
            raise eggs.fail(f"such that free eggs are even, and with those laid and guaranteed ones {tables.eggs}")
    _read_turn(tables, read, state, at)
    if tables.solo:
        _read_cards(read, state)
    end = read["end"]
    state.end = 0 if end.value is None else end.choice(ENDS)
    if (state.end == 0) != (state.phase != OVER):
        raise end.fail("how the game ended, None exactly before the phase 'over'")
    return plain.view(np.recarray)


def _read_tiles(tables: np.record, read: Reader, plain: Any) -> dict[tuple[int, ...], int]:
    """Adds the tiles; returns the tile on each cell."""
    records = for_kernels(plain)
    state = plain.view(np.recarray)[0]
    tile_of: dict[tuple[int, ...], int] = {}
    for tile in read["tiles"].items(most=TILES):
        place = tuple(item.integer(0, 99) for item in tile["cell"].items(3 if tables.solo else 2))
        islet, row, column = place if tables.solo else (0, *place)
        columns = SOLO_COLUMNS if tables.solo else COLUMNS
        cell = islet * int(tables.islet_cells) + row * columns + column
        if islet > 1 or column >= columns or (row + 1) * columns > tables.islet_cells or place in tile_of:
            raise tile["cell"].fail("a cell of the canvas, and no other tile's")
        number = int(add_tile(tables, records[0], cell, tile["kind"].integer(0, KINDS - 1)))
        state.tile_level[number] = tile["level"].integer(1, MOST_LEVEL)
        state.tile_egg[number] = tile["egg"].optional(0, int(tables.num_players) - 1)
        tile_of[place] = number
    if not tile_of:
        raise read["tiles"].fail("a list with at least one tile")
    return tile_of


def _read_turn(tables: np.record, read: Reader, state: np.record, at: Any) -> None:
    """What has been done in the running turn."""
    state.picked, state.last, state.target, state.discarded = NONE, SEA, SEA, NONE
    state.gain[:] = NONE
    phase = int(state.phase)
    if phase in (PLACE, EXPLORE):
        explore = read["explore"]
        state.picked = explore["picked"].optional(0, KINDS - 1)
        state.last = at(explore["last"])
        state.placed = explore["placed"].integer(0, HAND - 1)
        state.gain[: state.placed] = [gain.integer(0, TYPES - 1) for gain in explore["gains"].items(int(state.placed))]
        if (state.picked != NONE) != (phase == PLACE):
            raise explore["picked"].fail("a kind exactly in the phase 'place'")
        if phase == PLACE and state.hand[state.current_player, state.picked] == 0:
            raise explore["picked"].fail("a kind in the player's hand")
        if (state.last != SEA) != (state.placed > 0) or (phase == EXPLORE and state.placed == 0):
            raise explore["last"].fail("the cell of the tile placed last, None exactly before the first")
    if phase == DISCARD:
        state.discarded = read["discarded"].optional(0, TYPES - 1)
    if phase == PAY:
        payment = read["payment"]
        state.target = at(payment["to"])
        if (state.target == SEA) != (payment["for"].choice(("lay", "advance")) == 0):
            raise payment["to"].fail("None exactly for a lay")
        state.paid[:] = [count.integer(0, MOST_CARDS) for count in payment["paid"].items(SOURCES * TYPES)]
    for place in read["stood"].items(most=TILES):
        tile = at(place)
        if tile == SEA or phase not in _IN_MOVE:
            raise read["stood"].fail("cells of tiles, in a Move, else an empty list")
        state.stood[tile // 64] |= np.uint64(1 << tile % 64)
    state.moved = read["moved"].boolean()
    if phase in (GAIN, GIVE_UP) and (state.free_eggs[state.current_player] >= 2) != (phase == GAIN):
        raise read["phase"].fail("'gain' with free eggs, 'give_up' without")
    if phase == TURN and state.moved:
        raise read["moved"].fail("false at the beginning of a turn")


def _read_cards(read: Reader, state: np.record) -> None:
    """The deck as it was: used cards and shown ones in any order, then those to come."""
    used = [card.integer(0, CARDS - 1) for card in read["used"].items(most=CARDS)]
    state.shown[:] = NONE
    shown = []
    for islet, cards in enumerate(read["cards"].items(2)):
        for slot, card in enumerate(cards.items(most=SHOWN)):
            state.shown[islet, slot] = card.integer(0, CARDS - 1)
            shown.append(int(state.shown[islet, slot]))
    deck = [card.integer(0, CARDS - 1) for card in read["deck"].items(most=CARDS)]
    if sorted(used + shown + deck) != list(range(CARDS)):
        raise read["deck"].fail(f"such that deck, cards and used together are the {CARDS} cards")
    state.deck[:] = used + shown + deck
    state.revealed = len(used) + len(shown)

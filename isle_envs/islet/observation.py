"""What a player sees, from its own seat: own things first, then the others in turn order."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, lowest, wide, wrapped
from isle_envs.core.kernel import kernel
from isle_envs.core.observation import ObservationBlock, ObservationSpace
from isle_envs.islet.cards import held_slots, islet_of
from isle_envs.islet.payments import nest_of, terrain_of
from isle_envs.islet.state import (
    CARDS,
    COLUMNS,
    GUARANTEED_LIMIT,
    HAND,
    KINDS,
    NONE,
    PHASES,
    ROUNDS,
    ROWS,
    SEA,
    SHOWN,
    SOLO_COLUMNS,
    SOLO_ROWS,
    SOURCES,
    STACK,
    START,
    TERRAINS,
    TILES,
    TYPES,
)
from isle_envs.islet.turn import hand_size

MOST_LEVEL = 85  # all tiles but five of the start islet's on the sixth
OWN_BIRD, STOOD, LAST_PLACED = 1, 2, 3  # in the plane of birds


def observation_space(num_players: int, eggs: int, most_of_a_kind: int) -> ObservationSpace:
    """The layout; with one player that of the solo game."""
    n, solo = num_players, num_players == 1
    canvas = (2, SOLO_ROWS, SOLO_COLUMNS) if solo else (1, ROWS, COLUMNS)
    block = ObservationBlock
    where = max(*canvas)
    blocks = [
        block("level", canvas, 0, MOST_LEVEL, "the level of each cell's tile, 0 for the sea"),
        block("terrain", (TERRAINS, *canvas), 0, 1, "the tiles of each terrain"),
        block("nest", (TERRAINS, *canvas), 0, 1, "the tiles with each nest"),
        block("eggs", canvas, 0, n, "1 for an own egg, k + 1 for one of the k-th player after"),
        block(
            "birds",
            canvas,
            -3,
            3,
            "1 the own bird, −k that of the k-th player after; else 2 a tile stood on in this Move, 3 the tile placed last",
        ),
        block("phase", (len(PHASES),), 0, 1, "what is decided next: " + ", ".join(PHASES)),
        block("seat", (n,), 0, 1, "the observing seat, seat 0 first"),
        block("current_player", (n,), 0, 1, "whose decision it is; none when the game is over"),
        block("bird_at", (n, 3), 0, where, "islet, row and column of each bird, each + 1; zeros in the sea"),
        block("hand", (KINDS,), 0, HAND, "the own tiles of each kind"),
        block("hand_sizes", (n,), 0, HAND, "how many tiles each player has"),
        block("loose", (n, TYPES), 0, STACK, "each player's loose resources"),
        block("guaranteed", (n, TYPES), 0, GUARANTEED_LIMIT, "each player's guaranteed resources"),
        block("spent", (n, TYPES), 0, GUARANTEED_LIMIT, "of these, those spent this turn"),
        block("stacks", (TYPES,), 0, STACK, "the resources left"),
        block("free_eggs", (n,), 0, eggs, "eggs in front of each player that guarantee nothing"),
        block("laid", (n,), 0, eggs, "eggs each player has laid"),
        block("unseen", (KINDS,), 0, most_of_a_kind, "how many tiles of each kind this player has not seen"),
        block("bag", (1,), 0, TILES, "how many tiles are left in the bag"),
        block("picked", (KINDS,), 0, 1, "the tile about to be placed"),
        block("placed", (1,), 0, HAND, "tiles placed in this Explore"),
        block("gains", (TYPES,), 0, HAND, "what they will gain"),
        block("discarded", (TYPES,), 0, 1, "the type returned last while there are too many"),
        block("target", (3,), 0, where, "islet, row and column of the tile being paid for, each + 1; zeros for an egg"),
        block("paid", (SOURCES * TYPES,), 0, STACK, "the cards named so far of this payment"),
        block("moved", (1,), 0, 1, "1 once this Move has an Advance or a Lay"),
        block("round", (1,), 0, ROUNDS, "the number of the round"),
        block("rounds_left", (1,), 0, 2, "rounds to the end, the running one included; 0 while no end is triggered"),
    ]
    if solo:
        blocks += [
            block(
                "cards",
                (2, SHOWN, CARDS),
                0,
                1,
                "the cards shown at the day islet and the night islet, the older first",
            ),
            block("holds", (SHOWN,), 0, 1, "which cards of its islet hold for the bird's tile"),
            block("removed", (KINDS,), 0, most_of_a_kind, "tiles returned to the box"),
            block("deck", (1,), 0, CARDS, "cards left in the deck"),
            block("used", (CARDS,), 0, 1, "cards discarded"),
        ]
    return ObservationSpace(blocks)


@kernel
def _write_place(tables: Any, state: Any, tile: int, out: Any) -> None:
    """Islet, row and column of a tile, each + 1."""
    if tile != SEA:
        islet = islet_of(tables, state, tile)
        inside = wide(state.tile_cell[tile]) - islet * tables.islet_cells
        if tables.solo:  # divided by a constant, which is much quicker
            row, column = inside // SOLO_COLUMNS, inside % SOLO_COLUMNS
        else:
            row, column = inside // COLUMNS, inside % COLUMNS
        out[0], out[1], out[2] = islet + 1, row + 1, column + 1


@kernel
def observe(tables: Any, state: Any, seat: int, out: Any) -> None:
    """Writes the raw observation of ``seat``; ``out`` is int8 ``(size,)`` and all zeros."""
    n = tables.num_players
    size = tables.cells
    terrain, nest = size, size * (1 + TERRAINS)
    eggs = size * (1 + 2 * TERRAINS)
    birds = eggs + size
    for tile in range(wide(state.tiles)):
        cell = wide(state.tile_cell[tile])
        kind = wide(state.tile_kind[tile])
        out[cell] = min(wide(state.tile_level[tile]), MOST_LEVEL)
        out[terrain + size * terrain_of(kind) + cell] = 1
        out[nest + size * (nest_of(kind) - TERRAINS) + cell] = 1
        if state.tile_egg[tile] != NONE:
            out[eggs + cell] = 1 + wrapped(wide(state.tile_egg[tile]) - seat + n, n)
    for word in range(len(state.stood)):
        tiles = state.stood[word]
        while tiles != NO_BITS:
            out[birds + wide(state.tile_cell[64 * word + lowest(tiles)])] = STOOD
            tiles &= tiles - ONE
    if state.last != SEA:
        out[birds + wide(state.tile_cell[state.last])] = LAST_PLACED
    for k in range(
        n - 1, -1, -1
    ):  # the own bird last: where two stand for a moment, it is the one seen; `bird_at` tells both
        bird = wide(state.bird[wrapped(seat + k, n)])
        if bird != SEA:
            out[birds + wide(state.tile_cell[bird])] = -k if k > 0 else OWN_BIRD
    at = birds + size

    out[at + wide(state.phase)] = 1
    at += len(PHASES)
    out[at + seat] = 1
    at += n
    if state.current_player >= 0:
        out[at + wrapped(wide(state.current_player) - seat + n, n)] = 1
    at += n
    for k in range(n):
        _write_place(tables, state, wide(state.bird[wrapped(seat + k, n)]), out[at + 3 * k : at + 3 * k + 3])
    at += 3 * n
    for kind in range(KINDS):
        out[at + kind] = state.hand[seat, kind]
    at += KINDS
    for k in range(n):
        out[at + k] = hand_size(state, wrapped(seat + k, n))
    at += n
    for k in range(n):
        other = wrapped(seat + k, n)
        for kind in range(TYPES):
            out[at + TYPES * k + kind] = min(
                wide(state.loose[other, kind]), STACK
            )  # more only in positions from elsewhere
            out[at + TYPES * (n + k) + kind] = state.guaranteed[other, kind]
            out[at + TYPES * (2 * n + k) + kind] = state.spent[other, kind]
    at += 3 * n * TYPES
    for kind in range(TYPES):
        out[at + kind] = min(wide(state.stack[kind]), STACK)
    at += TYPES
    for k in range(n):
        out[at + k] = state.free_eggs[wrapped(seat + k, n)]
        out[at + n + k] = state.laid[wrapped(seat + k, n)]
    at += 2 * n
    counts = NO_BITS  # of each kind, seven bits each: quicker than adding to `out`, tile by tile
    for k in range(wide(state.drawn), wide(state.bag_size)):  # unseen: in the bag and in the others' hands
        counts += ONE << np.uint64(7 * wide(state.bag[k]))
    for kind in range(KINDS):
        out[at + kind] = counts >> np.uint64(7 * kind) & np.uint64(127)
    for other in range(n):
        if other != seat:
            for kind in range(KINDS):
                out[at + kind] += state.hand[other, kind]
    at += KINDS
    out[at] = wide(state.bag_size) - wide(state.drawn)
    at += 1
    if state.picked != NONE:
        out[at + state.picked] = 1
    at += KINDS
    out[at] = state.placed
    at += 1
    for k in range(wide(state.placed)):
        out[at + state.gain[k]] += 1
    at += TYPES
    if state.discarded != NONE:
        out[at + state.discarded] = 1
    at += TYPES
    _write_place(tables, state, wide(state.target), out[at : at + 3])
    at += 3
    for card in range(SOURCES * TYPES):
        out[at + card] = min(wide(state.paid[card]), STACK)
    at += SOURCES * TYPES
    out[at] = state.moved
    out[at + 1] = state.round_number
    if state.last_round > 0:
        out[at + 2] = wide(state.last_round) - wide(state.round_number) + 1
    at += 3
    if tables.solo:
        _observe_solo(tables, state, out[at:])


@kernel
def _observe_solo(tables: Any, state: Any, out: Any) -> None:
    for islet in range(2):
        for slot in range(SHOWN):
            if state.shown[islet, slot] != NONE:
                out[CARDS * (SHOWN * islet + slot) + state.shown[islet, slot]] = 1
    at = 2 * SHOWN * CARDS
    if state.phase != START:
        slots = held_slots(tables, state, wide(state.bird[0]))
        out[at] = slots & 1
        out[at + 1] = slots >> 1
    at += SHOWN
    for kind in range(KINDS):
        out[at + kind] = state.removed[kind]
    at += KINDS
    out[at] = CARDS - wide(state.revealed)
    at += 1
    for k in range(wide(state.revealed)):
        card = wide(state.deck[k])
        used = True
        for islet in range(2):
            for slot in range(SHOWN):
                if state.shown[islet, slot] == card:
                    used = False
        out[at + card] = used

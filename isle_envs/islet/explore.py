"""The action Explore (rulebook, "Explore": 1. Place tiles, 2. Gain resources, 3. Gain tiles)."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, wide
from isle_envs.core.kernel import kernel
from isle_envs.islet.cards import islet_of
from isle_envs.islet.payments import combination, terrain_of
from isle_envs.islet.state import CELL_WORDS, DISCARD, EXPLORE, HAND, LOOSE_LIMIT, LOST, NONE, SEA, TYPES
from isle_envs.islet.tiles import add_tile, beside, is_empty, tile_on
from isle_envs.islet.turn import clear_turn, end_after, end_game, end_turn, hand_size


@kernel(inline=True)
def first_cells(tables: Any, state: Any, word: int) -> Any:
    """1st tile: the sea cells next to a tile (ruling 1; solo: of the bird's islet), word ``word`` of their set."""
    islet = islet_of(tables, state, wide(state.bird[0])) if tables.solo else 0
    return state.shore[word] & tables.canvas[islet, word]


@kernel(inline=True)
def may_be_next(state: Any, tile: int) -> bool:
    """2nd to 4th tile: whether a tile next to the last one placed is empty and the new tile would ascend (ruling 2)."""
    return bool(state.tile_level[tile] >= state.tile_level[state.last] and is_empty(state, tile))


@kernel
def can_explore(tables: Any, state: Any) -> bool:
    """Whether the player has a tile and a cell for it."""
    if hand_size(state, wide(state.current_player)) == 0:
        return False
    for word in range(CELL_WORDS):
        if first_cells(tables, state, word) != NO_BITS:
            return True
    return False


@kernel
def can_go_on(tables: Any, state: Any) -> bool:
    """Whether some cell can take another tile in this Explore."""
    for side in range(3):
        tile = beside(tables, state, wide(state.last), side)
        if tile != SEA and may_be_next(state, tile):
            return True
    return False


@kernel
def place_tile(tables: Any, state: Any, cell: int) -> None:
    """1. Places the picked tile; what it gains is noted."""
    seat = wide(state.current_player)
    kind = wide(state.picked)
    tile = tile_on(state, cell)
    if tile == SEA:
        tile = add_tile(tables, state, cell, kind)
        state.gain[state.placed] = terrain_of(kind)
    else:
        below = terrain_of(state.tile_kind[tile])
        same = below == terrain_of(kind)
        state.gain[state.placed] = below if same else combination(below, terrain_of(kind))
        state.tile_kind[tile] = kind
        state.tile_level[tile] += 1
    state.hand[seat, kind] -= 1
    state.picked = NONE
    state.last = tile
    state.placed += 1
    if state.placed == HAND or hand_size(state, seat) == 0:
        finish_explore(tables, state)
    else:
        state.phase = EXPLORE


@kernel
def finish_explore(tables: Any, state: Any) -> None:
    """2. Gain resources. 3. Gain tiles; then the loose resources are counted."""
    seat = wide(state.current_player)
    for k in range(wide(state.placed)):
        kind = wide(state.gain[k])
        if state.stack[kind] > 0:  # none remain: none is taken
            state.stack[kind] -= 1
            state.loose[seat, kind] += 1
    clear_turn(state)
    while hand_size(state, seat) < HAND:
        if state.drawn == state.bag_size:
            if tables.solo:
                end_game(state, LOST)  # a tile that must come from an empty bag
                return
            break
        state.hand[seat, state.bag[state.drawn]] += 1
        state.drawn += 1
        if state.drawn == state.bag_size and not tables.solo:
            end_after(state, wide(state.round_number) + 1)
    state.phase = DISCARD
    if excess(state, seat) <= 0:
        end_turn(tables, state)


@kernel(inline=True)
def excess(state: Any, seat: int) -> int:
    """How many loose resources a player has beyond eight."""
    count = -LOOSE_LIMIT
    for kind in range(TYPES):
        count += wide(state.loose[seat, kind])
    return count


@kernel
def may_discard(state: Any, seat: int, kind: int) -> bool:
    """Ruling 3: in ascending type, enough of this and higher types being left."""
    if kind < state.discarded or state.loose[seat, kind] == 0:
        return False
    left = 0
    for other in range(kind, TYPES):
        left += wide(state.loose[seat, other])
    return left >= excess(state, seat)


@kernel
def discard(tables: Any, state: Any, kind: int) -> None:
    """Returns a loose resource; the turn ends once eight are left."""
    seat = wide(state.current_player)
    state.loose[seat, kind] -= 1
    state.stack[kind] += 1
    state.discarded = kind
    if excess(state, seat) == 0:
        end_turn(tables, state)

"""Day and night cards: what they ask of the bird's tile."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import wide
from isle_envs.core.kernel import kernel
from isle_envs.islet.payments import terrain_of
from isle_envs.islet.state import (
    COASTAL,
    HOLLOW,
    INLAND,
    LEVEL_MAX,
    LEVEL_MIN,
    NONE,
    PEAK,
    SEA,
    SHOWN,
    TERRAIN,
    TOUCHES,
    TOUCHES_EGG,
    TOUCHES_NO_EGG,
    TOUCHES_NO_OWN,
    TOUCHES_OWN,
)
from isle_envs.islet.tiles import beside, is_coastal


@kernel
def holds(tables: Any, state: Any, card: int, face: int, tile: int) -> bool:
    """Whether a tile meets a card's condition, of its day face (0) or its night face (1)."""
    asked, number = wide(tables.condition[card, face, 0]), wide(tables.condition[card, face, 1])
    terrain, level = terrain_of(state.tile_kind[tile]), wide(state.tile_level[tile])
    if asked == TERRAIN:
        return terrain == number
    if asked == LEVEL_MIN:
        return level >= number
    if asked == LEVEL_MAX:
        return level <= number
    if asked == COASTAL:
        return is_coastal(tables, state, tile)
    if asked == INLAND:
        return not is_coastal(tables, state, tile)
    own, eggs, higher, not_lower, touching = 0, 0, 0, 0, 0
    for side in range(3):
        near = beside(tables, state, tile, side)
        if near != SEA:
            own += terrain_of(state.tile_kind[near]) == terrain
            touching += terrain_of(state.tile_kind[near]) == number
            eggs += state.tile_egg[near] != NONE
            higher += state.tile_level[near] > level
            not_lower += state.tile_level[near] >= level
    if asked == TOUCHES:
        return touching > 0
    if asked == TOUCHES_OWN:
        return own > 0
    if asked == TOUCHES_NO_OWN:
        return own == 0
    if asked == TOUCHES_EGG:
        return eggs > 0
    if asked == TOUCHES_NO_EGG:
        return eggs == 0
    if asked == PEAK:
        return not_lower == 0
    if asked == HOLLOW:
        return higher > 0
    return False


@kernel(inline=True)
def islet_of(tables: Any, state: Any, tile: int) -> int:
    """Solo: the islet a tile belongs to, 0 (day) or 1 (night)."""
    return 1 if state.tile_cell[tile] >= tables.islet_cells else 0


@kernel
def held_slots(tables: Any, state: Any, tile: int) -> int:
    """The cards of a tile's islet that hold for it, bit i for slot i."""
    islet = islet_of(tables, state, tile)
    slots = 0
    for slot in range(SHOWN):
        card = wide(state.shown[islet, slot])
        if card != NONE and holds(tables, state, card, islet, tile):
            slots |= 1 << slot
    return slots

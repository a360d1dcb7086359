"""The tiles of the islet and what lies beside them."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, contains, exclude, include, lowest, wide
from isle_envs.core.blocks import BLOCK, equal
from isle_envs.core.kernel import kernel
from isle_envs.islet.state import CELL_WORDS, NONE, PLAYERS, SEA, TILES


@kernel
def add_tile(tables: Any, state: Any, cell: int, kind: int) -> int:
    """A tile in the sea, of level 1 (ruling 2)."""
    tile = wide(state.tiles)
    state.tiles += 1
    state.tile_cell[tile] = cell
    state.tile_kind[tile] = kind
    state.tile_level[tile] = 1
    state.tile_egg[tile] = NONE
    exclude(state.shore, cell)
    for side in range(3):
        near = wide(tables.cell_near[cell, side])
        if near != NONE and tile_on(state, near) == SEA:
            include(state.shore, near)
    return tile


@kernel
def find_shore(tables: Any, state: Any) -> None:
    """The shore anew, from the tiles' cells alone."""
    for word in range(CELL_WORDS):
        state.shore[word] = NO_BITS
    for tile in range(wide(state.tiles)):
        for side in range(3):
            near = wide(tables.cell_near[state.tile_cell[tile], side])
            if near != NONE and tile_on(state, near) == SEA:
                include(state.shore, near)


@kernel(inline=True)
def tile_on(state: Any, cell: int) -> int:
    """The tile on a cell, or SEA."""
    found = equal(state.tile_cell, 0, cell)
    tile = lowest(found)
    if found == NO_BITS:
        found = equal(state.tile_cell, TILES - BLOCK, cell)
        tile = TILES - BLOCK + lowest(found)
    return tile if found != NO_BITS and tile < wide(state.tiles) else SEA


@kernel(inline=True)
def beside(tables: Any, state: Any, tile: int, side: int) -> int:
    """The tile on a side of a tile, or SEA."""
    cell = wide(tables.cell_near[state.tile_cell[tile], side])
    return SEA if cell == NONE or contains(state.shore, cell) else tile_on(state, cell)


@kernel(inline=True)
def is_coastal(tables: Any, state: Any, tile: int) -> bool:
    """Whether some side of a tile borders the sea, which is beyond the canvas too."""
    for side in range(3):
        cell = wide(tables.cell_near[state.tile_cell[tile], side])
        if cell == NONE or contains(state.shore, cell):
            return True
    return False


@kernel(inline=True)
def is_next_to(tables: Any, state: Any, one: int, other: int) -> bool:
    """Whether two tiles share a side."""
    near = tables.cell_near[state.tile_cell[one]]
    cell = state.tile_cell[other]
    return bool(near[0] == cell or near[1] == cell or near[2] == cell)


@kernel(inline=True)
def is_empty(state: Any, tile: int) -> bool:
    """Whether a tile has neither an egg nor a bird, one's own included."""
    if state.tile_egg[tile] != NONE:
        return False
    for other in range(PLAYERS):
        if state.bird[other] == tile:
            return False
    return True

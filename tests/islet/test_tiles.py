"""Which tile lies where, and the shore, held against plain dictionaries, for islets of up to all 90 tiles in any shape."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core.kernel import kernel
from isle_envs.core.records import for_kernels
from isle_envs.islet import tiles
from isle_envs.islet.state import NONE, SEA, STATE, TILES


@kernel
def tile_on_each(state: Any, out: Any) -> None:
    for cell in range(len(out)):
        out[cell] = tiles.tile_on(state, cell)


@kernel
def beside_each(tables: Any, state: Any, out: Any, coastal: Any) -> None:
    for tile in range(len(out)):
        coastal[tile] = tiles.is_coastal(tables, state, tile)
        for side in range(3):
            out[tile, side] = tiles.beside(tables, state, tile, side)


@pytest.mark.parametrize("num_players", [2, 1])
@pytest.mark.parametrize("count", [1, 2, 30, 63, 64, 65, 66, TILES])
def test_tiles_and_what_is_beside_them(num_players: int, count: int) -> None:
    game = isle_envs.make_game("islet", num_players=num_players)
    tables, chance = game.tables[0], random.Random(count)
    size = int(tables.cells)
    corners = [0, size - 1]
    close = [int(tables.start[0, 0]) + k for k in range(-40, 40)]  # many with neighbours
    cells = list(dict.fromkeys(chance.sample(close, min(count, 60)) + corners + chance.sample(range(size), count)))
    cells = cells[:count]
    chance.shuffle(cells)
    states = for_kernels(np.zeros(1, STATE))
    for number, cell in enumerate(cells):
        assert tiles.add_tile(game.kernel_tables[0], states[0], cell, number % 9) == number
    tile_of = {cell: number for number, cell in enumerate(cells)}
    near = [[int(cell) for cell in tables.cell_near[k]] for k in range(size)]

    found = np.empty(size, np.int64)
    tile_on_each(states[0], found)
    assert found.tolist() == [tile_of.get(cell, SEA) for cell in range(size)]

    beside, coastal = np.empty((count, 3), np.int64), np.empty(count, np.bool_)
    beside_each(game.kernel_tables[0], states[0], beside, coastal)
    assert beside.tolist() == [[tile_of.get(other, SEA) for other in near[cell]] for cell in cells]
    assert coastal.tolist() == [any(other not in tile_of for other in near[cell]) for cell in cells]

    words = states["shore"][0]
    shore = {cell for cell in range(64 * len(words)) if int(words[cell // 64]) >> cell % 64 & 1}
    assert shore == {other for cell in cells for other in near[cell] if other != NONE} - set(cells)

"""From a component file to the tables that the rules look things up in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.islet.actions import A_CELL
from isle_envs.islet.state import (
    CARDS,
    CELL_WORDS,
    COLUMNS,
    CONDITIONS,
    KINDS,
    LEVEL_MAX,
    LEVEL_MIN,
    MOST_BILLS,
    NESTS_FOR_AN_EGG,
    NONE,
    PAIRS,
    ROWS,
    SHOWN,
    SOLO_COLUMNS,
    SOLO_ROWS,
    SOURCES,
    TABLES,
    TERRAIN,
    TERRAINS,
    TILES,
    TOUCHES,
    TYPES,
)

EGGS = {1: 10, 2: 10, 3: 8, 4: 6}  # stated, by number of players
FACES = ("day", "night")
_HIGHEST = 9  # level that a condition may ask for


def build_tables(components: Table, num_players: int, reward: str, eggs: int) -> npt.NDArray[Any]:
    """The tables, a structured array ``(1,)``.

    Raises:
        ComponentError: the file does not hold 90 tiles, three terrains and nests and 13 cards whose conditions are known and differ
            in each orientation, or has unknown or missing keys.
    """
    terrains = components.words("terrains", TERRAINS)
    nests = components.words("nests", TERRAINS)
    counts = _tile_counts(components, terrains, nests)
    conditions = _conditions(components, terrains)
    components.close()

    solo = num_players == 1
    rows, columns = (SOLO_ROWS, SOLO_COLUMNS) if solo else (ROWS, COLUMNS)
    record = np.zeros(1, TABLES)
    tables = record.view(np.recarray)[0]
    tables.num_players = num_players
    tables.solo = solo
    tables.margin = reward == "margin"
    tables.eggs = eggs
    tables.kind_count[:] = counts
    tables.islet_cells = rows * columns
    tables.cells = rows * columns * (2 if solo else 1)
    tables.condition[:] = conditions
    tables.cell_near[:] = NONE
    for islet in range(2 if solo else 1):
        cells = np.arange(64 * CELL_WORDS) // (rows * columns) == islet
        tables.canvas[islet] = np.packbits(cells, bitorder="little").view(np.uint64)
        for row in range(rows):
            for column in range(columns):
                points_up = (row + column) % 2 == 0
                sides = ((row, column - 1), (row, column + 1), (row + 1 if points_up else row - 1, column))
                for side, (r, c) in enumerate(sides):
                    if 0 <= r < rows and 0 <= c < columns:
                        cell = islet * rows * columns + row * columns + column
                        tables.cell_near[cell, side] = islet * rows * columns + r * columns + c
        # The six cells round the point between the two middle rows.
        middle = [(rows // 2 - 1 + k // 3, (columns - 1) // 2 - 1 + k % 3) for k in range(6)]
        tables.start[islet] = [islet * rows * columns + r * columns + c for r, c in middle]
    for cost in range(TYPES):
        tables.bill[cost] = _bills(cost)
    tables.a_lay = A_CELL + tables.cells
    tables.a_resource = tables.a_lay + 1
    tables.a_pay = tables.a_resource + TYPES
    tables.a_end = tables.a_pay + SOURCES * TYPES
    tables.a_move = tables.a_end + 1
    tables.a_card = tables.a_move + 2
    return record


def _bills(cost: int) -> npt.NDArray[np.uint8]:
    """What meets a cost, uint8 ``(4, 6)``; a terrain card has only three ways."""
    bills = np.zeros((MOST_BILLS, TYPES), np.uint8)
    if cost < TERRAINS:  # one terrain card: itself, or two of another terrain
        for kind in range(TERRAINS):
            bills[kind, kind] = 1 if kind == cost else 2
        return bills
    for number in range(NESTS_FOR_AN_EGG + 1):  # three nest cards, so many of them by a pair of terrains each
        bills[number, PAIRS[cost - TERRAINS]] = number
        bills[number, cost] = NESTS_FOR_AN_EGG - number
    return bills


def _tile_counts(components: Table, terrains: list[str], nests: list[str]) -> list[int]:
    """How many tiles there are of each kind; a kind's own key in the table ``tiles``, as ``"sand/leaves"``, goes before ``each_kind``."""
    each = components.integer("each_kind", 0, TILES)
    counts = [each] * KINDS
    if "tiles" in components:
        own = components.table("tiles")
        for kind in range(KINDS):
            key = f"{terrains[kind // TERRAINS]}/{nests[kind % TERRAINS]}"
            if key in own:
                counts[kind] = own.integer(key, 0, TILES)
        own.close()
    if sum(counts) != TILES:
        raise components.fail("each_kind", f"there are {sum(counts)} tiles in all; there must be {TILES}")
    return counts


def _conditions(components: Table, terrains: list[str]) -> npt.NDArray[np.int8]:
    """What each card asks by day and by night: int8 ``(13, 2, 2)``, a condition and its number."""
    result = np.zeros((CARDS, SHOWN, 2), np.int8)
    for number, card in enumerate(components.tables("day_night", CARDS)):
        for face, name in enumerate(FACES):
            result[number, face] = _condition(card, name, terrains)
            same = np.flatnonzero((result[:number, face] == result[number, face]).all(1))
            if same.size:
                raise card.fail(
                    name,
                    f"is {card.text(name)!r}, as on card {same[0]}; no condition may stand twice in one orientation",
                )
        card.close()
    return result


def _condition(card: Table, key: str, terrains: list[str]) -> tuple[int, int]:
    text = card.text(key)
    word, _, rest = text.partition(" ")
    rule = (
        f"a condition: terrain or touches and one of {', '.join(terrains)}; level_min or level_max and a number in 1 … {_HIGHEST}; "
        "or one of coastal, inland, touches_own, touches_no_own, touches_egg, touches_no_egg, peak, hollow"
    )
    if word in CONDITIONS:
        asked = CONDITIONS.index(word)
        if asked in (TERRAIN, TOUCHES):
            if rest in terrains:
                return asked, terrains.index(rest)
        elif asked in (LEVEL_MIN, LEVEL_MAX):
            if rest.isascii() and rest.isdigit() and 1 <= int(rest) <= _HIGHEST:
                return asked, int(rest)
        elif not rest:
            return asked, 0
    raise card.fail(key, f"is {text!r}; it must be {rule}")

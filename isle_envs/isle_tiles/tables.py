"""From a component file to the tables that the rules look things up in."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.core.records import for_kernels
from isle_envs.isle_tiles.board import neighbour_sets, number_spaces, under
from isle_envs.isle_tiles.state import (
    CANVAS,
    CANVAS_CENTRE,
    LANDSCAPES,
    NOWHERE,
    PART_REACH,
    PART_SPACES,
    PARTS,
    SPACES,
    TABLES,
    TILES,
)

Cell = tuple[int, int]
"""(q, r): axial coordinates on hexes, column and row on squares."""

KIND_OF: dict[Cell, int] = {
    pair: kind for kind, pair in enumerate((a, b) for a in range(LANDSCAPES) for b in range(a, LANDSCAPES))
}
"""The number of a tile kind by its landscapes, the lower first."""
LANDSCAPES_OF: list[Cell] = list(KIND_OF)
HEX_REACH, SQUARE_REACH = 2, PART_REACH  # how far a part's spaces may lie from its reference space


def build_tables(components: Table, num_players: int, reward: str, board: str, tasks: str) -> npt.NDArray[Any]:
    """The tables, a structured array ``(1,)``.

    Raises:
        ComponentError: the file does not hold 50 tiles, four parts of 15 spaces, and 60 connected spaces, or has unknown or missing keys.
        ValueError: a draft on squares.
    """
    hexes = components.choice("grid", ("hex", "square")) == "hex"
    landscapes = components.words("landscapes", LANDSCAPES)
    counts = _tile_counts(components.table("tiles"), landscapes)
    layouts = components.table("layouts")
    first_game = layouts.table("first_game")
    for grid in ("hex", "square"):
        if grid in first_game:
            first_game.text(grid)
    parts = _cut(first_game, "hex" if hexes else "square", hexes)
    for table in (first_game, layouts, components):
        table.close()
    if board == "draft" and not hexes:
        raise ValueError("isle_tiles, option 'board': a draft needs hexes; the component file says grid = \"square\"")

    record = np.zeros(1, TABLES)
    tables = record.view(np.recarray)[0]
    tables.num_players = num_players
    tables.hexes = hexes
    tables.fixed_layout = board == "first_game"
    tables.draft = board == "draft"
    tables.random_tasks = tasks == "random"
    tables.margin = reward == "margin"
    tables.tile_count[:] = counts
    tables.tile[:] = LANDSCAPES_OF
    tables.directions = 6 if hexes else 4
    tables.below_direction[:] = (4, 5) if hexes else (3, 5)  # on squares nothing lies that way
    tables.part_reach = HEX_REACH if hexes else SQUARE_REACH
    tables.reach = (PARTS - 1) * (2 * tables.part_reach + 1)
    _fill_parts(tables, parts, hexes)
    canvas = np.zeros(CANVAS, np.uint64)
    middle_q, middle_r = _middle([cell for part in parts for cell in part])
    for part in parts:
        for q, r in part:
            canvas[r - middle_r + CANVAS_CENTRE] |= np.uint64(1 << (q - middle_q + CANVAS_CENTRE))
    board_record = for_kernels(record)[0]["board"]
    number_spaces(canvas, hexes, board_record)
    tables.near[:] = neighbour_sets(board_record)
    _fill_steps(tables, board_record)
    return record


def _tile_counts(table: Table, landscapes: list[str]) -> list[int]:
    """How many tiles there are of each kind; a pair's own key, as ``"lava/ice"``, goes before the general ones."""
    mixed = table.integer("each_mixed_pair", 0, TILES)
    double = table.integer("each_double", 0, TILES)
    counts = []
    for a, b in LANDSCAPES_OF:
        key = f"{landscapes[a]}/{landscapes[b]}"
        counts.append(table.integer(key, 0, TILES) if key in table else double if a == b else mixed)
    table.close()
    if sum(counts) != TILES:
        raise table.fail("", f"there are {sum(counts)} tiles; there must be {TILES}")
    return counts


def _cut(table: Table, key: str, hexes: bool) -> list[list[Cell]]:
    """The four parts of a drawn layout: digits are spaces, dots and blanks are none."""
    cells: dict[Cell, int] = {}
    parity: int | None = None
    for r, line in enumerate(table.text(key).strip("\n").split("\n")):
        for x, mark in enumerate(line.rstrip()):
            if mark in " .":
                continue
            if mark not in "0123":
                raise table.fail(
                    key,
                    f"line {r + 1} has {mark!r}; a space is a part's digit 0, 1, 2 or 3, and no space is '.' or blank",
                )
            if parity is None:
                parity = (x - r) % 2 if hexes else x % 2
            if ((x - r) if hexes else x) % 2 != parity:
                raise table.fail(
                    key,
                    f"line {r + 1} has a space at character {x + 1}, off the grid; neighbours in a row stand two characters apart",
                )
            cells[(x - r - parity) // 2 if hexes else (x - parity) // 2, r] = int(mark)
    parts = [
        sorted((cell for cell in cells if cells[cell] == number), key=lambda c: (c[1], c[0])) for number in range(PARTS)
    ]
    for number, part in enumerate(parts):
        if len(part) != PART_SPACES:
            raise table.fail(key, f"part {number} has {len(part)} spaces; it must have {PART_SPACES}")
        if not _connected(part, hexes):
            raise table.fail(key, f"part {number} is not connected")
        reach = max(_distance(cell, reference(part, hexes), hexes) for cell in part)
        most = HEX_REACH if hexes else SQUARE_REACH
        if reach > most:
            raise table.fail(
                key, f"part {number} has a space {reach} steps from its reference space; {most} is the most"
            )
    if not _connected(list(cells), hexes):
        raise table.fail(key, f"the {SPACES} spaces are not connected")
    return parts


def _distance(a: Cell, b: Cell, hexes: bool) -> int:
    q, r = a[0] - b[0], a[1] - b[1]
    return max(abs(q), abs(r), abs(q + r)) if hexes else abs(q) + abs(r)


def _connected(cells: list[Cell], hexes: bool) -> bool:
    left = set(cells[1:])
    edge = cells[:1]
    while edge:
        here = edge.pop()
        found = [cell for cell in left if _distance(here, cell, hexes) == 1]
        left.difference_update(found)
        edge += found
    return not left


def _middle(cells: list[Cell]) -> Cell:
    """The middle of the cells' bounding box, so that a layout fits on the canvas."""
    columns, rows = [q for q, _ in cells], [r for _, r in cells]
    return (min(columns) + max(columns)) // 2, (min(rows) + max(rows)) // 2


def reference(part: list[Cell], hexes: bool) -> Cell:
    """A part's reference space: smallest greatest distance to the others, smallest sum of distances, lowest row and column."""

    def key(cell: Cell) -> tuple[int, int, int, int]:
        distances = [_distance(cell, other, hexes) for other in part]
        return max(distances), sum(distances), cell[1], cell[0]

    return min(part, key=key)


def _fill_parts(tables: Any, parts: list[list[Cell]], hexes: bool) -> None:
    for number, part in enumerate(parts):
        q0, r0 = reference(part, hexes)
        shape = [(q - q0, r - r0) for q, r in part]
        seen: list[list[Cell]] = []
        for turn in range(6 if hexes else 4):
            left, top = min(q for q, _ in shape), min(r for _, r in shape)
            outline = sorted((q - left, r - top) for q, r in shape)
            tables.part_turns[number, turn] = outline not in seen
            seen.append(outline)
            for q, r in shape:
                tables.part_row[number, turn, r + PART_REACH] |= np.uint64(1 << (q + PART_REACH))
            shape = [(-r, q + r) if hexes else (-r, q) for q, r in shape]  # clockwise, rows growing downwards


def _fill_steps(tables: Any, board: Any) -> None:
    found: dict[int, list[int]] = {}
    for space in range(SPACES):
        for k in range(2):
            neighbour = int(under(board, space, k))
            if neighbour != NOWHERE:
                found.setdefault(neighbour - space, [0, 0])[k] |= 1 << space
    tables.steps = len(found)
    for place, (step, stepping) in enumerate(found.items()):
        tables.step[place] = step
        tables.stepping[place] = stepping

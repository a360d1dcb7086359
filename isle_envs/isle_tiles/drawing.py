"""Isle Tiles as text that a person can play a whole game with, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.isle_tiles.description import HIDDEN
from isle_envs.isle_tiles.state import DRAFT_CENTRE, DRAFT_SIZE, MARKERS, PART_REACH
from isle_envs.isle_tiles.tasks import CARD_NAMES, PREDETERMINED

Cell = tuple[int, int]
"""(q, r): axial coordinates on hexes, column and row on squares."""

WATER_SIGN = "~"
SEATS = "abcd"  # the owners of markers
WIDTH = 100
_DISK = [(q, r) for q in range(-3, 4) for r in range(-3, 4) if abs(q + r) <= 3]  # a new reference space lies that near
WIDEST = 16  # columns of a board that fit side by side with six characters each

# What each card asks its owner to have, in our words; the rulebook's are in its "Overview of the Task Cards".
CARD_TEXTS = (
    "an area of 5 or more spaces",
    "an area of each landscape",
    "an area with 3 spaces of one height, 2 or more",
    "an area that does not touch water",
    "an area with a space of height 3 or more beside water",
    "an area that touches 4 or more areas",
    "an area with 2 adjacent spaces 3 or more levels apart",
    "an area with 3 or more different heights",
    "an area with 3 of your markers at different heights",
    "4 or more areas",
    "an area that touches 2 or more areas of one landscape",
    "2 areas of equal size, 3 or more spaces each",
    "a marker at height 4 or more",
    "2 areas of one landscape, 5 or more steps apart",
    "the largest and the smallest area of one landscape",
    "an area that touches no area of another player",
    "an area of 3 or more spaces of a landscape shown here",
    "an area with your markers 1, 2 and 3",
    "2 adjacent spaces in 2 areas, 3 or more levels apart",
    "4 markers on one straight line",
)

_ASKS = {
    "part": "which board part to lay",
    "turn": "how to turn the board part",
    "row": "the row of the board part's reference space",
    "column": "the column of the board part's reference space",
    "task": "take a task card or not",
    "place": "place the tile",
    "marker": "place a marker or be done",
}


def draw(
    view: Mapping[str, Any],
    landscapes: Sequence[str],
    scores: Sequence[int],
    ranks: Sequence[int],
    part_row: npt.NDArray[np.uint64],
) -> str:
    """A picture of a position.

    Args:
        view: a description, or a seat's view of it.
        landscapes: the landscapes' names.
        scores: each player's score as the game stands.
        ranks: each player's rank, all 0 before the end.
        part_row: the board parts' shapes, see ``part_row`` of the tables.
    """
    letters = _letters(landscapes)
    lines = [_title(view, ranks), ""]
    if view["spaces"]:
        lines += [*_board(view, letters), "", *_legend(landscapes, letters)]
    else:
        lines += _draft(view, part_row)
    lines += ["", *_players(view, scores, letters), *_tasks(view, letters), *_supply(view, letters)]
    return "\n".join(line.rstrip() for line in lines)


def _letters(landscapes: Sequence[str]) -> list[str]:
    """A letter for each landscape, out of its name, or its number where no letter of its own is left."""
    letters: list[str] = []
    for number, name in enumerate(landscapes):
        letters.append(next((c for c in name.upper() if c.isalpha() and c not in letters), str(number)))
    return letters


def _title(view: Mapping[str, Any], ranks: Sequence[int]) -> str:
    if view["phase"] == "over":
        winner = ranks.index(1)
        return f"Isle Tiles: the game is over, player_{winner} ({SEATS[winner]}) has won"
    seat = view["current_player"]
    last = view["last_turns"]
    rest = "" if last is None else f"; last round, {last} turn{'s' * (last != 1)} left"
    return f"Isle Tiles: player_{seat} ({SEATS[seat]}) is to decide: {_ASKS[view['phase']]}{rest}"


def _tile(tile: Any, letters: Sequence[str]) -> str:
    if tile is None:
        return "none"
    return HIDDEN if tile == HIDDEN else f"{letters[tile[0]]}/{letters[tile[1]]}"


# ------------------------------------------------------------------------------------------------------------- Board


def _x(cell: Cell, hexes: bool) -> int:
    """Where a cell lies from left to right, in halves of a cell."""
    return 2 * cell[0] + (cell[1] if hexes else 0)


def _board(view: Mapping[str, Any], letters: Sequence[str]) -> list[str]:
    """Every space with its number, ``*`` if the tile just placed covers it, and below landscape, height and marker."""
    placed = view["placed"]["spaces"] if view["placed"] else []
    hexes = view["grid"] == "hex"
    cells: dict[Cell, list[str]] = {}
    for number, space in enumerate(view["spaces"]):
        ground, marker = WATER_SIGN, ""
        if space["landscape"] is not None:
            ground = f"{letters[space['landscape']]}{space['height']}"
        if space["marker"]:
            marker = f"{SEATS[space['marker']['seat']]}{space['marker']['value']}"
        cells[space["q"], space["r"]] = [f"{number}{'*' * (number in placed)}", ground, marker]
    across = [_x(cell, hexes) for cell in cells]
    if max(across) - min(across) >= 2 * WIDEST:  # a narrow board in three lines a row
        return _grid(cells, 4, hexes)
    return _grid({cell: [number, ground + marker] for cell, (number, ground, marker) in cells.items()}, 6, hexes)


def _grid(cells: Mapping[Cell, Sequence[str]], width: int, hexes: bool, rows: bool = False) -> list[str]:
    """Cells of ``width`` characters, an even number, on a grid; on hexes each row is shifted by half a cell.

    ``rows``: with each row's number in front, counted as in the draft.
    """
    left = min(_x(cell, hexes) for cell in cells)
    lines = []
    for r in range(min(r for _, r in cells), max(r for _, r in cells) + 1):
        row = sorted((_x(cell, hexes) - left, texts) for cell, texts in cells.items() if cell[1] == r)
        for k in range(len(next(iter(cells.values())))):
            line = ""
            for x, texts in row:
                line = line.ljust(x * width // 2) + texts[k]
            lines.append(f"{f'row {r + DRAFT_CENTRE}':8}{line}" if rows else line)
    return lines


def _legend(landscapes: Sequence[str], letters: Sequence[str]) -> list[str]:
    named = ", ".join(f"{letter} {name}" for letter, name in zip(letters, landscapes, strict=True))
    return wrap(f"space number over landscape, height, marker: {named}, {WATER_SIGN} water", WIDTH)


# ------------------------------------------------------------------------------------------------------------- Draft


def _shape(part_row: npt.NDArray[np.uint64], part: int, turn: int) -> list[Cell]:
    """A board part's spaces from its reference space."""
    rows = [int(bits) for bits in part_row[part, turn]]
    reach = range(-PART_REACH, PART_REACH + 1)
    return [(q, r) for r in reach for q in reach if rows[r + PART_REACH] >> (q + PART_REACH) & 1]


def _draft(view: Mapping[str, Any], part_row: npt.NDArray[np.uint64]) -> list[str]:
    """The canvas around the parts laid, and the parts still to be laid."""
    parts = view["parts"]
    laid: dict[Cell, str] = {}
    for lay in parts["laid"]:
        q0, r0 = lay["column"] - DRAFT_CENTRE, lay["row"] - DRAFT_CENTRE
        for q, r in _shape(part_row, lay["part"], lay["turn"]):
            laid[q0 + q, r0 + r] = f"<{lay['part']}>"
    canvas = range(-DRAFT_CENTRE, DRAFT_SIZE - DRAFT_CENTRE)
    around = {(q + a, r + b) for q, r in laid for a, b in _DISK}
    cells = {(q, r): [f"{q + DRAFT_CENTRE:2}"] for q, r in around if q in canvas and r in canvas}
    cells |= {cell: [text] for cell, text in laid.items()}
    lines = ["<n>: a space of board part n; else a cell's column. Each row is shifted by half a cell.", ""]
    lines += [*_grid(cells, 4, True, rows=True), ""]
    chosen = parts["chosen"]
    if chosen["part"] is None:
        players = view["num_players"]
        done = [lay["part"] for lay in parts["laid"]]
        shapes = {
            f"part {part} of player_{k % players}": _shape(part_row, part, 0)
            for k, part in enumerate(parts["order"])
            if part not in done
        }
    else:
        turns = range(6) if chosen["turn"] is None else [chosen["turn"]]
        shapes = {f"part {chosen['part']} turn {turn}": _shape(part_row, chosen["part"], turn) for turn in turns}
    row = "" if chosen["row"] is None else f", its reference space in row {chosen['row']}"
    lines.append(f"to be laid{row} (@: the reference space; a turn is a sixth clockwise):")
    return lines + _side_by_side(shapes)


def _side_by_side(shapes: Mapping[str, Sequence[Cell]]) -> list[str]:
    """Small pictures of board parts, as many in a line as fit."""
    blocks = []
    for name, shape in shapes.items():
        picture = _grid({cell: ["@" if cell == (0, 0) else "#"] for cell in shape}, 2, True)
        blocks.append([f"{name}:", *picture])
    width = max(len(line) for block in blocks for line in block) + 3
    fit = WIDTH // width
    lines = []
    for start in range(0, len(blocks), fit):
        together = blocks[start : start + fit]
        lines += ["".join(text.ljust(width) for text in line) for line in zip_longest(*together, fillvalue="")]
    return lines


# ---------------------------------------------------------------------------------------------------- Beside the board


def _players(view: Mapping[str, Any], scores: Sequence[int], letters: Sequence[str]) -> list[str]:
    used = {(space["marker"]["seat"], space["marker"]["value"]) for space in view["spaces"] if space["marker"]}
    lines = [f"{'player':14}{'score':11}{'markers left':15}{'hand':9}set aside"]
    for seat in range(view["num_players"]):
        turn = ">" if seat == view["current_player"] else " "
        score = f"{scores[seat]}{'' if view['scores'][seat] is None else ' noted'}"
        left = " ".join(str(value) for value in range(1, MARKERS + 1) if (seat, value) not in used) or "none"
        aside = view["set_aside"][seat]
        tiles = str(aside) if isinstance(aside, int) else " ".join(_tile(tile, letters) for tile in aside) or "0"
        hand = _tile(view["hands"][seat], letters)
        lines.append(f"{turn} {SEATS[seat]} player_{seat:<3}{score:11}{left:15}{hand:9}{tiles}")
    return [*lines, ""]


def _tasks(view: Mapping[str, Any], letters: Sequence[str]) -> list[str]:
    if not view["tasks"]:
        return ["The task cards are drawn when the board lies."]
    lines = []
    for slot, task in enumerate(view["tasks"]):
        taken = "open" if task["taken_by"] is None else f"taken by {SEATS[task['taken_by']]}"
        name, text = CARD_NAMES[task["card"] - 1], CARD_TEXTS[task["card"] - 1]
        shown = ""
        if task["card"] == PREDETERMINED:
            shown = f": {_tile(view['removed'][view['shown']], letters)}"
        lines.append(f"task {slot}, {taken + ':':12}{name}: {text}{shown}")
    return lines


def _supply(view: Mapping[str, Any], letters: Sequence[str]) -> list[str]:
    supply = view["supply"]
    if isinstance(supply, int):
        lines = [f"tiles to draw: {supply}"]
    else:
        few = 12
        tiles = [_tile(tile, letters) for tile in supply[:few]] + ["…"] * (len(supply) > few)
        lines = [f"tiles to draw: {len(supply)}{', next: ' if tiles else ''}{' '.join(tiles)}"]
        lines.append("put aside at setup: " + " ".join(_tile(tile, letters) for tile in view["removed"]))
    placed = view["placed"]
    if placed:
        first, second = placed["spaces"]
        used = f"; marker {placed['used']} used" if placed["used"] else ""
        halves = "second half" if placed["half"] else "first or second half"
        lines.append(f"tile just placed: first half on {first}, second on {second}{used}; next marker: {halves}")
    return lines

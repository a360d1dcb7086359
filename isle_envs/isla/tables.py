"""From a component file to the tables that the rules look things up in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.core.errors import unknown
from isle_envs.isla.actions import SWAPS
from isle_envs.isla.state import (
    BAN,
    DICE,
    DISCARD_POOL,
    EFFECTS,
    EXHAUST,
    EXIT_PLANE,
    EXPLORED,
    FREE_PLANE,
    HIGHLIGHTS,
    HOLDING,
    KEEP,
    KIND_WORDS,
    KINDS,
    LEFT,
    LONGEST,
    LOSE,
    MOST_CARDS,
    MOST_KEEPERS,
    MOST_POINTS,
    MOST_ROUNDS,
    MOST_SIDES,
    MOST_SYMBOLS,
    MOST_THREATS,
    MOST_TOKENS,
    MOST_TRACK,
    MOVE,
    NO_CELL,
    NONE,
    NOTHING,
    NOW,
    PLACE,
    POINTS,
    POOL,
    REFRESH,
    RESEARCHED,
    SEA_PLANE,
    SLOW,
    SPECIES,
    START_PLANE,
    TABLES,
    TERRAINS,
    THIS_ROUND,
    TIMES,
    UNEXPLORED,
)

TERRAIN_LETTERS = "MJSBC"
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west
EFFECTS_OF = {
    NOW: (EXHAUST, REFRESH, LOSE, DISCARD_POOL),
    THIS_ROUND: (BAN, SLOW),
    KEEP: (BAN, SLOW, POINTS, EXPLORED, UNEXPLORED, HOLDING, RESEARCHED),
}
KEEPER_ACTIONS = {
    "move": MOVE,
    "nothing": NOTHING,
    "exhaust": EXHAUST,
    "lose": LOSE,
    "discard_pool": DISCARD_POOL,
    "place": PLACE,
}
RECOMMENDED, RANDOM = "recommended", "random"


def build_tables(
    components: Table, num_players: int, reward: str, threat_per_one: bool, keeper: str
) -> npt.NDArray[Any]:
    """The tables, a structured array ``(1,)``, but for the actions' numbers.

    Raises:
        ComponentError: the file passes a limit stated at its head, has unknown or missing keys, or a map that a boulder could cut in two.
        ValueError: there is no such keeper.
    """
    record = np.zeros(1, TABLES)
    tables = record.view(np.recarray)[0]
    tables.num_players = num_players
    tables.solo = num_players == 1
    tables.margin = reward == "margin"
    tables.threat_per_one = threat_per_one
    components.choice("status", ("reconstructed", "original"))
    components.text("name")

    dice = components.table("dice")
    sides = dice.integers("sides", DICE, DICE, 2, MOST_SIDES)
    if sides != sorted(set(sides)):
        raise dice.fail("sides", f"is {sides}; it must be ascending: the dice from left to right on the sheet")
    tables.sides[:] = sides
    tables.die_points[:] = dice.integers("points", DICE, DICE, 0, MOST_POINTS)
    dice.close()

    tokens = components.table("tokens")
    counts = [tokens.integer(kind, 0, MOST_TOKENS) for kind in KIND_WORDS]
    if sum(counts[:SPECIES]) != MOST_TOKENS or counts[SPECIES:] != [1, 1]:
        raise tokens.fail(
            "", f"is {tokens.data}; it must be {MOST_TOKENS} flora, fauna and fossil together, 1 rest and 1 boulder"
        )
    tables.token_count[:] = counts
    tables.token[:] = np.repeat(np.arange(KINDS), counts)
    tokens.close()

    limits = components.table("limits")
    tables.round_limit = limits.integer("round_limit", 1, MOST_ROUNDS)
    limits.close()

    _read_map(components.table("map"), tables, sides)

    track = components.table("exit_track")
    points = track.integers("points", 1, MOST_TRACK, 0, MOST_POINTS)
    tables.track_length = len(points)
    tables.track[1 : len(points) + 1] = points
    track.close()

    symbols = _read_research(components.table("research"), tables)
    _read_threats(components, tables, sides)
    names, recommended = _read_keepers(components, tables, sides, symbols)
    if keeper == RANDOM or not tables.solo:
        tables.keeper = NONE
    elif keeper == RECOMMENDED:
        tables.keeper = recommended
    elif keeper in names:
        tables.keeper = names.index(keeper)
    else:
        raise ValueError(f"isla, option 'keeper': {unknown('keeper', keeper, [RECOMMENDED, RANDOM, *names])}")
    read_bands(components)
    components.close()
    tables.swap[:] = SWAPS
    return record


def read_bands(components: Table) -> list[tuple[int | None, str]]:
    """The solo score bands: from which score each holds (the first: None, any lower one), and its words."""
    bands: list[tuple[int | None, str]] = []
    for number, band in enumerate(components.tables("band", 1, 16)):
        start = band.integer("from", -999, 999) if number else None
        last = bands[-1][0] if bands else None
        if start is not None and last is not None and start <= last:
            raise band.fail("from", f"is {start}; it must be above {last}, the band before")
        bands.append((start, band.text("text")))
        band.close()
    return bands


def _read_map(drawings: Table, tables: np.record, sides: Sequence[int]) -> None:
    terrain, icons, marks = (drawings.rows(key, LONGEST) for key in ("terrain", "icons", "marks"))
    rows, columns = len(terrain), len(terrain[0])
    tables.rows, tables.columns = rows, columns
    for arrays in (tables.terrain, tables.icon, tables.highlight_at):
        arrays[:] = NONE
    tables.near[:] = NO_CELL
    size = rows * columns
    planes = tables.planes[: (FREE_PLANE + 1) * size].reshape(-1, size)
    highlights: list[int] = []
    found: dict[str, list[int]] = {"s": [], "x": []}
    words = {str(n): die for die, n in enumerate(sides)}
    for key, drawing in (("icons", icons), ("marks", marks)):
        if (len(drawing), len(drawing[0])) != (rows, columns):
            raise drawings.fail(
                key, f"has {len(drawing)} × {len(drawing[0])} cells; it must have {rows} × {columns}, as terrain"
            )
    for cell in range(size):
        row, column = divmod(cell, columns)
        tables.row[cell], tables.column[cell] = row, column
        kind = _read_item(drawings, "terrain", terrain, row, column, [*TERRAIN_LETTERS, "."])
        if kind == ".":
            for key, drawing in (("icons", icons), ("marks", marks)):
                if drawing[row][column] != ".":
                    raise drawings.fail(
                        f"{key}[{row}]",
                        f"has {drawing[row][column]!r} in column {column}; terrain has no space there, so it must be '.'",
                    )
            planes[SEA_PLANE, cell] = 1
            continue
        tables.terrain[cell] = TERRAIN_LETTERS.index(kind)
        tables.terrain_spaces[tables.terrain[cell], cell // 64] |= np.uint64(1 << cell % 64)
        planes[tables.terrain[cell], cell] = 1
        tables.spaces += 1
        planes[FREE_PLANE, cell] = 1
        icon = _read_item(drawings, "icons", icons, row, column, ["-", *words])
        if icon != "-":
            tables.icon[cell] = words[icon]
            tables.refreshed[cell] = 1 << words[icon]
            planes[TERRAINS + words[icon], cell] = 1
        mark = _read_item(drawings, "marks", marks, row, column, [*"-osx"])
        if mark == "o":
            highlights.append(cell)
        elif mark != "-":
            found[mark].append(cell)
            planes[START_PLANE if mark == "s" else EXIT_PLANE, cell] = 1
        for direction, (down, right) in enumerate(STEPS):
            r, c = row + down, column + right
            if 0 <= r < rows and 0 <= c < columns and terrain[r][c] != ".":
                tables.near[cell, direction] = r * columns + c
    if len(highlights) != HIGHLIGHTS:
        raise drawings.fail("marks", f"has {len(highlights)} highlight spaces 'o'; there must be {HIGHLIGHTS}")
    for mark, name in (("s", "start"), ("x", "exit")):
        if len(found[mark]) != 1:
            raise drawings.fail("marks", f"has {len(found[mark])} {name} spaces {mark!r}; there must be 1")
    tables.start, tables.exit = found["s"][0], found["x"][0]
    tables.highlight[:] = highlights
    tables.highlight_at[highlights] = range(HIGHLIGHTS)
    for boulder in (NONE, *highlights):
        if _reached(tables, boulder) != tables.spaces - (boulder != NONE):
            cut = "" if boulder == NONE else f" with a boulder in row {boulder // columns}, column {boulder % columns}"
            raise drawings.fail("terrain", f"falls into parts{cut}; every space must be reached from the start")
    drawings.close()


def _read_item(drawings: Table, key: str, drawing: list[list[str]], row: int, column: int, valid: Sequence[str]) -> str:
    """The item of a drawing in a cell, one of the valid ones."""
    item = drawing[row][column]
    if item not in valid:
        raise drawings.fail(f"{key}[{row}]", f"has {item!r} in column {column}; it must be one of {', '.join(valid)}")
    return item


def _reached(tables: np.record, boulder: int) -> int:
    """How many spaces can be reached from the start, itself included."""
    seen, rest = {int(tables.start)}, [int(tables.start)]
    while rest:
        for near in map(int, tables.near[rest.pop()]):
            if near not in (NO_CELL, boulder) and near not in seen:
                seen.add(near)
                rest.append(near)
    return len(seen)


def _read_research(research: Table, tables: np.record) -> list[str]:
    """The cards; returns the symbols."""
    symbols = research.words("symbols", 1, MOST_SYMBOLS)
    tables.symbols = len(symbols)
    research.integer("pool", POOL, POOL)
    cards = research.tables("cards", POOL, MOST_CARDS)
    tables.cards = len(cards)
    for number, card in enumerate(cards):
        card.text("name")
        tables.cost[number] = [card.integer(kind, 0, MOST_TOKENS) for kind in KIND_WORDS[:SPECIES]]
        if not tables.cost[number].any():
            raise card.fail("flora", "is 0, as fauna and fossil are; a card must cost at least one token")
        tables.points[number] = card.integer("points", 0, MOST_POINTS)
        tables.symbol[number] = symbols.index(card.choice("symbol", symbols))
        tables.symbol_cards[tables.symbol[number]] |= np.uint64(1 << number)
        card.close()
    boosts = sorted(set(map(int, tables.points[: len(cards)])))
    tables.boosts = len(boosts)
    tables.boost[: len(boosts)] = boosts
    tables.boost_index[boosts] = range(len(boosts))
    research.close()
    return symbols


def _read_threats(components: Table, tables: np.record, sides: Sequence[int]) -> None:
    names: list[str] = []
    threats = components.tables("threat", 1, MOST_THREATS)
    tables.threats = len(threats)
    copies = 0
    for number, threat in enumerate(threats):
        entry = tables.threat[number]
        names.append(_new_name(threat, names))
        entry.copies = threat.integer("copies", 1, MOST_THREATS)
        copies += int(entry.copies)
        entry.time = TIMES.index(threat.choice("time", TIMES))
        effect = EFFECTS.index(threat.choice("effect", [EFFECTS[e] for e in EFFECTS_OF[int(entry.time)]]))
        entry.effect = effect
        entry.what = NONE
        if effect in (EXHAUST, REFRESH):
            entry.what = _read_die(threat, sides, True)
        elif effect == BAN:
            entry.what = _read_die(threat, sides, False)
        elif effect == LOSE:
            entry.what = KIND_WORDS.index(threat.choice("kind", KIND_WORDS[:SPECIES]))
        elif effect == HOLDING:
            kinds = (*KIND_WORDS[:SPECIES], "any")
            entry.what = kinds.index(threat.choice("kind", kinds))
        elif effect in (EXPLORED, UNEXPLORED):
            entry.what = TERRAIN_LETTERS.index(threat.choice("terrain", TERRAIN_LETTERS))
        if effect == SLOW:
            entry.amount = threat.integer("amount", 1, MOST_POINTS)
        elif effect in (POINTS, EXPLORED, UNEXPLORED, HOLDING, RESEARCHED):
            entry.amount = threat.integer("amount", -MOST_POINTS, MOST_POINTS)
        if entry.time == THIS_ROUND:
            entry.everyone = threat.choice("who", ("self", "all")) == "all"
        if effect == BAN:
            tables.ban_threats |= np.uint64(1 << number)
        if effect == SLOW:
            tables.slow_threats |= np.uint64(1 << number)
        threat.close()
    if copies > MOST_THREATS:
        raise components.fail("threat", f"has {copies} cards in all; at most {MOST_THREATS} are possible")
    tables.threat_cards = copies
    tables.threat_deck[:copies] = np.repeat(np.arange(len(threats)), tables.threat["copies"][: len(threats)])


def _new_name(table: Table, names: Sequence[str]) -> str:
    name = table.text("name")
    if name in names:
        raise table.fail("name", f"is {name!r}, as an entry before; names must differ")
    return name


def _read_die(table: Table, sides: Sequence[int], ends: bool) -> int:
    """The die that the key ``die`` names by its sides or, if ``ends``, by its place among those in question."""
    value = table.data.get("die")
    if ends and value in ("left", "right"):
        table.choice("die", ("left", "right"))
        return LEFT + ("left", "right").index(value)
    if "die" not in table or not isinstance(value, int) or isinstance(value, bool) or value not in sides:
        more = ', "left", "right"' if ends else ""
        given = f"is {value!r}" if "die" in table else "is missing"
        raise table.fail("die", f"{given}; it must be one of {', '.join(map(str, sides))}{more}")
    return list(sides).index(value)


def _read_keepers(
    components: Table, tables: np.record, sides: Sequence[int], symbols: Sequence[str]
) -> tuple[list[str], int]:
    """The keepers; returns their names, and which one is recommended."""
    names: list[str] = []
    recommended: list[int] = []
    keepers = components.tables("keeper", 1, MOST_KEEPERS)
    tables.keepers = len(keepers)
    for number, keeper in enumerate(keepers):
        names.append(_new_name(keeper, names))
        if names[-1] in (RECOMMENDED, RANDOM):
            raise keeper.fail("name", f"is {names[-1]!r}, which is the option's own word")
        keeper.text("level")
        if keeper.boolean("recommended"):
            recommended.append(number)
        start = _read_cell(keeper, "start", tables)
        if start == tables.start:
            raise keeper.fail("start", "is the explorer's start space; a keeper must start elsewhere")
        tables.keeper_start[number] = start
        actions = keeper.table("actions")
        for symbol, word in enumerate(symbols):
            _read_action(actions.table(word), tables, tables.keeper_action[number, symbol], sides)
        actions.close()
        keeper.close()
    if len(recommended) != 1:
        raise components.fail("keeper", f"has {len(recommended)} recommended keepers; there must be 1")
    return names, recommended[0]


def _read_action(action: Table, tables: np.record, entry: np.record, sides: Sequence[int]) -> None:
    kind = KEEPER_ACTIONS[action.choice("action", list(KEEPER_ACTIONS))]
    entry.action, entry.what, entry.space = kind, NONE, NO_CELL
    if kind == MOVE:
        entry.column_first = action.choice("first", ("column", "row")) == "column"
        if "die" in action and "steps" in action:
            raise action.fail("steps", "stands beside die; a move has one of them")
        if "die" in action:
            entry.what = _read_die(action, sides, False)
        else:
            entry.steps = action.integer("steps", 1, 2 * LONGEST)
    elif kind == EXHAUST:
        entry.what = _read_die(action, sides, True)
    elif kind == LOSE:
        entry.what = KIND_WORDS.index(action.choice("kind", KIND_WORDS[:SPECIES]))
    elif kind == PLACE:
        entry.space = _read_cell(action, "space", tables)
    action.close()


def _read_cell(table: Table, key: str, tables: np.record) -> int:
    """A cell of the full rectangle, as [row, column]."""
    row, column = table.integers(key, 2, 2, 0, LONGEST - 1)
    if row >= tables.rows or column >= tables.columns:
        raise table.fail(key, f"is {[row, column]}; the map has {tables.rows} × {tables.columns} cells")
    return row * int(tables.columns) + column

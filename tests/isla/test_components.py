"""Isla's component files: what is accepted, one clear error for each way to be wrong, and other maps, dice and keepers."""

from __future__ import annotations

import copy
import random
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.isla.game import Isla
from tests.isla.invariants import WAYS, play

TEXT = Isla.default_components.read_text("utf-8")
DEFAULT = tomllib.loads(TEXT)
GONE = object()


def own(**parts: Any) -> dict[str, Any]:
    """The game's own components, some parts of which are others."""
    return copy.deepcopy(DEFAULT) | parts


def put(path: str, value: Any) -> dict[str, Any]:
    """The game's own components with another value at a path such as ``threat.3.die``; GONE: without it."""
    components = own()
    part: Any = components
    *way, last = (int(key) if key.isdigit() else key for key in path.split("."))
    for key in way:
        part = part[key]
    if value is GONE:
        del part[last]
    else:
        part[last] = value
    return components


def drawn(name: str, row: int, old: str, new: str) -> tuple[str, str]:
    """A row of a drawing, in which the first ``old`` is ``new``: its path and the text."""
    text = DEFAULT["map"][name][row]
    assert old in text
    return f"map.{name}.{row}", text.replace(old, new, 1)


CARDS = "research.cards.5"
BAN, SLOW, HOLDING, LOSE_FLORA, SEA_FRET = 5, 4, 6, 11, 7  # threats: Blistered Hands, Twisted Ankle, Spoiled Samples, …
EXPLORED, EXHAUST, POINTS = 2, 10, 3

# (path, value, where the error is, what it says)
WRONG: list[tuple[str, Any, str, str]] = [
    # The file
    ("status", "published", "status", "is 'published'; it must be one of 'reconstructed', 'original'"),
    ("name", "  ", "name", "is empty; it must be a text"),
    ("name", GONE, "name", "is missing; it must be a text"),
    ("threats", [], "threats", "unknown key 'threats'. Did you mean 'threat'?"),
    # Dice and tokens
    ("dice", GONE, "dice", "is missing; it must be a table"),
    ("dice.sides", [4, 6, 8, 10], "dice.sides", "it must be a list of 5 whole numbers in 2 … 20"),
    ("dice.sides", [4, 6, 8, 10, 21], "dice.sides", "it must be a list of 5 whole numbers in 2 … 20"),
    ("dice.sides", [1, 6, 8, 10, 12], "dice.sides", "it must be a list of 5 whole numbers in 2 … 20"),
    ("dice.sides", [4, 6, 6, 10, 12], "dice.sides", "is [4, 6, 6, 10, 12]; it must be ascending"),
    ("dice.sides", [6, 4, 8, 10, 12], "dice.sides", "is [6, 4, 8, 10, 12]; it must be ascending"),
    ("dice.points", [1, 1, 2, 2, 17], "dice.points", "it must be a list of 5 whole numbers in 0 … 16"),
    ("dice.points", [1, 1, 2, 2, -1], "dice.points", "it must be a list of 5 whole numbers in 0 … 16"),
    ("dice.side", 4, "dice.side", "unknown key 'side'. Did you mean 'sides'?"),
    ("tokens.flora", 10, "tokens.flora", "is 10; it must be a whole number in 0 … 9"),
    ("tokens.flora", 5, "tokens", "it must be 9 flora, fauna and fossil together, 1 rest and 1 boulder"),
    ("tokens.rest", 2, "tokens", "it must be 9 flora, fauna and fossil together, 1 rest and 1 boulder"),
    ("tokens.boulder", 0, "tokens", "it must be 9 flora, fauna and fossil together, 1 rest and 1 boulder"),
    ("tokens.fossil", GONE, "tokens.fossil", "is missing; it must be a whole number in 0 … 9"),
    ("tokens.fossils", 2, "tokens.fossils", "unknown key 'fossils'. Did you mean 'fossil'?"),
    ("limits.round_limit", 0, "limits.round_limit", "is 0; it must be a whole number in 1 … 120"),
    ("limits.round_limit", 121, "limits.round_limit", "is 121; it must be a whole number in 1 … 120"),
    ("limits.rounds", 9, "limits.rounds", "unknown key 'rounds'"),
    # The map
    ("map.terrain", ["M"] * 13, "map.terrain", "it must be a list of 1 … 12 texts of equally many items, 1 … 12"),
    ("map.terrain", ["M " * 13], "map.terrain", "it must be a list of 1 … 12 texts of equally many items, 1 … 12"),
    ("map.terrain.2", "S S J", "map.terrain[2]", "has 3 items, row 0 has 8"),
    ("map.icons", ["- -"], "map.icons", "has 1 × 2 cells; it must have 8 × 8, as terrain"),
    ("map.marks", DEFAULT["map"]["marks"][:7], "map.marks", "has 7 × 8 cells; it must have 8 × 8, as terrain"),
    (*drawn("terrain", 3, "M", "R"), "map.terrain[3]", "has 'R' in column 5; it must be one of M, J, S, B, C, ."),
    (*drawn("terrain", 3, "M", "MJ"), "map.terrain[3]", "has 'MJ' in column 5; it must be one of M, J, S, B, C, ."),
    (
        *drawn("icons", 0, ".", "-"),
        "map.icons[0]",
        "has '-' in column 0; terrain has no space there, so it must be '.'",
    ),
    (*drawn("icons", 2, "12", "20"), "map.icons[2]", "has '20' in column 0; it must be one of -, 4, 6, 8, 10, 12"),
    (*drawn("icons", 2, "12", "."), "map.icons[2]", "has '.' in column 0; it must be one of -, 4, 6, 8, 10, 12"),
    (
        *drawn("marks", 0, ".", "o"),
        "map.marks[0]",
        "has 'o' in column 0; terrain has no space there, so it must be '.'",
    ),
    (*drawn("marks", 2, "o", "h"), "map.marks[2]", "has 'h' in column 1; it must be one of -, o, s, x"),
    (*drawn("marks", 2, "o", "ox"), "map.marks[2]", "has 'ox' in column 1; it must be one of -, o, s, x"),
    (*drawn("marks", 2, "o", "sx"), "map.marks[2]", "has 'sx' in column 1; it must be one of -, o, s, x"),
    (*drawn("marks", 2, "o", "-"), "map.marks", "has 10 highlight spaces 'o'; there must be 11"),
    (*drawn("marks", 3, "-", "o"), "map.marks", "has 12 highlight spaces 'o'; there must be 11"),
    (*drawn("marks", 7, "s", "-"), "map.marks", "has 0 start spaces 's'; there must be 1"),
    (*drawn("marks", 3, "-", "s"), "map.marks", "has 2 start spaces 's'; there must be 1"),
    (*drawn("marks", 0, "x", "-"), "map.marks", "has 0 exit spaces 'x'; there must be 1"),
    (*drawn("marks", 3, "-", "x"), "map.marks", "has 2 exit spaces 'x'; there must be 1"),
    ("map.mark", [], "map.mark", "unknown key 'mark'. Did you mean 'marks'?"),
    # Track and research
    ("exit_track.points", [], "exit_track.points", "it must be a list of 1 … 16 whole numbers in 0 … 16"),
    ("exit_track.points", [1] * 17, "exit_track.points", "it must be a list of 1 … 16 whole numbers in 0 … 16"),
    ("exit_track.points", [17], "exit_track.points", "is [17]; it must be a list of 1 … 16 whole numbers in 0 … 16"),
    ("exit_track.point", 1, "exit_track.point", "unknown key 'point'. Did you mean 'points'?"),
    ("research.symbols", [], "research.symbols", "it must be a list of 1 … 8 different words"),
    ("research.symbols", list("abcdefghi"), "research.symbols", "it must be a list of 1 … 8 different words"),
    ("research.symbols", ["sun", "sun"], "research.symbols", "it must be a list of 1 … 8 different words"),
    ("research.pool", 5, "research.pool", "is 5; it must be 4"),
    ("research.cards", DEFAULT["research"]["cards"][:3], "research.cards", "it must be a list of 4 … 64 tables"),
    ("research.cards", DEFAULT["research"]["cards"] * 2, "research.cards", "it must be a list of 4 … 64 tables"),
    ("research.card", 1, "research.card", "unknown key 'card'. Did you mean 'cards'?"),
    (f"{CARDS}.name", "", "research.cards[5].name", "is empty; it must be a text"),
    (f"{CARDS}.flora", 10, "research.cards[5].flora", "is 10; it must be a whole number in 0 … 9"),
    (f"{CARDS}.fauna", 0, "research.cards[5].flora", "a card must cost at least one token"),
    (f"{CARDS}.points", 17, "research.cards[5].points", "is 17; it must be a whole number in 0 … 16"),
    (f"{CARDS}.points", -1, "research.cards[5].points", "is -1; it must be a whole number in 0 … 16"),
    (
        f"{CARDS}.symbol",
        "moon",
        "research.cards[5].symbol",
        "is 'moon'; it must be one of 'sun', 'wave', 'leaf', 'stone'",
    ),
    (f"{CARDS}.cost", 1, "research.cards[5].cost", "unknown key 'cost'"),
    # Threats
    ("threat", [], "threat", "is a list of 0 items; it must be a list of 1 … 64 tables"),
    ("threat.1.name", "Rockfall", "threat[1].name", "is 'Rockfall', as an entry before; names must differ"),
    ("threat.1.copies", 0, "threat[1].copies", "is 0; it must be a whole number in 1 … 64"),
    ("threat.1.copies", 33, "threat", "has 65 cards in all; at most 64 are possible"),
    ("threat.1.time", "later", "threat[1].time", "is 'later'; it must be one of 'now', 'round', 'keep'"),
    (
        f"threat.{EXHAUST}.effect",
        "ban",
        f"threat[{EXHAUST}].effect",
        "one of 'exhaust', 'refresh', 'lose', 'discard_pool'",
    ),
    (f"threat.{SEA_FRET}.effect", "lose", f"threat[{SEA_FRET}].effect", "is 'lose'; it must be one of 'ban', 'slow'"),
    (
        f"threat.{BAN}.effect",
        "exhaust",
        f"threat[{BAN}].effect",
        "one of 'ban', 'slow', 'points', 'explored', 'unexplored', 'holding', 'research'",
    ),
    (f"threat.{EXHAUST}.die", "middle", f"threat[{EXHAUST}].die", 'one of 4, 6, 8, 10, 12, "left", "right"'),
    (f"threat.{EXHAUST}.die", 5, f"threat[{EXHAUST}].die", "is 5; it must be one of 4, 6, 8, 10, 12"),
    (f"threat.{EXHAUST}.die", GONE, f"threat[{EXHAUST}].die", "is missing"),
    (f"threat.{EXHAUST}.die", True, f"threat[{EXHAUST}].die", "is True"),
    (f"threat.{BAN}.die", "left", f"threat[{BAN}].die", "is 'left'; it must be one of 4, 6, 8, 10, 12"),
    (f"threat.{BAN}.die", 5, f"threat[{BAN}].die", "is 5; it must be one of 4, 6, 8, 10, 12"),
    (f"threat.{BAN}.who", "all", f"threat[{BAN}].who", "unknown key 'who'"),
    (f"threat.{LOSE_FLORA}.kind", "any", f"threat[{LOSE_FLORA}].kind", "it must be one of 'flora', 'fauna', 'fossil'"),
    (f"threat.{LOSE_FLORA}.kind", "rest", f"threat[{LOSE_FLORA}].kind", "it must be one of 'flora', 'fauna', 'fossil'"),
    (
        f"threat.{HOLDING}.kind",
        "rest",
        f"threat[{HOLDING}].kind",
        "it must be one of 'flora', 'fauna', 'fossil', 'any'",
    ),
    (f"threat.{EXPLORED}.terrain", "R", f"threat[{EXPLORED}].terrain", "one of 'M', 'J', 'S', 'B', 'C'"),
    (f"threat.{EXPLORED}.terrain", GONE, f"threat[{EXPLORED}].terrain", "is missing"),
    (f"threat.{SLOW}.amount", 0, f"threat[{SLOW}].amount", "is 0; it must be a whole number in 1 … 16"),
    (f"threat.{POINTS}.amount", 17, f"threat[{POINTS}].amount", "is 17; it must be a whole number in -16 … 16"),
    (f"threat.{POINTS}.amount", -17, f"threat[{POINTS}].amount", "is -17; it must be a whole number in -16 … 16"),
    (f"threat.{POINTS}.amount", GONE, f"threat[{POINTS}].amount", "is missing"),
    (f"threat.{SEA_FRET}.who", "others", f"threat[{SEA_FRET}].who", "is 'others'; it must be one of 'self', 'all'"),
    (f"threat.{SEA_FRET}.who", GONE, f"threat[{SEA_FRET}].who", "is missing; it must be one of 'self', 'all'"),
    (f"threat.{POINTS}.die", 4, f"threat[{POINTS}].die", "unknown key 'die'"),
    # Keepers
    ("keeper", [], "keeper", "is a list of 0 items; it must be a list of 1 … 16 tables"),
    ("keeper.1.name", "The Drowsing Hill", "keeper[1].name", "as an entry before; names must differ"),
    ("keeper.1.name", "random", "keeper[1].name", "is 'random', which is the option's own word"),
    ("keeper.1.name", "recommended", "keeper[1].name", "is 'recommended', which is the option's own word"),
    ("keeper.1.level", "", "keeper[1].level", "is empty; it must be a text"),
    ("keeper.1.recommended", "no", "keeper[1].recommended", "is 'no'; it must be true or false"),
    ("keeper.1.recommended", True, "keeper", "has 2 recommended keepers; there must be 1"),
    ("keeper.0.recommended", False, "keeper", "has 0 recommended keepers; there must be 1"),
    ("keeper.1.start", [7, 0], "keeper[1].start", "is the explorer's start space; a keeper must start elsewhere"),
    ("keeper.1.start", [8, 0], "keeper[1].start", "is [8, 0]; the map has 8 × 8 cells"),
    ("keeper.1.start", [0, 8], "keeper[1].start", "is [0, 8]; the map has 8 × 8 cells"),
    ("keeper.1.start", [0], "keeper[1].start", "it must be a list of 2 whole numbers in 0 … 11"),
    ("keeper.1.start", [0, 12], "keeper[1].start", "it must be a list of 2 whole numbers in 0 … 11"),
    ("keeper.1.speed", 1, "keeper[1].speed", "unknown key 'speed'"),
    ("keeper.1.actions.leaf", GONE, "keeper[1].actions.leaf", "is missing; it must be a table"),
    ("keeper.1.actions.moon", {}, "keeper[1].actions.moon", "unknown key 'moon'. Valid: leaf, stone, sun, wave"),
    (
        "keeper.1.actions.leaf.action",
        "refresh",
        "keeper[1].actions.leaf.action",
        "'exhaust', 'lose', 'discard_pool', 'place'",
    ),
    ("keeper.1.actions.leaf.steps", 1, "keeper[1].actions.leaf.steps", "unknown key 'steps'"),
    ("keeper.1.actions.sun.first", "up", "keeper[1].actions.sun.first", "is 'up'; it must be one of 'column', 'row'"),
    ("keeper.1.actions.sun.steps", 0, "keeper[1].actions.sun.steps", "is 0; it must be a whole number in 1 … 24"),
    (
        "keeper.1.actions.sun.steps",
        GONE,
        "keeper[1].actions.sun.steps",
        "is missing; it must be a whole number in 1 … 24",
    ),
    ("keeper.1.actions.sun.die", 4, "keeper[1].actions.sun.steps", "stands beside die; a move has one of them"),
    ("keeper.2.actions.sun.die", "left", "keeper[2].actions.sun.die", "is 'left'; it must be one of 4, 6, 8, 10, 12"),
    (
        "keeper.2.actions.stone.die",
        20,
        "keeper[2].actions.stone.die",
        'is 20; it must be one of 4, 6, 8, 10, 12, "left"',
    ),
    (
        "keeper.3.actions.leaf.kind",
        "any",
        "keeper[3].actions.leaf.kind",
        "it must be one of 'flora', 'fauna', 'fossil'",
    ),
    ("keeper.4.actions.stone.space", [0, 9], "keeper[4].actions.stone.space", "is [0, 9]; the map has 8 × 8 cells"),
    ("keeper.4.actions.stone.space", GONE, "keeper[4].actions.stone.space", "is missing"),
    # Bands
    ("band", [], "band", "is a list of 0 items; it must be a list of 1 … 16 tables"),
    ("band.0.from", -9, "band[0].from", "unknown key 'from'"),
    ("band.1.from", GONE, "band[1].from", "is missing; it must be a whole number in -999 … 999"),
    ("band.2.from", 0, "band[2].from", "is 0; it must be above 0, the band before"),
    ("band.3.text", " ", "band[3].text", "is empty; it must be a text"),
]


def refused(components: dict[str, Any]) -> isle_envs.ComponentError:
    """The error of components that cannot be used; it is the same for several players and for one."""
    errors = []
    for num_players in (2, 1):
        with pytest.raises(isle_envs.ComponentError) as error:
            isle_envs.make_game("isla", num_players=num_players, components=components)
        errors.append(error.value)
    assert str(errors[0]) == str(errors[1])
    return errors[0]


@pytest.mark.parametrize(
    ("path", "value", "key", "words"), WRONG, ids=[f"{path}-{number}" for number, (path, *_) in enumerate(WRONG)]
)
def test_a_malformed_file_gives_one_error_that_says_where(path: str, value: Any, key: str, words: str) -> None:
    error = refused(put(path, value))
    assert error.key == key
    assert words in error.problem


def test_the_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace("copies = 3", 'copies = "3"', 1), "utf-8")
    message = f"{path}: threat[0].copies: is '3'; it must be a whole number in 1 … 64"
    with pytest.raises(isle_envs.ComponentError, match=re.escape(message)):
        isle_envs.make_game("isla", components=path)


# ------------------------------------------------------------------------------------------------------------------ Maps


def a_map(terrain: Sequence[str], marks: Sequence[str], icons: Sequence[str] = ()) -> dict[str, Any]:
    """A map's drawings from rows without blanks; without icons unless they are given."""
    plain = ["".join("." if cell == "." else "-" for cell in row) for row in terrain]
    return {
        "terrain": [" ".join(row) for row in terrain],
        "icons": [" ".join(row) for row in icons or plain],
        "marks": [" ".join(row) for row in marks],
    }


def on(drawings: dict[str, Any]) -> dict[str, Any]:
    """The game's own components on another map, the keepers starting and put at its top left."""
    components = own(map=drawings)
    for keeper in components["keeper"]:
        keeper["start"] = [0, 0]
    components["keeper"][4]["actions"]["stone"]["space"] = [0, 1]
    return components


def test_a_map_in_two_parts() -> None:
    """The middle one of three rows is all sea."""
    drawings = a_map(["MJSBC" * 2, "..........", "MJSBC" * 2], ["ooooox----", "..........", "oooooos---"])
    error = refused(on(drawings))
    assert error.key == "map.terrain"
    assert error.problem == "falls into parts; every space must be reached from the start"


def test_a_map_that_a_boulder_cuts_in_two() -> None:
    """Two fields of 2 × 3, joined by a single space: a boulder may lie beside it, and cut there. A second space joins them for good."""
    error = refused(on(a_map(["MJS.BCM", "JSBMCMJ"], ["ooo.oox", "soooooo"])))
    assert error.key == "map.terrain"
    assert error.problem == (
        "falls into parts with a boulder in row 1, column 2; every space must be reached from the start"
    )
    isle_envs.make_game("isla", components=on(a_map(["MJSCBCM", "JSBMCMJ"], ["ooo-oox", "soooooo"])))


def connected(spaces: set[tuple[int, int]]) -> bool:
    """Whether all of some spaces hang together."""
    rest, todo = set(spaces), [next(iter(spaces))]
    while todo:
        row, column = todo.pop()
        if (row, column) in rest:
            rest.discard((row, column))
            todo += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return not rest


def test_maps_at_random_are_accepted_exactly_if_no_boulder_cuts_them() -> None:
    chance = random.Random(4)
    accepted = 0
    for _ in range(200):
        rows, columns = chance.randint(3, 6), chance.randint(5, 7)
        cells = [(row, column) for row in range(rows) for column in range(columns)]
        spaces = set(chance.sample(cells, max(13, len(cells) - chance.randint(0, 5))))
        order = chance.sample(sorted(spaces), 13)
        mark_of = dict.fromkeys(order[:11], "o") | {order[11]: "s", order[12]: "x"}
        terrain = [[chance.choice("MJSBC") if (r, c) in spaces else "." for c in range(columns)] for r in range(rows)]
        marks = [[mark_of.get((r, c), "-") if (r, c) in spaces else "." for c in range(columns)] for r in range(rows)]
        components = on(a_map(["".join(row) for row in terrain], ["".join(row) for row in marks]))
        for keeper in components["keeper"]:
            keeper["start"] = [0, 0] if order[11] != (0, 0) else [0, 1]
        expected = connected(spaces) and all(connected(spaces - {boulder}) for boulder in order[:11])
        if not expected:
            error = refused(components)
            assert error.key == "map.terrain" and "falls into parts" in error.problem
            continue
        accepted += 1
        tables = isle_envs.make_game("isla", components=components).tables[0]
        assert tables.spaces == len(spaces)
        assert [divmod(int(cell), columns) for cell in tables.highlight] == sorted(order[:11])  # in reading order
        assert [divmod(int(cell), columns) for cell in (tables.start, tables.exit)] == order[11:]
        near = tables.near[: rows * columns]
        for row, column in cells:
            for direction, (down, right) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
                place = row + down, column + right
                beside = place[0] * columns + place[1] if {(row, column), place} <= spaces else 255
                assert near[row * columns + column, direction] == beside
    assert 50 < accepted < 150


SMALL = a_map(
    ["MJSBB", "JMCSB", "SSJMM", "BCJBS"],
    ["o-o-x", "-oo-o", "oo-o-", "so-oo"],
    ["---4-", "6---8", "--*--", "---6-"],
)
SMALL["icons"][2] = "- - 12 - -"


def large() -> dict[str, Any]:
    """12 × 12 spaces: highlights on a slope, the start and the exit in corners."""
    marks = [["-"] * 12 for _ in range(12)]
    for k in range(11):
        marks[k][(5 * k + 3) % 12] = "o"
    marks[11][0], marks[0][11] = "s", "x"
    icons = [["-"] * 12 for _ in range(12)]
    for k in range(30):
        icons[(5 * k) % 12][(7 * k + 1) % 12] = str((4, 6, 8, 10, 12)[k % 5])
    terrain = ["".join("MJSBC"[(3 * row + 2 * column) % 5] for column in range(12)) for row in range(12)]
    drawings = a_map(terrain, ["".join(row) for row in marks])
    return drawings | {"icons": [" ".join(row) for row in icons]}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("num_players", [1, 3])
@pytest.mark.parametrize(("drawings", "spaces"), [(SMALL, 20), (large(), 144)], ids=["4x5", "12x12"])
def test_other_maps_work(drawings: dict[str, Any], spaces: int, num_players: int, way: str) -> None:
    components = on(drawings)
    game = isle_envs.make_game("isla", num_players=num_players, components=components)
    assert game.tables[0].spaces == spaces
    rows, columns = len(drawings["terrain"]), len(drawings["terrain"][0].split())
    assert game.observation.blocks["terrain"].shape == (5, rows, columns)
    text = game.text(game.batch(1).states[0])
    assert all(f"\n{row:>2}  " in text for row in range(rows))
    counts = play(num_players, 30, way, size=30, seed=1, components=components)
    assert counts["decisions"] > 0 and counts["cut_off"] == 0


def test_the_planes_are_the_drawings() -> None:
    """Row by row: terrain, icons, start, exit and sea of the default map, as the file draws them."""
    game = isle_envs.make_game("isla")
    seen = game.observation.split(game.batch(1).observe()[0])
    drawings = {name: [row.split() for row in DEFAULT["map"][name]] for name in ("terrain", "icons", "marks")}
    for row in range(8):
        for column in range(8):
            terrain, icon, mark = (drawings[name][row][column] for name in ("terrain", "icons", "marks"))
            assert seen["terrain"][:, row, column].tolist() == [int(terrain == letter) for letter in "MJSBC"]
            assert seen["icons"][:, row, column].tolist() == [int(icon == die) for die in ("4", "6", "8", "10", "12")]
            found = [int(seen[name][row, column]) for name in ("sea", "start", "exit")]
            assert found == [terrain == ".", mark == "s", mark == "x"]


# ---------------------------------------------------------------------------------------- Other dice, cards and keepers


def other_dice(sides: Sequence[int]) -> dict[str, Any]:
    """The game's own components with dice of other sides everywhere."""
    new = dict(zip(DEFAULT["dice"]["sides"], sides, strict=True))
    components = own()
    components["dice"]["sides"] = list(sides)
    components["map"]["icons"] = [
        " ".join(str(new[int(icon)]) if icon.isdigit() else icon for icon in row.split())
        for row in components["map"]["icons"]
    ]
    entries = [*components["threat"], *(a for keeper in components["keeper"] for a in keeper["actions"].values())]
    for entry in entries:
        entry.update({key: new.get(value, value) for key, value in entry.items() if key == "die"})
    return components


def test_other_dice() -> None:
    """A die shows 1 to as many as it has sides, and all of these."""
    components = other_dice([2, 3, 5, 7, 20])
    game = isle_envs.make_game("isla", num_players=4, components=components)
    assert game.actions.label(game.actions.encode("die", 4)) == "use the D20"
    assert components["threat"][BAN]["name"] == "Blistered Hands" and components["threat"][BAN]["die"] == 2
    shown: list[set[int]] = [set() for _ in range(5)]
    batch = game.batch(100, seed=4)
    for _ in range(150):
        batch.step(batch.sample_legal())
        batch.reset(np.array(batch.terminated))
        for die in range(5):
            shown[die] |= set(map(int, batch.states.die[:, die]))
    assert shown == [set(range(sides + 1)) for sides in (2, 3, 5, 7, 20)]  # 0: not rolled yet
    for num_players in (1, 2):
        play(num_players, 50, "random", size=50, components=components)


def with_symbols(symbols: Sequence[str]) -> dict[str, Any]:
    """Cards with these symbols in turn; each keeper moves for the first, and does nothing for the others."""
    components = own()
    components["research"]["symbols"] = list(symbols)
    for number, card in enumerate(components["research"]["cards"]):
        card["symbol"] = symbols[number % len(symbols)]
    for keeper in components["keeper"]:
        keeper["actions"] = {symbol: {"action": "nothing"} for symbol in symbols}
        keeper["actions"][symbols[0]] = {"action": "move", "first": "row", "steps": 24}
    return components


@pytest.mark.parametrize("symbols", [["sun"], list("abcdefgh")])
def test_other_symbols(symbols: list[str]) -> None:
    components = with_symbols(symbols)
    game = isle_envs.make_game("isla", num_players=1, components=components)
    assert game.observation.blocks["deck_symbols"].shape == (len(symbols),)
    seen = game.observation.split(game.batch(1).observe()[0])
    assert seen["deck_symbols"].sum() == 38 - 4
    counts = play(1, 100, "random", size=100, components=components)
    assert counts["caught"] > 0
    if len(symbols) == 1:  # the keeper comes at the end of the very first round that the explorer does not leave in
        assert counts["longest game"] == 1 and counts["lost"] == 0


@pytest.mark.parametrize("number", [1, 16])
def test_other_numbers_of_keepers(number: int) -> None:
    keepers = [own()["keeper"][k % 5] | {"name": f"Keeper {k}", "recommended": k == number - 1} for k in range(number)]
    components = own(keeper=keepers)
    game = isle_envs.make_game("isla", num_players=1, components=components)
    assert game.observation.blocks["keeper_name"].shape == (number,)
    assert (game.batch(10).states.keeper == number - 1).all()
    game = isle_envs.make_game("isla", num_players=1, components=components, keeper="random")
    assert set(game.batch(500).states.keeper.tolist()) == set(range(number))


@pytest.mark.parametrize(
    ("bands", "expected"),
    [
        ([{"text": "any"}], {-50: "any", 0: "any", 50: "any"}),
        ([{"text": "low"}, {"from": -3, "text": "high"}], {-4: "low", -3: "high", 0: "high"}),
    ],
)
def test_other_bands(bands: list[dict[str, Any]], expected: dict[int, str]) -> None:
    game = isle_envs.make_game("isla", num_players=1, components=own(band=bands))
    assert isinstance(game, Isla)
    assert {score: game.band(score) for score in expected} == expected


def test_a_boost_for_each_number_of_points() -> None:
    """Cards of 0, 16 and 3 points: three boosts, ascending."""
    components = own()
    for number, card in enumerate(components["research"]["cards"]):
        card["points"] = (0, 16, 3)[number % 3]
    game = isle_envs.make_game("isla", components=components)
    assert game.actions.blocks["boost"].size == 3
    first = game.actions.blocks["boost"].start
    words = [game.actions.label(first + k) for k in range(3)]
    assert words == [f"discard a card of {points} points to go further" for points in (0, 3, 16)]
    play(2, 50, "random", size=50, components=components)


# --------------------------------------------------------------------------------------------------------------- Options

KEEPERS = ["The Drowsing Hill", "Grandmother Kelp", "The Lantern Heron", "Hollow Antler", "The Unmoored"]


@pytest.mark.parametrize(("number", "start"), list(enumerate([(7, 7), (4, 7), (0, 0), (2, 7), (0, 7)])))
def test_a_keeper_by_name(number: int, start: tuple[int, int]) -> None:
    game = isle_envs.make_game("isla", num_players=1, keeper=KEEPERS[number])
    batch = game.batch(20, seed=1)
    assert (batch.states.keeper == number).all() and (batch.states.keeper_at == 8 * start[0] + start[1]).all()
    assert game.describe(batch.states[0])["keeper"] == {"name": KEEPERS[number], "at": list(start)}


def test_the_recommended_keeper_is_an_easy_one() -> None:
    game = isle_envs.make_game("isla", num_players=1)
    assert {game.describe(state)["keeper"]["name"] for state in game.batch(20).states} == {"The Drowsing Hill"}
    assert next(keeper for keeper in DEFAULT["keeper"] if keeper["recommended"])["level"] == "easy"


def test_a_keeper_at_random() -> None:
    """Each of the five is drawn about equally often: of 1000 games 200, and at least 150."""
    game = isle_envs.make_game("isla", num_players=1, keeper="random")
    states = game.batch(1000, seed=5).states
    count = np.bincount(states.keeper, minlength=5)
    assert len(count) == 5 and count.min() > 150
    assert (states.keeper_at == game.tables[0].keeper_start[states.keeper]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "num_players must be one of 2, 3, 4, 1, not 5"),
        ({"num_players": 1, "reward": "margin"}, "option 'reward': the solo game has only 'outcome', not 'margin'"),
        ({"num_players": 1, "threat_per_one": True}, "option 'threat_per_one': the solo game has no threats"),
        ({"keeper": "Hollow Antler"}, "option 'keeper': only the solo game (num_players=1) has a keeper"),
        ({"num_players": 3, "keeper": "random"}, "option 'keeper': only the solo game (num_players=1) has a keeper"),
        ({"threat_per_one": 1}, "option 'threat_per_one': unknown value 1"),
        ({"keepers": "random"}, "unknown option 'keepers'. Did you mean 'keeper'?"),
        (
            {"num_players": 1, "keeper": "Hollow Anther"},
            "option 'keeper': unknown keeper 'Hollow Anther'. Did you mean 'Hollow Antler'? "
            "Valid: recommended, random, The Drowsing Hill, Grandmother Kelp, The Lantern Heron, Hollow Antler, The Unmoored.",
        ),
        ({"num_players": 1, "keeper": "randon"}, "unknown keeper 'randon'. Did you mean 'random'?"),
    ],
)
def test_options_that_do_not_exist_or_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        isle_envs.make_game("isla", **options)


def test_options_in_their_places() -> None:
    assert not isle_envs.make_game("isla").tables[0].threat_per_one
    assert isle_envs.make_game("isla", threat_per_one=True).tables[0].threat_per_one
    assert isle_envs.make_game("isla", reward="margin").tables[0].margin
    assert isle_envs.make_game("isla", num_players=1).tables[0].solo
    assert isle_envs.make_game("isla").num_players == 2


# --------------------------------------------------------------------------------------------------------- The own file


def test_the_file_says_that_it_is_reconstructed() -> None:
    assert "RECONSTRUCTED" in TEXT and DEFAULT["status"] == "reconstructed"


def test_the_file_has_what_the_rulebook_lists() -> None:
    """Game Components and Player Setup: five dice, the tokens of a player, 38 research cards, 35 threat cards, five terrains."""
    assert DEFAULT["dice"]["sides"] == [4, 6, 8, 10, 12]
    assert DEFAULT["tokens"] == {"flora": 4, "fauna": 3, "fossil": 2, "rest": 1, "boulder": 1}
    assert len(DEFAULT["research"]["cards"]) == 38 and DEFAULT["research"]["pool"] == 4
    assert sum(threat["copies"] for threat in DEFAULT["threat"]) == 35
    assert [(band.get("from"), band["text"]) for band in DEFAULT["band"]] == [
        (None, "Isla is destroyed!"),
        (0, "Your efforts are wasted."),
        (10, "Your research is acceptable."),
        (20, "Your expeditions are legendary!"),
        (30, "Your discoveries are world changing - Isla is saved!"),
    ]


def test_what_was_made_up_is_as_it_was_counted() -> None:
    """By hand: 50 spaces of which 8 M, 13 J, 9 S, 12 B, 8 C; 11 icons; 10 sun, 10 wave, 8 leaf, 10 stone; 37, 29 and 16 tokens cost."""
    tables = isle_envs.make_game("isla", num_players=1).tables[0]
    assert (tables.rows, tables.columns, tables.spaces) == (8, 8, 50)
    assert [sum(int(word).bit_count() for word in words) for words in tables.terrain_spaces] == [8, 13, 9, 12, 8]
    assert [int((tables.icon == die).sum()) for die in range(5)] == [2, 3, 2, 2, 2]
    highlights = [(0, 2), (1, 6), (2, 1), (2, 4), (3, 7), (4, 0), (4, 3), (5, 2), (5, 6), (6, 1), (6, 4)]
    assert [divmod(int(cell), 8) for cell in tables.highlight] == highlights
    assert divmod(int(tables.start), 8) == (7, 0) and divmod(int(tables.exit), 8) == (0, 4)
    assert tables.cards == 38 and tables.cost[:38].sum(0).tolist() == [37, 29, 16]
    assert np.bincount(tables.symbol[:38], minlength=4).tolist() == [10, 10, 8, 10]
    assert np.bincount(tables.points[:38]).tolist() == [0, 5, 5, 6, 6, 5, 5, 2, 1, 2, 1]
    assert tables.boost[: tables.boosts].tolist() == list(range(1, 11))
    assert tables.threats == 16 and tables.threat["copies"].sum() == 35
    assert tables.keepers == 5 and tables.symbols == 4 and tables.round_limit == 60
    assert tables.track[: tables.track_length + 1].tolist() == [0, 1, 1, 2, 2, 3, 4, 5, 6]
    assert tables.die_points.tolist() == [1, 1, 2, 2, 3]
    assert [keeper["name"] for keeper in DEFAULT["keeper"]] == KEEPERS


def test_the_exit_is_a_beach_in_the_north_and_the_start_at_the_bottom_left() -> None:
    """Rulebook, "Exiting the Island" and "Player Setup"."""
    terrain, marks = ([row.split() for row in DEFAULT["map"][name]] for name in ("terrain", "marks"))
    assert terrain[0][marks[0].index("x")] == "B" and marks[-1][0] == "s"

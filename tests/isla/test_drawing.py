"""The picture of Isla in text tells what a person needs to play, as the description has it, and nothing hidden."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core.game import Game
from isle_envs.isla.drawing import WIDTH
from isle_envs.testing import sample_positions

HIGHLIGHTS = [(0, 2), (1, 6), (2, 1), (2, 4), (3, 7), (4, 0), (4, 3), (5, 2), (5, 6), (6, 1), (6, 4)]
TOKENS = {"fl": "flora", "fa": "fauna", "fo": "fossil", "re": "rest", "##": "boulder"}
CELL = re.compile(r"([MJSBCmjsbc]?)(@?)(&?)(\^?)(4|6|8|10|12|)(fl|fa|fo|re|##|)")

# What a threat that is kept must tell, by its number in the file.
THREATS = {
    0: ("Rockfall", "-1", "M", "unexplored"),
    1: ("Strangling Creepers", "-1", "J", "unexplored"),
    2: ("Leech Season", "-1", "S", "explored"),
    3: ("Sunstroke", "-3", "points"),
    4: ("Twisted Ankle", "-1", "movement"),
    5: ("Blistered Hands", "D4", "may not be used"),
    6: ("Spoiled Samples", "-1", "each token in hand"),
    14: ("Summit Beacon", "1", "M", "explored"),
    15: ("Letters Home", "1", "research card"),
}
# What a keeper's four actions must tell, for sun, wave, leaf and stone.
KEEPERS = {
    "The Drowsing Hill": ("1 space.*column", "2 spaces.*row", "nothing", "nothing"),
    "Grandmother Kelp": ("2 spaces.*row", "2 spaces.*column", "nothing", "pool is discarded"),
    "The Lantern Heron": ("D4.*column", "2 spaces.*row", "nothing", "left die.*exhausted"),
    "Hollow Antler": ("D6.*row", "2 spaces.*column", "loses.*flora", "1 space.*row"),
    "The Unmoored": ("D8.*column", "D4.*row", "2 spaces.*column", r"put on.*0.*4"),
}


def rows_of(game: Game, name: str) -> list[list[str]]:
    """A drawing of the component file, cell by cell."""
    return [row.split() for row in game.components["map"][name]]


def read_sheets(text: str, rows: int = 8, columns: int = 8) -> list[dict[tuple[int, int], dict[str, Any]]]:
    """The map sheets of a picture, in the order of seats: what each cell shows."""
    lines = text.split("\n")
    sheets: list[dict[tuple[int, int], dict[str, Any]]] = []
    span = 4 + WIDTH * columns
    for top, line in enumerate(lines):
        if not re.fullmatch(r"seat \d( +seat \d)?", line):
            continue
        for left, head in enumerate(re.finditer(r"seat (\d)", line)):
            assert head.start() == left * span and int(head[1]) == len(sheets)
            part = [lines[top + 1 + k][head.start() : head.start() + span] for k in range(rows + 1)]
            assert part[0].split() == [str(column) for column in range(columns)]
            sheet = {}
            for row in range(rows):
                assert int(part[1 + row][:4]) == row
                for column in range(columns):
                    cell = part[1 + row][4 + WIDTH * column : 4 + WIDTH * (column + 1)].strip()
                    found = CELL.fullmatch(cell)
                    assert found, cell
                    terrain, explorer, keeper, exit_space, icon, token = found.groups()
                    sheet[row, column] = {
                        "terrain": terrain.upper() or ".",
                        "explored": terrain.islower(),
                        "explorer": bool(explorer),
                        "keeper": bool(keeper),
                        "exit": bool(exit_space),
                        "icon": icon or "-",
                        "token": TOKENS.get(token),
                    }
            sheets.append(sheet)
    return sheets


def expected_sheet(game: Game, view: dict[str, Any], seat: int) -> dict[tuple[int, int], dict[str, Any]]:
    """What each cell of a seat's sheet must show, by the description and the component file."""
    player, keeper = view["players"][seat], view["keeper"]
    terrain, icons, marks = (rows_of(game, name) for name in ("terrain", "icons", "marks"))
    sheet = {}
    for row in range(8):
        for column in range(8):
            place = [row, column]
            explored = place in player["explored"]
            token = player["tokens"][HIGHLIGHTS.index((row, column))] if (row, column) in HIGHLIGHTS else None
            sheet[row, column] = {
                "terrain": terrain[row][column],
                "explored": explored,
                "explorer": player["at"] == place and player["status"] != "exited",
                "keeper": keeper is not None and keeper["at"] == place,
                "exit": marks[row][column] == "x",
                "icon": "-" if explored or terrain[row][column] == "." else icons[row][column],
                "token": token,
            }
    return sheet


def pictures(game: Game, n: int) -> Any:
    """Views and pictures of positions from all over random games, and of some ends, from a seat and from none."""
    batch = game.batch(states=sample_positions(game, n, seed=4))
    ends = game.batch(states=batch.states[: n // 4])
    while not ends.terminated.all():
        ends.step(ends.sample_legal())
    for number, state in enumerate([*batch.states, *ends.states]):
        seat = number % (game.num_players + 1)
        known = None if seat == game.num_players else seat
        yield game.describe(state, known), game.text(state, known)


GAMES = [
    isle_envs.make_game("isla", num_players=2, threat_per_one=True),
    isle_envs.make_game("isla", num_players=3),
    isle_envs.make_game("isla", num_players=4),
    isle_envs.make_game("isla", num_players=1, keeper="random"),
]


def card_words(game: Game, number: int) -> str:
    """A research card with its cost in words, as it is shown in the pool and beside a sheet."""
    card = game.components["research"]["cards"][number]
    cost = " ".join(f"{card[kind]} {kind}" for kind in ("flora", "fauna", "fossil") if card[kind])
    points = "1 point" if card["points"] == 1 else f"{card['points']} points"
    return f"{card['name']} ({cost}: {points}, {card['symbol']})"


def line_of(text: str, seat: int) -> str:
    """What is told of a player in words."""
    found = [line for line in text.split("\n") if line.startswith(f"seat {seat}: ")]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_sheets_can_be_read_back(game: Game) -> None:
    """Terrain, explored spaces, explorers, the keeper, exit, icons and tokens of every cell."""
    tokens = explored = 0
    for view, text in pictures(game, 40):
        sheets = read_sheets(text)
        assert len(sheets) == game.num_players
        for seat, sheet in enumerate(sheets):
            assert sheet == expected_sheet(game, view, seat)
            tokens += sum(cell["token"] is not None for cell in sheet.values())
            explored += sum(cell["explored"] for cell in sheet.values())
    assert tokens > 100 and explored > 100


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_all_else_is_told_in_words(game: Game) -> None:
    dice = ["D4", "D6", "D8", "D10", "D12"]
    kept = owned = 0
    for view, text in pictures(game, 60):
        head = text.split("\n")[0]
        assert f"round {view['round']}," in head and f"seat {view['first_player']} first" in head
        if view["current_player"] is None:
            assert f"the game is over ({view['end']})" in head
        else:
            assert f"seat {view['current_player']} " in head
        shown = re.findall(r"(D\d+) shows (\d+)", text)
        assert shown == [(die, str(value)) for die, value in zip(dice, view["dice"] or [], strict=bool(view["dice"]))]
        for slot, card in enumerate(view["pool"]):
            assert f"\n  slot {slot}: {'empty' if card is None else card_words(game, card)}\n" in text
        deck = view["deck"] if isinstance(view["deck"], int) else len(view["deck"])
        assert f"({deck} cards in the deck)" in text
        for seat, player in enumerate(view["players"]):
            line, own = line_of(text, seat), view["round_state"][seat]
            assert player["status"] in line
            assert (f"plans to {own['plan']};" in line) == (own["plan"] is not None)
            assert ("has rested" in line) == player["rested"]
            held = re.search(r"holds ([^;]*)", line)
            assert held is not None
            hand = [f"{count} {kind}" for kind, count in player["hand"].items() if count]
            assert held[1].split(", ") == (hand or ["nothing"])
            ready = re.search(r"ready ([^;]*)", line)
            assert ready is not None
            assert ready[1].split() == ([dice[die] for die in player["ready"]] or ["no", "die"])
            assert ("banned" in line) == bool(own["banned"]) and ("slower" in line) == bool(own["slow"])
            assert re.findall(r"left in round (\d+), (\d+) on the track", line) == (
                [(str(player["exit_round"]), str(player["track"]))] if player["status"] == "exited" else []
            )
            for card in player["cards"]:
                assert card_words(game, card) in line
            for threat, words in THREATS.items():
                told = re.search(re.escape(words[0]) + r" \(([^)]*)\)", line)
                assert (told is not None) == (threat in player["threats"])
                if told is not None:
                    assert all(re.search(rf"(?<![\w-]){re.escape(word)}(s|\b)", told[0]) for word in words)
            kept, owned = kept + len(player["threats"]), owned + len(player["cards"])
    assert owned > 5 and (kept > 10 or game.num_players == 1)


@pytest.mark.parametrize("name", KEEPERS)
def test_a_keeper_tells_what_it_will_do(name: str) -> None:
    game = isle_envs.make_game("isla", num_players=1, keeper=name)
    state = game.batch(1).states[0]
    row, column = game.describe(state)["keeper"]["at"]
    lines = game.text(state).split("\n")
    top = next(k for k, line in enumerate(lines) if line.startswith("keeper: "))
    assert name in lines[top] and f"row {row}, column {column}" in lines[top]
    for symbol, words, line in zip(("sun", "wave", "leaf", "stone"), KEEPERS[name], lines[top + 1 :], strict=True):
        assert re.fullmatch(rf"  {symbol}: .*{words}.*", line), line


def changed(game: Game, **fields: Any) -> dict[str, Any]:
    """The description of a fresh game in round 3, the dice rolled, with other fields."""
    description = game.describe(game.batch(1, seed=1).states[0])
    return description | {"phase": "plan", "round": 3, "dice": [4, 1, 2, 3, 12]} | fields


def text_of(game: Game, description: dict[str, Any], seat: int | None = None) -> str:
    return game.text(game.undescribe(description)[0], seat)


def test_bans_and_slows_of_a_round_are_told() -> None:
    game = isle_envs.make_game("isla")
    description = changed(game, phase="die", explore={"die": None, "movement": 0})
    description["before"] = copy.deepcopy(description["players"])
    description["round_state"] = [
        {"plan": "explore", "acted": False, "banned": [2, 4], "slow": 2},
        {"plan": "rest", "acted": False, "banned": [], "slow": 0},
    ]
    text = text_of(game, description)
    assert "banned D8 D12" in line_of(text, 0) and "2 slower" in line_of(text, 0)
    assert "banned" not in line_of(text, 1) and "slower" not in line_of(text, 1)
    assert "seat 0 is to choose a die" in text


def test_who_has_left_is_no_longer_on_the_map() -> None:
    """Seat 1 is on the fourth space of the track. Points by hand: bonus 5, track 2, dice 9, less 47 of 50 spaces unexplored."""
    game = isle_envs.make_game("isla")
    description = changed(game, current_player=0)
    player = description["players"][1]
    player.update(at=[0, 4], explored=[[0, 3], [0, 4], [7, 0]], status="exited", exit_round=2, track=4)
    player["tokens"] = [
        "flora",
        "fauna",
        "flora",
        "flora",
        "rest",
        "fauna",
        "fauna",
        "fossil",
        "fossil",
        "flora",
        "boulder",
    ]
    text = text_of(game, description)
    assert "left in round 2, 4 on the track" in line_of(text, 1)
    assert f"seat 1: exited, {5 + 2 + 9 - 47} points;" in line_of(text, 1)
    assert f"seat 0: active, {9 - 49} points;" in line_of(text, 0)
    first, second = read_sheets(text)
    assert not any(cell["explorer"] for cell in second.values())
    assert [place for place, cell in first.items() if cell["explorer"]] == [(7, 0)]


def test_an_exploration_is_told_to_the_explorer_only() -> None:
    """Seat 0 stands on (6, 0), with the D12 and eleven spaces to go; seat 1 sees it on the start space, choosing."""
    game = isle_envs.make_game("isla")
    description = changed(game, phase="step", explore={"die": 4, "movement": 11})
    description["before"] = copy.deepcopy(description["players"])
    description["players"][0].update(at=[6, 0], explored=[[6, 0], [7, 0]], ready=[0, 1, 2, 3])
    for seat in (0, 1):
        description["round_state"][seat]["plan"] = "explore"
    mine, other = text_of(game, description, 0), text_of(game, description, 1)
    assert "seat 0 is to move" in mine and "explores with D12, 11 spaces left" in mine
    assert "seat 0 explores" in other.split("\n")[0] and "explores with" not in other
    assert "ready D4 D6 D8 D10;" in line_of(mine, 0) and "ready D4 D6 D8 D10 D12;" in line_of(other, 0)
    assert read_sheets(mine)[0][6, 0]["explorer"] and read_sheets(mine)[0][6, 0]["explored"]
    assert read_sheets(other)[0][7, 0]["explorer"] and not read_sheets(other)[0][6, 0]["explored"]
    assert f"seat 0: active, {6 - 48} points" in mine and f"seat 0: active, {9 - 49} points" in other


def test_a_whole_game_can_be_followed() -> None:
    """Every phase's picture names what is asked."""
    game = isle_envs.make_game("isla", num_players=1)
    asked = {
        "setup": "seat 0 is to switch two map tokens or keep them",
        "plan": "seat 0 is to plan its round",
        "die": "seat 0 is to choose a die",
        "boost": "seat 0 is to discard a research card to go further, or none",
        "step": "seat 0 is to move",
        "research": "seat 0 is to research a card",
    }
    batch = game.batch(100, seed=0)
    seen = set()
    assert "dice: not rolled yet" in game.text(batch.states[0])
    while not batch.terminated.all():
        for index in np.unique(batch.states.phase, return_index=True)[1]:
            phase = game.describe(batch.states[index])["phase"]
            if phase != "over":
                assert asked[phase] in game.text(batch.states[index]).split("\n")[0]
                seen.add(phase)
        batch.step(batch.sample_legal())
    assert seen == set(asked)
    ends = {game.describe(state)["end"]: game.text(state).split("\n")[0] for state in batch.states}
    assert set(ends) >= {"lost", "caught", "exited"}
    assert all(head.endswith(f"the game is over ({end})") for end, head in ends.items())


def test_the_legend_explains_every_sign() -> None:
    game = isle_envs.make_game("isla", num_players=1)
    text = game.text(game.batch(1).states[0])
    for words in ("M mountain", "J jungle", "S swamp", "B beach", "C cliff", "small letters where explored"):
        assert words in text
    for words in (
        "@ the explorer",
        "& the keeper",
        "^ the exit",
        "fl(ora)",
        "fa(una)",
        "fo(ssil)",
        "re(st)",
        "## boulder",
    ):
        assert words in text

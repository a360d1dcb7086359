"""The picture in text: it tells all that the description does, in at most 100 columns, and nothing hidden."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core.components import read_components
from isle_envs.core.game import Game
from isle_envs.isle_tiles.board import rows_of
from isle_envs.isle_tiles.drawing import CARD_TEXTS, WIDEST
from isle_envs.isle_tiles.tasks import CARD_NAMES
from isle_envs.testing import sample_positions
from tests.isle_tiles.positions import make

KINDS = [
    (2, "first_game", "hex"),
    (3, "random", "hex"),
    (4, "draft", "hex"),
    (2, "first_game", "square"),
    (4, "random", "square"),
]


def pictures(game: Game, n: int) -> Any:
    """Views and pictures of positions from all over random games, and of their ends, from every seat and from none."""
    batch = game.batch(states=sample_positions(game, n, seed=1))
    ends = batch.copy()
    while not ends.terminated.all():
        ends.step(ends.sample_legal())
    for state in [*batch.states, *ends.states]:
        for seat in [None, *range(game.num_players)]:
            yield game.describe(state, seat), game.text(state, seat)


def read_board(text: str, landscapes: list[str]) -> dict[int, dict[str, Any]]:
    """The spaces by number, read back from a picture of hexes or squares, in two or three lines a row."""
    lines = text.split("\n")
    lines = lines[2 : next(k for k, line in enumerate(lines) if line.startswith("space number over")) - 1]
    letters = {name[0].upper(): number for number, name in enumerate(landscapes)}
    numbers = [k for k, line in enumerate(lines) if re.fullmatch(r"[ 0-9*]+", line)]
    high = numbers[1] - numbers[0]
    spaces = {}
    for k in numbers:
        for found in re.finditer(r"(\d+)(\*?)", lines[k]):
            width = 6 if high == 2 else 4
            below = "".join(line[found.start() : found.start() + width].strip() for line in lines[k + 1 : k + high])
            ground = re.fullmatch(r"(?:([LDISF])(\d+)|~)(?:([abcd])([1-6]))?", below)
            assert ground, f"space {found[1]} shows {below!r}"
            letter, height, owner, value = ground.groups()
            spaces[int(found[1])] = {
                "at": (found.start(), k // high),
                "width": width,
                "landscape": None if letter is None else letters[letter],
                "height": int(height or 0),
                "marker": owner and {"seat": "abcd".index(owner), "value": int(value)},
                "placed": bool(found[2]),
            }
    return spaces


@pytest.mark.parametrize(("players", "board", "grid"), KINDS)
def test_the_board_can_be_read_back(players: int, board: str, grid: str) -> None:
    game = make(players, board, grid)
    landscapes = game.landscapes  # type: ignore[attr-defined]
    for view, text in itertools.islice(pictures(game, 30), 0, None, 3):
        if not view["spaces"]:
            continue
        found = read_board(text, landscapes)
        assert sorted(found) == list(range(60))
        placed = view["placed"]["spaces"] if view["placed"] else []
        for number, space in enumerate(view["spaces"]):
            read = found[number]
            assert (read["landscape"], read["height"]) == (space["landscape"], space["height"])
            assert read["marker"] == space["marker"]
            assert read["placed"] == (number in placed)
            # Neighbours in the picture are neighbours on the board.
            half = read["width"] // 2
            across = 2 * space["q"] + (space["r"] if grid == "hex" else 0)
            first = view["spaces"][0]
            start = 2 * first["q"] + (first["r"] if grid == "hex" else 0)
            assert read["at"][0] - found[0]["at"][0] == half * (across - start)
            assert read["at"][1] - found[0]["at"][1] == space["r"] - first["r"]


@pytest.mark.parametrize(("players", "board", "grid"), KINDS)
def test_at_most_100_plain_columns(players: int, board: str, grid: str) -> None:
    for _, text in pictures(make(players, board, grid), 60):
        for line in text.split("\n"):
            assert len(line) <= 100
            assert line == line.rstrip()
            assert re.fullmatch(r"[ -~…]*", line)


@pytest.mark.parametrize(("players", "board", "grid"), KINDS)
def test_everything_beside_the_board(players: int, board: str, grid: str) -> None:
    for view, text in pictures(make(players, board, grid), 10):
        seat = view["current_player"]
        if seat is None:
            assert re.search(r"the game is over, player_\d \([abcd]\) has won", text)
        else:
            assert f"player_{seat} ({'abcd'[seat]}) is to decide: " in text
            assert f"\n> {'abcd'[seat]} player_{seat}" in text
        for slot, task in enumerate(view["tasks"]):
            taken = "open" if task["taken_by"] is None else f"taken by {'abcd'[task['taken_by']]}"
            assert f"task {slot}, {taken}:" in text
            assert f"{CARD_NAMES[task['card'] - 1]}: {CARD_TEXTS[task['card'] - 1]}" in text
        size = view["supply"] if isinstance(view["supply"], int) else len(view["supply"])
        assert f"tiles to draw: {size}" in text
        if view["last_turns"]:
            assert f"last round, {view['last_turns']} turn" in text


def test_cards_have_texts() -> None:
    assert len(CARD_TEXTS) == len(CARD_NAMES) == len(set(CARD_TEXTS))


def test_hidden_things_are_hidden() -> None:
    game = isle_envs.make_game("isle_tiles", num_players=3)
    batch = game.batch(1, 5)
    for _ in range(30):
        seat = int(batch.current_player[0])
        text = game.text(batch.states[0], seat)
        players = re.findall(r"^. [abc] player_(\d) .*?(\w/\w|hidden|none) +\d$", text, re.MULTILINE)
        hands = game.describe(batch.states[0])["hands"]
        letters = "LDISF"
        for name, shown in players:
            tile = hands[int(name)]
            own = "none" if tile is None else f"{letters[tile[0]]}/{letters[tile[1]]}"
            assert shown == (own if int(name) == seat or tile is None else "hidden")
        assert len(players) == 3
        assert "put aside" not in text
        assert ", next:" not in text
        whole = game.text(batch.states[0])
        assert "hidden" not in whole
        assert "put aside at setup" in whole
        batch.step(batch.sample_legal())


def test_a_wide_board_is_drawn_in_three_lines_a_row() -> None:
    game = isle_envs.make_game("isle_tiles", board="random")
    batch = game.batch(2000, 3)
    boards = batch.states["board"]
    across = 2 * boards["q"].astype(int) + [rows_of(board) for board in boards]
    wide = np.flatnonzero(across.max(axis=1) - across.min(axis=1) >= 2 * WIDEST)
    assert wide.size
    for i in wide:
        text = game.text(batch.states[i])
        assert max(map(len, text.split("\n"))) <= 100
        found = read_board(text, game.landscapes)  # type: ignore[attr-defined]
        assert sorted(found) == list(range(60))
        assert found[0]["width"] == 4


def test_the_draft_shows_parts_rows_and_columns() -> None:
    game = isle_envs.make_game("isle_tiles", board="draft")
    batch = game.batch(1, 1)
    seen = set()
    while True:
        view = game.describe(batch.states[0])
        text = game.text(batch.states[0])
        if view["spaces"]:
            break
        seen.add(view["phase"])
        rows = {int(number): cells for number, cells in re.findall(r"^row (\d+) +(.*)$", text, re.MULTILINE)}
        assert list(rows) == sorted(rows)
        for lay in view["parts"]["laid"]:
            assert sum(cells.count(f"<{lay['part']}>") for cells in rows.values()) == 15
            # The reference space stands in its row after the column before it, or after another space of a part.
            cells = re.findall(r"<\d>|\d+", rows[lay["row"]])
            first = next(k for k, cell in enumerate(cells) if cell.isdigit())
            assert cells[lay["column"] - int(cells[first]) + first] == f"<{lay['part']}>"
        chosen = view["parts"]["chosen"]
        if view["phase"] == "part":
            assert "part 3 of player_1:" in text
        elif view["phase"] == "turn":
            assert text.count(f"part {chosen['part']} turn") == 6
        else:
            assert text.count(f"part {chosen['part']} turn {chosen['turn']}:") == 1
        legal = [list(game.actions.decode(action))[1] for action in np.flatnonzero(batch.action_mask[0]).tolist()]
        if view["phase"] == "row":
            assert set(legal) <= set(rows)
        if view["phase"] == "column":
            assert f"its reference space in row {chosen['row']}" in text
            assert set(legal) <= {int(column) for column in re.findall(r"\b(?<!<)\d+(?!>)\b", rows[chosen["row"]])}
        assert "The task cards are drawn when the board lies." in game.text(batch.states[0], 0)
        batch.step(batch.sample_legal())
    assert seen == {"part", "turn", "row", "column"}


def test_landscapes_with_equal_initials_have_letters_of_their_own() -> None:
    components = read_components(isle_envs.GAMES["isle_tiles"].default_components)
    components["landscapes"] = ["sand", "sea", "snow", "swamp", "s"]
    game = isle_envs.make_game("isle_tiles", components=components)
    assert "S sand, E sea, N snow, W swamp, 4 s, ~ water" in game.text(game.batch(1).states[0])

"""The picture of Islet in text tells all that the description does, and nothing hidden."""

from __future__ import annotations

import re
from typing import Any

import pytest

import isle_envs
from isle_envs.islet.drawing import BIRDS, EGGS, WIDTH
from isle_envs.testing import sample_positions

TERRAINS, NESTS = "FSC", "lbf"


def read_islets(text: str) -> list[dict[tuple[int, int], dict[str, Any]]]:
    """The tiles and birds of each islet in a picture, by row and column."""
    islets: list[dict[tuple[int, int], dict[str, Any]]] = []
    first = 0
    for line in text.split("\n"):
        if re.fullmatch(r" +\d+( +\d+)*", line):  # the columns' numbers
            first = int(line.split()[0])
            islets.append({})
        if (row := re.match(r"( *\d+) (?=[/\\])", line)) is not None:
            for k, cell in enumerate(re.findall(r"[/\\]([^/\\]+)(?=[/\\])", line)):
                assert len(cell) == WIDTH
                if cell.strip():
                    found = re.fullmatch(r"([FSC])([lbf])(\d+)([a-d]?)([A-D.!]?)", cell.strip())
                    assert found is not None, cell
                    terrain, nest, level, egg, bird = found.groups()
                    islets[-1][int(row[1]), first + k] = {
                        "kind": 3 * TERRAINS.index(terrain) + NESTS.index(nest),
                        "level": int(level),
                        "egg": EGGS.index(egg) if egg else None,
                        "bird": BIRDS.index(bird) if bird and bird in BIRDS else None,
                    }
    return islets


@pytest.mark.parametrize("num_players", [1, 2, 4])
def test_the_islet_can_be_read_back(num_players: int) -> None:
    game = isle_envs.make_game("islet", num_players=num_players)
    for state in sample_positions(game, 25, seed=4):
        view = game.describe(state, 0)
        islets = read_islets(game.text(state, 0))
        assert len(islets) == (2 if num_players == 1 else 1)
        expected: list[dict[tuple[int, int], dict[str, Any]]] = [{} for _ in islets]
        birds = {tuple(bird): seat for seat, bird in enumerate(view["birds"]) if bird}
        for tile in view["tiles"]:
            islet = tile["cell"][0] if num_players == 1 else 0
            bird = birds.get(tuple(tile["cell"]))
            row, column = tile["cell"][-2:]
            expected[islet][row, column] = {key: tile[key] for key in ("kind", "level", "egg")} | {"bird": bird}
        assert islets == expected


def test_neighbours_are_drawn_as_they_are() -> None:
    """Row + column even points up: the cell begins with a slash, and ends with a backslash."""
    game = isle_envs.make_game("islet")
    lines = game.text(game.batch(1).states[0]).split("\n")
    row8 = next(line for line in lines if line.startswith("  8 "))
    assert re.fullmatch(r"  8 \\ {5}/.{5}\\.{5}/.{5}\\ {5}/", row8)  # columns 13 (sea), 14 up, 15 down, 16 up, 17 (sea)


def test_hands_of_others_are_hidden() -> None:
    game = isle_envs.make_game("islet", num_players=3)
    batch = game.batch(1, seed=2)
    for seat in range(3):
        lines = [line for line in game.text(batch.states[0], seat).split("\n") if line.startswith("hand of seat")]
        assert [line.endswith(": 4 tiles") for line in lines] == [other != seat for other in range(3)]


def test_a_whole_game_can_be_followed() -> None:
    """Every phase's picture names what is asked, and what has been chosen so far."""
    game = isle_envs.make_game("islet", num_players=1)
    batch = game.batch(1, seed=0)
    assert "seat 0 is to choose its bird's first tile" in game.text(batch.states[0])
    batch.step(batch.sample_legal())
    assert "seat 0 is to explore or move" in game.text(batch.states[0])
    batch.step([int(batch.action_mask[0].argmax())])
    text = game.text(batch.states[0])
    assert "seat 0 is to place the picked tile" in text and "exploring: picked" in text
    while not batch.terminated[0]:
        batch.step(batch.sample_legal())
    assert "the game is over (lost)" in game.text(batch.states[0])

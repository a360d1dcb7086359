"""Descriptions: what is refused, each by one error that names the field."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import isle_envs

GAME = isle_envs.make_game("isle_tiles", num_players=2)
DRAFT = isle_envs.make_game("isle_tiles", num_players=2, board="draft")


def put(description: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at a path."""
    changed = copy.deepcopy(description)
    part: Any = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return changed


def test_descriptions_are_json() -> None:
    for game in (GAME, DRAFT):
        batch = game.batch(3, seed=1)
        batch.play_random(40)
        for state in batch.states:
            full = game.describe(state)
            assert json.loads(json.dumps(full)) == full
            assert json.loads(json.dumps(game.describe(state, 1))) == game.describe(state, 1)


def test_the_stream_may_be_absent() -> None:
    description = GAME.describe(GAME.batch(1).states[0])
    del description["stream"]
    assert GAME.undescribe(description).stream.key[0] == 0


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("game",), "islet", "game is 'islet'; it must be 'isle_tiles'"),
        (("num_players",), 3, "num_players is 3; it must be 2"),
        (("grid",), "square", "grid is 'square'; it must be 'hex'"),
        (("phase",), "plaice", "phase is 'plaice'; it must be one of 'part'"),
        (("phase",), "part", "phase is 'part'; it must be a phase of play"),
        (("phase",), "task", "phase is 'task'; it must be 'place'"),
        (("current_player",), 2, "current_player is 2; it must be a whole number in 0 to 1"),
        (("current_player",), None, "current_player is None; it must be a seat"),
        (("spaces",), [], r"spaces is \[\]; it must be a list of 60 items"),
        (("spaces", 5, "q"), 3.5, r"spaces\[5\].q is 3.5; it must be a whole number"),
        (("spaces", 5, "height"), 1, r"spaces\[5\] is .*; it must be of height 0 exactly when it has no landscape"),
        (("spaces", 5, "marker"), {"seat": 0, "value": 1}, r"spaces\[5\].marker is .*; it must be None on water"),
        (("hands", 0), [0, 5], r"hands\[0\]\[1\] is 5; it must be a whole number in 0 to 4"),
        (("hands", 0), None, "it must be a list with a tile for the player whose turn it is"),
        (("supply",), None, "supply is None; it must be a list of at most 48 items"),
        (("tasks", 0, "card"), 21, r"tasks\[0\].card is 21; it must be a whole number in 1 to 20"),
        (("tasks",), [{"card": 1, "taken_by": None}] * 4, "it must be four different cards"),
        (("last_turns",), 2, "last_turns is 2; it must be None while there is a supply"),
        (("parts",), {}, "parts is {}; it must be None"),
        (("stream", "key"), "0xg", "stream.key is '0xg'; it must be a hexadecimal text"),
        (("scores",), [True, None], r"scores\[0\] is True; it must be a whole number"),
    ],
)
def test_impossible_values(path: tuple[Any, ...], value: Any, message: str) -> None:
    description = GAME.describe(GAME.batch(1).states[0])
    with pytest.raises(ValueError, match=message):
        GAME.undescribe(put(description, path, value))


def test_a_missing_field() -> None:
    description = GAME.describe(GAME.batch(1).states[0])
    del description["tasks"][2]["taken_by"]
    with pytest.raises(ValueError, match=r"tasks\[2\].taken_by is missing"):
        GAME.undescribe(description)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("parts", "chosen", "part"), 0, "it must be what has been chosen before this phase"),
        (("phase",), "turn", "it must be what has been chosen before this phase"),
        (("parts", "order"), [0, 1, 2, 2], "it must be four different parts"),
        (("parts", "laid"), [], "it must be 1 to 3 parts during the draft"),
        (("parts", "laid", 0, "row"), 31, r"parts.laid\[0\].row is 31; it must be a whole number in 0 to 30"),
    ],
)
def test_impossible_drafts(path: tuple[Any, ...], value: Any, message: str) -> None:
    description = DRAFT.describe(DRAFT.batch(1).states[0])
    with pytest.raises(ValueError, match=message):
        DRAFT.undescribe(put(description, path, value))


def test_a_marker_twice() -> None:
    batch = GAME.batch(1, seed=3)
    while not (batch.states.marker_at[0] < 60).any():
        batch.step(batch.sample_legal())
    description = GAME.describe(batch.states[0])
    marked = [k for k, space in enumerate(description["spaces"]) if space["marker"]]
    bare = next(k for k, space in enumerate(description["spaces"]) if space["height"] and not space["marker"])
    with pytest.raises(ValueError, match="it must be a marker that lies nowhere else"):
        GAME.undescribe(put(description, ("spaces", bare, "marker"), description["spaces"][marked[0]]["marker"]))


def test_a_layout_is_checked_where_it_differs_from_game_to_game() -> None:
    game = isle_envs.make_game("isle_tiles", board="random")
    description = game.describe(game.batch(1).states[0])
    np.testing.assert_array_equal(game.undescribe(description).board.q, game.batch(1).states.board.q)
    spaces = description["spaces"]
    for wrong in (spaces[::-1], [spaces[0], spaces[0], *spaces[2:]], [spaces[0] | {"r": -100}, *spaces[1:]]):
        with pytest.raises(ValueError, match="different cells within 31 of the middle, row by row"):
            game.undescribe(put(description, ("spaces",), wrong))
    apart = [spaces[0] | {"r": spaces[0]["r"] - 2}, *spaces[1:]]
    with pytest.raises(ValueError, match="no row between the first and the last may be empty"):
        game.undescribe(put(description, ("spaces",), apart))

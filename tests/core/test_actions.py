"""Action blocks: numbers, words, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core.actions import ActionBlock, ActionSpace, Argument

SPACE = ActionSpace(
    [
        ActionBlock("pass", (), "pass", "Nothing."),
        ActionBlock(
            "move", (Argument("row", 2), Argument("way", 3, 1, ("left", "ahead", "right"))), "row {row} {way}", "Go."
        ),
    ]
)


def test_numbers_by_hand() -> None:
    """pass is 0; move starts at 1, the last argument counts fastest, and way begins at 1."""
    assert SPACE.num_actions == 7
    assert SPACE.encode("pass") == 0
    assert SPACE.encode("move", 0, 1) == 1
    assert SPACE.encode("move", 1, 3) == 6
    assert SPACE.decode(5) == ("move", 1, 2)
    assert SPACE.label(5) == "row 1 ahead"


def test_decode_is_the_inverse_of_encode() -> None:
    for game in (isle_envs.make_game("isle_tiles"), isle_envs.make_game("isle_tiles", board="draft")):
        for action in range(game.num_actions):
            assert game.actions.encode(*game.actions.decode(action)) == action
        assert len({game.actions.label(action) for action in range(game.num_actions)}) == game.num_actions


def test_isle_tiles_numbers_are_those_of_the_design() -> None:
    actions = isle_envs.make_game("isle_tiles", board="draft").actions
    assert actions.num_actions == 450
    assert [actions.encode("task", 3), actions.encode("no_task")] == [3, 4]
    assert actions.encode("place", 10, 2) == 5 + 6 * 10 + 2
    assert actions.encode("marker", 4, 1) == 365 + 2 * 3 + 1
    assert [actions.encode("done"), actions.encode("part", 0), actions.encode("turn", 0)] == [377, 378, 382]
    assert [actions.encode("row", 0), actions.encode("column", 30)] == [388, 449]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("mov", 0, 1), "unknown action 'mov'. Did you mean 'move'"),
        (("move", 0), r"takes 2 arguments \(row, way\), not 1"),
        (("move", 2, 1), "row must be in 0 … 1, not 2"),
        (("move", 0, 0), "way must be in 1 … 3, not 0"),
    ],
)
def test_encode_errors(call: tuple[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SPACE.encode(*call)


@pytest.mark.parametrize("action", [-1, 7])
def test_decode_errors(action: int) -> None:
    with pytest.raises(ValueError, match=f"action must be in 0 … 6, not {action}"):
        SPACE.decode(action)


@pytest.mark.parametrize("kind", [["move"], None, 0])
def test_a_kind_is_a_name(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown action .* Valid: pass, move"):
        SPACE.encode(kind, 0, 1)


@pytest.mark.parametrize("value", [None, 1.0, "1", True, np.True_, [1]])
def test_numbers_are_integers(value: Any) -> None:
    with pytest.raises(TypeError, match="row must be an integer in 0 … 1, not "):
        SPACE.encode("move", value, 1)
    for call in (SPACE.decode, SPACE.label):
        with pytest.raises(TypeError, match="action must be an integer in 0 … 6, not "):
            call(value)


def test_numpy_integers_are_integers() -> None:
    assert SPACE.encode("move", np.int8(1), np.uint64(3)) == 6  # type: ignore[arg-type]
    assert SPACE.decode(np.int32(5)) == ("move", 1, 2)  # type: ignore[arg-type]
    assert all(type(item) is int for item in SPACE.decode(np.uint8(5))[1:])  # type: ignore[arg-type]


@pytest.mark.parametrize("vector", [None, [0, 1]])
def test_an_observation_is_an_array(vector: Any) -> None:
    game = isle_envs.make_game("isle_tiles")
    with pytest.raises(TypeError, match=f"an array of {game.observation.size} values, not "):
        game.observation.split(vector)

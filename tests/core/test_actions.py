"""Action blocks: numbers, words, errors."""

from __future__ import annotations

from itertools import combinations
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


PAIRS = ActionSpace(
    [
        ActionBlock("pass", (), "pass", "Nothing."),
        ActionBlock("swap", (Argument("a", 4, 1), Argument("b", 4, 1)), "{a} with {b}", "Swap.", pairs=True),
        ActionBlock("stop", (), "stop", "The end."),
    ]
)


def test_pairs_by_hand() -> None:
    """Of 1 … 4: (1, 2) (1, 3) (1, 4) (2, 3) (2, 4) (3, 4), after pass, which is 0."""
    assert PAIRS.num_actions == 8
    assert [PAIRS.encode("swap", 1, b) for b in (2, 3, 4)] == [1, 2, 3]
    assert [PAIRS.encode("swap", 2, b) for b in (3, 4)] == [4, 5]
    assert [PAIRS.encode("swap", 3, 4), PAIRS.encode("stop")] == [6, 7]
    assert PAIRS.decode(5) == ("swap", 2, 4)
    assert PAIRS.label(3) == "1 with 4"


@pytest.mark.parametrize("size", [2, 3, 11, 12])
def test_pairs_are_in_the_order_of_combinations(size: int) -> None:
    space = ActionSpace([ActionBlock("swap", (Argument("a", size), Argument("b", size)), "", "", pairs=True)])
    found = [space.decode(action) for action in range(space.num_actions)]
    assert found == [("swap", *pair) for pair in combinations(range(size), 2)]
    assert [space.encode(*action) for action in found] == list(range(size * (size - 1) // 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2), "action 'swap': a must be below b, not 3 and 2"),
        ((2, 2), "action 'swap': a must be below b, not 2 and 2"),
        ((0, 2), "a must be in 1 … 4, not 0"),
        ((1, 5), "b must be in 1 … 4, not 5"),
        ((1,), r"takes 2 arguments \(a, b\), not 1"),
    ],
)
def test_encode_errors_of_pairs(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PAIRS.encode("swap", *arguments)


def test_isla_numbers_are_those_of_the_design() -> None:
    """55 swaps, keep, 3 plans, rest_token, 5 dice, 10 boosts (cards of 1 … 10 points), no_boost, 4 steps, leave, 4 slots."""
    actions = isle_envs.make_game("isla").actions
    assert actions.num_actions == 55 + 1 + 3 + 1 + 5 + 10 + 1 + 4 + 1 + 4
    assert [actions.encode("swap", 0, 1), actions.encode("swap", 0, 10), actions.encode("swap", 1, 2)] == [0, 9, 10]
    assert [actions.encode("swap", 9, 10), actions.encode("keep")] == [54, 55]
    assert [actions.encode("plan", 0), actions.encode("rest_token"), actions.encode("die", 0)] == [56, 59, 60]
    assert [actions.encode("boost", 0), actions.encode("boost", 9), actions.encode("no_boost")] == [65, 74, 75]
    assert [actions.encode("step", 0), actions.encode("leave"), actions.encode("research", 3)] == [76, 80, 84]
    labels = [actions.label(action) for action in (54, 57, 64, 65, 76)]
    assert labels[:3] == ["switch the tokens of highlight spaces 9 and 10", "plan: explore", "use the D12"]
    assert labels[3:] == ["discard a card of 1 points to go further", "go north"]


def test_decode_is_the_inverse_of_encode() -> None:
    for game in (
        isle_envs.make_game("isle_tiles"),
        isle_envs.make_game("isle_tiles", board="draft"),
        isle_envs.make_game("isla"),
    ):
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

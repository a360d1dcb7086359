"""Policies: what is asked of them, and of those who ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core import rng
from isle_envs.core.policy import make_policy
from tests.sticks import Sticks

GAME = isle_envs.make_game("isle_tiles")
ALL = np.ones(3, np.bool_)
STREAMS = rng.streams(np.arange(3, dtype=np.uint64), rng.SEAT)


@pytest.mark.parametrize(
    "where", [np.ones(2, np.bool_), np.ones(3, np.int8), np.ones((3, 1), np.bool_), None, [True] * 3]
)
@pytest.mark.parametrize("spec", ["random", lambda observation, mask: 0])
def test_where_is_bool_one_for_each_game(spec: Any, where: Any) -> None:
    with pytest.raises(ValueError, match="where must be a bool array of shape"):
        make_policy(spec, GAME).act(GAME.batch(3), where, STREAMS)


@pytest.mark.parametrize("streams", [STREAMS[:1], np.zeros(3, np.uint64), None])
def test_there_is_a_stream_for_each_game(streams: Any) -> None:
    with pytest.raises(ValueError, match="rng must be 3 random streams"):
        make_policy("random", GAME).act(GAME.batch(3), ALL, streams)


def test_a_policy_answers_for_its_own_game() -> None:
    with pytest.raises(ValueError, match="policy 'random' was made for isle_tiles, not for sticks"):
        make_policy("random", GAME).act(Sticks(num_players=2).batch(3), ALL, STREAMS)
    other = isle_envs.make_game("isle_tiles", num_players=4, board="draft")  # the same rules
    batch = other.batch(3)
    batch.step(make_policy("random", GAME).act(batch, ALL, STREAMS.copy()))


@pytest.mark.parametrize("answer", [None, 5.7, 5.0, "5", True, np.array([5, 6]), np.float32(5)])
def test_a_function_returns_an_integer(answer: Any) -> None:
    def careless(observation: Any, mask: Any) -> Any:
        return answer

    with pytest.raises(TypeError, match="policy 'careless' must return an action, an integer, but returned"):
        make_policy(careless, GAME).act(GAME.batch(3), ALL, STREAMS)


@pytest.mark.parametrize("answer", [-1, 10**30])
def test_a_function_returns_an_action(answer: int) -> None:
    with pytest.raises(isle_envs.IllegalActionError, match=f"illegal action {answer}"):
        make_policy(lambda observation, mask: answer, GAME).act(GAME.batch(3), ALL, STREAMS)

"""One game at a time: PettingZoo and Gymnasium environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from benchmarks.timing import Task
from benchmarks.variants import Variant
from isle_envs.core import rng
from isle_envs.core.loops import sample
from isle_envs.envs import aec

STEPS = 500  # in one call


def tasks(variant: Variant) -> list[Task]:
    """The faces of a game, all choosing by the same compiled sampler."""
    result = [
        Task("raw_env()", agents(aec.raw_env(variant.make())), "turns"),
        Task("env()", agents(aec.env(variant.make())), "turns"),
        Task("step, unwrapped", _learner(gymnasium.make(variant.env_id).unwrapped), "steps"),
        Task("step, made", _learner(gymnasium.make(variant.env_id)), "steps"),
    ]
    for task in result:
        task.group, task.game = "faces", variant.key
    return result


def agents(env: Any, steps: int = STEPS) -> Callable[[], int]:
    """``last``, a legal choice, ``step``; a finished game is reset."""
    env.reset(seed=1)
    stream = rng.streams([1], rng.SAMPLER)[0]

    def work() -> int:
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(int(sample(observation["action_mask"], stream)))
        return steps

    return work


def _learner(env: Any) -> Callable[[], int]:
    """A legal choice and ``step`` against the built-in random opponents; a finished game is reset."""
    _, info = env.reset(seed=1)
    stream = rng.streams([1], rng.SAMPLER)[0]

    def work() -> int:
        nonlocal info
        for _ in range(STEPS):
            _, _, terminated, truncated, info = env.step(int(sample(info["action_mask"], stream)))
            if terminated or truncated:
                _, info = env.reset()
        return STEPS

    return work

"""One game at a time: PettingZoo and Gymnasium environments, beside PettingZoo's connect four."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from benchmarks.timing import Task
from isle_envs.core import rng
from isle_envs.core.game import Game
from isle_envs.core.loops import sample
from isle_envs.envs import aec

STEPS = 500  # in one call


def tasks(game: Game) -> list[Task]:
    """The faces of a game, all choosing by the same compiled sampler."""
    options = {"num_players": game.num_players}
    name = "".join(word.capitalize() for word in game.name.split("_")) + ("Solo" if game.num_players == 1 else "")
    return [
        Task("AEC, raw_env()", _agents(aec.raw_env(game)), "turns"),
        Task("AEC, env()", _agents(aec.env(game)), "turns"),
        Task("Gymnasium, unwrapped", _learner(gymnasium.make(f"isle_envs/{name}-v0", **options).unwrapped), "steps"),
        Task("Gymnasium, make()", _learner(gymnasium.make(f"isle_envs/{name}-v0", **options)), "steps"),
    ]


def peers() -> list[Task]:
    """PettingZoo's connect four, or nothing where its extra is not installed."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError as error:
        print(f"PettingZoo's connect four is left out: {error}")
        return []
    return [
        Task("PettingZoo connect four, raw_env()", _agents(connect_four_v3.raw_env()), "turns"),
        Task("PettingZoo connect four, env()", _agents(connect_four_v3.env()), "turns"),
    ]


def _chooser() -> Callable[[Any], int]:
    stream = rng.streams([1], rng.SAMPLER)

    def choose(mask: Any) -> int:
        return int(sample(mask, stream[0]))

    return choose


def _agents(env: Any) -> Callable[[], int]:
    """``last``, a legal choice, ``step``; a finished game is reset."""
    env.reset(seed=1)
    choose = _chooser()

    def work() -> int:
        for _ in range(STEPS):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
            else:
                env.step(choose(observation["action_mask"]))
        return STEPS

    return work


def _learner(env: Any) -> Callable[[], int]:
    """A legal choice and ``step`` against the built-in random opponents; a finished game is reset."""
    _, info = env.reset(seed=1)
    choose = _chooser()
    kept = {"info": info}

    def work() -> int:
        info = kept["info"]
        for _ in range(STEPS):
            _, _, terminated, truncated, info = env.step(choose(info["action_mask"]))
            if terminated or truncated:
                _, info = env.reset()
        kept["info"] = info
        return STEPS

    return work

"""MaskablePPO end to end, beside an environment of the same spaces that costs nothing."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from agents.network import policy_arguments
from agents.settings import Settings
from agents.vec_env import DriverVecEnv
from benchmarks.timing import Task
from benchmarks.variants import Variant
from isle_envs.core.game import Game

FREE = "an environment that costs nothing"
SETTINGS = {
    "isle train": Settings(shaping=0.0),
    "4 epochs": Settings(shaping=0.0, minibatch=2048, epochs=4),
}

_RECORDED = 32
_LEAST_ROUNDS = 5
_SHARE = 8  # times as long as other tasks get


class FreeVecEnv(DriverVecEnv):
    """An environment that costs nothing: it hands out recorded steps over and over.

    They must be real ones: torch takes longer over masks that differ than over constant ones.
    """

    def __init__(self, game: Game, n: int) -> None:
        super().__init__(game, n, seed=0)
        observations: Any = super().reset()
        self._records: list[tuple[Any, Any]] = []
        for _ in range(_RECORDED):
            self._records.append(((observations, *self._rest()), super().action_masks()))
            super().step_async(self.driver.batch.sample_legal())
            observations, *self._last = super().step_wait()
        self._at = 0

    def _rest(self) -> Any:
        return getattr(
            self, "_last", (np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool), [{}] * self.num_envs)
        )

    def reset(self) -> Any:
        return self._records[0][0][0]

    def step_wait(self) -> Any:
        self._at = (self._at + 1) % _RECORDED
        return self._records[self._at][0]

    def action_masks(self) -> Any:
        return self._records[self._at][1]


def measured(variant: Variant, repeats: int, seconds: float) -> list[Task]:
    """Rollouts and updates, torch on one thread: in turn one of each environment, for as long as there is time.

    Ratios are of two neighbours; their median over many rounds is stable though the machine is not.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    game = variant.make()
    result = []
    for words, settings in SETTINGS.items():
        envs: dict[str, VecEnv] = {
            FREE: FreeVecEnv(game, settings.copies),
            "against random" if variant.players > 1 else "alone": DriverVecEnv(game, settings.copies, seed=0),
        }
        if variant.players > 1 and settings.epochs == 1:
            envs["against greedy"] = DriverVecEnv(game, settings.copies, opponents="greedy", seed=0)
        timed = [
            (
                Task(f"MaskablePPO, {words}, {name}", lambda: 0, "steps", "learning", variant.key),
                _model(game, env, settings),
            )
            for name, env in envs.items()
        ]
        steps = settings.copies * settings.rollout
        for _, model in timed:
            model.learn(steps)
        end = time.perf_counter() + _SHARE * repeats * seconds * len(timed)
        rounds = 0
        while rounds < min(_LEAST_ROUNDS, repeats) or time.perf_counter() < end:
            for task, model in timed if rounds % 2 == 0 else reversed(timed):
                start = time.perf_counter()
                model.learn(steps, reset_num_timesteps=False)
                task.rates.append(steps / (time.perf_counter() - start))
            rounds += 1
        result += [task for task, _ in timed]
    torch.set_num_threads(threads)
    return result


def _model(game: Game, env: VecEnv, settings: Settings) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=settings.rollout,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        policy_kwargs=policy_arguments(settings, game),
        seed=0,
        device="cpu",
    )

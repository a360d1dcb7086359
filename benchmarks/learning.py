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
from isle_envs.core.game import Game

RECORDED = 32


class FreeVecEnv(DriverVecEnv):
    """An environment that costs nothing: it hands out recorded steps over and over.

    They must be real ones: torch takes longer over masks that differ than over constant ones.
    """

    def __init__(self, game: Game, n: int) -> None:
        super().__init__(game, n, seed=0)
        observations = super().reset()
        self._records: list[tuple[Any, Any]] = []
        for _ in range(RECORDED):
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
        self._at = (self._at + 1) % RECORDED
        return self._records[self._at][0]

    def action_masks(self) -> Any:
        return self._records[self._at][1]


SETTINGS = {
    "isle train's settings": Settings(shaping=0.0),
    "4 epochs": Settings(shaping=0.0, rollout=64, minibatch=2048, epochs=4),
}


def tasks(game: Game, repeats: int) -> list[Task]:
    """Rollouts and updates, torch on one thread, interleaved; with the settings of ``isle train`` and with more learning from each step."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    result = []
    for words, settings in SETTINGS.items():
        envs: dict[str, VecEnv] = {
            "an environment that costs nothing": FreeVecEnv(game, settings.copies),
            "against random": DriverVecEnv(game, settings.copies, opponents="random", seed=0),
            "against greedy": DriverVecEnv(game, settings.copies, opponents="greedy", seed=0),
        }
        if game.num_players == 1:
            envs = {name: env for name, env in envs.items() if name != "against greedy"}
        timed = [
            (Task(f"MaskablePPO, {words}, {name}", lambda: 0, "steps"), _model(game, env, settings))
            for name, env in envs.items()
        ]
        steps = settings.copies * settings.rollout
        for _, model in timed:
            model.learn(steps)
        for _ in range(repeats):
            for task, model in timed:
                start = time.perf_counter()
                model.learn(2 * steps, reset_num_timesteps=False)
                task.rates.append(2 * steps / (time.perf_counter() - start))
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

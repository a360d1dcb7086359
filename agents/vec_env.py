"""A stable-baselines3 ``VecEnv`` straight on the batch engine."""

import time
from collections.abc import Sequence
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from isle_envs.core.game import Game
from isle_envs.envs.driver import EpisodeDriver, Opponents
from isle_envs.envs.face import BatchViewer


class DriverVecEnv(VecEnv):
    """``n`` copies of a game with one learning seat each, stepped together; the opponents move inside ``step``.

    Copy i equals the single Gymnasium environment seeded ``seed + i``, step for step. A copy whose episode has ended is
    reset within the same step, and its ``infos[i]`` then holds

    - ``terminal_observation``: float32 (size,), the last observation of the episode;
    - ``TimeLimit.truncated``: whether ``max_episode_steps`` cut it off;
    - ``episode``: ``{"r": return, "l": steps, "t": seconds since the environment was made}``, as ``Monitor`` writes it, and
      ``is_success``: whether the return is positive, so that stable-baselines3 logs both without a wrapper;
    - ``illegal_action``: the offending action, only where an illegal one ended the episode.

    All other infos are empty. Everything returned is a copy.

    Args:
        game: the game, from ``isle_envs.make_game``.
        n: number of copies.
        opponents: as ``EpisodeDriver`` takes them.
        seat: the learner's seat, or "rotate".
        seed: base seed; ``None`` draws one.
        max_episode_steps: truncate episodes at so many of the learner's steps; ``None`` never.
        shaping: what the learner gets, besides the game's reward, for every point that it gets ahead of the best other
            player and loses for every point that it falls behind, as the scores stand after
            each step. The ``episode`` infos do not count it.
            A solo game is not shaped.
        threads: threads of the batch engine; it changes no result.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        seed: int | None = None,
        max_episode_steps: int | None = None,
        shaping: float = 0.0,
        threads: int = 1,
    ) -> None:
        if max_episode_steps is not None and (type(max_episode_steps) is not int or max_episode_steps < 1):
            raise ValueError(f"max_episode_steps must be None or a whole number above 0, not {max_episode_steps!r}")
        if isinstance(shaping, bool) or not isinstance(shaping, int | float) or not isfinite(shaping):
            raise ValueError(f"shaping must be a finite number, not {shaping!r}")
        self.game = game
        self.driver = EpisodeDriver(game, n, opponents=opponents, seat=seat, seed=seed, threads=threads)
        self._attributes: list[dict[str, Any]] = [
            {"render_mode": None, "action_masks": partial(self._action_mask, i)} for i in range(n)
        ]
        super().__init__(
            n,
            spaces.Box(-1.0, 1.0, (game.observation.size,), np.float32),
            spaces.Discrete(game.num_actions),
        )
        if seed is not None:
            self.seed(seed)
        self._max_episode_steps = max_episode_steps
        self._shaping = np.float32(shaping if game.num_players > 1 else 0.0)
        self._lead = np.zeros(n, np.float32)
        self._actions = np.zeros(n, np.int64)
        self._viewer = BatchViewer(game, "scaled", n, copy=True)
        self._lengths = np.zeros(n, np.int64)
        self._start = time.perf_counter()

    # --- the games

    def reset(self) -> NDArray[np.float32]:
        """Start a new episode in every copy: the first of the seeds given to ``seed``, else each copy's next one.

        Returns float32 (n, size). Raises ValueError if ``set_options`` was given any: there are none.
        """
        if any(self._options):
            raise ValueError(f"reset options {self._options[0]} are not known here: this environment takes none")
        seeds = [seed for seed in self._seeds if seed is not None]
        self.driver.reset(seeds=seeds or None)
        self._reset_seeds()
        self._lengths[:] = 0
        if self._shaping:
            self._lead = self._measure_lead()
        return self._viewer.look(self.driver)

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Note the actions, int (n,), for ``step_wait``."""
        self._actions[:] = self.driver.batch.as_actions(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the noted actions: observations float32 (n, size), rewards float32 (n,), dones bool (n,), infos."""
        driver = self.driver
        driver.step(self._actions)
        rewards = driver.rewards.copy()
        dones = driver.terminated.copy()
        self._lengths += 1
        if self._shaping:
            lead = self._measure_lead()
            rewards += self._shaping * (lead - self._lead)
            self._lead = lead
        if self._max_episode_steps is not None:
            dones |= self._lengths >= self._max_episode_steps
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        observations = self._viewer.look(self.driver)
        if dones.any():
            self._finish(dones, infos, observations)
        return observations, rewards, dones, infos

    def _finish(self, dones: NDArray[np.bool_], infos: list[dict[str, Any]], observations: NDArray[np.float32]) -> None:
        """Write the infos of the episodes that ended, and start the next ones, whose observations replace the last."""
        seconds = round(time.perf_counter() - self._start, 6)
        for i in np.flatnonzero(dones):
            total = float(self.driver.returns[i])
            infos[i] = {
                "terminal_observation": observations[i].copy(),
                "TimeLimit.truncated": not self.driver.terminated[i],
                "episode": {"r": round(total, 6), "l": int(self._lengths[i]), "t": seconds},
                "is_success": total > 0,
            }
            if self.driver.illegal[i] >= 0:
                infos[i]["illegal_action"] = int(self.driver.illegal[i])
        self._lengths[dones] = 0
        self.driver.reset(where=dones)
        self._viewer.look_again(self.driver, dones)
        if self._shaping:
            self._lead = self._measure_lead()

    def _measure_lead(self) -> NDArray[np.float32]:
        """How many points each learner is ahead of the best other player, float32 (n,)."""
        scores = self.driver.batch.scores().astype(np.float32)
        rows, learner = np.arange(self.num_envs), self.driver.learner
        own = scores[rows, learner]
        scores[rows, learner] = -np.inf
        lead: NDArray[np.float32] = own - scores.max(axis=1)
        return lead

    def action_masks(self) -> NDArray[np.bool_]:
        """What each copy's learner may do now, bool (n, num_actions): after an episode's end, in the new episode."""
        return self.driver.action_mask.copy()

    def _action_mask(self, i: int) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.driver.action_mask[i].copy()
        return mask

    def close(self) -> None:
        """Nothing to release."""

    # --- what stable-baselines3 asks of single copies

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of every copy; ``action_masks`` is the one there is."""
        if method_name == "action_masks" and indices is None:
            return list(self.action_masks())
        return [method(*method_args, **method_kwargs) for method in self.get_attr(method_name, indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The named attribute of each copy: ``render_mode``, ``action_masks``, or one set by ``set_attr``.

        Raises AttributeError for any other.
        """
        copies = [self._attributes[i] for i in self._get_indices(indices)]
        if not all(attr_name in copy for copy in copies):
            raise AttributeError(f"the copies have no attribute {attr_name!r}, only {', '.join(self._attributes[0])}")
        return [copy[attr_name] for copy in copies]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Attach a value to copies, for ``get_attr`` to return; it changes nothing else."""
        for i in self._get_indices(indices):
            self._attributes[i][attr_name] = value

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """True for ``Monitor``, whose ``episode`` infos are written here; False for every other wrapper."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """No pictures: ``render_mode`` is None."""
        return [None] * self.num_envs

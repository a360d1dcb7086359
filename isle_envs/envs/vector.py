"""Many copies of a game as one Gymnasium vector environment, straight on the batch engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from isle_envs.core.game import Game
from isle_envs.envs.driver import EpisodeDriver, Opponents
from isle_envs.envs.face import RENDER_MODES, BatchViewer, find_game, one_of, show

_KEYWORDS = (
    "opponents",
    "seat",
    "illegal",
    "observation",
    "render_mode",
    "autoreset_mode",
    "max_episode_steps",
    "copy",
    "endings",
    "threads",
)


class SeatVectorEnv(VectorEnv[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]):
    """``num_envs`` copies of :class:`~isle_envs.envs.solo.SeatEnv`, stepped together by the batch engine.

    Copy i equals the single environment seeded ``seed + i``, step for step and through autoresets, for any number of
    copies and threads. ``reset`` and ``step`` return float32 ``(num_envs, size)`` in −1 … 1, or int8 with
    ``observation="raw"``; rewards are float64, terminations and truncations bool ``(num_envs,)``. Every ``infos`` has

    - ``action_mask``: int8 ``(num_envs, num_actions)``, all zeros in a copy whose episode is over; ``seat``, int64
      ``(num_envs,)``, the learner's; ``illegal_action``, int64 ``(num_envs,)``, −1 or the action that ended the episode
      (noted as the single environment notes it);
    - where an episode ended, unless ``endings=False``: what the single environment's last info holds (``score``,
      ``rank``, ``end``, …), each with its mask (``_score``, …).

    With ``AutoresetMode.SAME_STEP`` the observation and the info of the episode that ended are ``final_obs`` and
    ``final_info`` (with ``_final_obs``, ``_final_info``), and everything else is that of the new one. With ``DISABLED`` a
    copy that is over must be reset, with ``options={"reset_mask": bool (num_envs,)}``, before the next step.

    Attributes:
        game: the game.
        driver: the engine, an :class:`~isle_envs.envs.driver.EpisodeDriver`.
        metadata: the instance's own, with its ``autoreset_mode``.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        game: Game | str,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal: str = "terminate",
        observation: str = "scaled",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        endings: bool = True,
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Makes the environments.

        Args:
            num_envs: how many copies.
            game: a game, or the name of one.
            opponents: a policy, its name or a function of (observation, mask), for all other seats; or a list of them, in
                turn order after the learner. Named ones play within the engine and cost little.
            seat: the learner's seat, or ``"rotate"``: seat k mod players in episode k.
            illegal: ``"terminate"``: an action that the mask forbids ends its copy's episode with the game's forfeit.
                ``"raise"``: it raises ``IllegalActionError``, changing nothing.
            observation: ``"scaled"`` or ``"raw"``.
            render_mode: ``"human"``, ``"ansi"`` or None.
            autoreset_mode: when an episode that is over is followed by the next: with the next step (whose action is
                passed over there), within the same step, or not by itself.
            max_episode_steps: truncate episodes at so many of the learner's steps; None never.
            copy: whether what is returned is the caller's. If False, ``observations`` and ``infos["action_mask"]`` are
                the same arrays with every step, overwritten by the next.
            endings: whether the infos tell of episodes that ended.
            threads: threads of the batch engine; it changes no result.
            options: with a name, keywords for :func:`isle_envs.make_game`.

        Raises:
            ValueError: an unknown name, keyword or value; the message tells the nearest valid one.
            ComponentError: the component file cannot be used.
        """
        self.game = find_game(game, options, _KEYWORDS)
        self.render_mode = render_mode if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        for what, flag in (("copy", copy), ("endings", endings)):
            if not isinstance(flag, bool):
                raise ValueError(f"{what} must be True or False, not {flag!r}")
        if not _is_count(num_envs):
            raise ValueError(f"num_envs must be a whole number above 0, not {num_envs!r}")
        if max_episode_steps is not None and not _is_count(max_episode_steps):
            raise ValueError(f"max_episode_steps must be None or a whole number above 0, not {max_episode_steps!r}")
        names = tuple(mode.value for mode in AutoresetMode)
        value = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(one_of("autoreset_mode", value, names))
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": 4,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs = num_envs = int(num_envs)
        self.driver = EpisodeDriver(
            self.game, num_envs, opponents=opponents, seat=seat, illegal=illegal, threads=threads
        )
        self._viewer = BatchViewer(self.game, observation, num_envs, copy)
        self.single_observation_space = self._viewer.space()
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy, self._endings, self._most_steps = copy, endings, max_episode_steps
        self._steps = np.zeros(num_envs, np.int64)  # of the running episode
        self._over = np.ones(num_envs, np.bool_)  # the episode has ended, and the next has not begun
        self._seeded = np.zeros(num_envs, np.bool_)
        self._given = np.zeros(num_envs, np.int64)  # the last actions
        self._everywhere = np.ones(num_envs, np.bool_)

    # ------------------------------------------------------------------------------------------------------ Gymnasium

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begins episodes: episode 0 of a seed, without one each copy's next.

        Args:
            seed: copy i gets ``seed + i``; or a list, one for each copy, None where there is none. Copies never seeded
                draw their seed once.
            options: ``{"reset_mask": bool (num_envs,)}`` resets only these copies; the others go on.

        Raises:
            ValueError, TypeError: a seed or mask that is none, or another option; nothing has changed.
        """
        where = self._reset_mask(options)
        seeds = self._seeds(seed, where)
        given = np.array([s is not None for s in seeds]) & where
        if given.any():
            self.driver.reset([0 if s is None else s for s in seeds], given)
        if (where & ~given).any():
            self.driver.reset(None, where & ~given)
        self._seeded |= where
        self._begin(where)
        infos = self._infos(where)
        if self.render_mode == "human":
            self.render()
        return self._observe(), infos

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in every copy, integers ``(num_envs,)``, and the opponents' answers.

        Raises:
            IllegalActionError: with ``illegal="raise"``, before anything changes.
            ValueError, TypeError: not ``num_envs`` integers.
            gymnasium.error.ResetNeeded: no episode has begun in a copy; with ``DISABLED``, also: it is over.
        """
        driver, mode = self.driver, self.autoreset_mode
        if not self._seeded.all():
            copies = _listed(np.flatnonzero(~self._seeded))
            raise gymnasium.error.ResetNeeded(f"call reset() before step(): no episode has begun in {copies}")
        before = self._over
        if mode is AutoresetMode.DISABLED and before.any():
            copies = _listed(np.flatnonzero(before))
            raise gymnasium.error.ResetNeeded(
                f"the episode is over in {copies}: call reset(options={{'reset_mask': …}}) before step()"
            )
        given = driver.batch.as_actions(actions)
        driver.step(given)
        self._given[:] = given
        self._steps += 1
        late = before.any()  # NEXT_STEP: these begin now, their action is passed over
        if late:
            driver.reset(where=before)
            self._steps[before] = 0
        rewards = driver.rewards.astype(np.float64)
        terminations = driver.terminated.copy()
        truncations = np.zeros(self.num_envs, np.bool_)
        if self._most_steps is not None:
            truncations = self._steps >= self._most_steps
        if late:
            rewards[before] = 0.0
        over = terminations | truncations
        if not over.any():
            self._over = over
            return self._observe(), rewards, terminations, truncations, self._infos(self._everywhere)
        if mode is AutoresetMode.SAME_STEP:
            observations, final = self._finish(over)
            return observations, rewards, terminations, truncations, final | self._infos(self._everywhere)
        self._over = over
        infos = self._infos(self._everywhere)
        if self._endings:
            self._tell_endings(infos, over)
        observations = self._observe()
        driver.end(over)
        return observations, rewards, terminations, truncations, infos

    def _finish(self, over: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """SAME_STEP: begins the next episodes; returns the observations, and the infos about how the last ones ended."""
        last = self._observe()
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(over):
            final_obs[i] = last[i].copy()
        final: dict[str, Any] = {"final_obs": final_obs, "_final_obs": over.copy()}
        if self._endings:
            info: dict[str, Any] = {}
            masks = self.driver.action_mask.view(np.int8)
            self._tell(info, "action_mask", np.where(over[:, None], masks, 0), over)
            self._tell(info, "seat", np.where(over, self.driver.learner, 0).astype(np.int64), over)
            self._tell(info, "illegal_action", np.where(over, self.driver.illegal, 0).astype(np.int64), over)
            self._tell_endings(info, over)
            final |= {"final_info": info, "_final_info": over.copy()}
        self.driver.reset(where=over)
        self._begin(over)
        self._viewer.look_again(self.driver, over)
        return last, final

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool ``(num_envs, num_actions)``: after an autoreset those of the new episode."""
        masks = self.driver.action_mask
        return masks.copy() if self._copy else masks

    def render(self, copies: Sequence[int] | None = None) -> tuple[str, ...] | None:
        """The positions of some copies, else of all, as their learners may see them; once over, with everything.

        Returns:
            With ``"ansi"`` the texts; with ``"human"`` they are printed.
        """
        states, learner = self.driver.batch.states, self.driver.learner
        chosen = range(self.num_envs) if copies is None else copies
        for i in chosen:
            if isinstance(i, bool) or not isinstance(i, int | np.integer) or not 0 <= i < self.num_envs:
                raise ValueError(f"there are copies 0 to {self.num_envs - 1}, not {i!r}")
        hidden = self.driver.batch.current_player >= 0
        texts = [self.game.text(states[i], int(learner[i]) if hidden[i] else None) for i in chosen]
        shown = [show(text, self.render_mode) for text in texts]
        return tuple(texts) if shown and shown[0] is not None else None

    # --------------------------------------------------------------------------------------------------------- Inside

    def _reset_mask(self, options: dict[str, Any] | None) -> npt.NDArray[np.bool_]:
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"options must be a dictionary or None, not {options!r}")
        for option in options or {}:
            if option != "reset_mask":
                raise ValueError(f"unknown reset option {option!r}; there is 'reset_mask'")
        if not options:
            return self._everywhere
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            found = f"of {mask.dtype} and shape {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise ValueError(
                f"reset_mask must be a numpy array of bool and shape ({self.num_envs},), one for each copy, not {found}"
            )
        if not mask.any():
            raise ValueError("reset_mask must name at least one copy")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None, where: npt.NDArray[np.bool_]) -> list[int | None]:
        """A seed for each copy, None where its next episode is meant."""
        if seed is not None and (
            not isinstance(seed, Sequence | np.ndarray)
            or isinstance(seed, str | bytes)
            or np.ndim(cast(Any, seed)) == 0
        ):
            if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
                raise TypeError(f"seed must be an integer, or a list of them, not {seed!r}")
            super().reset(seed=int(seed))
            return [int(seed) + i for i in range(self.num_envs)]
        seeds: list[int | None] = [None] * self.num_envs if seed is None else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"there must be {self.num_envs} seeds, one for each copy, not {len(seeds)}")
        for given in seeds:
            if given is not None and (isinstance(given, bool) or not isinstance(given, int | np.integer)):
                raise TypeError(f"seeds must be integers or None, not {given!r}")
        missing = where & ~self._seeded & np.array([given is None for given in seeds])
        if missing.any():
            base = int(self.np_random.integers(2**63))
            seeds = [base + i if missing[i] else given for i, given in enumerate(seeds)]
        return seeds

    def _begin(self, where: npt.NDArray[np.bool_]) -> None:
        self._steps[where] = 0
        self._over = self._over & ~where

    def _observe(self) -> npt.NDArray[Any]:
        return self._viewer.look(self.driver)

    def _infos(self, where: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """What every info has, of the copies ``where``."""
        driver = self.driver
        infos: dict[str, Any] = {}
        masks = driver.action_mask.view(np.int8)
        self._tell(infos, "action_mask", masks.copy() if self._copy else masks, where)
        self._tell(infos, "seat", driver.learner.astype(np.int64), where)
        self._tell(infos, "illegal_action", driver.illegal.astype(np.int64), where)
        return infos

    def _tell(self, infos: dict[str, Any], key: str, values: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> None:
        infos[key], infos[f"_{key}"] = values, where.copy()

    def _tell_endings(self, infos: dict[str, Any], over: npt.NDArray[np.bool_]) -> None:
        """What the last info of an episode tells besides."""
        driver = self.driver
        scores, ranks, _ = driver.batch.measure()
        rows = np.arange(self.num_envs)
        self._tell(infos, "score", np.where(over, scores[rows, driver.learner], 0).astype(np.int64), over)
        self._tell(infos, "rank", np.where(over, ranks[rows, driver.learner], 0).astype(np.int64), over)
        for i in map(int, np.flatnonzero(over)):
            info: dict[str, Any] = {"end": ""}
            if driver.terminated[i] or self.game.num_players == 1:
                info |= self.game.info(driver.batch.states[i])
            if driver.illegal[i] >= 0:
                given = int(self._given[i])
                error = driver.batch.illegal(i, given)
                noted = given == driver.illegal[i]
                reason = error.reason if noted else f"{given} was given; {error.reason}"
                info |= {"end": "illegal_action", "illegal_label": error.label, "illegal_reason": reason}
            self._add_info(infos, info, i)


class SoloVectorEnv(SeatVectorEnv):
    """The vector environment of a game for one player: a :class:`SeatVectorEnv` without other seats."""

    def __init__(self, num_envs: int = 1, *, game: Game | str, num_players: int = 1, **arguments: Any) -> None:
        """See :class:`SeatVectorEnv`; raises ``ValueError`` for more players than one."""
        if num_players != 1:
            raise ValueError(
                f"num_players must be 1 here, not {num_players!r}: this is the game for one player; "
                "for more take the environment without 'Solo' in its id"
            )
        super().__init__(num_envs, game=game, num_players=1, **arguments)


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value > 0)


def _listed(copies: npt.NDArray[np.intp]) -> str:
    """Copies by number, the first eight of them."""
    more = ", …" if len(copies) > 8 else ""
    return f"{'copy' if len(copies) == 1 else 'copies'} {', '.join(map(str, copies[:8]))}{more}"

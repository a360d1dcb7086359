"""Any game as a Gymnasium environment: one seat learns, the other seats, if there are any, move inside ``step``."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from isle_envs.core.game import Game
from isle_envs.envs.driver import EpisodeDriver, Opponents
from isle_envs.envs.face import RENDER_MODES, Viewer, find_game, one_of, show
from isle_envs.envs.loops import LARGEST

_KEYWORDS = ("opponents", "seat", "illegal", "observation", "render_mode")


class SeatEnv(gymnasium.Env[npt.NDArray[Any], int | np.integer[Any]]):
    """One seat of a game, against opponents or, in a game for one player, alone.

    Observations are float32 ``(size,)`` in −1 … 1, or int8 with ``observation="raw"``; actions are
    ``Discrete(num_actions)``. Every ``info`` has

    - ``action_mask``: int8 ``(num_actions,)``, the legal actions; all zeros once the episode is over;
    - ``seat``, ``score`` (as the game stands) and ``rank`` (0 before the end) of the learner;
    - ``illegal_action``: −1, or the action by which the learner ended the episode; then ``illegal_label`` names it and
      ``illegal_reason`` says what was wrong. A negative action is noted as ``num_actions``, one above 2³¹ − 1 as that;
      the reason then tells the number given;
    - ``end``: how the episode ended, "" before; and at the end, in a game for one player always, what else the game tells.

    ``step`` plays the learner's action and then the opponents' until the learner is to decide again or the game is
    over, and the episode ends only then (``terminated``). Nothing is truncated but by a user's ``max_episode_steps``.
    ``reset(seed=s)`` begins episode 0 of seed s, ``reset()`` the next episode; an environment never seeded draws its
    seed once. ``copy.deepcopy`` and pickle give a true clone of a running episode.

    Attributes:
        game: the game.
        driver: the engine, an :class:`~isle_envs.envs.driver.EpisodeDriver` of one copy.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal: str = "terminate",
        observation: str = "scaled",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Makes an environment.

        Args:
            game: a game, or the name of one.
            opponents: a policy, its name (``"random"``, ``"greedy"``, …) or a function of (observation, mask), for all
                other seats; or a list of them, in turn order after the learner. Functions see the scaled observation.
            seat: the learner's seat, or ``"rotate"``: seat k mod players in episode k.
            illegal: ``"terminate"``: an action that the mask forbids ends the episode, and the return becomes the
                game's forfeit, below every natural result. ``"raise"``: it raises ``IllegalActionError``, changing
                nothing.
            observation: ``"scaled"`` or ``"raw"``.
            render_mode: ``"human"``, ``"ansi"`` or None.
            options: with a name, keywords for :func:`isle_envs.make_game`.

        Raises:
            ValueError: an unknown name, keyword or value; the message tells the nearest valid one.
            ComponentError: the component file cannot be used.
        """
        self.game = find_game(game, options, _KEYWORDS)
        self.render_mode = render_mode if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self.driver = EpisodeDriver(self.game, opponents=opponents, seat=seat, illegal=illegal)
        self._viewer = Viewer(self.game, observation)
        self.observation_space = self._viewer.space()
        self.action_space = Discrete(self.game.num_actions)
        self._raises = illegal == "raise"
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begins an episode and plays up to the learner's first decision. There are no ``options``.

        Returns:
            The observation and the info.
        """
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self.driver.reset(None if seed is None else [seed])
        self._seeded = True
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._info()

    def step(self, action: int | np.integer[Any]) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Plays ``action`` and the opponents' answers.

        Returns:
            The observation, reward, terminated, truncated (always False) and the info.

        Raises:
            IllegalActionError: with ``illegal="raise"``, before anything changes.
            TypeError: not an integer.
            gymnasium.error.ResetNeeded: the episode is over, or none has begun.
        """
        driver = self.driver
        if driver.terminated[0]:
            raise gymnasium.error.ResetNeeded("call reset() before step(): no episode is running")
        try:
            index = operator.index(action)
        except TypeError:
            raise TypeError(f"an action is an integer in 0 to {self.game.num_actions - 1}, not {action!r}") from None
        number = index if -1 <= index <= LARGEST else LARGEST if index > 0 else -1
        if self._raises and number != index:
            raise driver.batch.illegal(0, index)
        driver.step(np.array([number]))
        info = self._info()
        terminated = bool(driver.terminated[0])
        if driver.illegal[0] >= 0:
            error = driver.batch.illegal(0, index)
            reason = error.reason if info["illegal_action"] == index else f"{index} was given; {error.reason}"
            info |= {"end": "illegal_action", "illegal_label": error.label, "illegal_reason": reason}
        if self.render_mode == "human":
            self.render()
        return self._observe(), float(driver.rewards[0]), terminated, False, info

    def _observe(self) -> npt.NDArray[Any]:
        return self._viewer.look(self.driver.batch, int(self.driver.learner[0]))

    def _info(self) -> dict[str, Any]:
        driver = self.driver
        seat = int(driver.learner[0])
        scores, ranks, _ = driver.batch.measure()
        info: dict[str, Any] = {
            "action_mask": driver.action_mask[0].astype(np.int8),
            "seat": seat,
            "score": int(scores[0, seat]),
            "rank": int(ranks[0, seat]),
            "illegal_action": int(driver.illegal[0]),
            "end": "",
        }
        if driver.terminated[0] or self.game.num_players == 1:
            info |= self.game.info(driver.batch.states[0])
        return info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool ``(num_actions,)``, as stable-baselines3's MaskablePPO asks for them."""
        mask: npt.NDArray[np.bool_] = self.driver.action_mask[0].copy()
        return mask

    def render(self) -> str | None:
        """The position as the learner may see it, once the game is over with everything: returned or printed."""
        driver = self.driver
        over = driver.batch.terminated[0]
        text = self.game.text(driver.batch.states[0], None if over else int(driver.learner[0]))
        return show(text, self.render_mode)


class SoloEnv(SeatEnv):
    """The environment of a game for one player: a :class:`SeatEnv` without other seats."""

    def __init__(self, game: Game | str, *, num_players: int = 1, **arguments: Any) -> None:
        """See :class:`SeatEnv`; raises ``ValueError`` for more players than one."""
        if num_players != 1:
            raise ValueError(
                f"num_players must be 1 here, not {num_players!r}: this is the game for one player; "
                "for more take the environment without 'Solo' in its id"
            )
        super().__init__(game, num_players=1, **arguments)

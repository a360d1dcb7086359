"""What the PettingZoo and Gymnasium environments have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import logger
from gymnasium.spaces import Box

from isle_envs.core.batch import Batch
from isle_envs.core.errors import unknown
from isle_envs.core.game import GAMES, Game, make_game
from isle_envs.core.threads import in_chunks
from isle_envs.envs.loops import scale

if TYPE_CHECKING:
    from isle_envs.envs.driver import EpisodeDriver

RENDER_MODES = ("human", "ansi")
OBSERVATIONS = ("scaled", "raw")


def find_game(game: Game | str, options: Mapping[str, Any], keywords: tuple[str, ...]) -> Game:
    """The game given, or the one of that name with ``options``.

    Args:
        game: a game, or a name of :data:`~isle_envs.core.game.GAMES`.
        options: keywords for ``make_game``; none where a game is given.
        keywords: the environment's own keywords, for the message about an unknown one.

    Raises:
        ValueError: an unknown name or keyword; the message tells the nearest valid one.
        ComponentError: the component file cannot be used.
    """
    if isinstance(game, Game):
        for option in options:
            raise ValueError(f"{unknown('keyword', option, keywords)} Options of a game go into make_game.")
        return game
    if game in GAMES:
        valid = ["num_players", "components", *GAMES[game].option_specs, *keywords]
        for option in options:
            if option not in valid:
                raise ValueError(unknown("keyword", option, valid))
    return make_game(game, **options)


def one_of(name: str, value: object, choices: tuple[str, ...]) -> str:
    """``value``, if it is one of the choices; else ``ValueError`` with the nearest one."""
    if value not in choices:
        raise ValueError(f"{name}: {unknown('value', value, choices)}")
    return str(value)


class Viewer:
    """Makes the observations of a batch of one game that users get."""

    def __init__(self, game: Game, observation: str) -> None:
        layout = game.observation
        self._scaled = one_of("observation", observation, OBSERVATIONS) == "scaled"
        self._factors = layout.scale
        self._raw = np.empty((1, layout.size), np.int8)
        self._seats = [np.array([seat], np.int8) for seat in range(game.num_players)]
        self._bounds = layout.low, layout.high

    def space(self) -> Box:
        """A new space of the observations, ``(size,)``: float32 in −1 … 1, or raw, int8 in the blocks' bounds."""
        if self._scaled:
            return Box(-1.0, 1.0, self._factors.shape)
        low, high = self._bounds
        return Box(low, high, dtype=np.int8)

    def look(self, batch: Batch, seat: int) -> npt.NDArray[Any]:
        """A new array: what ``seat`` sees of the one game of ``batch``."""
        raw = self._raw if self._scaled else np.empty_like(self._raw)
        batch.observe_from(self._seats[seat], raw)
        out: npt.NDArray[Any] = raw
        if self._scaled:
            out = np.empty(raw.shape, np.float32)
            scale(raw, self._factors, _ITSELF, out)
        return out.reshape(-1)


_ITSELF = np.ones(1, np.bool_)  # where to look in a batch of one game


class BatchViewer:
    """Makes the observations of all copies of a driver, from their learners' seats."""

    def __init__(self, game: Game, observation: str, n: int, copy: bool) -> None:
        layout = game.observation
        self._scaled = one_of("observation", observation, OBSERVATIONS) == "scaled"
        self._factors, self._bounds = layout.scale, (layout.low, layout.high)
        self._raw = np.empty((n, layout.size), np.int8)
        self._out: npt.NDArray[Any] = np.empty((n, layout.size), np.float32) if self._scaled else self._raw
        self._everywhere = np.ones(n, np.bool_)
        self._copy = copy

    def space(self) -> Box:
        """The space of one copy's observations; see :meth:`Viewer.space`."""
        if self._scaled:
            return Box(-1.0, 1.0, self._factors.shape)
        return Box(*self._bounds, dtype=np.int8)

    def look(self, driver: EpisodeDriver) -> npt.NDArray[Any]:
        """What the learners see, ``(n, size)``: a new array, or without ``copy`` always the same one."""
        if self._copy:
            self._out = np.empty_like(self._out)
            if not self._scaled:
                self._raw = self._out
        driver.observe_some(self._everywhere, self._raw)
        if self._scaled:
            in_chunks(self._scale, driver.n, driver.batch.threads)
        return self._out

    def look_again(self, driver: EpisodeDriver, where: npt.NDArray[np.bool_]) -> None:
        """Writes what the learners see now in some copies, bool ``(n,)``, into what :meth:`look` has returned last."""
        driver.observe_some(where, self._raw)
        if self._scaled:
            scale(self._raw, self._factors, where, self._out)

    def _scale(self, low: int, high: int) -> None:
        scale(self._raw[low:high], self._factors, self._everywhere[low:high], self._out[low:high])


def show(text: str, render_mode: str | None) -> str | None:
    """What ``render()`` returns: with ``"ansi"`` the text, with ``"human"`` nothing, for it is printed."""
    if render_mode == "ansi":
        return text
    if render_mode == "human":
        print(text, end="\n\n")
    else:
        logger.warn('render() shows nothing: give the environment render_mode="human" or "ansi".')
    return None

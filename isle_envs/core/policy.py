"""Policies that answer for a whole batch."""

from __future__ import annotations

import importlib.metadata
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from isle_envs.core.errors import IllegalActionError, unknown
from isle_envs.core.loops import GREEDY, RANDOM, build_loops
from isle_envs.core.records import for_kernels
from isle_envs.core.rng import STREAM

if TYPE_CHECKING:
    from isle_envs.core.batch import Batch
    from isle_envs.core.game import Game

ENTRY_POINTS = "isle_envs.policies"
DECIDERS = {"random": RANDOM, "greedy": GREEDY}

PlainPolicy = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], int]


@runtime_checkable
class Policy(Protocol):
    """Something that chooses actions.

    Attributes:
        name: what to call it in tables.
    """

    name: str

    def act(self, batch: Batch, where: npt.NDArray[np.bool_], rng: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """One action for the current player of each game asked about.

        Args:
            batch: the games.
            where: bool ``(n,)``, which games to answer for.
            rng: random streams ``(n,)`` of :data:`~isle_envs.core.rng.STREAM`, one a game, advanced in place where used.

        Returns:
            int32 ``(n,)``, −1 where nothing was asked or the game is over.
        """
        ...


class CompiledPolicy:
    """A policy that is part of the game's rules: ``random``, or the game's own ``greedy``."""

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        self.decider = DECIDERS[name]
        self._game = game
        self._decide = build_loops(game.rules).decide

    def __reduce__(self) -> tuple[Any, ...]:  # not the compiled loop
        return CompiledPolicy, (self.name, self._game)

    def act(self, batch: Batch, where: npt.NDArray[np.bool_], rng: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """See :class:`Policy`.

        Raises:
            ValueError: the batch is of another game, or ``where`` or ``rng`` is not of that form.
        """
        if batch.game.rules is not self._game.rules:
            raise ValueError(f"policy {self.name!r} was made for {self._game.name}, not for {batch.game.name}")
        _check_where(batch, where)
        if not isinstance(rng, np.ndarray) or rng.shape != (batch.n,) or rng.dtype != STREAM:
            raise ValueError(f"rng must be {batch.n} random streams, one for each game, see isle_envs.core.rng.streams")
        out = np.empty(batch.n, np.int32)
        batch.run(self._decide, batch.masks, batch.game.num_actions, where, for_kernels(rng), self.decider, out)
        return out


class CallablePolicy:
    """A plain function of one observation and one mask, asked game by game."""

    def __init__(self, function: PlainPolicy) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function = function

    def act(self, batch: Batch, where: npt.NDArray[np.bool_], rng: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """See :class:`Policy`.

        Raises:
            IllegalActionError: the function chose an action that is not legal.
            TypeError: what it returned is no integer.
            ValueError: ``where`` is not of that form.
        """
        _check_where(batch, where)
        out = np.full(batch.n, -1, np.int32)
        observations = batch.observe() * batch.game.observation.scale
        for i in np.flatnonzero(where & ~batch.terminated):
            action = self._integer(self._function(observations[i], batch.action_mask[i].astype(np.int8)))
            if not 0 <= action < batch.game.num_actions or not batch.action_mask[i, action]:
                raise batch.illegal(int(i), action)
            out[i] = action
        return out

    def _integer(self, answer: object) -> int:
        try:
            if not isinstance(answer, bool):
                return operator.index(answer)  # type: ignore[arg-type]
        except TypeError:
            pass
        raise TypeError(f"policy {self.name!r} must return an action, an integer, but returned {answer!r}")


def _check_where(batch: Batch, where: npt.NDArray[np.bool_]) -> None:
    if not isinstance(where, np.ndarray) or where.shape != (batch.n,) or where.dtype != np.bool_:
        raise ValueError(f"where must be a bool array of shape ({batch.n},), one for each game")


def policy_names(game: Game) -> tuple[str, ...]:
    """The names that :func:`make_policy` knows for a game: its compiled policies, then those of the entry points (none is loaded)."""
    return (*game.policies, *sorted({entry.name for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)}))


def make_policy(spec: str | Policy | PlainPolicy, game: Game) -> Policy:
    """A policy for a game.

    Args:
        spec: a name (``"random"``, ``"greedy"``, or ``name`` or ``name:argument`` of the entry-point group ``isle_envs.policies``,
            whose entries are factories ``f(game, argument)``), a :class:`Policy`, or a function of
            (observation float32 ``(size,)``, mask int8 ``(num_actions,)``) that returns an action.
        game: the game it is to play.

    Raises:
        ValueError: there is no policy of that name; the message tells the nearest one.
        TypeError: neither a name nor a policy nor a function.
    """
    if isinstance(spec, str):
        if spec in game.policies:
            return CompiledPolicy(spec, game)
        name, _, argument = spec.partition(":")
        entries = {entry.name: entry for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)}
        if name not in entries:
            raise ValueError(unknown("policy", spec, policy_names(game)))
        policy: Policy = entries[name].load()(game, argument or None)
        return policy
    if isinstance(spec, Policy):
        return spec
    if callable(spec):
        return CallablePolicy(spec)
    raise TypeError(
        f"a policy is a name, an object with .name and .act(batch, where, rng), or a function, not {spec!r}"
    )


__all__ = ["CallablePolicy", "CompiledPolicy", "IllegalActionError", "PlainPolicy", "Policy", "make_policy"]

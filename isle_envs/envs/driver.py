"""The learner's view of a batch: opponents move inside ``step``, episodes have seeds, illegal actions end them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from isle_envs.core.loops import OUTSIDE
from isle_envs.core.policy import CompiledPolicy, PlainPolicy, Policy, make_policy
from isle_envs.core.records import for_kernels
from isle_envs.envs.loops import EPISODE, begin, build_advance, first_wrong

Opponent = str | Policy | PlainPolicy
Opponents = Opponent | Sequence[Opponent]


class EpisodeDriver:
    """``n`` episodes side by side, each with one learning seat.

    Episode k of copy i uses the game key ``mix(seed i, k)``, and copy i of a driver seeded ``s`` has the seed
    ``s + i``; so copy i is the same as a single environment seeded ``s + i``. Opponents draw from streams derived from
    that key and their seat, never from the game's. The driver never resets by itself: its faces call
    ``reset(where=…)``. Its arrays are changed in place by ``reset`` and ``step``.

    Attributes:
        game, n: the game and the number of copies.
        batch: the games; ``batch.rewards`` add up over a step.
        learner: int8 ``(n,)``, the learning seat of each running episode.
        episode: int64 ``(n,)``, k; −1 before the first.
        action_mask: bool ``(n, num_actions)``, the learner's; all zero where the episode is over.
        rewards: float32 ``(n,)``, the learner's of the last step; in the first also what moves before it brought.
        returns: float64 ``(n,)``, their sum over the episode.
        terminated: bool ``(n,)``, where the episode is over.
        illegal: int32 ``(n,)``, the illegal action that ended the episode in the last step, else −1; an action below 0
            is noted as ``num_actions``, one above 2³¹ − 1 as that.
    """

    def __init__(
        self,
        game: Game,
        n: int = 1,
        *,
        opponents: Opponents = "random",
        seat: int | str = "rotate",
        illegal: str = "terminate",
        seed: int | None = None,
        threads: int = 1,
    ) -> None:
        """Makes a driver; call :meth:`reset` before the first step.

        Args:
            game: the game.
            n: how many copies.
            opponents: a policy, its name or a function (see :func:`~isle_envs.core.policy.make_policy`), for all other
                seats; or a list of them, one for each other seat, in turn order after the learner.
            seat: the learner's seat, or ``"rotate"``: seat k mod players in episode k.
            illegal: ``"terminate"`` ends the episode with the game's forfeit; ``"raise"`` raises, changing nothing.
            seed: the seed of copy 0; without one it is drawn at the first reset.
            threads: see :meth:`~isle_envs.core.game.Game.batch`.

        Raises:
            ValueError: a value is not among those named above.
            TypeError: ``game`` is no game, or ``seed`` no integer.
        """
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, as make_game() makes it, not {game!r}")
        players = game.num_players
        if isinstance(seat, str):
            valid = seat == "rotate"
        else:
            valid = _is_integer(seat) and 0 <= seat < players
        if not valid:
            raise ValueError(f"seat must be 'rotate' or in 0 to {players - 1}, not {seat!r}")
        if illegal not in ("terminate", "raise"):
            raise ValueError(f"illegal must be 'terminate' or 'raise', not {illegal!r}")
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            make_policy(opponents, game)  # alone nobody plays it, but a name must be one
            opponents = [opponents] * (players - 1)
        elif len(opponents) != players - 1:
            raise ValueError(f"opponents must be one for all or a list of {players - 1}, not {len(opponents)}")
        # One opponent for several seats is one policy, asked once for all of them.
        made = {_identity(spec): make_policy(spec, game) for spec in opponents}
        self._opponents = [made[_identity(spec)] for spec in opponents]
        inside = [policy.decider if isinstance(policy, CompiledPolicy) else OUTSIDE for policy in self._opponents]
        self.game, self.n = game, n
        self.batch = game.batch(n, threads=threads)
        self._raises = illegal == "raise"
        self._seat = -1 if seat == "rotate" else int(seat)
        self._seeds = None if seed is None else _seeds(operator.index(seed), n)
        self._begun = False
        self._stopped = False  # within a step or reset: an opponent outside the engine has failed
        self._turns = np.array([OUTSIDE, *inside], np.int8)
        self._deciders = np.zeros((n, players), np.int8)
        self._streams = for_kernels(np.zeros((n, players), rng.STREAM))
        self._episodes = for_kernels(np.zeros(n, EPISODE))
        self._episodes["number"] = self._episodes["illegal"] = -1
        self._episodes["terminated"] = True
        self._advance = build_advance(game.rules)
        self._name_arrays()

    def _name_arrays(self) -> None:
        self.action_mask = self.batch.action_mask
        self.learner: npt.NDArray[np.int8] = self._episodes["learner"]
        self.episode: npt.NDArray[np.int64] = self._episodes["number"]
        self.rewards: npt.NDArray[np.float32] = self._episodes["reward"]
        self.returns: npt.NDArray[np.float64] = self._episodes["total"]
        self.terminated: npt.NDArray[np.bool_] = self._episodes["terminated"]
        self.illegal: npt.NDArray[np.int32] = self._episodes["illegal"]

    def reset(self, seeds: npt.ArrayLike | None = None, where: npt.NDArray[np.bool_] | None = None) -> None:
        """Begins new episodes and plays up to the learner's first decision.

        Args:
            seeds: integers ``(n,)``, the seed of each copy, of which episode 0 begins; without, the next episode.
            where: bool ``(n,)``, which copies; else all.

        Raises:
            ValueError, TypeError: not n integers, or ``where`` is not of that form; nothing has changed.
        """
        if where is None:
            where = np.ones(self.n, np.bool_)
        elif not isinstance(where, np.ndarray) or where.shape != (self.n,) or where.dtype != np.bool_:
            raise ValueError(f"where must be a bool array of shape ({self.n},), one for each copy")
        if self._stopped and not where.all():
            raise RuntimeError("an opponent failed within the last step or reset: reset all copies")
        if seeds is not None:
            given = self._keys(seeds)
            self._seeds = given if self._seeds is None else np.where(where, given, self._seeds)
            self.episode[where] = -1
        elif self._seeds is None:
            self._seeds = _seeds(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]), self.n)
        keys = np.zeros(self.n, np.uint64)
        begin(self._episodes, self._seeds, where, self._seat, self._turns, self._deciders, self._streams, keys)
        self.batch.reset(where, keys)
        self._begun = True
        self._play(np.full(self.n, -1, np.int64), False)

    def _keys(self, seeds: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        array = np.asarray(seeds, object)
        if array.shape != (self.n,):
            raise ValueError(f"seeds must have shape ({self.n},), one for each copy, not {array.shape}")
        for seed in array:
            if not _is_integer(seed):
                raise TypeError(f"seeds must be integers, not {seed!r}")
        return np.array([rng.as_key(seed) for seed in array], np.uint64)

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays the learner's actions and then the opponents' until the learner is to decide or the game is over.

        Args:
            actions: integers ``(n,)``; where the episode is over they are passed over.

        Raises:
            IllegalActionError: with ``illegal="raise"``, before anything has changed; or a policy outside has chosen an
                action that is not legal.
            ValueError, TypeError: not n integers.
            RuntimeError: no episode has ever begun, or an opponent failed within the last step or reset.
        """
        if not self._begun:
            raise RuntimeError("call reset() before step(): no episode has begun")
        if self._stopped:
            raise RuntimeError("call reset() before step(): an opponent failed within the last step or reset")
        given = self.batch.as_actions(actions)
        if self._raises:
            wrong = int(first_wrong(self._episodes, self.batch.masks, given))
            if wrong >= 0:
                raise self.batch.illegal(wrong, int(given[wrong]))
        self._play(given, True)

    def _play(self, actions: npt.NDArray[np.int64], asked: bool) -> None:
        """Plays ``actions`` and goes on until every running game waits for its learner or is over."""
        batch, episodes, deciders, streams = self.batch, self._episodes, self._deciders, self._streams
        size = self.game.num_actions
        self._stopped = True
        while any(
            batch.run(self._advance, batch.masks, batch.rewards, episodes, actions, size, asked, deciders, streams)
        ):
            actions, asked = self._answers(), False
        self._stopped = False

    def _answers(self) -> npt.NDArray[np.int64]:
        """What the opponents outside the compiled loop decide where it is their turn, int64 ``(n,)``, else −1."""
        batch, players = self.batch, self.game.num_players
        current = batch.current_player
        waiting = ~self.terminated & (current != self.learner)
        turn = (current - self.learner) % players
        rows, columns = np.arange(self.n), np.maximum(current, 0)
        streams = self._streams[rows, columns]
        actions = np.full(self.n, -1, np.int64)
        for policy in dict.fromkeys(self._opponents):
            seats = [k + 1 for k, other in enumerate(self._opponents) if other is policy]
            asked = waiting & np.isin(turn, seats)
            if asked.any():
                actions = np.where(asked, policy.act(batch, asked, streams), actions)
        self._streams[rows, columns] = streams
        inside = (actions >= 0) & (actions < self.game.num_actions)
        wrong = waiting & ~(inside & batch.action_mask[rows, np.where(inside, actions, 0)])
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            raise batch.illegal(index, int(actions[index]))
        return actions

    def observe(self, out: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int8]:
        """The raw observations from the learner's seat, int8 ``(n, size)``; see ``Batch.observe``."""
        return self.batch.observe(out, self.learner)

    def observe_some(self, where: npt.NDArray[np.bool_], out: npt.NDArray[np.int8]) -> None:
        """As :meth:`observe`, only the rows of some copies, bool ``(n,)``; the others stay as they are."""
        self.batch.observe_from(np.where(where, self.learner, np.int8(-1)), out)

    def end(self, where: npt.NDArray[np.bool_]) -> None:
        """Ends the episodes of some copies, bool ``(n,)``, where they stand, without settlement: truncation."""
        cut = where & ~self.terminated
        if cut.any():
            self.terminated[cut] = True
            self.action_mask[cut] = False

    def __deepcopy__(self, memo: dict[int, Any]) -> EpisodeDriver:
        twin = object.__new__(EpisodeDriver)
        twin.__setstate__({name: _copied(value) for name, value in self.__getstate__().items()})
        return twin

    def __getstate__(self) -> dict[str, Any]:
        views = ("action_mask", "learner", "episode", "rewards", "returns", "terminated", "illegal", "_advance")
        return {name: value for name, value in vars(self).items() if name not in views}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._advance = build_advance(self.game.rules)
        self._name_arrays()


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _identity(spec: Opponent) -> str | int:
    return spec if isinstance(spec, str) else id(spec)


def _copied(value: Any) -> Any:
    """A copy of what a driver changes; opponents and the game are shared."""
    return value.copy() if isinstance(value, np.ndarray | Batch) else value


def _seeds(seed: int, n: int) -> npt.NDArray[np.uint64]:
    return np.array([rng.as_key(seed + i) for i in range(n)], np.uint64)

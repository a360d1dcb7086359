"""A batch: n games of one kind, stepped together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isle_envs.core import rng
from isle_envs.core.errors import IllegalActionError
from isle_envs.core.loops import Kernel, build_loops, build_roll, first_illegal, sample_all
from isle_envs.core.records import for_kernels
from isle_envs.core.threads import in_chunks

if TYPE_CHECKING:
    from isle_envs.core.game import Game

Where = npt.NDArray[np.bool_]


class Batch:
    """``n`` games, each independent of the others: game i is the same whatever n and the number of threads are.

    Made by :meth:`isle_envs.core.game.Game.batch`. A batch never resets by itself. A game that is over has an all-zero mask and
    ``current_player`` −1, and ``step`` accepts only −1 there. Edit ``states`` freely, then call :meth:`refresh`.

    Attributes:
        game: the game.
        n: the number of games.
        threads: how many threads share the work of a call.
        states: record array ``(n,)`` of ``game.state_dtype``.
        action_mask: bool ``(n, num_actions)``, the legal actions.
        rewards: float32 ``(n, num_players)``, of the last step; all seats are rewarded at once.
        masks: the memory of ``action_mask`` as kernels take it, its rows filled up to a multiple of 64 with False.
        records: the states as kernels take them (see :func:`~isle_envs.core.records.for_kernels`), the same memory.
    """

    def __init__(self, game: Game, states: npt.NDArray[Any], seed: int, threads: int) -> None:
        self.game = game
        self.threads = threads
        self._loops = build_loops(game.rules)
        n = self.n = len(states)
        self.states = states.view(np.recarray)
        self._plain = states
        self.records = for_kernels(states)
        self._memory = states.view(np.uint8).reshape(n, states.dtype.itemsize)
        self.masks = np.zeros((n, (game.num_actions + 63) // 64 * 64), np.bool_)
        self.action_mask = self.masks[:, : game.num_actions]
        self.rewards = np.zeros((n, game.num_players), np.float32)
        self._samplers = rng.streams(rng.numbered_keys(seed, n), rng.SAMPLER)

    @property
    def current_player(self) -> npt.NDArray[np.int8]:
        """int8 ``(n,)``: whose decision it is, −1 where the game is over. A view of the states."""
        view: npt.NDArray[np.int8] = self.records["current_player"]
        return view

    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """bool ``(n,)``: where the game is over."""
        return self.current_player < 0

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays one decision in every game.

        Args:
            actions: integers ``(n,)``; −1 where the game is over, and only there.

        Raises:
            IllegalActionError: one of the actions is not legal; nothing has changed.
            ValueError, TypeError: not n integers.
        """
        array = self.as_actions(actions)
        current = self.current_player
        wrong = first_illegal(self.masks, current, array)
        if wrong >= 0:
            raise self.illegal(int(wrong), int(array[wrong]))
        self.play(array)

    def as_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """``actions`` as int64 ``(n,)``; raises ValueError or TypeError if they are not n integers."""
        array = np.asarray(actions)
        if array.shape != (self.n,):
            raise ValueError(f"actions must have shape ({self.n},), one for each game, not {array.shape}")
        if array.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {array.dtype}")
        return array.astype(np.int64, copy=False)

    def play(self, actions: npt.NDArray[np.int64]) -> None:
        """As :meth:`step`, of legal actions, int64 ``(n,)``, −1 where the game is over; nothing is checked."""
        self.run(self._loops.play, self.masks, self.game.num_actions, self.rewards, actions)

    def run(self, loop: Kernel, *arguments: Any) -> list[Any]:
        """Calls ``loop(tables, records, *arguments, low, high)`` over all games, a chunk a thread; returns their results."""
        tables, records = self.game.kernel_tables, self.records
        if self.threads <= 1:
            return [loop(tables, records, *arguments, 0, self.n)]
        return in_chunks(lambda low, high: loop(tables, records, *arguments, low, high), self.n, self.threads)

    def illegal(self, index: int, action: int) -> IllegalActionError:
        """The error for ``action`` in game ``index``, with the action's name and the reason."""
        seat = int(self.current_player[index])
        inside = 0 <= action < self.game.num_actions
        label = self.game.actions.label(action) if inside else "no action" if action == -1 else "no such action"
        if seat < 0:
            reason = "the game is over; only -1 is accepted"
        elif not inside:
            reason = f"actions are 0 to {self.game.num_actions - 1}; {self.game.asks(self.states[index])}"
        else:
            reason = f"not legal now; {self.game.asks(self.states[index])}"
        return IllegalActionError(index, seat, action, label, reason)

    def observe(
        self, out: npt.NDArray[np.int8] | None = None, seats: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int8]:
        """The raw observations, int8 ``(n, size)``.

        Args:
            out: where to write them, C-contiguous int8 ``(n, size)``; else a new array.
            seats: integers ``(n,)`` in ``0 … num_players − 1``, from whose view; else the current
                player's, seat 0's where the game is over.

        Raises:
            ValueError: ``out`` or ``seats`` is not of that form.
        """
        if out is None:
            out = np.empty((self.n, self.game.observation.size), np.int8)
        else:
            self._check_out(out)
        self.observe_from(np.maximum(self.current_player, 0) if seats is None else self._seats(seats), out)
        return out

    def _check_out(self, out: Any) -> None:
        shape = (self.n, self.game.observation.size)
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.int8
        if not fits or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"a buffer for observations must be a writeable C-contiguous int8 array of shape {shape}")

    def observe_from(self, seats: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None:
        """As :meth:`observe`, from existing seats, contiguous int8 ``(n,)``, into a fitting ``out``; nothing is checked.

        A seat of −1 leaves its row as it is.
        """
        self.run(self._loops.observe, seats, out)

    def _seats(self, seats: npt.ArrayLike) -> npt.NDArray[np.int8]:
        array = np.asarray(seats)
        if array.shape != (self.n,) or array.dtype.kind not in "iu":
            raise ValueError(f"seats must be {self.n} integers, one for each game")
        if array.size and not (array.min() >= 0 and array.max() < self.game.num_players):
            raise ValueError(f"seats must be in 0 to {self.game.num_players - 1}")
        return np.ascontiguousarray(array, np.int8)

    def sample_legal(self) -> npt.NDArray[np.int32]:
        """One legal action for every game, all equally likely: int32 ``(n,)``, −1 where the game is over.

        Draws from the batch's own streams.
        """
        out = np.empty(self.n, np.int32)
        sample_all(self.masks, self._samplers, out)
        return out

    def reset(self, where: npt.ArrayLike | None = None, seeds: npt.ArrayLike | None = None) -> None:
        """Deals games anew.

        Args:
            where: bool ``(n,)``, which games; else all.
            seeds: uint64 ``(n,)``, the keys of the new games' random streams; else each is derived from the game that was there.
        """
        mask = self._where(where)
        keys = rng.next_keys(self.records["stream"]["key"]) if seeds is None else np.ascontiguousarray(seeds, np.uint64)
        if keys.shape != (self.n,):
            raise ValueError(f"seeds must have shape ({self.n},), not {keys.shape}")
        self.run(self._loops.deal, self._memory, self.masks, self.game.num_actions, self.rewards, mask, keys)

    def _where(self, where: npt.ArrayLike | None) -> Where:
        if where is None:
            return np.ones(self.n, np.bool_)
        mask = np.asarray(where)
        if mask.shape != (self.n,) or mask.dtype != np.bool_:
            raise ValueError(f"where must be a bool array of shape ({self.n},)")
        return mask

    def refresh(self, where: npt.ArrayLike | None = None) -> None:
        """Derives the masks again, and fields that follow from others, after direct edits of ``states``.

        Args:
            where: bool ``(n,)``, in which games; else in all.

        Raises:
            ValueError: an edited state is none that a game can be in; it names field, game and range. Also one in which the current
                player has nothing to choose.
        """
        mask = self._where(where)
        self.game.check(self.states[mask])
        self.derive(mask)
        stuck = mask & (self.current_player >= 0) & ~self.action_mask.any(axis=1)
        if stuck.any():
            index = int(np.argmax(stuck))
            raise ValueError(
                f"{self.game.name} state {index}: no action is legal; {self.game.asks(self.states[index])}"
            )

    def derive(self, where: Where) -> None:
        """As :meth:`refresh`, where bool ``(n,)`` says; nothing is checked."""
        self.run(self._loops.refresh, self.masks, self.game.num_actions, where)

    def scores(self) -> npt.NDArray[np.int32]:
        """int32 ``(n, num_players)``: the scores as the games stand."""
        scores = np.empty((self.n, self.game.num_players), np.int32)
        self.run(self._loops.score, scores)
        return scores

    def ranks(self) -> npt.NDArray[np.int8]:
        """int8 ``(n, num_players)``: 1 … players where the game is over (shared wins share a rank), else 0."""
        return self.measure()[1]

    def measure(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        """Scores, ranks, and the return that each seat would be given for an illegal action: three arrays ``(n, num_players)``."""
        shape = (self.n, self.game.num_players)
        scores, ranks, forfeits = np.empty(shape, np.int32), np.empty(shape, np.int8), np.empty(shape, np.float32)
        self.run(self._loops.measure, scores, ranks, forfeits)
        return scores, ranks, forfeits

    def play_random(self, steps: int, observations: npt.NDArray[np.int8] | None = None) -> int:
        """Plays ``steps`` uniformly random decisions in every game, a finished one being dealt anew; returns how many games ended.

        The same as ``sample_legal``, ``step`` and ``reset`` in turn, in one compiled call. ``observations``, int8 ``(n, size)``, is
        written after each decision if it is given.

        Raises:
            ValueError, TypeError: ``steps`` is not a whole number from 0, or ``observations`` is not of that form.
        """
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer):
            raise TypeError(f"steps must be a whole number, not {steps!r}")
        if steps < 0:
            raise ValueError(f"steps must be at least 0, not {steps}")
        roll = build_roll(self.game.rules, observations is not None)
        if observations is None:
            observations = np.empty((0, self.game.observation.size), np.int8)
        else:
            self._check_out(observations)
        buffers = self._memory, self.masks, self.game.num_actions, self.rewards, self._samplers, observations
        return sum(self.run(roll, *buffers, steps))

    def copy(self) -> Batch:
        """An independent batch in the same position that will go on identically."""
        return Batch._restore(self.game, self.__getstate__())

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "states": np.array(self._plain),
            "action_mask": self.action_mask.copy(),
            "rewards": self.rewards.copy(),
            "samplers": np.array(self._samplers),
            "threads": self.threads,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch._restore, (self.game, self.__getstate__())

    @staticmethod
    def _restore(game: Game, kept: dict[str, Any]) -> Batch:
        batch = Batch(game, kept["states"].copy(), 0, kept["threads"])
        batch.action_mask[:] = kept["action_mask"]
        batch.rewards[:] = kept["rewards"]
        batch._samplers[:] = kept["samplers"]
        return batch

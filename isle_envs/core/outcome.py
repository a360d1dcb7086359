"""Who has won a game for several players, and the rewards ``outcome`` and ``margin``, the same for every game.

Each function here makes a kernel of a game's own ones, all ``(tables, state, …)``; the tables have the fields ``num_players`` and
``margin`` (whether that is what is rewarded).
"""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, ONE, bit, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.loops import Kernel

_LOWEST = -(2**31)


def build_rank(compare: Kernel) -> Kernel:
    """``rank(tables, state, seat)``: 1 for a winner, equal players sharing a rank; 0 before the end.

    ``compare(tables, state, one, other)`` is positive if seat ``one`` is ahead, 0 for a tie.
    """

    @kernel
    def rank(tables: Any, state: Any, seat: int) -> int:
        if state.current_player >= 0:
            return 0
        better = 0
        for other in range(tables.num_players):
            better += other != seat and compare(tables, state, other, seat) > 0
        return 1 + better

    return rank


def build_margin(score: Kernel, unit: float) -> Kernel:
    """``margin(tables, state, seat)``: the seat's score less the best other one, divided by ``unit``."""

    @kernel
    def margin(tables: Any, state: Any, seat: int) -> float:
        best = _LOWEST
        for other in range(tables.num_players):
            if other != seat:
                best = max(best, score(tables, state, other))
        return float((score(tables, state, seat) - best) / unit)

    return margin


def build_reward(compare: Kernel, margin: Kernel) -> Kernel:
    """``reward(tables, state, rewards)``: adds what each seat gets at the end; of n players, k winners get (n/k − 1)/(n − 1) each.

    ``compare`` is that of :func:`build_rank`; the winners are those of rank 1.
    """

    @kernel
    def reward(tables: Any, state: Any, rewards: Any) -> None:
        n = wide(tables.num_players)
        best, winners = 0, 1  # the last one of the winners so far, and how many they are
        lost = NO_BITS  # a set of seats
        for seat in range(1, n):
            ahead = compare(tables, state, seat, best)
            if ahead > 0:
                lost, winners = bit(seat) - ONE, 0
            elif ahead < 0:
                lost |= bit(seat)
            if ahead >= 0:
                best = seat
                winners += 1
        for seat in range(n):
            if tables.margin:
                rewards[seat] += margin(tables, state, seat)
            elif lost & bit(seat) == NO_BITS:
                rewards[seat] += (n / winners - 1.0) / (n - 1)
            else:
                rewards[seat] -= 1.0 / (n - 1)

    return reward


def build_forfeit(margin: Kernel) -> Kernel:
    """``forfeit(tables, state, seat)``: what an illegal action is worth, −1, or with ``margin`` min(0, margin now) − 1."""

    @kernel
    def forfeit(tables: Any, state: Any, seat: int) -> float:
        return min(0.0, margin(tables, state, seat)) - 1.0 if tables.margin else -1.0

    return forfeit

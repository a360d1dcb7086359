"""The bare batch: uniformly random legal play inside one compiled call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.timing import Task
from benchmarks.variants import Variant
from benchmarks.workers import RemoteTask, Worker
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game

SIZES = (1, 16, 64, 256, 1024, 4096, 16_384)
MOST_OBSERVED = 4096
SHARED_SIZES = (4096, 16_384)  # for two threads and two processes
STEPS = 65_536  # decisions in one call, but
LEAST = 64  # for each game at least
DEALT = 1024

WARM = 1000  # decisions in every game before anything is measured
_SNAPSHOTS, _STRIDE = 64, 11


def tasks(variant: Variant, pair: list[Worker] | None) -> list[Task]:
    """Batches of all sizes, without and with observations; two threads beside two processes, if there are workers for them."""
    game = variant.make()
    result = []
    for n in SIZES:
        result.append(Task(f"batch {n}", player(game, n)))
        if n <= MOST_OBSERVED:
            result.append(Task(f"batch {n}, observed", player(game, n, observing=True)))
        if n in SHARED_SIZES and pair:
            result.append(Task(f"batch {n}, two threads", player(game, n, threads=2)))
            key = f"{variant.key} {n}"
            for worker in pair:
                worker.make(key, __name__, "half", variant, n)
            result.append(RemoteTask(f"batch {n}, two processes", pair, key))
    result.append(Task(f"deal {DEALT}", _dealer(game), "games"))
    for task in result:
        task.group, task.game = "engine", variant.key
    return result


def staggered(game: Game, n: int, threads: int = 1) -> Batch:
    """``n`` games at all stages, as they are after a long time: fresh ones would all be in their first rounds together."""
    snapshots = min(n, _SNAPSHOTS)
    source = game.batch(-(-n // snapshots), seed=1)
    source.play_random(WARM)
    states = []
    for _ in range(snapshots):
        states.append(np.array(source.states))
        source.play_random(_STRIDE)
    return game.batch(states=np.concatenate(states)[:n], threads=threads)


def player(
    game: Game, n: int, *, threads: int = 1, observing: bool = False, steps: int | None = None
) -> Callable[[], int]:
    """A call of ``play_random`` on ``n`` games."""
    batch = staggered(game, n, threads)
    seen = np.empty((n, game.observation.size), np.int8) if observing else None
    often = steps or max(LEAST, STEPS // n)

    def work() -> int:
        batch.play_random(often, seen)
        return n * often

    return work


def half(variant: Variant, n: int) -> Callable[[], int]:
    """What each of two processes does: half of ``n`` games, as many steps a call as two threads do."""
    return player(variant.make(), n // 2, steps=max(LEAST, STEPS // n))


def _dealer(game: Game) -> Callable[[], int]:
    batch = game.batch(DEALT, seed=1)

    def work() -> int:
        batch.reset()
        return DEALT

    return work

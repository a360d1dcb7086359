"""The bare batch: uniformly random legal play inside one compiled call."""

from __future__ import annotations

import multiprocessing
import time
from typing import Any

import numpy as np

from benchmarks.timing import Task
from isle_envs.core.game import Game, make_game

STEPS = 65_536  # decisions in one call


def tasks(game: Game, sizes: list[int]) -> list[Task]:
    """Batches of several sizes, without and with observations, on one core and on two."""
    result = [Task(f"batch {n}", _player(game, n, threads=1, observing=False)) for n in sizes]
    result += [Task(f"batch {n}, observed", _player(game, n, threads=1, observing=True)) for n in sizes]
    for observing in (False, True):
        name = f"batch {max(sizes)}{', observed' if observing else ''}, two threads"
        result.append(Task(name, _player(game, max(sizes), threads=2, observing=observing)))
    return result


def _player(game: Game, n: int, *, threads: int, observing: bool) -> Any:
    batch = game.batch(n, threads=threads)
    seen = np.empty((n, game.observation.size), np.int8) if observing else None
    steps = max(1, STEPS // n)

    def work() -> int:
        batch.play_random(steps, seen)
        return n * steps

    return work


def _independent(spec: dict[str, Any], n: int, seconds: float, start: Any, results: Any) -> None:
    game = make_game(spec["game"], num_players=spec["num_players"])
    work = _player(game, n, threads=1, observing=False)
    work()
    start.wait()
    done, begun = 0, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        done += work()
    results.put(done / passed)


def two_processes(game: Game, n: int, repeats: int, seconds: float) -> Task:
    """Two independent processes with half the games each: what two threads are measured against."""
    task = Task(f"batch {n}, two processes", lambda: 0)
    context = multiprocessing.get_context("spawn")
    for _ in range(repeats):
        start, results = context.Barrier(2), context.Queue()
        arguments = (game.spec, n // 2, seconds, start, results)
        workers = [context.Process(target=_independent, args=arguments) for _ in range(2)]
        for worker in workers:
            worker.start()
        task.rates.append(sum(results.get() for _ in workers))
        for worker in workers:
            worker.join()
    return task

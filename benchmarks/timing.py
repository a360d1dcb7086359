"""Timing: interleaved repeats, so that a busy moment of the machine hits all alike."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Task:
    """Something to time.

    Attributes:
        name: what it is called in the tables.
        work: does some of it and returns how much was done.
        unit: what is counted.
        group: the group of measurements it belongs to.
        game: the key of the game, or "".
        rates: units per second, one for each repeat.
    """

    name: str
    work: Callable[[], int]
    unit: str = "decisions"
    group: str = ""
    game: str = ""
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median of the rates."""
        return statistics.median(self.rates)

    def warm_up(self) -> None:
        """Once, not timed: compiles, fills caches."""
        self.work()

    def time(self, seconds: float) -> float:
        """Works for about ``seconds``; units per second."""
        done, start = 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            done += self.work()
        return done / passed

    def record(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "group": self.group,
            "game": self.game,
            "name": self.name,
            "unit": self.unit,
            "median": rounded(self.rate),
            "low": rounded(min(self.rates)),
            "high": rounded(max(self.rates)),
            "rates": [rounded(rate) for rate in self.rates],
        }


def rounded(value: float) -> float:
    """Five significant digits, whole from there on."""
    short = float(f"{value:.5g}")
    return int(short) if abs(short) >= 10_000 else short


def measure(tasks: list[Task], repeats: int, seconds: float) -> None:
    """Times the tasks in turn, ``repeats`` times over, forwards and backwards alternately, each for about ``seconds``."""
    for number, task in enumerate(tasks, 1):
        _say(f"warming up {number} of {len(tasks)}")
        task.warm_up()
    for repeat in range(repeats):
        for number, task in enumerate(tasks if repeat % 2 == 0 else reversed(tasks), 1):
            _say(f"repeat {repeat + 1} of {repeats}, {number} of {len(tasks)}")
            task.rates.append(task.time(seconds))
    _say("")


def _say(words: str) -> None:
    """Shows how far it is, where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)

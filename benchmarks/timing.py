"""Timing: medians of interleaved repeats, so that a busy moment of the machine hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Task:
    """Something to time.

    Attributes:
        name: what it is called in the table.
        work: does some of it and returns how much was done.
        unit: what is counted.
        rates: units per second, one for each repeat.
    """

    name: str
    work: Callable[[], int]
    unit: str = "decisions"
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median of the rates."""
        return statistics.median(self.rates)

    def record(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": self.rate,
            "low": min(self.rates),
            "high": max(self.rates),
        }


def measure(tasks: list[Task], repeats: int, seconds: float) -> None:
    """Times the tasks in turn, ``repeats`` times over, each for about ``seconds``, after a first call that is not timed."""
    for task in tasks:
        task.work()
    for _ in range(repeats):
        for task in tasks:
            done, start = 0, time.perf_counter()
            while (passed := time.perf_counter() - start) < seconds:
                done += task.work()
            task.rates.append(done / passed)

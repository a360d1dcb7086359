"""Work in processes of its own: two at the same moment, or a library that should not share ours."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.timing import Task

_AHEAD = 0.05  # seconds from the order to the start, so that all processes have read it


class Worker:
    """A process that makes things to time and times them when told.

    Args:
        pinned: keep it, with all threads that its libraries start, on one core, where the system can.
    """

    def __init__(self, *, pinned: bool = False) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, pinned), daemon=True)
        self._process.start()
        theirs.close()

    def make(self, key: str, module: str, function: str, *arguments: Any) -> None:
        """Lets it make ``module.function(*arguments)``, a function that works and returns how much it did, and call it once.

        Raises:
            ImportError: something is not installed there.
        """
        self._line.send(("make", key, module, function, arguments))
        self.answer()

    def time(self, key: str, seconds: float, at: float) -> None:
        """Orders ``seconds`` of the work ``key`` from the moment ``at`` (``time.monotonic``); :meth:`answer` has the rate."""
        self._line.send(("time", key, seconds, at))

    def answer(self) -> float:
        """What it answered: a rate, or 0."""
        what, value = self._line.recv()
        if what == "missing":
            raise ImportError(value)
        if what == "failed":
            raise RuntimeError(value)
        return float(value)

    def close(self) -> None:
        """Ends the process."""
        self._line.close()
        self._process.join(10)
        if self._process.is_alive():
            self._process.terminate()


class RemoteTask(Task):
    """A task that one or more workers do at the same time; its rate is the sum of theirs."""

    def __init__(self, name: str, workers: list[Worker], key: str, unit: str = "decisions") -> None:
        super().__init__(name, lambda: 0, unit)
        self._workers, self._key = workers, key

    def warm_up(self) -> None:
        """``Worker.make`` did."""

    def time(self, seconds: float) -> float:
        """See :meth:`Task.time`."""
        at = time.monotonic() + _AHEAD
        for worker in self._workers:
            worker.time(self._key, seconds, at)
        return sum(worker.answer() for worker in self._workers)


def _serve(line: Connection, pinned: bool) -> None:
    if pinned and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    tasks: dict[str, Task] = {}
    while True:
        try:
            order = line.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            if order[0] == "make":
                _, key, module, function, arguments = order
                tasks[key] = Task(key, getattr(importlib.import_module(module), function)(*arguments))
                tasks[key].warm_up()
                line.send(("made", 0))
            else:
                _, key, seconds, at = order
                time.sleep(max(0.0, at - time.monotonic()))
                line.send(("rate", tasks[key].time(seconds)))
        except ImportError as error:
            line.send(("missing", str(error)))
        except Exception as error:
            line.send(("failed", repr(error)))

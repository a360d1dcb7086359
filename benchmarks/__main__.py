"""Measures everything in one run, prints tables, and keeps the figures, the tables and the plots beside this file.

A run that is restricted to some games or groups keeps nothing, unless it is told where.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import io
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import isle_envs
from benchmarks import engine, faces, goals, memory, peers, starting, vector
from benchmarks.record import RESULTS, Record
from benchmarks.timing import Task, measure, rounded
from benchmarks.variants import Variant, variants
from benchmarks.workers import Worker

GROUPS = {
    "engine": "the bare batch, all sizes, one and two threads, two processes",
    "handwritten": "the same by hand in C, for Isla",
    "vector": "the native vector environments, and self-play stepped from Python",
    "faces": "PettingZoo and Gymnasium, one game at a time",
    "peers": "other libraries",
    "learning": "MaskablePPO end to end",
    "memory": "bytes a game, and a million games",
    "starting": "imports, first compilation, starts from the cache",
}
_C_SIZES = [64, 1024, 16_384]
_MEASURED_GAMES = {"isle_tiles": memory.MILLION}  # of the others fewer
_VERSIONS = (
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "open_spiel",
    "pgx",
    "jax",
    "chess",
    "city-of-gold",
)


def main() -> None:
    """The command line."""
    groups = "; ".join(f"{name}: {words}" for name, words in GROUPS.items())
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, epilog=f"Groups: {groups}.")
    parser.add_argument("--games", nargs="+", choices=list(isle_envs.GAMES), default=list(isle_envs.GAMES))
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS), metavar="GROUP")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each repeat of each measurement")
    parser.add_argument("--json", type=Path, help=f"where the figures are kept (of a full run: {RESULTS.name} here)")
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.seconds <= 0:
        parser.error("--repeats and --seconds must be above 0")
    full = set(arguments.games) == set(isle_envs.GAMES) and set(arguments.only) == set(GROUPS)
    record = run(arguments.games, arguments.only, arguments.repeats, arguments.seconds)

    from benchmarks import report

    print(report.tables(record))
    kept = arguments.json or (RESULTS if full else None)
    if kept is None:
        print("Not kept: only a part was measured.")
        return
    kept.write_text(_as_json(record.data), "utf-8")
    print(f"Kept in {kept}.")
    if kept == RESULTS:
        report.write_page(record)
        with contextlib.suppress(ImportError):
            from benchmarks import plots

            plots.write(record)
        print("python -m benchmarks.report puts it into the README.")


def run(games: list[str], only: list[str], repeats: int, seconds: float) -> Record:
    """Measures; the record."""
    begun, load = time.perf_counter(), _load()
    kinds = variants(games)
    skipped: dict[str, str] = {}
    workers: list[Worker] = []
    try:
        tasks = _tasks(kinds, only, skipped, workers)
        measure(tasks, repeats, seconds)
    finally:
        for worker in workers:
            worker.close()
    data: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": _machine() | {"load before": load},
        "versions": _versions(),
        "settings": {"repeats": repeats, "seconds": seconds, "groups": only},
        "games": [kind.key for kind in kinds],
        "skipped": skipped,
    }
    if "learning" in only:
        tasks += _learning(kinds, repeats, seconds, skipped)
    data["rates"] = [task.record() for task in tasks]
    if "vector" in only:
        data["decisions per agent step"] = {
            kind.key: rounded(vector.decisions_per_step(kind.make())) for kind in kinds if kind.players > 1
        }
    if "memory" in only:
        data["memory"] = {kind.key: memory.memory(kind, _MEASURED_GAMES.get(kind.key, 100_000)) for kind in kinds}
        skipped |= {f"memory, {key}": of["left out"] for key, of in data["memory"].items() if "left out" in of}
    if "starting" in only:
        names = dict.fromkeys(kind.name for kind in kinds)
        each = {name: starting.starting(name) for name in names}
        data["starting"] = {"imports": starting.imports(), "games": each}
    data["seconds in all"] = round(time.perf_counter() - begun)
    data["machine"]["load after"] = _load()
    data["goals"] = goals.goals(Record(data))
    for what, why in skipped.items():
        print(f"Left out: {what}: {why}")
    return Record(data)


def _tasks(kinds: list[Variant], only: list[str], skipped: dict[str, str], workers: list[Worker]) -> list[Task]:
    """What is measured in turn; what is compared stands close together."""
    tasks: list[Task] = []
    pair: list[Worker] | None = None
    if "engine" in only:
        if (os.cpu_count() or 1) >= 2:
            pair = [Worker(), Worker()]
            workers += pair
        else:
            skipped["two threads"] = "there is one core"
    for kind in kinds:
        print(f"Getting ready: {kind.key}", flush=True)
        if "engine" in only:
            tasks += engine.tasks(kind, pair)
        if "handwritten" in only and kind.key == "isla":
            tasks += _handwritten(kind, skipped)
        if "vector" in only:
            tasks += vector.tasks(kind)
        if "faces" in only:
            tasks += faces.tasks(kind)
    if "peers" in only:
        tasks += peers.tasks(skipped, workers)
    return tasks


def _handwritten(kind: Variant, skipped: dict[str, str]) -> list[Task]:
    said = io.StringIO()
    try:
        from benchmarks import handwritten

        with contextlib.redirect_stdout(said):
            tasks = handwritten.tasks(_C_SIZES)
    except (ImportError, OSError) as error:
        said.write(str(error))
        tasks = []
    if not tasks:
        skipped["hand-written C"] = said.getvalue().strip() or "no C compiler"
    for task, n in zip(tasks, _C_SIZES, strict=False):
        task.group, task.game = "handwritten", kind.key
        played = 0
        while played < engine.WARM * n:  # as the engine's: at all stages
            played += task.work()
    return tasks


def _learning(kinds: list[Variant], repeats: int, seconds: float, skipped: dict[str, str]) -> list[Task]:
    try:
        from benchmarks import learning
    except ImportError as error:
        skipped["learning"] = f"the extra 'agents' is not installed: {error}"
        return []
    tasks: list[Task] = []
    for kind in kinds:
        print(f"Learning: {kind.key}", flush=True)
        tasks += learning.measured(kind, repeats, seconds)
    return tasks


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {}
    for name in _VERSIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name).partition("+")[0]
    return found


def _load() -> float | None:
    """How many processes wanted to run in the last minute, where the system tells."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _as_json(data: Any) -> str:
    """One line for each rate and goal."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            items = ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value)
            lines.append(f" {json.dumps(key)}: [\n{items}\n ]")
        else:
            text = json.dumps(value, ensure_ascii=False, indent=1).replace("\n", "\n ")
            lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()

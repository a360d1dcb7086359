"""Measures everything in one run, prints tables and keeps the figures as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

import numba
import numpy as np

import isle_envs
from benchmarks import engine, faces, starting
from benchmarks.timing import Task, measure

FOLDER = Path(__file__).parent


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--game", choices=list(isle_envs.GAMES), default="isle_tiles")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each repeat")
    parser.add_argument(
        "--json", type=Path, help="where the figures are kept (default: results-GAME-PLAYERS.json here)"
    )
    parser.add_argument(
        "--no-learning", action="store_true", help="leave MaskablePPO out (it needs the extra 'agents')"
    )
    arguments = parser.parse_args()
    game = isle_envs.make_game(arguments.game, num_players=arguments.players)
    sizes = [1, 64, 1024, 4096]

    tasks = [*engine.tasks(game, sizes), *faces.tasks(game), *faces.peers()]
    measure(tasks, arguments.repeats, arguments.seconds)
    tasks.append(engine.two_processes(game, max(sizes), arguments.repeats, arguments.seconds))
    if not arguments.no_learning:
        from benchmarks import learning

        tasks += learning.tasks(game, arguments.repeats)
    _table(tasks)
    ratios = _ratios({task.name: task.rate for task in tasks}, max(sizes))
    starts = starting.starting(arguments.game, list(type(game).player_counts))
    resetting = _reset_microseconds(game)
    print()
    for name, value in [*ratios.items(), *starts.items()]:
        print(f"{name}: {value if isinstance(value, dict) else f'{value:.3f}'}")
    print(
        f"reset: {resetting:.2f} µs a game; state: {game.state_dtype.itemsize} bytes; observation: {game.observation.size} values"
    )
    record = {
        "command": f"python -m benchmarks --game {arguments.game} --players {arguments.players}",
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
        "rates": [task.record() for task in tasks],
        "ratios": ratios,
        "starting, seconds": starts,
        "reset, microseconds a game": resetting,
        "state, bytes": game.state_dtype.itemsize,
        "observation, values": game.observation.size,
    }
    kept = arguments.json or FOLDER / f"results-{arguments.game}-{arguments.players}.json"
    kept.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    print(f"kept in {kept}")


def _table(tasks: list[Task]) -> None:
    width = max(len(task.name) for task in tasks)
    print(f"{'per second, median (lowest … highest)':<{width}}")
    for task in tasks:
        spread = f"({min(task.rates):,.0f} … {max(task.rates):,.0f})"
        print(f"{task.name:<{width}}  {task.rate:>12,.0f} {task.unit:<9} {spread}")


def _ratios(rate: dict[str, float], largest: int) -> dict[str, float]:
    """What the goals are stated in."""
    ratios = {
        "64 games / 1,024 games": rate["batch 64"] / rate["batch 1024"],
        "two threads / two processes": rate[f"batch {largest}, two threads"] / rate[f"batch {largest}, two processes"],
    }
    peer = "PettingZoo connect four, env()"
    if peer in rate:
        ratios["env() / PettingZoo connect four env()"] = rate["AEC, env()"] / rate[peer]
        ratios["raw_env() / PettingZoo connect four raw_env()"] = (
            rate["AEC, raw_env()"] / rate["PettingZoo connect four, raw_env()"]
        )
    for name in rate:
        if name.endswith("an environment that costs nothing"):
            real = name.replace("an environment that costs nothing", "against random")
            ratios[f"{real} / costs nothing"] = rate[real] / rate[name]
    return ratios


def _reset_microseconds(game: isle_envs.Game) -> float:
    batch = game.batch(1024)
    batch.reset()
    start = time.perf_counter()
    for _ in range(20):
        batch.reset()
    return (time.perf_counter() - start) / 20 / 1024 * 1e6


if __name__ == "__main__":
    main()

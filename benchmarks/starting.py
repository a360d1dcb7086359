"""Starting: imports, the first compilation in an empty cache, and starts from the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import isle_envs

_IMPORTS = """
import json, sys, time
start = time.perf_counter()
import numpy, numba, gymnasium, pettingzoo
own = time.perf_counter()
import isle_envs
end = time.perf_counter()
heavy = [name for name in ("torch", "pygame", "matplotlib") if name in sys.modules]
print(json.dumps({"dependencies": own - start, "isle_envs": end - own, "heavy": heavy}))
"""

_START = """
import json, sys, time
import isle_envs
start = time.perf_counter()
game = isle_envs.make_game(sys.argv[1], num_players=int(sys.argv[2]))
batch = game.batch(int(sys.argv[3]))
batch.play_random(2)
batch.step(batch.sample_legal())
batch.observe()
batch.measure()
print(json.dumps(time.perf_counter() - start))
"""

_IMPORT_REPEATS = 5


def imports() -> dict[str, Any]:
    """Seconds for what the package imports and for the package itself, the median of some; and heavy modules that came along."""
    runs = [_run(_IMPORTS, {}) for _ in range(_IMPORT_REPEATS + 1)][1:]  # the first fills the file cache
    result: dict[str, Any] = sorted(runs, key=lambda run: run["isle_envs"])[_IMPORT_REPEATS // 2]
    return result


def starting(name: str) -> dict[str, Any]:
    """Seconds for the first start of a game, on an empty cache, and for later ones; with what they compiled anew."""
    first, *others = isle_envs.GAMES[name].player_counts
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": cache}

        def start(players: int, n: int) -> tuple[float, int]:
            before = _files(cache)
            seconds = _run(_START, environment, name, str(players), str(n))
            return seconds, len(_files(cache) - before)

        seconds, kernels = start(first, 8)
        result: dict[str, Any] = {"first start, compiling": seconds, "kernels compiled": kernels}
        result["start from the cache"], again = start(first, 8)
        result["other batch size"], other = start(first, 1024)
        result["other numbers of players"] = {}
        more = []
        for players in others:
            seconds, count = start(players, 8)
            result["other numbers of players"][str(players)] = seconds
            more.append(count)
        result["kernels compiled again"] = again + other + sum(more)
    return result


def _files(folder: str) -> set[tuple[Path, int]]:
    """The files, with the time of their last change: a kernel that is compiled again replaces its file."""
    return {(path, path.stat().st_mtime_ns) for path in Path(folder).rglob("*") if path.is_file()}


def _run(code: str, environment: dict[str, str], *arguments: str) -> Any:
    command = [sys.executable, "-c", code, *arguments]
    return json.loads(subprocess.run(command, env=os.environ | environment, check=True, capture_output=True).stdout)

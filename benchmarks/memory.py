"""What a game takes: bytes by what they are for, and how much a process really grows.

``python -m benchmarks.memory GAME PLAYERS N`` makes a batch in this process, steps it once and prints what it took.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import isle_envs
from benchmarks.variants import Variant

MILLION = 1_000_000
_FREE_AT_LEAST = 3 * 2**30


def memory(variant: Variant, n: int) -> dict[str, Any]:
    """Bytes of one game, and the growth of a process with ``n`` of them; without that, why, in ``left out``."""
    game = variant.make()
    batch = game.batch(1)
    result: dict[str, Any] = {
        "bytes of a state": game.state_dtype.itemsize,
        "bytes of a mask": batch.masks.shape[1],
        "bytes of the sampler": 16,
        "bytes of the rewards": batch.rewards.shape[1] * batch.rewards.itemsize,
        "bytes of a raw observation": game.observation.size,
        "actions": game.num_actions,
    }
    command = [sys.executable, "-m", "benchmarks.memory", variant.name, str(variant.players), str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return result | {"left out": done.stderr.strip().splitlines()[-1]}
    grown: dict[str, Any] = json.loads(done.stdout)
    return result | grown


def _grow(name: str, players: int, n: int) -> dict[str, Any]:
    try:
        psutil: Any = importlib.import_module("psutil")
    except ImportError:
        raise SystemExit("psutil is not installed") from None
    if psutil.virtual_memory().available < _FREE_AT_LEAST:
        raise SystemExit("there are less than 3 GiB free")
    process = psutil.Process()
    game = isle_envs.make_game(name, num_players=players)
    small = game.batch(8)  # so that what is compiled or loaded does not count
    small.step(small.sample_legal())
    before = process.memory_info().rss
    batch = game.batch(n)
    batch.step(batch.sample_legal())
    grown = process.memory_info().rss - before
    result: dict[str, Any] = {"games": n, "bytes grown": grown, "bytes grown, per game": grown / n}
    peak = _peak()
    if peak is not None:
        result["bytes grown, at the peak"] = peak - before
    return result


def _peak() -> int | None:
    """The largest resident size so far, bytes, where the system tells."""
    try:  # not resource.getrusage: there a process begins with the peak of the one that started it
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), None)


if __name__ == "__main__":
    print(json.dumps(_grow(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))

"""Starting: imports, the first compilation in an empty cache, and a start from the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

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
batch = game.batch(8)
batch.play_random(2)
batch.step(batch.sample_legal())
batch.observe()
batch.measure()
print(json.dumps(time.perf_counter() - start))
"""


def starting(game: str, players: list[int]) -> dict[str, object]:
    """Seconds for the imports, the first start of a game, a start from the cache, and one with another number of players."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}

        def run(code: str, *arguments: str) -> object:
            command = [sys.executable, "-c", code, *arguments]
            result: object = json.loads(
                subprocess.run(command, env=environment, check=True, capture_output=True).stdout
            )
            return result

        run(_IMPORTS)  # so that all of it is in the file cache
        return {
            "imports": run(_IMPORTS),
            "first start, compiling": run(_START, game, str(players[0])),
            "start from the cache": run(_START, game, str(players[0])),
            "start from the cache, other players": run(_START, game, str(players[-1])),
        }

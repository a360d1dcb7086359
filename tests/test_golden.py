"""Golden games come out the same: compiled or not, whatever the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import isle_envs
from tests.golden import GAMES, kept, play, retraced

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", GAMES)
def test_played_again(name: str) -> None:
    assert play(name) == kept(name)


@pytest.mark.parametrize("name", GAMES)
def test_replayed_from_the_kept_actions(name: str) -> None:
    assert retraced(name) == kept(name)


def test_every_game_and_player_count_has_one() -> None:
    covered = {(game, options["num_players"]) for game, options, _ in GAMES.values()}
    assert {(name, count) for name, kind in isle_envs.GAMES.items() for count in kind.player_counts} <= covered


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (["--replay"], {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "0"}),
        (
            ["isle_tiles-4"],
            {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "0"},
        ),  # with a greedy player, slow if uncompiled
        ([], {"PYTHONHASHSEED": "1"}),
        ([], {"PYTHONHASHSEED": "2"}),
    ],
)
def test_uncompiled_and_under_other_hash_seeds(arguments: list[str], settings: dict[str, str]) -> None:
    command = [sys.executable, "-W", "error", "-m", "tests.golden", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("golden games are the same\n"), done.stderr

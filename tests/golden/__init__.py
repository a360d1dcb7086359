"""Golden games: whole games kept with a digest of every position, so that no change of the rules or of the random numbers goes unseen.

``python -m tests.golden`` plays the kept games again and says whether they are the same; with ``--write`` it keeps them anew, which is
right only when a change of the games is meant (and then the environments' version rises). What the kept games *should* be is not decided
here but by the tests of the rules and by the independent oracle, which has replayed every golden game.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import isle_envs
from isle_envs.core.replay import Replay

FOLDER = Path(__file__).parent

# name: (game, options, policies by seat)
GAMES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "isle_tiles-2": ("isle_tiles", {"num_players": 2}, ["random", "random"]),
    "isle_tiles-2-first-game": ("isle_tiles", {"num_players": 2, "tasks": "first_game"}, ["greedy", "greedy"]),
    "isle_tiles-3": (
        "isle_tiles",
        {"num_players": 3, "board": "random", "reward": "margin"},
        ["greedy", "random", "greedy"],
    ),
    "isle_tiles-4": ("isle_tiles", {"num_players": 4, "board": "draft"}, ["random", "greedy", "random", "random"]),
    "islet-2": ("islet", {"num_players": 2}, ["greedy", "random"]),
    "islet-3": ("islet", {"num_players": 3, "reward": "margin"}, ["greedy", "greedy", "greedy"]),
    "islet-4": ("islet", {"num_players": 4, "eggs": 4}, ["random", "greedy", "random", "greedy"]),
    "islet-1": ("islet", {"num_players": 1}, ["greedy"]),
    "islet-1-random": ("islet", {"num_players": 1, "eggs": 6}, ["random"]),
    "isla-2": ("isla", {"num_players": 2}, ["greedy", "random"]),
    "isla-3": ("isla", {"num_players": 3, "reward": "margin"}, ["random", "random", "random"]),
    "isla-4": ("isla", {"num_players": 4, "threat_per_one": True}, ["random", "random", "random", "random"]),
    "isla-1": ("isla", {"num_players": 1}, ["greedy"]),
    "isla-1-random": ("isla", {"num_players": 1, "keeper": "random"}, ["random"]),
}


def path_of(name: str) -> Path:
    """Where a golden game is kept."""
    return FOLDER / f"{name}.json"


def trace(replay: Replay) -> list[str]:
    """A digest of every position: all that ``describe`` tells, the legal actions, the last rewards, and what every seat observes."""
    digests = []
    for batch, _, _ in replay.positions():
        seats = range(replay.game.num_players)
        position = {
            "position": replay.game.describe(batch.states[0]),
            "legal": batch.action_mask[0].nonzero()[0].tolist(),
            "rewards": [round(float(reward), 5) for reward in batch.rewards[0]],
            "observed": [hashlib.sha256(batch.observe(seats=[seat]).tobytes()).hexdigest() for seat in seats],
        }
        digests.append(hashlib.sha256(json.dumps(position, sort_keys=True).encode()).hexdigest()[:16])
    return digests


def play(name: str) -> dict[str, Any]:
    """Plays a golden game by its policies: what is kept of it."""
    game_name, options, policies = GAMES[name]
    game = isle_envs.make_game(game_name, **options)
    replay = Replay.play(game, 2026, policies)
    return {
        "spec": game.spec,
        "key": replay.key,
        "actions": list(replay.actions),
        "scores": replay.scores(),
        "trace": trace(replay),
    }


def retraced(name: str) -> dict[str, Any]:
    """What the kept actions of a golden game give now."""
    content = kept(name)
    spec = content["spec"]
    game = isle_envs.make_game(spec["game"], num_players=spec["num_players"], reward=spec["reward"], **spec["options"])
    replay = Replay(game, content["key"], content["actions"])
    return content | {"scores": replay.scores(), "trace": trace(replay)}


def kept(name: str) -> dict[str, Any]:
    """What is kept of a golden game."""
    content: dict[str, Any] = json.loads(path_of(name).read_text("utf-8"))
    return content

"""Isla for two players written by hand in C (``isla.c``): the physical limit that the compiled engine is measured against."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine import LEAST, STEPS
from benchmarks.timing import Task
from isle_envs.core import rng
from isle_envs.core.game import Game, make_game

SOURCE = Path(__file__).with_name("isla.c")
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c11", "-O3", "-march=native", "-shared", "-fPIC")
BLOCKS = ("keep", "plan", "rest_token", "die", "boost", "no_boost", "step", "leave", "research")
PLAYERS, CELLS, DICE, KINDS, SPECIES, SPOTS, POOL, OWNED, TERRAINS = 2, 64, 5, 5, 3, 11, 4, 9, 5
CARDS, THREATS, THREAT_CARDS, TRACK, POINTS = 38, 16, 35, 17, 17  # of the default components
ROW = 128  # bytes of a mask, filled up to blocks of 64 as in the engine
OF_THREATS = ("time", "effect", "everyone", "copies", "what", "amount")

TABLES = np.dtype(
    [
        ("terrain_spaces", np.uint64, (TERRAINS,)),
        ("layout", np.int64, (len(BLOCKS),)),
        ("near", np.uint8, (CELLS, 4)),
        *((name, np.int8, (CELLS,)) for name in ("terrain", "icon", "highlight_at")),
        ("highlight", np.uint8, (SPOTS,)),
        ("token_count", np.uint8, (KINDS,)),
        ("sides", np.uint8, (DICE,)),
        ("die_points", np.uint8, (DICE,)),
        ("track", np.uint8, (TRACK,)),
        *((name, np.uint8) for name in ("track_length", "spaces", "start", "exit", "round_limit", "cards", "threats")),
        ("cost", np.uint8, (CARDS, SPECIES)),
        ("points", np.uint8, (CARDS,)),
        ("boost", np.uint8, (POINTS,)),
        ("boost_index", np.uint8, (POINTS,)),
        *((name, np.uint8 if name in OF_THREATS[:4] else np.int8, (THREATS,)) for name in OF_THREATS),
    ],
    align=True,
)
"""The struct ``Tables`` of the source."""

_PLAYER = np.dtype(
    [
        ("explored", np.uint64),
        ("kept", np.uint32),
        ("hand", np.uint8, (SPECIES + 1,)),
        *((name, np.uint8) for name in ("at", "boulder", "ready", "rested", "cards", "status", "exit_round", "track")),
        ("bans", np.uint8),
        ("slows", np.uint8),
        ("boosted", np.int8),
        ("token", np.uint8, (SPOTS,)),
        ("card", np.int8, (OWNED,)),
    ],
    align=True,
)
GAME = np.dtype(
    [
        ("stream", rng.STREAM),
        ("player", _PLAYER, (PLAYERS,)),
        ("discards", np.uint64),
        ("plan", np.int8, (PLAYERS,)),
        *((name, np.uint8, (PLAYERS,)) for name in ("acted", "banned", "slow")),
        ("die", np.uint8, (DICE,)),
        ("chosen", np.int8),
        ("movement", np.uint8),
        ("phase", np.uint8),
        ("current_player", np.int8),
        ("first_player", np.int8),
        ("round_number", np.uint8),
        ("end", np.uint8),
        ("pool", np.int8, (POOL,)),
        *((name, np.uint8) for name in ("drawn", "deck_size", "threats_drawn", "threat_deck_size")),
        ("deck", np.uint8, (CARDS,)),
        ("threat_deck", np.uint8, (THREAT_CARDS,)),
        ("threat_discards", np.uint8, (THREATS,)),
        ("before", _PLAYER, (PLAYERS,)),
        ("unused", np.uint8, (43,)),
    ],
    align=True,
)
"""The struct ``Game`` of the source. A field is called as the same field of :data:`isle_envs.isla.state.STATE`."""


class HandwrittenError(Exception):
    """The C source could not be compiled, loaded or used; says why in one line."""


def compiler() -> str | None:
    """The C compiler found first, or None."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def build() -> ctypes.CDLL:
    """Compiles the source into a temporary folder and loads it.

    Raises:
        HandwrittenError: there is no compiler, or it fails.
    """
    command = compiler()
    if command is None:
        raise HandwrittenError(f"there is no C compiler; none of {', '.join(COMPILERS)} was found")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "isla.so"
        done = subprocess.run(
            [command, *FLAGS, "-o", str(target), str(SOURCE)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or [f"status {done.returncode}"]
            raise HandwrittenError(f"{command} cannot compile {SOURCE.name}: {errors[0]}")
        try:
            library = ctypes.CDLL(str(target))
        except OSError as error:
            raise HandwrittenError(f"{SOURCE.name} was compiled but cannot be loaded: {error}") from error
    pointer: Any = ctypes.c_void_p
    number: Any = ctypes.c_int64
    for function, arguments, result in (
        (library.isla_sizes, [pointer], None),
        (library.isla_create, [pointer, number], pointer),
        (library.isla_free, [pointer], None),
        (library.isla_deal, [pointer, pointer, pointer], None),
        (library.isla_roll, [pointer, pointer, pointer, pointer, number], number),
        (library.isla_import, [pointer, pointer], None),
        (library.isla_export, [pointer, pointer, pointer], None),
    ):
        function.argtypes, function.restype = arguments, result
    sizes = np.zeros(2, np.int64)
    library.isla_sizes(sizes.ctypes.data)
    if sizes.tolist() != [TABLES.itemsize, GAME.itemsize]:
        raise HandwrittenError(
            f"{SOURCE.name} has structs of {sizes.tolist()} bytes, not {[TABLES.itemsize, GAME.itemsize]} as here"
        )
    return library


def pack_tables(game: Game) -> npt.NDArray[Any]:
    """What ``isla.c`` looks up: :data:`TABLES`, ``(1,)``, from the engine's own tables.

    Raises:
        HandwrittenError: the game is another one than the source is written for.
    """
    kept = {"game": "isla", "num_players": PLAYERS, "reward": "outcome"}
    if {key: game.spec[key] for key in kept} != kept or game.options["threat_per_one"] or "components" in game.spec:
        raise HandwrittenError(f"{SOURCE.name} plays Isla with two players and its defaults only, not {game!r}")
    packed, tables = np.zeros(1, TABLES), game.kernel_tables[0]
    for name in TABLES.names or ():
        if name == "layout":
            value = [game.actions.blocks[block].start for block in BLOCKS]
        elif name == "terrain_spaces":
            value = tables[name][:, 0]
        else:
            value = tables["threat"][name] if name in OF_THREATS else tables[name]
        shape = packed[name].shape[1:]
        packed[name][0] = value[: shape[0]] if shape else value
    return packed


class HandwrittenBatch:
    """``n`` games: the same ones as ``game.batch(n, seed)``, for as long as they are played by ``play_random``.

    Attributes:
        n: the number of games.
        action_mask: bool ``(n, num_actions)``, the legal actions.
        rewards: float32 ``(n, 2)``, of the last step.
        samplers: the streams that actions are drawn from, one a game.
    """

    def __init__(self, library: ctypes.CDLL, game: Game, n: int, seed: int = 0) -> None:
        self.n = n
        self._masks = np.zeros((n, ROW), np.bool_)
        self.action_mask = self._masks[:, : game.num_actions]
        self.rewards = np.zeros((n, PLAYERS), np.float32)
        keys = rng.numbered_keys(seed, n)
        self.samplers = np.array(rng.streams(keys, rng.SAMPLER))
        self._library, self._batch = library, None
        self._batch = library.isla_create(pack_tables(game).ctypes.data, n)
        if self._batch is None:
            raise HandwrittenError(
                f"{SOURCE.name} is written for other components than these, or has no memory for {n} games"
            )
        library.isla_deal(self._batch, keys.ctypes.data, self._masks.ctypes.data)

    def __del__(self) -> None:
        """Gives the memory back."""
        if getattr(self, "_batch", None) is not None:
            self._library.isla_free(self._batch)

    def play_random(self, steps: int) -> int:
        """As :meth:`isle_envs.core.batch.Batch.play_random`."""
        arrays = (array.ctypes.data for array in (self._masks, self.rewards, self.samplers))
        return int(self._library.isla_roll(self._batch, *arrays, steps))

    def put(self, games: npt.NDArray[Any]) -> None:
        """Goes on from other games, :data:`GAME` ``(n,)``, in which the same actions are legal as now."""
        if games.shape != (self.n,) or games.dtype != GAME:
            raise HandwrittenError(f"these are not {self.n} games")
        self._library.isla_import(self._batch, np.ascontiguousarray(games).ctypes.data)

    def export(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        """All games as they are, :data:`GAME` ``(n,)``, and the scores of both seats as they stand, int32 ``(n, 2)``."""
        games, scores = np.zeros(self.n, GAME), np.zeros((self.n, PLAYERS), np.int32)
        self._library.isla_export(self._batch, games.ctypes.data, scores.ctypes.data)
        return games, scores


def tasks(sizes: list[int]) -> list[Task]:
    """Batches of several sizes, as those of :func:`benchmarks.engine.tasks`; none, and a printed word, where they cannot be had."""
    try:
        library = build()
    except HandwrittenError as error:
        print(f"The hand-written C is left out: {error}")
        return []
    game = make_game("isla", num_players=PLAYERS)
    return [Task(f"hand-written C, batch {n}", _player(HandwrittenBatch(library, game, n))) for n in sizes]


def _player(batch: HandwrittenBatch) -> Any:
    steps = max(LEAST, STEPS // batch.n)

    def work() -> int:
        batch.play_random(steps)
        return batch.n * steps

    return work

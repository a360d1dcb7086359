"""What must hold in every position of Islet, checked for a whole batch at once.

``python -m tests.islet.invariants --games 100000`` plays that many games for each player count and solo, at random and by players that
lay whenever they can.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import isle_envs
from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.policy import make_policy
from isle_envs.islet.state import (
    DISCARD,
    ENDS,
    EXPLORE,
    GAIN,
    GIVE_UP,
    LOOSE_LIMIT,
    NONE,
    OVER,
    PAY,
    PLACE,
    SEA,
    TILES,
    TURN,
)

PAIRS = ((0, 1), (0, 2), (1, 2))


def check(batch: Batch) -> None:
    """Raises AssertionError where a position of the batch breaks an invariant."""
    s = batch.states.view(np.ndarray)
    n, tables = batch.game.num_players, batch.game.tables[0]
    over = s["phase"] == OVER
    index = np.arange(TILES)
    there = index < s["tiles"][:, None]

    # Tiles are conserved: in the bag, in hands, in the box, or one for each level of the islet.
    levels = np.where(there, s["tile_level"], 0).astype(int).sum(1)
    bag = s["bag_size"].astype(int) - s["drawn"]
    in_hand = s["hand"].astype(int).sum(2)
    assert (levels + bag + in_hand.sum(1) + s["removed"].sum(1) == TILES).all(), "tiles are lost or made"
    assert (in_hand[:, n:] == 0).all() and (in_hand <= 4).all()

    # Resources are conserved, type by type: twelve in the stack, loose and guaranteed.
    held = s["loose"].astype(int).sum(1) + s["guaranteed"].sum(1) + s["stack"]
    assert (held == 12).all(), "resources are lost or made"
    assert (s["guaranteed"] <= 2).all() and (s["spent"] <= s["guaranteed"]).all()
    seat = np.maximum(batch.current_player, 0)
    rows = np.arange(batch.n)
    resting = np.arange(4) != np.where(over, -1, seat)[:, None]
    assert (s["spent"].sum(2)[resting] == 0).all(), "a guarantee stays spent"
    loose = s["loose"].astype(int).sum(2)
    assert (loose[resting] <= LOOSE_LIMIT).all() or over.any()

    # Eggs are conserved; a single free egg never occurs (ruling 10).
    eggs = s["free_eggs"].astype(int) + s["laid"] + s["guaranteed"].sum(2)
    assert (eggs[:, :n] == tables.eggs).all(), "eggs are lost or made"
    assert (s["free_eggs"] % 2 == 0).all()
    for other in range(n):
        assert ((there & (s["tile_egg"] == other)).sum(1) == s["laid"][:, other]).all(), (
            "eggs laid are not on the islet"
        )
    assert (s["tile_egg"][~there] <= 0).all()

    # Birds: on tiles that are there; at the end of a turn no two on one.
    birds = s["bird"][:, :n].astype(int)
    assert ((birds == SEA) | (birds < s["tiles"][:, None])).all()
    at_rest = (s["phase"] == TURN) | over
    order = np.sort(np.where(birds == SEA, 1000 + np.arange(n), birds), 1)
    assert (np.diff(order, axis=1) > 0)[at_rest].all(), "two birds rest on one tile"

    # No cell has two tiles; the shore is what lies next to land and is none.
    land = land_of(batch)
    assert (land.sum(1) == s["tiles"]).all()
    near = tables.cell_near[: tables.cells]
    beside = (land[:, near] & (near != NONE)).any(2)
    assert (members(s["shore"])[:, : tables.cells] == (beside & ~land)).all(), "the shore is another"
    assert not members(s["shore"])[:, tables.cells :].any(), "the shore is beyond the canvas"

    # Decisions.
    assert (batch.action_mask.any(1) == ~over).all(), "a player has nothing to choose, or may choose after the end"
    assert ((batch.current_player < 0) == over).all()
    assert ((s["target"] == SEA) | (s["phase"] == PAY)).all() and ((s["paid"].sum(1) == 0) | (s["phase"] == PAY)).all()
    assert ((s["placed"] == 0) | np.isin(s["phase"], (PLACE, EXPLORE))).all()
    assert ((s["picked"] == NONE) == (s["phase"] != PLACE)).all()
    free = s["free_eggs"][rows, seat]
    assert (free[s["phase"] == GAIN] >= 2).all() and (free[s["phase"] == GIVE_UP] == 0).all()
    assert (loose[rows, seat][s["phase"] == DISCARD] > LOOSE_LIMIT).all()
    assert ((s["end"] > 0) == over).all() and (s["round_number"] <= 100).all()

    # The end.
    ranks = batch.ranks()
    assert (ranks[over].min(1, initial=1) == 1).all() and (ranks[~over] == 0).all()
    low, high = batch.game.observation.low, batch.game.observation.high
    for view in range(n):
        seen = batch.observe(seats=np.full(batch.n, view))
        assert (seen >= low).all() and (seen <= high).all(), "an observation is outside its bounds"


def land_of(batch: Batch) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where there are tiles: bool ``(n, cells)``."""
    s = batch.states.view(np.ndarray)
    land = np.zeros((batch.n, batch.game.tables[0].cells), np.bool_)
    game, tile = np.nonzero(np.arange(TILES) < s["tiles"][:, None])
    land[game, s["tile_cell"][game, tile]] = True
    return land


def members(words: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Sets of n games, uint64 ``(n, words)``, as bool ``(n, 64 × words)``."""
    bits = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return bits.reshape(len(words), -1).astype(np.bool_)


def chosen(batch: Batch, way: str, streams: Any) -> np.ndarray[Any, np.dtype[np.int32]]:
    """``random`` choices; ``eager``: random ones, but an egg is laid whenever it can be; ``greedy`` ones, every tenth a random one."""
    actions = batch.sample_legal()
    if way == "eager":
        lay = batch.game.actions.encode("lay")
        actions = np.where(batch.action_mask[:, lay], lay, actions)
    if way == "greedy":
        everywhere = np.ones(batch.n, np.bool_)
        planned = make_policy("greedy", batch.game).act(batch, everywhere, streams)
        actions = np.where(rng.uniform(streams, everywhere) < 0.1, actions, planned)
    return actions.astype(np.int32)


WAYS = ("random", "eager", "greedy")


def play(num_players: int, games: int, way: str, *, size: int = 500, seed: int = 0, **options: Any) -> dict[str, int]:
    """Plays at least so many games, checking every position; returns how often each end came, the decisions, and the games at the edge."""
    game = isle_envs.make_game("islet", num_players=num_players, **options)
    batch = game.batch(min(size, games), seed)
    counts = dict.fromkeys([*ENDS[1:], "decisions", "edge"], 0)
    rim = _rim(game)
    streams = rng.streams(rng.numbered_keys(seed, batch.n), rng.SEAT)
    played = 0
    while played < games:
        batch.step(chosen(batch, way, streams))
        check(batch)
        counts["decisions"] += batch.n
        over = batch.terminated
        if over.any():
            if num_players > 1:
                np.testing.assert_allclose(batch.rewards[over].sum(1), 0, atol=1e-5)
            for end in batch.states.end[over]:
                counts[ENDS[end]] += 1
            counts["edge"] += int(land_of(batch)[over][:, rim].any(1).sum())
            played += int(over.sum())
            batch.reset(over)
    return counts


def _rim(game: isle_envs.Game) -> np.ndarray[Any, np.dtype[np.intp]]:
    """The cells with a side on the canvas's edge: a game that has a tile there has met it."""
    tables = game.tables[0]
    return np.flatnonzero((tables.cell_near[: tables.cells] == NONE).any(1))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="for each player count and way of playing")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 1])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="how to play")
    arguments = parser.parse_args()
    for num_players in arguments.players:
        for options in [{"eggs": 10}, {"eggs": 6}] if num_players == 1 else [{}]:
            for way in arguments.ways:
                start = time.perf_counter()
                counts = play(num_players, arguments.games, way, **options)
                seconds = time.perf_counter() - start
                found = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
                print(
                    f"{num_players} players {options or ''} {way}: every position sound; {found}; {seconds:.0f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()

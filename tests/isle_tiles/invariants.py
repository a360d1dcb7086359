"""What must hold in every position of Isle Tiles, checked for a whole batch at once.

``python -m tests.isle_tiles.invariants --games 100000`` plays that many random games for each player count.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import isle_envs
from isle_envs.core.batch import Batch
from isle_envs.isle_tiles.state import MARKER, NOWHERE, OVER, SPACES, TASK

TILES = 50


def check(batch: Batch) -> None:
    """Raises AssertionError where a position of the batch breaks an invariant."""
    s = batch.states.view(np.ndarray)
    n = batch.game.num_players
    over = s["phase"] == OVER
    playing = s["phase"] >= TASK

    # Tiles are conserved: in the supply, in hands, put aside, set aside, or two levels of the board.
    board = s["height"].astype(int).sum(1)
    tiles = (s["supply_size"] - s["drawn"].astype(int)) + (s["hand"] >= 0).sum(1) + 2
    tiles += s["set_aside"].astype(int).sum((1, 2)) + board // 2
    assert (board % 2 == 0).all(), "half a tile lies on the board"
    assert (tiles == TILES).all(), "tiles are lost or made"

    # A space has one landscape exactly if it is covered.
    bits = (s["land"][:, :, None] >> np.arange(SPACES, dtype=np.uint64)) & np.uint64(1)
    assert (bits.sum(1) == (s["height"] > 0)).all(), "a space has several landscapes, or a covered one none"

    # Markers lie on different covered spaces; seats that are not there have none.
    at = s["marker_at"].reshape(len(s), -1)
    lying = at != NOWHERE
    order = np.sort(np.where(lying, at, 100 + np.arange(at.shape[1])), 1)
    assert (np.diff(order) > 0).all(), "two markers share a space"
    height_at = np.take_along_axis(np.pad(s["height"], ((0, 0), (0, 1)), constant_values=1), at.astype(int), 1)
    assert (height_at > 0).all(), "a marker lies on water"
    assert (s["marker_at"][:, n:] == NOWHERE).all(), "a seat that does not exist has a marker"

    # Outside step 3 no area has two owners. (In the last round noted scores speak of earlier boards.)
    scores = batch.scores()
    settled = playing & (s["phase"] != MARKER) & (s["last_turns"] < 0)
    owned = (scores - 3 * np.stack([(s["taken_by"] == seat).sum(1) for seat in range(n)], 1))[settled]
    assert (owned.sum(1) <= board[settled]).all(), "more points than levels"
    assert (scores >= 0).all()

    # What a state knows of its areas is what is found from nothing, as in a state from elsewhere.
    foreign = np.array(s)
    foreign["owned"], foreign["area_size"] = 0, 0
    found = batch.game.batch(states=foreign)
    for field in ("owned", "area_size"):
        assert (found.states[field] == s[field]).all(), f"{field} is not what follows from the board"

    # Decisions: never none before the end, none after it; the current player holds a tile unless it has just placed it.
    assert (batch.action_mask.any(1) == ~over).all(), "a player has nothing to choose, or may choose after the end"
    assert ((batch.current_player < 0) == over).all()
    turn = playing & ~over & (s["phase"] != MARKER)
    assert (s["hand"][turn, batch.current_player[turn]] >= 0).all(), "a turn without a tile"

    # The last round: it begins with the last tile; whoever has noted a score has no tile.
    assert ((s["last_turns"] >= 0) == (s["drawn"] == s["supply_size"])).all()
    noted = s["noted"][:, :n] >= 0
    assert (np.where(s["last_turns"] >= 0, noted.sum(1) == n - s["last_turns"], noted.sum(1) == 0)).all()
    assert (s["hand"][:, :n][noted] == -1).all()

    # The end.
    ranks = batch.ranks()
    assert (np.sort(ranks[over], 1) == np.arange(1, n + 1)).all(), "a rank is shared or missing"
    assert (ranks[~over] == 0).all()
    low, high = batch.game.observation.low, batch.game.observation.high
    for seat in range(n):
        seen = batch.observe(seats=np.full(batch.n, seat))
        assert (seen >= low).all() and (seen <= high).all(), "an observation is outside its bounds"


def play(num_players: int, games: int, *, size: int = 1000, seed: int = 0, **options: object) -> tuple[int, int]:
    """Plays at least so many random games, checking every position; returns how many games and decisions there were."""
    game = isle_envs.make_game("isle_tiles", num_players=num_players, **options)
    batch = game.batch(min(size, games), seed)
    played = decisions = 0
    turns = np.zeros(batch.n, int)
    while played < games:
        player, phase = batch.current_player.copy(), batch.states.phase.copy()
        batch.step(batch.sample_legal())
        decisions += batch.n
        check(batch)
        # 48 turns a game, 24, 16 or 12 for each player, blocked ones included; a draft comes before them.
        passed = (batch.current_player != player) & (phase >= TASK)
        turns += passed
        over = batch.terminated
        if over.any():
            if game.reward == "outcome":
                np.testing.assert_allclose(batch.rewards[over].sum(1), 0, atol=1e-6)
            assert (turns[over] <= 48).all(), "more than 48 turns"
            played += int(over.sum())
            turns[over] = 0
            batch.reset(over)
    return played, decisions


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="for each player count")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--board", default="first_game")
    arguments = parser.parse_args()
    for num_players in arguments.players:
        start = time.perf_counter()
        games, decisions = play(num_players, arguments.games, board=arguments.board)
        seconds = time.perf_counter() - start
        print(
            f"{num_players} players: {games:,} games, {decisions:,} decisions, every position sound, {seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Whole games, played on the engine and held against the oracle at every decision.

At each of them the engine's mask must offer exactly the oracle's legal decisions, and after the step the engine's
description and ranks must be the oracle's, and so must the score of some seat. At some decisions so must what the seat
may know, and the position is set up anew from its description.
By hand, for many more games:

    python -m tests.isle_tiles.test_oracle_agreement 500
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence

import pytest

from isle_envs.core.game import Game
from tests.isle_tiles import oracle
from tests.isle_tiles.oracle import Decision, Description
from tests.isle_tiles.positions import FIRST_GAME, make, offered, parts_of, plain

PARTS = parts_of(FIRST_GAME)
BOARDS = [("first_game", "hex"), ("random", "hex"), ("draft", "hex"), ("first_game", "square"), ("random", "square")]
PLAYERS = (2, 3, 4)

Chooser = Callable[[Description, Sequence[Decision], random.Random], Decision]


def choose_evenly(_: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    return chance.choice(decisions)


def choose_to_block(description: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Leave as few placements as possible: build spaces of unequal heights and strew markers."""

    def pairs_left(decision: Decision) -> int:
        """Pairs of adjacent spaces on which a tile can lie after the decision."""
        board = oracle.Board(description if decision[0] == "place" else oracle.apply(description, decision))
        raised = (decision[1], board.step(*decision[1:])) if decision[0] == "place" else ()
        levels = [None if board.marker(s) else board.height(s) + (s in raised) for s in board.all]
        return sum(levels[s] is not None and levels[s] == levels[t] for s in board.all for t in board.near[s])

    if description["phase"] not in ("place", "marker"):
        return chance.choice(decisions)
    return min(chance.sample(list(decisions), len(decisions)), key=pairs_left)


def choose_high(description: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Build upwards where possible, with few markers, so that cards about heights come up."""

    def height(decision: Decision) -> int:
        return int(description["spaces"][decision[1]]["height"])

    if description["phase"] == "place":
        best = max(map(height, decisions))
        return chance.choice([decision for decision in decisions if height(decision) >= best - 1])
    return chance.choice(decisions)


def choose_far(_: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Draft to the rim of the canvas: the first or the last of what is offered."""
    return chance.choice([decisions[0], decisions[-1]])


def play(game: Game, seed: int, choose: Chooser = choose_evenly) -> Description:
    """Play one game on both and return its last position."""
    chance = random.Random(seed)
    batch = game.batch(1, seed=seed)
    description = plain(game.describe(batch.states[0]))
    seats = range(game.num_players)
    while True:
        decisions = oracle.legal(description, PARTS)
        assert sorted(offered(batch), key=str) == sorted(decisions, key=str), f"seed {seed}: {description}"
        current = description["current_player"]
        assert batch.current_player[0] == (-1 if current is None else current), f"seed {seed}: {description}"
        assert batch.terminated[0] == (current is None), f"seed {seed}: {description}"
        assert batch.ranks()[0].tolist() == oracle.ranks(description), f"seed {seed}: {description}"
        seat = chance.choice(seats)
        assert batch.scores()[0][seat] == oracle.score(description, seat), f"seed {seed}: {description}"
        if chance.random() < 0.2:
            seen = game.describe(batch.states[0], seat)
            assert seen == oracle.seen_by(description, seat), f"seed {seed}: {description}"
            again = game.batch(states=game.undescribe(description))
            assert offered(again) == offered(batch), f"seed {seed}: {description}"
            assert plain(game.describe(again.states[0])) == description, f"seed {seed}: {description}"
        if not decisions:
            return description
        decision = choose(description, decisions, chance)
        after = oracle.apply(description, decision, PARTS)
        batch.step([game.actions.encode(*decision)])
        assert plain(game.describe(batch.states[0])) == after, f"seed {seed}: {decision} in {description}"
        description = after


@pytest.mark.parametrize(("board", "grid"), BOARDS)
@pytest.mark.parametrize("num_players", PLAYERS)
def test_random_games(num_players: int, board: str, grid: str) -> None:
    game = make(num_players, board, grid)
    for seed in range(2):
        play(game, seed)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_high_games(num_players: int) -> None:
    for seed in range(4):
        play(make(num_players, "random"), 100 + seed, choose_high)


@pytest.mark.parametrize("board", ["first_game", "random"])
def test_blocked_games(board: str) -> None:
    """Legal play reaches boards on which nothing can be placed (ruling 1), most easily with four neighbours a space."""
    ends = [play(make(4, board, "square"), 200 + seed, choose_to_block) for seed in range(2)]
    assert any(tiles for description in ends for tiles in description["set_aside"])


@pytest.mark.parametrize("num_players", PLAYERS)
def test_drafts_to_the_rim(num_players: int) -> None:
    for seed in range(2):
        play(make(num_players, "draft"), 300 + seed, choose_far)


def main(games: int) -> None:
    """Play so many games of every kind, with new seeds."""
    first = random.SystemRandom().randrange(2**32)
    for board, grid in BOARDS:
        for num_players in PLAYERS:
            for choose in (choose_evenly, choose_high, choose_to_block, choose_far):
                for seed in range(first, first + games):
                    play(make(num_players, board, grid), seed, choose)
                print(f"{games} games agree: {board}, {grid}, {num_players} players, {choose.__name__}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

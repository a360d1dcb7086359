"""Whole games, played on the engine and held against the oracle at every decision.

At each of them the engine's mask must offer exactly the oracle's legal decisions, and after the step the engine's
description, scores, ranks and rewards must be the oracle's. At some decisions so must what a seat may know, and the
position is set up anew from its description.
By hand, for many more games:

    python -m tests.islet.test_oracle_agreement 500
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from isle_envs.core.game import Game
from tests.islet import oracle
from tests.islet.oracle import Board, Cell, Decision, Description
from tests.islet.positions import crowded, day_and_night, make, offered, plain

KINDS_OF_GAME = [(2, 10), (3, 8), (4, 6), (1, 10), (1, 6)]

Chooser = Callable[[Description, Sequence[Decision], random.Random], Decision]


# Ways to play


def choose_evenly(_: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    return chance.choice(decisions)


def distances(board: Board, goals: set[Cell]) -> dict[Cell, int]:
    """How many advances every tile is away from the nearest goal, whatever they cost."""
    found = dict.fromkeys(goals, 0)
    queue = list(goals)
    while queue:
        at = queue.pop(0)
        for other in oracle.destinations(board, at):
            if other not in found:
                found[other] = found[at] + 1
                queue.append(other)
    return found


def choose_towards(
    goals: set[Cell], description: Description, decisions: Sequence[Decision], chance: random.Random, most: int
) -> Decision:
    """In a turn or a Move: an advance that leads nearer to a goal at most so far away, else no Move if that is possible."""
    board = Board(description)
    far = distances(board, goals)
    at = board.birds[description["current_player"]]
    here = most + 1 if at is None else far.get(at, most + 1)
    steps = [d for d in decisions if d[0] == "cell" and far.get(d[1:], most + 1) < here]
    if steps:
        return min(chance.sample(steps, len(steps)), key=lambda d: far[d[1:]])
    removals = [d for d in decisions if d[0].startswith("move_from")]
    if removals and here <= most:
        return removals[-1]
    others = [d for d in decisions if d[0] in ("pick", "end")]
    return chance.choice(others or decisions)


def choose_to_lay(description: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Lay whenever that is possible, go where it can be paid for, gather resources, and keep what makes nests."""
    phase, seat = description["phase"], description["current_player"]
    if ("lay",) in decisions:
        return ("lay",)
    if phase == "explore":
        return decisions[0] if chance.random() < (0.3 if description["num_players"] == 1 else 0.8) else ("end",)
    if phase == "discard":  # Three of one kind are worth more than one of three kinds.
        return min(decisions, key=lambda d: description["loose"][seat][d[1]])
    if phase not in ("turn", "move"):
        return chance.choice(decisions)
    board = Board(description)
    held = oracle.purse(description, seat)
    payable = {nest for nest in (3, 4, 5) if oracle.payments(nest, held)}
    goals = {
        at
        for at in board.tiles
        if oracle.nest(board.kind(at)) in payable and not board.egg(at) and not board.shared(at, seat)
    }
    if board.solo:
        goals = {at for at in goals if _any_card_holds(description, board, at)}
        at = board.birds[0]
        if phase == "turn" and at in goals:  # It has only to remove tiles before it lays.
            removals = [d for d in decisions if d[0].startswith("move_from")]
            return removals[-1] if removals else chance.choice(decisions)
    if oracle.eggs_left(description, seat) == 0:
        goals = set()
    return choose_towards(goals, description, decisions, chance, 4)


def _any_card_holds(description: Description, board: Board, at: Cell) -> bool:
    face = ("day", "night")[at[0]]
    return any(oracle.holds(day_and_night()[card][face], board, at) for card in description["cards"][at[0]])


def choose_to_crowd(description: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Gather resources for some turns, then seek the other birds; solo, cross to the other islet whenever that is possible."""
    seat = description["current_player"]
    board = Board(description)
    crossings = [d for d in decisions if d[0] == "cell" and board.solo and board.birds[0] and d[1] != board.birds[0][0]]
    if description["phase"] == "move" and crossings and chance.random() < 0.7:
        return chance.choice(crossings)
    if description["phase"] not in ("turn", "move") or chance.random() < 0.3:
        return chance.choice(decisions)
    if description["phase"] == "turn" and sum(description["loose"][seat]) < 4:
        return chance.choice(decisions)
    goals = {at for other, at in enumerate(board.birds) if other != seat and at is not None}
    return choose_towards(goals, description, decisions, chance, 20)


def choose_to_move(description: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    """Seldom explore, lay where possible, and stay in a Move as long as possible."""
    if ("lay",) in decisions:
        return ("lay",)
    moves = [d for d in decisions if d[0] not in ("pick", "end")]
    stay = moves and description["phase"] in ("turn", "move") and chance.random() < 0.8
    return chance.choice(moves if stay else decisions)


# Games


def play(
    game: Game,
    seed: int,
    choose: Chooser = choose_evenly,
    seen: Counter[str] | None = None,
    first: Description | None = None,
    most: int = 10_000,
) -> Description:
    """Play one game on both and return its last position. `seen` counts the phases.

    It goes on from a `first` position, else from the engine's deal, for at most so many decisions.
    """
    cards = day_and_night()
    chance = random.Random(seed)
    batch = game.batch(1, seed=seed) if first is None else game.batch(states=game.undescribe(first))
    description = plain(game.describe(batch.states[0]))
    if first is not None:
        assert description == first, f"seed {seed}"
    for _ in range(most):
        decisions = oracle.legal(description, cards)
        assert sorted(offered(batch), key=str) == sorted(decisions, key=str), f"seed {seed}: {description}"
        current = description["current_player"]
        assert batch.current_player[0] == (-1 if current is None else current), f"seed {seed}: {description}"
        assert batch.terminated[0] == (current is None), f"seed {seed}: {description}"
        assert batch.ranks()[0].tolist() == oracle.ranks(description), f"seed {seed}: {description}"
        seat = chance.randrange(game.num_players)
        assert batch.scores()[0][seat] == oracle.score(description, seat), f"seed {seed}: {description}"
        if chance.random() < 0.1:
            view = game.describe(batch.states[0], seat)
            assert view == oracle.seen_by(description, seat), f"seed {seed}: {description}"
            again = game.batch(states=game.undescribe(description))
            assert offered(again) == offered(batch), f"seed {seed}: {description}"
            assert plain(game.describe(again.states[0])) == description, f"seed {seed}: {description}"
        if seen is not None:
            seen[description["phase"]] += 1
        if not decisions:
            break
        decision = choose(description, decisions, chance)
        after = oracle.apply(description, decision, cards)
        batch.step([game.actions.encode(*decision)])
        assert plain(game.describe(batch.states[0])) == after, f"seed {seed}: {decision} in {description}"
        earned = [b - a for a, b in zip(oracle.rewards(description), oracle.rewards(after), strict=True)]
        assert batch.rewards[0].tolist() == pytest.approx(earned, abs=1e-6), f"seed {seed}: {decision} in {description}"
        description = after
    return description


def game_with(num_players: int, eggs: int) -> Game:
    return make(1, eggs=eggs) if num_players == 1 else make(num_players)


@pytest.mark.parametrize(("num_players", "eggs"), KINDS_OF_GAME)
@pytest.mark.parametrize("choose", [choose_evenly, choose_to_lay, choose_to_crowd])
def test_games(num_players: int, eggs: int, choose: Chooser) -> None:
    game = game_with(num_players, eggs)
    for seed in range(2):
        play(game, seed, choose)


@pytest.mark.parametrize(("num_players", "eggs"), KINDS_OF_GAME)
def test_crowded_positions(num_players: int, eggs: int) -> None:
    game = game_with(num_players, eggs)
    for seed in range(30):
        play(game, seed, choose_to_move, first=crowded(num_players, random.Random(seed), eggs), most=12)


def test_games_reach_every_phase_and_every_end() -> None:
    """But the cut-off: a hundred rounds need many Moves, see test_rules.py."""
    phases = {"start", "turn", "place", "explore", "discard", "keep", "move", "pay", "gain", "give_up", "card", "over"}
    ends = {"last_egg", "last_tile", "won", "lost"}
    seen: Counter[str] = Counter()
    reached = set()
    for seed in range(100, 160):
        for num_players, eggs in [(2, 10), (1, 6)]:
            reached.add(play(game_with(num_players, eggs), seed, choose_to_lay, seen)["end"])
        if phases <= set(seen) and ends <= reached:
            break
    assert (set(seen), reached) == (phases, ends)


def main(games: int) -> None:
    """Play so many games of every kind, and ten times as many crowded positions, with new seeds."""
    first = random.SystemRandom().randrange(2**32)
    for num_players, eggs in KINDS_OF_GAME:
        for seed in range(first, first + 10 * games):
            position = crowded(num_players, random.Random(seed), eggs)
            play(game_with(num_players, eggs), seed, choose_to_move, first=position, most=12)
        print(f"{10 * games} crowded positions agree: {num_players} players, {eggs} eggs", flush=True)
        for choose in (choose_evenly, choose_to_lay, choose_to_crowd):
            seen: Counter[str] = Counter()
            ends: Counter[str] = Counter()
            for seed in range(first, first + games):
                ends[play(game_with(num_players, eggs), seed, choose, seen)["end"]] += 1
            words = f"{num_players} players, {eggs} eggs, {choose.__name__}"
            print(f"{games} games agree: {words}; {dict(ends)}, {dict(seen)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

"""Whole games, played on the engine and held against the oracle at every decision.

At each of them the engine's mask must offer exactly the oracle's legal decisions, and after the step the engine's
description, scores, ranks and rewards must be the oracle's. At some decisions so must what a seat may know, and the
position is set up anew from its description.
By hand, for so many decisions of every kind of game:

    python -m tests.isla.test_oracle_agreement 20000
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from isle_envs.core.game import Game
from tests.isla.oracle import Decision, Description, Rules, seen_by
from tests.isla.positions import (
    LEAVE,
    NORTH,
    batch_of,
    crowded,
    described,
    differences,
    make,
    midgame,
    offered,
    rules_of,
    stand,
    stepping,
)

Chooser = Callable[[Rules, Description, Sequence[Decision], random.Random], Decision]

KEEPERS = ["The Drowsing Hill", "Grandmother Kelp", "The Lantern Heron", "Hollow Antler", "The Unmoored"]
GAMES: list[dict[str, Any]] = [
    *({"num_players": 1, "keeper": keeper} for keeper in KEEPERS),
    *({"num_players": n} for n in (2, 3, 4)),
    {"num_players": 3, "threat_per_one": True},
    {"num_players": 2, "reward": "margin"},
    *({"num_players": n, "variant": "words", "keeper": keeper} for n, keeper in zip((1, 1, 1), KEEPERS, strict=False)),
    {"num_players": 2, "variant": "words", "threat_per_one": True},
    {"num_players": 4, "variant": "words"},
    {"num_players": 1, "variant": "small", "keeper": KEEPERS[0]},
    {"num_players": 1, "variant": "small", "keeper": KEEPERS[4]},
    {"num_players": 2, "variant": "small"},
    {"num_players": 4, "variant": "small", "threat_per_one": True},
    {"num_players": 1, "variant": "large", "keeper": "The Unmoored 2"},
    {"num_players": 4, "variant": "large"},
]


# Ways to play


def choose_evenly(_: Rules, __: Description, decisions: Sequence[Decision], chance: random.Random) -> Decision:
    return chance.choice(decisions)


def room(rules: Rules, player: dict[str, Any], direction: int) -> int:
    """How many spaces can still be reached after a step."""
    at = rules.neighbours(tuple(player["at"]))[direction]
    trial = {**player, "at": list(at), "explored": [*player["explored"], list(at)]}
    found, queue = {at}, [at]
    while queue:
        for other in rules.free_neighbours({**trial, "at": list(queue.pop())}).values():
            if other not in found:
                found.add(other)
                queue.append(other)
    return len(found)


def choose_to_last(
    rules: Rules, description: Description, decisions: Sequence[Decision], chance: random.Random
) -> Decision:
    """Survive: research where possible, use small dice, walk where there is room, use tokens late, leave late."""
    kinds = {decision[0] for decision in decisions}
    player = description["players"][description["current_player"]]
    if chance.random() < 0.05:
        return chance.choice(decisions)
    if ("plan", 2) in decisions:
        return ("plan", 2)
    if ("plan", 1) in decisions and len(player["ready"]) > 2:
        return ("plan", 1)
    if kinds & {"plan", "die"}:
        return decisions[0]
    if "no_boost" in kinds:
        return ("no_boost",)
    steps = [decision for decision in decisions if decision[0] == "step"]
    if steps and ("leave" not in kinds or chance.random() < 0.7):
        return max(chance.sample(steps, len(steps)), key=lambda decision: room(rules, player, decision[1]))
    return chance.choice(decisions)


def choose_to_exit(
    rules: Rules, description: Description, decisions: Sequence[Decision], chance: random.Random
) -> Decision:
    """Explore with small dice, walk towards the exit space, leave."""
    kinds = {decision[0] for decision in decisions}
    if "leave" in kinds and chance.random() < 0.9:
        return ("leave",)
    if "step" in kinds and chance.random() < 0.95:
        at = description["players"][description["current_player"]]["at"]
        sideways, down = at[1] - rules.exit[1], at[0] - rules.exit[0]
        towards = {0: -down, 1: sideways, 2: down, 3: -sideways}
        steps = [decision for decision in decisions if decision[0] == "step"]
        return min(chance.sample(steps, len(steps)), key=lambda decision: towards[decision[1]])
    if "plan" in kinds and chance.random() < 0.8:
        return decisions[min(1, len(decisions) - 1)]
    return decisions[0] if "die" in kinds else chance.choice(decisions)


WAYS: list[Chooser] = [choose_evenly, choose_to_last, choose_to_exit]


# Games


def agree(batch: Any, rules: Rules, description: Description, seed: int, chance: random.Random) -> list[Decision]:
    """Holds the engine's position against the oracle's and returns the legal decisions."""
    game: Game = batch.game
    where = f"seed {seed}: {description}"
    found = described(batch)
    assert found == description, f"{differences(found, description)}; {where}"
    decisions = rules.legal(description)
    assert sorted(offered(batch)) == sorted(decisions), where
    current = description["current_player"]
    assert batch.current_player[0] == (-1 if current is None else current), where
    assert batch.terminated[0] == (description["phase"] == "over"), where
    seats = range(game.num_players)
    expected = [rules.score(description, seat) for seat in seats]
    assert batch.scores()[0].tolist() == expected, where
    assert batch.ranks()[0].tolist() == rules.ranks(description), where
    if chance.random() < 0.1:
        for seat in seats:
            assert game.describe(batch.states[0], seat) == seen_by(description, seat), where
        assert game.standing(batch.states[0]) == (expected, rules.ranks(description)), where
        again = game.batch(states=game.undescribe(description))
        assert described(again) == description, where
        assert np.array_equal(again.action_mask, batch.action_mask), where
        info = game.info(batch.states[0])
        assert (info["end"], info.get("band", "")) == (description["end"] or "", rules.band(description)), where
        view = description if current is None else seen_by(description, current)  # it goes to who is to decide
        parts = [rules.breakdown(view, seat) for seat in seats]
        assert [sorted(points.values()) for points in info["points"]] == [sorted(part.values()) for part in parts], (
            where
        )
    return decisions


def play(
    options: dict[str, Any],
    seed: int,
    choose: Chooser = choose_evenly,
    seen: Counter[str] | None = None,
    first: Description | None = None,
    most: int = 10_000,
) -> Description:
    """Play one game on both and return its last position. `seen` counts what happened.

    It goes on from a `first` position, else from the engine's deal, for at most so many decisions.
    """
    rules, chance = rules_of(options), random.Random(seed)
    game = make(**options)
    batch = game.batch(1, seed=seed) if first is None else game.batch(states=game.undescribe(first))
    description = described(batch) if first is None else first
    decisions = agree(batch, rules, description, seed, chance)
    total = 0.0
    for _ in range(most):
        if not decisions:
            break
        decision = choose(rules, description, decisions, chance)
        after = rules.apply(description, decision)
        batch.step([game.actions.encode(*decision)])
        where = f"seed {seed}: {decision} in {description}"
        earned = rules.rewards(description, after, game.reward)
        assert batch.rewards[0].tolist() == pytest.approx(earned, abs=1e-5), where
        total += earned[0]
        if seen is not None:
            count(seen, description, decision, after)
        try:
            decisions = agree(batch, rules, after, seed, chance)
        except AssertionError as error:
            raise AssertionError(f"after {decision} in {description}") from error
        description = after
    if first is None and game.num_players == 1 and not decisions:
        expected = rules.score(description, 0) / 10 if description["end"] == "exited" else -3
        assert total == pytest.approx(expected, abs=1e-5)
    return description


def count(seen: Counter[str], before: Description, decision: Decision, after: Description) -> None:
    """What happened with a decision."""
    seen["decisions"] += 1
    seen[str(before["phase"])] += 1
    seen[str(decision[0])] += 1
    if after["phase"] == "over":
        seen[f"end: {after['end']}"] += 1
    if len(after["deck"]) > len(before["deck"]):
        seen["research deck reshuffled"] += 1
    if len(after["threat_deck"]) > len(before["threat_deck"]):
        seen["threat deck reshuffled"] += 1
    if None in after["pool"]:
        seen["hole in the pool"] += 1
    if any(len(player["threats"]) > 3 for player in after["players"]):
        seen["four threats kept"] += 1
    if before["phase"] == "die" and decision[0] == "rest_token" and before["current_player"] == after["current_player"]:
        seen["rest token in phase die"] += 1
    seats = range(len(after["players"]))
    seen["lost in planning"] += sum(
        after["players"][s]["status"] == "lost" != before["players"][s]["status"] and after["end"] != "cut_off"
        for s in seats
    )
    if before["phase"] == "plan" and after["before"] is not None:
        skipped = [s for s in seats if after["round_state"][s]["acted"]]
        seen["exploration lost at once"] += len(skipped)


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_games(options: dict[str, Any]) -> None:
    """The game's own component file with all ways to play, the others with one."""
    for k, choose in enumerate(WAYS):
        if "variant" not in options or GAMES.index(options) % len(WAYS) == k:
            play(options, 0, choose)


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_crowded_positions(options: dict[str, Any]) -> None:
    for seed in range(5):
        play(options, seed, first=crowded_first(options, seed), most=40)


def crowded_first(options: dict[str, Any], seed: int) -> Description:
    return crowded(rules_of(options), options["num_players"], random.Random(seed), options.get("keeper"))


# What others do while the explore phase runs


def same_for(seat: int, descriptions: Sequence[Description], options: dict[str, Any]) -> None:
    """Some positions are one and the same for a seat, in its description, its observation and its text."""
    game = make(**options)
    batch = game.batch(states=np.concatenate([game.undescribe(description) for description in descriptions]))
    views = [described(batch, k, seat) for k in range(batch.n)]
    texts = [game.text(batch.states[k], seat) for k in range(batch.n)]
    observed = batch.observe(seats=np.full(batch.n, seat))
    for k in range(1, batch.n):
        assert views[k] == views[0] and texts[k] == texts[0]
        assert np.array_equal(observed[k], observed[0])


def played_on(rules: Rules, description: Description, chance: random.Random) -> list[Description]:
    """Positions of one way in which a seat explores, from its decision in phase "die" on.

    The last one is after that, unless the explore phase ended with it.
    """
    seat, found = description["current_player"], [description]
    while found[-1]["current_player"] == seat and found[-1]["before"] is not None:
        found.append(rules.apply(found[-1], chance.choice(rules.legal(found[-1]))))
    return found if found[-1]["before"] is not None else found[:-1]


def explorations(options: dict[str, Any], seed: int) -> int:
    """Plays a game on; whenever an explorer acts, what the others see must not depend on how. How often that was tried."""
    rules, chance = rules_of(options), random.Random(seed)
    n, tried = options["num_players"], 0
    description = crowded_first(options, seed) if seed % 2 else described(make(**options).batch(1, seed=seed))
    for _ in range(60):
        decisions = rules.legal(description)
        if not decisions:
            break
        if description["phase"] == "die" and tried < 2:
            seat = description["current_player"]
            ways = [played_on(rules, description, chance) for _ in range(3)]
            under_way = [position for way in ways for position in way if position["current_player"] == seat]
            under_way = [description, *chance.sample(under_way, min(4, len(under_way)))]
            done = [way[-1] for way in ways if way[-1]["current_player"] != seat]
            for other in set(range(n)) - {seat}:
                same_for(other, under_way, options)
                if done:
                    same_for(other, done, options)
            tried += 1
        explore: Decision = ("plan", 1)
        description = rules.apply(description, explore if explore in decisions else chance.choice(decisions))
    return tried


@pytest.mark.parametrize("options", [game for game in GAMES if game["num_players"] > 1], ids=str)
def test_others_do_not_see_an_exploration(options: dict[str, Any]) -> None:
    """Ruling 11."""
    assert sum(explorations(options, seed) for seed in range(2)) > 1


def test_others_do_not_see_who_has_left() -> None:
    """Seat 0 leaves or walks on; seats 1 and 2 see the same. Once the phase is over they see it."""
    d = midgame(3)
    stand(d, 0, (0, 4))
    stepping(d, 1)
    options: dict[str, Any] = {"num_players": 3}
    rules = rules_of(options)
    left, walked = rules.apply(d, LEAVE), rules.apply(d, ("step", 2))
    assert left["players"][0]["status"] == "exited" != walked["players"][0]["status"]
    for seat in (1, 2):
        same_for(seat, [left, walked], options)
    for _ in (1, 2):
        left, walked = [explore_shortly(rules, position) for position in (left, walked)]
    assert left["phase"] == walked["phase"] == "plan"
    batches = [batch_of(position) for position in (left, walked)]
    seen = [batch.observe(seats=[2])[0] for batch in batches]
    assert not np.array_equal(seen[0], seen[1])


def explore_shortly(rules: Rules, description: Description) -> Description:
    for decision in (("die", 0), NORTH, NORTH):
        description = rules.apply(description, decision)
    return description


def test_games_reach_everything() -> None:
    wanted = {"setup", "plan", "die", "boost", "step", "research", "rest_token", "no_boost", "leave"}
    wanted |= {f"end: {end}" for end in ("finished", "exited", "lost", "caught", "cut_off")}
    wanted |= {"research deck reshuffled", "threat deck reshuffled", "hole in the pool", "four threats kept"}
    wanted |= {"rest token in phase die", "lost in planning", "exploration lost at once"}
    seen: Counter[str] = Counter()
    games: list[dict[str, Any]] = [
        {"num_players": 1, "keeper": KEEPERS[4]},
        {"num_players": 4, "variant": "small"},
        {"num_players": 4, "threat_per_one": True},
    ]
    play(games[0], 0, choose_evenly, seen)
    for seed in (
        152,
        122,
        83,
        119,
        *range(200),
    ):  # Four seeds that reach everything, and others should they no longer do.
        for options in games:
            play(options, seed, WAYS[seed % 3], seen, crowded_first(options, seed))
        if wanted <= set(+seen):
            break
    assert wanted <= set(+seen), wanted - set(+seen)


def main(decisions: int) -> None:
    """Play so many decisions of every kind of game, half of the games from crowded positions, with new seeds."""
    first = random.SystemRandom().randrange(2**32)
    for options in GAMES:
        seen: Counter[str] = Counter()
        seed = first
        while seen["decisions"] < decisions:
            for choose in WAYS:
                play(options, seed, choose, seen)
                play(options, seed, choose, seen, crowded_first(options, seed))
            if seed % 10 == 0 and options["num_players"] > 1:
                seen["explorations unseen"] += explorations(options, seed)
            seed += 1
        print(f"{6 * (seed - first)} games agree: {options}; {dict(sorted(seen.items()))}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)

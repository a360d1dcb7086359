"""Descriptions of Isla positions for tests, and a way to play them on the engine and the oracle at once.

The sheet (`*` highlight space, `>` die icon, x exit, s start; the numbers of the highlight spaces and the dice below):

         0   1   2   3   4   5   6   7
    0    .   .   B*  B   Bx  B   .   .       highlights  0 (0, 2)  1 (1, 6)  2 (2, 1)  3 (2, 4)  4 (3, 7)  5 (4, 0)
    1    .   S   B>  J   J   M>  M*  .                   6 (4, 3)  7 (5, 2)  8 (5, 6)  9 (6, 1) 10 (6, 4)
    2    S>  S*  J>  J   M*  M>  C   .       icons   D4  (2, 5) (6, 2)           D6  (1, 2) (4, 4) (5, 0)
    3    B   S   J   .   J   M   C   C*              D8  (2, 2) (7, 4)           D10 (1, 5) (5, 5)
    4    B*  S   J   J*  J>  M   C   C               D12 (2, 0) (5, 7)
    5    B>  S   S*  J   .   M>  M*  C>
    6    B   B*  S>  J   J*  C   C   .       50 spaces: 8 M, 13 J, 9 S, 12 B, 8 C
    7    Bs  B   .   S   J   .   .   .
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from isle_envs.core.records import for_kernels
from tests.isla.oracle import SPECIES, Decision, Description, Rules, Space, copied, seen_by
from tests.isla.variants import VARIANTS

TOKENS = ["flora", "fauna", "flora", "flora", "rest", "fauna", "fauna", "fossil", "fossil", "flora", "boulder"]
HIGHLIGHTS = [(0, 2), (1, 6), (2, 1), (2, 4), (3, 7), (4, 0), (4, 3), (5, 2), (5, 6), (6, 1), (6, 4)]
START, EXIT = (7, 0), (0, 4)
COPIES = [3, 3, 2, 2, 3, *[2] * 11]

KEEP: Decision = ("keep",)
REST: Decision = ("plan", 0)
EXPLORE: Decision = ("plan", 1)
RESEARCH: Decision = ("plan", 2)
TOKEN: Decision = ("rest_token",)
NO_BOOST: Decision = ("no_boost",)
LEAVE: Decision = ("leave",)
NORTH: Decision = ("step", 0)
EAST: Decision = ("step", 1)
SOUTH: Decision = ("step", 2)
WEST: Decision = ("step", 3)
D4, D6, D8, D10, D12 = DIE = [("die", die) for die in range(5)]


def steps(letters: str) -> list[Decision]:
    """ "NNE": two steps north, one east."""
    return [("step", "NESW".index(letter)) for letter in letters]


@cache
def components(variant: str = "") -> dict[str, Any]:
    """The game's component file, or a variant of it (see variants.py)."""
    own = tomllib.loads((resources.files("isle_envs.isla") / "components.toml").read_text(encoding="utf-8"))
    return VARIANTS[variant](own) if variant else own


# Building a position. Everything below `midgame` changes the description it is given.


def midgame(num_players: int = 2, keeper: str = "The Drowsing Hill") -> Description:
    """Round 3, seat 0 is first player and to plan. All are on the start space with five ready dice, TOKENS on their sheets.

    The pool is cards 0 to 3, the deck the others in order, the threat deck all threats in order; solo the keeper stands
    on its start.
    """
    solo = num_players == 1
    places = {entry["name"]: entry["start"] for entry in components()["keeper"]}
    return {
        "game": "isla",
        "num_players": num_players,
        "phase": "plan",
        "current_player": 0,
        "first_player": 0,
        "round": 3,
        "dice": [2, 3, 4, 5, 6],
        "players": [
            {
                "at": list(START),
                "explored": [list(START)],
                "tokens": list(TOKENS),
                "hand": {"flora": 0, "fauna": 0, "fossil": 0, "rest": 0},
                "ready": [0, 1, 2, 3, 4],
                "rested": False,
                "cards": [],
                "threats": [],
                "boosted": None,
                "status": "active",
                "exit_round": None,
                "track": 0,
            }
            for _ in range(num_players)
        ],
        "round_state": [{"plan": None, "acted": False, "banned": [], "slow": 0} for _ in range(num_players)],
        "before": None,
        "explore": None,
        "pool": [0, 1, 2, 3],
        "deck": list(range(4, 38)),
        "discards": [],
        "threat_deck": [] if solo else [card for card, copies in enumerate(COPIES) for _ in range(copies)],
        "threat_discards": [],
        "keeper": {"name": keeper, "at": list(places[keeper])} if solo else None,
        "end": None,
        "stream": {"key": f"{1:#018x}", "counter": 0},
    }


def player(description: Description, seat: int, **fields: Any) -> dict[str, Any]:
    """The entry of a player, with some fields set."""
    entry: dict[str, Any] = description["players"][seat]
    assert set(fields) <= set(entry)
    entry.update(fields)
    return entry


def hold(description: Description, seat: int, flora: int = 0, fauna: int = 0, fossil: int = 0, rest: int = 0) -> None:
    """The tokens in a player's hand, whatever lies on the sheet."""
    description["players"][seat]["hand"] = {"flora": flora, "fauna": fauna, "fossil": fossil, "rest": rest}


def stand(description: Description, seat: int, at: Space, explored: Sequence[Space] = ()) -> None:
    """Where an explorer is, who has explored the start, this space and others. Tokens there are spent."""
    entry = description["players"][seat]
    spaces = {START, at, *explored}
    entry.update(at=list(at), explored=sorted(map(list, spaces)))
    for k, space in enumerate(HIGHLIGHTS):
        if space in spaces:
            entry["tokens"][k] = None


def walk(description: Description, seat: int, letters: str) -> None:
    """The path of an explorer from the start. Tokens on it are spent, icons have no effect."""
    at = START
    path = [at]
    for letter in letters:
        down, right = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}[letter]
        at = at[0] + down, at[1] + right
        path.append(at)
    stand(description, seat, at, path)


def trap(description: Description, seat: int) -> None:
    """An explorer walks into the dead end at (7, 1)."""
    walk(description, seat, "NES")


def finish(description: Description, seat: int, status: str = "lost", exit_round: int = 1, track: int = 1) -> None:
    """A player has become lost, or exited earlier, having explored a path of 11 spaces along the west and the north."""
    if status == "lost":
        trap(description, seat)
        player(description, seat, status="lost", rested=True)
        return
    path = "NNNNNEENNEE"
    walk(description, seat, path)
    assert description["players"][seat]["at"] == list(EXIT)
    player(description, seat, status="exited", exit_round=exit_round, track=track)


def _take(description: Description, cards: Sequence[int]) -> None:
    assert len(set(cards)) == len(cards)
    for pile in ("deck", "discards"):
        description[pile] = [card for card in description[pile] if card not in cards]
    description["pool"] = [None if card in cards else card for card in description["pool"]]
    for entry in description["players"]:
        entry["cards"] = [card for card in entry["cards"] if card not in cards]


def own(description: Description, seat: int, *cards: int) -> None:
    """The research cards of a player, in the order in which they were bought."""
    _take(description, cards)
    description["players"][seat]["cards"] = list(cards)
    _fill(description)


def show(description: Description, *pool: int) -> None:
    """The research pool; what was there goes to the bottom of the deck."""
    description["deck"] += [card for card in description["pool"] if card is not None]
    _take(description, pool)
    description["pool"] = list(pool)


def _fill(description: Description) -> None:
    for slot, card in enumerate(description["pool"]):
        if card is None:
            description["pool"][slot] = description["deck"].pop()


def stack(description: Description, *cards: int) -> None:
    """The top cards of the research deck."""
    _take(description, cards)
    _fill(description)
    description["deck"] = [*cards, *description["deck"]]


def stack_only(description: Description, *cards: int) -> None:
    """The research deck has only these cards; the others go to the discards."""
    stack(description, *cards)
    description["discards"] = sorted([*description["discards"], *description["deck"][len(cards) :]])
    description["deck"] = list(cards)


def threaten(description: Description, *cards: int) -> None:
    """The top cards of the threat deck."""
    for card in cards:
        description["threat_deck"].remove(card)
    description["threat_deck"] = [*cards, *description["threat_deck"]]


def threaten_only(description: Description, *cards: int) -> None:
    """The threat deck has only these cards; the others go to the discards."""
    threaten(description, *cards)
    description["threat_discards"] = sorted(
        [*description["threat_discards"], *description["threat_deck"][len(cards) :]]
    )
    description["threat_deck"] = list(cards)


def keep(description: Description, seat: int, *cards: int) -> None:
    """The threats beside a player's sheet."""
    for card in cards:
        description["threat_deck"].remove(card)
    description["players"][seat]["threats"] = sorted(cards)


def plan_of(description: Description, seat: int, plan: str) -> None:
    description["round_state"][seat]["plan"] = plan


def planning(description: Description, seat: int, *, first: int | None = None, **fields: Any) -> None:
    """It is a seat's turn to plan, who is the first player unless another one is."""
    description.update(phase="plan", current_player=seat, first_player=seat if first is None else first, **fields)


def exploring(
    description: Description, seat: int = 0, dice: Sequence[int] = (2, 3, 4, 5, 6), plans: str | None = None
) -> None:
    """It is a seat's turn to explore. The plans are letters e, r, s (rest), - by seat; else all active players explore."""
    n = description["num_players"]
    for other, entry in enumerate(description["players"]):
        letter = plans[other] if plans else "e" if entry["status"] == "active" else "-"
        plan = {"e": "explore", "r": "research", "s": "rest", "-": None}[letter]
        description["round_state"][other]["plan"] = plan
        earlier = (other - description["first_player"]) % n < (seat - description["first_player"]) % n
        description["round_state"][other]["acted"] = earlier and plan == "explore"
    description.update(
        phase="die",
        current_player=seat,
        dice=list(dice),
        before=copied(description["players"]),
        explore={"die": None, "movement": 0},
    )


def stepping(description: Description, movement: int, seat: int = 0, die: int = 0, plans: str | None = None) -> None:
    """A seat has exhausted a die and has so much movement left."""
    exploring(description, seat, plans=plans)
    entry = description["players"][seat]
    entry["ready"] = [ready for ready in entry["ready"] if ready != die]
    description.update(phase="step", explore={"die": die, "movement": movement})


def researching(description: Description, *seats: int, first: int = 0) -> None:
    """The research phase: these seats, in player order, planned to research, and the first of them is to buy."""
    for seat in seats:
        plan_of(description, seat, "research")
    description.update(phase="research", current_player=seats[0], first_player=first)


@cache
def _key(wanted: tuple[tuple[int, int], ...]) -> int:
    stream = for_kernels(np.zeros(1, rng.STREAM))
    for key in range(1, 1_000_000):
        stream["key"][0], stream["counter"][0] = key, 0
        dice = [1 + rng.below(stream[0], sides) for sides in (4, 6, 8, 10, 12)]
        if all(dice[die] == value for die, value in wanted) and dice.count(1) == sum(v == 1 for _, v in wanted):
            return key
    raise AssertionError(f"no key rolls {wanted}")


def with_roll(description: Description, values: Mapping[int, int]) -> None:
    """The next roll shows these values (by die), and no 1 on another die."""
    description["stream"] = {"key": f"{_key(tuple(sorted(values.items()))):#018x}", "counter": 0}


def round_of(
    description: Description, *plans: Decision, roll: Mapping[int, int] | None = None, **options: Any
) -> Description:
    """The position after all have announced these plans and the dice have been rolled (without a 1 unless it is said)."""
    with_roll(description, roll or {})
    return after(description, *plans, **options)


# Playing on the engine and the oracle at once


@cache
def make(num_players: int = 2, variant: str = "", **options: Any) -> Game:
    """The engine's game."""
    source = components(variant) if variant else None
    return isle_envs.make_game("isla", num_players=num_players, components=source, **options)


@cache
def rules(threat_per_one: bool = False, variant: str = "") -> Rules:
    """The oracle."""
    return Rules(components(variant), threat_per_one=threat_per_one)


def rules_of(options: Mapping[str, Any]) -> Rules:
    """The oracle for a game's options."""
    return rules(options.get("threat_per_one", False), options.get("variant", ""))


def game_of(description: Description, **options: Any) -> Game:
    """The engine's game for a described position."""
    keeper = description["keeper"]
    return make(description["num_players"], **options, **({} if keeper is None else {"keeper": keeper["name"]}))


def batch_of(description: Description, game: Game | None = None) -> Batch:
    """A batch of one game that stands at a described position."""
    game = game or game_of(description)
    return game.batch(states=game.undescribe(description))


def offered(batch: Batch, index: int = 0) -> list[Decision]:
    """The decisions that the engine's mask offers."""
    actions = batch.game.actions
    return [tuple(actions.decode(int(action))) for action in batch.action_mask[index].nonzero()[0]]


def described(batch: Batch, index: int = 0, seat: int | None = None) -> Description:
    return batch.game.describe(batch.states[index], seat)


def differences(engine: Any, oracle: Any, path: str = "") -> list[str]:
    """Where two descriptions differ, in words."""
    if isinstance(engine, dict) and isinstance(oracle, dict) and engine.keys() == oracle.keys():
        return [line for key in engine for line in differences(engine[key], oracle[key], f"{path}.{key}")]
    if isinstance(engine, list) and isinstance(oracle, list) and len(engine) == len(oracle):
        return [line for k in range(len(engine)) for line in differences(engine[k], oracle[k], f"{path}[{k}]")]
    return [] if engine == oracle else [f"{path}: engine {engine}, oracle {oracle}"]


def same_decisions(batch: Batch, decisions: Sequence[Decision]) -> None:
    assert sorted(offered(batch)) == sorted(decisions), f"engine {offered(batch)}, oracle {decisions}"


def same(engine: Description, oracle: Description) -> None:
    assert engine == oracle, differences(engine, oracle)


def legal(description: Description, **options: Any) -> list[Decision]:
    """The legal decisions, on which the engine and the oracle agree."""
    oracle = rules_of(options)
    batch = batch_of(description, game_of(description, **options))
    decisions = oracle.legal(description)
    same(described(batch), description)
    same_decisions(batch, decisions)
    return decisions


def after(description: Description, *decisions: Decision, **options: Any) -> Description:
    """The position after some legal decisions, on which the engine and the oracle agree at every step."""
    return rewarded(description, *decisions, **options)[0]


def rewarded(description: Description, *decisions: Decision, **options: Any) -> tuple[Description, list[list[float]]]:
    """As `after`, and the rewards of every decision."""
    oracle = rules_of(options)
    batch = batch_of(description, game_of(description, **options))
    description = copied(description)
    same(described(batch), description)
    rewards = []
    for decision in decisions:
        expected = oracle.legal(description)
        same_decisions(batch, expected)
        assert decision in expected, f"{decision} is not legal; {expected} are"
        following = oracle.apply(description, decision)
        batch.step([batch.game.actions.encode(*decision)])
        same(described(batch), following)
        earned = oracle.rewards(description, following, options.get("reward", "outcome"))
        assert batch.rewards[0].tolist() == pytest.approx(earned, abs=1e-5)
        rewards.append(batch.rewards[0].tolist())
        description = following
    same_decisions(batch, oracle.legal(description))
    return description, rewards


def view(description: Description, seat: int, **options: Any) -> Description:
    """What a seat may know of a position, on which the engine and the oracle agree."""
    found = described(batch_of(description, game_of(description, **options)), seat=seat)
    same(found, seen_by(description, seat))
    return found


def scores(description: Description, **options: Any) -> list[int]:
    """The scores as the game stands, on which the engine and the oracle agree."""
    batch = batch_of(description, game_of(description, **options))
    found: list[int] = batch.scores()[0].tolist()
    assert batch.game.standing(batch.states[0])[0] == found
    assert found == [rules_of(options).score(description, seat) for seat in range(description["num_players"])]
    return found


def ranks(description: Description, **options: Any) -> list[int]:
    """The ranks at the end, on which the engine and the oracle agree."""
    batch = batch_of(description, game_of(description, **options))
    found: list[int] = batch.ranks()[0].tolist()
    assert batch.game.standing(batch.states[0])[1] == found
    assert found == rules_of(options).ranks(description)
    return found


# Positions at random


def crowded(rules: Rules, num_players: int, chance: random.Random, keeper: str | None = None) -> Description:
    """A position at the start of a planning phase that games seldom reach: short decks, long paths, many threats, tired dice.

    Some of it no game can reach, but the rules say what is legal in it all the same.
    """
    first, limit = chance.randrange(num_players), rules.round_limit
    tired = chance.choice([0.1, 0.3, 0.7])
    d = midgame(num_players)
    research = chance.sample(range(len(rules.cards)), len(rules.cards))
    threats = [card for card, threat in enumerate(rules.threats) for _ in range(threat["copies"])]
    chance.shuffle(threats)
    for entry in d["players"]:
        tokens: list[str | None] = chance.sample(TOKENS, len(TOKENS))
        entry.update(tokens=tokens, at=list(rules.start), explored=[list(rules.start)])
        for _ in range(chance.choice([0, 3, 8, 15, 25, 40])):
            free = list(rules.free_neighbours(entry).values())
            if not free or (tuple(entry["at"]) == rules.exit and chance.random() < 0.5):
                break
            at = chance.choice(free)
            entry.update(at=list(at), explored=[*entry["explored"], list(at)])
            kind = rules.token(entry, at)
            if kind is not None:
                tokens[rules.highlights.index(at)] = None
                if chance.random() < 0.6 or kind == "rest":
                    entry["hand"][kind] += 1
        entry["explored"].sort()
        entry["ready"] = [die for die in range(5) if chance.random() < tired]
        entry["rested"] = chance.random() < 0.6
        left = sum(tokens.count(kind) + entry["hand"][kind] for kind in SPECIES)
        for _ in range(min(9 - left, chance.choice([0, 1, 2, 5, 9]))):  # Every card has cost a token.
            if len(research) > 2:
                entry["cards"].append(research.pop())
        if num_players > 1:
            for card in chance.sample(threats, chance.choice([0, 1, 3, min(8, len(threats))])):
                if rules.threats[card]["time"] == "keep" and card not in entry["threats"] and card in threats:
                    entry["threats"] = sorted([*entry["threats"], card])
                    threats.remove(card)
    for seat, entry in enumerate(d["players"]):
        if seat != first and chance.random() < 0.15:
            entry["status"] = "lost"
        elif seat != first and tuple(entry["at"]) == rules.exit:
            entry.update(status="exited", exit_round=chance.randint(1, 5), track=chance.randint(1, len(rules.track)))
    if chance.random() < 0.3:  # Threats that take the last die come first.
        for entry in d["players"]:
            entry["ready"] = [chance.choice([1, 2, 3, 4, 4])]
        threats.sort(key=lambda card: rules.threats[card]["effect"] not in ("ban", "exhaust"))
    size = len(d["pool"])
    d["pool"] = [*research[:size], *[None] * (size - len(research[:size]))]
    rest = research[size:]
    cut = min(len(rest), chance.choice([0, 0, 1, 2, 3, 10, 40]))
    d.update(deck=rest[:cut], discards=sorted(rest[cut:]))
    if num_players > 1:
        cut = min(len(threats), chance.choice([0, 0, 1, 2, 10, 40]))
        d.update(threat_deck=threats[:cut], threat_discards=sorted(threats[cut:]))
    d.update(first_player=first, current_player=first, round=chance.choice([6, 7, limit // 2 + 3, limit - 1, limit]))
    d["dice"] = [chance.randint(1, sides) for sides in rules.sides]
    d["stream"] = {"key": f"{chance.randrange(2**64):#018x}", "counter": chance.randrange(1000)}
    if num_players == 1:
        spaces = [[row, column] for row in range(rules.rows) for column in range(rules.columns)]
        d["keeper"] = {"name": keeper, "at": chance.choice([at for at in spaces if at != d["players"][0]["at"]])}
    entry = d["players"][first]
    if not rules.legal(d):  # Somebody must be able to decide.
        entry["rested"] = False
    return d


# What several files of tests speak of

PLAYERS = (2, 3, 4)
KINDS = {"flora": 4, "fauna": 3, "fossil": 2, "rest": 1, "boulder": 1}
KEEPERS = {
    "The Drowsing Hill": [7, 7],
    "Grandmother Kelp": [4, 7],
    "The Lantern Heron": [0, 0],
    "Hollow Antler": [2, 7],
    "The Unmoored": [0, 7],
}

# Research cards outside the pool of `midgame`, by their solo symbol.
SUN, WAVE, LEAF, STONE = 5, 4, 7, 6

# Threats
(
    ROCKFALL,
    CREEPERS,
    LEECHES,
    SUNSTROKE,
    ANKLE,
    BLISTERS,
    SAMPLES,
    FRET,
    RIVER,
    COMPASS,
    NOISES,
    GULLS,
    WIND,
    SPRING,
    BEACON,
    LETTERS,
) = range(16)


def deals(games: int, num_players: int, **options: Any) -> list[Description]:
    """The first positions of some games."""
    batch = make(num_players, **options).batch(games, seed=7)
    return [described(batch, k) for k in range(games)]


def unordered(decisions: list[Decision]) -> set[Decision]:
    assert len(set(decisions)) == len(decisions)
    return set(decisions)


def over(description: Description, end: str = "finished") -> None:
    description.update(phase="over", current_player=None, end=end)


def drawn(d: Description, threat: int, plans: tuple[Decision, ...] = (EXPLORE, EXPLORE), **roll: int) -> Description:
    """The position after seat 0 has drawn a threat; D4 shows the 1, and d6=5 sets another die."""
    threaten(d, threat)
    values = {("d4", "d6", "d8", "d10", "d12").index(die): value for die, value in roll.items()}
    return round_of(d, *plans, roll={0: 1} | values)


def beginning(num_players: int) -> Description:
    d = midgame(num_players)
    d.update(phase="setup", round=1, dice=None)
    return d


# A player at the start with all dice: 1 + 1 + 2 + 2 + 3 for the dice, -49 for the unexplored spaces.
FRESH = 9 - 49

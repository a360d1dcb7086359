"""Descriptions of Islet positions for tests, and a way to play them on the engine and the oracle at once.

The start islet is a hexagon of six triangles, named A to F around its middle, and the cells of the sea next to them
bear the same letters in lower case. A cell is (row, column); it points up where row + column is even.

                        b               A (8, 14)  a (8, 13)      A B C point up, down, up
                     a A B C c          B (8, 15)  b (7, 15)      F E D point down, up, down
                     f F E D d          C (8, 16)  c (8, 17)      A's third side is F's, B's is b's, C's is D's
                        e               D (9, 16)  d (9, 17)      E's is e's
                                        E (9, 15)  e (10, 15)
                                        F (9, 14)  f (9, 13)

Around the islet A-B-C-D-E-F-A each touches the next. Solo "0A" is A of islet 0 and "1A" of islet 1, both at (6, 12).

A tile is written as its terrain and nest, "Wl" being fresh water with leaves: W fresh water, S sand, C clay; l leaves, b
branches, f flowers. The letters alone name the six resources: "WWSf" are four cards.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

import pytest

import isle_envs
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from tests.islet import oracle
from tests.islet.oracle import Cell, Decision, Description

WATER, SAND, CLAY, LEAVES, BRANCHES, FLOWERS = range(6)
NURSERY = "Cl"  # what lies under eggs far from the middle
EGGS = {1: 10, 2: 10, 3: 8, 4: 6}

CELLS: dict[str, tuple[int, int]] = {
    "A": (8, 14),
    "B": (8, 15),
    "C": (8, 16),
    "D": (9, 16),
    "E": (9, 15),
    "F": (9, 14),
    "a": (8, 13),
    "b": (7, 15),
    "c": (8, 17),
    "d": (9, 17),
    "e": (10, 15),
    "f": (9, 13),
}
HEXAGON = "ABCDEF"


def cell(name: str) -> Cell:
    """The cell of a name; solo the islet's number comes first."""
    if name[0] in "01":
        row, column = CELLS[name[1:]]
        return int(name[0]), row - 2, column - 2
    return CELLS[name]


def to(name: str) -> Decision:
    """The decision that names a cell."""
    return ("cell", *cell(name))


def kind(tile: str) -> int:
    """The kind of a tile: "Sf" is 5."""
    return 3 * "WSC".index(tile[0]) + "lbf".index(tile[1])


def pick(tile: str) -> Decision:
    return ("pick", kind(tile))


def resource(letter: str) -> Decision:
    return ("resource", "WSClbf".index(letter))


def pay(letter: str, guaranteed: bool = False) -> Decision:
    return ("pay", "WSClbf".index(letter), int(guaranteed))


def counts(letters: str) -> list[int]:
    """Six counts of resources: "WWf" is [2, 0, 0, 0, 0, 1]."""
    assert set(letters) <= set("WSClbf")
    return [letters.count(letter) for letter in "WSClbf"]


def all_kinds() -> list[int]:
    """The ninety tiles of the components file, kind after kind."""
    return [kind for kind in oracle.KINDS for _ in range(10)]


@cache
def day_and_night() -> list[dict[str, str]]:
    """The day and night cards of the components file."""
    text = (resources.files("isle_envs.islet") / "components.toml").read_text(encoding="utf-8")
    cards: list[dict[str, str]] = tomllib.loads(text)["day_night"]
    return cards


# Building a position. Everything below `start` changes the description it is given.


def start(num_players: int = 2, tiles: str = "Wl Wl Wl Wl Wl Wl", eggs: int | None = None) -> Description:
    """Seat 0's first turn: six tiles A to F of a hexagon, all birds in the sea, nobody holds a resource.

    Solo `tiles` names those of islet 0 and those of islet 1, and the bird stands on 0A. Everybody holds Wl, Wb, Sf and Cf
    as long as there are enough of them; the bag has what is left, kind after kind.
    """
    total = EGGS[num_players] if eggs is None else eggs
    solo = num_players == 1
    kinds = [kind(tile) for tile in tiles.split()]
    names = [f"{islet}{letter}" for islet in "01" for letter in HEXAGON] if solo else list(HEXAGON)
    if solo and len(kinds) == 6:
        kinds *= 2
    laid = zip(names, kinds, strict=True)
    hands = [sorted(map(kind, ("Wl", "Wb", "Sf", "Cf"))) for _ in range(num_players)]
    bag = Counter(all_kinds()) - Counter(kinds)
    for hand in hands:
        bag -= Counter(hand)
    return {
        "game": "islet",
        "num_players": num_players,
        "phase": "turn",
        "current_player": 0,
        "round": 1,
        "last_round": None,
        "tiles": sorted(({"cell": list(cell(n)), "level": 1, "kind": k, "egg": None} for n, k in laid), key=_place),
        "birds": [list(cell("0A"))] if solo else [None] * num_players,
        "bag": sorted(bag.elements()),
        "hands": hands,
        "removed": [],
        "stacks": [12] * 6,
        "loose": [[0] * 6 for _ in range(num_players)],
        "guaranteed": [[0] * 6 for _ in range(num_players)],
        "spent": [[0] * 6 for _ in range(num_players)],
        "eggs": [{"free": total, "laid": 0} for _ in range(num_players)],
        "explore": None,
        "discarded": None,
        "payment": None,
        "stood": [],
        "moved": False,
        "deck": list(range(4, 13)) if solo else None,
        "cards": [[0, 1], [2, 3]] if solo else None,
        "used": [] if solo else None,
        "end": None,
    }


def _place(tile: dict[str, Any]) -> list[int]:
    where: list[int] = tile["cell"]
    return where


def put(
    description: Description, where: str | Sequence[int], tile: str, level: int = 1, egg: int | None = None
) -> None:
    """Lay a tile on a named or numbered cell, up to a level, with a seat's egg on it or none."""
    at = list(cell(where) if isinstance(where, str) else where)
    others = [other for other in description["tiles"] if other["cell"] != at]
    laid = {"cell": at, "level": level, "kind": kind(tile), "egg": egg}
    description["tiles"] = sorted([*others, laid], key=_place)


def tile_at(description: Description, name: str) -> dict[str, Any]:
    """The description of the tile on a named cell."""
    tiles: list[dict[str, Any]] = description["tiles"]
    (found,) = [tile for tile in tiles if tile["cell"] == list(cell(name))]
    return found


def draw(description: Description, picture: str) -> None:
    """Lay several tiles, written like "A=Wl B=Sf2 c=Cb3*": at level 1, 2 and 3, * with an egg of seat 0."""
    for word in picture.split():
        where, tile = word.split("=")
        put(description, where, tile[:2], int(tile[2:].rstrip("*") or 1), 0 if tile.endswith("*") else None)


def stand(description: Description, *names: str | None) -> None:
    """Where the birds are, seat by seat; None is the sea."""
    description["birds"] = [None if name is None else list(cell(name)) for name in names]


def turn_of(description: Description, seat: int, number: int = 1) -> None:
    """It is a seat's turn in some round."""
    description.update(current_player=seat, phase="turn", round=number)


def hold(description: Description, seat: int, loose: str) -> None:
    """The loose resources of a seat."""
    description["loose"][seat] = counts(loose)
    _restack(description)


def guard(
    description: Description,
    seat: int,
    guaranteed: str = "",
    spent: str = "",
    laid: int | None = None,
    levels: Iterable[int] = (),
) -> None:
    """The guaranteed resources of a seat, and the ones among them that it has used this turn.

    So many eggs lie on tiles, by default as many as guarantee a resource, as in the first half of a game. The tiles are
    the seat's own, far from the middle, at these levels as far as they go and then at level 1.
    """
    free, before = description["eggs"][seat]["free"], description["eggs"][seat]["laid"]
    total = free + before + sum(description["guaranteed"][seat])
    laid = len(guaranteed) if laid is None else laid
    description["guaranteed"][seat], description["spent"][seat] = counts(guaranteed), counts(spent)
    description["eggs"][seat] = {"free": total - laid - len(guaranteed), "laid": laid}
    row = 1 + 3 * seat
    islet = (1,) if description["num_players"] == 1 else ()
    strip = [[*islet, row, 1 + k] for k in range(10)]
    description["tiles"] = [tile for tile in description["tiles"] if tile["cell"] not in strip]
    for k, level in enumerate([*levels, *[1] * laid][:laid]):
        put(description, (*islet, row, 1 + k), NURSERY, level, seat)
    _restack(description)


def guard_last(description: Description, seat: int, guaranteed: str, spent: str = "") -> None:
    """As `guard`, but no egg is free: all eggs that do not guarantee a resource lie on tiles."""
    eggs = description["eggs"][seat]
    total = eggs["free"] + eggs["laid"] + sum(description["guaranteed"][seat])
    guard(description, seat, guaranteed, spent, total - len(guaranteed))


def _restack(description: Description) -> None:
    held = [*description["loose"], *description["guaranteed"]]
    description["stacks"] = [12 - sum(cards[t] for cards in held) for t in oracle.TYPES]


def with_hand(description: Description, seat: int, tiles: str) -> None:
    description["hands"][seat] = sorted(kind(tile) for tile in tiles.split())


def with_bag(description: Description, tiles: str) -> None:
    """Leave only these tiles to be drawn, in this order."""
    description["bag"] = [kind(tile) for tile in tiles.split()]


def with_cards(description: Description, *conditions: str) -> None:
    """Solo: the conditions shown, up to two a face ("day coastal", "night peak"); the deck has the other cards in order."""
    shown: list[list[int]] = [[], []]
    for condition in conditions:
        face, _, words = condition.partition(" ")
        (number,) = [k for k, card in enumerate(day_and_night()) if card[face] == words]
        shown[face == "night"].append(number)
    out = [*shown[0], *shown[1]]
    assert len(set(out)) == len(out), "the same card twice"
    description["cards"] = shown
    description["deck"] = [k for k in range(13) if k not in out]
    description["used"] = []


def deal(num_players: int, chance: random.Random, eggs: int | None = None) -> Description:
    """A first position as the game deals it."""
    bag = all_kinds()
    chance.shuffle(bag)
    solo = num_players == 1
    tiles = " ".join("WSC"[k // 3] + "lbf"[k % 3] for k in bag[: 12 if solo else 6])
    d = start(num_players, tiles, eggs)
    d["bag"] = bag[12 if solo else 6 :]
    for seat in range(num_players):
        d["hands"][seat] = sorted(d["bag"][:4])
        d["bag"] = d["bag"][4:]
    if solo:
        deck = list(range(13))
        chance.shuffle(deck)
        d.update(birds=[None], phase="start", cards=[deck[:2], deck[2:4]], deck=deck[4:])
    return d


def crowded(num_players: int, chance: random.Random, eggs: int | None = None) -> Description:
    """A position at the start of a turn that games seldom reach: birds side by side, eggs everywhere, the canvas's edge.

    Some of it no game can reach, but the rules say what is legal in it all the same.
    """
    d = start(num_players, eggs=eggs)
    total, solo = total_eggs(d), num_players == 1
    terrains = chance.sample(range(3), chance.randint(1, 3))
    tiles = {}
    for islet in ((0,), (1,)) if solo else ((),):
        for at in _cluster(chance, islet, 12 if solo else chance.randint(6, 18)):
            of_kind = 3 * chance.choice(terrains) + chance.randrange(3)
            tiles[at] = {"cell": list(at), "level": chance.choice([1, 1, 2, 2, 3, 4]), "kind": of_kind, "egg": None}
    free = chance.sample(sorted(tiles), len(tiles))
    for seat in range(num_players):
        laid = chance.randint(0, min(total - 1, len(free) // (num_players - seat) // 2))
        for at in free[:laid]:
            tiles[at]["egg"] = seat
        del free[:laid]
        guaranteed = chance.sample("WSClbf" * 2, min(laid, total - laid))
        d["guaranteed"][seat] = counts("".join(guaranteed))
        d["eggs"][seat] = {"free": total - laid - len(guaranteed), "laid": laid}
        with_hand(
            d, seat, " ".join(chance.choices(["Wl", "Wb", "Sf", "Cf", "Cl"], k=chance.choice([0, 1, 2, 4, 4, 4])))
        )
    _restack(d)
    for seat in range(num_players):
        for t in chance.choices(range(chance.choice([3, 6])), k=chance.randint(0, 8)):
            if d["stacks"][t] > 0:
                d["stacks"][t] -= 1
                d["loose"][seat][t] += 1
    d["tiles"] = sorted(tiles.values(), key=_place)
    board = oracle.Board(d)
    seat = chance.randrange(num_players)
    first = chance.choice(sorted(tiles))
    near = [
        first,
        *board.near_tiles(first),
        *(other for at in board.near_tiles(first) for other in board.near_tiles(at)),
    ]
    where = [list(at) for at in dict.fromkeys(near)][:num_players]
    d["birds"] = chance.sample([*where, *[None] * (num_players - len(where))], num_players)
    d["bag"] = chance.choices(range(9), k=chance.choice([0, 1, 2, 3, 5, 30]))
    turn_of(d, seat, chance.choice([1, 7, 99, 100]))
    if not solo and (not d["bag"] or chance.random() < 0.2):
        d["last_round"] = d["round"] + chance.randint(0, 1)
    if solo:
        deck = chance.sample(range(13), 13)
        shown, other, used = chance.randint(0, 2), chance.randint(0, 2), chance.randint(0, 9)
        d["cards"] = [deck[:shown], deck[2 : 2 + other]]
        d["used"] = sorted([*deck[shown:2], *deck[2 + other : 4], *deck[4 : 4 + used]])
        d["deck"] = deck[4 + used :]
    return d


def _cluster(chance: random.Random, islet: tuple[int, ...], size: int) -> list[Cell]:
    """Connected cells, often at the edge of the canvas."""
    rows, columns = (14, 27) if islet else (18, 31)
    row, column = chance.randrange(rows), chance.randrange(columns)
    if chance.random() < 0.5:
        row, column = chance.choice([(0, column), (rows - 1, column), (row, 0), (row, columns - 1)])
    board = oracle.Board(start(1 if islet else 2))
    found: list[Cell] = [(*islet, row, column)]
    while len(found) < size:
        beside = [at for at in board.near(chance.choice(found)) if board.on_canvas(at) and at not in found]
        found += chance.sample(beside, min(1, len(beside)))
    return found


# Playing on the engine and the oracle at once


@cache
def make(num_players: int = 2, **options: Any) -> Game:
    """The engine's game."""
    return isle_envs.make_game("islet", num_players=num_players, **options)


def total_eggs(description: Description) -> int:
    """With how many eggs a seat began."""
    return oracle.eggs_left(description, 0) + int(description["eggs"][0]["laid"])


def game_of(description: Description, **options: Any) -> Game:
    """The engine's game for a described position."""
    n = description["num_players"]
    return make(n, **options, **({"eggs": total_eggs(description)} if n == 1 else {}))


def batch_of(description: Description, game: Game | None = None) -> Batch:
    """A batch of one game that stands at a described position."""
    game = game or game_of(description)
    return game.batch(states=game.undescribe(description))


def offered(batch: Batch, index: int = 0) -> list[Decision]:
    """The decisions that the engine's mask offers."""
    actions = batch.game.actions
    return [tuple(actions.decode(int(action))) for action in batch.action_mask[index].nonzero()[0]]


def plain(description: Description) -> Description:
    """A description without what the oracle does not follow: the stream."""
    return {key: value for key, value in description.items() if key != "stream"}


def expected(description: Description) -> list[Decision]:
    """The oracle's legal decisions."""
    return oracle.legal(description, day_and_night())


def applied(description: Description, decision: Decision) -> Description:
    """The oracle's next position."""
    assert decision in expected(description), f"{decision} is not legal; {expected(description)} are"
    return oracle.apply(description, decision, day_and_night())


def legal(description: Description) -> list[Decision]:
    """The legal decisions, on which the engine and the oracle agree."""
    decisions = expected(description)
    assert sorted(offered(batch_of(description)), key=str) == sorted(decisions, key=str)
    return decisions


def after(description: Description, *decisions: Decision) -> Description:
    """The position after some legal decisions, on which the engine and the oracle agree at every step."""
    batch = batch_of(description)
    description = plain(description)
    for decision in decisions:
        before = description
        description = applied(before, decision)
        batch.step([batch.game.actions.encode(*decision)])
        assert plain(batch.game.describe(batch.states[0])) == description
        earned = [now - then for now, then in zip(oracle.rewards(description), oracle.rewards(before), strict=True)]
        assert batch.rewards[0].tolist() == pytest.approx(earned, abs=1e-6)
        assert sorted(offered(batch), key=str) == sorted(expected(description), key=str)
    return description

"""Descriptions of Isle Tiles positions for tests, and a way to play them on the engine and the oracle at once.

The hex board of a first game, with its space numbers:

                   00  01  02
         03  04  05  06  07  08  09
       10  11  12  13  14  15  16  17  18  19
     20  21  22  23  24  25  26  27  28  29
       30  31  32  33  34  35  36  37  38  39
     40  41  42  43  44  45  46  47  48  49
               50  51  52  53  54  55  56
                     57  58  59

GAPPED is a layout that a draft of the same four parts can give (checked in test_rules.py), with gaps inside:

       00  01  02              03  04  05
     06  07  08  09  10  11  12  13  14  15
       16  17  18  19      20  21  22  23
         24  25  26          27  28  29
                   30  31  32
                 33  34  35  36
               37  38  39  40  41  42  43  44
                     45  46  47  48  49  50  51
                                   52  53  54  55
                                     56  57  58
                                           59

The square board of a first game:

         00  01  02  03  04  05
     06  07  08  09  10  11  12  13
     14  15  16  17  18  19  20  21
     22  23  24  25  26  27  28  29
     30  31  32  33  34  35  36  37
     38  39  40  41  42  43  44  45
     46  47  48  49  50  51  52  53
         54  55  56  57  58  59

Directions on hexes: 0 E, 1 NE, 2 NW, 3 W, 4 SW, 5 SE; on squares: 0 E, 1 N, 2 W, 3 S.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import cache
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

import isle_envs
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from tests.isle_tiles import oracle
from tests.isle_tiles.oracle import Decision, Description, Point

LAVA, DESERT, ICE, SWAMP, FOREST = range(5)

FIRST_GAME = """
       1 1 1
  0 0 1 1 1 1 1
 0 0 0 1 1 1 1 3 3 3
0 0 0 0 1 1 1 3 3 3
 0 0 0 2 2 2 3 3 3 3
0 0 0 2 2 2 2 3 3 3
     2 2 2 2 2 3 3
        2 2 2
"""

SQUARE = """
. 0 0 0 1 1 1 .
0 0 0 0 1 1 1 1
0 0 0 0 1 1 1 1
0 0 0 0 1 1 1 1
2 2 2 2 3 3 3 3
2 2 2 2 3 3 3 3
2 2 2 2 3 3 3 3
. 2 2 2 3 3 3 .
"""

GAPPED = """
 1 1 1       3 3 3
1 1 1 1 1 3 3 3 3 3
 1 1 1 1   3 3 3 3
  1 1 1     3 3 3
       2 2 2
      2 2 2 2
     2 2 2 2 2 0 0 0
        2 2 2 0 0 0 0
               0 0 0 0
                0 0 0
                   0
"""

Tile = tuple[int, int]


def points(picture: str, grid: str = "hex") -> list[tuple[Point, str]]:
    """The spaces of a picture in reading order: ((q, r), part digit). Two characters are one step to the east."""
    found = []
    for r, line in enumerate(picture.strip("\n").split("\n")):
        for x, character in enumerate(line):
            if character not in " .":
                # On hexes a step to the south-east is one row down and one character to the right.
                found.append((((x - r if grid == "hex" else x) // 2, r), character))
    return found


def layout(picture: str, grid: str = "hex") -> list[Point]:
    """The spaces of a picture in reading order.

    Coordinates are counted from the middle of its columns and rows. No rule speaks of an origin; this is the engine's.
    """
    where = [point for point, _ in points(picture, grid)]
    columns, rows = zip(*where, strict=True)
    q0, r0 = (min(columns) + max(columns)) // 2, (min(rows) + max(rows)) // 2
    return [(q - q0, r - r0) for q, r in where]


def parts_of(picture: str) -> list[list[Point]]:
    """The four board parts that a picture is made of, as (q, r) lists."""
    return [[point for point, digit in points(picture) if digit == part] for part in "0123"]


def deck() -> list[list[int]]:
    """The 50 tiles of the components file, mixed pairs first."""
    mixed = [list(pair) for pair in combinations(range(5), 2)]
    doubles = [[landscape, landscape] for landscape in range(5)]
    return [tile for _ in range(4) for tile in mixed] + [tile for _ in range(2) for tile in doubles]


# Building a position. Everything below `empty` changes the description it is given.


def empty(num_players: int = 2, picture: str = FIRST_GAME, grid: str = "hex") -> Description:
    """Seat 0 is to place the first tile on an empty board; the tiles lie in the order of `deck`, the cards are 1-4."""
    tiles = deck()
    return {
        "game": "isle_tiles",
        "num_players": num_players,
        "phase": "place",
        "current_player": 0,
        "grid": grid,
        "spaces": [oracle.water(q, r) for q, r in layout(picture, grid)],
        "parts": None,
        "hands": tiles[2 : 2 + num_players],
        "supply": tiles[2 + num_players :],
        "removed": tiles[:2],
        "shown": None,
        "set_aside": [[] for _ in range(num_players)],
        "tasks": [{"card": card, "taken_by": None} for card in (1, 2, 3, 4)],
        "last_turns": None,
        "placed": None,
        "scores": [None for _ in range(num_players)],
    }


def put(
    description: Description, space: int, landscape: int, height: int = 1, marker: tuple[int, int] | None = None
) -> None:
    """Cover one space up to a height, with a (seat, value) marker on it or none."""
    description["spaces"][space].update(landscape=landscape, height=height, marker=None)
    if marker is not None:
        put_marker(description, space, *marker)


def put_all(description: Description, spaces: Iterable[int], landscape: int, height: int = 1) -> None:
    """Cover several spaces alike, without markers."""
    for space in spaces:
        put(description, space, landscape, height)


def put_marker(description: Description, space: int, seat: int, value: int) -> None:
    """Place a marker that is not on the board yet on a covered space."""
    marker = {"seat": seat, "value": value}
    assert description["spaces"][space]["height"] > 0
    assert marker not in markers(description).values()
    description["spaces"][space]["marker"] = marker


def with_cards(description: Description, *cards: int, shown: int | None = None) -> None:
    """Lay out four task cards, all of them open to be taken."""
    assert len(set(cards)) == 4
    assert (17 in cards) == (shown is not None)
    description["tasks"] = [{"card": card, "taken_by": None} for card in cards]
    description["shown"] = shown


def with_hand(description: Description, seat: int, *tile: int) -> None:
    """Swap a seat's hand for a tile out of the supply."""
    found = description["supply"].index(list(tile))
    description["supply"][found], description["hands"][seat] = description["hands"][seat], list(tile)


def with_removed(description: Description, *tiles: Tile) -> None:
    """Swap the two tiles put aside at setup for tiles out of the supply."""
    description["supply"] += description["removed"]
    description["removed"] = []
    for tile in tiles:
        description["supply"].remove(list(tile))
        description["removed"].append(list(tile))


def with_supply(description: Description, *tiles: Tile) -> None:
    """Leave only these tiles to be drawn, in this order."""
    description["supply"] = [list(tile) for tile in tiles]


def to_place(description: Description, seat: int) -> None:
    """A seat is to place its tile."""
    description.update(current_player=seat, phase="place", placed=None)


def to_choose_task(description: Description, seat: int) -> None:
    """A seat is to say whether it takes a task."""
    description.update(current_player=seat, phase="task", placed=None)


def to_mark(description: Description, seat: int, first: int, second: int) -> None:
    """A seat has placed its tile on two spaces and has not placed a marker yet."""
    description["hands"][seat] = None
    placed = {"spaces": [first, second], "half": 0, "used": None}
    description.update(current_player=seat, phase="marker", placed=placed)


def in_last_round(description: Description, turns: int, scores: list[int | None]) -> None:
    """The supply is empty and so many turns remain; who has a score noted is through and holds no tile."""
    description.update(supply=[], last_turns=turns, scores=scores)
    description["hands"] = [
        tile if noted is None else None for tile, noted in zip(description["hands"], scores, strict=True)
    ]


# Looking at a position


def markers(description: Description) -> dict[int, dict[str, int]]:
    """The markers on the board by space."""
    return {s: space["marker"] for s, space in enumerate(description["spaces"]) if space["marker"] is not None}


def standing(description: Description) -> dict[int, tuple[int, int]]:
    """The markers on the board by space, as (seat, value)."""
    return {s: (marker["seat"], marker["value"]) for s, marker in markers(description).items()}


def owner(description: Description, space: int) -> int | None:
    """The seat that owns the area of a covered space."""
    board = oracle.Board(description)
    area = board.area_of[space]
    assert area is not None
    return board.owners[area]


# Playing on the engine and the oracle at once


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def components_with(old: str = "", new: str = "") -> Path:
    """A copy of the components file that comes with the game, with one passage replaced."""
    text = (resources.files("isle_envs.isle_tiles") / "components.toml").read_text(encoding="utf-8")
    assert old in text
    path = Path(tempfile.mkdtemp(dir=_folder().name)) / "components.toml"
    path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return path


@cache
def make(num_players: int = 2, board: str = "first_game", grid: str = "hex", **options: Any) -> Game:
    """The engine's game."""
    components = components_with('grid = "hex"', 'grid = "square"') if grid == "square" else None
    return isle_envs.make_game("isle_tiles", num_players=num_players, board=board, components=components, **options)


def game_of(description: Description) -> Game:
    """The engine's game for a described position."""
    grid = description["grid"]
    if description["parts"] is not None:
        board = "draft"
    else:
        first = layout(SQUARE if grid == "square" else FIRST_GAME, grid)
        board = "first_game" if [(s["q"], s["r"]) for s in description["spaces"]] == first else "random"
    return make(description["num_players"], board, grid)


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


def legal(description: Description) -> list[Decision]:
    """The legal decisions, on which the engine and the oracle agree."""
    expected = oracle.legal(description, parts_of(FIRST_GAME))
    got = offered(batch_of(description))
    assert sorted(got, key=str) == sorted(expected, key=str)
    return expected


def after(description: Description, *decisions: Decision) -> Description:
    """The position after some legal decisions, on which the engine and the oracle agree at every step."""
    batch = batch_of(description)
    for decision in decisions:
        assert decision in oracle.legal(description, parts_of(FIRST_GAME))
        description = oracle.apply(description, decision, parts_of(FIRST_GAME))
        batch.step([batch.game.actions.encode(*decision)])
        assert plain(batch.game.describe(batch.states[0])) == description
    return description

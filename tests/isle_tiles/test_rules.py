"""One test per clause of the Isle Tiles rulebook and per ruling, on the engine and the oracle at once.

Expected values are worked out by hand; the comments say how. `legal` and `after` (positions.py) ask the engine and the
oracle and fail where the two differ, so every test here holds for both. Space numbers are those of positions.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import isle_envs
from tests.isle_tiles import oracle
from tests.isle_tiles.oracle import Decision, Description, Point
from tests.isle_tiles.positions import (
    DESERT,
    FIRST_GAME,
    FOREST,
    GAPPED,
    ICE,
    LAVA,
    SQUARE,
    SWAMP,
    after,
    batch_of,
    components_with,
    deck,
    empty,
    game_of,
    in_last_round,
    legal,
    make,
    offered,
    owner,
    parts_of,
    plain,
    put,
    put_all,
    put_marker,
    standing,
    to_choose_task,
    to_mark,
    with_cards,
    with_hand,
    with_removed,
    with_supply,
)

PLAYERS = (2, 3, 4)


def deals(games: int, num_players: int, **options: Any) -> list[Description]:
    """The first positions of some games."""
    batch = make(num_players, **options).batch(games, seed=7)
    return [batch.game.describe(batch.states[i]) for i in range(games)]


def placements(description: Description) -> list[Decision]:
    return [decision for decision in legal(description) if decision[0] == "place"]


def scores_now(description: Description) -> list[int]:
    """The engine's scores as they stand, which must be the oracle's."""
    scores = [int(score) for score in batch_of(description).scores()[0]]
    assert scores == [oracle.score(description, seat) for seat in range(description["num_players"])]
    return scores


# Components and setup


@pytest.mark.parametrize("num_players", PLAYERS)
def test_setup_deals_fifty_tiles_and_four_cards(num_players: int) -> None:
    for d in deals(20, num_players):
        tiles = [*d["removed"], *d["hands"], *d["supply"]]
        assert (len(d["removed"]), len(d["hands"]), len(d["supply"])) == (2, num_players, 48 - num_players)
        counts = Counter(map(tuple, tiles))
        # "Most tiles show 2 of the 5": each of the ten mixed pairs four times, each of the five doubles twice.
        assert counts == {(a, b): 2 if a == b else 4 for a in range(5) for b in range(a, 5)}
        cards = [task["card"] for task in d["tasks"]]
        assert len(set(cards)) == 4
        assert set(cards) <= set(range(1, 21))
        assert all(task["taken_by"] is None for task in d["tasks"])
        assert (d["shown"] in (0, 1)) if 17 in cards else d["shown"] is None
        assert d["set_aside"] == [[] for _ in range(num_players)]
        assert (d["last_turns"], d["placed"], d["parts"]) == (None, None, None)
        assert d["scores"] == [None for _ in range(num_players)]
        assert (d["phase"], d["current_player"]) == ("place", 0)  # Seat 0 starts.


def test_setup_shuffles_tiles_cards_and_the_shown_tile() -> None:
    dealt = deals(200, 2)
    assert {task["card"] for d in dealt for task in d["tasks"]} == set(range(1, 21))
    assert {d["shown"] for d in dealt} == {None, 0, 1}
    assert len({str(d["supply"]) for d in dealt}) == 200
    assert len({str(d["hands"]) for d in dealt}) > 50
    assert len({str(d["removed"]) for d in dealt}) > 50


def test_setup_first_game_cards() -> None:
    """For your first game we recommend task cards 1-4."""
    for d in deals(5, 3, tasks="first_game"):
        assert [task["card"] for task in d["tasks"]] == [1, 2, 3, 4]
        assert d["shown"] is None


@pytest.mark.parametrize(("picture", "grid"), [(FIRST_GAME, "hex"), (SQUARE, "square")])
def test_setup_first_game_board(picture: str, grid: str) -> None:
    """Sixty water spaces, numbered row by row as in positions.py."""
    (d,) = deals(1, 2, grid=grid)
    assert d["grid"] == grid
    assert d["spaces"] == empty(2, picture, grid)["spaces"]


def test_pictures_are_those_of_the_components_file() -> None:
    text = components_with().read_text(encoding="utf-8")
    assert FIRST_GAME in text
    assert SQUARE in text
    assert [len(part) for part in parts_of(FIRST_GAME)] == [15, 15, 15, 15]


def test_setup_random_board_is_made_of_the_four_parts() -> None:
    layouts = set()
    for d in deals(12, 2, board="random"):
        where = [(space["q"], space["r"]) for space in d["spaces"]]
        assert where == sorted(set(where), key=lambda point: (point[1], point[0]))  # row by row, from the left
        assert len(where) == 60
        assert splits(set(where), parts_of(FIRST_GAME))
        assert oracle.Board(d).steps_from({0}).keys() == set(range(60))  # connected
        layouts.add(tuple(where))
    assert len(layouts) > 6


def splits(where: set[Point], parts: list[list[Point]]) -> bool:
    """Whether spaces are made of all these parts, each turned somehow, none flipped."""
    if not where:
        return not parts
    q, r = min(where)
    for k, part in enumerate(parts):
        for turn in range(6):
            shape = oracle.part_shape(part, turn)
            q0, r0 = min(shape)  # the space of the part that must lie on (q, r)
            laid = {(p[0] - q0 + q, p[1] - r0 + r) for p in shape}
            if laid <= where and splits(where - laid, parts[:k] + parts[k + 1 :]):
                return True
    return False


# 2. Place a landscape tile


def test_placement_on_water_anywhere_on_the_grid() -> None:
    """The first-game board has 149 pairs of adjacent spaces: 52 within rows, 6 + 14 + 19 + 19 + 19 + 14 + 6 between."""
    d = empty()
    with_hand(d, 0, LAVA, FOREST)
    assert len(legal(d)) == 2 * 149  # either half on either space
    with_hand(d, 0, ICE, ICE)
    assert len(legal(d)) == 149  # a double only from its lower-numbered space
    board = oracle.Board(d)
    assert all(board.step(space, way) in range(space + 1, 60) for _, space, way in legal(d))


def test_placement_may_not_extend_beyond_the_board() -> None:
    d = empty()
    with_hand(d, 0, LAVA, FOREST)
    # Space 0 lies in the top row and begins it: only E (1), SW (5) and SE (6) are on the board.
    assert [way for _, space, way in legal(d) if space == 0] == [0, 4, 5]
    assert [way for _, space, way in legal(d) if space == 29] == [1, 2, 3, 4, 5]  # the right end: nothing to the east
    d = empty(picture=GAPPED)
    assert [way for _, space, way in legal(d) if space == 19] == [1, 2, 3, 4]  # E and SE of it are gaps


@pytest.mark.parametrize(("way", "other"), [*enumerate([25, 14, 13, 23, 33, 34])])
def test_placement_first_half_on_the_space_second_in_the_direction(way: int, other: int) -> None:
    d = empty()
    with_hand(d, 0, DESERT, SWAMP)
    d = after(d, ("place", 24, way))
    assert covered(d) == {24: (DESERT, 1), other: (SWAMP, 1)}
    assert d["placed"] == {"spaces": [24, other], "half": 0, "used": None}
    assert d["hands"][0] is None


@pytest.mark.parametrize(("way", "other"), [*enumerate([25, 16, 23, 32])])
def test_placement_on_squares(way: int, other: int) -> None:
    d = empty(picture=SQUARE, grid="square")
    with_hand(d, 0, DESERT, SWAMP)
    assert {way for _, _, way in legal(d)} == {0, 1, 2, 3}
    assert len(legal(d)) == 2 * 104  # 60 spaces: 5 + 6 x 7 + 5 pairs in rows, as many in columns
    assert covered(after(d, ("place", 24, way))) == {24: (DESERT, 1), other: (SWAMP, 1)}


def covered(description: Description) -> dict[int, tuple[int, int]]:
    """The landscape and height of every covered space."""
    spaces = enumerate(description["spaces"])
    return {s: (space["landscape"], space["height"]) for s, space in spaces if space["height"] > 0}


def test_placement_exactly_on_top_of_a_tile() -> None:
    d = empty()
    put(d, 24, LAVA)
    put(d, 25, DESERT)
    with_hand(d, 0, ICE, SWAMP)
    assert ("place", 24, 0) in legal(d)
    assert ("place", 25, 3) in legal(d)
    d = after(d, ("place", 25, 3))
    assert covered(d) == {25: (ICE, 2), 24: (SWAMP, 2)}


def test_placement_across_two_tiles_and_on_any_landscape() -> None:
    d = empty()
    for first, second in [(22, 23), (24, 25)]:
        put(d, first, LAVA)
        put(d, second, ICE)
    with_hand(d, 0, LAVA, ICE)
    assert covered(after(d, ("place", 24, 3))) == {22: (LAVA, 1), 23: (ICE, 2), 24: (LAVA, 2), 25: (ICE, 1)}
    assert covered(after(d, ("place", 22, 0)))[22] == (LAVA, 2)  # the same landscape once more


def test_placement_only_on_equal_heights() -> None:
    d = empty()
    put(d, 24, LAVA, 2)
    put(d, 25, DESERT, 2)
    put(d, 23, ICE, 1)
    put(d, 33, FOREST, 3)
    # 24's neighbours: 25 at height 2; 23 (1), 33 (3) and the water at 13, 14 and 34 differ.
    assert [way for _, space, way in placements(d) if space == 24] == [0]
    assert not [1 for _, space, _ in placements(d) if space in (23, 33)]


def test_placement_not_on_markers() -> None:
    for seat in (0, 1):
        d = empty()
        put_all(d, [23, 24, 25], LAVA)
        put_marker(d, 24, seat, 3)
        # "regardless of whether it is your own or another player's": neither 23-24 nor 24-25 can be covered
        assert not [1 for _, space, _ in placements(d) if space in (23, 24, 25)]


def test_placement_is_mandatory() -> None:
    d = empty()
    assert {decision[0] for decision in legal(d)} == {"place"}


def test_double_is_placed_from_its_lower_numbered_space() -> None:
    d = empty()
    with_hand(d, 0, SWAMP, SWAMP)
    # of 24's neighbours 25, 33 and 34 have higher numbers
    assert [way for _, space, way in legal(d) if space == 24] == [0, 4, 5]
    d = after(d, ("place", 24, 4))
    assert covered(d) == {24: (SWAMP, 1), 33: (SWAMP, 1)}
    assert d["placed"]["spaces"] == [24, 33]


# 3. Place animal markers


def just_placed(num_players: int = 2) -> Description:
    """Seat 0 has placed forest on 24 and lava on 25 and is in its marker step."""
    d = empty(num_players)
    put(d, 24, FOREST)
    put(d, 25, LAVA)
    to_mark(d, 0, 24, 25)
    return d


def test_markers_any_value_on_either_half_or_none() -> None:
    assert legal(just_placed()) == [*(("marker", v, h) for v in range(1, 7) for h in (0, 1)), ("done",)]


def test_markers_none() -> None:
    d = after(just_placed(), ("done",))
    assert standing(d) == {}
    assert (d["phase"], d["current_player"], d["placed"]) == ("place", 1, None)


def test_markers_one_on_the_first_half() -> None:
    d = after(just_placed(), ("marker", 4, 0))
    assert (d["phase"], d["current_player"]) == ("marker", 0)
    assert d["placed"] == {"spaces": [24, 25], "half": 1, "used": 4}
    # a marker once a turn, one marker a space, the first half before the second
    assert legal(d) == [*(("marker", v, 1) for v in (1, 2, 3, 5, 6)), ("done",)]
    d = after(d, ("done",))
    assert standing(d) == {24: (0, 4)}
    assert d["current_player"] == 1


def test_markers_one_on_the_second_half_ends_the_step() -> None:
    d = after(just_placed(), ("marker", 4, 1))
    assert standing(d) == {25: (0, 4)}
    assert (d["phase"], d["current_player"]) == ("place", 1)


def test_markers_two() -> None:
    d = after(just_placed(), ("marker", 4, 0), ("marker", 1, 1))
    assert standing(d) == {24: (0, 4), 25: (0, 1)}
    assert (d["phase"], d["current_player"]) == ("place", 1)


def test_markers_are_moved_from_the_board() -> None:
    d = just_placed()
    put_all(d, [40, 41], ICE, 2)
    put_marker(d, 40, 0, 6)
    assert scores_now(d) == [4, 0]  # the ice: two spaces at height 2
    d = after(d, ("marker", 6, 1))
    assert standing(d) == {25: (0, 6)}
    assert owner(d, 40) is None  # ruling 4: an area whose markers have gone belongs to nobody
    assert scores_now(d) == [1, 0]


def test_markers_a_moved_one_is_used_too() -> None:
    d = just_placed()
    put(d, 40, ICE, 1, (0, 6))
    d = after(d, ("marker", 6, 0))
    assert ("marker", 6, 1) not in legal(d)


def test_markers_all_six_can_be_on_the_board_and_move() -> None:
    d = just_placed()
    for value, space in enumerate([40, 42, 44, 46, 48, 57], start=1):
        put(d, space, ICE, 1, (0, value))
    assert len(legal(d)) == 13
    d = after(d, ("marker", 1, 0), ("marker", 2, 1))
    assert standing(d) == {24: (0, 1), 25: (0, 2), 44: (0, 3), 46: (0, 4), 48: (0, 5), 57: (0, 6)}


def test_markers_may_move_within_an_area() -> None:
    d = just_placed()
    put(d, 23, FOREST, 1, (0, 2))
    d = after(d, ("marker", 2, 0), ("done",))
    assert standing(d) == {24: (0, 2)}
    assert owner(d, 23) == owner(d, 24) == 0


# The settlement of areas


def test_settlement_example_of_the_rulebook() -> None:
    """Nicola's 6 sends Lars' 2 and 3 home: 5 is lower than 6."""
    d = just_placed()
    put(d, 23, FOREST, 1, (1, 2))
    put(d, 33, FOREST, 1, (1, 3))
    d = after(d, ("marker", 6, 0), ("done",))
    assert standing(d) == {24: (0, 6)}
    assert owner(d, 33) == 0


def test_settlement_lower_newcomer_goes_straight_back() -> None:
    d = just_placed()
    put(d, 23, FOREST, 1, (1, 4))
    assert ("marker", 3, 0) in legal(d)  # still a legal action (ruling 2)
    d = after(d, ("marker", 3, 0), ("done",))
    assert standing(d) == {23: (1, 4)}
    assert owner(d, 24) == 1


def test_settlement_tie_removes_both() -> None:
    d = just_placed()
    put(d, 23, FOREST, 1, (1, 2))
    put(d, 33, FOREST, 1, (1, 3))
    d = after(d, ("marker", 5, 0), ("done",))
    assert standing(d) == {}
    assert owner(d, 24) is None


def test_settlement_adds_up_all_markers_of_the_area() -> None:
    d = empty()
    put_all(d, [23, 24, 25, 26], FOREST)
    put_marker(d, 26, 1, 6)
    to_mark(d, 0, 24, 25)
    # 3 alone would lose to 6; it is compared only after the markers: 3 + 4 = 7
    d = after(d, ("marker", 3, 0))
    assert standing(d) == {24: (0, 3), 26: (1, 6)}
    d = after(d, ("marker", 4, 1))
    assert standing(d) == {24: (0, 3), 25: (0, 4)}


def test_settlement_adds_markers_that_were_there_before() -> None:
    d = just_placed()
    put(d, 14, FOREST, 1, (0, 2))  # touches 24
    put(d, 23, FOREST, 1, (1, 5))  # touches 24; the tile joins the two
    assert standing(after(d, ("marker", 4, 0), ("done",))) == {14: (0, 2), 24: (0, 4)}  # 6 against 5
    assert standing(after(d, ("marker", 3, 0), ("done",))) == {}  # 5 against 5
    assert standing(after(d, ("done",))) == {23: (1, 5)}  # 2 against 5: joining alone settles too


def test_settlement_in_both_areas_of_the_tile() -> None:
    d = just_placed()
    put(d, 23, FOREST, 1, (1, 2))
    put(d, 26, LAVA, 1, (1, 5))
    d = after(d, ("marker", 3, 0), ("marker", 5, 1))
    assert standing(d) == {24: (0, 3)}  # 3 beats 2 in the forest; 5 and 5 in the lava


def test_settlement_between_two_other_players_whose_areas_the_tile_joins() -> None:
    d = just_placed(3)
    put(d, 23, FOREST, 1, (1, 2))
    put(d, 14, FOREST, 1, (2, 3))
    d = after(d, ("done",))
    assert standing(d) == {14: (2, 3)}
    d = just_placed(3)
    put(d, 23, FOREST, 1, (1, 3))
    put(d, 14, FOREST, 1, (2, 3))
    assert standing(after(d, ("done",))) == {}
    assert standing(after(d, ("marker", 4, 0), ("done",))) == {24: (0, 4)}


@pytest.mark.parametrize(
    ("mine", "second", "third", "left"),
    [
        (6, 5, 4, {24: (0, 6)}),
        (3, 5, 4, {23: (1, 5)}),
        (5, 5, 4, {}),  # a tie at the top removes everybody, the third too
        (4, 5, 5, {}),  # two others tie at the top
        (5, 5, 5, {}),
        (6, 4, 4, {24: (0, 6)}),  # a tie below the top does not matter
    ],
)
def test_settlement_of_three_players(mine: int, second: int, third: int, left: dict[int, tuple[int, int]]) -> None:
    d = just_placed(3)
    put(d, 23, FOREST, 1, (1, second))
    put(d, 14, FOREST, 1, (2, third))
    assert standing(after(d, ("marker", mine, 0), ("done",))) == left


def test_settlement_of_four_players_needs_more_than_each_other_not_than_all() -> None:
    d = just_placed(4)
    put(d, 23, FOREST, 1, (1, 5))
    put(d, 14, FOREST, 1, (2, 4))
    put(d, 33, FOREST, 1, (3, 3))
    assert standing(after(d, ("marker", 6, 0), ("done",))) == {24: (0, 6)}  # 6 against 5, 4 and 3, not against 12


def test_settlement_ignores_heights_and_needs_one_landscape() -> None:
    d = just_placed()
    put(d, 23, FOREST, 5, (1, 2))
    put(d, 33, ICE, 1, (1, 1))
    d = after(d, ("marker", 3, 0), ("done",))
    assert standing(d) == {24: (0, 3), 33: (1, 1)}


def test_until_settled_an_area_belongs_to_nobody() -> None:
    """Ruling 3, in provisional scores."""
    d = just_placed()
    put(d, 23, FOREST, 3, (1, 2))
    assert scores_now(d) == [0, 4]  # 23 and 24
    d = after(d, ("marker", 3, 0))
    assert scores_now(d) == [0, 0]
    d = after(d, ("done",))
    assert scores_now(d) == [4, 0]


def test_area_split_by_a_tile() -> None:
    """Ruling 4: a piece without a marker belongs to nobody, pieces with one remain owned."""
    d = empty()
    put_all(d, [21, 22, 23, 24, 33], FOREST)
    put_marker(d, 21, 1, 2)
    with_hand(d, 0, LAVA, DESERT)
    # The tile on 23 and 33 leaves 21-22 and 24.
    split = after(d, ("place", 23, 5), ("done",))
    assert covered(split)[23] == (LAVA, 2)
    assert covered(split)[33] == (DESERT, 2)
    assert (owner(split, 22), owner(split, 24)) == (1, None)
    put_marker(d, 24, 1, 3)
    split = after(d, ("place", 23, 5), ("done",))
    assert (owner(split, 22), owner(split, 24)) == (1, 1)
    assert scores_now(split) == [0, 3]


def test_moving_a_marker_out_of_a_contested_area() -> None:
    """The tile joins my area with seat 1's; my marker leaves for the other half, and the area is seat 1's."""
    d = just_placed()
    put(d, 14, FOREST, 1, (0, 1))
    put(d, 23, FOREST, 1, (1, 5))
    d = after(d, ("marker", 1, 1))
    assert standing(d) == {23: (1, 5), 25: (0, 1)}
    assert owner(d, 14) == 1


# 4. Draw a landscape tile, and whose turn it is


@pytest.mark.parametrize("num_players", PLAYERS)
def test_draw_the_next_tile_and_pass_clockwise(num_players: int) -> None:
    d = empty(num_players)
    with_cards(d, 9, 10, 18, 20)  # nothing opens in the first round
    for seat in range(num_players):
        assert d["current_player"] == seat
        following = d["supply"][0]
        left = len(d["supply"])
        d = after(d, placements(d)[seat * 40], ("done",))
        assert d["hands"][seat] == following
        assert len(d["supply"]) == left - 1
    assert d["current_player"] == 0


# 1. Fulfil a task card


def two_open_tasks() -> Description:
    """Seat 0 is asked for a task: 5 (cliff) and 16 (rather alone) are open, 1 and 10 are not."""
    d = empty()
    put(d, 24, FOREST, 3, (0, 1))
    with_cards(d, 1, 5, 16, 10)
    to_choose_task(d, 0)
    return d


def test_task_is_optional() -> None:
    d = two_open_tasks()
    assert legal(d) == [("task", 1), ("task", 2), ("no_task",)]
    d = after(d, ("no_task",))
    assert d["phase"] == "place"
    assert [task["taken_by"] for task in d["tasks"]] == [None] * 4


def test_task_one_a_turn() -> None:
    d = after(two_open_tasks(), ("task", 1))
    assert (d["phase"], d["current_player"]) == ("place", 0)  # 16 remains open, but not in this turn
    assert [task["taken_by"] for task in d["tasks"]] == [None, 0, None, None]
    assert scores_now(d) == [6, 0]  # 3 points for the card, 3 for the space at height 3


def test_task_not_taken_is_asked_again_next_turn() -> None:
    d = after(two_open_tasks(), ("task", 1), ("place", 50, 0), ("done",), ("place", 57, 0), ("done",))
    assert (d["phase"], d["current_player"]) == ("task", 0)
    assert legal(d) == [("task", 2), ("no_task",)]


def test_task_is_asked_only_where_one_is_open() -> None:
    """After seat 1's turn seat 0 places at once if nothing is open, or if what is open is taken."""
    d = two_open_tasks()
    d["tasks"][1]["taken_by"] = 1
    d["tasks"][2]["taken_by"] = 1
    put(d, 40, ICE)
    put(d, 41, LAVA)
    to_mark(d, 1, 40, 41)
    d = after(d, ("done",))
    assert (d["phase"], d["current_player"]) == ("place", 0)


def test_task_met_by_a_placement_must_wait_for_the_next_turn() -> None:
    """ "At the start of your turn": seat 0 climbs to height 4 now, and is asked only when its turn comes again."""
    d = empty()
    put(d, 24, FOREST, 3)
    put(d, 25, LAVA, 3)
    with_cards(d, 13, 9, 10, 18)
    d = after(d, ("place", 24, 0), ("marker", 2, 0), ("done",))
    assert (d["phase"], d["current_player"]) == ("place", 1)  # not seat 1's peak
    d = after(d, ("place", 57, 0), ("done",))
    assert (d["phase"], d["current_player"]) == ("task", 0)


def test_task_met_before_but_not_at_the_start_of_the_turn() -> None:
    """Seat 1 sends the marker of seat 0 home before its turn: the peak is gone."""
    d = empty()
    put(d, 24, FOREST, 4, (0, 1))
    put(d, 34, FOREST)
    put(d, 35, LAVA)
    with_cards(d, 13, 9, 10, 18)
    to_mark(d, 1, 34, 35)
    assert after(d, ("done",))["phase"] == "task"
    d = after(d, ("marker", 2, 0), ("done",))
    assert (d["phase"], d["current_player"]) == ("place", 0)


def test_task_taken_stays_taken_and_is_not_replaced() -> None:
    d = two_open_tasks()
    put(d, 29, SWAMP, 3, (1, 1))  # seat 1 has a cliff too
    d = after(d, ("task", 1), ("place", 50, 0), ("done",))
    assert [task["card"] for task in d["tasks"]] == [1, 5, 16, 10]
    assert (d["phase"], d["current_player"]) == ("task", 1)
    assert legal(d) == [("task", 2), ("no_task",)]  # 16 is still there; 5 is seat 0's
    # Seat 1 builds lava on 26 and forest on 25, next to 24, with a 6: the cliff is lost, the card is not.
    d = after(d, ("no_task",), ("place", 26, 3), ("marker", 6, 1))
    assert standing(d) == {25: (1, 6), 29: (1, 1)}
    assert scores_now(d)[0] == 3


def test_task_points() -> None:
    d = empty()
    for slot, seat in enumerate([0, 1, 0, None]):
        d["tasks"][slot]["taken_by"] = seat
    assert scores_now(d) == [6, 3]


# Blocked boards (ruling 1)


def nearly_blocked(num_players: int = 2) -> Description:
    """Seat 0 has just placed ice on 24 and swamp on 25; a marker on either ends all placing.

    Every other space differs in height from its neighbours: 1 + (q - r) mod 3, which changes with every step. 24 and
    25 lie at 6. Seat 1 owns space 0 (desert, at height 2), all else is lava that nobody owns.
    """
    d = empty(num_players)
    with_hand(d, 0, ICE, SWAMP)
    with_hand(d, 1, DESERT, FOREST)
    for s, space in enumerate(d["spaces"]):
        put(d, s, LAVA, 1 + (space["q"] - space["r"]) % 3)
    put(d, 0, DESERT, d["spaces"][0]["height"], (1, 1))
    put(d, 24, ICE, 6)
    put(d, 25, SWAMP, 6)
    with_cards(d, 2, 9, 10, 18)
    with_supply(d, (LAVA, DESERT), (LAVA, ICE), (LAVA, SWAMP))
    to_mark(d, 0, 24, 25)
    return d


def test_blocked_board_plays_on_to_the_end() -> None:
    d = nearly_blocked()
    assert d["spaces"][0]["height"] == 2
    over = after(d, ("marker", 5, 0), ("done",))
    assert (over["phase"], over["current_player"], over["last_turns"]) == ("over", None, 0)
    # Seat 0 draws (0, 1). Seat 1 sets (1, 4) aside and draws (0, 2); seat 0 sets (0, 1) aside and draws (0, 3), the
    # last one. In the last round seat 1 sets (0, 2) aside, seat 0 (0, 3).
    assert over["set_aside"] == [[[0, 1], [0, 3]], [[0, 2], [1, 4]]]
    assert over["hands"] == [None, None]
    assert over["supply"] == []
    assert over["scores"] == [6, 2]
    assert standing(over) == {0: (1, 1), 24: (0, 5)}
    assert legal(over) == []


def test_board_is_not_blocked_while_two_spaces_match() -> None:
    d = after(nearly_blocked(), ("done",))
    assert (d["phase"], d["current_player"]) == ("place", 1)
    assert legal(d) == [("place", 24, 0), ("place", 25, 3)]
    assert d["set_aside"] == [[], []]


def test_blocked_player_is_still_asked_for_an_open_task() -> None:
    d = nearly_blocked()
    with_cards(d, 2, 9, 13, 18)  # a marker at height 6 is a mountain peak
    asked = after(d, ("marker", 5, 0), ("done",))
    # Seat 1 has set its tile aside and drawn; seat 0 is asked before its own tile is set aside.
    assert (asked["phase"], asked["current_player"]) == ("task", 0)
    assert asked["set_aside"] == [[], [[1, 4]]]
    assert asked["hands"] == [[0, 1], [0, 2]]
    assert legal(asked) == [("task", 2), ("no_task",)]
    over = after(asked, ("task", 2))
    assert over["phase"] == "over"
    assert over["scores"] == [9, 2]
    assert over["set_aside"] == [[[0, 1], [0, 3]], [[0, 2], [1, 4]]]


def test_blocked_player_who_declines_is_asked_again_in_the_last_turn() -> None:
    d = nearly_blocked()
    with_cards(d, 2, 9, 13, 18)
    again = after(d, ("marker", 5, 0), ("done",), ("no_task",))
    assert (again["phase"], again["current_player"], again["last_turns"]) == ("task", 0, 1)
    assert again["scores"] == [None, 2]
    assert after(again, ("no_task",))["scores"] == [6, 2]
    assert after(again, ("task", 2))["scores"] == [9, 2]


@pytest.mark.parametrize("num_players", PLAYERS)
def test_blocked_board_gives_everybody_a_last_turn(num_players: int) -> None:
    over = after(nearly_blocked(num_players), ("marker", 5, 0), ("done",))
    # Three tiles are drawn, all by seats 0, 1, 2 (mod n); what each held and drew is set aside, but for the one placed.
    drawn = Counter(k % num_players for k in range(3))
    assert [len(tiles) for tiles in over["set_aside"]] == [drawn[seat] + (seat > 0) for seat in range(num_players)]
    assert over["scores"] == [6, 2, 0, 0][:num_players]
    assert oracle.ranks(over) == [1, 2, 3, 4][:num_players]


def test_tiles_set_aside_are_hidden_from_the_others() -> None:
    d = nearly_blocked()
    with_cards(d, 2, 9, 13, 18)
    d = after(d, ("marker", 5, 0), ("done",))
    assert seat_view(d, 1)["set_aside"] == [0, [[1, 4]]]
    assert seat_view(d, 0)["set_aside"] == [[], 1]


# End of the game


def test_last_round_begins_when_the_last_tile_is_drawn() -> None:
    for num_players in PLAYERS:
        d = just_placed(num_players)
        with_supply(d, (LAVA, DESERT), (LAVA, ICE))
        d = after(d, ("done",))
        assert d["last_turns"] is None  # one tile is left
        d = after(d, placements(d)[0], ("done",))
        # Seat 1 has drawn the last tile: everybody has one more turn, seat 1 comes last.
        assert (d["last_turns"], d["supply"]) == (num_players, [])
        for seat in [*range(2, num_players), 0, 1]:
            assert (d["current_player"], d["hands"].count(None)) == (seat, num_players - d["last_turns"])
            d = after(d, placements(d)[0], ("done",))
            assert d["hands"][seat] is None  # nothing is drawn any more
            assert d["scores"][seat] == 0  # there are no markers
        assert (d["phase"], d["current_player"], d["last_turns"]) == ("over", None, 0)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_forty_eight_turns_in_all(num_players: int) -> None:
    """24, 16 or 12 turns each (ruling 6), of at most four decisions; a tile set aside is a turn too."""
    game = make(num_players)
    batch = game.batch(30, seed=11)
    placed = [[0] * num_players for _ in range(30)]
    decisions = 0
    while not batch.terminated.all():
        actions = batch.sample_legal()
        for i in range(30):
            if not batch.terminated[i] and game.actions.decode(int(actions[i]))[0] == "place":
                placed[i][batch.current_player[i]] += 1
        batch.step(actions)
        decisions += 1
    assert decisions <= 4 * 48
    for i in range(30):
        d = game.describe(batch.states[i])
        turns = [placed[i][seat] + len(d["set_aside"][seat]) for seat in range(num_players)]
        assert turns == [48 // num_players] * num_players
        assert (d["phase"], d["supply"], d["hands"]) == ("over", [], [None] * num_players)
        assert not batch.action_mask[i].any()
        assert batch.current_player[i] == -1


def last_two_turns() -> Description:
    """Seat 0 has placed its last tile: forest on 24 at height 2, next to its forest on 23. Seat 1 plays after it."""
    d = empty()
    with_cards(d, 9, 10, 18, 20)
    put(d, 23, FOREST, 1, (0, 4))
    put(d, 24, FOREST, 2)
    put(d, 25, LAVA, 2)
    put(d, 14, DESERT, 2)
    put(d, 15, DESERT, 2)
    with_hand(d, 1, DESERT, FOREST)
    in_last_round(d, 2, [None, None])
    to_mark(d, 0, 24, 25)
    return d


def test_scored_right_after_ones_own_last_turn() -> None:
    d = after(last_two_turns(), ("marker", 1, 1))
    assert d["scores"] == [5, None]  # forest 1 + 2, lava 2
    assert (d["last_turns"], d["current_player"], d["hands"][0]) == (1, 1, None)


def test_scoring_comes_after_the_settlement() -> None:
    d = last_two_turns()
    put(d, 26, LAVA, 1, (1, 3))
    assert after(d, ("marker", 1, 1))["scores"] == [3, None]  # the 1 in the lava loses to seat 1's 3
    assert after(d, ("marker", 5, 1))["scores"] == [6, None]  # the 5 wins: forest 3, lava 2 + 1


def test_later_changes_do_not_alter_a_noted_score() -> None:
    d = after(last_two_turns(), ("done",))
    assert d["scores"] == [3, None]
    # Seat 1 puts forest (second half) on 14, next to 24, with a 6: the 4 of seat 0 goes home.
    d = after(d, ("place", 15, 3), ("marker", 6, 1))
    assert standing(d) == {14: (1, 6)}
    # Seat 1: forest 23 (1), 24 (2), 14 (3). Seat 0 keeps the 3 that it noted.
    assert d["scores"] == [3, 6]
    assert scores_now(d) == [3, 6]


def test_task_is_asked_in_the_last_turn_but_not_after_the_last_placement() -> None:
    d = last_two_turns()
    with_cards(d, 8, 9, 18, 13)
    put(d, 40, ICE, 4, (1, 2))  # a peak of seat 1
    put(d, 22, FOREST, 3)  # with 23 and 24: heights 3, 1, 2, so seat 0 meets terraced landscape (card 8) - too late
    d = after(d, ("done",))
    assert (d["phase"], d["current_player"]) == ("task", 1)
    assert legal(d) == [("task", 3), ("no_task",)]
    assert d["scores"] == [6, None]
    d = after(d, ("task", 3), ("place", 15, 3), ("done",))
    assert d["phase"] == "over"
    assert d["tasks"][0]["taken_by"] is None
    assert d["scores"] == [6, 4 + 3]


def finish(points_noted: list[int], tasks: list[int], own: int, reward: str = "outcome") -> tuple[Any, list[int]]:
    """The last player ends the game with one space of height `own`; the others' points are noted.

    Returns the rewards and the ranks of all seats.
    """
    n = len(points_noted) + 1
    d = empty(n)
    with_cards(d, 9, 10, 18, 20)
    for slot, seat in enumerate(tasks):
        d["tasks"][slot]["taken_by"] = seat
    put(d, 24, FOREST, own)
    put(d, 25, LAVA, own)
    in_last_round(d, 1, [*points_noted, None])
    to_mark(d, n - 1, 24, 25)
    batch = batch_of(d, make(n, reward=reward))
    assert not batch.ranks().any()  # 0 until the game is over
    batch.step([batch.game.actions.encode("marker", 1, 1)])
    assert batch.terminated[0]
    ranks = [int(rank) for rank in batch.ranks()[0]]
    assert ranks == oracle.ranks(oracle.apply(d, ("marker", 1, 1)))
    return batch.rewards[0].tolist(), ranks


def test_most_points_win() -> None:
    assert finish([5], [], 6) == ([-1, 1], [2, 1])
    assert finish([7], [], 6) == ([1, -1], [1, 2])
    assert finish([5, 7, 4], [], 6)[1] == [3, 1, 4, 2]


def test_tie_goes_to_more_tasks() -> None:
    # Seat 1 gets 6 for the space and 3 a card. Seat 0's cards are within its noted points.
    assert finish([9], [1], 6)[1] == [2, 1]  # 9 points each, one card against none
    assert finish([9], [0, 1, 0], 6)[1] == [1, 2]  # two cards against one
    # 9 points for seats 0, 1 and 3, of whom only seat 1 has cards; seats 0 and 3 come in turn order.
    assert finish([9, 9, 3], [1, 1, 2], 9)[1] == [2, 1, 4, 3]


def test_tie_of_tasks_too_goes_to_the_earlier_seat() -> None:
    assert finish([6], [], 6)[1] == [1, 2]
    assert finish([9], [1, 0], 6)[1] == [1, 2]
    assert finish([6, 6, 6], [], 6)[1] == [1, 2, 3, 4]
    assert finish([9, 9, 9], [2, 0, 2], 9)[1] == [2, 3, 1, 4]  # two cards, one card, none, none


def test_outcome_rewards_are_zero_sum_and_never_shared() -> None:
    """The winner gets 1, every other player -1 / (n - 1)."""
    assert finish([6], [], 6)[0] == [1, -1]
    assert finish([6, 6], [], 6)[0] == [1, -0.5, -0.5]
    assert finish([3, 9, 4], [], 6)[0] == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


def test_margin_rewards() -> None:
    """Own points minus the best other points, divided by 20: points only, a tie gives 0."""
    assert finish([5], [], 6, "margin")[0] == pytest.approx([-0.05, 0.05])
    assert finish([9], [1], 6, "margin")[0] == pytest.approx([0, 0])
    assert finish([10, 4], [], 6, "margin")[0] == pytest.approx([4 / 20, -6 / 20, -4 / 20])


# Hidden information (ruling 9)


def seat_view(description: Description, seat: int) -> Description:
    """What the engine tells a seat, which must be what the oracle does."""
    game = game_of(description)
    view: Description = game.describe(game.undescribe(description)[0], seat)
    assert view == oracle.seen_by(description, seat)
    return view


def test_secret_hands_supply_and_removed_tiles() -> None:
    d = empty(3)
    with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
    view = seat_view(d, 1)
    assert view["hands"] == ["hidden", d["hands"][1], "hidden"]
    assert view["supply"] == 45
    assert view["removed"] == [None, None]
    assert view["set_aside"] == [0, [], 0]
    assert "stream" not in view
    assert {key: view[key] for key in ("spaces", "tasks", "scores", "phase", "current_player")} == {
        key: d[key] for key in ("spaces", "tasks", "scores", "phase", "current_player")
    }
    with_cards(d, 1, 17, 3, 4, shown=1)
    assert seat_view(d, 1)["removed"] == [None, [ICE, SWAMP]]
    put_all(d, [24, 25], LAVA)
    to_mark(d, 0, 24, 25)
    assert seat_view(d, 1)["hands"] == [None, d["hands"][1], "hidden"]  # seat 0 has placed its tile


# The draft


def drafting(num_players: int, order: list[int]) -> Description:
    """The first part of a draft has been laid; seat 1 comes next."""
    d = empty(num_players)
    d["spaces"] = []
    d["parts"] = {
        "order": order,
        "laid": [{"part": order[0], "turn": 0, "row": 15, "column": 15}],
        "chosen": {"part": None if num_players == 2 else order[1], "turn": None, "row": None},
    }
    d.update(current_player=1, phase="part" if num_players == 2 else "turn")
    return d


@pytest.mark.parametrize(
    ("num_players", "seats"),
    [(2, [1, 1, 1, 1, 0, 0, 0, 1, 1, 1]), (3, [1, 1, 1, 2, 2, 2, 0, 0, 0]), (4, [1, 1, 1, 2, 2, 2, 3, 3, 3])],
)
def test_draft_order_of_decisions(num_players: int, seats: list[int]) -> None:
    """The first part lies at once; `part` is asked only of a player holding two, which is seat 1 of two players."""
    game = make(num_players, board="draft")
    assert game.num_actions == 450
    batch = game.batch(5, seed=3)
    for i in range(5):
        parts = game.describe(batch.states[i])["parts"]
        assert sorted(parts["order"]) == [0, 1, 2, 3]
        assert parts["laid"] == [{"part": parts["order"][0], "turn": 0, "row": 15, "column": 15}]
    phases = (["part"] if num_players == 2 else []) + ["turn", "row", "column"] * 3
    for phase, seat in zip(phases, seats, strict=True):
        for i in range(5):
            d = game.describe(batch.states[i])
            assert (d["phase"], d["current_player"], d["spaces"]) == (phase, seat, [])
            assert {decision[0] for decision in offered(batch, i)} == {phase}
            if phase == "part":
                assert {p for _, p in offered(batch, i)} == {d["parts"]["order"][1], d["parts"]["order"][3]}
            if phase == "turn":
                assert [t for _, t in offered(batch, i)] == [0, 1, 2, 3, 4, 5]  # no part gives a shape twice
        batch.step(batch.sample_legal())
    for i in range(5):
        d = game.describe(batch.states[i])
        assert (d["phase"], d["current_player"], len(d["spaces"])) == ("place", 0, 60)
        assert [laid["part"] for laid in d["parts"]["laid"]] == parts_in_laying_order(d)


def parts_in_laying_order(description: Description) -> list[int]:
    """The order of dealing, but for what the seat 1 of two players chose."""
    order = list(description["parts"]["order"])
    if description["num_players"] == 2 and description["parts"]["laid"][1]["part"] != order[1]:
        order[1], order[3] = order[3], order[1]
    return order


def test_draft_of_the_first_game_board() -> None:
    """Laid unturned as in the picture, the parts give the first-game board.

    The reference spaces in the picture are, as (q, r): part 0 (-1, 3), part 1 (4, 1), part 2 (1, 6), part 3 (6, 4).
    Part 0: its rows 1-5 leave only row 3 within two steps; of 20-23 there, 21 is within two of all, 22 three from 40.
    So part 1 goes two rows up and five columns to the right of part 0, and so on.
    """
    assert [oracle.reference_space(part) for part in parts_of(FIRST_GAME)] == [(-1, 3), (4, 1), (1, 6), (6, 4)]
    d = drafting(4, [0, 1, 2, 3])
    d = after(d, ("turn", 0), ("row", 13), ("column", 20))
    assert (d["phase"], d["current_player"]) == ("turn", 2)
    d = after(d, ("turn", 0), ("row", 18), ("column", 17))
    d = after(d, ("turn", 0), ("row", 16), ("column", 22))
    assert (d["phase"], d["current_player"]) == ("place", 0)
    assert from_space_0(d) == from_space_0(empty())


def test_draft_of_turned_parts_with_gaps() -> None:
    """GAPPED: part 2 in the middle, part 0 turned by 300 degrees, part 3 by 240, part 1 unturned."""
    d = drafting(4, [2, 0, 3, 1])
    for turn, row, column in [(5, 17, 18), (4, 10, 20), (0, 10, 15)]:
        d = after(d, ("turn", turn), ("row", row), ("column", column))
    assert from_space_0(d) == from_space_0(empty(picture=GAPPED))


def from_space_0(description: Description) -> list[Point]:
    """Where the spaces lie, seen from the first."""
    q, r = description["spaces"][0]["q"], description["spaces"][0]["r"]
    return [(space["q"] - q, space["r"] - r) for space in description["spaces"]]


def test_draft_parts_touch_and_do_not_overlap() -> None:
    """Part 0 lies unturned, in rows 13-17; part 1 follows unturned, one row above its reference space to two below.

    So its reference space may lie in rows 10-19: in row 10 it touches from above, in row 19 from below. In row 13, as
    in the picture, the two share the rows 13-15. There part 0 ends and part 1 begins with the same slant, so that at
    column 20 they touch in all three rows; one further they lie apart. Seven columns to the left, part 1 (5, 4 and 3
    spaces in these rows, part 0 has 2, 3 and 4) touches from the other side; in between they overlap.
    """
    d = drafting(4, [0, 1, 2, 3])
    d = after(d, ("turn", 0))
    assert [row for _, row in legal(d)] == list(range(10, 20))
    assert [column for _, column in legal(after(d, ("row", 13)))] == [13, 20]


def test_draft_symmetric_parts_turn_only_to_new_shapes() -> None:
    """Four like parts that look the same upside down: of six rotations three give a new shape."""
    row = " ".join("0000111122223333")
    picture = "\n".join(
        [
            "   0 0     1 1     2 2     3 3",
            row,
            " 0 0 0   1 1 1   2 2 2   3 3 3",
            row,
            " 0 0     1 1     2 2     3 3",
        ]
    )
    assert [oracle.distinct_turns(part) for part in parts_of(picture)] == [[0, 1, 2]] * 4
    components = components_with(FIRST_GAME.strip("\n"), picture)
    game = isle_envs.make_game("isle_tiles", num_players=4, board="draft", components=components)
    assert offered(game.batch(1)) == [("turn", 0), ("turn", 1), ("turn", 2)]


@pytest.mark.parametrize("pick", [min, max])
def test_draft_to_the_rim_of_the_canvas(pick: Any) -> None:
    """A chain of parts in one direction stays on the 31 x 31 canvas: each reference space is at most five steps on."""
    for kind in ("row", "column"):
        d = drafting(4, [0, 1, 2, 3])
        while d["phase"] in ("turn", "row", "column"):
            choices = legal(d)
            d = after(d, pick(choices) if d["phase"] == kind else choices[0])
        assert len(d["spaces"]) == 60


def test_draft_hides_what_comes_after_it() -> None:
    d = drafting(3, [3, 1, 0, 2])
    for seat in range(3):
        view = seat_view(d, seat)
        assert view["hands"] == ["hidden", "hidden", "hidden"]
        assert view["tasks"] == []
        assert view["parts"] == d["parts"]  # dealt publicly


def test_draft_needs_hexes() -> None:
    with pytest.raises(ValueError, match="hex"):
        make(2, "draft", "square")


@pytest.mark.parametrize("num_players", PLAYERS)
def test_draft_is_followed_by_the_game(num_players: int) -> None:
    """The whole game can be played after a draft; its tiles, cards and hands were dealt before."""
    game = make(num_players, board="draft")
    batch = game.batch(4, seed=5)
    dealt = [plain(game.describe(batch.states[i])) for i in range(4)]
    while any(game.describe(batch.states[i])["phase"] != "place" for i in range(4)):
        batch.step(batch.sample_legal())
    for i in range(4):
        d = game.describe(batch.states[i])
        assert {key: d[key] for key in ("hands", "supply", "removed", "tasks", "shown")} == {
            key: dealt[i][key] for key in ("hands", "supply", "removed", "tasks", "shown")
        }


def test_positions_deck_is_the_components_deck() -> None:
    (d,) = deals(1, 2)
    assert sorted([*d["removed"], *d["hands"], *d["supply"]]) == sorted(deck())

"""One test per clause of the Islet rulebook and per ruling, on the engine and the oracle at once.

Expected values are worked out by hand; the comments say how. `legal` and `after` (positions.py) ask the engine and the
oracle and fail where the two differ, so every test here holds for both. Cells are named as in positions.py. Payments have
a file of their own, test_payments.py.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from tests.islet import oracle
from tests.islet.oracle import Cell, Decision, Description
from tests.islet.positions import (
    CELLS,
    EGGS,
    HEXAGON,
    after,
    all_kinds,
    batch_of,
    cell,
    counts,
    day_and_night,
    draw,
    expected,
    game_of,
    guard,
    guard_last,
    hold,
    kind,
    legal,
    make,
    offered,
    pay,
    pick,
    put,
    resource,
    stand,
    start,
    tile_at,
    to,
    turn_of,
    with_bag,
    with_cards,
    with_hand,
)

PLAYERS = (2, 3, 4)
LAY: Decision = ("lay",)
END: Decision = ("end",)
FROM_BAG: Decision = ("move_from_bag",)
FROM_HAND: Decision = ("move_from_hand",)
NAMES: dict[Cell, str] = {
    **{cell(name): name for name in CELLS},
    **{cell(f"{islet}{name}"): f"{islet}{name}" for islet in "01" for name in CELLS},
}


def deals(games: int, num_players: int, **options: Any) -> list[Description]:
    """The first positions of some games."""
    batch = make(num_players, **options).batch(games, seed=7)
    return [batch.game.describe(batch.states[i]) for i in range(games)]


def cells(description: Description) -> set[Any]:
    """The cells that are legal now, by name where they have one."""
    return {NAMES.get(decision[1:], decision[1:]) for decision in legal(description) if decision[0] == "cell"}


def kinds_of(description: Description) -> set[str]:
    """Which kinds of decision are legal now."""
    return {decision[0] for decision in legal(description)}


def resources(description: Description) -> str:
    """The resources that are legal now, as letters."""
    return "".join("WSClbf"[decision[1]] for decision in legal(description) if decision[0] == "resource")


def nearest(description: Description, *names: str) -> set[str]:
    """Which of the named cells are legal now; others, such as those under laid eggs, do not matter."""
    return cells(description) & set(names)


# Components and setup


@pytest.mark.parametrize("num_players", PLAYERS)
def test_setup_ninety_tiles_ten_of_each_kind(num_players: int) -> None:
    for d in deals(10, num_players):
        tiles = [tile["kind"] for tile in d["tiles"]]
        assert (len(tiles), len(d["bag"])) == (6, 90 - 6 - 4 * num_players)
        assert [len(hand) for hand in d["hands"]] == [4] * num_players
        assert sorted([*tiles, *d["bag"], *(kind for hand in d["hands"] for kind in hand)]) == all_kinds()
        assert d["removed"] == []


@pytest.mark.parametrize("num_players", PLAYERS)
def test_setup_reserves(num_players: int) -> None:
    """12 cards in each of six stacks; 10, 8 or 6 eggs; birds in the sea; seat 0 starts."""
    for d in deals(3, num_players):
        assert d["stacks"] == [12] * 6
        assert d["loose"] == d["guaranteed"] == d["spent"] == [[0] * 6] * num_players
        assert d["eggs"] == [{"free": {2: 10, 3: 8, 4: 6}[num_players], "laid": 0}] * num_players
        assert d["birds"] == [None] * num_players
        assert (d["phase"], d["current_player"], d["round"], d["last_round"], d["end"]) == ("turn", 0, 1, None, None)
        assert (d["deck"], d["cards"], d["used"]) == (None, None, None)


def test_setup_islet_is_a_hexagon_of_level_one() -> None:
    for d in deals(3, 3):
        assert [tile["cell"] for tile in d["tiles"]] == [[8, 14], [8, 15], [8, 16], [9, 14], [9, 15], [9, 16]]
        assert all((tile["level"], tile["egg"]) == (1, None) for tile in d["tiles"])


def test_setup_shuffles_the_tiles() -> None:
    dealt = deals(50, 2)
    assert len({str(d["bag"]) for d in dealt}) == len({str(d["tiles"]) for d in dealt}) == 50
    assert {d["tiles"][0]["kind"] for d in dealt} == set(range(9))


def test_setup_is_the_same_for_the_same_seed() -> None:
    (d,) = deals(1, 4)
    assert d == deals(1, 4)[0]
    assert all(hand == sorted(hand) for hand in d["hands"])


# How to play: turns


@pytest.mark.parametrize("num_players", PLAYERS)
def test_turns_go_clockwise_and_a_round_is_one_turn_each(num_players: int) -> None:
    d = start(num_players)
    for number in (1, 2):
        for seat in range(num_players):
            assert (d["current_player"], d["round"], d["phase"]) == (seat, number, "turn")
            d = explore_once(d)
    assert d["round"] == 3


def explore_once(description: Description) -> Description:
    """A shortest Explore: the first tile in hand on the first cell of the sea."""
    chosen = next(decision for decision in legal(description) if decision[0] == "pick")
    description = after(description, chosen)
    description = after(description, legal(description)[0])
    return after(description, END) if description["phase"] == "explore" else description


def test_a_turn_is_an_explore_or_a_move_not_both() -> None:
    d = start()
    stand(d, "A", None)
    assert kinds_of(d) == {"pick", "cell"}
    assert kinds_of(after(d, pick("Wl"), to("d"))) == {"pick", "end"}
    assert kinds_of(after(d, to("B"))) == {"cell", "end"}
    assert after(d, to("B"), END)["current_player"] == 1
    assert after(d, pick("Wl"), to("d"), END)["current_player"] == 1


def test_a_turn_cannot_be_passed() -> None:
    """ "You must perform an EXPLORE action or a MOVE action"; a Move holds at least one Advance or Lay (ruling 5)."""
    d = start()
    stand(d, "A", None)
    assert END not in legal(d)
    d = start()  # in the sea without a resource
    assert legal(d) == [pick("Wl"), pick("Wb"), pick("Sf"), pick("Cf")]


def test_an_empty_move_where_no_explore_is_possible() -> None:
    """Ruling 5: without a tile in hand `end` is legal, beside any Advance or Lay."""
    d = start()
    with_hand(d, 0, "")
    assert legal(d) == [END]
    d2 = after(d, END)
    assert (d2["current_player"], d2["birds"], d2["hands"][0]) == (1, [None, None], [])
    stand(d, "A", None)
    hold(d, 0, "lll")
    assert kinds_of(d) == {"cell", "lay", "end"}
    assert cells(d) == {"B", "F"}
    assert after(d, END)["birds"] == [list(cell("A")), None]


# Explore, 1. Place tiles


def test_first_tile_in_the_sea_adjacent_to_the_islet() -> None:
    """Adjacent means sharing a side: each of the six tiles has exactly one side to the sea."""
    d = after(start(), pick("Sf"))
    assert cells(d) == set("abcdef")
    d = after(d, to("b"))
    assert tile_at(d, "b") == {"cell": [7, 15], "level": 1, "kind": kind("Sf"), "egg": None}


@pytest.mark.parametrize("name", [*"ABCDEFabcdef"])
def test_neighbours_of_a_cell(name: str) -> None:
    """Around the islet in a ring; one side outwards. A cell of the sea touches one tile only, though it meets others' corners."""
    ring = {"A": "BFa", "B": "ACb", "C": "BDc", "D": "CEd", "E": "DFe", "F": "EAf"}
    near = {NAMES.get(other, "") for other in oracle.Board(start()).near(cell(name))} - {""}
    assert near == (set(ring[name]) if name in ring else {name.upper()})


def test_first_tile_next_to_a_tile_that_was_added() -> None:
    d = start()
    put(d, "a", "Wl")
    # a, at (8, 13), points down: its neighbours are (8, 12), A and (7, 13).
    assert cells(after(d, pick("Wl"))) == {*"bcdef", (8, 12), (7, 13)}


def test_first_tile_into_a_hole() -> None:
    """Ruling 1: a cell of the sea enclosed by tiles is sea."""
    d = start()
    put(d, (7, 14), "Wl")
    put(d, (7, 16), "Wl")
    d = after(d, pick("Wl"))
    assert "b" in cells(d)  # between B, (7, 14) and (7, 16)
    assert tile_at(after(d, to("b")), "b")["level"] == 1


def test_first_tile_stays_on_the_canvas() -> None:
    """Tiles at the four edges of 18 x 31; what would lie beyond is no placement."""
    d = start()
    for at in [(0, 1), (17, 3), (4, 30), (5, 0)]:
        put(d, at, "Wl")
    # (0, 1) points down, (17, 3) up: their third sides leave the canvas. (4, 30) points up, (5, 0) down.
    edges = {(0, 0), (0, 2), (17, 2), (17, 4), (4, 29), (5, 30), (5, 1), (4, 0)}
    assert cells(after(d, pick("Wl"))) == {*"abcdef", *edges}


def test_further_tiles_are_placed_on_the_islet() -> None:
    d = after(start(), pick("Sf"), to("a"))
    d = after(d, pick("Wl"))
    assert cells(d) == {"A"}  # the other two neighbours of a are sea
    d = after(d, to("A"))
    assert tile_at(d, "A") == {"cell": [8, 14], "level": 2, "kind": kind("Wl"), "egg": None}
    assert len(d["tiles"]) == 7


def test_further_tiles_are_optional() -> None:
    d = after(start(), pick("Sf"), to("a"))
    assert legal(d) == [pick("Wl"), pick("Wb"), pick("Cf"), END]
    d = after(d, END)
    assert (d["current_player"], len(d["tiles"])) == (1, 7)


def test_each_tile_comes_from_the_hand_and_is_chosen_anew() -> None:
    d = start()
    with_hand(d, 0, "Wl Wl Sf Cb")
    assert [decision for decision in legal(d) if decision[0] == "pick"] == [pick("Wl"), pick("Sf"), pick("Cb")]
    d = after(d, pick("Wl"), to("a"))
    assert d["hands"][0] == [kind("Wl"), kind("Sf"), kind("Cb")]
    d = after(d, pick("Sf"), to("A"))
    assert d["hands"][0] == [kind("Wl"), kind("Cb")]


def test_a_adjacent_to_the_last_tile() -> None:
    d = start()
    draw(d, "B=Wl3 D=Wl3")
    d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), pick("Wb"))
    assert cells(d) == {"B"}  # not D, and F is too low


def test_b_no_tile_with_an_egg() -> None:
    for seat in (0, 1):
        d = start()
        put(d, "A", "Wl", egg=seat)
        assert legal(after(d, pick("Sf"), to("a"))) == [END]


def test_b_no_tile_with_a_bird_not_even_the_own() -> None:
    for birds in [("A", None), (None, "A")]:
        d = start()
        stand(d, *birds)
        assert legal(after(d, pick("Sf"), to("a"))) == [END]


def test_birds_and_eggs_do_not_hinder_the_first_tile() -> None:
    d = start()
    put(d, "A", "Wl", egg=1)
    stand(d, "B", "C")
    assert cells(after(d, pick("Sf"))) == set("abcdef")


def test_c_ascending_by_one_level_or_more() -> None:
    d = start()
    draw(d, "A=Wl5")
    assert cells(after(d, pick("Sf"), to("a"), pick("Wl"))) == {"A"}  # from level 1 up to 6
    draw(d, "A=Wl B=Wl1 F=Wl2")
    d2 = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), pick("Wb"))
    # A ends up at level 2. B would reach 2, not higher; F reaches 3. The new a would reach 2.
    assert cells(d2) == {"F"}
    draw(d, "B=Wl4")
    d2 = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), pick("Wb"))
    assert cells(d2) == {"B", "F"}  # 5 and 3
    draw(d, "C=Wl4")
    d3 = after(d2, to("B"))
    assert legal(d3) == [END]  # B is at 5; C would reach 5, A 3
    draw(d, "C=Wl5")
    d2 = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), pick("Wb"))
    d3 = after(d2, to("B"), pick("Cf"))
    assert cells(d3) == {"C"}


def test_a_further_pick_only_while_some_cell_can_take_a_tile() -> None:
    d = after(start(), pick("Sf"), to("a"), pick("Wl"), to("A"))
    assert legal(d) == [END]  # A is at level 2, B and F would reach 2


def test_explore_ends_by_itself_with_the_fourth_tile() -> None:
    d = start()
    draw(d, "A=Wl1 B=Wl2 C=Wl3 D=Wl4")
    d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), pick("Wb"), to("B"), pick("Cf"), to("C"))
    assert (d["phase"], d["current_player"], d["explore"]) == ("turn", 1, None)
    assert [tile_at(d, name)["level"] for name in "aABCD"] == [1, 2, 3, 4, 4]
    assert len(d["hands"][0]) == 4


@pytest.mark.parametrize("hand", ["Sf", "Sf Wl"])
def test_explore_ends_by_itself_with_the_last_tile_in_hand(hand: str) -> None:
    d = start()
    with_hand(d, 0, hand)
    d = after(d, pick("Sf"), to("a"))
    if "Wl" in hand:
        assert legal(d) == [pick("Wl"), END]
        d = after(d, pick("Wl"), to("A"))
    assert (d["phase"], d["current_player"]) == ("turn", 1)


# Explore, 2. Gain resources


@pytest.mark.parametrize("nest", [*"lbf"])
@pytest.mark.parametrize("terrain", [*"WSC"])
def test_gain_in_the_sea_a_terrain_card(terrain: str, nest: str) -> None:
    d = start()
    with_hand(d, 0, "Wl Wl Wl " + terrain + nest)
    d = after(d, pick(terrain + nest), to("a"), END)
    assert d["loose"][0] == counts(terrain)
    assert d["stacks"] == [12 - count for count in counts(terrain)]


@pytest.mark.parametrize(
    ("placed", "covered", "gained"),
    [
        ("W", "W", "W"),
        ("S", "S", "S"),
        ("C", "C", "C"),
        ("W", "S", "b"),  # fresh water and sand: branches
        ("S", "W", "b"),
        ("W", "C", "l"),  # fresh water and clay: leaves
        ("C", "W", "l"),
        ("S", "C", "f"),  # sand and clay: flowers
        ("C", "S", "f"),
    ],
)
def test_gain_on_a_tile_by_its_terrain(placed: str, covered: str, gained: str) -> None:
    for nest, below in [("l", "l"), ("b", "f")]:  # "the nest shown on the tile is not taken into account"
        d = start()
        with_hand(d, 0, f"Wl Wl Sf {placed}{nest}")
        put(d, "A", covered + below)
        d = after(d, pick("Sf"), to("a"), pick(placed + nest), to("A"), END)
        assert d["loose"][0] == counts("S" + gained)


def test_gain_only_the_top_tile_counts() -> None:
    d = start()
    put(d, "A", "Cl", 3)  # whatever lies below
    with_hand(d, 0, "Cl Sf")
    d = after(d, pick("Sf"), to("a"), pick("Cl"), to("A"))
    assert d["loose"][0] == counts("SC")


def test_gain_after_all_placing() -> None:
    """Ruling 3. `gains` holds the types until then."""
    d = after(start(), pick("Sf"), to("a"), pick("Wl"), to("A"))
    assert d["loose"][0] == counts("")
    assert d["explore"] == {"picked": None, "last": list(cell("A")), "placed": 2, "gains": [1, 0]}
    assert after(d, END)["loose"][0] == counts("SW")


def test_gain_nothing_from_an_empty_stack() -> None:
    """ "If you must take one and none remain, you take none." """
    d = start()
    hold(d, 1, "SSSSSSSSSSSS")
    d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), END)
    assert d["loose"][0] == counts("W")
    assert d["stacks"][1] == 0


def test_gain_the_last_card_of_a_stack_once() -> None:
    d = start()
    hold(d, 1, "WWWWWWWWWWW")
    d = after(d, pick("Wb"), to("a"), pick("Wl"), to("A"), END)
    assert d["loose"][0] == counts("W")
    assert d["stacks"][0] == 0


def test_example_of_exploration() -> None:
    """Thomas gains 1 clay, 1 sand and twice what sand gives on another terrain, and discards 2 of 10.

    The example speaks of "Sand nests", which do not exist; sand on clay gives flowers. He places clay in the sea, sand on
    sand (level 2), sand on clay (level 3) and clay on sand (level 4), and held six resources before.
    """
    d = start(tiles="Sl Cl Sl Wl Wl Wl")
    draw(d, "B=Cl2 C=Sl3")
    with_hand(d, 0, "Cl Sb Sf Cf")
    hold(d, 0, "WWllbb")
    guard(d, 0, "CC")  # guaranteed ones do not count
    with_bag(d, "Wf Wl Wb Wf Wl")
    d = after(d, pick("Cl"), to("a"), pick("Sb"), to("A"), pick("Sf"), to("B"), pick("Cf"), to("C"))
    assert d["loose"][0] == counts("WWllbb" + "CSff")
    assert d["hands"][0] == sorted(map(kind, ("Wf", "Wl", "Wb", "Wf")))
    assert (d["phase"], d["current_player"]) == ("discard", 0)
    d = after(d, resource("W"), resource("l"))
    assert d["loose"][0] == counts("WlbbCSff")
    assert (d["phase"], d["current_player"]) == ("turn", 1)


# Explore, 3. Gain tiles


def test_draw_up_to_four_tiles() -> None:
    d = start()
    with_bag(d, "Cb Sl Cb Sl")
    d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), END)
    assert d["hands"][0] == sorted(map(kind, ("Wb", "Cf", "Cb", "Sl")))
    assert d["bag"] == [kind("Cb"), kind("Sl")]


def test_draw_what_the_bag_has() -> None:
    d = start()
    with_bag(d, "Cb")
    d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), END)
    assert d["hands"][0] == sorted(map(kind, ("Wb", "Cf", "Cb")))
    assert d["bag"] == []
    d["current_player"] = 0
    d = after(d, pick("Wb"), to("b"), END)
    assert d["hands"][0] == sorted(map(kind, ("Cf", "Cb")))


def test_draw_more_after_a_turn_with_few_tiles() -> None:
    d = start()
    with_hand(d, 0, "Sf Wl")
    assert len(after(d, pick("Sf"), to("a"), END)["hands"][0]) == 4


def test_no_tiles_are_drawn_after_a_move() -> None:
    d = start()
    stand(d, "A", None)
    with_hand(d, 0, "Sf")
    assert after(d, to("B"), END)["hands"][0] == [kind("Sf")]


def test_eight_loose_resources_are_kept() -> None:
    d = start()
    hold(d, 0, "WSClbff")
    guard(d, 0, "WWSSC")
    d = after(d, pick("Sf"), to("a"), END)
    assert d["loose"][0] == counts("WSSClbff")
    assert (d["phase"], d["current_player"]) == ("turn", 1)


def test_discard_any_resource_beyond_eight() -> None:
    d = start()
    hold(d, 0, "WWSfffff")
    d = after(d, pick("Cf"), to("a"), END)
    assert (d["phase"], d["current_player"], d["discarded"]) == ("discard", 0, None)
    assert resources(d) == "WSCf"
    for letter, left in [("W", "WSCfffff"), ("S", "WWCfffff"), ("C", "WWSfffff"), ("f", "WWSCffff")]:
        d2 = after(d, resource(letter))
        assert d2["loose"][0] == counts(left)
        assert d2["stacks"] == [12 - count for count in counts(left)]
        assert (d2["phase"], d2["current_player"], d2["discarded"]) == ("turn", 1, None)


def test_discard_in_non_descending_type() -> None:
    """Ruling 3. Clay in the sea and fresh water on fresh water: three W, one S, one C, five f, two too many."""
    d = start()
    hold(d, 0, "WWSfffff")
    d = after(d, pick("Cf"), to("a"), pick("Wl"), to("A"), END)
    assert resources(d) == "WSCf"
    d2 = after(d, resource("S"))
    assert (d2["phase"], d2["discarded"]) == ("discard", 1)
    assert resources(d2) == "Cf"
    assert resources(after(d, resource("C"))) == "f"  # asked although there is only one answer
    assert resources(after(d, resource("W"))) == "WSCf"
    assert resources(after(d, resource("f"))) == "f"
    assert after(d, resource("W"), resource("W"))["loose"][0] == counts("WSCfffff")


def test_discard_so_that_enough_remain_at_higher_types() -> None:
    """Nine W and one f, two too many: beginning with f would leave nothing for the second."""
    d = start()
    hold(d, 0, "WWWWWWWf")
    d = after(d, pick("Wb"), to("a"), pick("Wl"), to("A"), END)
    assert d["loose"][0] == counts("WWWWWWWWWf")
    assert resources(d) == "W"
    d = after(d, resource("W"))
    assert resources(d) == "Wf"
    assert after(d, resource("f"))["loose"][0] == counts("WWWWWWWW")


def test_draw_before_discarding() -> None:
    d = start()
    hold(d, 0, "WWSfffff")
    with_bag(d, "Cb Sl")
    d = after(d, pick("Cf"), to("a"), END)
    assert d["phase"] == "discard"
    assert (len(d["hands"][0]), d["bag"]) == (4, [kind("Sl")])


def test_the_limit_is_not_tested_after_a_move() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "WWWSSSCCC")
    d = after(d, to("B"), END)
    assert d["loose"][0] == counts("WWWSSSCCC")
    assert (d["phase"], d["current_player"]) == ("turn", 1)


# Move: advance your pawn


def test_advance_to_an_adjacent_tile() -> None:
    d = start()
    stand(d, "A", None)
    assert cells(d) == {"B", "F"}
    put(d, "a", "Wl")
    assert cells(d) == {"a", "B", "F"}
    d = after(d, to("F"))
    assert d["birds"] == [list(cell("F")), None]
    assert (d["phase"], d["moved"], d["stood"]) == ("move", True, [list(cell("A")), list(cell("F"))])


def test_advance_on_the_same_terrain_is_free_whatever_the_nest() -> None:
    d = start(tiles="Wl Wb Wf Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "WW")
    d = after(d, to("B"), to("C"), END)
    assert d["loose"][0] == counts("WW")
    assert (d["birds"][0], d["stood"], d["moved"]) == (list(cell("C")), [], False)


def test_advance_to_another_terrain_costs_a_card_of_the_destination() -> None:
    d = start(tiles="Wl Sl Cl Wl Wl Cl")
    stand(d, "A", None)
    assert cells(d) == set()
    hold(d, 0, "W")
    assert cells(d) == set()  # not of the terrain that is left
    hold(d, 0, "S")
    assert cells(d) == {"B"}
    hold(d, 0, "SC")
    assert cells(d) == {"B", "F"}
    d = after(d, to("B"))
    assert d["loose"][0] == counts("C")
    assert d["stacks"] == [12, 12, 11, 12, 12, 12]
    assert cells(d) == {"C"}


def test_advance_as_often_as_one_can_pay() -> None:
    d = start(tiles="Wl Sl Wl Sl Cl Cl")
    stand(d, "A", None)
    hold(d, 0, "SSWC")
    d = after(d, to("B"), to("C"), to("D"), to("E"), to("F"))
    assert d["loose"][0] == counts("")
    assert legal(d) == [END]
    d = after(d, END)
    assert (d["birds"][0], d["current_player"]) == (list(cell("F")), 1)


def test_advance_ignores_heights_and_eggs() -> None:
    d = start()
    draw(d, "A=Wl7 B=Wl*")
    put(d, "F", "Wl", 4, egg=1)
    stand(d, "A", None)
    assert cells(d) == {"B", "F"}
    assert END in legal(after(d, to("B")))


def test_advance_from_the_sea_to_any_tile_by_the_sea() -> None:
    """Ruling 4: it always costs one terrain card of the destination."""
    d = start(tiles="Wl Sl Cl Wb Sb Cb")
    assert cells(d) == set()
    hold(d, 0, "S")
    assert cells(d) == {"B", "E"}
    hold(d, 0, "WC")
    assert cells(d) == {"A", "D", "C", "F"}
    d = after(d, to("D"))
    assert d["loose"][0] == counts("C")
    assert (d["birds"][0], d["stood"], d["moved"]) == (list(cell("D")), [list(cell("D"))], True)


def test_advance_from_the_sea_not_to_an_inland_tile() -> None:
    d = start()
    hold(d, 0, "W")
    put(d, "b", "Sl")
    assert cells(d) == set("ACDEF")  # B now lies between A, C and b


def test_advance_from_the_sea_through_a_hole_or_over_the_edge_of_the_canvas() -> None:
    d = start(tiles="Sl Wl Sl Sl Sl Sl")
    hold(d, 0, "W")
    for at in [(7, 14), (7, 16), (0, 0), (0, 2), (6, 14)]:
        put(d, at, "Sl")
    put(d, (0, 1), "Wl")
    # B touches the enclosed cell b; (0, 1), between two tiles, points down and has its third side at the edge.
    assert cells(d) == {"B", (0, 1)}


def test_no_way_back_into_the_sea() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "WWSSCC")
    d = after(d, to("B"))
    assert cells(d) == {"C"}
    assert d["birds"][0] is not None


# Ruling 6: free advances do not return


def test_free_advances_never_return_within_a_move() -> None:
    d = start()
    stand(d, "A", None)
    for name, onwards in [("B", "C"), ("C", "D"), ("D", "E"), ("E", "F")]:
        d = after(d, to(name))
        assert cells(d) == {onwards}
    d = after(d, to("F"))
    assert d["stood"] == sorted(list(cell(name)) for name in "ABCDEF")
    assert legal(d) == [END]
    # The next Move begins with the cell where it begins.
    d = after(d, END)
    turn_of(d, 0)
    assert cells(d) == {"A", "E"}


def test_a_paid_advance_resets_the_memory() -> None:
    d = start(tiles="Wl Wl Sl Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "SW")
    d = after(d, to("B"), to("C"))
    assert d["stood"] == [list(cell("C"))]
    d = after(d, to("B"))  # paid, though it has been stood on
    assert d["stood"] == [list(cell("B"))]
    assert d["loose"][0] == counts("")
    assert cells(d) == {"A"}


def test_a_lay_resets_the_memory() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    d = after(d, to("B"))
    assert cells(d) == {"C"}
    d = after(d, LAY, resource("W"))
    assert d["stood"] == [list(cell("B"))]
    assert cells(d) == {"A", "C"}


def test_memory_during_a_first_payment() -> None:
    """The Move has begun, but contains nothing yet."""
    d = start(tiles="Wl Sl Cl Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "S")
    guard(d, 0, "S")
    d = after(d, to("B"))
    assert (d["phase"], d["stood"], d["moved"]) == ("pay", [list(cell("A"))], False)
    assert (d["birds"][0], d["payment"]) == (list(cell("A")), {"for": "advance", "to": [8, 15], "paid": [0] * 12})


# Ruling 7: other birds


def test_another_birds_tile_may_be_crossed_but_not_be_the_end() -> None:
    d = start()
    stand(d, "A", "B")
    hold(d, 0, "lll")
    assert cells(d) == {"B", "F"}
    d = after(d, to("B"))
    assert legal(d) == [to("C")]  # neither the end nor an egg
    d = after(d, to("C"))
    assert {END, LAY} <= set(legal(d))


def test_another_birds_tile_needs_a_way_on() -> None:
    d = start(tiles="Wl Wl Sl Wl Wl Wl")
    stand(d, "A", "B")
    assert cells(d) == {"F"}  # from B: A would be a free advance back, C cannot be paid
    hold(d, 0, "S")
    assert cells(d) == {"B", "F"}
    assert legal(after(d, to("B"))) == [to("C")]


def test_the_way_on_may_lead_back_if_it_is_paid() -> None:
    d = start(tiles="Wl Sl Cl Wl Wl Wl")
    stand(d, "A", "B")
    hold(d, 0, "S")
    assert cells(d) == {"F"}
    hold(d, 0, "SW")
    assert cells(d) == {"B", "F"}
    d = after(d, to("B"))
    assert legal(d) == [to("A")]
    d = after(d, to("A"))
    assert END in legal(d)


def test_the_way_on_over_several_birds() -> None:
    d = start(3)
    stand(d, "A", "B", "C")
    d = after(d, to("B"))
    assert legal(d) == [to("C")]
    d = after(d, to("C"))
    assert legal(d) == [to("D")]
    d = start(4)
    stand(d, "A", "C", "B", "D")
    d = after(d, to("B"), to("C"), to("D"))
    assert legal(d) == [to("E")]


def test_the_way_on_over_several_birds_is_paid() -> None:
    """A water, B sand, C water, D water; birds on B and C. B costs S, C costs W, D is free; back to A costs W too."""
    d = start(3, tiles="Wl Sl Wl Wl Wl Wl")
    stand(d, "A", "B", "C")
    hold(d, 0, "S")
    assert cells(d) == {"F"}
    hold(d, 0, "SW")
    assert cells(d) == {"B", "F"}
    assert cells(after(d, to("B"))) == {"A", "C"}
    assert legal(after(d, to("B"), to("C"))) == [to("D")]


def test_every_step_of_the_way_on_is_paid_with_what_is_left() -> None:
    """A, B sand, C water, D clay; birds on B and C. B is free and cannot be left to A; C costs W, D then W, W."""
    d = start(3, tiles="Sl Sl Wl Cl Sl Cl")
    stand(d, "A", "B", "C")
    hold(d, 0, "WW")
    assert cells(d) == {"F"}
    hold(d, 0, "WWW")
    assert cells(d) == {"B", "F"}
    d = after(d, to("B"), to("C"))
    assert legal(d) == [to("B"), to("D")]  # sand for W, W too, and from there on to A


def test_the_way_on_does_not_use_a_memory_that_ends_it() -> None:
    """All water, another bird on D: coming round to E, all ways on from D have been stood on."""
    d = start()
    stand(d, "C", "D")
    assert cells(d) == {"B", "D"}
    d = after(d, to("B"), to("A"), to("F"), to("E"))
    assert legal(d) == [END]
    d = start()
    stand(d, "C", "D")
    put(d, "d", "Wl")
    d = after(d, to("B"), to("A"), to("F"), to("E"))
    assert cells(d) == {"D"}
    assert legal(after(d, to("D"))) == [to("d")]


def test_three_birds_in_a_dead_end() -> None:
    """Water a and A with birds on both; beyond a is sea. From B: A leads on to F, a does not."""
    d = start(3)
    put(d, "a", "Wl")
    stand(d, "B", "A", "a")
    assert cells(d) == {"A", "C"}
    assert cells(after(d, to("A"))) == {"F"}  # a is a dead end
    put(d, (8, 12), "Wl")
    assert cells(after(d, to("A"))) == {"F", "a"}


def test_from_the_sea_onto_another_birds_tile() -> None:
    d = start()
    stand(d, None, "A")
    hold(d, 0, "W")
    assert cells(d) == set("ABCDEF")
    assert cells(after(d, to("A"))) == {"B", "F"}
    d = start(tiles="Wl Sl Wl Wl Wl Sl")
    stand(d, None, "A")
    hold(d, 0, "W")
    assert cells(d) == set("CDE")
    hold(d, 0, "WS")
    assert cells(d) == set("ABCDEF")


def test_payments_that_break_the_way_on_are_not_offered() -> None:
    """A water, B sand with a bird, C clay: from B the way on costs W, or C.

    With S, W, W the sand can be paid with S, leaving W, W; or with W, W, leaving only S. So S is paid unasked.
    """
    d = start(tiles="Wl Sl Cl Wl Wl Wl")
    stand(d, "A", "B")
    hold(d, 0, "SWW")
    d2 = after(d, to("B"))
    assert (d2["phase"], d2["loose"][0]) == ("move", counts("WW"))
    assert cells(d2) == {"A", "C"}  # clay for W, W
    # Three W leave one in either case.
    hold(d, 0, "SWWW")
    d2 = after(d, to("B"))
    assert legal(d2) == [pay("W"), pay("S")]
    d2 = after(d2, pay("W"))
    assert d2["loose"][0] == counts("SW")
    assert legal(d2) == [to("A")]
    # Without the other bird there is no such limit.
    hold(d, 0, "SWW")
    stand(d, "A", None)
    assert legal(after(d, to("B"))) == [pay("W"), pay("S")]


def test_a_spent_guaranteed_resource_does_not_lead_on() -> None:
    d = start(tiles="Wl Sl Cl Wl Wl Wl")
    stand(d, "A", "B")
    hold(d, 0, "S")
    guard(d, 0, "W")
    assert "B" in cells(d)
    guard(d, 0, "W", spent="W")
    assert "B" not in cells(d)


# Move: lay an egg


@pytest.mark.parametrize("terrain", [*"WSC"])
@pytest.mark.parametrize("nest", [*"lbf"])
def test_lay_costs_three_nest_cards_of_the_tile(terrain: str, nest: str) -> None:
    d = start(tiles=f"{terrain}{nest} Wl Wl Wl Wl Wl")
    stand(d, "A", None)
    for other in "lbf":
        hold(d, 0, other * 3)
        assert (LAY in legal(d)) == (other == nest)
    hold(d, 0, nest * 2)
    assert LAY not in legal(d)
    hold(d, 0, nest * 4)
    d = after(d, LAY)
    assert d["loose"][0] == counts(nest)
    assert (d["phase"], d["current_player"], d["payment"]) == ("gain", 0, None)


def test_lay_and_gain_a_guaranteed_resource() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    d = after(d, LAY)
    assert resources(d) == "WSClbf"
    d = after(d, resource("f"))
    assert tile_at(d, "A")["egg"] == 0
    assert d["eggs"] == [{"free": 8, "laid": 1}, {"free": 10, "laid": 0}]
    assert (d["guaranteed"][0], d["spent"][0], d["loose"][0]) == (counts("f"), counts(""), counts(""))
    assert d["stacks"] == [12, 12, 12, 12, 12, 11]
    assert (d["phase"], d["moved"]) == ("move", True)
    assert {END, to("B"), to("F")} == set(legal(d))


def test_lay_in_the_middle_of_a_move_and_several_times() -> None:
    d = start(tiles="Wl Wb Wf Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "lllbbbff")
    d = after(d, LAY, resource("f"), to("B"), LAY, resource("W"), to("C"))
    d = after(d, LAY, resource("W"))  # the third f is guaranteed
    assert d["eggs"][0] == {"free": 4, "laid": 3}
    assert (d["guaranteed"][0], d["spent"][0]) == (counts("WWf"), counts("f"))
    d = after(d, to("D"), END)
    assert d["spent"][0] == counts("")
    assert [tile_at(d, name)["egg"] for name in "ABCD"] == [0, 0, 0, None]


@pytest.mark.parametrize("seat", [0, 1])
def test_lay_not_where_there_is_an_egg(seat: int) -> None:
    d = start()
    put(d, "A", "Wl", egg=seat)
    stand(d, "A", None)
    hold(d, 0, "lll")
    assert LAY not in legal(d)
    assert LAY in legal(after(d, to("B")))


def test_lay_once_on_a_tile() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "llllll")
    assert LAY not in legal(after(d, LAY, resource("W")))


def test_lay_not_in_the_sea() -> None:
    d = start()
    hold(d, 0, "lllbbbfff")
    assert LAY not in legal(d)


def test_lay_not_beside_another_bird() -> None:
    d = start()
    stand(d, "A", "B")
    hold(d, 0, "lll")
    assert LAY not in legal(after(d, to("B")))


def test_at_most_two_identical_guaranteed_resources() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    guard(d, 0, "WWSf")
    assert resources(after(d, LAY)) == "SClbf"
    guard(d, 1, "SS")  # another's do not matter
    assert resources(after(d, LAY)) == "SClbf"


def test_a_guaranteed_resource_comes_from_a_stack_that_is_not_empty() -> None:
    """Ruling 10. The cards just paid are back on their stack."""
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    hold(d, 1, "SSSSSSSSSSSS" + "lllllllll")
    assert d["stacks"][1] == d["stacks"][3] == 0
    assert resources(after(d, LAY)) == "WClbf"


def test_a_guaranteed_resource_may_be_used_on_the_turn_it_is_gained_but_once() -> None:
    d = start(tiles="Sl Wl Sl Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "lllS")
    d = after(d, LAY, resource("W"), to("B"))
    assert (d["guaranteed"][0], d["spent"][0]) == (counts("W"), counts("W"))
    assert (d["stacks"][0], d["loose"][0]) == (11, counts("S"))
    d = after(d, to("A"))
    assert legal(d) == [END]  # B costs W once more
    d = after(d, END)
    assert d["spent"][0] == counts("")  # "At the end of each of your turns, stand back up the eggs"
    turn_of(d, 0)
    assert cells(d) == {"B", "F"}


def test_two_identical_guaranteed_resources_pay_twice() -> None:
    d = start(tiles="Sl Wl Sl Wl Sl Sl")
    stand(d, "A", None)
    guard(d, 0, "WW")
    hold(d, 0, "S")
    d = after(d, to("B"))
    assert d["spent"][0] == counts("W")
    d = after(d, to("C"), to("D"))
    assert d["spent"][0] == counts("WW")
    assert d["loose"][0] == counts("")


def test_with_two_free_eggs_the_last_resource_is_gained() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    guard(d, 0, "WWSS")
    assert d["eggs"][0] == {"free": 2, "laid": 4}
    d = after(d, LAY)
    assert d["phase"] == "gain"
    d = after(d, resource("C"))
    assert d["eggs"][0] == {"free": 0, "laid": 5}


def test_without_free_eggs_a_guaranteed_resource_is_given_up() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    guard_last(d, 0, "WWSSf")
    d = after(d, LAY)
    assert d["phase"] == "give_up"
    assert resources(d) == "WSf"  # the player chooses
    d = after(d, resource("S"))
    assert tile_at(d, "A")["egg"] == 0
    assert d["guaranteed"][0] == counts("WWSf")
    assert d["eggs"][0] == {"free": 0, "laid": 6}
    assert d["stacks"] == [10, 11, 12, 12, 12, 11]
    assert {END, to("B"), to("F")} == set(legal(d))


def test_of_two_of_a_type_the_spent_one_is_given_up() -> None:
    """Ruling 9."""
    d = start(tiles="Wl Wl Sl Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "lll")
    guard_last(d, 0, "WWS", spent="W")
    d2 = after(d, LAY, resource("W"))
    assert (d2["guaranteed"][0], d2["spent"][0]) == (counts("WS"), counts(""))
    d2 = after(d, LAY, resource("S"))
    assert (d2["guaranteed"][0], d2["spent"][0]) == (counts("WW"), counts("W"))
    guard_last(d, 0, "WWS", spent="WWS")
    d2 = after(d, LAY, resource("W"))
    assert (d2["guaranteed"][0], d2["spent"][0]) == (counts("WS"), counts("WS"))
    guard_last(d, 0, "WWS")
    d2 = after(d, LAY, resource("W"))
    assert (d2["guaranteed"][0], d2["spent"][0]) == (counts("WS"), counts(""))


def test_the_resource_given_up_may_pay_for_that_very_lay() -> None:
    """Paying comes first (ruling 9)."""
    d = start()
    stand(d, "A", None)
    hold(d, 0, "l")
    guard_last(d, 0, "ll")
    d = after(d, LAY)
    assert (d["phase"], d["spent"][0], d["loose"][0]) == ("give_up", counts("ll"), counts(""))
    d = after(d, resource("l"))
    assert (d["guaranteed"][0], d["spent"][0]) == (counts("l"), counts("l"))
    assert d["stacks"][3] == 11


def test_giving_up_the_only_one_is_asked_too() -> None:
    d = start()
    stand(d, "A", None)
    hold(d, 0, "lll")
    guard_last(d, 0, "W")
    d = after(d, LAY)
    assert legal(d) == [resource("W")]


def test_after_the_last_egg_the_turn_goes_on() -> None:
    """ "Their turn ends normally" (ruling 11): the bird may still advance, but there is no egg to lay."""
    d = start()
    stand(d, "A", None)
    hold(d, 0, "llllll")
    guard_last(d, 0, "W")
    d = after(d, LAY, resource("W"))
    assert d["eggs"][0] == {"free": 0, "laid": 10}
    assert (d["phase"], d["current_player"], d["last_round"], d["end"]) == ("move", 0, 1, None)
    assert legal(d) == [to("B"), to("F"), END]
    d = after(d, to("B"))
    assert legal(d) == [to("C"), END]
    d = after(d, END)
    assert (d["phase"], d["current_player"], d["birds"][0]) == ("turn", 1, list(cell("B")))


def test_example_of_movement() -> None:
    """Thomas: clay with his guaranteed clay, fresh water with fresh water, an egg for two flowers and clay + sand.

    He used six resources, laid an egg and gained a guaranteed leaf. The clay goes to the clay stack and the sand to the
    sand stack, not "the 3 resources to the Flower stack" (ruling 8).
    """
    d = start(tiles="Sl Cl Wf Wl Wl Wl")
    stand(d, "A", None)
    hold(d, 0, "WSCff")
    guard(d, 0, "C")
    assert d["stacks"] == [11, 11, 10, 12, 12, 10]
    d = after(d, to("B"))
    assert legal(d) == [pay("C"), pay("C", guaranteed=True)]
    d = after(d, pay("C", guaranteed=True))
    assert (d["loose"][0], d["spent"][0], d["birds"][0]) == (counts("WSCff"), counts("C"), list(cell("B")))
    d = after(d, to("C"))
    assert (d["loose"][0], d["stacks"]) == (counts("SCff"), [12, 11, 10, 12, 12, 10])
    d = after(d, LAY)
    assert (d["loose"][0], d["stacks"]) == (counts(""), [12, 12, 11, 12, 12, 12])
    d = after(d, resource("l"), to("D"))
    assert (d["guaranteed"][0], d["spent"][0]) == (counts("Cl"), counts("C"))
    assert d["eggs"][0] == {"free": 6, "laid": 2}
    d = after(d, END)
    assert (d["birds"][0], d["spent"][0], d["current_player"]) == (list(cell("D")), counts(""), 1)
    assert tile_at(d, "C")["egg"] == 0


# End of the game


def play_on(num_players: int, plan: dict[tuple[int, int], str], first: int = 5) -> tuple[int, str, list[int]]:
    """Play from round `first` on: at (round, seat) a "tile" turn draws the last tile, an "egg" turn lays the last egg.

    In all other turns one tile is placed. Returns the last round, how the game ended and the turns of each seat.
    """
    d = start(num_players)
    turn_of(d, 0, first)
    birds: list[str | None] = [None] * num_players
    for seat in range(num_players):
        with_hand(d, seat, "Wl Wl Wl Wl")
        if "egg" in [plan.get((number, seat)) for number in (first, first + 1)]:
            birds[seat] = HEXAGON[seat]
            guard_last(d, seat, "S")
            hold(d, seat, "lll")
    stand(d, *birds)
    turns = [0] * num_players
    passed = 0  # before the last tile every turn draws one
    for number in (first, first + 1):
        for seat in range(num_players):
            passed += plan.get((number, seat)) is None and "tile" in [
                what for when, what in plan.items() if when > (number, seat)
            ]
    d["bag"] = [0] * (passed + 1 if "tile" in plan.values() else 40)
    while d["phase"] != "over":
        assert d["phase"] == "turn"
        seat, number = d["current_player"], d["round"]
        turns[seat] += 1
        action = plan.get((number, seat))
        if action == "egg":
            d = after(d, LAY, resource("S"), END)
            assert d["eggs"][seat]["laid"] == EGGS[num_players]
        else:
            d = explore_once(d)
            assert not (action == "tile" and d["bag"])
        if (number, seat) < max(plan, default=(0, 0)):
            assert d["phase"] != "over"
    assert d["current_player"] is None
    assert legal(d) == []
    return d["round"], d["end"], turns


@pytest.mark.parametrize(
    ("num_players", "plan", "last", "end"),
    [
        # The last egg: the round is completed.
        *((n, {(5, seat): "egg"}, 5, "last_egg") for n in PLAYERS for seat in range(n)),
        # The last tile: the round is completed, and one more is played.
        *((n, {(5, seat): "tile"}, 6, "last_tile") for n in PLAYERS for seat in range(n)),
        # The last tile, then the last egg within the same round.
        *((n, {(5, a): "tile", (5, b): "egg"}, 5, "last_egg") for n in PLAYERS for a, b in combinations(range(n), 2)),
        # The last egg, then the last tile within the same round.
        *((n, {(5, a): "egg", (5, b): "tile"}, 5, "last_egg") for n in PLAYERS for a, b in combinations(range(n), 2)),
        # The last tile, then the last egg within the extra round.
        *((n, {(5, a): "tile", (6, b): "egg"}, 6, "last_egg") for n in PLAYERS for a in range(n) for b in range(n)),
        # Two last eggs in one round.
        *((n, {(5, 0): "egg", (5, n - 1): "egg"}, 5, "last_egg") for n in PLAYERS),
        # All three.
        (3, {(5, 0): "egg", (5, 1): "tile", (5, 2): "egg"}, 5, "last_egg"),
        (3, {(5, 1): "tile", (6, 0): "egg", (6, 2): "egg"}, 6, "last_egg"),
    ],
)
def test_end_by_the_earliest_trigger(num_players: int, plan: dict[tuple[int, int], str], last: int, end: str) -> None:
    """Ruling 11. Everybody plays the same number of turns."""
    assert play_on(num_players, plan) == (last, end, [last - 4] * num_players)


def test_the_last_tile_counts_whether_the_hand_is_full_or_not() -> None:
    for bag in ("Wl", "Wl Wl"):
        d = start()
        with_bag(d, bag)
        d = after(d, pick("Sf"), to("a"), pick("Wl"), to("A"), END)
        assert (len(d["hands"][0]), d["bag"], d["last_round"]) == (2 + len(bag.split()), [], 2)


def test_one_tile_left_in_the_bag_ends_nothing() -> None:
    d = start()
    with_bag(d, "Wl Wl")
    assert after(d, pick("Sf"), to("a"), END)["last_round"] is None


@pytest.mark.parametrize("num_players", PLAYERS)
def test_cut_off_after_a_hundred_rounds(num_players: int) -> None:
    """Ruling 13; a regular end at the same moment takes precedence."""
    assert play_on(num_players, {}, 100) == (100, "cut_off", [1] * num_players)
    assert play_on(num_players, {}, 99) == (100, "cut_off", [2] * num_players)
    assert play_on(num_players, {(100, num_players - 1): "egg"}, 100)[:2] == (100, "last_egg")
    assert play_on(num_players, {(99, 0): "tile"}, 99)[:2] == (100, "last_tile")
    # A bag that is emptied in round 100 would end the game in round 101.
    assert play_on(num_players, {(100, 0): "tile"}, 100)[:2] == (100, "cut_off")


def finish(*levels: list[int], reward: str = "outcome", end: str = "last_tile") -> tuple[list[float], list[int]]:
    """The last turn of a game in which each seat has laid eggs on tiles of these levels; its rewards and ranks."""
    n = len(levels)
    d = start(n)
    for seat, mine in enumerate(levels):
        guard(d, seat, "WWSSC"[: min(len(mine), EGGS[n] - len(mine))], laid=len(mine), levels=mine)
    with_hand(d, n - 1, "")
    turn_of(d, n - 1, 100 if end == "cut_off" else 20)
    d["last_round"] = None if end == "cut_off" else 20
    batch = batch_of(d, make(n, reward=reward))
    assert not batch.ranks().any()  # 0 until the game is over
    assert not batch.terminated[0]
    batch.step([batch.game.actions.encode("end")])
    assert batch.terminated[0]
    over = batch.game.describe(batch.states[0])
    assert (over["phase"], over["end"]) == ("over", end)
    assert batch.scores()[0].tolist() == [len(mine) for mine in levels]
    ranks = [int(rank) for rank in batch.ranks()[0]]
    assert ranks == oracle.ranks(over)
    rewards = [float(r) for r in batch.rewards[0]]
    if reward == "outcome":
        assert rewards == pytest.approx(oracle.rewards(over))
        assert sum(rewards) == pytest.approx(0, abs=1e-6)
    return rewards, ranks


def test_most_eggs_win() -> None:
    assert finish([1, 1], [1]) == ([1, -1], [1, 2])
    assert finish([1], [1, 1]) == ([-1, 1], [2, 1])
    assert finish([9], [1, 1]) == ([-1, 1], [2, 1])  # however high
    assert finish([1], [1, 1], [], [1, 1, 1])[1] == [3, 2, 4, 1]


def test_tie_goes_to_the_highest_egg() -> None:
    assert finish([2, 1], [1, 1])[1] == [1, 2]
    assert finish([1, 1], [3, 1])[1] == [2, 1]
    assert finish([3, 1], [2, 2])[1] == [1, 2]  # not the sum
    assert finish([1, 3, 1], [2, 2, 2])[1] == [1, 2]


def test_tie_goes_on_to_the_next_highest() -> None:
    assert finish([3, 1], [2, 3])[1] == [2, 1]
    assert finish([4, 4, 2, 1], [4, 4, 2, 2])[1] == [2, 1]
    assert finish([2, 1], [2, 2], [2, 2, 1])[1] == [3, 2, 1]


def test_equal_heights_share_the_victory() -> None:
    assert finish([2, 1], [1, 2]) == ([0, 0], [1, 1])
    assert finish([], []) == ([0, 0], [1, 1])
    # Of three players two share: (3/2 - 1) / 2 each, and -1/2.
    rewards, ranks = finish([1], [], [1])
    assert ranks == [1, 3, 1]
    assert rewards == pytest.approx([0.25, -0.5, 0.25])
    # Of four players three share: (4/3 - 1) / 3 = 1/9 each, and -1/3.
    rewards, ranks = finish([2], [1], [2], [2])
    assert ranks == [1, 4, 1, 1]
    assert rewards == pytest.approx([1 / 9, -1 / 3, 1 / 9, 1 / 9])
    assert finish([], [], [], []) == ([0, 0, 0, 0], [1, 1, 1, 1])


def test_ties_below_the_winner_share_a_rank() -> None:
    rewards, ranks = finish([1], [2], [1], [3])
    assert ranks == [3, 2, 3, 1]
    assert rewards == pytest.approx([-1 / 3, -1 / 3, -1 / 3, 1])
    assert finish([1, 1], [1], [1])[1] == [1, 2, 2]


def test_the_cut_off_is_decided_by_the_standing() -> None:
    assert finish([1, 1], [1], end="cut_off") == ([1, -1], [1, 2])
    assert finish([1], [1], end="cut_off") == ([0, 0], [1, 1])


def test_margin_rewards() -> None:
    """Own eggs minus the best other's, divided by the eggs each began with; heights do not matter."""
    assert finish([1, 1], [1], reward="margin")[0] == pytest.approx([0.1, -0.1])
    assert finish([2], [1], reward="margin")[0] == pytest.approx([0, 0])
    assert finish([1, 1], [1], [], reward="margin")[0] == pytest.approx([1 / 8, -1 / 8, -2 / 8])
    assert finish([1], [1, 1, 1], [1, 1], [], reward="margin")[0] == pytest.approx([-2 / 6, 1 / 6, -1 / 6, -3 / 6])


# What a seat may know


def seat_view(description: Description, seat: int) -> Description:
    """What the engine tells a seat, which must be what the oracle does."""
    game = game_of(description)
    view: Description = game.describe(game.undescribe(description)[0], seat)
    assert view == oracle.seen_by(description, seat)
    return view


def test_tiles_in_hand_and_bag_are_secret_resources_are_not() -> None:
    d = start(3)
    hold(d, 1, "WSf")
    guard(d, 2, "Cl")
    with_hand(d, 2, "Wl Sf")
    view = seat_view(d, 1)
    assert view["hands"] == [4, d["hands"][1], 2]
    assert view["bag"] == len(d["bag"])
    assert "stream" not in view
    public = ("tiles", "birds", "loose", "guaranteed", "spent", "eggs", "stacks", "phase", "current_player", "round")
    assert {key: view[key] for key in public} == {key: d[key] for key in public}


def test_the_solo_player_does_not_know_bag_and_deck_but_what_was_removed() -> None:
    d = start(1)
    with_bag(d, "Cl Cb Cf Sl")
    d = after(d, FROM_BAG)
    view = seat_view(d, 0)
    assert (view["bag"], view["deck"]) == (1, 9)
    assert view["removed"] == [kind("Cl"), kind("Cb"), kind("Cf")]
    assert view["hands"] == d["hands"]
    assert (view["cards"], view["used"]) == (d["cards"], d["used"])


# Solo: setup


@pytest.mark.parametrize("eggs", [10, 6])
def test_solo_setup(eggs: int) -> None:
    for d in deals(5, 1, eggs=eggs):
        tiles = [tile["kind"] for tile in d["tiles"]]
        assert sorted([*tiles, *d["bag"], *d["hands"][0]]) == all_kinds()
        assert (len(tiles), len(d["hands"][0])) == (12, 4)
        hexagon = [[6, 12], [6, 13], [6, 14], [7, 12], [7, 13], [7, 14]]
        assert [tile["cell"] for tile in d["tiles"]] == [[islet, *at] for islet in (0, 1) for at in hexagon]
        assert all((tile["level"], tile["egg"]) == (1, None) for tile in d["tiles"])
        assert [len(cards) for cards in d["cards"]] == [2, 2]
        assert sorted([*d["cards"][0], *d["cards"][1], *d["deck"]]) == list(range(13))
        assert (d["used"], d["removed"], d["eggs"]) == ([], [], [{"free": eggs, "laid": 0}])
        assert (d["phase"], d["current_player"], d["birds"]) == ("start", 0, [None])


def test_solo_setup_shuffles_the_cards() -> None:
    dealt = deals(60, 1)
    assert {d["cards"][0][0] for d in dealt} == {d["cards"][1][1] for d in dealt} == set(range(13))
    assert len({str(d["bag"]) for d in dealt}) == 60


def test_solo_the_bird_starts_on_any_tile() -> None:
    (d,) = deals(1, 1)
    assert {NAMES[decision[1:]] for decision in legal(d)} == {f"{i}{letter}" for i in "01" for letter in HEXAGON}
    d = after(d, to("1D"))
    assert (d["birds"], d["phase"], d["round"]) == ([list(cell("1D"))], "turn", 1)
    assert d["loose"][0] == counts("")


# Solo: explore


def test_solo_explore_on_the_birds_islet_only() -> None:
    d = start(1)
    assert cells(after(d, pick("Sf"))) == {f"0{letter}" for letter in "abcdef"}
    stand(d, "1B")
    d = after(d, pick("Sf"))
    assert cells(d) == {f"1{letter}" for letter in "abcdef"}
    d = after(d, to("1a"), pick("Wl"))
    assert cells(d) == {"1A"}


def test_solo_explore_on_the_smaller_canvas() -> None:
    d = start(1)
    for at in [(0, 0, 1), (0, 13, 3), (0, 4, 26), (0, 5, 0)]:
        put(d, at, "Wl")
    # (0, 1) points down, (13, 3) up: their third sides leave the 14 x 27 canvas. (4, 26) points up, (5, 0) down.
    edges = [(0, 0), (0, 2), (13, 2), (13, 4), (4, 25), (5, 26), (5, 1), (4, 0)]
    assert cells(after(d, pick("Wl"))) == {f"0{letter}" for letter in "abcdef"} | {(0, *at) for at in edges}


def test_solo_explore_follows_the_normal_rules() -> None:
    d = start(1)
    stand(d, "0D")
    hold(d, 0, "WWllbbf")
    with_bag(d, "Cb Sl Cb")
    d = after(d, pick("Sf"), to("0a"), pick("Cf"), to("0A"), END)  # sand; clay on water: leaves
    assert (d["loose"][0], d["phase"]) == (counts("WWSlllbbf"), "discard")
    d = after(d, resource("S"))
    assert (d["hands"][0], d["bag"]) == (sorted(map(kind, ("Wl", "Wb", "Cb", "Sl"))), [kind("Cb")])
    assert (d["phase"], d["current_player"], d["round"]) == ("turn", 0, 2)


# Solo: move


def test_solo_a_move_first_removes_three_tiles() -> None:
    d = start(1)
    assert kinds_of(d) == {"pick", "move_from_bag", "move_from_hand"}
    assert END not in legal(d)


def test_solo_move_from_the_bag() -> None:
    d = start(1)
    with_bag(d, "Cf Sl Cb Wl Wl")
    d = after(d, FROM_BAG)
    assert (d["removed"], d["bag"]) == (sorted(map(kind, ("Cf", "Sl", "Cb"))), [kind("Wl"), kind("Wl")])
    assert len(d["hands"][0]) == 4
    assert (d["phase"], d["moved"], d["stood"]) == ("move", False, [list(cell("0A"))])
    assert kinds_of(d) == {"cell"}  # no end before an Advance or Lay
    assert nearest(d, "0B", "0F", "0A") == {"0B", "0F"}
    assert END in legal(after(d, to("0B")))


def test_solo_move_from_the_hand_keeps_one_tile() -> None:
    d = start(1)
    with_hand(d, 0, "Sf Sf Wl Cb")
    d = after(d, FROM_HAND)
    assert (d["phase"], d["stood"]) == ("keep", [])
    assert legal(d) == [pick("Wl"), pick("Sf"), pick("Cb")]
    d2 = after(d, pick("Sf"))
    assert (d2["hands"][0], d2["removed"]) == ([kind("Sf")], sorted(map(kind, ("Sf", "Wl", "Cb"))))
    assert (d2["phase"], d2["moved"], d2["stood"]) == ("move", False, [list(cell("0A"))])
    d2 = after(d2, to("0B"), END)
    # "You will have only a single tile remaining for the Explore action on your next turn."
    assert [decision for decision in legal(d2) if decision[0] == "pick"] == [pick("Sf")]
    d2 = after(d2, pick("Sf"), to("0d"))
    assert (d2["phase"], d2["round"], len(d2["hands"][0])) == ("turn", 3, 4)


@pytest.mark.parametrize("hand", ["Sf", "Sf Sf", "Sf Sf Wl"])
def test_solo_move_from_the_hand_needs_four_tiles(hand: str) -> None:
    d = start(1)
    with_hand(d, 0, hand)
    assert FROM_BAG in legal(d)
    assert FROM_HAND not in legal(d)


def test_solo_removing_only_if_an_advance_or_lay_is_possible() -> None:
    d = start(1, "Wl Sl Sl Sl Sl Cl Sb Sb Sb Sb Sb Sb")
    with_cards(d, "day peak", "day hollow")
    assert kinds_of(d) == {"pick"}
    hold(d, 0, "lll")
    assert kinds_of(d) == {"pick"}  # neither card holds
    with_cards(d, "day coastal", "day hollow")
    assert kinds_of(d) == {"pick", "move_from_bag", "move_from_hand"}
    with_cards(d, "day peak", "day hollow")
    hold(d, 0, "S")
    assert kinds_of(d) == {"pick", "move_from_bag", "move_from_hand"}
    d = after(d, FROM_BAG)
    assert cells(d) == {"0B"}


# Solo: crossing


def crossing() -> Description:
    """The bird on 0A, fresh water with leaves; on islet 1 only B (level 3) and D, with an egg, are the same."""
    d = start(1, "Wl Sl Sl Sl Sl Cl Wb Wl Wf Wl Sl Cl")
    draw(d, "1B=Wl3 1D=Wl*")
    d["eggs"][0].update(free=8, laid=1)
    d["guaranteed"][0] = counts("f")
    d["stacks"][5] -= 1
    with_cards(d, "day peak", "day hollow", "night inland", "night peak")
    return d


def test_solo_crossing_to_an_identical_tile_costs_its_terrain() -> None:
    d = crossing()
    assert kinds_of(d) == {"pick"}
    hold(d, 0, "W")
    d = after(d, FROM_BAG)
    assert cells(d) == {"1B", "1D"}  # whatever the level, egg or not; not 1A (branches) nor 1C (flowers)
    d2 = after(d, to("1D"))
    assert (d2["birds"], d2["loose"][0], d2["stood"]) == ([list(cell("1D"))], counts(""), [list(cell("1D"))])
    d2 = after(d, to("1B"))
    assert cells(d2) == {"1A", "1C"}  # free ones; back to 0A would cost W
    d2 = after(d2, END)
    assert cells(after(d2, pick("Sf"))) >= {"1a"}
    assert not cells(after(d2, pick("Sf"))) & {"0a"}


def test_solo_crossing_back_and_forth() -> None:
    d = crossing()
    hold(d, 0, "WWW")
    d = after(d, FROM_BAG, to("1B"), to("0A"))
    assert (d["birds"], d["loose"][0]) == ([list(cell("0A"))], counts("W"))
    assert "1D" in cells(d)


def test_solo_crossing_is_an_ordinary_payment() -> None:
    d = crossing()
    hold(d, 0, "SS")
    d = after(d, FROM_BAG)
    assert cells(d) == {"0B", "0F", "1B", "1D"}  # S for B, S and S for the clay of F or the fresh water
    assert after(d, to("1B"))["loose"][0] == counts("")
    hold(d, 0, "CSSC")
    d2 = after(d, to("1D"))
    assert legal(d2) == [pay("S"), pay("C")]
    assert after(d2, pay("C"))["loose"][0] == counts("SS")


def test_solo_no_crossing_to_the_same_tile_of_the_own_islet() -> None:
    d = start(1, "Wl Sl Sl Wl Sl Cl Sb Sb Sb Sb Sb Sb")
    hold(d, 0, "WW")
    with_cards(d, "day peak", "day hollow")
    d = after(d, FROM_BAG)
    assert cells(d) == {"0B", "0F"}  # by transforming; not 0D


# Solo: conditions

CONDITIONS: list[tuple[str, str, bool]] = [
    # What the bird's tile A is like, and what touches it: B, F and a. C, D, E are clay and do not touch it.
    ("day terrain fresh water", "A=Wf B=Sl F=Sl", True),
    ("day terrain fresh water", "A=Sl B=Wl F=Wl", False),
    ("day terrain sand", "A=Sf B=Wl F=Wl", True),
    ("day terrain sand", "A=Cf B=Sl F=Sl", False),
    ("day terrain clay", "A=Cf", True),
    ("day terrain clay", "A=Wf", False),
    ("day level_min 2", "A=Wl2", True),
    ("day level_min 2", "A=Wl5", True),
    ("day level_min 2", "A=Wl1 B=Wl2", False),
    ("day level_max 1", "A=Wl1 B=Wl2", True),
    ("day level_max 1", "A=Wl2", False),
    ("day coastal", "A=Wl", True),
    ("day coastal", "A=Wl a=Wl", False),
    ("day inland", "A=Wl a=Wl", True),
    ("day inland", "A=Wl", False),
    ("day touches fresh water", "A=Sl B=Wl F=Sl", True),
    ("day touches fresh water", "A=Sl B=Sl F=Sl a=Wl2", True),
    ("day touches fresh water", "A=Wl B=Sl F=Sl", False),
    ("day touches_own", "A=Sl B=Wl F=Sb", True),
    ("day touches_own", "A=Sl B=Wl F=Cl", False),
    ("day touches_no_own", "A=Sl B=Wl F=Cl a=Wl", True),
    ("day touches_no_own", "A=Sl B=Wl F=Cl a=Sl", False),
    ("day touches_no_egg", "A=Sl D=Wl*", True),
    ("day touches_no_egg", "A=Sl B=Wl*", False),
    ("day peak", "A=Wl3 B=Wl2 F=Wl1", True),
    ("day peak", "A=Wl2 B=Wl1 F=Wl1 D=Wl5", True),
    ("day peak", "A=Wl2 B=Wl2 F=Wl1", False),
    ("day peak", "A=Wl1", False),
    ("day hollow", "A=Wl1 B=Wl2", True),
    ("day hollow", "A=Wl2 B=Wl1 F=Wl3", True),
    ("day hollow", "A=Wl2 B=Wl2 D=Wl5", False),
    ("night peak", "A=Wl2 a=Sl1", True),
    ("night peak", "A=Wl2 a=Sl2", False),
    ("night hollow", "A=Wl1 a=Sl2", True),
    ("night hollow", "A=Wl1", False),
    ("night touches_own", "A=Cl B=Sl F=Wl a=Cb4", True),
    ("night touches_own", "A=Cl B=Sl F=Wl", False),
    ("night terrain fresh water", "A=Wb", True),
    ("night terrain fresh water", "A=Cb B=Wl", False),
    ("night touches sand", "A=Wl B=Sl", True),
    ("night touches sand", "A=Sl B=Wl F=Cl", False),
    ("night level_min 3", "A=Wl3", True),
    ("night level_min 3", "A=Wl2 B=Wl3", False),
    ("night terrain sand", "A=Sb", True),
    ("night terrain sand", "A=Wb B=Sl", False),
    ("night inland", "A=Wl a=Sl", True),
    ("night inland", "A=Wl", False),
    ("night touches clay", "A=Wl F=Cl B=Wl", True),
    ("night touches clay", "A=Cl F=Wl B=Wl", False),
    ("night level_min 2", "A=Wl2", True),
    ("night level_min 2", "A=Wl1", False),
    ("night coastal", "A=Wl", True),
    ("night coastal", "A=Wl a=Wl", False),
    ("night touches_egg", "A=Wl F=Sl*", True),
    ("night touches_egg", "A=Wl D=Sl*", False),
    ("night terrain clay", "A=Cb", True),
    ("night terrain clay", "A=Sb B=Cl", False),
]


def test_every_face_is_tried_both_ways() -> None:
    faces = {f"{face} {card[face]}" for card in day_and_night() for face in ("day", "night")}
    assert len(faces) == 26
    for wanted in (True, False):
        assert {condition for condition, _, holds in CONDITIONS if holds == wanted} == faces


@pytest.mark.parametrize(("condition", "picture", "wanted"), CONDITIONS)
def test_solo_lay_only_where_a_card_holds(condition: str, picture: str, wanted: bool) -> None:
    islet = "0" if condition.startswith("day") else "1"
    d = start(1, "Cl Cl Cl Cl Cl Cl")
    draw(d, " ".join(islet + word for word in picture.split()))
    if "*" in picture:
        d["eggs"][0].update(free=8, laid=1)
        d["guaranteed"][0] = counts("C")
    stand(d, islet + "A")
    hold(d, 0, "WSClllbbbfff")  # whatever the nest, and a free way to begin a Move
    with_cards(d, condition)
    d = after(d, FROM_BAG)
    assert (LAY in legal(d)) == wanted


def test_solo_an_enclosed_cell_of_the_sea_makes_a_coast() -> None:
    """Ruling 1: 0a is sea between 0A, (5, 11) and (6, 10)."""
    d = start(1)
    put(d, (0, 6, 10), "Wl")
    put(d, (0, 5, 11), "Wl")
    hold(d, 0, "lll")
    with_cards(d, "day coastal")
    assert LAY in legal(after(d, FROM_BAG))
    with_cards(d, "day inland")
    assert LAY not in legal(after(d, FROM_BAG))


def test_solo_beyond_the_canvas_is_sea() -> None:
    """(0, 1) points down, so that its third side lies above row 0."""
    d = start(1)
    for at in [(0, 0, 0), (0, 0, 1), (0, 0, 2)]:
        put(d, at, "Wl")
    d["birds"] = [[0, 0, 1]]
    hold(d, 0, "lll")
    with_cards(d, "day coastal")
    assert LAY in legal(after(d, FROM_BAG))
    with_cards(d, "day inland")
    assert LAY not in legal(after(d, FROM_BAG))


def test_solo_cards_of_the_other_islet_do_not_matter() -> None:
    d = start(1)
    hold(d, 0, "lll")
    with_cards(d, "night terrain fresh water", "night coastal", "day terrain sand")
    assert LAY not in legal(after(d, FROM_BAG))
    with_cards(d, "day terrain fresh water")
    assert LAY in legal(after(d, FROM_BAG))
    stand(d, "1A")
    assert LAY not in legal(after(d, FROM_BAG))


def test_solo_no_card_no_egg() -> None:
    d = start(1)
    hold(d, 0, "lll")
    with_cards(d)
    assert LAY not in legal(after(d, FROM_BAG))


# Solo: discarding and refilling cards


def laying(*conditions: str, at: str = "0A") -> Description:
    """The bird has begun a Move from the bag and can pay for leaves."""
    d = start(1)
    stand(d, at)
    hold(d, 0, "lll")
    with_cards(d, *conditions)
    return after(d, FROM_BAG)


def numbers(*conditions: str) -> list[int]:
    """The numbers of the cards with these conditions."""
    found = []
    for condition in conditions:
        face, _, words = condition.partition(" ")
        found += [k for k, card in enumerate(day_and_night()) if card[face] == words]
    return found


def test_solo_the_card_that_holds_is_discarded_unasked() -> None:
    for conditions in [("day inland", "day coastal"), ("day coastal", "day inland")]:
        d = laying(*conditions, "night peak", "night hollow")
        deck = d["deck"]
        d = after(d, LAY, resource("W"))
        assert (d["phase"], d["cards"][0], d["used"]) == ("move", numbers("day inland"), numbers("day coastal"))
        assert (d["cards"][1], d["deck"]) == (numbers("night peak", "night hollow"), deck)  # the other islet is full
        assert d["eggs"][0] == {"free": 8, "laid": 1}


@pytest.mark.parametrize("slot", [0, 1])
def test_solo_of_two_cards_that_hold_one_is_chosen(slot: int) -> None:
    """Order: lay, payment, resource, card."""
    d = laying("day coastal", "day terrain fresh water", "night inland", "night hollow")
    both = numbers("day coastal", "day terrain fresh water")
    d = after(d, LAY)
    assert d["phase"] == "gain"
    d = after(d, resource("W"))
    assert (d["phase"], d["cards"][0], d["used"]) == ("card", both, [])
    assert legal(d) == [("card", 0), ("card", 1)]
    d = after(d, ("card", slot))
    assert (d["phase"], d["cards"][0], d["used"]) == ("move", [both[1 - slot]], [both[slot]])
    assert END in legal(d)


def test_solo_the_other_islet_is_refilled_to_two() -> None:
    """The rulebook's example: no card is left by the night islet, so two are revealed there."""
    d = laying("day coastal", "day inland")
    first, second, third = d["deck"][:3]
    d = after(d, LAY, resource("W"))
    assert (d["cards"], d["deck"][0]) == ([numbers("day inland"), [first, second]], third)
    d = laying("day coastal", "day inland", "night peak")
    first, second = d["deck"][:2]
    d = after(d, LAY, resource("W"))
    assert (d["cards"], d["deck"][0]) == ([numbers("day inland"), [*numbers("night peak"), first]], second)


def test_solo_the_refill_waits_for_the_choice_of_card() -> None:
    d = laying("day coastal", "day terrain fresh water", "night inland")
    deck = list(d["deck"])
    d = after(d, LAY, resource("W"))
    assert (d["cards"][1], d["deck"]) == (numbers("night inland"), deck)
    d = after(d, ("card", 0))
    assert (d["cards"][1], d["deck"]) == ([*numbers("night inland"), deck[0]], deck[1:])


def test_solo_the_own_islet_is_not_refilled() -> None:
    d = laying("day coastal", "night peak", "night hollow")
    d = after(d, LAY, resource("W"))
    assert d["cards"] == [[], numbers("night peak", "night hollow")]
    hold(d, 0, "lll")
    assert LAY not in legal(after(d, to("0B")))


def test_solo_the_night_islet_fills_the_day_islet() -> None:
    d = laying("night coastal", at="1A")
    first, second = d["deck"][:2]
    d = after(d, LAY, resource("W"))
    assert d["cards"] == [[first, second], []]


@pytest.mark.parametrize("left", [0, 1])
def test_solo_the_deck_may_run_out(left: int) -> None:
    d = laying("day coastal")
    d["used"], d["deck"] = d["deck"][left:], d["deck"][:left]
    last = list(d["deck"])
    used = sorted([*d["used"], *numbers("day coastal")])
    d = after(d, LAY, resource("W"))
    assert (d["cards"], d["deck"], d["used"], d["phase"]) == ([[], last], [], used, "move")


def test_solo_a_new_card_can_be_met_at_once() -> None:
    """Two eggs in one Move on two tiles, for two cards of the islet."""
    d = start(1)
    hold(d, 0, "llllll")
    with_cards(d, "day coastal", "day terrain fresh water")
    d = after(d, FROM_BAG, LAY, resource("W"), ("card", 1), to("0B"), LAY, resource("W"))
    assert (d["cards"][0], d["eggs"][0]) == ([], {"free": 6, "laid": 2})


# Solo: the end


def test_solo_lost_when_a_draw_finds_the_bag_empty() -> None:
    for bag, lost in [("Wl Wl", False), ("Wl", True), ("", True)]:
        d = start(1)
        stand(d, "0D")
        with_bag(d, bag)
        d = after(d, pick("Sf"), to("0a"), pick("Wl"), to("0A"), END)
        assert (d["phase"], d["end"]) == (("over", "lost") if lost else ("turn", None))
        assert d["bag"] == []


def test_solo_taking_the_last_tile_is_not_yet_lost() -> None:
    """The next tile that must come from the bag loses; a Move with three tiles of the hand needs none."""
    d = start(1)
    stand(d, "0D")
    with_bag(d, "Wl")
    d = after(d, pick("Sf"), to("0a"), END)
    assert (d["phase"], d["last_round"], d["bag"]) == ("turn", None, [])
    assert after(d, pick("Wl"), to("0b"), END)["end"] == "lost"
    assert after(d, FROM_BAG)["end"] == "lost"
    moved = after(d, FROM_HAND, pick("Wl"), to("0C"), END)
    assert (moved["phase"], moved["hands"][0]) == ("turn", [kind("Wl")])


@pytest.mark.parametrize("tiles", [3, 2, 1, 0])
def test_solo_lost_when_a_move_finds_fewer_than_three_tiles(tiles: int) -> None:
    d = start(1)
    with_bag(d, " ".join(["Wl"] * tiles))
    assert FROM_BAG in legal(d)  # though it loses
    d = after(d, FROM_BAG)
    assert d["bag"] == []
    assert (d["phase"], d["end"]) == (("move", None) if tiles == 3 else ("over", "lost"))
    if tiles < 3:
        assert d["current_player"] is None
        assert legal(d) == []
        assert oracle.rewards(d) == [0]


def winning(bag: int, eggs: int = 10) -> Description:
    """A bird about to lay its last egg, with so many tiles in the bag."""
    d = start(1, eggs=eggs)
    hold(d, 0, "lll")
    guard_last(d, 0, "W")
    with_cards(d, "day coastal", "day terrain fresh water", "night inland")
    d["bag"] = d["bag"][:bag]
    return d


@pytest.mark.parametrize(("bag", "eggs"), [(30, 10), (1, 10), (0, 10), (20, 6)])
def test_solo_won_with_the_last_egg(bag: int, eggs: int) -> None:
    """After `resource`, without a card and a refill. The reward is 1/eggs and bag/15."""
    d = winning(bag, eggs)
    d = after(d, FROM_HAND, pick("Wl"), LAY)
    assert d["phase"] == "give_up"
    cards, deck = d["cards"], d["deck"]
    batch = batch_of(d)
    assert batch.ranks()[0].tolist() == [0]
    batch.step([batch.game.actions.encode(*resource("W"))])
    assert batch.rewards[0].tolist() == pytest.approx([1 / eggs + bag / 15])
    assert batch.terminated[0]
    assert batch.scores()[0].tolist() == [bag]
    assert batch.ranks()[0].tolist() == [1]
    d = after(d, resource("W"))
    assert (d["phase"], d["end"], d["current_player"]) == ("over", "won", None)
    assert (d["cards"], d["deck"], d["used"]) == (cards, deck, [])
    assert d["eggs"][0] == {"free": 0, "laid": eggs}
    assert oracle.rewards(d) == pytest.approx([1 + bag / 15])


def test_solo_won_with_the_last_three_tiles_of_the_bag() -> None:
    d = after(winning(3), FROM_BAG, LAY, resource("W"))
    assert (d["end"], d["bag"]) == ("won", [])


@pytest.mark.parametrize(
    ("bag", "band"),
    [
        *((bag, "IDEAL ECOSYSTEM") for bag in (15, 16, 60)),
        *((bag, "YOU SAVED THE ISLAND'S ENDANGERED SPECIES") for bag in (10, 14)),
        *((bag, "THE WILDLIFE IS THRIVING") for bag in (7, 9)),
        *((bag, "THE FLORA IS STARTING TO BLOOM") for bag in (4, 6)),
        *((bag, "TRY AGAIN") for bag in (0, 3)),
    ],
)
def test_solo_success_rate(bag: int, band: str) -> None:
    batch = batch_of(after(winning(bag), FROM_HAND, pick("Wl"), LAY))
    batch.step([batch.game.actions.encode(*resource("W"))])
    assert batch.game.info(batch.states[0])["band"].upper().startswith(band)


def test_solo_no_success_rate_for_a_lost_game() -> None:
    batch = batch_of(winning(2))
    batch.step([batch.game.actions.encode(*FROM_BAG)])
    info = batch.game.info(batch.states[0])
    assert (info["end"], info["band"], batch.scores()[0].tolist()) == ("lost", "", [0])


def test_solo_reward_for_each_egg_laid() -> None:
    for eggs in (10, 6):
        d = start(1, eggs=eggs)
        hold(d, 0, "lll")
        d = after(d, FROM_BAG, LAY)
        batch = batch_of(d)
        batch.step([batch.game.actions.encode(*resource("W"))])
        assert batch.rewards[0].tolist() == pytest.approx([1 / eggs])


def test_solo_with_six_eggs_three_gain_and_three_give_up() -> None:
    d = start(1, eggs=6)
    hold(d, 0, "lll")
    guard(d, 0, "WW")
    d2 = after(d, FROM_BAG, LAY)
    assert (d2["phase"], d2["eggs"][0]["free"]) == ("gain", 2)
    guard_last(d, 0, "WWS")
    assert d["eggs"][0]["laid"] == 3
    assert after(d, FROM_BAG, LAY)["phase"] == "give_up"


def test_solo_a_lost_game_keeps_what_was_rewarded() -> None:
    d = start(1)
    hold(d, 0, "lll")
    guard(d, 0, "WWS")
    with_bag(d, "")
    d = after(d, FROM_BAG)
    assert oracle.rewards(d) == pytest.approx([0.3])


# Whole games


@pytest.mark.parametrize(("num_players", "eggs"), [(2, 10), (3, 8), (4, 6), (1, 10), (1, 6)])
def test_tiles_resources_and_eggs_are_conserved(num_players: int, eggs: int) -> None:
    game = make(num_players, **({"eggs": eggs} if num_players == 1 else {}))
    batch = game.batch(4, seed=11)
    while not batch.terminated.all():
        batch.step(batch.sample_legal())
        for i in range(4):
            d = game.describe(batch.states[i])
            levels = sum(tile["level"] for tile in d["tiles"])
            assert levels + len(d["bag"]) + sum(map(len, d["hands"])) + len(d["removed"]) == 90
            held = [*d["loose"], *d["guaranteed"], d["stacks"]]
            assert [sum(cards[t] for cards in held) for t in range(6)] == [12] * 6
            lying = Counter(tile["egg"] for tile in d["tiles"])
            for seat, pieces in enumerate(d["eggs"]):
                assert pieces["free"] % 2 == 0  # a single free egg never occurs (ruling 10)
                assert pieces["laid"] == lying[seat]
                assert pieces["free"] + pieces["laid"] + sum(d["guaranteed"][seat]) == eggs
            assert offered(batch, i) or d["phase"] == "over"
    assert expected(game.describe(batch.states[0])) == []

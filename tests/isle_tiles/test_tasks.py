"""The twenty task cards, each on positions where it is open, closed, and just this or that side of the boundary.

Expected values are worked out by hand from the rulebook's overview of the task cards (and ruling 8); the comments say
how. Seat 0 is always the one who may fulfil the card. Space numbers are those of the pictures in positions.py.
"""

from __future__ import annotations

from copy import deepcopy

from tests.isle_tiles import oracle
from tests.isle_tiles.oracle import Description
from tests.isle_tiles.positions import (
    DESERT,
    FOREST,
    GAPPED,
    ICE,
    LAVA,
    SQUARE,
    SWAMP,
    after,
    empty,
    legal,
    put,
    put_all,
    put_marker,
    to_mark,
    with_cards,
    with_removed,
)


def opens(description: Description, card: int, shown: int | None = None) -> bool:
    """Whether seat 0 may take a card when its turn starts, after seat 1 has placed a tile far off without a marker.

    The engine and the oracle both play seat 1's `done`; the other three cards are taken, so this one decides whether
    seat 0 is asked at all. Where it is open, a position that starts at the question must offer it too.
    """
    position = deepcopy(description)
    with_cards(position, card, *[other for other in (1, 2, 3, 4) if other != card][:3], shown=shown)
    for task in position["tasks"][1:]:
        task["taken_by"] = 1
    to_mark(position, 1, *_tile_apart(position))
    position = after(position, ("done",))
    assert position["current_player"] == 0
    is_open: bool = position["phase"] == "task"
    if is_open:
        assert legal(position) == [("task", 0), ("no_task",)]
    else:
        assert position["phase"] == "place"
    assert oracle.task_open(position, 0, card) == is_open
    return is_open


def _tile_apart(description: Description) -> tuple[int, int]:
    """Cover two adjacent water spaces that touch nothing, so that no card is opened or closed by them."""
    board = oracle.Board(description)
    apart = [s for s in board.all if all(board.height(t) == 0 for t in [s, *board.near[s]])]
    first, second = next((s, t) for s in reversed(apart) for t in board.near[s] if t in apart)
    put(description, first, ICE)
    put(description, second, SWAMP)
    return first, second


# 1. Wide land: an area of at least five spaces.


def test_wide_land_exactly_five_spaces() -> None:
    d = empty()
    put_all(d, [20, 21, 22, 23], FOREST)
    put_marker(d, 20, 0, 1)
    assert not opens(d, 1)  # four
    put(d, 24, FOREST)
    assert opens(d, 1)  # five
    put(d, 25, FOREST)
    assert opens(d, 1)  # "there may also be more spaces"


def test_wide_land_ignores_heights_and_shape() -> None:
    d = empty()
    for height, space in enumerate([13, 23, 24, 34, 44], start=1):  # 13-23-24-34-44 is a bent chain
        put(d, space, ICE, height)
    put_marker(d, 44, 0, 6)
    assert opens(d, 1)


def test_wide_land_is_one_area_of_one_type() -> None:
    d = empty()
    put_all(d, [20, 21], FOREST)
    put_all(d, [22, 23, 24], LAVA)  # "2 areas next to each other that are 2 and 3 spaces large": not fulfilled
    put_marker(d, 20, 0, 1)
    put_marker(d, 24, 0, 2)
    assert not opens(d, 1)
    d = empty()
    put_all(d, [20, 21, 23, 24, 25], FOREST)  # five forest spaces of mine, but 22 between them is water: 2 and 3
    put_marker(d, 20, 0, 1)
    put_marker(d, 24, 0, 2)
    assert not opens(d, 1)


def test_wide_land_must_be_owned() -> None:
    d = empty()
    put_all(d, [20, 21, 22, 23, 24], FOREST)
    assert not opens(d, 1)  # nobody's
    put_marker(d, 22, 1, 1)
    assert not opens(d, 1)  # seat 1's


# 2. Variety: an area of each of the five types.


def test_variety_needs_all_five_types() -> None:
    d = empty()
    for value, (space, landscape) in enumerate([(20, LAVA), (22, DESERT), (24, ICE), (26, SWAMP)], start=1):
        put(d, space, landscape, 1, (0, value))
    assert not opens(d, 2)  # four types
    put(d, 28, FOREST, 1, (0, 5))
    assert opens(d, 2)  # all five, one space each
    put(d, 0, FOREST, 1, (0, 6))
    assert opens(d, 2)  # "You may also own more areas."


def test_variety_needs_the_fifth_type_owned() -> None:
    d = empty()
    for value, (space, landscape) in enumerate([(20, LAVA), (22, DESERT), (24, ICE), (26, SWAMP)], start=1):
        put(d, space, landscape, 1, (0, value))
    put(d, 28, FOREST)
    assert not opens(d, 2)  # the forest is nobody's
    put_marker(d, 28, 1, 6)
    assert not opens(d, 2)  # the forest is seat 1's
    put(d, 0, SWAMP, 1, (0, 5))
    assert not opens(d, 2)  # five areas, but two of them swamp


# 3. High plateau: an area with at least three spaces at one same height of at least 2.


def plateau(*heights: int) -> Description:
    """A forest of seat 0 from space 20 eastwards."""
    d = empty()
    for k, height in enumerate(heights):
        put(d, 20 + k, FOREST, height)
    put_marker(d, 20, 0, 1)
    return d


def test_high_plateau_three_spaces_at_height_two() -> None:
    assert opens(plateau(2, 2, 2), 3)
    assert not opens(plateau(2, 2), 3)  # two spaces
    assert not opens(plateau(1, 1, 1), 3)  # the minimum height is 2
    assert opens(plateau(3, 3, 3), 3)
    assert opens(plateau(1, 1, 4, 4, 4, 4), 3)  # "may contain spaces at height 1"; four are more than three


def test_high_plateau_all_three_at_the_same_height() -> None:
    assert not opens(plateau(2, 2, 3), 3)
    assert not opens(plateau(2, 3, 4), 3)
    assert not opens(plateau(2, 3, 2, 3), 3)  # two and two
    assert opens(plateau(2, 3, 2, 3, 2), 3)  # three at height 2, two at height 3


def test_high_plateau_spaces_need_not_touch() -> None:
    assert opens(plateau(2, 1, 2, 1, 2), 3)
    assert opens(plateau(1, 2, 2, 1, 1, 3, 2), 3)


def test_high_plateau_within_one_owned_area() -> None:
    d = plateau(2, 2)
    put(d, 23, FOREST, 2, (0, 2))  # 22 is water: two areas
    assert not opens(d, 3)
    put(d, 22, LAVA, 2, (0, 3))  # lava joins nothing
    assert not opens(d, 3)
    d = empty()
    put_all(d, [20, 21, 22], FOREST, 2)
    put_marker(d, 20, 1, 1)  # seat 1's
    assert not opens(d, 3)


# 4. Far from the coast: an area of which no space touches water.


def test_far_from_the_coast_all_neighbours_covered() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put_all(d, [25, 14, 13, 23, 33], LAVA)
    assert not opens(d, 4)  # 34, the sixth neighbour of 24, is water
    put(d, 34, SWAMP)
    assert opens(d, 4)
    put(d, 34, FOREST)
    assert not opens(d, 4)  # now 34 belongs to the area and touches water (35)


def test_far_from_the_coast_height_does_not_matter() -> None:
    d = empty()
    put(d, 24, FOREST, 7, (0, 1))
    put_all(d, [25, 14, 13, 23, 33], LAVA)
    assert not opens(d, 4)  # "The height of the space does not matter."


def test_far_from_the_coast_the_edge_is_not_water() -> None:
    d = empty()
    put(d, 0, FOREST, 1, (0, 1))
    put_all(d, [1, 5], LAVA)
    assert not opens(d, 4)  # 6 is water
    put(d, 6, LAVA)
    assert opens(d, 4)  # all three neighbours on the board are covered; the rest is the edge


def test_far_from_the_coast_gaps_are_not_water() -> None:
    d = empty(picture=GAPPED)
    put(d, 19, FOREST, 1, (0, 1))  # E and SE of it are gaps
    put_all(d, [18, 9, 10], LAVA)
    assert not opens(d, 4)  # 26 is water
    put(d, 26, LAVA)
    assert opens(d, 4)


def test_far_from_the_coast_one_owned_area_is_enough() -> None:
    d = empty()
    put(d, 24, FOREST)
    put_all(d, [25, 14, 13, 23, 33, 34], LAVA)
    assert not opens(d, 4)  # the inner forest is nobody's
    put_marker(d, 25, 0, 1)
    assert not opens(d, 4)  # the ring is mine, and touches water
    put_marker(d, 24, 1, 6)
    assert not opens(d, 4)  # the inner forest is seat 1's
    d["spaces"][24]["marker"] = {"seat": 0, "value": 2}
    assert opens(d, 4)  # the ring touches water, the forest does not


# 5. Cliff: a space of height 3 or more that touches water itself.


def test_cliff_height_three_at_the_water() -> None:
    d = empty()
    put(d, 24, FOREST, 2, (0, 1))
    assert not opens(d, 5)
    put(d, 24, FOREST, 3, (0, 1))
    assert opens(d, 5)
    put(d, 24, FOREST, 4, (0, 1))
    assert opens(d, 5)
    put(d, 24, FOREST, 4, (1, 1))
    assert not opens(d, 5)  # seat 1's


def test_cliff_the_high_space_itself_touches_water() -> None:
    d = empty()
    put(d, 24, FOREST, 3)
    put(d, 25, FOREST, 1, (0, 1))  # at the water, but low
    put_all(d, [14, 13, 23, 33, 34], LAVA)
    assert not opens(d, 5)  # 24 is high, but its six neighbours are covered
    put(d, 25, FOREST, 3, (0, 1))
    assert opens(d, 5)


def test_cliff_the_marker_may_stand_elsewhere_in_the_area() -> None:
    d = empty()
    put(d, 24, FOREST, 3)
    put(d, 25, FOREST, 1, (0, 1))
    assert opens(d, 5)  # 24 touches water and belongs to my area


def test_cliff_edge_and_gaps_are_not_water() -> None:
    d = empty()
    put(d, 0, FOREST, 3, (0, 1))
    put_all(d, [1, 5, 6], LAVA)
    assert not opens(d, 5)
    d = empty(picture=GAPPED)
    put(d, 19, FOREST, 3, (0, 1))
    put_all(d, [18, 9, 10, 26], LAVA)
    assert not opens(d, 5)


# 6. In the centre: an area that borders at least four areas.


def test_in_the_centre_four_bordering_areas() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put(d, 13, LAVA)
    put(d, 14, DESERT)
    put(d, 25, ICE)
    assert not opens(d, 6)  # three
    put(d, 34, SWAMP)
    assert opens(d, 6)  # four
    put(d, 33, LAVA)
    assert opens(d, 6)  # five


def test_in_the_centre_types_may_repeat_and_owners_do_not_matter() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put(d, 13, LAVA, 1, (1, 1))
    put(d, 25, LAVA, 1, (0, 2))
    put(d, 33, LAVA)
    assert not opens(d, 6)  # 13, 25 and 33 do not touch each other: three areas
    put(d, 34, DESERT)
    assert opens(d, 6)


def test_in_the_centre_an_area_counts_once() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put_all(d, [13, 23, 33], LAVA)  # one area along three sides
    put(d, 14, DESERT)
    put(d, 25, ICE)
    assert not opens(d, 6)
    put(d, 34, SWAMP)
    assert opens(d, 6)


def test_in_the_centre_an_area_counts_once_even_if_it_meets_itself_elsewhere() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put_all(d, [13, 6, 7, 15, 25], LAVA)  # 13 and 25 are joined outside, by 6-7-15
    put(d, 14, DESERT)
    put(d, 34, ICE)
    assert not opens(d, 6)  # lava, desert, ice
    put(d, 33, SWAMP)
    assert opens(d, 6)


def test_in_the_centre_is_about_one_own_area() -> None:
    d = empty()
    put(d, 21, FOREST, 1, (0, 1))
    put_all(d, [20, 22], LAVA)  # two areas at the forest 21
    put(d, 27, FOREST, 1, (0, 2))
    put_all(d, [26, 28], LAVA)  # two areas at the forest 27
    assert not opens(d, 6)
    d = empty()
    put(d, 24, FOREST, 1, (1, 1))  # seat 1's
    for space, landscape in [(13, LAVA), (14, DESERT), (25, ICE), (34, SWAMP)]:
        put(d, space, landscape)
    put_marker(d, 13, 0, 1)  # my lava borders the forest and the desert
    assert not opens(d, 6)


# 7. Deep valley: two adjacent spaces of one area with a height difference of at least 3.


def test_deep_valley_difference_of_three() -> None:
    assert opens(plateau(4, 1), 7)
    assert not opens(plateau(3, 1), 7)
    assert opens(plateau(4, 7), 7)  # "or at least height 7"
    assert not opens(plateau(4, 6), 7)
    assert opens(plateau(1, 1, 2, 6, 5), 7)  # 2 and 6


def test_deep_valley_the_two_spaces_touch() -> None:
    assert not opens(plateau(4, 2, 1), 7)  # 4 and 1 are not adjacent
    d = plateau(4, 2, 1)
    put(d, 30, FOREST, 1)  # 30 touches 20 (height 4)
    assert opens(d, 7)


def test_deep_valley_lies_within_one_own_area() -> None:
    d = empty()
    put(d, 24, FOREST, 4, (0, 1))
    put(d, 25, LAVA, 1, (0, 2))
    assert not opens(d, 7)  # two areas
    put(d, 24, FOREST, 3, (0, 1))
    put(d, 25, FOREST, 1)
    assert not opens(d, 7)  # difference 2; the water around lies 3 lower, but belongs to no area
    put(d, 24, FOREST, 4, (1, 1))
    assert not opens(d, 7)  # seat 1's


# 8. Terraced landscape: an area with at least three different heights.


def test_terraced_landscape_three_heights() -> None:
    assert opens(plateau(1, 2, 3), 8)
    assert not opens(plateau(1, 2, 2), 8)
    assert not opens(plateau(1, 2, 1, 2, 1), 8)
    assert opens(plateau(1, 3, 5), 8)  # "may also have larger height differences"
    assert opens(plateau(2, 2, 4, 4, 1, 7), 8)


def test_terraced_landscape_in_one_owned_area() -> None:
    d = plateau(1, 2)
    put(d, 23, FOREST, 3, (0, 2))  # another area of mine
    assert not opens(d, 8)
    d = empty()
    for height, space in enumerate([20, 21, 22], start=1):
        put(d, space, FOREST, height)
    assert not opens(d, 8)  # nobody's
    put_marker(d, 20, 1, 1)
    assert not opens(d, 8)  # seat 1's


# 9. Mountain animals: an area with own markers at three different heights at least.


def animals(*heights: int) -> Description:
    """A forest from space 20 eastwards, with a marker of seat 0 on every space."""
    d = empty()
    for k, height in enumerate(heights):
        put(d, 20 + k, FOREST, height, (0, k + 1))
    return d


def test_mountain_animals_three_markers_at_three_heights() -> None:
    assert opens(animals(1, 2, 3), 9)
    assert not opens(animals(1, 2, 2), 9)
    assert not opens(animals(1, 2, 1, 2), 9)
    assert opens(animals(2, 4, 5), 9)  # "do not have to be consecutive"
    assert opens(animals(1, 1, 2, 3), 9)  # four markers, three heights


def test_mountain_animals_counts_markers_not_spaces() -> None:
    d = animals(1, 2)
    put(d, 22, FOREST, 3)
    assert not opens(d, 9)  # a third height without a marker
    put_marker(d, 22, 0, 3)
    assert opens(d, 9)


def test_mountain_animals_in_one_own_area() -> None:
    d = animals(1, 2)
    put(d, 23, FOREST, 3, (0, 3))  # a second area
    assert not opens(d, 9)
    put(d, 22, FOREST, 1)  # joined
    assert opens(d, 9)
    d = empty()
    for k in range(3):
        put(d, 20 + k, FOREST, k + 1, (1, k + 1))
    assert not opens(d, 9)  # seat 1's


# 10. Archipelago: at least four areas.


def test_archipelago_four_areas() -> None:
    d = empty()
    for value, space in enumerate([20, 22, 24], start=1):
        put(d, space, FOREST, 1, (0, value))
    assert not opens(d, 10)  # three
    put(d, 26, FOREST)
    assert not opens(d, 10)  # the fourth is nobody's
    put_marker(d, 26, 1, 1)
    assert not opens(d, 10)  # the fourth is seat 1's
    put(d, 28, FOREST, 1, (0, 4))
    assert opens(d, 10)  # four of one type, one space each


def test_archipelago_counts_areas_not_markers() -> None:
    d = empty()
    for value, space in enumerate([20, 22, 24, 25], start=1):
        put(d, space, FOREST, 1, (0, value))
    assert not opens(d, 10)  # 24 and 25 are one area
    put(d, 25, LAVA, 1, (0, 4))
    assert opens(d, 10)  # neighbours of different types are two
    put(d, 28, LAVA, 1, (0, 5))
    assert opens(d, 10)  # five


# 11. Monoculture: an area that borders at least two areas of one same type.


def test_monoculture_two_bordering_areas_of_a_type() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    assert not opens(d, 11)  # none
    put(d, 13, LAVA)
    assert not opens(d, 11)  # one
    put(d, 25, DESERT)
    assert not opens(d, 11)  # two of different types
    put(d, 25, LAVA)
    assert opens(d, 11)  # 13 and 25 do not touch
    put(d, 34, DESERT)
    assert opens(d, 11)  # an area of a third type does no harm
    put(d, 14, LAVA)
    assert not opens(d, 11)  # 14 joins them


def test_monoculture_areas_joined_elsewhere_are_one() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put_all(d, [13, 6, 7, 15, 25], LAVA)
    assert not opens(d, 11)
    put(d, 7, ICE)
    assert opens(d, 11)  # the ring is cut


def test_monoculture_owners_do_not_matter() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put(d, 13, LAVA, 1, (1, 1))
    put(d, 25, LAVA, 1, (0, 2))
    assert opens(d, 11)
    d["spaces"][24]["marker"] = None
    assert not opens(d, 11)  # the forest is nobody's; my lava 25 borders only that


def test_monoculture_is_about_one_own_area() -> None:
    d = empty()
    put(d, 20, FOREST, 1, (0, 1))
    put(d, 21, LAVA)
    put(d, 24, FOREST, 1, (0, 2))
    put(d, 25, LAVA)
    assert not opens(d, 11)  # each of my forests borders one lava area
    put(d, 22, FOREST)
    put(d, 23, FOREST)
    assert opens(d, 11)  # now 22-23-24 borders the lava at 21 and at 25


# 12. Twin areas: two areas of the same size, at least 3.


def test_twin_areas_of_three_spaces() -> None:
    d = empty()
    put_all(d, [20, 21], FOREST)
    put_all(d, [25, 35], LAVA)
    put_marker(d, 20, 0, 1)
    put_marker(d, 25, 0, 2)
    assert not opens(d, 12)  # 2 and 2
    put(d, 22, FOREST)
    assert not opens(d, 12)  # 3 and 2
    put(d, 26, LAVA)
    assert opens(d, 12)  # 3 and 3, of other type and shape
    put(d, 36, LAVA)
    assert not opens(d, 12)  # 3 and 4
    put(d, 23, FOREST)
    assert opens(d, 12)  # 4 and 4


def test_twin_areas_of_one_type_and_with_a_third_area() -> None:
    d = empty()
    put_all(d, [20, 21, 22], FOREST)
    put_all(d, [25, 26, 27], FOREST)
    put_marker(d, 20, 0, 1)
    put_marker(d, 25, 1, 2)
    assert not opens(d, 12)  # the second is seat 1's
    d["spaces"][25]["marker"] = {"seat": 0, "value": 2}
    assert opens(d, 12)
    put_all(d, [40, 41, 42, 43], ICE)
    put_marker(d, 43, 0, 3)
    assert opens(d, 12)  # 3, 4 and 3


# 13. Mountain peak: a marker at height 4 or more.


def test_mountain_peak_marker_at_height_four() -> None:
    assert not opens(animals(3), 13)
    assert opens(animals(4), 13)
    assert opens(animals(5), 13)
    assert opens(animals(1, 2, 4), 13)  # lower spaces and further markers may be there


def test_mountain_peak_the_marker_itself_is_high() -> None:
    assert not opens(plateau(1, 4), 13)  # the marker is on the space of height 1
    d = plateau(1)
    put(d, 22, FOREST, 4, (1, 1))
    assert not opens(d, 13)  # seat 1's peak


# 14. Distant land: two areas of one type, at least five steps apart over spaces of the board.


def test_distant_land_five_steps() -> None:
    d = empty()
    put(d, 20, FOREST, 1, (0, 1))
    put(d, 24, FOREST, 1, (0, 2))
    assert not opens(d, 14)  # 20-21-22-23-24: four steps, three free spaces
    put(d, 25, FOREST, 1, (0, 3))
    assert not opens(d, 14)  # 24 and 25 are one area
    d["spaces"][24].update(landscape=None, height=0, marker=None)
    assert opens(d, 14)  # 20 and 25: five steps, four free spaces


def test_distant_land_counts_diagonally_too() -> None:
    d = empty()
    put(d, 0, FOREST, 1, (0, 1))
    put(d, 43, FOREST, 1, (0, 2))
    assert opens(d, 14)  # 0 is five rows above 43: 0-5-13-23-33-43, no shorter way over five rows
    put(d, 33, FOREST)
    assert not opens(d, 14)  # the area reaches up to 33: four steps


def test_distant_land_smallest_distance_of_the_areas() -> None:
    d = empty()
    put_all(d, [20, 21], FOREST)
    put(d, 25, FOREST, 1, (0, 2))
    put_marker(d, 20, 0, 1)
    assert not opens(d, 14)  # markers five apart, areas four (21 to 25)
    put(d, 21, LAVA)
    assert opens(d, 14)


def test_distant_land_same_type_both_owned() -> None:
    d = empty()
    put(d, 20, FOREST, 1, (0, 1))
    put(d, 25, LAVA, 1, (0, 2))
    assert not opens(d, 14)  # two types
    put(d, 25, FOREST)
    assert not opens(d, 14)  # nobody's
    put_marker(d, 25, 1, 1)
    assert not opens(d, 14)  # seat 1's
    d = empty()
    put(d, 20, FOREST, 1, (1, 1))
    put(d, 25, FOREST, 1, (0, 1))
    assert not opens(d, 14)  # the other way round


def test_distant_land_whatever_lies_between() -> None:
    d = empty()
    put(d, 20, FOREST, 1, (0, 1))
    put(d, 21, LAVA, 3)
    put(d, 22, FOREST, 2, (0, 3))  # a third area of the same type between the two
    put(d, 23, ICE, 4, (1, 2))
    put(d, 25, FOREST, 1, (0, 2))
    assert opens(d, 14)


def test_distant_land_walks_around_gaps() -> None:
    d = empty(picture=GAPPED)
    put(d, 25, FOREST, 1, (0, 1))
    put(d, 27, FOREST, 1, (0, 2))
    # Straight on it would be four steps, over 26 and two gaps; over spaces it is 25-26-30-31-32-27, five.
    assert opens(d, 14)
    put(d, 25, LAVA, 1)
    put(d, 26, FOREST, 1, (0, 1))
    assert not opens(d, 14)  # 26-30-31-32-27: four


# 15. Large and small: strictly the largest and strictly the smallest area of one type.


def large_and_small(*areas: tuple[int, int | None]) -> Description:
    """Up to four separate forests of given (size, owner): from 20, 40, 26 and 46 eastwards."""
    d = empty()
    values = {0: 0, 1: 0}
    for start, (size, seat) in zip([20, 40, 26, 46], areas, strict=False):
        put_all(d, range(start, start + size), FOREST)
        if seat is not None:
            values[seat] += 1
            put_marker(d, start, seat, values[seat])
    return d


def test_large_and_small_both_mine() -> None:
    assert opens(large_and_small((3, 0), (1, 0), (2, 1)), 15)
    assert opens(large_and_small((2, 0), (1, 0)), 15)  # only two: the larger and the smaller
    assert opens(large_and_small((5, 0), (1, 0), (2, 1), (2, None)), 15)  # a tie in the middle does no harm


def test_large_and_small_two_separate_areas() -> None:
    assert not opens(large_and_small((3, 0)), 15)  # one area alone
    assert not opens(large_and_small((2, 0), (2, 0)), 15)  # equal: a tie at both ends


def test_large_and_small_ties_at_either_end() -> None:
    assert not opens(large_and_small((3, 0), (1, 0), (3, 1)), 15)
    assert not opens(large_and_small((3, 0), (1, 0), (3, None)), 15)
    assert not opens(large_and_small((3, 0), (1, 0), (3, 0)), 15)  # a tie with oneself is a tie
    assert not opens(large_and_small((3, 0), (1, 0), (1, 1)), 15)
    assert not opens(large_and_small((3, 0), (1, 0), (1, None)), 15)
    assert not opens(large_and_small((3, 0), (1, 0), (1, 0)), 15)
    assert opens(large_and_small((3, 0), (1, 0), (2, 0)), 15)


def test_large_and_small_compared_with_everybodys_areas() -> None:
    assert not opens(large_and_small((3, 0), (1, 0), (4, None)), 15)  # the largest is nobody's
    assert not opens(large_and_small((3, 0), (1, 0), (4, 1)), 15)
    assert not opens(large_and_small((3, 0), (2, 0), (1, None)), 15)  # the smallest is nobody's
    assert not opens(large_and_small((3, 1), (1, 0), (2, 0)), 15)


def test_large_and_small_within_one_type() -> None:
    d = large_and_small((3, 0), (2, None))
    put(d, 59, LAVA, 1, (0, 2))
    assert not opens(d, 15)  # largest forest, but the small one is lava
    put(d, 57, FOREST, 1, (0, 3))
    assert opens(d, 15)
    put(d, 0, ICE, 9)  # other types do not count, whatever their size
    put_all(d, [30, 31, 32, 33, 34], SWAMP)
    assert opens(d, 15)


# 16. Rather alone: an area that touches nobody else's area.


def test_rather_alone_no_neighbour_of_another_player() -> None:
    d = empty()
    assert not opens(d, 16)  # no area at all
    put(d, 24, FOREST, 1, (0, 1))
    assert opens(d, 16)  # water around
    put(d, 25, LAVA)
    put(d, 23, ICE, 1, (0, 2))
    put(d, 26, DESERT, 1, (1, 1))  # touches 25, not 24
    assert opens(d, 16)  # nobody's and my own neighbours do no harm
    d["spaces"][23]["marker"] = None
    d["spaces"][25]["marker"] = {"seat": 1, "value": 2}
    assert not opens(d, 16)  # my only area touches seat 1's lava


def test_rather_alone_every_space_of_the_area_counts() -> None:
    d = empty()
    put_all(d, [22, 23, 24], FOREST)
    put_marker(d, 22, 0, 1)
    put(d, 25, LAVA, 1, (1, 1))  # touches the far end
    assert not opens(d, 16)
    put(d, 24, ICE)
    assert opens(d, 16)  # an area of nobody between them
    put(d, 24, LAVA)
    assert not opens(d, 16)  # now seat 1's lava reaches 23


def test_rather_alone_one_area_is_enough() -> None:
    d = empty()
    put(d, 24, FOREST, 1, (0, 1))
    put(d, 25, LAVA, 1, (1, 1))
    assert not opens(d, 16)
    put(d, 20, FOREST, 1, (0, 2))
    assert opens(d, 16)


# 17. Predetermined area: an area of at least three spaces, of a type on the tile that lies on the card.


def predetermined(landscape: int, size: int, seat: int = 0) -> Description:
    """One area from space 20 eastwards."""
    d = empty()
    put_all(d, range(20, 20 + size), landscape)
    put_marker(d, 20, seat, 1)
    return d


def test_predetermined_area_either_type_of_the_shown_tile() -> None:
    for landscape, expected in [(LAVA, True), (DESERT, False), (ICE, False), (SWAMP, False), (FOREST, True)]:
        d = predetermined(landscape, 3)
        with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
        assert opens(d, 17, shown=0) == expected


def test_predetermined_area_three_spaces() -> None:
    for size, expected in [(2, False), (3, True), (4, True)]:
        d = predetermined(FOREST, size)
        with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
        assert opens(d, 17, shown=0) == expected


def test_predetermined_area_the_hidden_tile_does_not_count() -> None:
    d = predetermined(ICE, 3)
    with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
    assert not opens(d, 17, shown=0)
    assert opens(d, 17, shown=1)
    d = predetermined(LAVA, 3)
    with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
    assert not opens(d, 17, shown=1)


def test_predetermined_area_a_double_tile_gives_one_type() -> None:
    for landscape, expected in [(LAVA, False), (DESERT, False), (ICE, False), (SWAMP, True), (FOREST, False)]:
        d = predetermined(landscape, 3)
        with_removed(d, (SWAMP, SWAMP), (LAVA, FOREST))
        assert opens(d, 17, shown=0) == expected


def test_predetermined_area_is_one_own_area() -> None:
    d = predetermined(FOREST, 3, seat=1)
    with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
    assert not opens(d, 17, shown=0)  # seat 1's
    d = predetermined(FOREST, 2)
    with_removed(d, (LAVA, FOREST), (ICE, SWAMP))
    put(d, 22, LAVA, 1, (0, 2))
    put(d, 23, FOREST, 1, (0, 3))
    assert not opens(d, 17, shown=0)  # four spaces of the shown types, in areas of 2, 1 and 1


# 18. Small animals: the markers 1, 2 and 3 in one area.


def small_animals(*values: int, size: int = 6) -> Description:
    """A forest from space 20 eastwards with these markers of seat 0 on it."""
    d = empty()
    put_all(d, range(20, 20 + size), FOREST)
    for k, value in enumerate(values):
        put_marker(d, 20 + k, 0, value)
    return d


def test_small_animals_one_two_and_three() -> None:
    assert opens(small_animals(1, 2, 3), 18)
    assert opens(small_animals(3, 6, 1, 5, 2), 18)  # further markers may be there, in any order
    assert not opens(small_animals(1, 2), 18)
    assert not opens(small_animals(1, 2, 4), 18)
    assert not opens(small_animals(2, 3, 4, 5, 6), 18)


def test_small_animals_in_one_area() -> None:
    d = small_animals(1, 2, size=2)
    put(d, 23, FOREST, 1, (0, 3))
    assert not opens(d, 18)
    put(d, 22, FOREST)
    assert opens(d, 18)  # they need not stand side by side
    d = empty()
    put_all(d, range(20, 23), FOREST)
    for k in range(3):
        put_marker(d, 20 + k, 1, k + 1)
    assert not opens(d, 18)  # seat 1's


# 19. Two levels: two adjacent spaces of two own areas with a height difference of at least 3.


def two_levels(
    height: int, other_height: int, *, landscape: int = LAVA, marker: tuple[int, int] | None = (0, 2)
) -> Description:
    """My forest on 24, and a space next to it."""
    d = empty()
    put(d, 24, FOREST, height, (0, 1))
    put(d, 25, landscape, other_height, marker)
    return d


def test_two_levels_difference_of_three() -> None:
    assert opens(two_levels(4, 1), 19)
    assert not opens(two_levels(3, 1), 19)
    assert opens(two_levels(4, 7), 19)
    assert not opens(two_levels(4, 6), 19)


def test_two_levels_both_areas_mine_and_of_different_types() -> None:
    assert not opens(two_levels(4, 1, marker=None), 19)
    assert not opens(two_levels(4, 1, marker=(1, 2)), 19)
    assert not opens(two_levels(4, 1, landscape=FOREST), 19)  # one area: that is a deep valley
    assert opens(two_levels(4, 1, landscape=FOREST), 7)


def test_two_levels_the_two_spaces_touch() -> None:
    d = two_levels(4, 2)
    put(d, 26, LAVA, 1)
    assert not opens(d, 19)  # 24 (height 4) and 26 (height 1) are not adjacent
    put(d, 34, LAVA, 1)
    assert opens(d, 19)  # 34 touches 24, and belongs to the lava area by 25, without a marker of its own
    d = empty()
    put(d, 24, FOREST, 4, (0, 1))
    put(d, 26, LAVA, 1, (0, 2))
    assert not opens(d, 19)


# 20. Long route: four own markers on one line, whatever lies between.


def route(*spaces: int, picture: str = "", grid: str = "hex") -> Description:
    """Markers of seat 0 on single spaces, of landscapes that make neighbours different areas."""
    d = empty(picture=picture, grid=grid) if picture else empty()
    for k, space in enumerate(spaces):
        put(d, space, [LAVA, DESERT, ICE, SWAMP, FOREST, LAVA][k], k + 1, (0, k + 1))
    return d


def test_long_route_west_east() -> None:
    assert opens(route(20, 21, 25, 29), 20)
    assert opens(route(10, 13, 15, 19), 20)
    assert not opens(route(20, 25, 29), 20)  # three
    assert not opens(route(20, 25, 29, 39), 20)  # three and one in the next row
    assert opens(route(20, 39, 25, 29, 27), 20)


def test_long_route_south_west_to_north_east() -> None:
    assert opens(route(57, 45, 26, 9), 20)  # 57-52-45-35-26-16-9
    assert opens(route(52, 45, 35, 26), 20)
    assert not opens(route(57, 45, 26, 8), 20)  # 8 lies beside the line


def test_long_route_north_west_to_south_east() -> None:
    assert opens(route(3, 22, 43, 57), 20)  # 3-11-22-32-43-51-57
    assert opens(route(11, 22, 32, 43), 20)
    assert not opens(route(3, 22, 43, 58), 20)  # 58 lies beside the line


def test_long_route_is_a_line_of_the_grid() -> None:
    assert not opens(route(0, 13, 33, 51), 20)  # exactly one below the other in every second row: no axis of hexes
    assert not opens(route(13, 24, 34, 44), 20)  # a bent chain of neighbours


def test_long_route_own_markers_only() -> None:
    d = route(20, 22, 29)
    put(d, 25, FOREST, 1, (1, 1))
    assert not opens(d, 20)  # the fourth is seat 1's
    put(d, 27, FOREST, 1, (0, 6))
    assert opens(d, 20)  # markers of others in between do no harm


def test_long_route_in_one_area_too() -> None:
    d = empty()
    put_all(d, range(20, 24), FOREST)
    for k in range(4):
        put_marker(d, 20 + k, 0, k + 1)
    assert opens(d, 20)


def test_long_route_across_gaps() -> None:
    assert opens(route(18, 19, 20, 23, picture=GAPPED), 20)  # a gap lies between 19 and 20
    assert not opens(route(18, 19, 20, picture=GAPPED), 20)
    assert opens(route(24, 26, 27, 29, picture=GAPPED), 20)  # two gaps lie between 26 and 27
    assert not opens(route(18, 19, 20, 27, picture=GAPPED), 20)


def test_long_route_on_squares_along_rows_and_columns() -> None:
    assert opens(route(6, 8, 11, 13, picture=SQUARE, grid="square"), 20)  # the second row
    assert opens(route(0, 7, 23, 54, picture=SQUARE, grid="square"), 20)  # the second column
    assert not opens(route(0, 7, 23, 53, picture=SQUARE, grid="square"), 20)
    assert not opens(route(6, 15, 24, 33, picture=SQUARE, grid="square"), 20)  # a diagonal
    assert not opens(route(13, 20, 27, 34, picture=SQUARE, grid="square"), 20)  # the other diagonal


# On squares the areas have four neighbours a space.


def test_square_spaces_do_not_touch_diagonally() -> None:
    d = empty(picture=SQUARE, grid="square")
    put(d, 24, FOREST, 1, (0, 1))  # E 25, N 16, W 23, S 32
    put_all(d, [25, 16, 23], LAVA)
    assert not opens(d, 4)
    put(d, 32, LAVA)
    assert opens(d, 4)  # the corners 15, 17, 31 and 33 are water, but do not touch it
    assert opens(d, 11)  # 16, 23, 25 and 32 touch each other only at corners: four lava areas
    assert opens(d, 6)

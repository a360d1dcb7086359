"""Isla: the Explore Phase; see test_rules.py for how these tests are made."""

from __future__ import annotations

import pytest

from tests.isla.oracle import Decision
from tests.isla.positions import (
    ANKLE,
    BLISTERS,
    D4,
    D6,
    D8,
    D10,
    D12,
    DIE,
    EAST,
    EXPLORE,
    FRESH,
    HIGHLIGHTS,
    NO_BOOST,
    NOISES,
    NORTH,
    REST,
    RIVER,
    SOUTH,
    TOKEN,
    TOKENS,
    WEST,
    after,
    drawn,
    exploring,
    hold,
    keep,
    legal,
    midgame,
    own,
    player,
    round_of,
    scores,
    stand,
    stepping,
    steps,
    unordered,
    walk,
)

# 4 Explore Phase


def test_only_dice_that_are_not_exhausted() -> None:
    d = midgame()
    player(d, 0, ready=[1, 4])
    exploring(d)
    assert legal(d) == [D6, D12]


def test_the_die_is_exhausted_and_its_value_is_the_movement() -> None:
    for die, decision in enumerate(DIE):
        d = midgame()
        exploring(d, dice=(2, 5, 7, 9, 11))
        d = after(d, decision)
        assert d["players"][0]["ready"] == [other for other in range(5) if other != die]
        assert d["explore"] == {"die": die, "movement": (2, 5, 7, 9, 11)[die]}
        assert d["phase"] == "step"


def test_players_may_choose_the_same_die() -> None:
    d = midgame()
    exploring(d)
    d = after(d, D4, NORTH, NORTH)
    assert (d["current_player"], d["phase"]) == (1, "die")
    assert legal(d) == DIE


def test_explorers_act_in_seat_order_from_the_first_player() -> None:
    d = midgame(4)
    d["first_player"] = 2
    exploring(d, seat=2, dice=(2, 3, 4, 5, 6), plans="seee")
    for seat in (2, 3, 1):
        assert (d["phase"], d["current_player"]) == ("die", seat)
        assert [state["acted"] for state in d["round_state"]] == [
            False,
            False,
            seat in (3, 1),
            seat == 1,
        ]
        d = after(d, D4, NORTH, NORTH)
    assert (d["phase"], d["round"]) == ("plan", 4)


def test_steps_are_orthogonal_and_mark_the_path() -> None:
    d = midgame()
    stepping(d, 4)
    assert unordered(legal(d)) == {NORTH, EAST}
    d = after(d, NORTH)
    assert unordered(legal(d)) == {NORTH, EAST}  # not back
    d = after(d, EAST)
    assert (d["players"][0]["at"], d["explore"]["movement"]) == ([6, 1], 2)
    assert d["players"][0]["explored"] == [[6, 0], [6, 1], [7, 0]]
    assert unordered(legal(d)) == {NORTH, EAST, SOUTH}
    d = midgame()
    stand(d, 0, (4, 2))
    stepping(d, 4)
    assert unordered(legal(d)) == {NORTH, EAST, SOUTH, WEST}


def test_holes_and_the_sea_are_no_spaces() -> None:
    for at, expected in [
        ((3, 2), {NORTH, SOUTH, WEST}),  # the hole (3, 3)
        ((5, 5), {NORTH, EAST, SOUTH}),  # the hole (5, 4)
        ((2, 6), {SOUTH, WEST, NORTH}),  # the sea
        ((7, 1), {NORTH}),
        ((4, 7), {NORTH, SOUTH, WEST}),
    ]:
        d = midgame()
        stand(d, 0, at)
        stepping(d, 2)
        assert unordered(legal(d)) == expected


def test_the_boulder_is_never_entered() -> None:
    d = midgame()
    stand(d, 0, (6, 3))
    stepping(d, 2)
    assert unordered(legal(d)) == {NORTH, SOUTH, WEST}
    d = midgame()  # elsewhere
    player(d, 0, tokens=[*TOKENS[:7], "boulder", *TOKENS[8:10], "fossil"])
    stand(d, 0, (6, 3))
    stepping(d, 2)
    assert unordered(legal(d)) == {NORTH, SOUTH, WEST, EAST}
    assert after(d, EAST)["players"][0]["hand"]["fossil"] == 1


def test_the_full_value_must_be_moved() -> None:
    d = midgame()
    exploring(d, dice=(3, 3, 4, 5, 6))
    d = after(d, D4)
    for movement in (3, 2, 1):
        assert d["explore"]["movement"] == movement
        assert {decision[0] for decision in legal(d)} == {"step"}
        d = after(d, NORTH)
    assert (d["current_player"], d["phase"], d["players"][0]["at"]) == (1, "die", [4, 0])


def test_what_is_left_of_the_movement_when_stuck_is_lost() -> None:
    d = midgame()
    walk(d, 0, "NE")
    stepping(d, 5)
    d = after(d, SOUTH)  # into the dead end (7, 1)
    assert (d["current_player"], d["phase"], d["players"][0]["at"]) == (1, "die", [7, 1])
    assert d["round_state"][0]["acted"]


def test_one_space_is_moved_whatever_the_threats() -> None:
    d = midgame()
    keep(d, 0, ANKLE)
    exploring(d, dice=(4, 3, 5, 5, 6))
    d["round_state"][0]["slow"] = 2
    assert after(d, D4)["explore"]["movement"] == 1  # 4 - 3
    assert after(d, D6)["explore"]["movement"] == 1  # 3 - 3, but at least 1
    assert after(d, D8)["explore"]["movement"] == 2
    d["round_state"][0]["slow"] = 4
    assert after(d, D4)["explore"]["movement"] == 1
    d = after(d, D4, NORTH)
    assert d["current_player"] == 1


def test_items_are_picked_up_on_the_way() -> None:
    """North of the start: a space without anything, an icon, fauna at (4, 0), a space without anything."""
    d = midgame()
    stepping(d, 4)
    d = after(d, NORTH, NORTH)
    assert d["players"][0]["tokens"] == TOKENS
    d = after(d, NORTH)
    assert d["players"][0]["hand"] == {"flora": 0, "fauna": 1, "fossil": 0, "rest": 0}
    assert d["players"][0]["tokens"] == [*TOKENS[:5], None, *TOKENS[6:]]
    assert d["players"][1]["tokens"] == TOKENS
    d = after(d, NORTH)
    assert d["players"][0]["hand"]["fauna"] == 1


@pytest.mark.parametrize(("k", "space"), list(enumerate(HIGHLIGHTS)))
def test_items_of_every_highlight_space(k: int, space: tuple[int, int]) -> None:
    """From a neighbour that is no highlight space; the boulder is put elsewhere."""
    row, column = space
    neighbours = [((row + 1, column), NORTH), ((row, column - 1), EAST), ((row - 1, column), SOUTH)]
    free = [(1, 2), (2, 6), (3, 1), (2, 3), (3, 6), (3, 0), (4, 2), (5, 1), (6, 6), (6, 0), (6, 3)]
    (came, step) = next((at, step) for at, step in neighbours if at in free)
    tokens = list(TOKENS)
    if tokens[k] == "boulder":
        tokens[k], tokens[0] = tokens[0], tokens[k]
    d = midgame()
    player(d, 0, tokens=tokens)
    stand(d, 0, came)
    stepping(d, 1)
    d = after(d, step)
    assert d["players"][0]["at"] == list(space)
    assert d["players"][0]["tokens"][k] is None
    hand = {"flora": 0, "fauna": 0, "fossil": 0, "rest": 0}
    assert d["players"][0]["hand"] == hand | {tokens[k]: 1}


def test_species_tokens_are_gone_once_spent() -> None:
    d = midgame()
    stand(d, 0, (3, 0), [(4, 0)])
    stepping(d, 1)
    d = after(d, NORTH)
    assert d["players"][0]["hand"] == {"flora": 0, "fauna": 0, "fossil": 0, "rest": 0}


@pytest.mark.parametrize(
    ("space", "step", "die"),
    [
        ((1, 2), SOUTH, 1),
        ((1, 5), SOUTH, 3),
        ((2, 0), NORTH, 4),
        ((2, 2), NORTH, 2),
        ((2, 5), NORTH, 0),
        ((4, 4), EAST, 1),
        ((5, 0), NORTH, 1),
        ((5, 5), NORTH, 3),
        ((5, 7), SOUTH, 4),
        ((6, 2), EAST, 0),
        ((7, 4), EAST, 2),
    ],
)
def test_die_icons(space: tuple[int, int], step: Decision, die: int) -> None:
    """Passing through refreshes the die shown on the space, here of an explorer with all dice exhausted."""
    down, right = {NORTH: (1, 0), SOUTH: (-1, 0), EAST: (0, -1)}[step]
    d = midgame()
    stand(d, 0, (space[0] + down, space[1] + right))
    stepping(d, 1)
    player(d, 0, ready=[])
    d = after(d, step)
    assert d["players"][0]["at"] == list(space)
    assert d["players"][0]["ready"] == [die]


def test_an_icon_is_triggered_at_once_while_moving() -> None:
    d = midgame()
    stepping(d, 3, die=1)
    d = after(d, NORTH, NORTH)
    assert (d["phase"], d["explore"]["movement"], d["players"][0]["ready"]) == ("step", 1, [0, 1, 2, 3, 4])


def test_a_die_may_be_exhausted_and_refreshed_in_one_round() -> None:
    d = midgame()
    exploring(d, dice=(2, 2, 4, 5, 6))
    d = after(d, D6)
    assert d["players"][0]["ready"] == [0, 2, 3, 4]
    d = after(d, NORTH, NORTH)
    assert d["players"][0]["ready"] == [0, 1, 2, 3, 4]
    assert d["current_player"] == 1  # one die an exploration


def test_the_icon_of_a_ready_die_is_wasted() -> None:
    d = midgame()
    stepping(d, 2, die=0)
    d = after(d, NORTH, NORTH)
    assert d["players"][0]["ready"] == [1, 2, 3, 4]


def test_icons_fire_on_entry_only() -> None:
    """Ruling 14: starting on the icon of D6 refreshes nothing."""
    d = midgame()
    stand(d, 0, (5, 0))
    player(d, 0, ready=[0, 2, 3, 4])
    exploring(d)
    d = after(d, D4, SOUTH, EAST)
    assert d["players"][0]["ready"] == [2, 3, 4]


def test_a_refreshed_die_may_be_used_again_in_a_later_round() -> None:
    d = midgame()
    exploring(d, dice=(2, 2, 4, 5, 6))
    d = after(d, D6, NORTH, NORTH, D4, NORTH, NORTH)
    d = round_of(d, REST, EXPLORE)
    assert (d["round"], d["current_player"]) == (4, 0)
    assert D6 in legal(d)


# Explore: research cards for movement


def test_a_research_card_may_be_added_to_the_movement() -> None:
    """Cards of 7 and 1 points."""
    d = midgame()
    own(d, 0, 31, 0)
    exploring(d, dice=(2, 3, 4, 5, 6))
    d = after(d, D6)
    assert (d["phase"], d["explore"]) == ("boost", {"die": 1, "movement": 0})
    assert unordered(legal(d)) == {("boost", 0), ("boost", 6), NO_BOOST}
    boosted = after(d, ("boost", 6))
    assert (boosted["phase"], boosted["explore"]["movement"]) == ("step", 10)
    assert (boosted["players"][0]["cards"], boosted["players"][0]["boosted"]) == ([0], 31)
    assert 31 not in boosted["discards"]
    assert scores(boosted)[0] == FRESH - 1 + 1  # D6 is exhausted; one point is left
    boosted = after(d, ("boost", 0))
    assert (boosted["explore"]["movement"], boosted["players"][0]["cards"]) == (4, [31])
    plain = after(d, NO_BOOST)
    assert (plain["explore"]["movement"], plain["players"][0]["cards"]) == (3, [31, 0])
    assert plain["players"][0]["boosted"] is None


def test_of_equal_points_the_card_bought_first() -> None:
    d = midgame()
    own(d, 0, 5, 8, 4, 0)  # 1, 2, 1 and 1 points
    exploring(d)
    d = after(d, D4)
    assert unordered(legal(d)) == {("boost", 0), ("boost", 1), NO_BOOST}
    d = after(d, ("boost", 0))
    assert (d["players"][0]["cards"], d["players"][0]["boosted"]) == ([8, 4, 0], 5)


def test_boost_is_asked_of_owners_only() -> None:
    d = midgame()
    own(d, 1, 31)
    exploring(d)
    assert after(d, D4)["phase"] == "step"


def test_the_boosts_of_all_points() -> None:
    """The distinct points of the component file are 1 to 10; boost(k) is k + 1 points."""
    for points, card in enumerate((4, 8, 11, 14, 22, 25, 31, 32, 33, 37), start=1):
        d = midgame()
        own(d, 0, card)
        exploring(d, dice=(2, 3, 4, 5, 6))
        d = after(d, D4)
        assert unordered(legal(d)) == {("boost", points - 1), NO_BOOST}
        assert after(d, ("boost", points - 1))["explore"]["movement"] == 2 + points


def test_slows_count_against_die_and_boost_together() -> None:
    d = midgame()
    own(d, 0, 0, 31)
    keep(d, 0, ANKLE)
    exploring(d, dice=(2, 3, 4, 5, 6))
    d["round_state"][0]["slow"] = 4
    d = after(d, D4)
    assert after(d, ("boost", 0))["explore"]["movement"] == 1  # 2 + 1 - 5
    assert after(d, ("boost", 6))["explore"]["movement"] == 4  # 2 + 7 - 5


def test_a_boosted_card_is_discarded_at_the_end_of_the_phase() -> None:
    d = midgame()
    own(d, 0, 31)
    exploring(d)
    d = after(d, D4, ("boost", 6), *steps("NNNNNEEEE"))
    assert (d["current_player"], d["players"][0]["boosted"], d["discards"]) == (1, 31, [])
    d = after(d, D4, NORTH, NORTH)
    assert (d["phase"], d["players"][0]["boosted"]) == ("plan", None)
    assert d["discards"] == [3, 31]  # and 3 by Prepare


# Explore: the rest token, and threats that take the dice


def test_rest_token_at_every_decision_of_an_exploration() -> None:
    d = midgame()
    hold(d, 0, rest=1)
    own(d, 0, 0)
    exploring(d)
    assert TOKEN not in legal(d)  # all dice are ready
    player(d, 0, ready=[1, 2, 3, 4])
    exploring(d)
    assert unordered(legal(d)) == {TOKEN, D6, D8, D10, D12}
    used = after(d, TOKEN)
    assert (used["phase"], used["players"][0]["ready"]) == ("die", [0, 1, 2, 3, 4])
    assert legal(used) == DIE
    d = after(d, D8)
    assert unordered(legal(d)) == {TOKEN, ("boost", 0), NO_BOOST}
    used = after(d, TOKEN)
    assert (used["phase"], used["players"][0]["ready"]) == ("boost", [0, 1, 3, 4])
    assert unordered(legal(used)) == {("boost", 0), NO_BOOST}
    d = after(d, NO_BOOST, NORTH)
    assert unordered(legal(d)) == {TOKEN, NORTH, EAST}
    used = after(d, TOKEN)
    assert (used["phase"], used["explore"]["movement"], used["players"][0]["ready"]) == ("step", 3, [0, 1, 3, 4])


def test_rest_token_may_refresh_the_die_just_used() -> None:
    d = midgame()
    hold(d, 0, rest=1)
    exploring(d)
    d = after(d, D4, TOKEN)
    assert (d["players"][0]["ready"], d["explore"]) == ([0, 1, 2, 3, 4], {"die": 0, "movement": 2})


def test_rest_token_may_be_used_as_soon_as_it_is_picked_up() -> None:
    d = midgame()
    stand(d, 0, (3, 6))
    stepping(d, 2)
    d = after(d, EAST)
    assert d["players"][0]["hand"]["rest"] == 1
    assert unordered(legal(d)) == {SOUTH, TOKEN}
    d = midgame()  # but not after the last step
    stand(d, 0, (3, 6))
    stepping(d, 1)
    d = after(d, EAST)
    assert (d["players"][0]["hand"]["rest"], d["current_player"]) == (1, 1)


def test_only_the_own_decisions_allow_the_rest_token() -> None:
    d = midgame()
    hold(d, 1, rest=1)
    player(d, 1, ready=[0])
    player(d, 0, ready=[0])
    assert TOKEN not in legal(d)
    exploring(d)
    assert TOKEN not in legal(d)


def test_an_exploration_without_a_die_is_lost() -> None:
    """Ruling 4: the night noises take the last die."""
    d = midgame()
    player(d, 0, ready=[4])
    d = drawn(d, NOISES)
    assert (d["phase"], d["current_player"]) == ("die", 1)
    assert (d["round_state"][0]["acted"], d["players"][0]["ready"]) == (True, [])
    assert d["players"][0]["status"] == "active"
    d = midgame()  # the swollen river bans it
    player(d, 0, ready=[4])
    player(d, 1, ready=[4])
    d = drawn(d, RIVER)
    assert (d["phase"], d["round"], d["current_player"]) == ("plan", 4, 1)
    assert [entry["ready"] for entry in d["players"]] == [[4], [4]]


def test_a_rest_token_that_gives_a_die_must_be_used() -> None:
    d = midgame()
    player(d, 0, ready=[4])
    hold(d, 0, rest=1)
    d = drawn(d, NOISES)
    assert (d["phase"], d["current_player"]) == ("die", 0)
    assert legal(d) == [TOKEN]
    d = after(d, TOKEN)
    assert legal(d) == [D4]
    d = midgame()
    player(d, 0, ready=[4])
    hold(d, 0, rest=1)
    d = drawn(d, RIVER)
    assert legal(d) == [TOKEN]
    d = after(d, TOKEN)
    assert (d["players"][0]["ready"], legal(d)) == ([0, 4], [D4])


def test_a_rest_token_that_gives_no_die_is_kept() -> None:
    """The left-most exhausted die, D4, is banned by the blistered hands, D12 by the river."""
    d = midgame()
    player(d, 0, ready=[4])
    keep(d, 0, BLISTERS)
    hold(d, 0, rest=1)
    d = drawn(d, RIVER)
    assert (d["phase"], d["current_player"]) == ("die", 1)
    assert (d["players"][0]["hand"]["rest"], d["players"][0]["ready"]) == (1, [4])
    d = midgame()  # the left-most exhausted die, D8, is banned by the compass
    player(d, 0, ready=[0, 2, 3, 4])
    keep(d, 0, BLISTERS)
    hold(d, 0, rest=1)
    exploring(d, seat=1)
    d["first_player"] = 1
    exploring(d, seat=1)
    d["round_state"][0]["banned"] = [1, 2, 3, 4]
    d = after(d, D4, NORTH, NORTH)
    assert (d["phase"], d["round"], d["players"][0]["hand"]["rest"]) == ("plan", 4, 1)

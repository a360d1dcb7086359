"""Isla: the Research Phase and preparing the next round; see test_rules.py for how these tests are made."""

from __future__ import annotations

import pytest

from tests.isla.oracle import Description
from tests.isla.positions import (
    D4,
    EXPLORE,
    GULLS,
    NORTH,
    PLAYERS,
    RESEARCH,
    REST,
    WIND,
    after,
    drawn,
    hold,
    legal,
    midgame,
    own,
    plan_of,
    player,
    researching,
    round_of,
    show,
    stack,
    stack_only,
    stepping,
)

# 5 Research Phase


def test_research_pays_the_card_and_refills_the_pool() -> None:
    d = midgame()
    show(d, 3, 26, 15, 0)  # fauna; two flora and one fauna; flora and fauna; flora
    hold(d, 0, flora=3, fauna=1)
    researching(d, 0)
    plan_of(d, 1, "rest")
    assert legal(d) == [("research", slot) for slot in range(4)]
    plan_of(d, 1, "research")
    hold(d, 1, flora=1)
    d = after(d, ("research", 1))
    assert d["players"][0]["cards"] == [26]
    assert d["players"][0]["hand"] == {"flora": 1, "fauna": 0, "fossil": 0, "rest": 0}
    assert d["pool"] == [4, 3, 15, 0]
    assert d["discards"] == []  # neither the card nor its price
    assert (d["phase"], d["current_player"]) == ("research", 1)


@pytest.mark.parametrize("slot", range(4))
def test_pool_shifts_away_from_the_deck(slot: int) -> None:
    d = midgame()
    hold(d, 0, flora=1, fauna=1)
    hold(d, 1, flora=1)
    researching(d, 0, 1)
    d = after(d, ("research", slot))
    assert d["pool"] == [[4, 1, 2, 3], [4, 0, 2, 3], [4, 0, 1, 3], [4, 0, 1, 2]][slot]
    assert d["players"][0]["cards"] == [slot]


def test_only_affordable_cards() -> None:
    d = midgame()
    show(d, 3, 26, 15, 0)
    hold(d, 0, flora=2)
    researching(d, 0)
    assert legal(d) == [("research", 3)]


def test_researchers_in_player_order() -> None:
    d = midgame(4)
    for seat in (0, 1, 3):
        hold(d, seat, flora=2)
    researching(d, 3, 0, 1, first=3)
    d = after(d, ("research", 0))
    assert d["current_player"] == 0
    d = after(d, ("research", 1))
    assert d["current_player"] == 1
    d = after(d, ("research", 2))
    assert (d["phase"], d["round"], d["first_player"], d["current_player"]) == ("plan", 4, 0, 0)


def test_a_research_is_lost_when_nothing_is_affordable_any_more() -> None:
    """Seat 1 has one fauna token. Seat 0 buys the only card for it; 6, a fossil, is drawn."""
    d = midgame()
    stack(d, 6)
    hold(d, 0, fauna=1)
    hold(d, 1, fauna=1)
    researching(d, 0, 1)
    d = after(d, ("research", 3))
    assert (d["phase"], d["round"]) == ("plan", 4)
    assert (d["players"][1]["cards"], d["players"][1]["hand"]["fauna"]) == ([], 1)


def test_a_card_drawn_meanwhile_must_be_bought() -> None:
    d = midgame()
    stack(d, 4)  # one fauna
    hold(d, 0, fauna=1)
    hold(d, 1, fauna=1, rest=1)
    player(d, 1, ready=[0])
    researching(d, 0, 1)
    d = after(d, ("research", 3))
    assert legal(d) == [("research", 0)]  # nor may the rest token be used


def test_a_research_is_lost_to_a_threat() -> None:
    """The wind brings the cards 4 to 7, for fauna and fossils; the gulls take the token."""
    d = midgame()
    hold(d, 1, flora=1)
    d = drawn(d, WIND, (REST, RESEARCH))
    assert (d["phase"], d["round"], d["players"][1]["cards"]) == ("plan", 4, [])
    d = midgame()
    hold(d, 0, flora=1)
    d = drawn(d, GULLS, (RESEARCH, REST))
    assert (d["phase"], d["round"], d["players"][0]["cards"]) == ("plan", 4, [])
    d = midgame()  # another token will do
    hold(d, 0, flora=1, fauna=1)
    d = drawn(d, GULLS, (RESEARCH, REST))
    assert legal(d) == [("research", 3)]


def test_research_comes_after_exploring() -> None:
    d = midgame()
    hold(d, 0, flora=1)
    d = round_of(d, RESEARCH, EXPLORE, roll={0: 2})
    assert (d["phase"], d["current_player"]) == ("die", 1)
    d = after(d, D4, NORTH, NORTH)
    assert (d["phase"], d["current_player"], d["before"], d["explore"]) == ("research", 0, None, None)


def test_an_empty_research_deck_is_reshuffled_when_a_card_is_needed() -> None:
    d = midgame()
    own(d, 1, 20, 21)
    stack_only(d, 10)
    hold(d, 0, flora=1)
    hold(d, 1, flora=1)
    researching(d, 0, 1)
    pool = list(d["pool"])
    d = after(d, ("research", 1))
    assert d["pool"] == [10, pool[0], *pool[2:]]
    assert (d["deck"], len(d["discards"])) == ([], 38 - 2 - 1 - 4)
    d = after(d, ("research", 1))  # now; the discards are 31, one is drawn, and Prepare draws another
    assert len(d["deck"]) == 29
    assert d["discards"] == [3]
    owned = [20, 21, pool[1], pool[0]]
    assert sorted([*d["pool"], *d["deck"], *d["discards"], *owned]) == list(range(38))


def crowd(d: Description) -> None:
    """Four players own all 34 cards that are not in the pool."""
    for seat in range(4):
        own(d, seat, *range(4, 38)[seat::4])
    assert d["pool"] == [0, 1, 2, 3] and d["deck"] == [] and d["discards"] == []


def test_without_any_card_a_slot_stays_empty() -> None:
    d = midgame(4)
    crowd(d)
    hold(d, 2, flora=1)
    hold(d, 3, flora=1)
    researching(d, 2, 3)
    d = after(d, ("research", 2))
    assert d["pool"] == [None, 0, 1, 3]
    assert legal(d) == [("research", 1), ("research", 2)]
    d = after(d, ("research", 1))  # [None, None, 1, 3]; Prepare discards 3, reshuffles it and draws it
    assert (d["pool"], d["deck"], d["discards"]) == ([3, None, None, 1], [], [])


# 6 Prepare for Next Round


def test_prepare_for_next_round() -> None:
    d = midgame(3)
    d["first_player"] = 1
    stepping(d, 1, seat=0, plans="eee")  # the last one in order
    d = after(d, NORTH)
    assert (d["phase"], d["round"], d["first_player"], d["current_player"]) == ("plan", 4, 2, 2)
    assert (d["pool"], d["discards"], d["deck"][0]) == ([4, 0, 1, 2], [3], 5)
    assert d["dice"] == [2, 3, 4, 5, 6]
    assert d["round_state"] == [{"plan": None, "acted": False, "banned": [], "slow": 0}] * 3
    assert (d["before"], d["explore"]) == (None, None)


def test_prepare_also_when_nobody_researched_or_explored() -> None:
    d = round_of(midgame(), REST, REST)
    assert (d["pool"], d["discards"], d["round"], d["first_player"]) == ([4, 0, 1, 2], [3], 4, 1)


def test_prepare_after_a_purchase_shifts_once_more() -> None:
    d = midgame()
    hold(d, 0, flora=1)
    researching(d, 0)
    plan_of(d, 1, "rest")
    d = after(d, ("research", 0))
    assert (d["pool"], d["discards"]) == ([5, 4, 1, 2], [3])


def test_prepare_with_an_empty_farthest_slot_discards_nothing() -> None:
    """Reachable with a deck of few cards: a hole moves like a card."""
    d = midgame(4)
    crowd(d)
    d["players"][2]["cards"].append(3)
    d["pool"] = [0, 1, 2, None]
    d = round_of(d, REST, REST, REST, REST)
    assert (d["pool"], d["deck"], d["discards"]) == ([None, 0, 1, 2], [], [])


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_first_player_card_goes_round(num_players: int) -> None:
    d = midgame(num_players)
    for k in range(num_players + 1):
        assert (d["first_player"], d["round"]) == (k % num_players, 3 + k)
        d = round_of(d, *[REST] * num_players)
        for entry in d["players"]:
            entry["rested"] = False

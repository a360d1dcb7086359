"""Isla alone: keepers, endings, rewards and bands; see test_rules.py for how these tests are made."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.isla.oracle import Decision, Description
from tests.isla.positions import (
    D4,
    D12,
    DIE,
    EAST,
    EXIT,
    EXPLORE,
    HIGHLIGHTS,
    KEEP,
    KEEPERS,
    LEAF,
    LEAVE,
    NORTH,
    RESEARCH,
    REST,
    SOUTH,
    START,
    STONE,
    SUN,
    TOKENS,
    WAVE,
    after,
    batch_of,
    beginning,
    exploring,
    finish,
    game_of,
    hold,
    legal,
    midgame,
    over,
    own,
    player,
    ranks,
    researching,
    rewarded,
    round_of,
    rules,
    scores,
    show,
    stack,
    stack_only,
    stand,
    stepping,
    unordered,
    walk,
    with_roll,
)

# Solo mode


def solo(keeper: str = "The Drowsing Hill", card: int = LEAF, movement: int = 1, die: int = 0) -> Description:
    """The explorer is about to step, the keeper phase will draw a card."""
    d = midgame(1, keeper)
    stack(d, card)
    stepping(d, movement, die=die)
    return d


def test_solo_round() -> None:
    """Explore, keeper, prepare; the drawn card is discarded, 3 as well, then the next one is drawn."""
    d = after(solo(card=STONE), NORTH)
    assert (d["phase"], d["round"], d["first_player"], d["current_player"]) == ("plan", 4, 0, 0)
    assert (d["pool"], d["discards"]) == ([4, 0, 1, 2], [3, STONE])
    assert d["keeper"]["at"] == [7, 7]


@pytest.mark.parametrize("plan", [REST, RESEARCH])
def test_solo_keeper_phase_in_every_round(plan: Decision) -> None:
    d = midgame(1)
    stack(d, 9, SUN) if plan == RESEARCH else stack(d, SUN)
    hold(d, 0, flora=1)
    d = round_of(d, plan)
    if plan == RESEARCH:
        d = after(d, ("research", 0))  # 9 is drawn
        assert d["players"][0]["cards"] == [0]
    assert (d["phase"], d["round"], d["keeper"]["at"]) == ("plan", 4, [7, 6])
    assert SUN in d["discards"]


def test_solo_draws_no_threats() -> None:
    d = round_of(midgame(1), EXPLORE, roll={0: 1, 1: 1})
    assert d["players"][0]["threats"] == [] and d["round_state"][0]["banned"] == []
    assert legal(d) == DIE


@pytest.mark.parametrize(
    ("keeper", "card", "at"),
    [
        # The explorer is at (6, 0), the dice show 2, 3, 4, 5, 6.
        ("The Drowsing Hill", SUN, [7, 6]),  # column first: one to the west
        ("The Drowsing Hill", WAVE, [6, 6]),  # row first: north to row 6, then west
        ("The Drowsing Hill", LEAF, [7, 7]),
        ("The Drowsing Hill", STONE, [7, 7]),
        ("Grandmother Kelp", SUN, [6, 7]),  # row first: two south
        ("Grandmother Kelp", WAVE, [4, 5]),  # column first: two west
        ("Grandmother Kelp", LEAF, [4, 7]),
        ("Grandmother Kelp", STONE, [4, 7]),
        ("The Lantern Heron", SUN, [2, 0]),  # column first, where it is: D4 shows 2, two south
        ("The Lantern Heron", WAVE, [2, 0]),
        ("The Lantern Heron", LEAF, [0, 0]),
        ("The Lantern Heron", STONE, [0, 0]),
        ("Hollow Antler", SUN, [5, 7]),  # row first: D6 shows 3
        ("Hollow Antler", WAVE, [2, 5]),
        ("Hollow Antler", LEAF, [2, 7]),
        ("Hollow Antler", STONE, [3, 7]),
        ("The Unmoored", SUN, [0, 3]),  # column first: D8 shows 4
        ("The Unmoored", WAVE, [2, 7]),  # row first: D4 shows 2
        ("The Unmoored", LEAF, [0, 5]),
        ("The Unmoored", STONE, [0, 4]),  # placed there
    ],
)
def test_keeper_actions_of_every_symbol(keeper: str, card: int, at: list[int]) -> None:
    d = solo(keeper, card)
    d = after(d, NORTH)
    assert (d["keeper"]["at"], d["phase"]) == (at, "plan")
    assert card in d["discards"]
    gone = keeper == "Grandmother Kelp" and card == STONE
    assert (d["discards"] == [0, 1, 2, 3, STONE, 8]) if gone else (d["discards"] == sorted([3, card]))
    assert d["players"][0]["ready"] == ([2, 3, 4] if keeper == "The Lantern Heron" and card == STONE else [1, 2, 3, 4])


def test_keeper_action_discard_pool() -> None:
    """4, 5, 7 and 8 are drawn; Prepare discards 8 and draws 9."""
    d = after(solo("Grandmother Kelp", STONE), NORTH)
    assert (d["pool"], d["discards"]) == ([9, 4, 5, 7], [0, 1, 2, 3, STONE, 8])


def test_keeper_action_discard_pool_does_not_shuffle_in_the_card_that_brought_it() -> None:
    """38 cards: the deck runs out after STONE, which stays out of the deck made of the other 37."""
    d = midgame(1, "Grandmother Kelp")
    stack_only(d, STONE)
    stepping(d, 1)
    d = after(d, NORTH)
    assert STONE in d["discards"]
    assert len(d["deck"]) == 38 - 1 - 4 - 1  # four drawn, then one in Prepare
    assert len(d["discards"]) == 2


def test_keeper_action_exhaust() -> None:
    """The left-most ready die; nothing if there is none."""
    d = after(solo("The Lantern Heron", STONE, die=2), NORTH)
    assert d["players"][0]["ready"] == [1, 3, 4]
    d = solo("The Lantern Heron", STONE, die=2)
    player(d, 0, ready=[])
    assert after(d, NORTH)["players"][0]["ready"] == []


def test_keeper_action_lose() -> None:
    d = solo("Hollow Antler", LEAF)
    hold(d, 0, flora=2, fauna=1)
    assert after(d, NORTH)["players"][0]["hand"] == {"flora": 1, "fauna": 1, "fossil": 0, "rest": 0}
    hold(d, 0, fauna=1)
    assert after(d, NORTH)["players"][0]["hand"] == {"flora": 0, "fauna": 1, "fossil": 0, "rest": 0}


@pytest.mark.parametrize(
    ("keeper", "card", "ready", "hand"),
    [
        ("The Drowsing Hill", SUN, [1, 2, 3], (1, 1, 1)),  # exhaust the right-most ready die
        ("The Drowsing Hill", WAVE, [1, 2, 4], (1, 1, 1)),  # exhaust D10
        ("The Drowsing Hill", LEAF, [1, 2, 3, 4], (1, 0, 1)),  # lose a fauna token
        ("The Drowsing Hill", STONE, [1, 2, 3, 4], (1, 1, 0)),  # lose a fossil token
        ("The Lantern Heron", STONE, [1, 2, 3, 4], (1, 1, 1)),  # exhaust D4, which is exhausted already
    ],
)
def test_other_keeper_actions(keeper: str, card: int, ready: list[int], hand: tuple[int, int, int]) -> None:
    d = solo(keeper, card)
    hold(d, 0, *(1, 1, 1))
    d = after(d, NORTH, variant="words")
    assert d["players"][0]["ready"] == ready
    assert tuple(d["players"][0]["hand"][kind] for kind in ("flora", "fauna", "fossil")) == hand
    assert d["keeper"]["at"] == KEEPERS[keeper]


@pytest.mark.parametrize(
    ("keeper", "card", "end", "at"),
    [
        ("Grandmother Kelp", SUN, None, [3, 3]),  # placed on a hole
        ("The Lantern Heron", SUN, None, [5, 0]),  # column first: five steps south
        ("The Lantern Heron", WAVE, "caught", [6, 0]),  # placed on the explorer's space
        ("The Lantern Heron", LEAF, None, [3, 0]),  # row first, D6 shows 3
        ("Grandmother Kelp", LEAF, None, [4, 1]),  # column first, D12 shows 6
        ("Grandmother Kelp", STONE, None, [6, 4]),  # row first, D10 shows 5: two south, three west
    ],
)
def test_other_keeper_movements(keeper: str, card: int, end: str | None, at: list[int]) -> None:
    d = after(solo(keeper, card), NORTH, variant="words")
    assert (d["end"], d["keeper"]["at"]) == (end, at)


@pytest.mark.parametrize(
    ("start", "card", "at"),
    [
        # Drowsing Hill: sun, column first, one step; wave, row first, two steps. The explorer is at (6, 0).
        ([2, 0], SUN, [3, 0]),  # in the column: towards the row
        ([6, 4], WAVE, [6, 2]),  # in the row: towards the column, over the boulder's space
        ([5, 3], WAVE, [6, 2]),  # first the row, then the column
        ([5, 3], SUN, [5, 2]),
        ([7, 1], SUN, [7, 0]),  # first the column
        ([7, 3], WAVE, [6, 2]),
        ([3, 0], WAVE, [5, 0]),  # onto a space with an icon
        ([7, 2], SUN, [7, 1]),  # from the sea
    ],
)
def test_keeper_moves_over_everything(start: list[int], card: int, at: list[int]) -> None:
    """Ruling 12: the words, not the arrows; on the full rectangle, ignoring tokens and explored spaces."""
    d = solo(card=card)
    d["keeper"]["at"] = start
    d = after(d, NORTH)
    assert (d["keeper"]["at"], d["end"]) == (at, None)
    assert d["players"][0]["tokens"] == TOKENS


@pytest.mark.parametrize(
    ("keeper", "start", "card"),
    [
        ("The Drowsing Hill", [6, 1], SUN),
        ("The Drowsing Hill", [5, 0], SUN),
        ("The Drowsing Hill", [7, 1], WAVE),
        ("The Drowsing Hill", [5, 0], WAVE),  # two steps, caught at the first
        ("Hollow Antler", [5, 0], SUN),  # three steps, caught at the first
        ("The Unmoored", [6, 4], SUN),  # four steps
    ],
)
def test_caught_in_the_keeper_phase(keeper: str, start: list[int], card: int) -> None:
    """The keeper occupies or passes the explorer's space: the game ends at once, after the card's discard."""
    d = solo(keeper, card)
    d["keeper"]["at"] = start
    d, rewards = rewarded(d, NORTH)
    assert (d["phase"], d["end"], d["current_player"]) == ("over", "caught", None)
    assert (d["players"][0]["status"], d["keeper"]["at"]) == ("caught", [6, 0])
    assert (d["round"], d["pool"], d["discards"]) == (3, [0, 1, 2, 3], [card])
    # Before: 8 for four dice, -49. A loss makes the return -3.
    assert rewards[-1] == pytest.approx([-3 - (8 - 49) / 10])


def test_caught_where_the_keeper_is_placed() -> None:
    d = midgame(1, "The Unmoored")
    stack(d, STONE)
    stand(d, 0, (0, 3))
    stepping(d, 1)
    d = after(d, EAST)
    assert (d["end"], d["keeper"]["at"], d["discards"]) == ("caught", [0, 4], [STONE])


def test_stepping_onto_the_keeper() -> None:
    """Ruling 12: legal, before any pick-up."""
    d = solo(movement=4)
    walk(d, 0, "N")
    stepping(d, 4)
    d["keeper"]["at"] = [6, 1]
    assert unordered(legal(d)) == {NORTH, EAST}
    d = after(d, EAST)
    assert (d["phase"], d["end"], d["players"][0]["status"]) == ("over", "caught", "caught")
    entry = d["players"][0]
    assert (entry["at"], entry["hand"]["flora"], entry["tokens"][9]) == ([6, 1], 0, "flora")
    assert entry["explored"] == [[6, 0], [7, 0]]  # nor is the path marked any more
    assert (d["pool"], d["deck"][0], d["discards"], d["round"]) == ([0, 1, 2, 3], LEAF, [], 3)


def test_stepping_onto_the_keeper_where_nothing_else_is_free() -> None:
    d = midgame(1)
    stand(d, 0, (7, 1))
    d["keeper"]["at"] = [6, 1]
    assert EXPLORE in legal(d)
    stepping(d, 2)
    assert legal(d) == [NORTH]


def test_the_keeper_phase_reshuffles_an_empty_deck() -> None:
    d = midgame(1)
    stack_only(d)
    stepping(d, 1)
    d = after(d, NORTH)
    assert len(d["deck"]) == 34 - 2 and len(d["discards"]) == 2
    assert sorted([*d["pool"], *d["deck"], *d["discards"]]) == list(range(38))


def test_the_keeper_phase_needs_no_keeper_when_the_explorer_leaves() -> None:
    """Solo the game ends immediately; the player is always the first to exit. 8 - 48 + 2 + 5 = -33, before -40."""
    d = midgame(1, "The Unmoored")
    stack(d, STONE)
    stand(d, 0, EXIT)
    stepping(d, 3)
    d, rewards = rewarded(d, LEAVE)
    assert (d["phase"], d["end"], d["players"][0]["status"]) == ("over", "exited", "exited")
    assert (d["round"], d["deck"][0], d["keeper"]["at"]) == (3, STONE, [0, 7])
    assert scores(d) == [-33]
    assert rewards[-1] == pytest.approx([0.7])
    assert ranks(d) == [1]


def test_solo_lost() -> None:
    """After the keeper phase and Prepare there is no plan. Before: 8 for dice, -47 for (6, 0), (6, 1) and the start."""
    d = midgame(1)
    stack(d, LEAF)
    walk(d, 0, "NE")
    player(d, 0, rested=True)
    stepping(d, 4)
    d, rewards = rewarded(d, SOUTH)
    assert (d["phase"], d["end"], d["players"][0]["status"], d["round"]) == ("over", "lost", "lost", 4)
    assert rewards[-1] == pytest.approx([-3 - (8 - 47) / 10])
    assert game_of(d).info(batch_of(d).states[0]).get("band", "") == ""


def test_solo_cut_off() -> None:
    """After the keeper phase of round 60."""
    d = solo(card=SUN)
    d["round"] = 60
    d, rewards = rewarded(d, NORTH)
    assert (d["end"], d["players"][0]["status"], d["keeper"]["at"]) == ("cut_off", "lost", [7, 6])
    assert (d["pool"], d["discards"]) == ([0, 1, 2, 3], [SUN])
    assert rewards[-1] == pytest.approx([-3 - (8 - 49) / 10])


def test_solo_caught_in_the_last_round() -> None:
    d = solo(card=SUN)
    d["keeper"]["at"] = [6, 1]
    d["round"] = 60
    assert after(d, NORTH)["end"] == "caught"


def test_solo_rewards_are_the_changes_of_the_score() -> None:
    """Divided by 10; the first decision's reward contains the score at the start, 9 - 49."""
    d = beginning(1)
    d, rewards = rewarded(d, KEEP)
    assert rewards == [pytest.approx([-4.0])]
    d, rewards = rewarded(midgame(1), REST)
    assert rewards == [[0.0]]
    d = midgame(1)
    own(d, 0, 31)
    exploring(d)
    # D12: -3. Boost of 7: -7. A space: +1. The second one refreshes D6, which is ready.
    d, rewards = rewarded(d, D12, ("boost", 6), NORTH, NORTH)
    assert [reward[0] for reward in rewards] == pytest.approx([-0.3, -0.7, 0.1, 0.1])
    d = midgame(1)
    show(d, 31, 0, 1, 2)
    hold(d, 0, flora=1, fauna=1, fossil=1)
    researching(d, 0)
    d, rewards = rewarded(d, ("research", 0))
    assert rewards[0] == pytest.approx([0.7])


@pytest.mark.parametrize("end", ["exited", "caught"])
def test_solo_return(end: str) -> None:
    """The rewards of a whole game add up to a tenth of the score, or to -3."""
    d = beginning(1)
    stand(d, 0, (0, 3))  # as if the game began there
    stack(d, LEAF)
    d["keeper"]["at"] = [0, 4] if end == "caught" else [7, 7]
    with_roll(d, {0: 2})
    d, rewards = rewarded(d, KEEP, EXPLORE, D4, EAST, *([LEAVE] if end == "exited" else []))
    assert d["end"] == end
    # exited: 8 for dice; the start, (0, 3) and (0, 4) explored: -47; track 1; bonus 5
    expected = (8 - 47 + 1 + 5) / 10 if end == "exited" else -3
    assert sum(reward[0] for reward in rewards) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("cards", "unexplored", "points", "band"),
    [
        ((), 7, -1, "Isla is destroyed!"),
        ((), 6, 0, "Your efforts are wasted."),
        ((33,), 6, 9, "Your efforts are wasted."),
        ((37,), 6, 10, "Your research is acceptable."),
        ((37, 33), 6, 19, "Your research is acceptable."),
        ((37, 33, 0), 6, 20, "Your expeditions are legendary!"),
        ((37, 33, 35, 0), 6, 29, "Your expeditions are legendary!"),
        ((37, 33, 35, 7), 6, 30, "Your discoveries are world changing - Isla is saved!"),
    ],
)
def test_solo_score_bands(cards: tuple[int, ...], unexplored: int, points: int, band: str) -> None:
    """Exit bonus 5, track 1, no dice: 6, and cards of 10, 9, 9, 1 or 2 points, less the unexplored spaces."""
    d = midgame(1)
    spaces = sorted(set(rules().terrain) - {(6, 4), EXIT, START})
    stand(d, 0, EXIT, spaces[unexplored - 1 :])
    own(d, 0, *cards)
    player(d, 0, ready=[], status="exited", exit_round=3, track=1)
    over(d, "exited")
    assert scores(d) == [points]
    assert game_of(d).info(batch_of(d).states[0]).get("band", "") == band
    assert rules().band(d) == band


def test_no_band_unless_solo_and_exited() -> None:
    assert game_of(midgame(1)).info(batch_of(midgame(1)).states[0]).get("band", "") == ""
    for num_players, end in [(1, "caught"), (1, "lost"), (1, "cut_off"), (2, "finished")]:
        d = midgame(num_players)
        for seat in range(num_players):
            finish(d, seat, "lost")
        if end == "caught":
            player(d, 0, status="caught")
            d["keeper"]["at"] = d["players"][0]["at"]
        over(d, end)
        assert game_of(d).info(batch_of(d).states[0]).get("band", "") == ""


def test_component_file_scales() -> None:
    """What the tests above rely on: 50 spaces, of which 8, 13, 9, 12 and 8 of the five terrains."""
    terrain = list(rules().terrain.values())
    assert [terrain.count(sign) for sign in "MJSBC"] == [8, 13, 9, 12, 8]
    assert rules().highlights == HIGHLIGHTS
    assert (rules().start, rules().exit) == (START, EXIT)
    assert all(a < b for a, b in pairwise(rules().values))

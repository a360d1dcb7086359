"""Isla: leaving the island, the end of the game, scoring, and what a seat sees; see test_rules.py for how these tests are made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.isla.oracle import Description
from tests.isla.positions import (
    CREEPERS,
    D4,
    D6,
    EAST,
    EXIT,
    EXPLORE,
    FRESH,
    LEAVE,
    LETTERS,
    NORTH,
    PLAYERS,
    REST,
    SOUTH,
    SUNSTROKE,
    TOKEN,
    TOKENS,
    WEST,
    after,
    exploring,
    finish,
    hold,
    keep,
    legal,
    midgame,
    over,
    own,
    plan_of,
    planning,
    player,
    ranks,
    researching,
    rewarded,
    round_of,
    rules,
    scores,
    stand,
    stepping,
    steps,
    trap,
    unordered,
    view,
    walk,
)

# Exiting the Island


def test_passing_the_exit_space_one_may_leave_or_walk_on() -> None:
    d = midgame()
    stand(d, 0, (0, 3))
    stepping(d, 3)
    assert LEAVE not in legal(d)
    d = after(d, EAST)
    assert unordered(legal(d)) == {LEAVE, EAST, SOUTH}
    left = after(d, LEAVE)
    entry = left["players"][0]
    assert (entry["status"], entry["exit_round"], entry["track"], entry["at"]) == ("exited", 3, 2, [0, 4])
    assert entry["explored"] == [[0, 3], [0, 4], [7, 0]]
    assert (left["phase"], left["current_player"], left["round_state"][0]["acted"]) == ("die", 1, True)
    walked = after(d, EAST)
    assert (walked["players"][0]["at"], walked["explore"]["movement"]) == ([0, 5], 1)
    assert legal(walked) == [SOUTH]  # the exit space is explored now


def test_an_explorer_may_leave_from_the_exit_space_at_once() -> None:
    d = midgame()
    stand(d, 0, EXIT)
    exploring(d, dice=(3, 3, 4, 5, 6))
    d = after(d, D4)
    assert unordered(legal(d)) == {LEAVE, EAST, SOUTH, WEST}
    assert after(d, LEAVE)["players"][0]["track"] == 3


def test_with_no_free_neighbour_one_must_leave() -> None:
    d = midgame()
    stand(d, 0, EXIT, [(0, 3), (0, 5), (1, 4)])
    stepping(d, 1)
    assert legal(d) == [LEAVE]
    hold(d, 0, rest=1)
    assert unordered(legal(d)) == {LEAVE, TOKEN}
    d = midgame()  # the boulder is not free either
    player(d, 0, tokens=["boulder", *TOKENS[1:10], "flora"])
    stand(d, 0, (0, 3), [(0, 5), (1, 4)])
    stepping(d, 2)
    d = after(d, EAST)
    assert legal(d) == [LEAVE]


def test_ending_on_the_exit_space_is_not_leaving() -> None:
    d = midgame()
    stand(d, 0, (0, 3))
    stepping(d, 1)
    d = after(d, EAST)
    assert (d["players"][0]["status"], d["players"][0]["at"], d["current_player"]) == ("active", [0, 4], 1)
    d = after(d, D4, NORTH, NORTH)
    d = round_of(d, REST, EXPLORE)
    assert (d["round"], d["current_player"]) == (4, 0)
    d = after(d, D6)
    assert LEAVE in legal(d)


@pytest.mark.parametrize(
    ("movement", "track", "points"),
    [(1, 1, 1), (2, 2, 1), (3, 3, 2), (4, 4, 2), (5, 5, 3), (6, 6, 4), (7, 7, 5), (8, 8, 6), (9, 8, 6), (22, 8, 6)],
)
def test_exit_track(movement: int, track: int, points: int) -> None:
    """The remaining movement is spent on the track, whose last space stops it. 8 for four dice, 5 for leaving first."""
    d = midgame()
    stand(d, 0, EXIT)
    stepping(d, movement)
    d = after(d, LEAVE)
    assert d["players"][0]["track"] == track
    assert scores(d)[0] == 8 - 48 + points + 5


@pytest.mark.parametrize("status", ["exited", "lost"])
def test_the_finished_take_no_part_but_hold_the_first_player_card(status: str) -> None:
    d = midgame(3)
    finish(d, 1, status)
    for first, expected in [(0, [0, 2]), (1, [2, 0]), (2, [2, 0])]:
        assert d["first_player"] == first
        for seat in expected:
            assert (d["phase"], d["current_player"]) == ("plan", seat)
            d = round_of(d, REST)
            if d["phase"] == "plan" and d["current_player"] == expected[0]:
                break
        for seat in (0, 2):
            d["players"][seat]["rested"] = False
    assert d["round"] == 6
    assert d["players"][1]["status"] == status


# Exit bonus


def test_exit_bonus_by_round() -> None:
    """Ruling 8. Each of them: 12 spaces explored, all dice, one space of the track: 9 - 38 + 1 = -28 and the bonus."""
    for rounds, bonus in [
        ((2, 4, 5, 9), (5, 3, 0, 0)),
        ((4, 4, 5, 9), (5, 5, 3, 0)),
        ((9, 4, 9, 2), (0, 3, 0, 5)),
        ((2, 3, 3, 3), (5, 3, 3, 3)),
        ((6, 6, 6, 6), (5, 5, 5, 5)),
        ((3, 3, 7, 7), (5, 5, 3, 3)),
    ]:
        d = midgame(4)
        for seat, number in enumerate(rounds):
            finish(d, seat, "exited", number)
        over(d)
        assert scores(d) == [-28 + points for points in bonus]


def test_the_lost_take_no_exit_bonus() -> None:
    """They score everything else: 9 for the dice, -46 for four explored spaces."""
    d = midgame(4)
    for seat, status in enumerate(["lost", "exited", "lost", "exited"]):
        finish(d, seat, status, exit_round=seat + 1)
    over(d)
    assert scores(d) == [-37, -23, -37, -25]


def test_leaving_in_the_same_round_shares_the_bonus() -> None:
    """Seat 0 leaves with 1 on the track, seat 1 later in the same phase with 2; each has 48 unexplored and 8 for dice."""
    d = midgame(3)
    for seat in (0, 1):
        stand(d, seat, EXIT)
    exploring(d, dice=(2, 3, 4, 5, 6), plans="ees")
    d = after(d, D4, LEAVE)
    assert scores(d)[0] == 8 - 48 + 1 + 5
    d = after(d, D6, LEAVE)
    assert scores(d)[:2] == [8 - 48 + 1 + 5, 8 - 48 + 2 + 5]


# Game End


def test_the_game_ends_at_once_when_the_last_player_leaves() -> None:
    """Nothing of Prepare happens; the boosted card is discarded."""
    d = midgame(3)
    finish(d, 1, "exited", exit_round=2)
    finish(d, 2)
    own(d, 0, 31)
    stand(d, 0, EXIT)
    exploring(d)
    d = after(d, D4, ("boost", 6), LEAVE)
    assert (d["phase"], d["end"], d["current_player"]) == ("over", "finished", None)
    assert (d["pool"], d["deck"][0], d["discards"]) == ([0, 1, 2, 3], 4, [31])
    assert (d["round"], d["first_player"], d["dice"]) == (3, 0, [2, 3, 4, 5, 6])
    assert (d["before"], d["explore"]) == (None, None)
    assert d["round_state"] == [{"plan": None, "acted": False, "banned": [], "slow": 0}] * 3
    assert legal(d) == []


def test_the_game_ends_at_once_when_the_last_player_is_lost() -> None:
    """In the planning phase: there is no roll any more."""
    d = midgame()
    finish(d, 1, "exited")
    trap(d, 0)
    player(d, 0, ready=[1], rested=True)
    hold(d, 0, rest=1)
    d = after(d, TOKEN)
    assert (d["phase"], d["end"], d["dice"], d["round"]) == ("over", "finished", [2, 3, 4, 5, 6], 3)
    assert d["stream"]["counter"] == 0
    assert ranks(d) == [2, 1]


def test_lost_by_walking_into_a_dead_end() -> None:
    """The player who is stuck is lost in the next planning phase, after Prepare."""
    d = midgame()
    finish(d, 1, "exited")
    walk(d, 0, "NE")
    player(d, 0, rested=True)
    stepping(d, 4)
    d = after(d, SOUTH)
    assert (d["phase"], d["end"], d["round"], d["first_player"]) == ("over", "finished", 4, 1)
    assert d["pool"] == [4, 0, 1, 2]
    assert d["players"][0]["status"] == "lost"


def test_the_others_play_on() -> None:
    d = midgame(3)
    stand(d, 0, EXIT)
    exploring(d, plans="ees")
    d = after(d, D4, LEAVE)
    assert (d["phase"], d["current_player"], d["end"]) == ("die", 1, None)
    d = after(d, D4, NORTH, NORTH)
    assert (d["phase"], d["current_player"], d["round"], d["first_player"]) == ("plan", 1, 4, 1)
    d = round_of(d, EXPLORE, EXPLORE)
    assert (d["phase"], d["current_player"]) == ("die", 1)


def test_cut_off_after_sixty_rounds() -> None:
    d = midgame(3)
    finish(d, 2, "exited")
    d["round"] = 59
    d = round_of(d, REST, REST)
    assert (d["phase"], d["round"], d["end"]) == ("plan", 60, None)
    for entry in d["players"]:
        entry["rested"] = False
    pool, first = d["pool"], d["first_player"]
    d = round_of(d, REST, REST)
    assert (d["phase"], d["end"], d["current_player"], d["round"]) == ("over", "cut_off", None, 60)
    assert [entry["status"] for entry in d["players"]] == ["lost", "lost", "exited"]
    assert (d["pool"], d["first_player"]) == (pool, first)
    assert [entry["rested"] for entry in d["players"][:2]] == [True, True]


def test_research_still_counts_in_the_last_round() -> None:
    d = midgame()
    hold(d, 0, flora=1)
    d["round"] = 60
    researching(d, 0)
    plan_of(d, 1, "rest")
    d = after(d, ("research", 0))
    assert (d["end"], d["players"][0]["cards"], d["pool"], d["discards"]) == ("cut_off", [0], [4, 1, 2, 3], [])


def test_a_regular_end_in_the_last_round() -> None:
    d = midgame()
    finish(d, 1)
    stand(d, 0, EXIT)
    d["round"] = 60
    stepping(d, 2)
    d = after(d, LEAVE)
    assert (d["end"], d["players"][0]["status"]) == ("finished", "exited")


# End Scoring


def test_all_parts_of_a_score() -> None:
    """Exit bonus 5; cards 7 + 1; Sunstroke -3, two letters home; D4 and D8 1 + 2; track space 5: 3; 38 unexplored."""
    d = midgame()
    finish(d, 0, "exited", exit_round=2, track=5)
    player(d, 0, ready=[0, 2])
    own(d, 0, 31, 0)
    keep(d, 0, SUNSTROKE, LETTERS)
    planning(d, 1, first=0)
    assert scores(d) == [5 + 8 - 1 + 3 + 3 - 38, FRESH]
    assert rules().breakdown(d, 0) == {
        "exit": 5,
        "research": 8,
        "threats": -1,
        "dice": 3,
        "track": 3,
        "unexplored": -38,
    }


@pytest.mark.parametrize(("die", "points"), list(enumerate([1, 1, 2, 2, 3])))
def test_unused_dice(die: int, points: int) -> None:
    d = midgame()
    player(d, 0, ready=[die])
    assert scores(d) == [points - 49, FRESH]


def test_tokens_in_hand_are_worth_nothing() -> None:
    d = midgame()
    hold(d, 0, flora=4, fauna=3, fossil=2, rest=1)
    assert scores(d) == [FRESH, FRESH]


def test_the_boulder_is_always_unexplored() -> None:
    """Everything else explored: 49 spaces."""
    d = midgame()
    everything = [at for at in rules().terrain if at != (6, 4)]
    stand(d, 0, EXIT, everything)
    assert scores(d)[0] == 9 - 1


def equal(num_players: int) -> Description:
    """All are lost with -37 points: four spaces explored, all dice ready."""
    d = midgame(num_players)
    for seat in range(num_players):
        finish(d, seat)
    over(d)
    return d


def test_most_points_win() -> None:
    d = equal(3)
    keep(d, 0, SUNSTROKE)
    assert ranks(d) == [3, 1, 1]
    keep(d, 1, SUNSTROKE, CREEPERS)
    assert ranks(d) == [2, 3, 1]


def test_tie_more_explored_spaces() -> None:
    """Seat 1: five spaces, -45, and 8 for all dice but D4: -37 as well."""
    d = equal(2)
    player(d, 1, tokens=list(TOKENS))
    walk(d, 1, "NNNN")
    player(d, 1, ready=[1, 2, 3, 4])
    assert (scores(d), ranks(d)) == ([-37, -37], [2, 1])
    own(d, 0, 0)  # more cards do not matter then
    player(d, 0, ready=[0, 2, 3, 4])
    assert (scores(d), ranks(d)) == ([-37, -37], [2, 1])


def test_tie_more_research_cards() -> None:
    """Seat 1: a card of one point instead of D4."""
    d = equal(3)
    own(d, 1, 0)
    player(d, 1, ready=[1, 2, 3, 4])
    assert (scores(d), ranks(d)) == ([-37, -37, -37], [2, 1, 2])


def test_tie_in_everything_is_shared() -> None:
    assert ranks(equal(2)) == [1, 1]
    assert ranks(equal(4)) == [1, 1, 1, 1]


def test_no_ranks_before_the_end() -> None:
    assert ranks(midgame(4)) == [0, 0, 0, 0]


def leaving(num_players: int, **fields: Any) -> Description:
    """Seat 0 leaves and ends the game; the others are lost with -37 points, seat 0 has -40 + what is set."""
    d = midgame(num_players)
    for seat in range(1, num_players):
        finish(d, seat)
    stand(d, 0, EXIT)
    player(d, 0, **fields)
    stepping(d, 1)  # D4 is exhausted
    return d


def test_reward_outcome() -> None:
    """Seat 0 gets 8 - 48 + 1 + 5 = -34 and wins."""
    for num_players in PLAYERS:
        d, rewards = rewarded(leaving(num_players), LEAVE)
        assert scores(d) == [-34, *[-37] * (num_players - 1)]
        assert rewards[-1] == pytest.approx([1.0, *[-1 / (num_players - 1)] * (num_players - 1)])


def test_reward_of_a_shared_win() -> None:
    """Seat 0 with D6 and D8 only: 3 - 42 = -39. The other two share: (3/2 - 1)/2 each."""
    d, rewards = rewarded(leaving(3, ready=[0, 1, 2]), LEAVE)
    assert (scores(d), ranks(d)) == ([-39, -37, -37], [3, 1, 1])
    assert rewards[-1] == pytest.approx([-0.5, 0.25, 0.25])


def test_reward_margin() -> None:
    """-34, -37, -37 and, for seat 3 with a sunstroke, -40; differences to the best other score, divided by 20."""
    d = leaving(4)
    keep(d, 3, SUNSTROKE)
    _, rewards = rewarded(d, LEAVE, reward="margin")
    assert rewards[-1] == pytest.approx([3 / 20, -3 / 20, -3 / 20, -6 / 20])


def test_no_reward_before_the_end() -> None:
    d = midgame()
    exploring(d)
    for reward in ("outcome", "margin"):
        _, rewards = rewarded(d, D4, NORTH, NORTH, D4, NORTH, NORTH, reward=reward)
        assert rewards == [[0.0, 0.0]] * 6


# What a seat sees


def test_decks_are_hidden() -> None:
    d = midgame(3)
    for seat in range(3):
        seen = view(d, seat)
        assert (seen["deck"], seen["threat_deck"]) == (34, 35)
        assert "stream" not in seen and "before" not in seen


def test_others_are_seen_as_before_while_the_explore_phase_runs() -> None:
    """Ruling 11."""
    d = midgame(3)
    own(d, 0, 31)
    exploring(d)
    started = d["players"]
    moved = after(d, D4, ("boost", 6), NORTH)
    for seat in (1, 2):
        seen = view(moved, seat)
        assert seen["players"] == started
        assert (seen["phase"], seen["explore"], seen["current_player"]) == ("die", None, 0)
    own_view = view(moved, 0)
    assert own_view["players"][0] == moved["players"][0]
    assert (own_view["phase"], own_view["explore"]) == ("step", {"die": 0, "movement": 8})
    second = after(moved, *steps("NNNNEEEE"), D6, NORTH)
    assert second["current_player"] == 1
    assert view(second, 2)["players"] == started
    assert view(second, 1)["players"] == [started[0], second["players"][1], started[2]]
    assert view(second, 0)["players"] == [second["players"][0], started[1], started[2]]
    assert view(second, 0)["phase"] == "die"
    last = after(second, *steps("NN"), D4, *steps("NN"))
    assert (last["phase"], view(last, 2)["players"]) == ("plan", last["players"])

"""One test per clause of the Isla rulebook and per ruling, on the engine and the oracle at once: setup, planning, dice and rest.

The other chapters are in test_threats.py, test_explore.py, test_research.py, test_scoring.py and test_solo.py.

Expected values are worked out by hand from the rulebook and the component file; the comments say how. `legal`, `after`,
`scores`, `ranks` and `view` (positions.py) ask the engine and the oracle and fail where the two differ, so every test here
holds for both. The sheet is drawn in positions.py.
"""

from __future__ import annotations

import pytest

from tests.isla.positions import (
    ANKLE,
    BEACON,
    BLISTERS,
    COPIES,
    DIE,
    EXIT,
    EXPLORE,
    FRET,
    KEEP,
    KEEPERS,
    KINDS,
    NOISES,
    NORTH,
    PLAYERS,
    RESEARCH,
    REST,
    ROCKFALL,
    SUNSTROKE,
    TOKEN,
    TOKENS,
    after,
    beginning,
    deals,
    drawn,
    finish,
    hold,
    keep,
    legal,
    midgame,
    planning,
    player,
    round_of,
    show,
    stand,
    stepping,
    threaten,
    trap,
    unordered,
    view,
)

# Setup


@pytest.mark.parametrize("num_players", [1, *PLAYERS])
def test_setup_of_a_player(num_players: int) -> None:
    for d in deals(5, num_players):
        assert (d["phase"], d["current_player"], d["first_player"], d["round"]) == ("setup", 0, 0, 1)
        assert (d["dice"], d["before"], d["explore"], d["end"]) == (None, None, None, None)
        assert d["round_state"] == [{"plan": None, "acted": False, "banned": [], "slow": 0}] * num_players
        for entry in d["players"]:
            assert sorted(entry.pop("tokens")) == sorted(kind for kind, n in KINDS.items() for _ in range(n))
            assert entry == {
                "at": [7, 0],
                "explored": [[7, 0]],
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


def test_setup_mixes_the_map_tokens_of_every_player() -> None:
    dealt = deals(100, 2)
    for seat in (0, 1):
        sheets = [d["players"][seat]["tokens"] for d in dealt]
        assert all({sheet[k] for sheet in sheets} == set(KINDS) for k in range(11))
    assert all(d["players"][0]["tokens"] != d["players"][1]["tokens"] for d in dealt[:5])


@pytest.mark.parametrize("num_players", [1, *PLAYERS])
def test_setup_of_the_cards(num_players: int) -> None:
    """38 research cards, four of them in the pool; 35 threat cards, returned to the box in solo."""
    for d in deals(5, num_players):
        assert len(d["pool"]) == 4 and len(d["deck"]) == 34 and d["discards"] == []
        assert sorted([*d["pool"], *d["deck"]]) == list(range(38))
        threats = [] if num_players == 1 else [card for card, n in enumerate(COPIES) for _ in range(n)]
        assert sorted(d["threat_deck"]) == threats and len(threats) in (0, 35)
        assert d["threat_discards"] == []
    assert len({str(d["deck"]) for d in deals(20, num_players)}) == 20
    assert len({str(d["threat_deck"]) for d in deals(20, num_players)}) == (1 if num_players == 1 else 20)


def test_setup_of_the_keeper() -> None:
    assert all(d["keeper"] is None for d in deals(2, 2))
    assert all(d["keeper"] == {"name": "The Drowsing Hill", "at": [7, 7]} for d in deals(5, 1))
    for name, at in KEEPERS.items():
        assert all(d["keeper"] == {"name": name, "at": at} for d in deals(3, 1, keeper=name))
    chosen = [d["keeper"] for d in deals(100, 1, keeper="random")]
    assert {keeper["name"] for keeper in chosen} == set(KEEPERS)
    assert all(keeper["at"] == KEEPERS[keeper["name"]] for keeper in chosen)


def test_before_you_begin_two_tokens_may_switch() -> None:
    """55 pairs, of which 6 are two flora, 3 two fauna and 1 two fossil: switching alike tokens is `keep`."""
    d = beginning(2)
    decisions = legal(d)
    assert len(decisions) == 46 and KEEP in decisions
    kinds = [{TOKENS[a], TOKENS[b]} for _, a, b in decisions[:-1]]
    assert all(len(pair) == 2 for pair in kinds) and {"rest", "boulder"} in kinds
    d = after(d, ("swap", 0, 10))
    assert d["players"][0]["tokens"] == ["boulder", *TOKENS[1:10], "flora"]
    assert d["players"][1]["tokens"] == TOKENS


@pytest.mark.parametrize("num_players", [1, *PLAYERS])
def test_before_you_begin_everybody_once_in_seat_order(num_players: int) -> None:
    d = beginning(num_players)
    for seat in range(num_players):
        assert (d["phase"], d["current_player"]) == ("setup", seat)
        d = after(d, ("swap", 4, 5) if seat % 2 else KEEP)
    assert (d["phase"], d["current_player"], d["round"], d["first_player"]) == ("plan", 0, 1, 0)
    for seat, entry in enumerate(d["players"]):
        assert entry["tokens"][4:6] == (["fauna", "rest"] if seat % 2 else ["rest", "fauna"])


# 1 Planning Phase


@pytest.mark.parametrize(("num_players", "first"), [(2, 0), (2, 1), (3, 2), (4, 1)])
def test_planning_in_seat_order_from_the_first_player(num_players: int, first: int) -> None:
    d = midgame(num_players)
    planning(d, first)
    for k in range(num_players):
        assert (d["phase"], d["current_player"]) == ("plan", (first + k) % num_players)
        d = round_of(d, EXPLORE)
    assert (d["phase"], d["current_player"]) == ("die", first)


def test_plans_are_public_before_the_roll() -> None:
    d = midgame(3)
    hold(d, 0, flora=1)
    hold(d, 1, flora=1)
    d = after(d, REST, RESEARCH)
    for seat in range(3):
        seen = view(d, seat)
        assert [state["plan"] for state in seen["round_state"]] == ["rest", "research", None]
    assert d["dice"] == [2, 3, 4, 5, 6]  # not rolled yet


def test_a_player_may_rest_only_once() -> None:
    d = midgame()
    assert unordered(legal(d)) == {REST, EXPLORE}  # also with nothing to refresh
    player(d, 0, rested=True)
    assert legal(d) == [EXPLORE]


def test_exploring_needs_a_die() -> None:
    d = midgame()
    player(d, 0, ready=[3])
    assert EXPLORE in legal(d)
    player(d, 0, ready=[])
    assert legal(d) == [REST]


def test_exploring_needs_a_die_that_no_kept_threat_bans() -> None:
    d = midgame()
    keep(d, 0, BLISTERS)
    player(d, 0, ready=[0])
    assert legal(d) == [REST]
    player(d, 0, ready=[0, 4])
    assert unordered(legal(d)) == {REST, EXPLORE}


def test_exploring_needs_a_free_neighbouring_space() -> None:
    d = midgame()
    trap(d, 0)
    assert legal(d) == [REST]
    d = midgame()  # (7, 4): north is the boulder's space, west (7, 3)
    stand(d, 0, (7, 4))
    assert EXPLORE in legal(d)
    stand(d, 0, (7, 4), [(7, 3)])
    assert legal(d) == [REST]
    player(d, 0, tokens=["boulder", *TOKENS[1:10], "flora"])
    assert EXPLORE in legal(d)


def test_exploring_from_the_exit_space_is_always_possible() -> None:
    d = midgame()
    stand(d, 0, EXIT, [(0, 3), (0, 5), (1, 4)])
    assert unordered(legal(d)) == {REST, EXPLORE}


@pytest.mark.parametrize(
    ("pool", "hand", "possible"),
    [
        ((3, 4, 5, 6), {"flora": 4}, False),  # fauna, fauna, fauna, fossil
        ((3, 4, 5, 6), {"fauna": 1}, True),
        ((3, 4, 5, 6), {"fossil": 1}, True),
        ((8, 9, 10, 11), {"flora": 1, "fauna": 3, "fossil": 2}, False),  # two flora each
        ((8, 9, 10, 11), {"flora": 2}, True),
        ((37, 35, 33, 36), {"flora": 2, "fauna": 2, "fossil": 0}, False),  # all with a fossil
        ((37, 35, 8, 36), {"flora": 2, "fauna": 2, "fossil": 0}, True),
        ((37, 35, 34, 36), {"flora": 2, "fauna": 1, "fossil": 1}, True),  # 34: two flora, one fossil
        ((0, 1, 2, 3), {"rest": 1}, False),
    ],
)
def test_researching_needs_the_tokens_for_a_card(pool: tuple[int, ...], hand: dict[str, int], possible: bool) -> None:
    d = midgame()
    show(d, *pool)
    hold(d, 0, **hand)
    assert (RESEARCH in legal(d)) == possible


@pytest.mark.parametrize(("ready", "trapped"), [([], False), ([0, 1, 2, 3, 4], True)])
def test_lost_on_the_island_without_a_plan(ready: list[int], trapped: bool) -> None:
    """Neither rest, dice or spaces, nor tokens; the round goes on."""
    d = midgame(3)
    player(d, 0, ready=ready, rested=True)
    if trapped:
        trap(d, 0)
    planning(d, 2)
    d = round_of(d, EXPLORE)
    assert [entry["status"] for entry in d["players"]] == ["lost", "active", "active"]
    assert (d["phase"], d["current_player"]) == ("plan", 1)
    d = round_of(d, EXPLORE)
    assert (d["phase"], d["current_player"]) == ("die", 2)


def test_not_lost_while_there_is_a_plan() -> None:
    d = midgame()
    trap(d, 0)
    player(d, 0, rested=True, ready=[])
    hold(d, 0, flora=1)
    assert legal(d) == [RESEARCH]
    hold(d, 0)
    player(d, 0, rested=False)
    assert legal(d) == [REST]


def test_rest_token_must_be_used_before_becoming_lost() -> None:
    """Ruling 3."""
    d = midgame()
    player(d, 0, ready=[], rested=True)
    hold(d, 0, rest=1)
    assert legal(d) == [TOKEN]
    d = after(d, TOKEN)
    assert (d["phase"], d["current_player"], d["players"][0]["ready"]) == ("plan", 0, [0])
    assert d["players"][0]["hand"]["rest"] == 0
    assert legal(d) == [EXPLORE]


def test_a_rest_token_is_asked_for_when_the_turn_comes() -> None:
    d = midgame()
    player(d, 0, ready=[], rested=True)
    hold(d, 0, rest=1)
    planning(d, 1)
    d = after(d, EXPLORE)
    assert (d["phase"], d["current_player"], d["players"][0]["status"]) == ("plan", 0, "active")
    assert legal(d) == [TOKEN]
    d = round_of(d, TOKEN, EXPLORE)
    assert (d["phase"], d["current_player"]) == ("die", 1)


def test_lost_in_spite_of_the_rest_token() -> None:
    d = midgame()
    trap(d, 0)
    player(d, 0, ready=[1, 2, 3, 4], rested=True)
    hold(d, 0, rest=1)
    assert legal(d) == [TOKEN]
    d = after(d, TOKEN)
    assert (d["players"][0]["status"], d["players"][0]["ready"]) == ("lost", [0, 1, 2, 3, 4])
    assert (d["phase"], d["current_player"]) == ("plan", 1)
    d = midgame()  # the refreshed die is banned
    keep(d, 0, BLISTERS)
    player(d, 0, ready=[], rested=True)
    hold(d, 0, rest=1)
    d = after(d, TOKEN)
    assert d["players"][0]["status"] == "lost"
    d = midgame()  # nothing to refresh: lost at once, with the token in hand
    trap(d, 0)
    player(d, 0, rested=True)
    hold(d, 0, rest=1)
    planning(d, 1)
    d = round_of(d, EXPLORE)
    assert (d["players"][0]["status"], d["players"][0]["hand"]["rest"]) == ("lost", 1)


def test_rest_token_while_planning() -> None:
    d = midgame()
    hold(d, 0, rest=1)
    assert unordered(legal(d)) == {REST, EXPLORE}  # no die is exhausted
    player(d, 0, ready=[0, 2])
    assert unordered(legal(d)) == {REST, EXPLORE, TOKEN}
    d = after(d, TOKEN)
    assert d["players"][0]["ready"] == [0, 1, 2]
    assert unordered(legal(d)) == {REST, EXPLORE}
    assert d["current_player"] == 0


# 2 Dice Roll Phase


def test_all_five_dice_are_rolled_every_round() -> None:
    seen: list[set[int]] = [set() for _ in DIE]
    for key in range(1, 121):
        d = midgame(1)
        d["stream"] = {"key": f"{key:#018x}", "counter": 0}
        d = after(d, REST)
        assert d["stream"]["counter"] == 5
        for die, value in enumerate(d["dice"]):
            seen[die].add(value)
    assert seen == [set(range(1, sides + 1)) for sides in (4, 6, 8, 10, 12)]


def test_without_a_one_no_threat_is_drawn() -> None:
    d = round_of(midgame(), REST, EXPLORE)
    assert 1 not in d["dice"] and len(d["threat_deck"]) == 35
    assert [entry["threats"] for entry in d["players"]] == [[], []]


@pytest.mark.parametrize("die", range(5))
def test_a_one_on_any_die_draws_a_threat_for_the_first_player(die: int) -> None:
    d = midgame(3)
    planning(d, 1)
    threaten(d, SUNSTROKE)
    d = round_of(d, EXPLORE, EXPLORE, EXPLORE, roll={die: 1})
    assert [entry["threats"] for entry in d["players"]] == [[], [SUNSTROKE], []]
    assert len(d["threat_deck"]) == 34 and d["threat_discards"] == []


def test_one_threat_at_most_however_many_ones() -> None:
    d = midgame()
    threaten(d, SUNSTROKE, ROCKFALL, ANKLE)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 1: 1, 2: 1})
    assert d["players"][0]["threats"] == [SUNSTROKE]
    assert len(d["threat_deck"]) == 34


def test_option_one_threat_for_every_one() -> None:
    d = midgame()
    threaten(d, SUNSTROKE, ROCKFALL, ANKLE, BEACON)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 1: 1, 2: 1}, threat_per_one=True)
    assert d["players"][0]["threats"] == [ROCKFALL, SUNSTROKE, ANKLE]
    assert d["threat_deck"][0] == BEACON and len(d["threat_deck"]) == 32


def test_option_one_threat_for_every_one_counts_two_copies() -> None:
    """Ruling 1: a threat that is not kept is no second one of its name; the kept one is."""
    d = midgame()
    threaten(d, FRET, FRET)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 1: 1}, threat_per_one=True)
    assert [state["slow"] for state in d["round_state"]] == [4, 4]
    d = midgame()
    threaten(d, SUNSTROKE, SUNSTROKE)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 1: 1}, threat_per_one=True)
    assert (d["players"][0]["threats"], d["threat_discards"]) == ([SUNSTROKE], [SUNSTROKE])


def test_the_dice_are_rolled_when_nobody_explores() -> None:
    d = midgame()
    threaten(d, SUNSTROKE)
    d = round_of(d, REST, REST, roll={0: 1, 4: 9})
    assert d["dice"][0] == 1 and d["dice"][4] == 9
    assert d["players"][0]["threats"] == [SUNSTROKE]
    assert (d["phase"], d["round"]) == ("plan", 4)


@pytest.mark.parametrize("status", ["lost", "exited"])
def test_the_finished_roll_but_draw_no_threats(status: str) -> None:
    d = midgame(3)
    finish(d, 0, status)
    planning(d, 1, first=0)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 2: 1})
    assert d["dice"][0] == 1
    assert len(d["threat_deck"]) == 35 and d["threat_discards"] == []


def test_who_becomes_lost_in_this_planning_phase_draws_no_threat() -> None:
    """Seat 1 finishes round 3; in round 4 seat 0, the first player, has no plan."""
    d = midgame()
    trap(d, 0)
    player(d, 0, rested=True)
    d["first_player"] = 1
    stepping(d, 1, seat=1, plans="se")
    d = after(d, NORTH)
    assert (d["players"][0]["status"], d["first_player"], d["current_player"], d["phase"]) == ("lost", 0, 1, "plan")
    d = round_of(d, EXPLORE, roll={0: 1})
    assert len(d["threat_deck"]) == 35


# 3 Rest Phase


def test_resting_marks_the_box_and_refreshes_the_left_most_exhausted_die() -> None:
    d = midgame()
    player(d, 0, ready=[0, 3])
    player(d, 1, ready=[0, 3])
    d = round_of(d, REST, EXPLORE)
    assert (d["players"][0]["rested"], d["players"][0]["ready"]) == (True, [0, 1, 3])
    assert (d["players"][1]["rested"], d["players"][1]["ready"]) == (False, [0, 3])
    assert (d["phase"], d["current_player"]) == ("die", 1)


def test_resting_with_nothing_to_refresh_marks_the_box() -> None:
    d = round_of(midgame(), REST, EXPLORE)
    assert (d["players"][0]["rested"], d["players"][0]["ready"]) == (True, [0, 1, 2, 3, 4])


def test_resting_comes_after_the_threat() -> None:
    """All dice are ready when the night noises exhaust D12, which the rest refreshes."""
    d = drawn(midgame(), NOISES, (REST, EXPLORE))
    assert d["players"][0]["ready"] == [0, 1, 2, 3, 4]


def test_resting_comes_before_exploring() -> None:
    d = midgame()
    planning(d, 1)
    player(d, 0, ready=[])
    d = round_of(d, EXPLORE, REST)
    assert (d["phase"], d["current_player"]) == ("die", 1)
    assert d["players"][0]["ready"] == [0]
    assert d["before"] == d["players"]

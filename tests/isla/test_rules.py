"""One test per clause of the Isla rulebook and per ruling, on the engine and the oracle at once.

Expected values are worked out by hand from the rulebook and the component file; the comments say how. `legal`, `after`,
`scores`, `ranks` and `view` (positions.py) ask the engine and the oracle and fail where the two differ, so every test here
holds for both. The sheet is drawn in positions.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.isla.oracle import Decision, Description
from tests.isla.positions import (
    COPIES,
    D4,
    D6,
    D8,
    D10,
    D12,
    DIE,
    EAST,
    EXIT,
    EXPLORE,
    HIGHLIGHTS,
    KEEP,
    LEAVE,
    NO_BOOST,
    NORTH,
    RESEARCH,
    REST,
    SOUTH,
    START,
    TOKEN,
    TOKENS,
    WEST,
    after,
    batch_of,
    described,
    exploring,
    finish,
    game_of,
    hold,
    keep,
    legal,
    make,
    midgame,
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
    show,
    stack,
    stack_only,
    stand,
    stepping,
    steps,
    threaten,
    threaten_only,
    trap,
    view,
    walk,
    with_roll,
)

PLAYERS = (2, 3, 4)
KINDS = {"flora": 4, "fauna": 3, "fossil": 2, "rest": 1, "boulder": 1}
KEEPERS = {
    "The Drowsing Hill": [7, 7],
    "Grandmother Kelp": [4, 7],
    "The Lantern Heron": [0, 0],
    "Hollow Antler": [2, 7],
    "The Unmoored": [0, 7],
}

# Research cards outside the pool of `midgame`, by their solo symbol.
SUN, WAVE, LEAF, STONE = 5, 4, 7, 6

# Threats
(
    ROCKFALL,
    CREEPERS,
    LEECHES,
    SUNSTROKE,
    ANKLE,
    BLISTERS,
    SAMPLES,
    FRET,
    RIVER,
    COMPASS,
    NOISES,
    GULLS,
    WIND,
    SPRING,
    BEACON,
    LETTERS,
) = range(16)


def deals(games: int, num_players: int, **options: Any) -> list[Description]:
    """The first positions of some games."""
    batch = make(num_players, **options).batch(games, seed=7)
    return [described(batch, k) for k in range(games)]


def unordered(decisions: list[Decision]) -> set[Decision]:
    assert len(set(decisions)) == len(decisions)
    return set(decisions)


def over(description: Description, end: str = "finished") -> None:
    description.update(phase="over", current_player=None, end=end)


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


def beginning(num_players: int) -> Description:
    d = midgame(num_players)
    d.update(phase="setup", round=1, dice=None)
    return d


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


# Threats, one by one


def drawn(d: Description, threat: int, plans: tuple[Decision, ...] = (EXPLORE, EXPLORE), **roll: int) -> Description:
    """The position after seat 0 has drawn a threat; D4 shows the 1, and d6=5 sets another die."""
    threaten(d, threat)
    values = {("d4", "d6", "d8", "d10", "d12").index(die): value for die, value in roll.items()}
    return round_of(d, *plans, roll={0: 1} | values)


def is_kept(d: Description, threat: int) -> bool:
    kept = [entry["threats"] for entry in d["players"]] == [[threat], []] and d["threat_discards"] == []
    gone = [entry["threats"] for entry in d["players"]] == [[], []] and d["threat_discards"] == [threat]
    assert kept != gone and len(d["threat_deck"]) == 34
    return kept


# A player at the start with all dice: 1 + 1 + 2 + 2 + 3 for the dice, -49 for the unexplored spaces.
FRESH = 9 - 49


def test_threat_rockfall() -> None:
    """Kept: -1 for each of the 8 mountain spaces that is unexplored."""
    d = drawn(midgame(), ROCKFALL)
    assert is_kept(d, ROCKFALL)
    assert scores(d) == [FRESH - 8, FRESH]
    d = midgame()
    keep(d, 0, ROCKFALL)
    stand(d, 0, (1, 5), [(1, 6), (0, 5)])  # two mountains, one beach
    assert scores(d)[0] == FRESH + 3 - 6


def test_threat_strangling_creepers() -> None:
    """Kept: -1 for each of the 13 jungle spaces that is unexplored. The boulder's, (6, 4), always counts."""
    d = drawn(midgame(), CREEPERS)
    assert is_kept(d, CREEPERS)
    assert scores(d) == [FRESH - 13, FRESH]
    d = midgame()
    keep(d, 0, CREEPERS)
    jungle = [(1, 3), (1, 4), (2, 2), (2, 3), (3, 2), (3, 4), (4, 2), (4, 3), (4, 4), (5, 3), (6, 3), (7, 4)]
    stand(d, 0, (1, 3), jungle)
    assert scores(d)[0] == FRESH + 12 - 1


def test_threat_leech_season() -> None:
    """Kept: -1 for each explored swamp space."""
    d = drawn(midgame(), LEECHES)
    assert is_kept(d, LEECHES)
    assert scores(d) == [FRESH, FRESH]
    d = midgame()
    keep(d, 0, LEECHES)
    walk(d, 0, "NEEN")  # (6, 0) B, (6, 1) B, (6, 2) S, (5, 2) S
    assert scores(d)[0] == FRESH + 4 - 2


def test_threat_sunstroke() -> None:
    """Kept: -3."""
    d = drawn(midgame(), SUNSTROKE)
    assert is_kept(d, SUNSTROKE)
    assert scores(d) == [FRESH - 3, FRESH]


def test_threat_twisted_ankle() -> None:
    """Kept: movement -1, in this round and later, for its owner alone."""
    d = drawn(midgame(), ANKLE, d6=5)
    assert is_kept(d, ANKLE)
    assert scores(d) == [FRESH, FRESH]
    assert after(d, D6)["explore"]["movement"] == 4
    assert after(d, D4)["explore"]["movement"] == 1  # at least one space
    d = midgame()
    keep(d, 0, ANKLE)
    exploring(d, dice=(2, 6, 4, 5, 6))
    assert after(d, D6)["explore"]["movement"] == 5
    exploring(d, seat=1, dice=(2, 6, 4, 5, 6))
    assert after(d, D6)["explore"]["movement"] == 6


def test_threat_blistered_hands() -> None:
    """Kept: D4 may not be chosen."""
    d = drawn(midgame(), BLISTERS)
    assert is_kept(d, BLISTERS)
    assert legal(d) == [D6, D8, D10, D12]
    assert d["round_state"][0]["banned"] == []  # it is no ban of this round only
    assert scores(d) == [FRESH, FRESH]  # and the die is not exhausted
    exploring(d, seat=1)
    assert legal(d) == DIE


def test_threat_spoiled_samples() -> None:
    """Kept: -1 for each species token in hand; a rest token is none."""
    d = midgame()
    hold(d, 0, flora=2, fauna=1, fossil=1, rest=1)
    d = drawn(d, SAMPLES)
    assert is_kept(d, SAMPLES)
    assert scores(d) == [FRESH - 4, FRESH]
    hold(d, 0, rest=1)
    assert scores(d) == [FRESH, FRESH]


def test_threat_sea_fret() -> None:
    """This round: movement -2 for all."""
    d = drawn(midgame(), FRET, d6=6)
    assert not is_kept(d, FRET)
    assert [state["slow"] for state in d["round_state"]] == [2, 2]
    assert after(d, D6)["explore"]["movement"] == 4
    assert after(d, D4)["explore"]["movement"] == 1
    exploring(d, seat=1, dice=d["dice"])
    assert after(d, D6)["explore"]["movement"] == 4


def test_threat_swollen_river() -> None:
    """This round: nobody may choose D12."""
    d = drawn(midgame(), RIVER)
    assert not is_kept(d, RIVER)
    assert [state["banned"] for state in d["round_state"]] == [[4], [4]]
    assert legal(d) == [D4, D6, D8, D10]
    exploring(d, seat=1)
    assert legal(d) == [D4, D6, D8, D10]


def test_threat_lost_compass() -> None:
    """This round: the first player may not choose D8."""
    d = drawn(midgame(), COMPASS)
    assert not is_kept(d, COMPASS)
    assert [state["banned"] for state in d["round_state"]] == [[2], []]
    assert legal(d) == [D4, D6, D10, D12]
    exploring(d, seat=1)
    assert legal(d) == DIE


def test_threat_night_noises() -> None:
    """Now: the right-most ready die is exhausted."""
    d = drawn(midgame(), NOISES)
    assert not is_kept(d, NOISES)
    assert [entry["ready"] for entry in d["players"]] == [[0, 1, 2, 3], [0, 1, 2, 3, 4]]
    d = midgame()
    player(d, 0, ready=[0, 2])
    assert drawn(d, NOISES)["players"][0]["ready"] == [0]
    d = midgame()
    hold(d, 0, fossil=1)
    show(d, 6, 1, 2, 3)
    player(d, 0, ready=[])
    d = drawn(d, NOISES, (RESEARCH, EXPLORE))  # cannot be carried out
    assert not is_kept(d, NOISES)
    assert d["players"][0]["ready"] == []


def test_threat_pilfering_gulls() -> None:
    """Now: one flora token is lost."""
    d = midgame()
    hold(d, 0, flora=2, fauna=1)
    hold(d, 1, flora=1)
    d = drawn(d, GULLS)
    assert not is_kept(d, GULLS)
    assert [entry["hand"]["flora"] for entry in d["players"]] == [1, 1]
    assert d["players"][0]["hand"]["fauna"] == 1
    d = midgame()
    hold(d, 0, fauna=1)
    d = drawn(d, GULLS)  # cannot be carried out, and is not replaced
    assert not is_kept(d, GULLS)
    assert d["players"][0]["hand"] == {"flora": 0, "fauna": 1, "fossil": 0, "rest": 0}


def test_threat_wind_in_the_papers() -> None:
    """Now: the pool is discarded, four cards are drawn."""
    d = drawn(midgame(), WIND)
    assert not is_kept(d, WIND)
    assert (d["pool"], d["discards"], d["deck"][0]) == ([4, 5, 6, 7], [0, 1, 2, 3], 8)


def test_threat_wind_in_the_papers_reshuffles_what_it_discards() -> None:
    d = midgame()
    stack_only(d, 20, 30)
    d = drawn(d, WIND)
    assert d["pool"][:2] == [20, 30]
    assert len(d["deck"]) == 34 and d["discards"] == []
    assert sorted([*d["pool"], *d["deck"]]) == list(range(38))


def test_threat_warm_spring() -> None:
    """Now: the left-most exhausted die is refreshed."""
    d = midgame()
    player(d, 0, ready=[0, 3])
    player(d, 1, ready=[0, 3])
    d = drawn(d, SPRING)
    assert not is_kept(d, SPRING)
    assert [entry["ready"] for entry in d["players"]] == [[0, 1, 3], [0, 3]]
    d = drawn(midgame(), SPRING)  # cannot be carried out
    assert not is_kept(d, SPRING)
    assert d["players"][0]["ready"] == [0, 1, 2, 3, 4]


def test_threat_summit_beacon() -> None:
    """Kept: +1 for each explored mountain space."""
    d = drawn(midgame(), BEACON)
    assert is_kept(d, BEACON)
    assert scores(d) == [FRESH, FRESH]
    stand(d, 0, (1, 5), [(1, 6), (2, 5), (0, 5)])
    exploring(d)
    assert scores(d)[0] == FRESH + 4 + 3


def test_threat_letters_home() -> None:
    """Kept: +1 for each research card."""
    d = midgame()
    own(d, 0, 31, 8)  # 7 and 2 points
    own(d, 1, 32)  # 8 points
    d = drawn(d, LETTERS)
    assert is_kept(d, LETTERS)
    assert scores(d) == [FRESH + 9 + 2, FRESH + 8]


@pytest.mark.parametrize(
    ("threat", "before", "then"),
    [
        (0, [1, 3], [3]),  # exhaust the left-most ready die
        (1, [1, 2, 3], [1, 3]),  # exhaust D8
        (1, [1, 3], [1, 3]),
        (3, [0, 2], [0, 2, 4]),  # refresh the right-most exhausted die
        (3, [0, 4], [0, 3, 4]),
        (4, [0, 4], [0, 1, 4]),  # refresh D6
        (4, [1], [1]),
    ],
)
def test_other_threats_that_exhaust_or_refresh(threat: int, before: list[int], then: list[int]) -> None:
    d = midgame()
    player(d, 0, ready=before)
    threaten(d, threat)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1}, variant="words")
    assert d["players"][0]["ready"] == then
    assert d["threat_discards"] == [threat]


@pytest.mark.parametrize(
    ("threat", "then"),
    [(5, {"flora": 1, "fauna": 0, "fossil": 1, "rest": 0}), (6, {"flora": 1, "fauna": 1, "fossil": 0, "rest": 0})],
)
def test_other_threats_that_lose_a_token(threat: int, then: dict[str, int]) -> None:
    d = midgame()
    hold(d, 0, flora=1, fauna=1, fossil=1)
    threaten(d, threat)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1}, variant="words")
    assert d["players"][0]["hand"] == then


@pytest.mark.parametrize(
    ("threat", "slow", "banned"),
    [(7, [1, 0], [[], []]), (8, [0, 0], [[0], []]), (9, [0, 0], [[1], [1]])],
)
def test_other_threats_of_a_round(threat: int, slow: list[int], banned: list[list[int]]) -> None:
    d = midgame()
    threaten(d, threat)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1}, variant="words")
    assert [state["slow"] for state in d["round_state"]] == slow
    assert [state["banned"] for state in d["round_state"]] == banned


@pytest.mark.parametrize(
    ("threat", "points"),
    [
        (10, -4),  # -2 for each flora token in hand
        (11, 0),
        (12, 0),
        (13, 11),  # +1 for each unexplored beach space, of 12 with the start
        (14, 0),  # +2 for each explored cliff space
        (15, 4),
    ],
)
def test_other_threats_that_are_kept(threat: int, points: int) -> None:
    d = midgame()
    hold(d, 0, flora=2, fauna=1, fossil=1)
    threaten(d, threat)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 4: 10}, variant="words")
    assert d["players"][0]["threats"] == [threat]
    assert scores(d, variant="words") == [FRESH + points, FRESH]
    decisions = legal(d, variant="words")
    assert (D12 in decisions) == (threat != 12)
    if threat != 12:
        assert after(d, D12, variant="words")["explore"]["movement"] == (7 if threat == 11 else 10)
    stand(d, 0, (2, 6), [(3, 6), (3, 7)])
    exploring(d)
    if threat == 14:
        assert scores(d, variant="words")[0] == FRESH + 3 + 6


# Resolving a threat card


def test_nobody_keeps_two_threats_of_one_name() -> None:
    d = midgame()
    keep(d, 0, SUNSTROKE)
    d = drawn(d, SUNSTROKE)
    assert (d["players"][0]["threats"], d["threat_discards"]) == ([SUNSTROKE], [SUNSTROKE])
    assert len(d["threat_deck"]) == 33  # not replaced
    assert scores(d) == [FRESH - 3, FRESH]


def test_two_players_may_keep_one_name() -> None:
    d = midgame()
    keep(d, 1, SUNSTROKE)
    d = drawn(d, SUNSTROKE)
    assert [entry["threats"] for entry in d["players"]] == [[SUNSTROKE], [SUNSTROKE]]


def test_kept_threats_stay() -> None:
    d = midgame()
    keep(d, 0, BLISTERS, ANKLE)
    d = round_of(d, REST, REST)
    assert (d["players"][0]["threats"], d["round"]) == ([ANKLE, BLISTERS], 4)


@pytest.mark.parametrize("threat", [FRET, RIVER, COMPASS])
def test_threats_of_a_round_last_until_its_end(threat: int) -> None:
    d = drawn(midgame(), threat, (EXPLORE, REST))
    assert d["round_state"][0]["slow"] or d["round_state"][0]["banned"]
    d = after(d, D4, NORTH)  # D4 shows 1
    assert (d["phase"], d["round"]) == ("plan", 4)
    assert d["round_state"] == [{"plan": None, "acted": False, "banned": [], "slow": 0}] * 2


def test_an_empty_threat_deck_is_reshuffled_without_kept_threats() -> None:
    d = midgame()
    keep(d, 1, SUNSTROKE, ROCKFALL)
    threaten_only(d)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1})
    kept = [card for entry in d["players"] for card in entry["threats"]]
    assert sorted([*d["threat_deck"], *d["threat_discards"], *kept]) == [
        c for c, n in enumerate(COPIES) for _ in range(n)
    ]
    assert len(d["threat_deck"]) == 32  # 35 - 2 kept - 1 drawn
    assert {SUNSTROKE, ROCKFALL} <= set(d["players"][1]["threats"])


def test_the_threat_deck_is_not_reshuffled_before_a_card_is_needed() -> None:
    d = midgame()
    threaten_only(d, FRET)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1})
    assert (d["threat_deck"], len(d["threat_discards"])) == ([], 35)


def test_a_threat_discarded_at_once_is_reshuffled_with_the_others() -> None:
    """Ruling 1, with the option: the first of two threats of one roll is in the deck again for the second."""
    d = midgame()
    threaten_only(d, FRET)
    d = round_of(d, EXPLORE, EXPLORE, roll={0: 1, 1: 1}, threat_per_one=True)
    kept = d["players"][0]["threats"]
    assert len(d["threat_deck"]) == 34
    assert sorted([*d["threat_deck"], *d["threat_discards"], *kept]) == [
        c for c, n in enumerate(COPIES) for _ in range(n)
    ]


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

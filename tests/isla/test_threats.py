"""Isla: what each threat does, and how threats are resolved; see test_rules.py for how these tests are made."""

from __future__ import annotations

import pytest

from tests.isla.oracle import Description
from tests.isla.positions import (
    ANKLE,
    BEACON,
    BLISTERS,
    COMPASS,
    COPIES,
    CREEPERS,
    D4,
    D6,
    D8,
    D10,
    D12,
    DIE,
    EXPLORE,
    FRESH,
    FRET,
    GULLS,
    LEECHES,
    LETTERS,
    NOISES,
    NORTH,
    RESEARCH,
    REST,
    RIVER,
    ROCKFALL,
    SAMPLES,
    SPRING,
    SUNSTROKE,
    WIND,
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
    show,
    stack_only,
    stand,
    threaten,
    threaten_only,
    walk,
)

# Threats, one by one


def is_kept(d: Description, threat: int) -> bool:
    kept = [entry["threats"] for entry in d["players"]] == [[threat], []] and d["threat_discards"] == []
    gone = [entry["threats"] for entry in d["players"]] == [[], []] and d["threat_discards"] == [threat]
    assert kept != gone and len(d["threat_deck"]) == 34
    return kept


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

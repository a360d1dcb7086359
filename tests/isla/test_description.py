"""Descriptions of Isla positions: read back, refused by one error that names the field, and what a seat does not see in them."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.isla.state import DIE, STEP
from isle_envs.testing import sample_positions

GONE = object()
PAIR = isle_envs.make_game("isla", num_players=2)
ALONE = isle_envs.make_game("isla", num_players=1)


def changed(description: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a path such as ``players.0.at``; GONE: without it."""
    made = copy.deepcopy(description)
    part: Any = made
    *way, last = (int(key) if key.isdigit() else key for key in path.split("."))
    for key in way:
        part = part[key]
    if value is GONE:
        del part[last]
    else:
        part[last] = value
    return made


def first(game: isle_envs.Game) -> dict[str, Any]:
    """A game that has just been dealt."""
    return game.describe(game.batch(1, seed=1).states[0])


def exploring() -> dict[str, Any]:
    """Seat 0 walks with the D4, four spaces; seat 1 is to explore after it. Tokens lie in a known order, no threat comes."""
    description = first(PAIR)
    description["threat_deck"] = []
    for player in description["players"]:
        player["tokens"] = [
            "flora",
            "fauna",
            "flora",
            "flora",
            "rest",
            "fauna",
            "fauna",
            "fossil",
            "fossil",
            "flora",
            "boulder",
        ]
    batch = PAIR.batch(states=PAIR.undescribe(description))
    for action in (("keep",), ("keep",), ("plan", 1), ("plan", 1)):
        batch.step([PAIR.actions.encode(*action)])
    description = PAIR.describe(batch.states[0])
    assert description["phase"] == "die"
    description["dice"] = [4, 3, 3, 3, 3]
    batch = PAIR.batch(states=PAIR.undescribe(description))
    for action in (("die", 0), ("step", 0), ("step", 1)):  # (7, 0) to (6, 0), and to (6, 1) with a flora token
        batch.step([PAIR.actions.encode(*action)])
    return PAIR.describe(batch.states[0])


# -------------------------------------------------------------------------------------------------------------- Read back


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2},
        {"num_players": 3, "threat_per_one": True},
        {"num_players": 4},
        {"num_players": 1, "keeper": "random"},
    ],
    ids=str,
)
def test_a_description_read_back_is_the_same(options: dict[str, Any]) -> None:
    """In every phase and at the end; over JSON."""
    game = isle_envs.make_game("isla", **options)
    batch = game.batch(100, seed=3)
    phases = {"over"}
    while not batch.terminated.all():
        for index in np.unique(batch.states.phase, return_index=True)[1]:  # a game in each phase
            description = game.describe(batch.states[index])
            phases.add(description["phase"])
            assert list(description) == [
                "game", "num_players", "phase", "current_player", "first_player", "round", "dice", "players", "round_state",
                "before", "explore", "pool", "deck", "discards", "threat_deck", "threat_discards", "keeper", "end", "stream",
            ]  # fmt: skip
            read = game.undescribe(json.loads(json.dumps(description)))
            assert read.shape == (1,) and game.describe(read[0]) == description
        for _ in range(2):
            batch.step(batch.sample_legal())
    for state in batch.states[:20]:
        description = game.describe(state)
        assert description["phase"] == "over" and description["end"] is not None
        read = game.undescribe(description)
        assert game.describe(read[0]) == description
        assert game.standing(read[0]) == game.standing(state)
    assert phases == {"setup", "plan", "die", "boost", "step", "research", "over"}


def test_a_new_game_by_hand() -> None:
    """All at the start, with five ready dice and nothing else; the pool of four, the other 34 cards and 35 threats in the decks."""
    description = first(PAIR)
    for player in description["players"]:
        assert sorted(player.pop("tokens")) == sorted(
            ["flora"] * 4 + ["fauna"] * 3 + ["fossil"] * 2 + ["rest", "boulder"]
        )
        assert player == {
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
    assert sorted([*description.pop("pool"), *description.pop("deck")]) == list(range(38))
    copies = [3, 3, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    assert [description["threat_deck"].count(threat) for threat in range(16)] == copies
    for key in ("players", "threat_deck", "stream"):
        del description[key]
    assert description == {
        "game": "isla",
        "num_players": 2,
        "phase": "setup",
        "current_player": 0,
        "first_player": 0,
        "round": 1,
        "dice": None,
        "round_state": [{"plan": None, "acted": False, "banned": [], "slow": 0}] * 2,
        "before": None,
        "explore": None,
        "discards": [],
        "threat_discards": [],
        "keeper": None,
        "end": None,
    }
    alone = first(ALONE)
    assert alone["threat_deck"] == [] and alone["keeper"] == {"name": "The Drowsing Hill", "at": [7, 7]}


def test_an_exploration_by_hand() -> None:
    """What has been explored and taken, what is left to move, and the sheets from before."""
    description = exploring()
    assert description["phase"] == "step" and description["current_player"] == 0
    assert description["explore"] == {"die": 0, "movement": 2}
    player, before = description["players"][0], description["before"][0]
    assert player["at"] == [6, 1] and player["explored"] == [[6, 0], [6, 1], [7, 0]]
    assert player["tokens"][9] is None and player["hand"] == {"flora": 1, "fauna": 0, "fossil": 0, "rest": 0}
    assert player["ready"] == [1, 2, 3, 4]
    assert before["at"] == [7, 0] and before["explored"] == [[7, 0]] and before["ready"] == [0, 1, 2, 3, 4]
    assert before["tokens"][9] == "flora" and before["hand"]["flora"] == 0
    assert description["players"][1] == description["before"][1]


def test_the_stream_may_be_absent() -> None:
    description = changed(first(PAIR), "stream", GONE)
    assert PAIR.undescribe(description).stream.key[0] == 0
    PAIR.batch(states=PAIR.undescribe(description))


def test_slows_of_a_round_add_up() -> None:
    """With a threat for each of five 1s, and 16 points the most of an entry, a round may slow by 80."""
    description = changed(exploring(), "round_state.1.slow", 80)
    assert PAIR.describe(PAIR.undescribe(description)[0]) == description


def test_taken_tokens_are_what_is_no_longer_there() -> None:
    """Of four flora one is taken from highlight space 9: three are left on the sheet."""
    description = exploring()
    state = PAIR.undescribe(description)[0]
    assert sorted(state.player[0].token) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4]
    assert state.player[0].token[9] == 0 and state.player[0].boulder == 6 * 8 + 4


# ---------------------------------------------------------------------------------------------------------------- Refused

# (path, value, what the error says after "description: ")
WRONG: list[tuple[str, Any, str]] = [
    ("game", "islet", "game is 'islet'; it must be 'isla'"),
    ("game", GONE, "game is missing"),
    ("num_players", 3, "num_players is 3; it must be 2"),
    ("phase", "walk", "phase is 'walk'; it must be one of 'setup', 'plan', 'die', 'boost', 'step', 'research', 'over'"),
    ("current_player", 2, "current_player is 2; it must be "),
    ("first_player", None, "first_player is None; it must be a whole number in 0 to 1"),
    ("first_player", 2, "first_player is 2; it must be a whole number in 0 to 1"),
    ("round", 0, "round is 0; it must be a whole number in 1 to 60"),
    ("round", 61, "round is 61; it must be a whole number in 1 to 60"),
    ("dice", [1, 2, 3, 4], "dice is [1, 2, 3, 4]; it must be a list of 5 items"),
    ("dice", [5, 1, 1, 1, 1], "dice[0] is 5; it must be a whole number in 1 to 4"),
    ("dice", [1, 1, 1, 1, 0], "dice[4] is 0; it must be a whole number in 1 to 12"),
    ("players", [], "players is []; it must be a list of 2 items"),
    ("players.1.at", GONE, "players[1].at is missing"),
    ("players.1.at", [7], "players[1].at is [7]; it must be a list of 2 items"),
    ("players.1.at", [12, 0], "players[1].at[0] is 12; it must be a whole number in 0 to 11"),
    ("players.1.at", [8, 0], "players[1].at is [8, 0]; it must be [row, column] of a space"),
    ("players.1.at", [7, 2], "players[1].at is [7, 2]; it must be [row, column] of a space"),
    ("players.1.explored", [[7, 0], [0, 0]], "players[1].explored[1] is [0, 0]; it must be [row, column] of a space"),
    ("players.1.explored", 7, "players[1].explored is 7; it must be a list of at most 144 items"),
    ("players.1.tokens", ["flora"] * 10, "it must be a list of 11 items"),
    ("players.1.tokens", ["flora"] * 11, "it must be no more of a kind than there are, the boulder among them"),
    (
        "players.1.tokens.10",
        "rest",
        "it must be no more of a kind than there are, the boulder among them",
    ),
    ("players.1.tokens.9", None, "players[1].tokens[9] is None; it must be None exactly where the space is explored"),
    ("players.1.explored", [[6, 1], [7, 0]], "players[1].tokens[9] is "),
    (
        "players.1.tokens.9",
        "leaf",
        "players[1].tokens[9] is 'leaf'; it must be one of 'flora', 'fauna', 'fossil', 'rest'",
    ),
    ("players.1.hand.flora", 10, "players[1].hand.flora is 10; it must be a whole number in 0 to 9"),
    ("players.1.hand.rest", 2, "players[1].hand.rest is 2; it must be a whole number in 0 to 1"),
    ("players.1.hand.fossil", GONE, "players[1].hand.fossil is missing"),
    ("players.1.ready", [5], "players[1].ready[0] is 5; it must be a whole number in 0 to 4"),
    ("players.1.rested", 0, "players[1].rested is 0; it must be true or false"),
    ("players.1.cards", [38], "players[1].cards[0] is 38; it must be a whole number in 0 to 37"),
    ("players.1.cards", [0] * 10, "players[1].cards is [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; it must be a list of at most 9"),
    ("players.1.threats", [16], "players[1].threats[0] is 16; it must be a whole number in 0 to 15"),
    ("players.1.boosted", 38, "players[1].boosted is 38; it must be "),
    ("players.1.status", "dead", "players[1].status is 'dead'; it must be one of 'active', 'exited', 'lost', 'caught'"),
    ("players.1.status", "exited", "players[1].exit_round is None; it must be the round of leaving exactly for who is"),
    ("players.1.exit_round", 1, "players[1].exit_round is 1; it must be the round of leaving exactly for who is"),
    ("players.1.track", 9, "players[1].track is 9; it must be a whole number in 0 to 8"),
    ("round_state", None, "round_state is None; it must be a list of 2 items"),
    ("round_state.0.plan", "sleep", "round_state[0].plan is 'sleep'; it must be one of 'rest', 'explore', 'research'"),
    ("round_state.0.acted", 1, "round_state[0].acted is 1; it must be true or false"),
    ("round_state.0.banned", [-1], "round_state[0].banned[0] is -1; it must be a whole number in 0 to 4"),
    ("round_state.0.slow", -1, "round_state[0].slow is -1; it must be a whole number in 0 to "),
    ("before", [], "before is []; it must be None outside an Explore Phase"),
    ("explore", {}, "explore is {}; it must be None outside an Explore Phase"),
    ("pool", [0, 1, 2], "pool is [0, 1, 2]; it must be a list of 4 items"),
    ("pool.0", 38, "pool[0] is 38; it must be "),
    ("deck", 34, "deck is 34; it must be a list of at most 38 items"),
    ("deck", [3, 38], "deck[1] is 38; it must be a whole number in 0 to 37"),
    ("deck", [3, 3], "deck is [3, 3]; it must be a list of different cards"),
    ("threat_deck", 35, "threat_deck is 35; it must be a list of at most 64 items"),
    ("threat_deck", [16], "threat_deck[0] is 16; it must be a whole number in 0 to 15"),
    ("threat_discards", [16], "threat_discards[0] is 16; it must be a whole number in 0 to 15"),
    ("threat_discards", [0] * 30, "it must be a list of at most 29 items"),  # 35 are in the deck, 64 the most
    ("keeper", {"name": "Hollow Antler", "at": [2, 7]}, "it must be None in a game for several players"),
    ("end", "won", "end is 'won'; it must be one of "),
    ("stream.key", "0xg", "stream.key is '0xg'; it must be a hexadecimal text"),
    ("stream.counter", -1, "stream.counter is -1; it must be a whole number in 0 to "),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG, ids=[f"{path}-{k}" for k, (path, *_) in enumerate(WRONG)])
def test_impossible_values(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 — the message is looked at
        PAIR.undescribe(changed(first(PAIR), path, value))
    assert str(error.value).startswith("description: ") and message in str(error.value)


def test_a_discarded_card_that_is_in_the_deck() -> None:
    description = first(PAIR)
    with pytest.raises(ValueError, match=r"discards\[0\] is \d+; it must be a card that is not in the deck"):
        PAIR.undescribe(changed(description, "discards", description["deck"][:1]))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("explore", None, "explore is None; it must be a dictionary"),
        ("explore.die", 5, "explore.die is 5; it must be "),
        ("explore.movement", 37, "explore.movement is 37; it must be a whole number in 0 to 36"),
        ("before", None, "before is None; it must be a list of 2 items"),
        ("before.0.at", [0, 0], "before[0].at is [0, 0]; it must be [row, column] of a space"),
        ("before.0.tokens.9", None, "before[0].tokens[9] is None; it must be None exactly where the space is explored"),
    ],
)
def test_impossible_explorations(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 — the message is looked at
        PAIR.undescribe(changed(exploring(), path, value))
    assert f"description: {message}" in str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("keeper", None, "keeper is None; it must be a dictionary"),
        ("keeper.name", "Nobody", "keeper.name is 'Nobody'; it must be one of 'The Drowsing Hill', 'Grandmother Kelp'"),
        ("keeper.at", [8, 0], "keeper.at is [8, 0]; it must be [row, column] of a cell of the map"),
        ("num_players", 2, "num_players is 2; it must be 1"),
    ],
)
def test_impossible_keepers(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 — the message is looked at
        ALONE.undescribe(changed(first(ALONE), path, value))
    assert f"description: {message}" in str(error.value)


def test_a_keeper_may_stand_in_the_sea() -> None:
    description = changed(first(ALONE), "keeper.at", [0, 0])
    assert ALONE.describe(ALONE.undescribe(description)[0]) == description


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("current_player", None, "current_player must be -1 exactly in the phase 'over'"),
        ("phase", "over", "current_player must be -1 exactly in the phase 'over'"),
        ("end", "finished", "end must be 0 exactly before the phase 'over'"),
        ("players.0.at", [6, 0], "player: at must be an explored space"),
        ("players.0.status", "lost", "only an active player is asked"),
        ("phase", "research", "in this phase the dice have been rolled"),
        ("players.0.track", 3, "player: who has exited is on the exit track"),
        ("players.1.threats", [0, 7], "player: a threat is kept that is for once"),  # Sea Fret lasts for a round
    ],
)
def test_positions_that_do_not_hang_together(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PAIR.undescribe(changed(first(PAIR), path, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("before.0.ready", [], "who explores had a die to use when the phase began"),
        ("round_state.0.banned", [0, 1, 2, 3, 4], "who explores had a die to use when the phase began"),
        ("before.1.status", "lost", "who explores was active when the phase began, and had a way to go"),
        ("players.1.status", "lost", "who is to explore is active, and has a way to go"),
        ("round_state.0.plan", "rest", "who explores has planned so, and not finished"),
        ("round_state.0.acted", True, "who explores has planned so, and not finished"),
        ("dice", None, "in this phase the dice have been rolled"),
        ("explore.movement", 0, "there is movement exactly in the phase 'step'"),
        ("explore.die", None, "a die is chosen exactly while it is used"),
    ],
)
def test_explorations_that_do_not_hang_together(path: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PAIR.undescribe(changed(exploring(), path, value))


@pytest.mark.parametrize(("part", "message"), [("players", "who is to explore"), ("before", "when the phase began")])
def test_an_explorer_that_is_trapped(part: str, message: str) -> None:
    """Seat 1, at (7, 1), has explored all around: (6, 1), and (7, 0) where it came from; (7, 2) is the sea."""
    description = exploring()
    sheet = description[part][1]
    sheet.update(at=[7, 1], explored=[[6, 0], [6, 1], [7, 0], [7, 1]])
    sheet["tokens"][9] = None
    with pytest.raises(ValueError, match=message):
        PAIR.undescribe(description)
    description["round_state"][1]["plan"] = "rest"
    PAIR.undescribe(description)


def test_a_rest_token_does_not_free_who_is_trapped() -> None:
    """Seat 0 walks and stands at (7, 1), all around explored: the token is all that it could use, and no step would follow."""
    description = exploring()
    sheet = description["players"][0]
    sheet.update(at=[7, 1], explored=[[6, 0], [6, 1], [7, 0], [7, 1]])
    sheet["hand"]["rest"] = 1
    with pytest.raises(ValueError, match="who is to explore is active, and has a way to go"):
        PAIR.undescribe(description)


def test_a_rest_token_may_give_the_explorer_its_die() -> None:
    """All dice are exhausted; with the token the D4 is not, unless it is banned."""
    description = exploring()
    description["before"][0].update(ready=[], hand={"flora": 0, "fauna": 0, "fossil": 0, "rest": 1})
    PAIR.undescribe(description)
    description["round_state"][0]["banned"] = [0]
    with pytest.raises(ValueError, match="who explores had a die to use"):
        PAIR.undescribe(description)
    description["before"][0]["ready"] = [0]  # then it gives the D6
    PAIR.undescribe(description)
    description["before"][0]["threats"] = [5]  # Blistered Hands: not the D4
    PAIR.undescribe(changed(description, "round_state.0.banned", []))
    with pytest.raises(ValueError, match="who explores had a die to use"):
        PAIR.undescribe(changed(description, "round_state.0.banned", [1]))


def test_no_die_is_rolled_alone() -> None:
    batch = PAIR.batch(1)
    batch.states.die[0, 1] = 3
    with pytest.raises(ValueError, match="all dice are rolled, or none"):
        batch.refresh()


def test_a_position_without_anything_to_choose() -> None:
    """In the Research Phase, with nothing to pay with."""
    description = first(PAIR)
    description.update(phase="research", dice=[2, 2, 2, 2, 2])
    description["round_state"][0]["plan"] = "research"
    with pytest.raises(ValueError, match="no action is legal; seat 0 is to research a card"):
        PAIR.undescribe(description)


# ------------------------------------------------------------------------------------------------------------ Seats' views


@pytest.mark.parametrize("num_players", [1, 3])
def test_views_hide_the_decks_and_the_stream(num_players: int) -> None:
    game = isle_envs.make_game("isla", num_players=num_players)
    for state in sample_positions(game, 60, seed=2).view(np.recarray):
        full = game.describe(state)
        for seat in range(num_players):
            view = game.describe(state, seat)
            assert json.loads(json.dumps(view)) == view
            assert set(full) - set(view) == {"stream", "before"} and not set(view) - set(full)
            assert view["deck"] == len(full["deck"]) and view["threat_deck"] == len(full["threat_deck"])
            for name in (
                "pool",
                "discards",
                "threat_discards",
                "dice",
                "keeper",
                "round",
                "first_player",
                "current_player",
            ):
                assert view[name] == full[name]
            assert view["players"][seat] == full["players"][seat]
            if full["before"] is None:
                for name in ("players", "round_state", "phase", "explore"):
                    assert view[name] == full[name]


def test_a_running_exploration_is_only_seen_by_the_explorer() -> None:
    """By hand: seat 0 has gone two spaces and taken a flora token; seat 1 sees it on the start space with five dice."""
    full = exploring()
    state = PAIR.undescribe(full)[0]
    mine, other = PAIR.describe(state, 0), PAIR.describe(state, 1)
    assert (
        mine["players"] == full["players"] and mine["explore"] == {"die": 0, "movement": 2} and mine["phase"] == "step"
    )
    assert other["players"] == [full["before"][0], full["players"][1]]
    assert other["explore"] is None and other["phase"] == "die" and other["current_player"] == 0


def test_others_see_all_when_the_phase_is_over() -> None:
    """Seat 0 walks on to a dead end, seat 1 after it; then both know of each other."""
    batch = PAIR.batch(states=PAIR.undescribe(exploring()))
    seen = []
    while DIE <= batch.states.phase[0] <= STEP:
        seen.append(PAIR.describe(batch.states[0], 1 - int(batch.current_player[0])))
        batch.step(batch.sample_legal())
    for view in seen:
        current = view["current_player"]
        assert view["players"][current]["explored"] == [[7, 0]]
        assert view["round_state"][current]["acted"] is False
    explored = [seen[-1]["players"][0]["explored"], PAIR.describe(batch.states[0], 1)["players"][0]["explored"]]
    assert len(explored[0]) > 1 and explored[0] == explored[1]
    assert len(PAIR.describe(batch.states[0], 0)["players"][1]["explored"]) > 1


def test_views_during_explorations_are_those_of_before() -> None:
    """In random games, field by field: of others their sheet from before, and that nobody but oneself has finished."""
    game = isle_envs.make_game("isla", num_players=4)
    states = sample_positions(game, 120, seed=8)
    states = states[(states["phase"] >= DIE) & (states["phase"] <= STEP)].view(np.recarray)
    hidden = finished = 0
    for state in states:
        full = game.describe(state)
        for seat in range(4):
            view = game.describe(state, seat)
            for other in range(4):
                assert view["players"][other] == full["players" if other == seat else "before"][other]
                acted = other == seat and full["round_state"][other]["acted"]
                assert view["round_state"][other] == full["round_state"][other] | {"acted": acted}
                hidden += other != seat and full["players"][other] != full["before"][other]
                finished += acted
            if seat == full["current_player"]:
                assert view["phase"] == full["phase"] and view["explore"] == full["explore"]
            else:
                assert view["phase"] == "die" and view["explore"] is None
    assert hidden > 20 and finished > 5


def test_a_seat_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="seat must be in 0 to 1, not 2"):
        PAIR.describe(PAIR.batch(1).states[0], 2)

"""Evaluation: outcomes that are known beforehand, and the same numbers however the games are played."""

import json

import numpy as np
import pytest

import isle_envs
from agents import evaluation
from agents.evaluation import evaluate, wilson
from isle_envs import IllegalActionError


def first_legal(observation, mask):
    """Always the legal action of the lowest number."""
    return int(mask.argmax())


@pytest.mark.parametrize(
    ("rate", "games", "interval"),
    # from tables of Wilson's interval
    [
        (0.0, 10, (0.0, 0.2775)),
        (0.5, 10, (0.2366, 0.7634)),
        (1.0, 10, (0.7225, 1.0)),
        (0.9, 100, (0.8256, 0.9448)),
        (0.5, 1000, (0.4691, 0.5309)),
    ],
)
def test_wilson(rate, games, interval):
    assert wilson(rate, games) == pytest.approx(interval, abs=1e-4)


@pytest.mark.parametrize("policy", ["greedy", first_legal])
def test_a_policy_against_itself_wins_half(game, policy):
    """Without chance of its own, the two games of a deal are one game seen from both sides."""
    (match,) = evaluate(game, [policy, policy], games=20).matches
    assert match.win_rate == 0.5
    assert match.margin == 0
    assert match.score == match.score_against
    assert match.win_interval[0] < 0.5 < match.win_interval[1]
    assert match.margin_interval == (0, 0)


def test_random_against_itself_is_about_even(game):
    (match,) = evaluate(game, ["random", "random"], games=400, seed=1).matches
    assert match.win_interval[0] < 0.5 < match.win_interval[1]
    assert match.margin_interval[0] < 0 < match.margin_interval[1]


def test_greedy_beats_random(game):
    (match,) = evaluate(game, ["greedy", "random"], games=200).matches
    assert match.win_interval[0] > 0.75
    assert match.score > match.score_against
    assert match.margin == pytest.approx(match.score - match.score_against)
    (reverse,) = evaluate(game, ["random", "greedy"], games=200).matches
    assert reverse.win_interval[1] < 0.25


def test_every_two_policies_meet_once(game):
    result = evaluate(game, ["greedy", "random", first_legal, "random"], games=2)
    assert result.policies == ("greedy", "random", "first_legal", "random (2)")
    assert [(match.policy, match.against) for match in result.matches] == [
        ("greedy", "random"),
        ("greedy", "first_legal"),
        ("greedy", "random (2)"),
        ("random", "first_legal"),
        ("random", "random (2)"),
        ("first_legal", "random (2)"),
    ]


@pytest.mark.parametrize("players", [3, 4])
def test_more_players(players):
    game = isle_envs.make_game("isle_tiles", num_players=players)
    result = evaluate(game, ["greedy", "random"], games=10 * players)
    assert [(match.policy, match.against) for match in result.matches] == [("greedy", "random"), ("random", "greedy")]
    assert all((match.games, match.deals) == (10 * players, 10) for match in result.matches)
    alone, crowd = result.matches
    assert alone.win_rate > 1 / players > crowd.win_rate


def test_a_policy_alone_among_its_like_wins_its_share():
    game = isle_envs.make_game("isle_tiles", num_players=3)
    for match in evaluate(game, ["greedy", "greedy"], games=30).matches:
        assert match.win_rate == pytest.approx(1 / 3)


def test_games_are_rounded_up_to_whole_deals(game):
    assert evaluate(game, ["random", "random"], games=5).matches[0].games == 6
    assert evaluate(game, ["random", "random"], games=1).matches[0].deals == 2


def test_the_numbers_do_not_depend_on_how_the_games_are_played(game, monkeypatch):
    expected = evaluate(game, ["greedy", "random"], games=30, seed=5)
    assert evaluate(game, ["greedy", "random"], games=30, seed=5, threads=2) == expected
    monkeypatch.setattr(evaluation, "TABLES", 7)
    assert evaluate(game, ["greedy", "random"], games=30, seed=5) == expected
    assert evaluate(game, ["greedy", "random"], games=30, seed=6) != expected


def test_each_deal_is_played_from_every_seat(game):
    """What is dealt depends on the deal alone: the first decision is the same whoever sits there."""
    seen = []

    class Watching:
        name = "watching"

        def act(self, batch, where, rng):
            first = where & (batch.states["height"].sum(axis=1) == 0)
            seen.extend(
                (int(key), int(seat))
                for key, seat in zip(batch.states["stream"]["key"][first], batch.current_player[first], strict=True)
            )
            return np.where(where, batch.sample_legal(), -1).astype(np.int32)

    evaluate(game, [Watching(), "random"], games=8)
    assert len({key for key, _ in seen}) == 4


def test_results_as_json(game, tmp_path):
    result = evaluate(game, ["greedy", "random"], games=10, seed=2)
    path = tmp_path / "new" / "result.json"
    result.write_json(path)
    data = json.loads(path.read_text())
    assert data["game"] == game.spec
    assert (data["seed"], data["policies"]) == (2, ["greedy", "random"])
    assert data["matches"][0]["games"] == 10
    assert data["matches"][0]["win_interval"] == list(result.matches[0].win_interval)


def test_results_as_a_table(game):
    header, row = evaluate(game, ["greedy", "random"], games=10, seed=2).rows()
    assert len(header) == len(row)
    assert row[:3] == ("greedy", "random", "10")


def test_bad_requests(game):
    with pytest.raises(ValueError, match="at least two"):
        evaluate(game, ["random"])
    with pytest.raises(ValueError, match="at least 1"):
        evaluate(game, ["random", "greedy"], games=0)
    with pytest.raises(ValueError, match="greedy"):
        evaluate(game, ["random", "gredy"])


def test_an_illegal_action_names_the_policy(game):
    class Broken:
        name = "broken"

        def act(self, batch, where, rng):
            return np.where(where, batch.action_mask.argmin(axis=1), -1).astype(np.int32)

    with pytest.raises(IllegalActionError) as caught:
        evaluate(game, ["random", Broken()], games=4)
    assert "'broken'" in caught.value.__notes__[0]

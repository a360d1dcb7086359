"""Whole games of Islet: invariants, and what the canvas and the greedy player are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core import rng
from isle_envs.core.policy import make_policy
from tests.islet.invariants import WAYS, play


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2},
        {"num_players": 3, "eggs": 4},
        {"num_players": 4},
        {"num_players": 1},
        {"num_players": 1, "eggs": 6},
    ],
)
def test_every_position_is_sound(options: dict[str, Any], way: str) -> None:
    counts = play(games=60, way=way, seed=5, **options)
    assert counts["cut_off"] == 0  # no natural game comes near 100 rounds
    if options["num_players"] == 1 and way != "greedy":
        assert counts["won"] == 0  # random play never wins


def test_few_eggs_and_greedy_play_reach_the_last_egg() -> None:
    """With two eggs each a game ends by the last egg."""
    assert play(2, 40, "greedy", eggs=2)["last_egg"] >= 40


def test_both_ends_come_in_two_player_games() -> None:
    counts = play(2, 200, "greedy", seed=1)
    assert counts["last_egg"] > 0 and counts["last_tile"] > 0


def greedy_games(num_players: int, games: int, **options: Any) -> Any:
    """Finished games of greedy players."""
    game = isle_envs.make_game("islet", num_players=num_players, **options)
    batch = game.batch(games, seed=11)
    policy = make_policy("greedy", game)
    streams = rng.streams(rng.numbered_keys(11, games), rng.SEAT)
    while not batch.terminated.all():
        batch.step(policy.act(batch, np.ones(games, np.bool_), streams))
    return batch


@pytest.mark.parametrize(("eggs", "least"), [(10, 0.25), (6, 0.75)])
def test_greedy_wins_alone(eggs: int, least: float) -> None:
    batch = greedy_games(1, 300, eggs=eggs)
    assert (batch.ranks()[:, 0] == 1).all()
    assert (batch.states.laid[:, 0] == eggs).mean() >= least


def test_the_winner_of_two_greedy_players_lays_more_than_nine_eggs() -> None:
    assert greedy_games(2, 200).scores().max(1).mean() > 9


def test_greedy_beats_random() -> None:
    game = isle_envs.make_game("islet")
    batch = game.batch(60, seed=2)
    greedy, everywhere = make_policy("greedy", game), np.ones(60, np.bool_)
    streams = rng.streams(rng.numbered_keys(2, 60), rng.SEAT)
    learner = np.arange(60) % 2
    while not batch.terminated.all():
        planned = greedy.act(batch, everywhere, streams)
        batch.step(np.where(batch.current_player == learner, planned, batch.sample_legal()))
    assert (batch.ranks()[np.arange(60), learner] == 1).mean() > 0.95


def test_info_names_the_end_and_the_band() -> None:
    """The rulebook's bands: 15 and more, 10, 7, 4, fewer tiles left."""
    game = isle_envs.make_game("islet", num_players=1)
    batch = greedy_games(1, 100)
    bands = {"IDEAL ECOSYSTEM": 15, "YOU SAVED": 10, "THE WILDLIFE": 7, "THE FLORA": 4, "TRY AGAIN": 0}
    for state in batch.states:
        info = game.info(state)
        if info["end"] == "lost":
            assert info["band"] == ""
            continue
        assert info["end"] == "won" and info["eggs_laid"] == [10]
        expected = next(words for words, least in bands.items() if info["tiles_left"] >= least)
        assert info["band"].startswith(expected)
    fresh = game.info(game.batch(1).states[0])
    assert fresh == {"end": "", "eggs_laid": [0], "tiles_left": 90 - 12 - 4, "band": ""}


def test_a_new_world_keeps_the_tile_that_everybody_saw_picked() -> None:
    game = isle_envs.make_game("islet", num_players=2)
    batch = game.batch(50, seed=9)
    batch.step(batch.action_mask[:, :9].argmax(1))  # every first player picks its first kind
    worlds = game.redeal(batch.states, np.ones(50, np.int64), np.arange(50))
    assert (worlds.picked == batch.states.picked).all()
    assert (worlds.hand[np.arange(50), 0, worlds.picked] > 0).all()
    assert (worlds.hand[:, 0].sum(1) == 4).all() and (worlds.hand[:, 1] == batch.states.hand[:, 1]).all()
    assert (worlds.hand[:, 0] != batch.states.hand[:, 0]).any()
    game.batch(states=worlds)

"""The official checkers and our own, over every environment id, player count, board and reward; unknown warnings are errors."""

from __future__ import annotations

import functools
import importlib
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import isle_envs
from isle_envs import testing
from isle_envs.core.game import Game
from isle_envs.core.loops import sample
from isle_envs.core.rng import SAMPLER, episode_key, streams
from isle_envs.envs import aec
from isle_envs.envs.solo import SeatEnv

with warnings.catch_warnings():  # at import, of an environment of PettingZoo's own
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "isle_tiles": [
        {"num_players": players, "board": board, "reward": reward, "tasks": tasks}
        for players, board, (reward, tasks) in itertools.product(
            (2, 3, 4), ("first_game", "random", "draft"), (("outcome", "random"), ("margin", "first_game"))
        )
    ],
    "islet": [
        *({"num_players": players, "reward": reward} for players in (2, 3, 4) for reward in ("outcome", "margin")),
        *({"num_players": 1, "eggs": eggs} for eggs in ("rulebook", 6)),
    ],
    "isla": [
        *({"num_players": players, "reward": reward} for players in (2, 3, 4) for reward in ("outcome", "margin")),
        {"num_players": 3, "threat_per_one": True},
        *({"num_players": 1, "keeper": keeper} for keeper in ("recommended", "Hollow Antler", "random")),
    ],
}
"""For every game the options that it is tried with."""
GAMES = [(name, options) for name, several in OPTIONS.items() for options in several]
IDS = [spec for spec in gymnasium.registry.values() if spec.namespace == "isle_envs"]
SINGLE = [
    (spec.id, options)
    for spec in IDS
    for options in OPTIONS[spec.kwargs["game"]]
    if spec.name.endswith("Solo") == (options["num_players"] == 1)
]
OBSERVATIONS = ("scaled", "raw")

# What PettingZoo's api_test says of any environment with a mask in a dictionary that is none of its own.
KNOWN = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
)


def named(values: Any) -> str:
    return "-".join(map(str, values.values())) if isinstance(values, dict) else str(values)


@pytest.fixture(autouse=True)
def quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """The checkers print."""


def test_every_id_and_game_is_tried() -> None:
    assert {id for id, _ in SINGLE} == {spec.id for spec in IDS}
    assert set(OPTIONS) == set(isle_envs.GAMES)
    for name, kind in isle_envs.GAMES.items():
        assert {options["num_players"] for options in OPTIONS[name]} == set(kind.player_counts)
    if hasattr(pettingzoo, "aec_registry"):
        ids = {spec.id for spec in pettingzoo.aec_registry.values() if spec.namespace == "isle_envs"}
        assert ids == {f"isle_envs/{name}-v0" for name in OPTIONS}


# ------------------------------------------------------------------------------------------------------ Official checkers


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize(("id", "options"), SINGLE, ids=named)
def test_gymnasium_check_env(id: str, options: dict[str, Any], observation: str) -> None:
    check_env(gymnasium.make(id, observation=observation, **options).unwrapped)


@pytest.mark.parametrize("seat", ["rotate", "last"])
@pytest.mark.parametrize(("id", "options"), SINGLE, ids=named)
def test_stable_baselines3_check_env(id: str, options: dict[str, Any], seat: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    fixed = options["num_players"] - 1 if seat == "last" else seat
    checker.check_env(gymnasium.make(id, seat=fixed, opponents="greedy", **options))


@pytest.mark.parametrize("make", [aec.env, aec.raw_env])
@pytest.mark.parametrize(("game", "options"), GAMES, ids=named)
def test_pettingzoo_api_test(make: Callable[..., Any], game: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(game, **options), num_cycles=200)
    assert {str(warning.message) for warning in caught} <= set(KNOWN)


@pytest.mark.parametrize(("game", "options"), GAMES, ids=named)
def test_pettingzoo_seed_and_render_tests(game: str, options: dict[str, Any]) -> None:
    seed_test(functools.partial(aec.env, game, **options), num_cycles=50)
    render_test(functools.partial(aec.env, game, **options))


@pytest.mark.parametrize("game", OPTIONS)
def test_pettingzoo_registry_and_module(game: str) -> None:
    module = importlib.import_module(f"isle_envs.{game}_v0")
    makers: list[Callable[..., Any]] = [module.env, module.raw_env]
    if hasattr(pettingzoo, "make"):
        makers.append(functools.partial(pettingzoo.make, "aec", f"isle_envs/{game}-v0"))
    for make in makers:
        seed_test(make, num_cycles=50)
        render_test(make)
        testing.check_aec(make, games=1)


# --------------------------------------------------------------------------------------------------------------- Our own


@pytest.mark.parametrize(("game", "options"), GAMES, ids=named)
def test_games(game: str, options: dict[str, Any]) -> None:
    testing.check_game(isle_envs.make_game(game, **options), positions=8)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_draft_itself(players: int) -> None:
    """The first decisions of many drafts: of positions from all over a game few are among them."""
    game = isle_envs.make_game("isle_tiles", num_players=players, board="draft")
    drafting = early(game, 8, 9)
    batch = game.batch(states=drafting)
    for seat in range(players):
        keys = np.arange(len(drafting), dtype=np.uint64)
        other = game.batch(states=game.redeal(drafting, np.full(len(drafting), seat), keys))
        np.testing.assert_array_equal(other.action_mask, batch.action_mask)
        seats = np.full(len(drafting), seat)
        np.testing.assert_array_equal(other.observe(seats=seats), batch.observe(seats=seats))
        for a, b in zip(other.states, batch.states, strict=True):
            assert game.describe(a, seat) == game.describe(b, seat)
            assert game.text(a, seat) == game.text(b, seat)
    for i, state in enumerate(batch.states):
        read = game.batch(states=game.undescribe(game.describe(state)))
        np.testing.assert_array_equal(read.action_mask[0], batch.action_mask[i])
        legal = np.flatnonzero(batch.action_mask[i])
        after = game.batch(states=np.repeat(drafting[i : i + 1], len(legal)))
        after.step(legal)
        assert after.action_mask.any(axis=1).all()


def early(game: Game, n: int, decisions: int) -> Any:
    """Positions of n games in their first decisions."""
    batch = game.batch(n, 1)
    kept = []
    for _ in range(decisions):
        kept.append(np.array(batch.states))
        batch.step(batch.sample_legal())
    return np.concatenate(kept)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize(("game", "options"), GAMES, ids=named)
def test_aec_environments(game: str, options: dict[str, Any], observation: str) -> None:
    for make in (aec.env, aec.raw_env):
        testing.check_aec(functools.partial(make, game, observation=observation, **options), games=1)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize(("id", "options"), SINGLE, ids=named)
def test_single_environments(id: str, options: dict[str, Any], observation: str) -> None:
    make = functools.partial(gymnasium.make, id, opponents="greedy", observation=observation, **options)
    testing.check_gymnasium(make, episodes=2)


# -------------------------------------------------------------------------------------------- Scalar = batched = AEC


@pytest.mark.parametrize(("game", "options"), GAMES, ids=named)
def test_scalar_batched_and_aec_games_are_the_same(game: str, options: dict[str, Any]) -> None:
    """The same keys and actions: game i of a batch, a batch of one, and the raw and scaled environments."""
    made = isle_envs.make_game(game, **options)
    seed, n = 13, 3
    keys = np.array([episode_key(seed + i, 0) for i in range(n)], np.uint64)
    batch = made.batch(n)
    batch.reset(seeds=keys)
    ones = [made.batch(1) for _ in range(n)]
    raws: list[Any] = [aec.raw_env(made, observation="raw") for _ in range(n)]
    envs: list[Any] = [aec.env(made, observation="raw") for _ in range(n)]
    scaled: Any = aec.env(made)
    for i, one in enumerate(ones):
        one.reset(seeds=keys[i : i + 1])
        raws[i].reset(seed=seed + i)
        envs[i].reset(seed=seed + i)
    scaled.reset(seed=seed)
    stream = streams([1], SAMPLER)
    while not batch.terminated.all():
        seen = batch.observe()
        actions = np.array([sample(mask, stream[0]) for mask in batch.action_mask])
        for i, one in enumerate(ones):
            if actions[i] < 0:
                continue
            np.testing.assert_array_equal(one.observe()[0], seen[i])
            np.testing.assert_array_equal(one.action_mask[0], batch.action_mask[i])
            for env in (raws[i], envs[i]):
                observation = env.last()[0]
                np.testing.assert_array_equal(observation["observation"], seen[i])
                np.testing.assert_array_equal(observation["action_mask"], batch.action_mask[i])
                assert env.agent_selection == f"player_{batch.current_player[i]}"
        if actions[0] >= 0:
            np.testing.assert_array_equal(scaled.last()[0]["observation"], seen[0] * made.observation.scale)
            scaled.step(int(actions[0]))
        batch.step(actions)
        for i, one in enumerate(ones):
            if actions[i] >= 0:
                one.step(actions[i : i + 1])
                assert one.states.tobytes() == batch.states[i].tobytes()
                np.testing.assert_array_equal(one.rewards[0], batch.rewards[i])
                for env in (raws[i], envs[i]):
                    env.step(int(actions[i]))
                    assert list(env.rewards.values()) == batch.rewards[i].tolist()
    ranks = batch.ranks()
    for i in range(n):
        assert [info["rank"] for info in raws[i].infos.values()] == ranks[i].tolist()


def test_a_single_environment_of_a_given_game() -> None:
    game = isle_envs.make_game("isle_tiles", num_players=3, board="draft")
    check_env(SeatEnv(game), skip_render_check=True)

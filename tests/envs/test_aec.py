"""The PettingZoo environments: seeds, observations, order of calls, illegal actions, clones."""

from __future__ import annotations

import copy
import logging
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Box, Discrete
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

import isle_envs
from isle_envs import isle_tiles_v0, islet_v0
from isle_envs.core.rng import episode_key
from isle_envs.envs import aec
from isle_envs.envs.registration import register
from tests.sticks import FORFEIT, Sticks


def play(env: Any, decisions: int, seed: int = 0) -> list[int]:
    """Random legal decisions; returns them."""
    rng = np.random.default_rng(seed)
    played = []
    for _ in range(decisions):
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            break
        played.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(played[-1])
    return played


def forbidden(env: Any) -> int:
    return int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])


@pytest.fixture(params=[aec.env, aec.raw_env], ids=["env", "raw_env"])
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param  # type: ignore[no-any-return]


# ----------------------------------------------------------------------------------------------------------------- Form


@pytest.mark.parametrize(("observation", "dtype"), [("scaled", np.float32), ("raw", np.int8)])
def test_agents_and_spaces(make: Callable[..., Any], observation: str, dtype: Any) -> None:
    env = make("isle_tiles", num_players=3, observation=observation)
    game = env.unwrapped.game
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert set(space.spaces) == {"observation", "action_mask"}
        assert space["observation"].dtype == dtype
        assert space["observation"].shape == (game.observation.size,)
        assert space["action_mask"] == Box(0, 1, (game.num_actions,), np.int8)
        assert env.action_space(agent) == Discrete(game.num_actions)
        assert space is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
    assert str(env.unwrapped) == "isle_tiles_v0"
    assert env.metadata["is_parallelizable"] is False


def test_observations_are_the_batch_observations_of_the_seat() -> None:
    scaled, raw = aec.env("isle_tiles"), aec.env("isle_tiles", observation="raw")
    for env in (scaled, raw):
        env.reset(seed=5)
        play(env, 17)
    batch = raw.unwrapped.batch
    for seat, agent in enumerate(raw.agents):
        plain = batch.observe(seats=[seat])[0]
        np.testing.assert_array_equal(raw.observe(agent)["observation"], plain)
        expected = plain * batch.game.observation.scale
        np.testing.assert_array_equal(scaled.observe(agent)["observation"], expected)
        deciding = agent == raw.agent_selection
        np.testing.assert_array_equal(raw.observe(agent)["action_mask"], batch.action_mask[0] * deciding)


def test_infos_are_the_same_numbers_from_reset_to_end(make: Callable[..., Any]) -> None:
    env = make("isle_tiles", num_players=2)
    env.reset(seed=3)
    keys = {"score", "rank", "illegal_action"}
    while not any(env.terminations.values()):
        assert all(set(info) == keys for info in env.infos.values())
        assert [info["rank"] for info in env.infos.values()] == [0, 0]
        scores = env.unwrapped.batch.scores()[0].tolist()
        assert [info["score"] for info in env.infos.values()] == scores
        play(env, 1)
    assert all(set(info) == keys for info in env.infos.values())
    assert sorted(info["rank"] for info in env.infos.values()) == [1, 2]
    assert all(info["illegal_action"] == -1 for info in env.infos.values())


def test_rewards_add_up_until_the_next_action() -> None:
    env = aec.env(Sticks(num_players=2))
    env.reset(seed=0)
    env.step(1)  # two sticks
    assert env.rewards == pytest.approx({"player_0": 0.2, "player_1": -0.1})
    assert env.last()[1] == pytest.approx(-0.1)
    env.step(0)  # one stick: player_1 decides again
    assert env.agent_selection == "player_1"
    assert env.last()[1] == pytest.approx(0.1)
    env.step(2)
    assert env.last()[1] == pytest.approx(0.2 - 0.05 - 0.15, abs=1e-6)


# ---------------------------------------------------------------------------------------------------------------- Seeds


def test_episode_k_of_seed_s_has_the_key_of_both(make: Callable[..., Any]) -> None:
    env = make("isle_tiles")
    for seed in (7, -1, 2**70):
        for k in range(3):
            env.reset(seed=seed if k == 0 else None)
            key = episode_key(seed, k)
            assert env.unwrapped.key == key
            assert env.unwrapped.batch.states["stream"]["key"][0] == key
    assert env.unwrapped.batch.states.tobytes() == _dealt(make, 2**70, 2)


def _dealt(make: Callable[..., Any], seed: int, episode: int) -> bytes:
    env = make("isle_tiles")
    env.reset(seed=np.int64(seed) if seed < 2**63 else seed)
    for _ in range(episode):
        env.reset()
    return bytes(env.unwrapped.batch.states.tobytes())


def test_never_seeded_draws_a_seed_once(make: Callable[..., Any]) -> None:
    first, second = make("isle_tiles"), make("isle_tiles")
    keys = []
    for env in (first, second):
        for _ in range(2):
            env.reset()
            keys.append(int(env.unwrapped.key))
    assert len(set(keys)) == 4
    assert keys[:2] == [int(episode_key(first.unwrapped._seed, k)) for k in range(2)]


def test_reset_accepts_options_and_begins_anew(make: Callable[..., Any]) -> None:
    env = make("isle_tiles")
    env.reset(seed=1, options={"anything": 1})
    start = env.unwrapped.batch.states.tobytes()
    play(env, 20)
    env.reset(seed=1)
    assert env.unwrapped.batch.states.tobytes() == start
    assert env.unwrapped.actions == []
    assert env.agents == env.possible_agents
    assert env.unwrapped._cumulative_rewards == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize("seed", [1.5, "1"])
def test_a_seed_is_an_integer(make: Callable[..., Any], seed: Any) -> None:
    with pytest.raises(TypeError, match="integer"):
        make("isle_tiles").reset(seed=seed)


# ------------------------------------------------------------------------------------------------------- Illegal actions


@pytest.mark.parametrize("decisions", [0, 3, 30])
@pytest.mark.parametrize("players", [2, 3])
def test_an_illegal_action_ends_the_game(caplog: pytest.LogCaptureFixture, decisions: int, players: int) -> None:
    env: Any = aec.env("isle_tiles", num_players=players, reward="margin")
    env.reset(seed=2)
    play(env, decisions)
    offender, action = env.agent_selection, forbidden(env)
    seat = env.agents.index(offender)
    forfeit = float(env.unwrapped.batch.measure()[2][0, seat])
    with caplog.at_level(logging.WARNING):
        env.step(action)
    assert env.rewards == {agent: forfeit if agent == offender else 0.0 for agent in env.possible_agents}
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    assert {agent: info["illegal_action"] for agent, info in env.infos.items()} == {
        agent: action if agent == offender else -1 for agent in env.possible_agents
    }
    label = env.unwrapped.game.actions.label(action)
    assert label in env.unwrapped.illegal_move
    assert f"seat {seat} is to" in env.unwrapped.illegal_move
    assert [record.getMessage() for record in caplog.records] == [f"{env.unwrapped.illegal_move}; the game ends"]
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
    for left in range(players, 0, -1):
        assert len(env.agents) == left
        assert env.last()[1] == (forfeit if env.agent_selection == offender else 0.0)
        env.step(None)
    env.reset()
    assert env.unwrapped.illegal_move is None
    assert env.last()[0]["action_mask"].any()


def test_the_offenders_return_is_settled_not_only_its_reward() -> None:
    env = aec.env(Sticks(num_players=2))
    env.reset(seed=0)
    env.step(2)
    env.step(1)
    returns = {"player_0": 0.3 - 0.1, "player_1": -0.15 + 0.2}
    while env.unwrapped.batch.action_mask.all():
        count = {agent: info["score"] for agent, info in env.infos.items()}
        agent = env.agent_selection
        env.step(2)
        taken = env.infos[agent]["score"] - count[agent]
        for other in returns:
            returns[other] += 0.1 * taken if other == agent else -0.05 * taken
    offender = env.agent_selection
    env.step(2)
    assert returns[offender] + env.rewards[offender] == pytest.approx(FORFEIT, abs=1e-6)
    assert sum(abs(reward) for agent, reward in env.rewards.items() if agent != offender) == 0


@pytest.mark.parametrize("make_strict", [aec.raw_env, lambda game: aec.env(game, illegal="raise")])
def test_strict_environments_raise_and_change_nothing(make_strict: Callable[..., Any]) -> None:
    env = make_strict("isle_tiles")
    env.reset(seed=2)
    play(env, 11)
    before = pickle.dumps(vars(env.unwrapped.batch.copy())["states"]), env.agent_selection, dict(env.rewards)
    action = forbidden(env)
    with pytest.raises(isle_envs.IllegalActionError) as caught:
        env.step(action)
    assert (caught.value.action, caught.value.label) == (action, env.unwrapped.game.actions.label(action))
    assert (pickle.dumps(vars(env.unwrapped.batch.copy())["states"]), env.agent_selection, env.rewards) == before
    assert len(env.unwrapped.actions) == 11
    play(env, 1000)
    assert all(env.terminations.values())


@pytest.mark.parametrize("action", [np.int64(5), np.int32(5), np.array(5), np.uint8(5)])
def test_numpy_integers_are_actions(make: Callable[..., Any], action: Any) -> None:
    env = make("isle_tiles")
    env.reset(seed=2)
    if not env.last()[0]["action_mask"][5]:
        pytest.fail("choose another seed")
    env.step(action)
    assert env.unwrapped.actions == [5]


@pytest.mark.parametrize("action", [-1, 378, 2**32 - 1, 10**30, -(10**30), 3.0, None, "5", np.array([5])])
def test_an_action_outside_the_space(action: Any) -> None:
    for illegal in ("terminate", "raise"):
        env = aec.env("isle_tiles", illegal=illegal)
        env.reset(seed=2)
        with pytest.raises(AssertionError, match="is not in action space"):
            env.step(action)
        assert env.unwrapped.actions == []
    raw = aec.raw_env("isle_tiles")
    raw.reset(seed=2)
    with pytest.raises((isle_envs.IllegalActionError, TypeError)):
        raw.step(action)
    assert raw.actions == []


# --------------------------------------------------------------------------------------------------------- Order of calls

AFTER_RESET = ["agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]


def standard() -> Any:
    """What PettingZoo's own wrappers make of it."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(aec.raw_env("isle_tiles")))


@pytest.mark.parametrize("make_guarded", [lambda: aec.env("isle_tiles"), standard], ids=["ours", "PettingZoo's"])
class TestGuarantees:
    """The same for our wrapper and for the two of PettingZoo that it replaces."""

    @pytest.mark.parametrize("name", AFTER_RESET)
    def test_reading_before_reset(self, make_guarded: Callable[[], Any], name: str) -> None:
        env = make_guarded()
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            getattr(env, name)

    @pytest.mark.parametrize(
        "call",
        [
            lambda env: env.step(5),
            lambda env: env.observe("player_0"),
            lambda env: env.render(),
            lambda env: env.agent_iter(),
        ],
    )
    def test_calling_before_reset(self, make_guarded: Callable[[], Any], call: Callable[[Any], Any]) -> None:
        with pytest.raises(AssertionError, match="needs to be called before"):
            call(make_guarded())

    def test_last_before_reset(self, make_guarded: Callable[[], Any]) -> None:
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            make_guarded().last()

    def test_agent_iter_without_steps(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset(seed=0)
        turns = iter(env.agent_iter())
        next(turns)
        with pytest.raises(AssertionError, match="need to call step"):
            next(turns)

    def test_agent_iter_ends(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset(seed=0)
        assert len([play(env, 1) for _ in env.agent_iter(5)]) == 5
        play(env, 1000)
        count = 0
        for _ in env.agent_iter():
            env.step(None)
            count += 1
        assert count == 2

    def test_step_after_the_end_is_a_logged_warning(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset(seed=0)
        play(env, 1000)
        env.step(None)
        env.step(None)
        EnvLogger.flush()
        EnvLogger.suppress_output()
        try:
            env.step(None)
        finally:
            EnvLogger.unsuppress_output()
        assert any("step() called after all agents" in str(message) for message in EnvLogger.mqueue)

    def test_a_done_agent_only_steps_with_none(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset(seed=0)
        play(env, 1000)
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(5)

    def test_out_of_bounds(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset(seed=0)
        for action in (378, -1, None, 2.0):
            with pytest.raises(AssertionError, match="not in action space"):
                env.step(action)

    def test_private_names_are_prohibited(self, make_guarded: Callable[[], Any]) -> None:
        env = make_guarded()
        env.reset()
        with pytest.raises(AttributeError, match="private"):
            _ = env._viewer
        assert env._cumulative_rewards == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(5),
        lambda env: env.last(),
        lambda env: env.observe("player_0"),
        lambda env: env.agents,
    ],
)
def test_the_raw_environment_before_reset(call: Callable[[Any], Any]) -> None:
    env = aec.raw_env("isle_tiles")
    for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(AttributeError, match=r"call reset\(\) first"):
            call(one)
    assert not hasattr(env, "anything")


def test_an_unknown_agent(make: Callable[..., Any]) -> None:
    env = make("isle_tiles")
    env.reset()
    with pytest.raises(KeyError, match="Did you mean 'player_1'"):
        env.observe("player_7")


# ---------------------------------------------------------------------------------------------------------- Construction


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "isle_tile"}, "unknown game 'isle_tile'. Did you mean 'isle_tiles'"),
        ({"bord": "draft"}, "unknown keyword 'bord'. Did you mean 'board'"),
        ({"ilegal": "raise"}, "unknown keyword 'ilegal'. Did you mean 'illegal'"),
        ({"illegal": "raises"}, "illegal: unknown value 'raises'. Did you mean 'raise'"),
        ({"observation": "row"}, "observation: unknown value 'row'. Did you mean 'raw'"),
        ({"render_mode": "rgb_array"}, "render_mode: unknown value 'rgb_array'"),
        ({"board": "drafted"}, "Did you mean 'draft'"),
        ({"num_players": 5}, "num_players must be one of 2, 3, 4, not 5"),
    ],
)
def test_bad_arguments_give_one_clear_error(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        aec.env(**{"game": "isle_tiles", **arguments})
    if "game" not in arguments:
        with pytest.raises(ValueError, match=words.replace(".", r"\.")):
            isle_tiles_v0.env(**arguments)


def test_the_raw_environment_has_no_keyword_illegal() -> None:
    for arguments in ({"num_player": 3}, {"illegal": "raise"}):
        with pytest.raises(ValueError, match="unknown keyword") as caught:
            aec.raw_env("isle_tiles", **arguments)
        assert "illegal" not in str(caught.value).partition("Valid:")[2]


def test_a_game_for_one_is_gymnasiums() -> None:
    for make in (islet_v0.env, islet_v0.raw_env):
        with pytest.raises(ValueError, match=r"num_players must be one of 2, 3, 4, not 1.*IsletSolo-v0"):
            make(num_players=1)


def test_options_of_a_given_game() -> None:
    with pytest.raises(ValueError, match=r"unknown keyword 'board'.*go into make_game"):
        aec.env(isle_envs.make_game("isle_tiles"), board="draft")


def test_module_style_has_the_games_own_defaults() -> None:
    for make in (isle_tiles_v0.env, isle_tiles_v0.raw_env):
        assert make().unwrapped.game == isle_envs.make_game("isle_tiles")
        options: dict[str, Any] = {"num_players": 4, "board": "draft", "tasks": "first_game", "reward": "margin"}
        assert make(**options).unwrapped.game == isle_envs.make_game("isle_tiles", **options)


needs_registry = pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry since 1.27")


@needs_registry
def test_registry() -> None:
    env = pettingzoo.make("aec", "isle_envs/isle_tiles-v0", num_players=3, illegal="raise")
    assert isinstance(env, aec.Guard)
    assert env.unwrapped.game == isle_envs.make_game("isle_tiles", num_players=3)
    with pytest.raises(ValueError, match="Did you mean 'num_players'"):
        pettingzoo.make("aec", "isle_envs/isle_tiles-v0", num_player=3)


def test_registration_without_a_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    register(Sticks, "without_registry")


# ------------------------------------------------------------------------------------------------------ Clones, pictures


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_clones_go_on_identically(make: Callable[..., Any], clone: Callable[[Any], Any]) -> None:
    env = make("isle_tiles", num_players=3)
    env.reset(seed=4)
    env.action_space("player_1").seed(9)
    play(env, 40)
    twin = clone(env)
    assert twin.action_space("player_1").sample() == env.action_space("player_1").sample()
    kept = env.unwrapped.batch.states.tobytes()
    ends = play(twin, 1000, seed=1)
    assert env.unwrapped.batch.states.tobytes() == kept
    assert play(env, 1000, seed=1) == ends
    assert twin.unwrapped.actions == env.unwrapped.actions
    assert twin.rewards == env.rewards
    twin.reset()
    env.reset()
    assert twin.unwrapped.key == env.unwrapped.key


def test_clones_before_reset_and_after_the_end(make: Callable[..., Any]) -> None:
    twin = copy.deepcopy(make("isle_tiles"))
    twin.reset(seed=1)
    play(twin, 1000)
    again = pickle.loads(pickle.dumps(twin))
    assert all(again.terminations.values())
    again.step(None)
    assert len(twin.agents) == 2


def test_rendering(make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    env = make("isle_tiles", render_mode="ansi")
    env.reset(seed=1)
    play(env, 3)
    raw = env.unwrapped
    seat = int(raw.batch.current_player[0])
    assert env.render() == raw.game.text(raw.batch.states[0], seat)
    assert "hidden" in env.render()
    play(env, 1000)
    assert env.render() == raw.game.text(raw.batch.states[0])
    assert capsys.readouterr().out == ""


def test_human_rendering_prints_by_itself(make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    env = make("isle_tiles", render_mode="human")
    env.reset(seed=1)
    assert "is to decide: place the tile" in capsys.readouterr().out
    play(env, 1)
    assert "is to decide: place a marker" in capsys.readouterr().out
    assert env.render() is None
    assert "is to decide: place a marker" in capsys.readouterr().out


def test_rendering_without_a_mode(make: Callable[..., Any]) -> None:
    env = make("isle_tiles")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None

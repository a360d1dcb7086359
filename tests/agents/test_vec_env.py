"""The stable-baselines3 environment: the same games as everywhere else, and what stable-baselines3 expects of it."""

import gymnasium
import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import isle_envs
from agents.vec_env import DriverVecEnv
from isle_envs.envs.driver import EpisodeDriver

GAME = isle_envs.make_game("isle_tiles")


def legal(masks, rng):
    """One legal action a row, all equally likely."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_plays_as_the_driver_does(opponents):
    env = DriverVecEnv(GAME, 5, opponents=opponents, seed=11)
    driver = EpisodeDriver(GAME, 5, opponents=opponents, seed=11)
    rng = np.random.default_rng(0)
    observations = env.reset()
    driver.reset()
    ended = 0
    for _ in range(300):
        np.testing.assert_array_equal(observations, driver.observe() * GAME.observation.scale)
        np.testing.assert_array_equal(get_action_masks(env), driver.action_mask)
        actions = legal(driver.action_mask, rng)
        observations, rewards, dones, infos = env.step(actions)
        driver.step(actions)
        np.testing.assert_array_equal(rewards, driver.rewards)
        np.testing.assert_array_equal(dones, driver.terminated)
        for i in np.flatnonzero(dones):
            last = driver.observe()[i] * GAME.observation.scale
            np.testing.assert_array_equal(infos[i]["terminal_observation"], last)
            assert infos[i]["episode"]["r"] == driver.returns[i]
        assert all(info == {} for info in np.array(infos, object)[~dones])
        ended += dones.sum()
        driver.reset(where=dones.copy())
    assert ended >= 10


def test_copy_i_is_the_single_environment_seeded_one_higher():
    env = DriverVecEnv(GAME, 3, seed=20)
    singles = [gymnasium.make("isle_envs/IsleTiles-v0", disable_env_checker=True) for _ in range(3)]
    rng = np.random.default_rng(1)
    observations = env.reset()
    for i, single in enumerate(singles):
        observation, info = single.reset(seed=20 + i)
        np.testing.assert_array_equal(observations[i], observation)
    for _ in range(150):
        masks = env.action_masks()
        actions = legal(masks, rng)
        observations, rewards, dones, infos = env.step(actions)
        for i, single in enumerate(singles):
            observation, reward, terminated, truncated, info = single.step(actions[i])
            assert (reward, terminated, truncated) == (rewards[i], dones[i], False)
            if terminated:
                np.testing.assert_array_equal(infos[i]["terminal_observation"], observation)
                observation, info = single.reset()
            np.testing.assert_array_equal(observations[i], observation)
            np.testing.assert_array_equal(env.action_masks()[i], info["action_mask"].astype(bool))


def test_masks_and_observations_after_an_end_are_those_of_the_next_episode():
    env = DriverVecEnv(GAME, 8, seed=0)
    env.reset()
    rng = np.random.default_rng(2)
    ended = 0
    for _ in range(80):
        observations, _, dones, _ = env.step(legal(env.action_masks(), rng))
        assert env.action_masks().any(axis=1).all()
        fresh = GAME.observation.split(observations)["height"].sum(axis=1)
        assert (fresh[dones] <= 2 / 17).all()  # at most the opponent's first tile lies on the board
        ended += dones.sum()
    assert ended >= 8


def test_hands_out_copies():
    env = DriverVecEnv(GAME, 4, seed=5)
    twin = DriverVecEnv(GAME, 4, seed=5)
    rng = np.random.default_rng(3)
    env.reset()[:] = 7
    twin.reset()
    for _ in range(100):
        actions = legal(twin.action_masks(), rng)
        spoilt, expected = env.step(actions), twin.step(actions)
        for a, b in zip(spoilt[:3], expected[:3], strict=True):
            np.testing.assert_array_equal(a, b)
            a[:] = 1
        for info in spoilt[3]:
            if info:
                info["terminal_observation"][:] = 9
            info["mine"] = True
        env.action_masks()[:] = False
        for mask in env.env_method("action_masks"):
            mask[:] = False


def test_an_episode_is_summed_up_as_monitor_does():
    env = DriverVecEnv(GAME, 2, seed=1)
    with pytest.warns(UserWarning, match="already wrapped"):  # since it says that it writes what Monitor writes
        outside = VecMonitor(DriverVecEnv(GAME, 2, seed=1))
    rng = np.random.default_rng(4)
    env.reset()
    outside.reset()
    for _ in range(150):
        actions = legal(env.action_masks(), rng)
        infos, expected = env.step(actions)[3], outside.step(actions)[3]
        for info, other in zip(infos, expected, strict=True):
            assert ("episode" in info) == ("episode" in other)
            if "episode" in info:
                assert (info["episode"]["r"], info["episode"]["l"]) == (other["episode"]["r"], other["episode"]["l"])
                assert info["is_success"] == (info["episode"]["r"] > 0)
                assert info["TimeLimit.truncated"] is False


def test_an_illegal_action_ends_the_episode_and_is_named():
    env = DriverVecEnv(GAME, 2, seed=1)
    env.reset()
    masks = env.action_masks()
    actions = masks.argmax(axis=1)
    actions[1] = masks[1].argmin()
    _, rewards, dones, infos = env.step(actions)
    assert dones.tolist() == [False, True]
    assert infos[1]["illegal_action"] == actions[1]
    assert rewards[1] == infos[1]["episode"]["r"] == -1
    assert env.action_masks()[1].any()


def test_shaping_pays_for_every_point_of_the_lead():
    game = isle_envs.make_game("isle_tiles", num_players=3)
    env = DriverVecEnv(game, 4, opponents="greedy", seed=2, shaping=0.5)
    driver = EpisodeDriver(game, 4, opponents="greedy", seed=2)

    def lead():
        scores = driver.batch.scores().tolist()
        return np.array([own.pop(seat) - max(own) for own, seat in zip(scores, driver.learner, strict=True)])

    rng = np.random.default_rng(8)
    env.reset()
    driver.reset()
    ended = 0
    for _ in range(120):
        before = lead()
        actions = legal(driver.action_mask, rng)
        _, rewards, dones, infos = env.step(actions)
        driver.step(actions)
        np.testing.assert_allclose(rewards, driver.rewards + 0.5 * (lead() - before))
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] == pytest.approx(driver.returns[i], abs=1e-6)
        ended += dones.sum()
        driver.reset(where=dones.copy())
    assert ended


def test_a_step_limit_truncates():
    env = DriverVecEnv(GAME, 3, seed=1, max_episode_steps=10)
    env.reset()
    rng = np.random.default_rng(5)
    for step in range(1, 31):
        _, rewards, dones, infos = env.step(legal(env.action_masks(), rng))
        assert dones.all() == dones.any() == (step % 10 == 0)
        if dones.any():
            assert all(info["TimeLimit.truncated"] and info["episode"]["l"] == 10 for info in infos)
            assert not rewards.any()
            assert env.action_masks().any(axis=1).all()


def test_seeds():
    first = DriverVecEnv(GAME, 3, seed=9).reset()
    env = DriverVecEnv(GAME, 3)
    assert list(env.seed(9)) == [9, 10, 11]
    np.testing.assert_array_equal(env.reset(), first)
    second = env.reset()  # unseeded: the next episode of each copy
    assert (second != first).any()
    env.seed(9)
    np.testing.assert_array_equal(env.reset(), first)
    np.testing.assert_array_equal(env.reset(), second)
    assert (DriverVecEnv(GAME, 3).reset() != DriverVecEnv(GAME, 3).reset()).any()


def test_reset_takes_no_options():
    env = DriverVecEnv(GAME, 2, seed=0)
    env.set_options({"board": "draft"})
    with pytest.raises(ValueError, match="takes none"):
        env.reset()


def test_attributes_of_copies():
    env = DriverVecEnv(GAME, 3, seed=0)
    env.reset()
    assert is_masking_supported(env)
    assert env.get_attr("render_mode") == [None, None, None]
    np.testing.assert_array_equal(env.get_attr("action_masks", 1)[0](), env.action_masks()[1])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), env.action_masks()[[2, 0]])
    assert not env.has_attr("level")
    env.set_attr("level", 3, indices=[0, 2])
    assert env.get_attr("level", indices=[0, 2]) == [3, 3]
    with pytest.raises(AttributeError, match="level"):
        env.get_attr("level")
    with pytest.raises(AttributeError, match="fly"):
        env.env_method("fly")
    assert env.env_is_wrapped(Monitor) == [True, True, True]
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit, indices=0) == [False]
    env.close()


def test_spaces():
    env = DriverVecEnv(GAME, 4, seed=0)
    observations = env.reset()
    assert observations.dtype == np.float32
    assert all(env.observation_space.contains(row) for row in observations)
    assert env.action_space.n == GAME.num_actions


def test_works_under_a_wrapper():
    env = VecNormalize(DriverVecEnv(GAME, 4, seed=0), norm_obs=False)
    env.reset()
    rng = np.random.default_rng(6)
    for _ in range(70):
        masks = get_action_masks(env)
        assert masks.any(axis=1).all()
        env.step(legal(masks, rng))


def test_more_players_and_every_seat():
    game = isle_envs.make_game("isle_tiles", num_players=4)
    env = DriverVecEnv(game, 4, opponents=["greedy", "random", "random"], seed=3)
    env.reset()
    rng = np.random.default_rng(7)
    seats = set()
    for _ in range(200):
        seats |= set(env.driver.learner.tolist())
        _, rewards, dones, _ = env.step(legal(env.action_masks(), rng))
        assert set(rewards[dones].tolist()) <= {1.0, np.float32(-1 / 3)}
    assert seats == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"max_episode_steps": 0}, "max_episode_steps must be None or a whole number above 0, not 0"),
        ({"max_episode_steps": 1.5}, "max_episode_steps"),
        ({"shaping": float("nan")}, "shaping must be a finite number, not nan"),
        ({"shaping": "x"}, "shaping"),
        ({"opponents": "gredy"}, "Did you mean 'greedy'"),
    ],
)
@pytest.mark.parametrize("game", [GAME, isle_envs.make_game("isla", num_players=1)], ids=["two", "one"])
def test_wrong_keywords(game, keywords, words):
    with pytest.raises(ValueError, match=words):
        DriverVecEnv(game, 2, **keywords)


@pytest.mark.parametrize(
    ("actions", "error"), [([55.9, 55.9], TypeError), ([float("nan")] * 2, TypeError), ([1], ValueError)]
)
def test_wrong_actions_change_nothing(actions, error):
    env = DriverVecEnv(GAME, 2, seed=1)
    env.reset()
    before = env.driver.batch.states.tobytes()
    with pytest.raises(error):
        env.step(np.array(actions))
    assert env.driver.batch.states.tobytes() == before


def test_a_negative_seed_is_one_like_others():
    first, again = DriverVecEnv(GAME, 2, seed=-1), DriverVecEnv(GAME, 2, seed=-1)
    np.testing.assert_array_equal(first.reset(), again.reset())

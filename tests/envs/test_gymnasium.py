"""The Gymnasium environments: infos, seats, seeds, illegal actions, clones, registration."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete

import isle_envs
from isle_envs.core.rng import episode_key
from isle_envs.envs import aec
from isle_envs.envs.registration import register
from isle_envs.envs.solo import SeatEnv
from tests.envs.opponents import Outside, lowest
from tests.sticks import FORFEIT, Sticks

ID = "isle_envs/IsleTiles-v0"
register(Sticks, "toys")


def make(**arguments: Any) -> SeatEnv:
    env = gymnasium.make(ID, **arguments).unwrapped
    assert isinstance(env, SeatEnv)
    return env


def play(env: Any, info: dict[str, Any], steps: int, seed: int = 0) -> list[Any]:
    """Random legal steps until the end or that many; returns what the steps gave, and changes ``info``."""
    rng = np.random.default_rng(seed)
    given = []
    for _ in range(steps):
        given.append(env.step(int(rng.choice(np.flatnonzero(info["action_mask"])))))
        info = given[-1][-1]
        if given[-1][2]:
            break
    return given


def equal(a: Any, b: Any) -> bool:
    """Observation, reward and so on, infos with their masks."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


# ----------------------------------------------------------------------------------------------------------------- Form


@pytest.mark.parametrize("observation", ["scaled", "raw"])
def test_spaces_and_infos(observation: str) -> None:
    env = make(num_players=3, observation=observation)
    layout = env.game.observation
    if observation == "raw":
        assert env.observation_space == Box(layout.low, layout.high, dtype=np.int8)
    else:
        assert env.observation_space == Box(-1, 1, (layout.size,))
    assert env.action_space == Discrete(378)
    first, info = env.reset(seed=4)
    keys = {"action_mask", "seat", "score", "rank", "illegal_action", "end"}
    steps = play(env, info, 1000)
    for seen, *_, told in [(first, info), *steps]:
        assert set(told) == keys
        assert (told["action_mask"].dtype, told["action_mask"].shape) == (np.int8, (378,))
        assert told["seat"] == 0
        assert told["illegal_action"] == -1
        assert env.observation_space.contains(seen)
    *running, last = [told for *_, told in steps]
    assert all(told["action_mask"].any() and told["rank"] == 0 and told["end"] == "" for told in running)
    assert not last["action_mask"].any()
    assert last["rank"] in (1, 2, 3)
    assert last["end"] == "last_tile"
    reward, terminated, truncated = steps[-1][1:4]
    assert (type(reward), terminated, truncated) == (float, True, False)
    assert reward == (1.0 if last["rank"] == 1 else -0.5)
    assert [step[1:4] for step in steps[:-1]] == [(0.0, False, False)] * len(running)
    assert last["score"] == env.driver.batch.scores()[0, 0]


def test_action_masks_is_bool_and_reached_through_wrappers() -> None:
    env = gymnasium.make(ID)
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, info["action_mask"].astype(bool))
    masks[:] = False
    assert env.get_wrapper_attr("action_masks")().any()


def test_the_mask_and_the_observation_are_the_learners() -> None:
    env = make(num_players=4, observation="raw")
    for k in range(4):
        seen, info = env.reset(seed=1 if k == 0 else None)
        batch = env.driver.batch
        assert info["seat"] == k == batch.current_player[0]
        np.testing.assert_array_equal(info["action_mask"], batch.action_mask[0])
        np.testing.assert_array_equal(seen, batch.observe(seats=[k])[0])
    fixed = make(num_players=4, seat=2)
    assert [fixed.reset()[1]["seat"] for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize("opponents", ["greedy", lowest, ["greedy", lowest, "random"]])
def test_opponents(opponents: Any) -> None:
    env = make(num_players=4, opponents=opponents, reward="margin")
    _, info = env.reset(seed=1)
    last = play(env, info, 1000)[-1]
    scores = env.driver.batch.scores()[0]
    assert last[1] == pytest.approx((scores[0] - scores[1:].max()) / 20, abs=1e-6)


def test_policies_and_names_play_the_same() -> None:
    a = make(num_players=3, opponents=["greedy", "random"])
    b = make(num_players=3, opponents=[Outside("greedy", a.game), "random"])
    for k in range(3):
        starts = [env.reset(seed=8 if k == 0 else None) for env in (a, b)]
        assert equal(*starts)
        assert equal(*(play(env, start[1], 1000) for env, start in zip((a, b), starts, strict=True)))


def test_a_game_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(isle_envs.GAMES, "sticks", Sticks)
    env: Any = gymnasium.make("toys/SticksSolo-v0").unwrapped
    _, info = env.reset(seed=1)
    steps = play(env, info, 100)
    assert sum(step[1] for step in steps) == pytest.approx(1 + 0.1 * env.driver.batch.states["taken"][0, 0])
    assert steps[-1][-1]["end"] == "last_stick"
    versus: Any = gymnasium.make("toys/Sticks-v0").unwrapped
    assert versus.game.num_players == 2


# ---------------------------------------------------------------------------------------------------------------- Seeds


def test_episode_k_of_seed_s_has_the_key_of_both() -> None:
    env = make()
    for seed in (3, 2**64 + 1):
        for k in range(3):
            env.reset(seed=seed if k == 0 else None)
            assert env.driver.batch.states["stream"]["key"][0] == episode_key(seed, k)


def test_the_same_as_the_pettingzoo_environment() -> None:
    single = make(seat=0, opponents=lowest)
    every: Any = aec.env(single.game)
    seen, info = single.reset(seed=6)
    every.reset(seed=6)
    rng = np.random.default_rng(0)
    returns = 0.0
    while True:
        observation, reward, termination, _, told = every.last()
        assert equal(observation, {"observation": seen, "action_mask": info["action_mask"]})
        assert (told["score"], told["rank"]) == (info["score"], info["rank"])
        returns += reward
        if termination:
            break
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, reward, *_, info = single.step(action)
        every.step(action)
        while every.agent_selection != "player_0":
            other = every.last()[0]
            every.step(lowest(other["observation"], other["action_mask"]))
    assert returns == reward


def test_never_seeded_draws_a_seed_once_and_numpy_stays_seeded() -> None:
    env = make()
    keys = [env.reset() and int(env.driver.batch.states["stream"]["key"][0]) for _ in range(3)]
    assert len(set(keys)) == 3
    assert env.driver.episode[0] == 2
    states = [env.reset(seed=5) and env.np_random.bit_generator.state for _ in range(2)]
    assert states[0] == states[1]


def test_reset_accepts_options() -> None:
    env = make()
    assert equal(env.reset(seed=1, options={"anything": 1}), env.reset(seed=1))


def test_vector_copies_are_the_single_ones_of_the_next_seeds() -> None:
    vector = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync", vector_kwargs={"copy": False})
    singles = [make() for _ in range(3)]
    seen, infos = vector.reset(seed=11)
    starts: list[Any] = [env.reset(seed=11 + i) for i, env in enumerate(singles)]
    for _ in range(20):
        for i, (observation, *_, info) in enumerate(starts):
            np.testing.assert_array_equal(seen[i], observation)
            np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
        actions = [int(np.flatnonzero(start[-1]["action_mask"])[-1]) for start in starts]
        seen, *_, infos = vector.step(np.array(actions))
        starts = [env.step(action) for env, action in zip(singles, actions, strict=True)]
    vector.close()


# ------------------------------------------------------------------------------------------------------- Illegal actions


@pytest.mark.parametrize("steps", [0, 7])
def test_an_illegal_action_ends_the_episode(steps: int) -> None:
    env = make(reward="margin")
    _, info = env.reset(seed=1)
    if steps:
        info = play(env, info, steps)[-1][-1]
    forfeit = float(env.driver.batch.measure()[2][0, info["seat"]])
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    seen, reward, terminated, truncated, told = env.step(action)
    assert env.observation_space.contains(seen)
    assert (reward, terminated, truncated) == (forfeit, True, False)
    assert not told["action_mask"].any()
    assert not env.action_masks().any()
    assert (told["illegal_action"], told["end"], told["rank"]) == (action, "illegal_action", 0)
    assert told["illegal_label"] == env.game.actions.label(action)
    assert "is to" in told["illegal_reason"]
    _, info = env.reset()
    assert info["illegal_action"] == -1
    assert "illegal_label" not in info


def test_the_return_is_settled_not_only_the_reward() -> None:
    env = SeatEnv(Sticks(), seat=0)
    env.reset(seed=1)
    total = env.step(1)[1]
    reward, terminated = env.step(99)[1:3]
    assert terminated
    assert total + reward == pytest.approx(FORFEIT, abs=1e-6)


@pytest.mark.parametrize("action", [-1, 378, 10**6])
def test_actions_outside_the_space_are_illegal_too(action: int) -> None:
    env = make()
    env.reset(seed=1)
    info = env.step(action)[-1]
    assert info["illegal_action"] == (action if action > 0 else 378)
    assert info["illegal_label"] in ("no such action", "no action")


@pytest.mark.parametrize("action", [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**64, 10**30, -2, -(2**32), -(10**30)])
def test_integers_of_any_size_are_reported(action: int) -> None:
    env = make()
    env.reset(seed=1)
    terminated, _, info = env.step(action)[2:]
    assert terminated
    assert info["illegal_action"] == (2**31 - 1 if action > 0 else 378)
    assert (info["end"], info["illegal_label"]) == ("illegal_action", "no such action")
    assert info["illegal_reason"].startswith(
        "actions are" if action == 2**31 - 1 else f"{action} was given; actions are"
    )
    strict = make(illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(isle_envs.IllegalActionError) as caught:
        strict.step(action)
    assert caught.value.action == action
    assert not strict.driver.terminated[0]


def test_strict_environments_raise_and_change_nothing() -> None:
    env, twin = make(illegal="raise"), make()
    (_, info), _ = env.reset(seed=1), twin.reset(seed=1)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.raises(isle_envs.IllegalActionError) as caught:
        env.step(action)
    assert caught.value.action == action
    assert equal(play(env, info, 1000), play(twin, info, 1000))


@pytest.mark.parametrize("action", [1.0, None, "1", np.array([1])])
def test_actions_are_integers(action: Any) -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(TypeError):
        env.step(action)


def test_step_without_a_running_episode() -> None:
    env = make()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(5)
    _, info = env.reset(seed=1)
    play(env, info, 1000)
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(5)


def test_truncation_is_the_users_and_settles_nothing() -> None:
    env = gymnasium.make(ID, max_episode_steps=5)
    _, info = env.reset(seed=1)
    assert [step[1:4] for step in play(env, info, 5)] == [(0.0, False, False)] * 4 + [(0.0, False, True)]


# ---------------------------------------------------------------------------------------------------------- Construction


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"bord": "draft"}, "unknown keyword 'bord'. Did you mean 'board'"),
        ({"oponents": "greedy"}, "unknown keyword 'oponents'. Did you mean 'opponents'"),
        ({"opponents": "gredy"}, "unknown policy 'gredy'. Did you mean 'greedy'"),
        ({"observation": "scale"}, "observation: unknown value 'scale'. Did you mean 'scaled'"),
        ({"seat": 2}, "seat must be 'rotate' or in 0 to 1, not 2"),
        ({"num_players": 5}, "num_players must be one of 2, 3, 4, not 5"),
        ({"reward": "margins"}, "Did you mean 'margin'"),
        ({"game": "isla_tiles"}, "unknown game 'isla_tiles'. Did you mean 'isle_tiles'"),
    ],
)
def test_bad_arguments_give_one_clear_error(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        gymnasium.make(ID, **arguments)


def test_the_environment_for_one_is_for_one() -> None:
    with pytest.raises(ValueError, match="num_players must be 1 here, not 2"):
        gymnasium.make("isle_envs/IsletSolo-v0", num_players=2)
    assert gymnasium.make("isle_envs/IsletSolo-v0", num_players=1).unwrapped.game.num_players == 1  # type: ignore[attr-defined]


def test_an_unknown_render_mode() -> None:
    with pytest.raises(ValueError, match="render_mode: unknown value 'rgb'"):
        SeatEnv("isle_tiles", render_mode="rgb")


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_clones_go_on_identically_and_independently(clone: Any) -> None:
    env: Any = gymnasium.make(ID, num_players=3, opponents=["greedy", lowest])
    _, info = env.reset(seed=2)
    env.action_space.seed(3)
    info = play(env, info, 12)[-1][-1]
    twin = clone(env)
    assert twin.action_space.sample() == env.action_space.sample()
    kept = env.unwrapped.driver.batch.states.tobytes()
    rest = play(twin, info, 1000, seed=5)
    assert env.unwrapped.driver.batch.states.tobytes() == kept
    assert equal(play(env, info, 1000, seed=5), rest)
    assert equal(env.reset(), twin.reset())


def test_a_clone_goes_on_in_another_process(tmp_path: Path) -> None:
    env: Any = gymnasium.make(ID, opponents="greedy")
    _, info = env.reset(seed=2)
    info = play(env, info, 9)[-1][-1]
    path = tmp_path / "env.pickle"
    path.write_bytes(pickle.dumps(env))
    code = f"""
import pickle, numpy as np
env = pickle.loads(open({str(path)!r}, "rb").read())
mask, reward, terminated = env.get_wrapper_attr("action_masks")(), 0.0, False
while not terminated:
    _, reward, terminated, _, info = env.step(int(np.flatnonzero(mask)[0]))
    mask = info["action_mask"]
print(reward, info["score"])
"""
    terminated, reward = False, 0.0
    while not terminated:
        _, reward, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert run(code).split() == [str(reward), str(info["score"])]


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="ansi", num_players=2)
    for _ in range(2):
        _, info = env.reset(seed=1)
        text = env.render()
        assert text == env.game.text(env.driver.batch.states[0], info["seat"])
        assert "hidden" in str(text)
    play(env, info, 1000)
    assert env.render() == env.game.text(env.driver.batch.states[0])
    assert capsys.readouterr().out == ""
    env = make(render_mode="human")
    env.reset(seed=1)
    assert "Isle Tiles" in capsys.readouterr().out
    assert env.render() is None


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_without_an_import_line() -> None:
    code = f"import gymnasium; print(gymnasium.make('isle_envs:{ID}').unwrapped.game.name)"
    assert run(code).split() == ["isle_tiles"]


def test_importing_is_light() -> None:
    code = """
import sys, isle_envs
import isle_envs.envs.aec, isle_envs.envs.solo, isle_envs.isle_tiles_v0, isle_envs.core.replay, isle_envs.testing
print([name for name in ("torch", "pygame", "matplotlib", "stable_baselines3", "agents") if name in sys.modules])
"""
    assert run(code).split() == ["[]"]


def test_observations_are_arrays_of_their_own() -> None:
    env = make()
    kept: list[tuple[npt.NDArray[Any], bytes]] = []
    seen, info = env.reset(seed=1)
    for observation, *_, told in [(seen, info), *play(env, info, 50)]:
        kept += [(observation, observation.tobytes()), (told["action_mask"], told["action_mask"].tobytes())]
    assert all(array.tobytes() == content for array, content in kept)
    assert len({array.ctypes.data for array, _ in kept}) == len(kept)


def test_alone_every_info_tells_how_the_game_stands() -> None:
    """90 tiles less twelve on the islets and four in hand; a band only once the game is won."""
    env = gymnasium.make("isle_envs/IsletSolo-v0", eggs=6)
    _, info = env.reset(seed=1)
    assert (info["eggs_laid"], info["tiles_left"], info["band"], info["end"]) == ([0], 74, "", "")
    _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    assert info["tiles_left"] == 74

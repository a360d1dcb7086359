"""The native vector environments: copy i is the single environment seeded ``seed + i``, in every mode."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import isle_envs
from isle_envs.core.errors import IllegalActionError
from isle_envs.envs.vector import SeatVectorEnv
from tests.sticks import Sticks

VECTORS: list[tuple[str, dict[str, Any]]] = [
    ("isle_envs/IsleTiles-v0", {"num_players": 3}),
    ("isle_envs/Islet-v0", {"eggs": 2, "opponents": "greedy"}),
    ("isle_envs/IsletSolo-v0", {"eggs": 6}),
    ("isle_envs/Isla-v0", {"num_players": 4, "seat": 2}),
    ("isle_envs/IslaSolo-v0", {"keeper": "random"}),
]
ID, OPTIONS = VECTORS[3]
MODES = list(AutoresetMode)
NATIVE = "vector_entry_point"


def made(id: str = ID, n: int = 4, **options: Any) -> SeatVectorEnv:
    env = gymnasium.make_vec(id, num_envs=n, vectorization_mode=NATIVE, **options)
    assert isinstance(env.unwrapped, SeatVectorEnv)
    return env.unwrapped


def chosen(vector: SeatVectorEnv, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    """A legal action for each copy; any one where nothing is legal."""
    return np.array([chance.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in vector.action_masks()])


def same(infos: dict[str, Any], i: int, info: dict[str, Any], ended: bool) -> None:
    """The i-th copy's part of ``infos`` is the single environment's ``info``; while it runs, what every info has."""
    keys = info if ended else ("action_mask", "seat", "illegal_action")
    for key in keys:
        assert infos[f"_{key}"][i], key
        np.testing.assert_array_equal(infos[key][i], info[key], err_msg=key)


def test_every_id_has_one() -> None:
    specs = [spec for spec in gymnasium.registry.values() if spec.namespace == "isle_envs"]
    assert {spec.id for spec in specs} == {id for id, _ in VECTORS}
    for spec in specs:
        env = gymnasium.make_vec(spec.id, num_envs=2)  # native is Gymnasium's default where there is one
        assert isinstance(env.unwrapped, SeatVectorEnv)
        seen, infos = env.reset(seed=1)
        assert env.observation_space.contains(seen) and env.action_space.shape == (2,)
        assert infos["action_mask"].dtype == np.int8


@pytest.mark.parametrize("observation", ["scaled", "raw"])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize(("id", "options"), VECTORS, ids=[id for id, _ in VECTORS])
def test_copies_are_single_environments(
    id: str, options: dict[str, Any], mode: AutoresetMode, observation: str
) -> None:
    """Observations, rewards, ends, masks and infos, through autoresets and truncations."""
    n, chance = 3, np.random.default_rng(4)
    keywords = {"observation": observation, "max_episode_steps": 25, **options}
    vector = made(id, n, autoreset_mode=mode, **keywords)
    ones = [gymnasium.make(id, **keywords) for _ in range(n)]
    seen, infos = vector.reset(seed=11)
    for i, one in enumerate(ones):
        first, info = one.reset(seed=11 + i)
        np.testing.assert_array_equal(seen[i], first)
        same(infos, i, info, False)
    over, ends = np.zeros(n, np.bool_), 0
    for _ in range(120):
        actions = chosen(vector, chance)
        if mode is AutoresetMode.DISABLED and over.any():
            seen, infos = vector.reset(options={"reset_mask": over})
            for i in np.flatnonzero(over):
                first, info = ones[i].reset()
                np.testing.assert_array_equal(seen[i], first)
                same(infos, i, info, False)
            over = np.zeros(n, np.bool_)
            continue
        seen, rewards, terminations, truncations, infos = vector.step(actions)
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == np.bool_
        for i, one in enumerate(ones):
            if mode is AutoresetMode.NEXT_STEP and over[i]:
                (one_seen, info), reward, terminated, truncated = one.reset(), 0.0, False, False
            else:
                one_seen, reward, terminated, truncated, info = one.step(int(actions[i]))
            assert (rewards[i], terminations[i], truncations[i]) == (reward, terminated, truncated)
            if terminated or truncated:
                ends += 1
                if mode is AutoresetMode.SAME_STEP:
                    assert infos["_final_obs"][i] and infos["_final_info"][i]
                    np.testing.assert_array_equal(infos["final_obs"][i], one_seen)
                    same(infos["final_info"], i, info, True)
                    one_seen, info = one.reset()
                    same(infos, i, info, False)
                else:
                    same(infos, i, info, True)
            else:
                same(infos, i, info, False)
                assert not infos.get("_final_obs", np.zeros(n))[i] and not infos.get("_score", np.zeros(n))[i]
            np.testing.assert_array_equal(seen[i], one_seen)
        over = terminations | truncations
    assert ends >= 9


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_it_does_what_gymnasiums_own_one_does(mode: AutoresetMode) -> None:
    """The same shapes, dtypes and numbers as a SyncVectorEnv of single environments."""
    n, chance = 3, np.random.default_rng(1)
    vector = made(n=n, autoreset_mode=mode, **OPTIONS)
    sync = SyncVectorEnv([lambda: gymnasium.make(ID, **OPTIONS)] * n, autoreset_mode=mode)
    assert vector.observation_space == sync.observation_space and vector.action_space == sync.action_space
    assert vector.metadata["autoreset_mode"] is sync.metadata["autoreset_mode"] is mode
    both = vector.reset(seed=2), sync.reset(seed=2)
    np.testing.assert_array_equal(both[0][0], both[1][0])
    for _ in range(150):
        actions = chosen(vector, chance)
        mine, theirs = vector.step(actions), sync.step(actions)
        for a, b in zip(mine[:4], theirs[:4], strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(mine[4]["action_mask"], theirs[4]["action_mask"])
        assert mine[4]["action_mask"].dtype == theirs[4]["action_mask"].dtype
        assert ("final_info" in mine[4]) == ("final_info" in theirs[4])
        if "final_info" in mine[4]:
            for key in ("score", "_score", "rank", "end", "_end", "points"):
                np.testing.assert_array_equal(mine[4]["final_info"][key], theirs[4]["final_info"][key])


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_do_not_depend_on_their_number_or_on_threads(threads: int) -> None:
    chance = np.random.default_rng(3)
    many = made(n=7, threads=threads, opponents="greedy", **OPTIONS)
    few = made(n=2, opponents="greedy", **OPTIONS)
    seen, small = many.reset(seed=5)[0], few.reset(seed=5)[0]
    for _ in range(60):
        np.testing.assert_array_equal(seen[:2], small)
        actions = chosen(many, chance)
        seen, small = many.step(actions)[0], few.step(actions[:2])[0]


def test_opponents_outside_the_engine() -> None:
    """A plain function as opponent plays in all copies as it does in single environments."""

    def first(_: Any, mask: Any) -> int:
        return int(np.argmax(mask))

    chance = np.random.default_rng(6)
    vector, ones = made(n=3, opponents=first), [gymnasium.make(ID, opponents=first) for _ in range(3)]
    seen, _ = vector.reset(seed=1)
    assert [(seen[i] == one.reset(seed=1 + i)[0]).all() for i, one in enumerate(ones)] == [True] * 3
    over, steps = np.zeros(3, np.bool_), 0
    while not over.any():
        actions = chosen(vector, chance)
        seen, _, over, *_ = vector.step(actions)
        steps += 1
        for i, one in enumerate(ones):
            np.testing.assert_array_equal(seen[i], one.step(int(actions[i]))[0])
    assert steps > 3


# ------------------------------------------------------------------------------------------------- Copies and buffers


@pytest.mark.parametrize("observation", ["scaled", "raw"])
def test_what_is_returned_is_the_callers(observation: str) -> None:
    vector, twin = made(observation=observation), made(observation=observation)
    vector.reset(seed=1), twin.reset(seed=1)
    chance, other = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(80):
        a, b = vector.step(chosen(vector, chance)), twin.step(chosen(twin, other))
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(a[4]["action_mask"], b[4]["action_mask"])
        for array in (*a[:4], *(value for value in a[4].values() if isinstance(value, np.ndarray))):
            if array.dtype != object:
                array[...] = 0  # changes nothing of the environment
        vector.action_masks()[...] = False


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("observation", ["scaled", "raw"])
def test_without_copies_the_buffers_hold_the_same_numbers(observation: str, mode: AutoresetMode) -> None:
    keywords = {"observation": observation, "autoreset_mode": mode}
    bare, safe = made(copy=False, **keywords), made(**keywords)
    first = bare.reset(seed=1)
    safe.reset(seed=1)
    chance, other = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(120):
        a, b = bare.step(chosen(bare, chance)), safe.step(chosen(safe, other))
        assert a[0] is first[0] and np.shares_memory(a[4]["action_mask"], first[1]["action_mask"])
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)
        if mode is not AutoresetMode.DISABLED:  # there a copy that is over has no mask any more
            np.testing.assert_array_equal(a[4]["action_mask"], b[4]["action_mask"])
        if mode is AutoresetMode.DISABLED and (a[2] | a[3]).any():
            bare.reset(options={"reset_mask": a[2] | a[3]})
            safe.reset(options={"reset_mask": b[2] | b[3]})


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_clone_goes_on_identically(clone: Any) -> None:
    vector = made(max_episode_steps=30)
    vector.reset(seed=3)
    chance = np.random.default_rng(2)
    for _ in range(20):
        vector.step(chosen(vector, chance))
    twin = clone(vector)
    for _ in range(40):
        actions = chosen(vector, chance)
        a, b = vector.step(actions), twin.step(actions)
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)


# ---------------------------------------------------------------------------------------------------- Seeds and resets


def test_seeds() -> None:
    vector = made(n=3)
    seen, _ = vector.reset(seed=[4, 9, 4])
    np.testing.assert_array_equal(seen[0], seen[2])
    assert (seen[0] != seen[1]).any()
    again, _ = vector.reset(seed=[None, 9, None])  # the seeded copy begins anew, the others go on to episode 1
    np.testing.assert_array_equal(again[1], seen[1])
    np.testing.assert_array_equal(again[0], again[2])
    assert (again[0] != seen[0]).any()
    first, second = made(n=2).reset()[0], made(n=2).reset()[0]
    assert (first != second).any() and (first[0] != first[1]).any()  # never seeded: drawn


def test_reset_of_some_copies_leaves_the_others() -> None:
    vector = made(n=3, autoreset_mode="Disabled")
    vector.reset(seed=1)
    before = vector.step(chosen(vector, np.random.default_rng(0)))[0]
    seen, infos = vector.reset(options={"reset_mask": np.array([False, True, False])})
    np.testing.assert_array_equal(seen[[0, 2]], before[[0, 2]])
    assert infos["_action_mask"].tolist() == [False, True, False]


def test_endings_can_be_left_out() -> None:
    vector = made(n=4, endings=False, max_episode_steps=3)
    vector.reset(seed=1)
    for _ in range(8):
        infos = vector.step(chosen(vector, np.random.default_rng(0)))[4]
        assert set(infos) == {key for name in ("action_mask", "seat", "illegal_action") for key in (name, f"_{name}")}


def test_rendering_some_copies() -> None:
    vector = made(n=3, render_mode="ansi")
    vector.reset(seed=1)
    texts = vector.render([2, 0])
    whole = vector.render()
    assert texts is not None and whole is not None and texts == (whole[2], whole[0]) and len(whole) == 3
    one = gymnasium.make(ID, render_mode="ansi")
    one.reset(seed=3)
    assert one.render() == texts[0]
    with pytest.raises(ValueError, match=r"copies 0 to 2, not 3"):
        vector.render([3])


def test_after_an_opponent_has_failed_only_a_reset_helps() -> None:
    """Otherwise the learner's next action would be played for the opponent, whose turn it still is."""
    failing = [False]

    def opponent(_: Any, mask: Any) -> int:
        if failing[0]:
            raise ArithmeticError("opponent")
        return int(np.flatnonzero(mask)[-1])

    vector = made(n=2, opponents=opponent, seat=0)
    first, _ = vector.reset(seed=1)
    keep = vector.game.actions.encode("keep")
    failing[0] = True
    with pytest.raises(ArithmeticError):
        vector.step([keep, keep])
    failing[0] = False
    with pytest.raises(RuntimeError, match="an opponent failed"):
        vector.step([0, 0])
    with pytest.raises(RuntimeError, match="reset all copies"):
        vector.reset(options={"reset_mask": np.array([True, False])})
    again, _ = vector.reset(seed=1)
    np.testing.assert_array_equal(again, first)
    vector.step([keep, keep])


# ------------------------------------------------------------------------------------------------------ Illegal, wrong


def test_an_illegal_action_ends_only_its_copy() -> None:
    vector = made(n=3)
    vector.reset(seed=1)
    actions = chosen(vector, np.random.default_rng(0))
    wrong = int(np.flatnonzero(~vector.action_masks()[1])[0])
    actions[1] = wrong
    _, rewards, terminations, _, infos = vector.step(actions)
    assert terminations.tolist() == [False, True, False] and rewards[1] == -1
    assert infos["illegal_action"].tolist() == [-1, wrong, -1] and infos["end"][1] == "illegal_action"
    assert infos["illegal_label"][1] == vector.game.actions.label(wrong)
    vector.reset(seed=1)
    _, _, terminations, _, infos = vector.step([-1, -1, -1])
    one = gymnasium.make(ID)
    one.reset(seed=1)
    info = one.step(-1)[4]
    assert terminations.all() and infos["illegal_reason"][0] == info["illegal_reason"]
    assert infos["illegal_label"][0] == info["illegal_label"]
    strict = made(n=2, illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalActionError):
        strict.step([wrong, wrong])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"autoreset_mode": "next"}, "autoreset_mode"),
        ({"observation": "Raw"}, "Did you mean 'raw'"),
        ({"oponents": "greedy"}, "Did you mean 'opponents'"),
        ({"threads": 0}, "threads"),
        ({"copy": "False"}, "copy must be True or False"),
        ({"endings": 0}, "endings must be True or False"),
        ({"num_envs": True}, "num_envs"),
    ],
)
def test_wrong_keywords(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SeatVectorEnv(**{"game": "isla", "num_envs": 2, **keywords})


def test_wrong_calls() -> None:
    vector = made(n=2, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no episode has begun"):
        vector.step([0, 0])
    bad = (([1], ValueError), ([1, "2"], TypeError), (True, TypeError), (1.5, TypeError), (b"ab", TypeError))
    for seed, error in (*bad, (np.array(3), TypeError)):
        with pytest.raises(error, match="seed"):
            vector.reset(seed=seed)  # type: ignore[arg-type]
    for options in ({"reset_mask": [True, False]}, {"reset_mask": np.zeros(2, np.bool_)}, {"mask": 1}):
        with pytest.raises(ValueError, match="mask"):
            vector.reset(seed=1, options=options)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match="shape"):
        vector.step([0])
    vector.step(chosen(vector, np.random.default_rng(0)))
    with pytest.raises(gymnasium.error.ResetNeeded, match="in copies 0, 1"):
        vector.step([0, 0])


def test_a_users_game() -> None:
    vector = SeatVectorEnv(3, game=Sticks(num_players=2), opponents="greedy")
    vector.reset(seed=1)
    for _ in range(30):
        vector.step(chosen(vector, np.random.default_rng(0)))


# ------------------------------------------------------------------------------------------------ Gymnasium's wrappers


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.name)
def test_episode_statistics(mode: AutoresetMode) -> None:
    """What RecordEpisodeStatistics adds up is the driver's own return of each episode."""
    vector = made(n=4, autoreset_mode=mode, id="isle_envs/IslaSolo-v0")
    env = wrappers.RecordEpisodeStatistics(vector)
    env.reset(seed=1)
    chance = np.random.default_rng(1)
    seen = 0
    for _ in range(200):
        *_, infos = env.step(chosen(vector, chance))
        for i in np.flatnonzero(infos.get("_episode", np.zeros(4))):
            source = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
            got = infos["episode"]["r"][i]
            want = source["score"][i] / 10 if source["end"][i] == "exited" else -3
            assert got == pytest.approx(want, abs=1e-4) and infos["episode"]["l"][i] > 0
            seen += 1
    assert seen > 10


def test_other_wrappers() -> None:
    env: Any = wrappers.NormalizeObservation(made(n=3))
    env = wrappers.NormalizeReward(wrappers.DtypeObservation(env, np.float32))
    env.reset(seed=1)
    chance = np.random.default_rng(1)
    for _ in range(40):
        seen, *_ = env.step(chosen(env.unwrapped, chance))
        assert seen.dtype == np.float32 and np.isfinite(seen).all()
    torch = pytest.importorskip("torch")
    tensors: Any = wrappers.NumpyToTorch(made(n=2))
    seen, _ = tensors.reset(seed=1)
    assert isinstance(seen, torch.Tensor)
    seen, rewards, *_ = tensors.step(torch.tensor(chosen(tensors.unwrapped, chance)))
    assert isinstance(rewards, torch.Tensor) and seen.shape == (2, isle_envs.make_game("isla").observation.size)

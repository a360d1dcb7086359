"""The episode driver: seeds, seats, opponents inside and outside the compiled loop, illegal actions."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isle_envs
from isle_envs.core import rng
from isle_envs.core.errors import IllegalActionError
from isle_envs.core.loops import sample
from isle_envs.envs.driver import EpisodeDriver
from tests.envs.opponents import Outside, illegal, lowest
from tests.sticks import FORFEIT, Sticks

TILES = {players: isle_envs.make_game("isle_tiles", num_players=players) for players in (2, 3, 4)}


class Learner:
    """Random legal actions for the copies of a driver, the same for copy i of any driver."""

    def __init__(self, driver: EpisodeDriver, first: int = 0) -> None:
        self._driver = driver
        self._streams = rng.streams(np.arange(first, first + driver.n, dtype=np.uint64), rng.SAMPLER)

    def actions(self) -> npt.NDArray[np.int64]:
        masks = self._driver.action_mask
        return np.array([sample(masks[i], self._streams[i]) for i in range(len(masks))])


def seen(driver: EpisodeDriver, i: int) -> tuple[Any, ...]:
    """All that a face reads of copy i."""
    arrays = (driver.learner, driver.episode, driver.rewards, driver.returns, driver.terminated, driver.illegal)
    return (
        *(array[i].item() for array in arrays),
        driver.action_mask[i].tobytes(),
        driver.observe()[i].tobytes(),
        driver.batch.states[i].tobytes(),
    )


def advance(driver: EpisodeDriver, learner: Learner) -> None:
    """A step, then new episodes where they ended."""
    driver.step(learner.actions())
    if driver.terminated.any():
        driver.reset(where=driver.terminated.copy())


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(-5, 2**63),
    players=st.sampled_from([2, 3, 4]),
    threads=st.integers(1, 3),
    opponents=st.sampled_from(["random", "greedy"]),
)
def test_copy_i_is_the_single_one_seeded_s_plus_i(seed: int, players: int, threads: int, opponents: str) -> None:
    many = EpisodeDriver(TILES[players], 4, opponents=opponents, seed=seed, threads=threads)
    singles = [EpisodeDriver(TILES[players], opponents=opponents, seed=seed + i) for i in range(4)]
    learners = [Learner(many), *(Learner(single, i) for i, single in enumerate(singles))]
    for driver in (many, *singles):
        driver.reset()
    for _ in range(120):
        for i, single in enumerate(singles):
            assert seen(many, i) == seen(single, 0)
        for driver, learner in zip((many, *singles), learners, strict=True):
            advance(driver, learner)
    assert (many.episode > 0).all()


def test_seeds_at_reset_are_those_at_construction() -> None:
    a, b = EpisodeDriver(TILES[2], 3, seed=9), EpisodeDriver(TILES[2], 3)
    a.reset()
    b.reset()
    assert seen(a, 0) != seen(b, 0)
    b.reset(seeds=[9, 10, 11])
    assert [seen(a, i) for i in range(3)] == [seen(b, i) for i in range(3)]


def test_games_have_the_episodes_keys() -> None:
    driver = EpisodeDriver(TILES[2], 3)
    for k in range(3):
        driver.reset(seeds=[5, -6, 2**70] if k == 0 else None)
        expected = [rng.episode_key(seed, k) for seed in (5, -6, 2**70)]
        assert driver.batch.states["stream"]["key"].tolist() == expected
        assert driver.episode.tolist() == [k] * 3


def test_never_seeded_draws_seeds_once() -> None:
    driver = EpisodeDriver(TILES[2], 2)
    driver.reset()
    first = driver.batch.states["stream"]["key"].tolist()
    driver.reset()
    assert len({*first, *driver.batch.states["stream"]["key"].tolist()}) == 4
    assert driver.episode.tolist() == [1, 1]


def test_reset_of_some_copies_leaves_the_others() -> None:
    driver = EpisodeDriver(TILES[3], 4, seed=1)
    driver.reset()
    learner = Learner(driver)
    for _ in range(10):
        driver.step(learner.actions())
    kept = [seen(driver, i) for i in range(4)]
    driver.reset(where=np.array([True, False, True, False]))
    assert [seen(driver, i) for i in (1, 3)] == [kept[1], kept[3]]
    assert driver.episode.tolist() == [1, 0, 1, 0]
    driver.reset(seeds=[50, 51, 52, 53], where=np.array([False, False, False, True]))
    assert [seen(driver, i)[:-1] for i in (0, 1, 2)] != kept[:3]
    assert seen(driver, 1) == kept[1]
    assert driver.batch.states["stream"]["key"][3] == rng.episode_key(53, 0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_learners_seat_rotates_or_stays(players: int) -> None:
    rotating, fixed = EpisodeDriver(TILES[players], 2), EpisodeDriver(TILES[players], 2, seat=players - 1)
    for k in range(2 * players):
        for driver in (rotating, fixed):
            driver.reset()
            assert (driver.batch.current_player == driver.learner).all()
        assert rotating.learner.tolist() == [k % players] * 2
        assert fixed.learner.tolist() == [players - 1] * 2


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_opponents_outside_the_compiled_loop_play_the_same(players: int, name: str) -> None:
    game = TILES[players]
    rest = ["random"] * (players - 2)
    drivers = [EpisodeDriver(game, 3, opponents=[first, *rest], seed=4) for first in (name, Outside(name, game))]
    learners = [Learner(driver) for driver in drivers]
    for driver in drivers:
        driver.reset()
    for _ in range(150):
        assert [seen(drivers[0], i) for i in range(3)] == [seen(drivers[1], i) for i in range(3)]
        for driver, learner in zip(drivers, learners, strict=True):
            advance(driver, learner)


def test_opponents_are_listed_in_turn_order_after_the_learner() -> None:
    game = TILES[3]
    first, second = Outside("random", game), Outside("random", game)
    driver = EpisodeDriver(game, opponents=[first, second], seat=1, seed=0)
    driver.reset()
    learner = Learner(driver)
    while not driver.terminated[0]:
        driver.step(learner.actions())
    assert set(first.seats) == {2}
    assert set(second.seats) == {0}


def test_one_policy_for_all_seats_is_asked_once_for_all_its_games() -> None:
    game = TILES[4]
    policy = Outside("random", game)
    driver = EpisodeDriver(game, 5, opponents=policy, seed=0)
    for _ in range(4):
        driver.reset()
    assert set(policy.seats) == {0, 1, 2}


def test_functions_see_observation_and_mask() -> None:
    driver = EpisodeDriver(TILES[2], 2, opponents=lowest, seed=0)
    driver.reset()
    learner = Learner(driver)
    while not driver.terminated.all():
        driver.step(learner.actions())


def test_an_opponents_illegal_action_is_an_error() -> None:
    driver = EpisodeDriver(TILES[2], opponents=illegal, seat=1, seed=0)
    with pytest.raises(IllegalActionError, match="by seat 0"):
        driver.reset()


def test_opponents_do_not_draw_from_the_games_stream() -> None:
    deals = []
    for opponents in ("random", "greedy", lowest):
        driver = EpisodeDriver(
            isle_envs.make_game("isle_tiles", board="random"), 5, opponents=opponents, seed=3, seat=1
        )
        driver.reset()
        deals.append((driver.batch.states["supply"].tobytes(), driver.batch.states["stream"].tobytes()))
    assert deals[0] == deals[1] == deals[2]


# -------------------------------------------------------------------------------------------------------------- Rewards


def test_rewards_add_up_over_the_opponents_moves() -> None:
    driver = EpisodeDriver(Sticks(num_players=3), 20, seed=1)
    driver.reset()
    learner = Learner(driver)
    returns = np.zeros(20)
    while not driver.terminated.all():
        running = ~driver.terminated
        driver.step(learner.actions())
        returns += driver.rewards
        assert (driver.rewards[~running] == 0).all()
    states = driver.batch.states
    seats = np.arange(20), driver.learner
    taken = states["taken"][seats]
    total = states["taken"].sum(axis=1)
    expected = 0.1 * taken - 0.05 * (total - taken) + np.where(states["last"] == driver.learner, 1, -1)
    np.testing.assert_allclose(returns, expected, atol=1e-5)
    np.testing.assert_allclose(driver.returns, expected, atol=1e-5)


def test_what_opponents_bring_before_the_first_decision_is_paid_with_the_first_step() -> None:
    driver = EpisodeDriver(Sticks(num_players=2), opponents=lambda _, mask: 2, seat=1, seed=1)
    driver.reset()
    driver.step([0])
    assert driver.rewards[0] == pytest.approx(-0.15 + 0.1, abs=1e-6)
    driver.step([0])
    assert driver.rewards[0] == pytest.approx(0.1, abs=1e-6)


def test_a_game_for_one() -> None:
    driver = EpisodeDriver(Sticks(num_players=1), 3, seed=1)
    driver.reset()
    learner = Learner(driver)
    while not driver.terminated.all():
        driver.step(learner.actions())
    np.testing.assert_allclose(driver.returns, 1 + 0.1 * driver.batch.states["taken"][:, 0], atol=1e-5)


# ------------------------------------------------------------------------------------------------------- Illegal actions


@pytest.mark.parametrize("action", [-7, -1, 3, 400])
def test_an_illegal_action_ends_its_episode_with_the_forfeit(action: int) -> None:
    driver = EpisodeDriver(Sticks(num_players=2), 3, seat=0, seed=1)
    driver.reset()
    driver.step([0, 0, 0])
    kept = driver.batch.states[1].tobytes()
    before = driver.returns.copy()
    driver.step([0, action, 0])
    assert driver.terminated.tolist() == [False, True, False]
    assert driver.illegal.tolist() == [-1, action if action >= 0 else 3, -1]
    assert driver.returns[1] == FORFEIT
    assert driver.rewards[1] == pytest.approx(FORFEIT - before[1], abs=1e-6)
    assert not driver.action_mask[1].any()
    assert driver.batch.states[1].tobytes() == kept
    driver.step([0, 0, 0])
    assert (driver.rewards[1], driver.illegal[1], driver.returns[1]) == (0, -1, FORFEIT)
    driver.reset(where=np.array([False, True, False]))
    assert driver.action_mask[1].any()
    assert (driver.returns[1], driver.terminated[1]) == (0, False)


def test_strict_drivers_raise_before_anything_changes() -> None:
    driver = EpisodeDriver(TILES[2], 3, illegal="raise", seed=1)
    driver.reset()
    learner = Learner(driver)
    for _ in range(3):
        driver.step(learner.actions())
    kept = [seen(driver, i) for i in range(3)]
    actions = learner.actions()
    actions[2] = int(np.flatnonzero(~driver.action_mask[2])[0])
    with pytest.raises(IllegalActionError) as caught:
        driver.step(actions)
    assert (caught.value.index, caught.value.action) == (2, actions[2])
    assert [seen(driver, i) for i in range(3)] == kept


@pytest.mark.parametrize(
    ("actions", "error"), [([0.0, 0.0], TypeError), ([0], ValueError), (0, ValueError), (["a", "b"], TypeError)]
)
def test_actions_are_n_integers(actions: Any, error: type[Exception]) -> None:
    driver = EpisodeDriver(TILES[2], 2, seed=0)
    driver.reset()
    with pytest.raises(error):
        driver.step(actions)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seat": 2}, "seat must be 'rotate' or in 0 to 1, not 2"),
        ({"seat": "rotating"}, "seat must be"),
        ({"seat": True}, "seat must be"),
        ({"illegal": "ignore"}, "illegal must be 'terminate' or 'raise', not 'ignore'"),
        ({"opponents": ["random", "random"]}, "a list of 1, not 2"),
        ({"opponents": "gredy"}, "unknown policy 'gredy'. Did you mean 'greedy'"),
    ],
)
def test_bad_arguments_give_one_clear_error(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        EpisodeDriver(TILES[2], **arguments)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda driver: pickle.loads(pickle.dumps(driver))])
def test_clones_go_on_identically_and_independently(clone: Any) -> None:
    driver = EpisodeDriver(TILES[3], 3, opponents=["greedy", Outside("random", TILES[3])], seed=2)
    driver.reset()
    learner = Learner(driver)
    for _ in range(40):
        advance(driver, learner)
    twin = clone(driver)
    other = Learner(twin)
    other._streams[:] = learner._streams
    kept = [seen(driver, i) for i in range(3)]
    ends = []
    for one, its in ((twin, other), (driver, learner)):
        for _ in range(60):
            advance(one, its)
        ends.append([seen(one, i) for i in range(3)])
        if one is twin:
            assert [seen(driver, i) for i in range(3)] == kept
    assert ends[0] == ends[1]


# ------------------------------------------------------------------------------------------------------ What is refused


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"seeds": [1]}, ValueError, "seeds must have shape"),
        ({"seeds": 1}, ValueError, "seeds must have shape"),
        ({"seeds": "123"}, ValueError, "seeds must have shape"),
        ({"seeds": [[1, 2, 3]]}, ValueError, "seeds must have shape"),
        ({"seeds": [1, 2, 3.5]}, TypeError, "seeds must be integers, not 3.5"),
        ({"seeds": np.ones(3)}, TypeError, "seeds must be integers"),
        ({"seeds": [1, 2, True]}, TypeError, "seeds must be integers, not True"),
        ({"seeds": ["1", "2", "3"]}, TypeError, "seeds must be integers, not '1'"),
        ({"seeds": [1, 2, 3], "where": np.ones(2, np.bool_)}, ValueError, "where must be a bool array"),
        ({"where": np.array([0, 1, 2])}, ValueError, "where must be a bool array"),
        ({"where": True}, ValueError, "where must be a bool array"),
    ],
)
def test_a_wrong_reset_changes_nothing(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    driver, twin = (EpisodeDriver(TILES[2], 3, seed=1) for _ in range(2))
    for one in (driver, twin):
        one.reset()
    with pytest.raises(error, match=words):
        driver.reset(**arguments)
    for one in (driver, twin):
        one.reset()
    assert [seen(driver, i) for i in range(3)] == [seen(twin, i) for i in range(3)]


def test_no_step_before_a_reset() -> None:
    driver = EpisodeDriver(TILES[2], 3, seed=1)
    for one in (driver, copy.deepcopy(driver)):
        with pytest.raises(RuntimeError, match=r"call reset\(\) before step"):
            one.step([0, 0, 0])
    with pytest.raises(ValueError, match="where"):
        driver.reset(where=np.ones(1, np.bool_))
    with pytest.raises(RuntimeError, match=r"call reset\(\) before step"):
        driver.step([0, 0, 0])


def test_what_a_driver_is_made_of() -> None:
    driver = EpisodeDriver(TILES[2], seat=np.int64(1))  # type: ignore[arg-type]
    driver.reset()
    assert driver.learner.tolist() == [1]
    wrong: Any
    for wrong in (True, 1.0, None, np.int64(2), "rotat"):
        with pytest.raises(ValueError, match="seat must be 'rotate' or in 0 to 1"):
            EpisodeDriver(TILES[2], seat=wrong)
    wrong = "isle_tiles"
    with pytest.raises(TypeError, match="game must be a Game, as make_game"):
        EpisodeDriver(wrong)


@pytest.mark.parametrize("action", [2**31, 2**32 - 1, 2**32, 2**63 - 1])
def test_large_illegal_actions_are_noted_as_large(action: int) -> None:
    driver = EpisodeDriver(Sticks(num_players=2), seat=0, seed=1)
    driver.reset()
    driver.step([action])
    assert (driver.terminated[0], driver.illegal[0]) == (True, 2**31 - 1)

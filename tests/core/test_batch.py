"""Batches: stepping, errors, and what must not depend on how a batch is run."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isle_envs
from isle_envs.core.batch import Batch

GAME = isle_envs.make_game("isle_tiles")


def finished(batch: Batch) -> Batch:
    """Plays a batch to its end at random."""
    while not batch.terminated.all():
        batch.step(batch.sample_legal())
    return batch


def same(a: Batch, b: Batch) -> None:
    assert a.states.tobytes() == b.states.tobytes()
    np.testing.assert_array_equal(a.action_mask, b.action_mask)
    np.testing.assert_array_equal(a.rewards, b.rewards)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(-(2**70), 2**70), n=st.integers(1, 40), threads=st.integers(1, 5), steps=st.integers(0, 200))
def test_a_game_is_the_same_in_any_batch_with_any_number_of_threads(
    seed: int, n: int, threads: int, steps: int
) -> None:
    many, one = GAME.batch(n, seed, threads=threads), GAME.batch(max(1, n // 2), seed)
    many.play_random(steps)
    one.play_random(steps)
    assert many.states[: one.n].tobytes() == one.states.tobytes()
    np.testing.assert_array_equal(many.observe()[: one.n], one.observe())


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(1, 300))
def test_play_random_is_sampling_stepping_and_resetting(seed: int, steps: int) -> None:
    rolled, stepped = GAME.batch(5, seed), GAME.batch(5, seed)
    seen = np.empty((5, GAME.observation.size), np.int8)
    ended = rolled.play_random(steps, seen)
    count = 0
    for _ in range(steps):
        stepped.step(stepped.sample_legal())
        over = stepped.terminated
        count += int(over.sum())
        stepped.reset(over)
    assert rolled.states.tobytes() == stepped.states.tobytes()
    np.testing.assert_array_equal(rolled.action_mask, stepped.action_mask)
    np.testing.assert_array_equal(seen, stepped.observe())
    assert ended == count


def test_a_finished_game_takes_only_minus_one() -> None:
    batch = finished(GAME.batch(2))
    assert not batch.action_mask.any()
    assert (batch.current_player == -1).all() and (batch.sample_legal() == -1).all()
    before = batch.copy()
    batch.step([-1, -1])
    assert (batch.rewards == 0).all()
    assert batch.states.tobytes() == before.states.tobytes()
    with pytest.raises(isle_envs.IllegalActionError, match=r"game 1 by seat -1: the game is over; only -1") as error:
        batch.step([-1, 5])
    assert error.value.index == 1 and error.value.action == 5


def test_an_illegal_action_is_told_by_name_and_changes_nothing() -> None:
    batch = GAME.batch(3, seed=1)
    before = batch.copy()
    actions = batch.sample_legal()
    actions[2] = GAME.actions.encode("done")
    with pytest.raises(isle_envs.IllegalActionError) as error:
        batch.step(actions)
    assert (error.value.index, error.value.seat, error.value.action) == (2, 0, 377)
    assert error.value.label == "place no more markers"
    assert error.value.reason == "not legal now; seat 0 is to place its tile"
    same(batch, before)
    assert pickle.loads(pickle.dumps(error.value)).args == error.value.args


@pytest.mark.parametrize(
    ("action", "reason"), [(-1, "actions are 0 to 377"), (378, "actions are 0 to 377"), (-7, "actions are")]
)
def test_actions_outside_the_space(action: int, reason: str) -> None:
    with pytest.raises(isle_envs.IllegalActionError, match=reason):
        GAME.batch(1).step([action])


@pytest.mark.parametrize(
    ("actions", "kind", "message"),
    [
        ([5, 5, 5], ValueError, r"shape \(2,\)"),
        (5, ValueError, r"shape \(2,\)"),
        ([5.0, 5.0], TypeError, "integers, not float64"),
        ([True, False], TypeError, "integers, not bool"),
    ],
)
def test_actions_of_a_wrong_form(actions: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        GAME.batch(2).step(actions)


@pytest.mark.parametrize("clone", [Batch.copy, copy.deepcopy, copy.copy, lambda b: pickle.loads(pickle.dumps(b))])
def test_clones_go_on_identically_and_apart(clone: Any) -> None:
    batch = GAME.batch(6, seed=3, threads=2)
    batch.play_random(77)
    kept = batch.states.tobytes()
    twin = clone(batch)
    twin.play_random(50)
    assert batch.states.tobytes() == kept
    batch.play_random(50)
    same(batch, twin)
    np.testing.assert_array_equal(batch.sample_legal(), twin.sample_legal())


def test_states_are_copied_checked_and_their_masks_derived() -> None:
    batch = GAME.batch(4, seed=2)
    batch.play_random(30)
    other = GAME.batch(states=batch.states)
    np.testing.assert_array_equal(other.action_mask, batch.action_mask)
    other.step(other.sample_legal())
    assert other.states.tobytes() != batch.states.tobytes()
    broken = batch.states.copy()
    broken.phase[3] = 9
    with pytest.raises(ValueError, match="isle_tiles state 3: phase is 9; it must be in 0 to 7"):
        GAME.batch(states=broken)
    with pytest.raises(ValueError, match="state_dtype"):
        GAME.batch(states=np.zeros(2))
    with pytest.raises(ValueError, match="at least 1 game"):
        GAME.batch(0)
    with pytest.raises(ValueError, match="threads"):
        GAME.batch(1, threads=0)


def test_refresh_after_an_edit() -> None:
    """A hand of a double may be placed only from the lower-numbered space: half as many placements as a mixed tile has."""
    batch = GAME.batch(2, seed=0)
    batch.states.hand[:, 0] = 1  # lava/desert
    batch.refresh()
    mixed = batch.action_mask.sum(1)
    batch.states.hand[0, 0] = 0  # lava/lava
    batch.refresh(np.array([True, False]))
    np.testing.assert_array_equal(batch.action_mask.sum(1), [mixed[0] // 2, mixed[1]])
    batch.states.hand[1, 0] = 99
    with pytest.raises(ValueError, match="hand is 99; it must be in -1 to 14"):
        batch.refresh()


def test_reset_only_where_asked() -> None:
    batch = GAME.batch(3, seed=4)
    batch.play_random(20)
    kept = batch.states[[0, 2]].tobytes()
    batch.reset(np.array([False, True, False]), seeds=np.arange(3, dtype=np.uint64))
    assert batch.states[[0, 2]].tobytes() == kept
    assert batch.states[1].stream.key == 1
    fresh = GAME.batch(1)
    fresh.reset(seeds=[1])
    assert batch.states[1].tobytes() == fresh.states[0].tobytes()


@pytest.mark.parametrize("seats", [[0], [0, 2], [-1, 0], [0.0, 1.0]])
def test_seats_of_a_wrong_form(seats: Any) -> None:
    with pytest.raises(ValueError, match="seats must be"):
        GAME.batch(2).observe(seats=seats)


def test_observe_into_a_buffer() -> None:
    batch = GAME.batch(3)
    out = np.full((3, GAME.observation.size), 7, np.int8)
    assert batch.observe(out) is out
    np.testing.assert_array_equal(out, batch.observe(seats=[0, 0, 0]))
    for wrong in (out[:2], out.astype(np.int16), np.asfortranarray(out), out[:, ::-1]):
        with pytest.raises(ValueError, match="C-contiguous int8"):
            batch.observe(wrong)


def test_split_gives_named_views() -> None:
    batch = GAME.batch(2)
    seen = batch.observe()
    blocks = GAME.observation.split(seen)
    assert blocks["height"].shape == (2, 60) and blocks["cards"].shape == (2, 4, 20)
    assert sum(block[0].size for block in blocks.values()) == GAME.observation.size
    assert np.shares_memory(blocks["height"], seen)
    assert blocks["cards"].sum() == 2 * 4  # one card in each slot
    with pytest.raises(ValueError, match="an observation has"):
        GAME.observation.split(seen[:, 1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "isle_tile"}, "unknown game 'isle_tile'. Did you mean 'isle_tiles'"),
        ({"name": "isle_tiles", "num_players": 5}, "num_players must be one of 2, 3, 4, not 5"),
        ({"name": "isle_tiles", "num_players": True}, "num_players must be one of 2, 3, 4, not True"),
        ({"name": "isle_tiles", "bord": "random"}, "unknown option 'bord'. Did you mean 'board'"),
        ({"name": "isle_tiles", "board": "rando"}, "option 'board': unknown value 'rando'. Did you mean 'random'"),
        ({"name": "isle_tiles", "reward": "score"}, "option 'reward': unknown value 'score'"),
    ],
)
def test_what_make_game_rejects(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        isle_envs.make_game(**arguments)


def test_games_are_values() -> None:
    game = isle_envs.make_game("isle_tiles", num_players=3, tasks="first_game", reward="margin")
    twin = pickle.loads(pickle.dumps(game))
    assert twin == game and hash(twin) == hash(game) and twin != GAME
    assert copy.deepcopy(game) is game
    assert (
        repr(game) == "make_game('isle_tiles', num_players=3, reward='margin', board='first_game', tasks='first_game')"
    )

"""Policies from checkpoints: legal, repeatable, and the same whatever else is in the batch."""

import numpy as np
import pytest

import isle_envs
from agents import checkpoint
from agents.evaluation import evaluate
from agents.policies import Mixture, mixture
from isle_envs.core.policy import make_policy
from isle_envs.core.rng import numbered_keys, streams


def positions(game, n, decisions):
    """n games after so many random decisions."""
    batch = game.batch(n, seed=8)
    for _ in range(decisions):
        batch.step(batch.sample_legal())
    return batch


def fresh_streams(n):
    return streams(numbered_keys(4, n), np.uint64(9))


@pytest.fixture(params=["", ",temperature=0", ",temperature=1"])
def policy(request, finished_run, game):
    return make_policy(f"trained:{finished_run}{request.param}", game)


def test_plays_whole_games_legally_in_every_seat(policy, game):
    (match,) = evaluate(game, [policy, "random"], games=40).matches
    assert match.games == 40


def test_answers_only_where_asked(policy, game):
    batch = positions(game, 10, 5)
    where = np.arange(10) % 3 == 0
    actions = policy.act(batch, where, fresh_streams(10))
    assert actions.dtype == np.int32
    assert (actions[~where] == -1).all()
    assert batch.action_mask[where, actions[where]].all()
    assert (policy.act(batch, np.zeros(10, bool), fresh_streams(10)) == -1).all()


def test_passes_over_games_that_are_over(policy, game):
    batch = game.batch(3, seed=1)
    while not batch.terminated.all():
        batch.step(batch.sample_legal())
    assert (policy.act(batch, np.ones(3, bool), fresh_streams(3)) == -1).all()


@pytest.mark.parametrize("decisions", [0, 7, 20])
def test_an_answer_does_not_depend_on_the_rest_of_the_batch(policy, game, decisions):
    batch = positions(game, 33, decisions)
    together = policy.act(batch, np.ones(33, bool), fresh_streams(33))
    for i in range(33):
        alone = game.batch(states=batch.states[i : i + 1])
        assert policy.act(alone, np.ones(1, bool), fresh_streams(33)[i : i + 1])[0] == together[i]


def test_sampling_draws_from_the_streams_it_is_given(finished_run, game):
    policy = make_policy(f"trained:{finished_run}", game)
    batch = positions(game, 20, 0)
    where = np.arange(20) < 15
    first, second = fresh_streams(20), fresh_streams(20)
    np.testing.assert_array_equal(policy.act(batch, where, first), policy.act(batch, where, second))
    assert first["counter"].tolist() == [1] * 15 + [0] * 5
    assert (policy.act(batch, where, first) != policy.act(batch, where, second)).sum() == 0
    assert (policy.act(batch, where, first) != policy.act(batch, where, fresh_streams(20))).any()


def test_the_most_probable_action_needs_no_chance(finished_run, game):
    policy = make_policy(f"trained:{finished_run},temperature=0", game)
    numbers = fresh_streams(5)
    policy.act(positions(game, 5, 3), np.ones(5, bool), numbers)
    assert not numbers["counter"].any()


def test_a_trained_policy_is_named_as_it_was_asked_for(finished_run, game):
    for name in (f"trained:{finished_run}", f"trained:{checkpoint.find(finished_run)},temperature=1"):
        assert make_policy(name, game).name == name


def test_a_trained_policy_needs_a_checkpoint(game):
    with pytest.raises(ValueError, match="needs a checkpoint"):
        make_policy("trained", game)


@pytest.mark.parametrize("temperature", ["-1", "hot", "nan", "inf"])
def test_a_temperature_is_a_number_from_0(finished_run, game, temperature):
    with pytest.raises(ValueError, match="must be a number from 0"):
        make_policy(f"trained:{finished_run},temperature={temperature}", game)


def test_a_low_temperature_comes_close_to_the_most_probable_action(finished_run, game):
    batch = positions(game, 50, 4)
    coldest, cold, hot = (
        make_policy(f"trained:{finished_run},temperature={t}", game).act(batch, np.ones(50, bool), fresh_streams(50))
        for t in (0, 1e-9, 1)
    )
    np.testing.assert_array_equal(coldest, cold)
    assert (hot != coldest).any()


def test_a_trained_policy_plays_other_boards_of_the_same_layout(finished_run):
    game = isle_envs.make_game("isle_tiles", tasks="first_game")
    assert evaluate(game, [f"trained:{finished_run}", "random"], games=4).matches[0].games == 4


def test_a_mixture_plays_each_policy_in_its_own_games(game):
    class Fixed:
        def __init__(self, number):
            self.name, self.number = str(number), number

        def act(self, batch, where, rng):
            return np.where(where, self.number, -1).astype(np.int32)

    mixed = mixture([Fixed(5), Fixed(6), Fixed(7)])
    assert isinstance(mixed, Mixture)
    assert mixed.name == "5 + 6 + 7"
    where = np.array([True, True, True, True, False, True])
    actions = mixed.act(game.batch(6), where, fresh_streams(6))
    assert actions.tolist() == [5, 6, 7, 5, -1, 7]
    assert mixture([single := Fixed(1)]) is single

"""Checks of a game: its masks, clones, observations, descriptions and hidden information."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.batch import Batch
from isle_envs.core.errors import IllegalActionError
from isle_envs.core.game import Game

States = npt.NDArray[Any]


def check_game(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """Runs all checks of this module.

    Args:
        game: the game.
        positions: how many positions, of as many random games, each check looks at.
        seed: of the games.

    Raises:
        AssertionError: what is wrong.
    """
    check_actions(game)
    check_determinism(game, seed=seed)
    check_random_play(game, seed=seed)
    for check in (
        check_masks,
        check_refreshing,
        check_clones,
        check_observations,
        check_descriptions,
        check_hidden_information,
    ):
        check(game, positions=positions, seed=seed)


def sample_positions(game: Game, n: int, *, seed: int = 0) -> States:
    """``n`` positions before the end, ``(n,)`` of ``state_dtype``: one from each of n random games, equally likely."""
    rng = np.random.default_rng(seed)
    batch = game.batch(n, seed)
    kept = np.array(batch.states)
    for count in range(1, 1_000_000):
        if batch.terminated.all():
            return kept
        taken = ~batch.terminated & (rng.random(n) < 1 / count)
        kept[taken] = batch.states[taken]
        batch.step(batch.sample_legal())
        _check_batch(batch, f"{game!r}, random games of seed {seed}")
    raise AssertionError(f"{game!r}: a random game has not ended after a million decisions")


def check_actions(game: Game) -> None:
    """Every action has a name that leads back to its number, and a label."""
    for action in range(game.num_actions):
        name = game.actions.decode(action)
        assert game.actions.encode(*name) == action, f"action {action} is {name}, which encodes to another number"
        assert game.actions.label(action), f"action {action} has no label"


def check_determinism(game: Game, *, steps: int = 200, seed: int = 0) -> None:
    """Game i, and the random legal actions drawn for it, are the same whatever batch size and number of threads."""
    whole = game.batch(7, seed)
    others = [game.batch(1, seed), game.batch(3, seed), game.batch(7, seed, threads=2), game.batch(7, seed, threads=5)]
    for step in range(steps):
        actions = whole.sample_legal()
        for other in others:
            where = f"{game!r}, step {step}, {other.n} games, {other.threads} threads"
            _same(other.states, whole.states[: other.n], f"{where}: states")
            _same(other.action_mask, whole.action_mask[: other.n], f"{where}: masks")
            _same(other.rewards, whole.rewards[: other.n], f"{where}: rewards")
            _same(other.observe(), whole.observe()[: other.n], f"{where}: observations")
            _same(other.sample_legal(), actions[: other.n], f"{where}: random legal actions")
            other.step(actions[: other.n])
        whole.step(actions)
        for batch in (whole, *others):
            batch.reset(batch.terminated)


def check_random_play(game: Game, *, steps: int = 300, seed: int = 0) -> None:
    """The compiled loop ``play_random`` is ``sample_legal``, ``step`` and ``reset`` in turn."""
    fast, slow = game.batch(3, seed), game.batch(3, seed)
    observations = fast.observe()
    for step in range(steps):
        ended = fast.play_random(1, observations)
        slow.step(slow.sample_legal())
        over = np.array(slow.terminated)
        slow.reset(over)
        where = f"{game!r}, step {step}"
        assert ended == over.sum(), f"{where}: play_random counts {ended} ended games, not {over.sum()}"
        _same(fast.states, slow.states, f"{where}: states")
        _same(fast.action_mask, slow.action_mask, f"{where}: masks")
        _same(observations, slow.observe(), f"{where}: observations")
    at_once = game.batch(3, seed)
    at_once.play_random(steps)
    _same(at_once.states, slow.states, f"{game!r}, {steps} steps in one call: states")


def check_masks(game: Game, *, positions: int = 20, illegal: int = 30, seed: int = 0) -> None:
    """Every action in a mask can be played on a copy; every other raises ``IllegalActionError`` and changes nothing.

    Args:
        game: the game.
        positions: how many positions are looked at.
        illegal: how many of the forbidden actions are tried in each.
        seed: of the positions and of that choice.
    """
    rng = np.random.default_rng(seed)
    for number, state in enumerate(sample_positions(game, positions, seed=seed)):
        where = f"{game!r}, position {number} of seed {seed}"
        batch = game.batch(states=np.array([state]))
        legal = np.flatnonzero(batch.action_mask[0])
        assert legal.size, f"{where}: no action is legal, but the game is not over"
        after = game.batch(states=np.repeat(np.array([state]), legal.size))
        after.step(legal)
        _check_batch(after, f"{where}, after one of its legal actions")
        before = _everything(batch)
        forbidden = np.flatnonzero(~batch.action_mask[0])
        tried = rng.choice(forbidden, min(illegal, forbidden.size), replace=False)
        for action in [*tried.tolist(), -1, game.num_actions]:
            error = _refusal(batch, action)
            assert error is not None, f"{where}: action {action} is not in the mask, but can be played"
            named = error.action, error.seat
            assert named == (action, before[1]), f"{where}: {error} names another action or seat"
            assert error.label, f"{where}: {error} has no label"
            assert error.reason, f"{where}: {error} has no reason"
            assert _everything(batch) == before, f"{where}: the illegal action {action} has changed something"


def check_refreshing(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """``refresh`` leaves states alone that nobody has edited: what follows from other fields is kept up as a game goes on."""
    batch = game.batch(states=sample_positions(game, positions, seed=seed))
    step = 0
    while not batch.terminated.all():
        before, masks = batch.states.tobytes(), batch.action_mask.copy()
        batch.refresh()
        where = f"{game!r}, {step} decisions after the positions of seed {seed}, refreshed"
        _same(batch.action_mask, masks, f"{where}: masks")
        assert batch.states.tobytes() == before, f"{where}: a state is another one"
        batch.step(batch.sample_legal())
        step += 1


def check_clones(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """Copies of a running batch by ``copy()``, ``copy.deepcopy`` and pickle go on identically and independently."""
    assert pickle.loads(pickle.dumps(game)) == game, f"{game!r}: pickled and loaded it is not equal to itself"
    assert copy.deepcopy(game) == game, f"{game!r}: a deep copy is not equal to itself"
    batch = game.batch(states=sample_positions(game, positions, seed=seed))
    batch.sample_legal()
    kept = _everything(batch)
    clones = {
        "copy()": batch.copy(),
        "copy.deepcopy": copy.deepcopy(batch),
        "pickle": pickle.loads(pickle.dumps(batch)),
    }
    ends = {name: _everything(_played_out(clone)) for name, clone in clones.items()}
    assert _everything(batch) == kept, f"{game!r}: playing on with a clone has changed the original"
    end = _everything(_played_out(batch))
    for name, other in ends.items():
        assert other == end, f"{game!r}: a clone by {name} goes on otherwise"


def check_observations(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """Raw observations of all seats lie in their blocks' bounds, scaled ones in −1 … 1; observing changes nothing."""
    space = game.observation
    start = game.batch(states=sample_positions(game, positions, seed=seed))
    for batch in (start, _played_out(start.copy())):
        kept = _everything(batch)
        for seat in range(game.num_players):
            raw = batch.observe(seats=np.full(batch.n, seat))
            for block in space.blocks.values():
                values = raw[:, block.slice]
                low, high = values.min(initial=127), values.max(initial=-128)
                inside = values.size == 0 or block.low <= low <= high <= block.high
                words = f"{block.name} is {low} … {high}, outside its bounds {block.low} … {block.high}"
                assert inside, f"{game!r}: block {words}"
            assert (np.abs(raw * space.scale) <= 1).all(), f"{game!r}: a scaled observation lies outside −1 … 1"
            again = batch.observe(np.full_like(raw, 99), np.full(batch.n, seat))
            _same(again, raw, f"{game!r}: observations written over something else")
        assert _everything(batch) == kept, f"{game!r}: observing has changed something"


def check_descriptions(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """``undescribe`` inverts ``describe``, over JSON: observations, masks, descriptions and all further play are equal."""
    for number, state in enumerate(sample_positions(game, positions, seed=seed)):
        where = f"{game!r}, position {number} of seed {seed}"
        batch = game.batch(states=np.array([state]))
        description = game.describe(batch.states[0])
        read = game.undescribe(json.loads(json.dumps(description)))
        assert game.describe(read[0]) == description, f"{where}: described again it differs"
        other = game.batch(states=read)
        while True:
            _same(other.action_mask, batch.action_mask, f"{where}: masks after describe and undescribe")
            _same(other.rewards, batch.rewards, f"{where}: rewards after describe and undescribe")
            for seat in range(game.num_players):
                a, b = other.observe(seats=[seat]), batch.observe(seats=[seat])
                _same(a, b, f"{where}: observations after describe and undescribe")
            if batch.terminated[0]:
                break
            actions = batch.sample_legal()
            batch.step(actions)
            other.step(actions)
        ends = game.describe(batch.states[0]), game.describe(other.states[0])
        assert ends[0] == ends[1], f"{where}: the game goes on otherwise after describe and undescribe"


def check_hidden_information(game: Game, *, positions: int = 20, seed: int = 0) -> None:
    """A seat sees the same in every world that ``redeal`` gives it: observation, description, picture, its own mask.

    So what it sees cannot depend on what it does not know. Redealing takes a new stream and leaves the given states.
    """
    states = sample_positions(game, positions, seed=seed)
    batch = game.batch(states=states)
    for seat in range(game.num_players):
        seats = np.full(len(states), seat)
        for attempt in range(3):
            keys = np.arange(len(states), dtype=np.uint64) + np.uint64(1000 * attempt)
            other = game.batch(states=game.redeal(states, seats, keys))
            where = f"{game!r}, seat {seat}, redealt"
            assert (other.states["stream"]["key"] == keys).all(), f"{where}: the stream is not the new one"
            _same(other.observe(seats=seats), batch.observe(seats=seats), f"{where}: observations")
            _same(other.current_player, batch.current_player, f"{where}: who is to decide")
            deciding = batch.current_player == seat
            _same(other.action_mask[deciding], batch.action_mask[deciding], f"{where}: masks")
            for i in range(len(states)):
                a, b = other.states[i], batch.states[i]
                assert game.describe(a, seat) == game.describe(b, seat), f"{where}: describe tells hidden things"
                assert game.text(a, seat) == game.text(b, seat), f"{where}: text tells hidden things"
    assert states.tobytes() == np.asarray(batch.states).tobytes(), f"{game!r}: redeal has changed the states given"


def _check_batch(batch: Batch, where: str) -> None:
    """Possible states, finite rewards, and an action that is legal exactly where the game is not over."""
    try:
        batch.game.check(batch.states)
    except ValueError as error:
        raise AssertionError(f"{where}: {error}") from error
    assert np.isfinite(batch.rewards).all(), f"{where}: a reward is not finite"
    stuck = batch.action_mask.any(axis=1) == batch.terminated
    assert not stuck.any(), f"{where}: the mask does not fit the end of the game"


def _refusal(batch: Batch, action: int) -> IllegalActionError | None:
    try:
        batch.step([action])
    except IllegalActionError as error:
        return error
    return None


def _played_out(batch: Batch) -> Batch:
    """The same batch, all its games played to their end by random actions of its own."""
    while not batch.terminated.all():
        batch.step(batch.sample_legal())
    return batch


def _everything(batch: Batch) -> tuple[bytes, int, bytes, bytes]:
    """All that a step may change; the second item is the first game's current player."""
    states = np.asarray(batch.states).tobytes()
    return states, int(batch.current_player[0]), batch.action_mask.tobytes(), batch.rewards.tobytes()


def _same(a: npt.NDArray[Any], b: npt.NDArray[Any], what: str) -> None:
    same = a.shape == b.shape and a.dtype == b.dtype and np.array(a).tobytes() == np.array(b).tobytes()
    assert same, f"{what} differ"

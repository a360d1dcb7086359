"""The native vector environments, and what opponents inside ``step`` cost beside self-play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from benchmarks.engine import staggered
from benchmarks.timing import Task
from benchmarks.variants import Variant
from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from isle_envs.core.loops import sample_all
from isle_envs.core.policy import make_policy
from isle_envs.envs.driver import EpisodeDriver

SIZES = (64, 1024)
SELF_PLAY_SIZES = (64, 1024, 16_384)
BARE = {"observation": "raw", "copy": False, "endings": False}
STEPS = 16_384  # agent steps in one call

_SLICES, _STRIDE = 32, 6
_COUNTED_COPIES, _COUNTED_STEPS = 256, 300


def tasks(variant: Variant) -> list[Task]:
    """The environment bare and with its defaults, and the same game as a self-play batch stepped from Python."""
    game = variant.make()
    result = []
    for n in SIZES:
        for words, options in (("bare", BARE), ("defaults", {})):
            result.append(Task(f"vector {n}, {words}", learner(variant, n, **options), "agent steps"))
        result.append(Task(f"self-play {n}, observed", _self_play(game, n, observing=True)))
    result += [Task(f"self-play {n}", _self_play(game, n, observing=False)) for n in SELF_PLAY_SIZES]
    most = max(SIZES)
    result.append(Task(f"vector {most}, bare, two threads", learner(variant, most, threads=2, **BARE), "agent steps"))
    for task in result:
        task.group, task.game = "vector", variant.key
    return result


def learner(variant: Variant, n: int, **options: Any) -> Callable[[], int]:
    """Legal choices by the compiled sampler, and ``step`` against the built-in random opponents.

    The step in which a copy begins its next episode (its action is passed over) is not counted.
    """
    env = gymnasium.make_vec(variant.env_id, num_envs=n, vectorization_mode="vector_entry_point", **options)
    _, infos = env.reset(seed=1)
    streams = rng.streams(rng.numbered_keys(1, n), rng.SAMPLER)
    actions = np.empty(n, np.int64)
    masks, over = infos["action_mask"], 0

    def step() -> int:
        nonlocal masks, over
        sample_all(masks, streams, actions)
        _, _, terminations, _, infos = env.step(actions)
        played = n - over
        masks, over = infos["action_mask"], int(np.count_nonzero(terminations))
        return played

    for k in range(min(n, _SLICES)):  # so that not all copies are at the same stage
        _, infos = env.reset(options={"reset_mask": np.arange(n) % _SLICES == k})
        masks, over = infos["action_mask"], int(np.count_nonzero(env.unwrapped.driver.terminated))  # type: ignore[attr-defined]
        for _ in range(_STRIDE):
            step()
    often = max(1, STEPS // n)

    def work() -> int:
        return sum(step() for _ in range(often))

    return work


def _self_play(game: Game, n: int, *, observing: bool) -> Callable[[], int]:
    """All seats played from Python, one call of each kind a decision; finished games are dealt anew."""
    batch = staggered(game, n)
    seen = np.empty((n, game.observation.size), np.int8)
    often = max(1, STEPS // n)

    def work() -> int:
        for _ in range(often):
            batch.step(batch.sample_legal())
            over = batch.terminated
            if over.any():
                batch.reset(over)
            if observing:
                batch.observe(seen)
        return n * often

    return work


class _Counting:
    """The random policy, counting."""

    name = "counting"

    def __init__(self, game: Game) -> None:
        self.decisions = 0
        self._random = make_policy("random", game)

    def act(self, batch: Batch, where: npt.NDArray[np.bool_], rng: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """See :class:`isle_envs.core.policy.Policy`."""
        actions = self._random.act(batch, where, rng)
        self.decisions += int(np.count_nonzero(actions >= 0))
        return actions


def decisions_per_step(game: Game) -> float:
    """How many decisions, the opponents' included, a step of the learner is in random play: counted, not timed."""
    opponent, n = _Counting(game), _COUNTED_COPIES
    driver = EpisodeDriver(game, n, opponents=opponent, seed=1)
    streams = rng.streams(rng.numbered_keys(1, n), rng.SAMPLER)
    actions = np.empty(n, np.int64)
    driver.reset()
    steps = 0
    for _ in range(_COUNTED_STEPS):
        sample_all(driver.action_mask, streams, actions)
        driver.step(actions)
        steps += n
        if driver.terminated.any():
            driver.reset(where=driver.terminated.copy())
    return (steps + opponent.decisions) / steps

"""Threads change no result, and the pool survives fork, spawn and worker processes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import isle_envs
from isle_envs.core.threads import in_chunks

NAMES = ["isle_tiles", "islet", "isla"]


def played(name: str, threads: int) -> str:
    """A digest of 37 games after steps from outside, random play within, resets and observations."""
    game = isle_envs.make_game(name, num_players=2)
    batch = game.batch(37, seed=3, threads=threads)
    for _ in range(20):
        batch.step(batch.sample_legal())
    batch.play_random(60)
    batch.reset(np.arange(37) % 3 == 0)
    parts = batch.states, batch.action_mask, batch.rewards, batch.observe(), batch.scores(), *batch.measure()
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_games_for_any_number_of_threads(name: str) -> None:
    assert len({played(name, threads) for threads in (1, 2, 3, 8, 64)}) == 1


def test_chunks_cover_everything_once() -> None:
    for n in (1, 2, 3, 7, 100):
        for threads in (1, 2, 3, 7, 101):
            chunks = in_chunks(lambda low, high: (low, high), n, threads)
            assert [k for low, high in chunks for k in range(low, high)] == list(range(n))
            assert len(chunks) == min(n, threads)


def test_an_error_in_a_chunk_is_raised_once_all_are_done() -> None:
    done: list[int] = []

    def work(low: int, high: int) -> None:
        done.append(low)
        if low == 0:
            raise ArithmeticError("first chunk")

    with pytest.raises(ArithmeticError, match="first chunk"):
        in_chunks(work, 8, 4)
    assert sorted(done) == [0, 2, 4, 6]


def _in_child(name: str, results: Any) -> None:
    results.put(played(name, 2))


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(
    "method", [m for m in ("fork", "spawn", "forkserver") if m in multiprocessing.get_all_start_methods()]
)
def test_after_use_in_the_parent_a_child_plays_too(method: str) -> None:
    expected = played("isla", 2)
    context = multiprocessing.get_context(method)
    results = context.Queue()
    child = context.Process(target=_in_child, args=("isla", results))
    child.start()
    try:
        assert results.get(timeout=120) == expected
    finally:
        child.join(timeout=30)
        child.kill()
    assert played("isla", 2) == expected  # and the parent goes on


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_the_interpreter_ends_with_a_pool_in_use() -> None:
    code = "import isle_envs; isle_envs.make_game('isla').batch(64, threads=4).play_random(5)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def _make() -> gymnasium.Env[Any, Any]:
    return gymnasium.make("isle_envs:isle_envs/Isla-v0", opponents="greedy")


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_stable_baselines3_workers(method: str) -> None:
    """SubprocVecEnv's workers play what the environment plays here."""
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    played("isla", 2)  # a pool in the parent
    workers = vec_env.SubprocVecEnv([_make, _make], start_method=method)
    here = [_make(), _make()]
    try:
        workers.seed(5)
        seen = workers.reset()
        for i, env in enumerate(here):
            np.testing.assert_array_equal(seen[i], env.reset(seed=5 + i)[0])
        for _ in range(15):
            masks = workers.env_method("action_masks")
            actions = np.array([int(np.flatnonzero(mask)[-1]) for mask in masks])
            seen, rewards, dones, _ = workers.step(actions)
            for i, env in enumerate(here):
                one, reward, terminated, _, _ = env.step(int(actions[i]))
                assert (rewards[i], dones[i]) == (np.float32(reward), terminated)
                if terminated:
                    one, _ = env.reset()
                np.testing.assert_array_equal(seen[i], one)
    finally:
        workers.close()

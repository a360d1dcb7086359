"""What others do on the same machine in the same run; what is not installed is left out with a word."""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from benchmarks.faces import agents
from benchmarks.timing import Task
from benchmarks.workers import RemoteTask, Worker

NOT_MEASURED = {
    "fastcatan": "a C++ package that needs Python 3.12 and has no common interface; its figure is from the design study"
}


def tasks(skipped: dict[str, str], workers: list[Worker]) -> Iterator[Task]:
    """All that can be measured here; notes in ``skipped`` what cannot and why, and in ``workers`` what processes it started."""
    skipped |= NOT_MEASURED
    makers: dict[str, Callable[[], list[Task]]] = {
        "Gymnasium CartPole": _cartpole,
        "PettingZoo connect four": _connect_four,
        "PettingZoo chess": _chess,
        "OpenSpiel": _open_spiel,
        "City of Gold": _city_of_gold,
        "pgx": lambda: _pgx(workers),
    }
    for name, maker in makers.items():
        try:
            made = maker()
        except (ImportError, gymnasium.error.Error) as error:
            skipped[name] = f"not installed or not usable: {error}"
            continue
        for task in made:
            task.group = "peers"
            yield task


# ------------------------------------------------------------------------------------------- Gymnasium and PettingZoo


def _cartpole() -> list[Task]:
    name = "CartPole-v1"
    result = [
        Task("Gymnasium CartPole, step, unwrapped", _balancer(gymnasium.make(name).unwrapped), "steps"),
        Task("Gymnasium CartPole, step, made", _balancer(gymnasium.make(name)), "steps"),
    ]
    for n in (64, 1024):
        env = gymnasium.make_vec(name, num_envs=n, vectorization_mode="vector_entry_point")
        result.append(Task(f"Gymnasium CartPole, vector {n}", _balancers(env, n), "steps"))
    return result


def _balancer(env: Any) -> Callable[[], int]:
    """Random pushes; choosing them costs nothing."""
    env.reset(seed=1)
    pushes = np.random.default_rng(1).integers(2, size=1000).tolist()

    def work() -> int:
        for push in pushes:
            _, _, terminated, truncated, _ = env.step(push)
            if terminated or truncated:
                env.reset()
        return len(pushes)

    return work


def _balancers(env: Any, n: int) -> Callable[[], int]:
    env.reset(seed=1)
    pushes = np.random.default_rng(1).integers(2, size=(64, n))
    over = 0

    def work() -> int:
        nonlocal over
        done = 0
        for push in pushes:
            _, _, terminations, truncations, _ = env.step(push)
            done += n - over  # where an episode was over, the push is passed over
            over = int(np.count_nonzero(terminations | truncations))
        return done

    return work


def _connect_four() -> list[Task]:
    from pettingzoo.classic import connect_four_v3

    return [
        Task("PettingZoo connect four, raw_env()", agents(connect_four_v3.raw_env()), "turns"),
        Task("PettingZoo connect four, env()", agents(connect_four_v3.env()), "turns"),
    ]


def _chess() -> list[Task]:
    from pettingzoo.classic import chess_v6

    return [
        Task("PettingZoo chess, raw_env()", agents(chess_v6.raw_env(), 50), "turns"),
        Task("PettingZoo chess, env()", agents(chess_v6.env(), 50), "turns"),
    ]


# ----------------------------------------------------------------------------------------------------------- OpenSpiel


def _open_spiel() -> list[Task]:
    pyspiel: Any = importlib.import_module("pyspiel")
    rl_environment: Any = importlib.import_module("open_spiel.python.rl_environment")
    game = pyspiel.load_game("connect_four")
    choose = random.Random(1).random
    bots = [pyspiel.make_uniform_random_bot(seat, 1 + seat) for seat in (0, 1)]
    env = rl_environment.Environment("connect_four")
    number = 0

    def states() -> int:
        done = 0
        for _ in range(25):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(choose() * len(legal))])
            done += state.move_number()
        return done

    def inside() -> int:
        nonlocal number
        done = 0
        for _ in range(250):
            state = game.new_initial_state()
            number += 1
            pyspiel.evaluate_bots(state, bots, number)
            done += state.move_number()
        return done

    def environment() -> int:
        done = 0
        for _ in range(25):
            step = env.reset()
            while not step.last():
                seen = step.observations
                legal = seen["legal_actions"][seen["current_player"]]
                step = env.step([legal[int(choose() * len(legal))]])
                done += 1
        return done

    return [
        Task("OpenSpiel connect four, random bots inside C++", inside),
        Task("OpenSpiel connect four, C++ states from Python", states),
        Task("OpenSpiel connect four, rl_environment", environment, "steps"),
    ]


# -------------------------------------------------------------------------------------------------------- City of Gold


def _city_of_gold() -> list[Task]:
    return [Task(f"City of Gold (C++), {n} games, observed", _gold(n)) for n in (64, 256)]


def _gold(n: int) -> Callable[[], int]:
    """Its own sampler and step, in C++, one thread; it resets by itself and always observes."""
    city_of_gold: Any = importlib.import_module("city_of_gold")
    runner = city_of_gold.vec.get_runner(n)(1)
    runner.make_samplers(1)
    runner.get_envs().reset(1, 4, 3, city_of_gold.Difficulty.EASY, 100_000, False)
    often = max(1, 32_768 // n)

    def work() -> int:
        for _ in range(often):
            runner.sample_seq()
            runner.step_seq()
        return often * n

    return work


# ----------------------------------------------------------------------------------------------------------------- pgx


def _pgx(workers: list[Worker]) -> list[Task]:
    """In a process of its own, kept on one core with all its threads."""
    worker = Worker(pinned=True)
    workers.append(worker)
    result: list[Task] = []
    for n in (64, 1024):
        worker.make(f"pgx {n}", __name__, "pgx_connect_four", n)
        result.append(RemoteTask(f"pgx connect four, {n} games, jit and vmap, observed", [worker], f"pgx {n}"))
    return result


def pgx_connect_four(n: int) -> Callable[[], int]:
    """``n`` games in one compiled loop, with random legal choices and resets on the device."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    jax: Any = importlib.import_module("jax")
    pgx: Any = importlib.import_module("pgx")
    tools: Any = importlib.import_module("pgx.experimental")
    env = pgx.make("connect_four")
    step = jax.vmap(tools.auto_reset(env.step, env.init))
    often = max(1, 65_536 // n)

    def turn(_: Any, carried: Any) -> Any:
        state, key = carried
        key, choosing, resetting = jax.random.split(key, 3)
        actions = tools.act_randomly(choosing, state.legal_action_mask)
        return step(state, actions, jax.random.split(resetting, n)), key

    play = jax.jit(lambda state, key: jax.lax.fori_loop(0, often, turn, (state, key)))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), n))
    key = jax.random.PRNGKey(1)

    def work() -> int:
        nonlocal state, key
        state, key = jax.block_until_ready(play(state, key))
        return often * n

    return work

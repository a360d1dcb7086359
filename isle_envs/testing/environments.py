"""Checks of environments with masks, played by random legal actions, as PettingZoo's and Gymnasium's own do not."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np


def check_aec(make: Callable[[], Any], *, games: int = 3, seed: int = 0) -> None:
    """Bombards a PettingZoo environment with legal actions and holds it to what a masked game owes.

    - Every observation of every agent lies in its space, has its dtypes, and stays as it is however the game goes on.
    - Only the agent to decide has legal actions, and it always has one. All agents have equal spaces.
    - ``last`` gives an agent the rewards since its last action. Infos have the same keys, with numbers, all along.
    - All agents terminate together, nobody is truncated, and each then steps once with None.
    - A seed gives the same game again. ``copy.deepcopy`` and pickle in the middle of a game go on identically and
      independently.

    Args:
        make: makes the environment, a new one at every call.
        games: how many games are played.
        seed: of the games.

    Raises:
        AssertionError: what is wrong.
    """
    env, twin = make(), make()
    rng = np.random.default_rng(seed)
    spaces = [env.observation_space(agent) for agent in env.possible_agents]
    assert all(space == spaces[0] for space in spaces), f"{env}: the agents' observation spaces differ"
    for game in range(games):
        env.reset(seed=seed if game == 0 else None)
        twin.reset(seed=seed if game == 0 else None)
        assert env.agents == env.possible_agents, f"{env}: not all agents are there after reset"
        keys = {agent: set(env.infos[agent]) for agent in env.agents}
        owed = dict.fromkeys(env.agents, 0.0)
        seen: list[tuple[Any, bytes]] = []
        while True:
            _check_agents(env, keys, seen)
            _check_same(env, twin, f"{env}: two environments of one seed differ")
            agent = env.agent_selection
            observation, reward, terminated, truncated, info = env.last()
            right = abs(reward - owed[agent]) < 1e-6
            assert right, f"{env}: last gives {agent} {reward}, its rewards are {owed[agent]}"
            assert info == env.infos[agent], f"{env}: last gives another info than infos"
            assert not truncated, f"{env}: {agent} is truncated"
            if terminated:
                break
            legal = np.flatnonzero(observation["action_mask"])
            action = int(rng.choice(legal))
            if rng.random() < 0.05:
                clones = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
                kept = _picture(env)
                for clone in clones:
                    _check_same(env, clone, f"{env}: a clone differs")
                    clone.step(action)
                assert _picture(env) == kept, f"{env}: a clone's step has changed the original"
                env.step(action)
                for clone in clones:
                    _check_same(env, clone, f"{env}: a clone goes on otherwise")
            else:
                env.step(action)
            twin.step(action)
            owed[agent] = 0.0
            for other, given in env.rewards.items():
                owed[other] += given
        assert all(env.terminations.values()), f"{env}: not all agents terminate together"
        for left in range(len(env.agents), 0, -1):
            assert len(env.agents) == left, f"{env}: {len(env.agents)} agents are left instead of {left}"
            agent = env.agent_selection
            assert abs(env.last()[1] - owed[agent]) < 1e-6, f"{env}: {agent}'s last rewards are lost"
            env.step(None)
            twin.step(None)
        assert not env.agents, f"{env}: {env.agents} are left after the end"
        for array, content in seen:
            assert array.tobytes() == content, f"{env}: an observation changed after it was given"
    env.close()
    twin.close()


def _check_agents(env: Any, keys: dict[str, set[str]], seen: list[tuple[Any, bytes]]) -> None:
    """What holds for every agent at any time."""
    for agent in env.agents:
        observation, space = env.observe(agent), env.observation_space(agent)
        assert set(observation) == {"observation", "action_mask"}, f"{env}: an observation has {set(observation)}"
        assert space.contains(observation), f"{env}: {agent}'s observation is not in its space"
        for name, array in observation.items():
            assert array.dtype == space[name].dtype, f"{env}: {name} is {array.dtype}, its space {space[name].dtype}"
            shared = any(np.shares_memory(array, other) for other, _ in seen[-8:])
            assert not shared, f"{env}: observations share memory"
            seen.append((array, array.tobytes()))
        deciding = agent == env.agent_selection and not env.terminations[agent]
        assert observation["action_mask"].any() == deciding, f"{env}: {agent}'s mask does not fit whose turn it is"
        info = env.infos[agent]
        assert set(info) == keys[agent], f"{env}: the keys of infos have changed to {set(info)}"
        numbers = all(isinstance(value, int | float | np.number) for value in info.values())
        assert numbers, f"{env}: infos has other things than numbers: {info}"
        assert isinstance(env.terminations[agent], bool), f"{env}: terminations has other things than bools"
        assert env.truncations[agent] is False, f"{env}: {agent} is truncated"


def _picture(env: Any) -> Any:
    """Everything that a user can read, comparable."""
    views = {agent: {name: a.tobytes() for name, a in env.observe(agent).items()} for agent in env.agents}
    return views, env.agent_selection, env.rewards, env.terminations, env.truncations, env.infos


def _check_same(a: Any, b: Any, what: str) -> None:
    assert _picture(a) == _picture(b), what
    assert {x: a._cumulative_rewards[x] for x in a.agents} == {x: b._cumulative_rewards[x] for x in b.agents}, what


def check_gymnasium(make: Callable[[], gymnasium.Env[Any, Any]], *, episodes: int = 4, seed: int = 0) -> None:
    """Bombards a Gymnasium environment with legal actions and holds it to what a masked game owes.

    - Every observation lies in its space and stays as it is, however the episode goes on. Every info has
      ``action_mask``, int8, equal to ``action_masks()``, bool: with a legal action in it until the end, and none after.
    - Nothing is truncated. A seed gives the same episodes again. ``copy.deepcopy`` and pickle in the middle of an
      episode go on identically and independently.

    Args:
        make: makes the environment, a new one at every call.
        episodes: how many episodes are played.
        seed: of the episodes.

    Raises:
        AssertionError: what is wrong.
    """
    env, twin = make(), make()
    rng = np.random.default_rng(seed)
    seen: list[tuple[Any, bytes]] = []
    for episode in range(episodes):
        first = seed if episode == 0 else None
        result: Any = (*env.reset(seed=first), False)
        other: Any = (*twin.reset(seed=first), False)
        while True:
            observation, info, terminated = result
            assert _content(result) == _content(other), f"{env}: two environments of one seed differ"
            assert env.observation_space.contains(observation), f"{env}: an observation is not in its space"
            mask, masks = info["action_mask"], env.get_wrapper_attr("action_masks")()
            types = mask.dtype, masks.dtype
            assert types == (np.int8, np.bool_), f"{env}: masks are {mask.dtype} and {masks.dtype}"
            assert (mask == masks).all(), f"{env}: the mask in info is not that of action_masks()"
            assert mask.any() != terminated, f"{env}: the mask does not fit the end of the episode"
            for array in (observation, mask, masks):
                assert not any(np.shares_memory(array, old) for old, _ in seen[-8:]), f"{env}: arrays share memory"
                seen.append((array, array.tobytes()))
            if terminated:
                break
            action = int(rng.choice(np.flatnonzero(mask)))
            clones = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))] if rng.random() < 0.05 else []
            given = [_step(clone, action) for clone in clones]
            unchanged = (env.get_wrapper_attr("action_masks")() == masks).all()
            assert unchanged, f"{env}: a clone's step has changed the original"
            result, other = _step(env, action), _step(twin, action)
            for clone in given:
                assert _content(clone) == _content(result), f"{env}: a clone goes on otherwise"
    for array, content in seen:
        assert array.tobytes() == content, f"{env}: an array changed after it was given"
    env.close()
    twin.close()


def _step(env: gymnasium.Env[Any, Any], action: int) -> tuple[Any, dict[str, Any], bool]:
    observation, reward, terminated, truncated, info = env.step(action)
    assert not truncated, f"{env}: an episode is truncated"
    return observation, {**info, "reward": reward}, terminated


def _content(result: tuple[Any, dict[str, Any], bool]) -> Any:
    observation, info, terminated = result
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in info.items()}
    return observation.tobytes(), plain, terminated

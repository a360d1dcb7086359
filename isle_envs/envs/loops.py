"""The compiled loops of the environments, for any game: what happens at every step of theirs, in one call."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from isle_envs.core import rng
from isle_envs.core.kernel import kernel
from isle_envs.core.loops import AHEAD, OUTSIDE, RANDOM, Kernel, Rules, build_look, sample
from isle_envs.core.records import borrowed, fetch
from isle_envs.core.rng import mix

EPISODE = np.dtype(
    [
        ("number", np.int64),  # 0, 1, …; −1 before the first
        ("total", np.float64),  # the learner's rewards so far
        ("reward", np.float32),  # its reward of the last step
        ("illegal", np.int32),  # the illegal action of the last step, or −1
        ("learner", np.int8),  # its seat
        ("fresh", np.bool_),  # before its first decision
        ("terminated", np.bool_),
    ],
    align=True,
)
"""One copy's running episode."""

LARGEST = 2**31 - 1
"""The largest illegal action that an episode can note."""

_SEAT = rng.SEAT


@kernel
def begin(episodes: Any, seeds: Any, where: Any, seat: int, turns: Any, deciders: Any, streams: Any, keys: Any) -> None:
    """Starts the next episode of the copies ``where``, their games still to be dealt.

    Args:
        episodes: :data:`EPISODE` ``(n,)``.
        seeds: uint64 ``(n,)``, the copies' seeds.
        where: bool ``(n,)``.
        seat: the learner's; −1: episode number modulo players.
        turns: int8 ``(players,)``, who decides for the k-th seat after the learner's.
        deciders: int8 ``(n, players)``, who decides for each seat (written).
        streams: :data:`~isle_envs.core.rng.STREAM` ``(n, players)``, what each seat's policy draws from (written).
        keys: uint64 ``(n,)``, the keys of the games (written).
    """
    players = deciders.shape[1]
    for i in range(len(episodes)):
        if where[i]:
            episode = episodes[i]
            episode.number += 1
            episode.total = 0.0
            episode.reward = 0.0
            episode.illegal = -1
            episode.learner = episode.number % players if seat < 0 else seat
            episode.fresh = True
            episode.terminated = False
            keys[i] = mix(seeds[i], np.uint64(episode.number))
            seat_key = mix(keys[i], _SEAT)
            for turn in range(players):
                other = (int(episode.learner) + turn) % players
                deciders[i, other] = turns[turn]
                streams[i, other].key = mix(seat_key, np.uint64(other))
                streams[i, other].counter = np.uint64(0)


@kernel
def first_wrong(episodes: Any, masks: Any, actions: Any) -> int:
    """The first running episode whose action its mask does not allow, or −1."""
    for i in range(len(episodes)):
        action = actions[i]
        if not episodes[i].terminated and (action < 0 or action >= masks.shape[1] or not masks[i, action]):
            return i
    return -1


@functools.cache
def build_advance(rules: Rules) -> Kernel:
    """The loop that plays episodes on; see the kernel inside."""
    apply, forfeit, greedy = rules.apply, rules.forfeit, rules.greedy
    look = build_look(rules)

    @kernel
    def advance(
        tables: Any,
        states: Any,
        masks: Any,
        rewards: Any,
        episodes: Any,
        actions: Any,
        num_actions: int,
        asked: bool,
        deciders: Any,
        streams: Any,
        low: int,
        high: int,
    ) -> int:
        """Plays each running episode until somebody outside is to decide or the game is over.

        ``asked``: a step begins, ``actions`` are the learners', and one that is not legal ends its episode with the
        game's forfeit. Else the step goes on: ``actions`` are the legal ones of opponents outside, negative where
        nobody was asked. ``rewards`` add up over the step. Returns how many games wait for an opponent outside.
        """
        states, masks, rewards = borrowed(states), borrowed(masks), borrowed(rewards)
        episodes, streams = borrowed(episodes), borrowed(streams)
        waiting = 0
        for i in range(low, high):
            fetch(states, i + AHEAD)
            state, mask, episode = states[i], masks[i], episodes[i]
            action = np.int64(actions[i])
            if asked:
                if not episode.fresh:  # what the opponents' first moves brought is paid with the first step
                    rewards[i, :] = 0
                    episode.reward = 0.0
                episode.fresh = False
                episode.illegal = -1
            if episode.terminated:
                continue
            learner = int(episode.learner)
            if asked and (action < 0 or action >= len(mask) or not mask[action]):
                episode.illegal = min(action, LARGEST) if action >= 0 else num_actions
                worth = forfeit(tables[0], state, learner)
                episode.reward = worth - episode.total
                episode.total = worth
                episode.terminated = True
                mask[:] = False
                continue
            before = rewards[i, learner]
            if action >= 0:
                apply(tables[0], state, action, rewards[i])
                look(tables[0], state, mask, num_actions)
            while state.current_player >= 0:
                seat = int(state.current_player)
                if deciders[i, seat] == OUTSIDE:
                    waiting += seat != learner
                    break
                if deciders[i, seat] == RANDOM:
                    choice = np.int64(sample(mask, streams[i, seat]))
                else:
                    choice = np.int64(greedy(tables[0], state, mask[:num_actions], streams[i, seat]))
                apply(tables[0], state, choice, rewards[i])
                look(tables[0], state, mask, num_actions)
            gain = rewards[i, learner] - before
            episode.reward += gain
            episode.total += gain
            episode.terminated = state.current_player < 0
        return waiting

    return advance


@functools.cache
def build_turn(rules: Rules) -> Kernel:
    """The loop of a single decision; see the kernel inside."""
    apply, score, rank = rules.apply, rules.score, rules.rank
    look = build_look(rules)

    @kernel
    def turn(
        tables: Any,
        states: Any,
        masks: Any,
        num_actions: int,
        rewards: Any,
        scores: Any,
        ranks: Any,
        action: int,
        low: int,
        high: int,
    ) -> None:
        """Plays a legal action, or none if it is negative, and writes scores and ranks, int32 and int8 ``(n, players)``."""
        masks, rewards = borrowed(masks), borrowed(rewards)
        for i in range(low, high):
            if action >= 0:
                rewards[i, :] = 0
                apply(tables[0], states[i], np.int64(action), rewards[i])
                look(tables[0], states[i], masks[i], num_actions)
            for seat in range(scores.shape[1]):
                scores[i, seat] = score(tables[0], states[i], seat)
                ranks[i, seat] = rank(tables[0], states[i], seat)

    return turn


@kernel
def scale(raw: Any, factors: Any, where: Any, out: Any) -> None:
    """``out[i] = raw[i] * factors`` where bool ``(n,)`` says so: int8 and float32 ``(n, size)``, float32 ``(size,)``."""
    for i in range(raw.shape[0]):
        if where[i]:
            for k in range(raw.shape[1]):
                out[i, k] = np.float32(raw[i, k]) * factors[k]

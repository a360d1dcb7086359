"""The compiled loops over a batch, written once, as a factory over a game's rules.

A loop takes ``low`` and ``high``, the games it is to handle, so that threads can share a batch. ``tables`` is a record array of length 1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from isle_envs.core.bits import count_bits, nth, wide
from isle_envs.core.blocks import BLOCK, gather
from isle_envs.core.kernel import kernel
from isle_envs.core.records import borrowed, fetch, shortened
from isle_envs.core.rng import NEXT_GAME, below, mix

Kernel = Callable[..., Any]

# Who decides for a seat: somebody outside the compiled loop, or a policy inside it.
OUTSIDE, RANDOM, GREEDY = 0, 1, 2


@kernel(inline=True)
def _derive_nothing(tables: Any, state: Any) -> None:
    pass


class Rules(NamedTuple):
    """A game, as compiled functions over its tables and one state (both records).

    A state has at least the fields ``stream`` (:data:`~isle_envs.core.rng.STREAM`) and ``current_player`` (int8, −1 when the game is over).

    Attributes:
        deal: ``(tables, state)``. The state is all zeros but for the stream's key.
        legal: ``(tables, state, mask)``. Sets the legal actions in ``mask``, bool ``(num_actions,)``, all False before, in memory that
            goes on to a multiple of 64 bytes; not called once the game is over.
        apply: ``(tables, state, action, rewards)``. Plays a legal action; adds to ``rewards``, float32 ``(players,)``.
        observe: ``(tables, state, seat, out)``. Writes int8 ``(size,)``, all zeros before.
        score: ``(tables, state, seat) -> int``. The seat's score as the game stands.
        rank: ``(tables, state, seat) -> int``. 1 … players once the game is over, 0 before.
        forfeit: ``(tables, state, seat) -> float``. The return of a seat that ends the game by an illegal action.
        redeal: ``(tables, state, seat)``. Draws anew all that the seat cannot know, from ``state.stream``, whose key is new.
        greedy: ``(tables, state, mask, stream) -> action``. A sensible beginner's choice; draws only from ``stream``.
        derive: ``(tables, state)``. Sets those fields that follow from the others, where a state has any: ``deal`` and ``apply`` keep
            them up, and whoever writes a state by hand or by ``redeal`` need not know of them.
        writes_all: whether ``legal`` writes the whole mask, to the end of its last 64 bytes, so that it need not be all False before.
    """

    deal: Kernel
    legal: Kernel
    apply: Kernel
    observe: Kernel
    score: Kernel
    rank: Kernel
    forfeit: Kernel
    redeal: Kernel
    greedy: Kernel
    derive: Kernel = _derive_nothing
    writes_all: bool = False


class Loops(NamedTuple):
    """The loops of one game; see :func:`build_loops`."""

    refresh: Kernel
    deal: Kernel
    play: Kernel
    observe: Kernel
    score: Kernel
    measure: Kernel
    decide: Kernel
    redeal: Kernel


AHEAD = 2  # a loop fetches the record of the game after the next one


@kernel(inline=True)
def _sample_blocks(mask: Any, stream: Any) -> int:
    """:func:`sample` of a mask of whole blocks, each read as one set of 64."""
    bits = gather(mask, 0)
    here = count_bits(bits)
    count = here
    for start in range(BLOCK, len(mask), BLOCK):
        count += count_bits(gather(mask, start))
    if count == 0:
        return -1
    left = below(stream, count)
    start = 0
    while left >= here:
        left -= here
        start += BLOCK
        bits = gather(mask, start)
        here = count_bits(bits)
    return wide(start + nth(bits, left))


@kernel
def sample(mask: Any, stream: Any) -> int:
    """One of the legal actions of ``mask``, a row of a C-contiguous array, all equally likely; −1 if there is none."""
    if len(mask) % BLOCK == 0:
        return _sample_blocks(mask, stream)
    whole = len(mask) // BLOCK * BLOCK
    count = 0
    for start in range(0, whole, BLOCK):
        count += count_bits(gather(mask, start))
    for action in range(whole, len(mask)):
        count += mask[action]
    if count == 0:
        return -1
    left = below(stream, count)
    for start in range(0, whole, BLOCK):
        bits = gather(mask, start)
        here = count_bits(bits)
        if left < here:
            return wide(start + nth(bits, left))
        left -= here
    action = whole
    while True:
        if mask[action]:
            if left == 0:
                return action
            left -= 1
        action += 1


@kernel
def sample_all(masks: Any, streams: Any, out: Any) -> None:
    """:func:`sample` for every game of a batch."""
    masks, streams = borrowed(masks), borrowed(streams)
    for i in range(len(masks)):
        out[i] = sample(masks[i], streams[i])


@kernel
def first_illegal(masks: Any, current: Any, actions: Any) -> int:
    """The first game whose action is not legal (for a game that is over: not −1), or −1."""
    for i in range(len(actions)):
        action = actions[i]
        if current[i] < 0:
            if action != -1:
                return i
        elif action < 0 or action >= masks.shape[1] or not masks[i, action]:
            return i
    return -1


@functools.cache
def build_look(rules: Rules) -> Kernel:
    """``look(tables, state, mask, size)``: the first ``size`` bytes of the mask anew, all False where the game is over."""
    legal, writes_all = rules.legal, rules.writes_all

    @kernel(inline=True)
    def look(tables: Any, state: Any, mask: Any, size: int) -> None:
        over = state.current_player < 0
        if over or not writes_all:
            mask[:] = False
        if not over:
            legal(tables, state, shortened(mask, size))

    return look


@functools.cache
def build_roll(rules: Rules, observing: bool) -> Kernel:
    """The loop of random play; with observations it compiles longer, so there are two."""
    deal, apply, observe = rules.deal, rules.apply, rules.observe
    look = build_look(rules)

    @kernel
    def roll_loop(
        tables: Any,
        states: Any,
        memory: Any,
        masks: Any,
        size: int,
        rewards: Any,
        samplers: Any,
        observations: Any,
        steps: int,
        low: int,
        high: int,
    ) -> int:
        """``steps`` random decisions in every game, a finished one being dealt anew; returns how many games ended.

        ``observations`` is int8 ``(n, size)``, left alone where nobody observes.
        """
        states, memory, masks = borrowed(states), borrowed(memory), borrowed(masks)
        rewards, samplers, observations = borrowed(rewards), borrowed(samplers), borrowed(observations)
        ended = 0
        for i in range(low, high):
            fetch(states, i + 1)
            state, mask, sampler, paid = states[i], masks[i], samplers[i], rewards[i]
            for _ in range(
                steps
            ):  # game by game: so each stays in the processor's cache, and what it does next is foreseen better
                for seat in range(len(paid)):
                    if paid[seat] != 0:  # seldom: most steps pay nobody, and to ask is quicker than to fill
                        paid[seat] = 0
                if state.current_player >= 0:
                    apply(tables[0], state, np.int64(_sample_blocks(mask, sampler)), paid)
                if state.current_player < 0:
                    ended += 1
                    key = mix(state.stream.key, NEXT_GAME)
                    memory[i, :] = 0
                    state.stream.key = key
                    deal(tables[0], state)
                look(tables[0], state, mask, size)
                if observing:
                    observations[i, :] = 0
                    observe(tables[0], state, np.int64(state.current_player), observations[i])
        return ended

    return roll_loop


@functools.cache
def build_loops(rules: Rules) -> Loops:
    """The batch loops of a game; two games with the same rules share them."""
    deal, _, apply, observe, score, rank, forfeit, redeal, greedy, derive, _ = rules
    look = build_look(rules)

    @kernel
    def refresh_loop(tables: Any, states: Any, masks: Any, size: int, where: Any, low: int, high: int) -> None:
        masks = borrowed(masks)
        for i in range(low, high):
            if where[i]:
                derive(tables[0], states[i])
                look(tables[0], states[i], masks[i], size)

    @kernel
    def deal_loop(
        tables: Any,
        states: Any,
        memory: Any,
        masks: Any,
        size: int,
        rewards: Any,
        where: Any,
        keys: Any,
        low: int,
        high: int,
    ) -> None:
        memory, masks, rewards = borrowed(memory), borrowed(masks), borrowed(rewards)
        for i in range(low, high):
            if where[i]:
                memory[i, :] = 0
                rewards[i, :] = 0
                states[i].stream.key = keys[i]
                deal(tables[0], states[i])
                look(tables[0], states[i], masks[i], size)

    @kernel
    def play_loop(
        tables: Any, states: Any, masks: Any, size: int, rewards: Any, actions: Any, low: int, high: int
    ) -> None:
        """Plays ``actions``, which must be legal; −1 where the game is over."""
        states, masks, rewards = borrowed(states), borrowed(masks), borrowed(rewards)
        for i in range(low, high):
            rewards[i, :] = 0
            fetch(states, i + AHEAD)
            if actions[i] >= 0:
                apply(tables[0], states[i], np.int64(actions[i]), rewards[i])
                look(tables[0], states[i], masks[i], size)

    @kernel
    def observe_loop(tables: Any, states: Any, seats: Any, out: Any, low: int, high: int) -> None:
        states, out = borrowed(states), borrowed(out)
        for i in range(low, high):
            fetch(states, i + AHEAD)
            if seats[i] >= 0:
                out[i, :] = 0
                observe(tables[0], states[i], np.int64(seats[i]), out[i])

    @kernel
    def score_loop(tables: Any, states: Any, scores: Any, low: int, high: int) -> None:
        for i in range(low, high):
            for seat in range(scores.shape[1]):
                scores[i, seat] = score(tables[0], states[i], seat)

    @kernel
    def measure_loop(tables: Any, states: Any, scores: Any, ranks: Any, forfeits: Any, low: int, high: int) -> None:
        for i in range(low, high):
            for seat in range(scores.shape[1]):
                scores[i, seat] = score(tables[0], states[i], seat)
                ranks[i, seat] = rank(tables[0], states[i], seat)
                forfeits[i, seat] = forfeit(tables[0], states[i], seat)

    @kernel
    def decide_loop(
        tables: Any,
        states: Any,
        masks: Any,
        size: int,
        where: Any,
        streams: Any,
        decider: int,
        out: Any,
        low: int,
        high: int,
    ) -> None:
        states, masks, streams = borrowed(states), borrowed(masks), borrowed(streams)
        for i in range(low, high):
            fetch(states, i + AHEAD)
            out[i] = -1
            if where[i] and states[i].current_player >= 0:
                if decider == RANDOM:
                    out[i] = sample(masks[i], streams[i])
                else:
                    out[i] = greedy(tables[0], states[i], masks[i][:size], streams[i])

    @kernel
    def redeal_loop(tables: Any, states: Any, seats: Any, keys: Any, low: int, high: int) -> None:
        for i in range(low, high):
            states[i].stream.key = keys[i]
            states[i].stream.counter = np.uint64(0)
            redeal(tables[0], states[i], np.int64(seats[i]))
            derive(tables[0], states[i])

    return Loops(refresh_loop, deal_loop, play_loop, observe_loop, score_loop, measure_loop, decide_loop, redeal_loop)

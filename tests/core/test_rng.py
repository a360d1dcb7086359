"""Random streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core import rng

MASK = 2**64 - 1


def scramble(bits: int) -> int:
    """SplitMix64's finaliser on Python integers, from its published constants."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def test_a_stream_is_splitmix64() -> None:
    """With key 0 the numbers are those of SplitMix64 seeded 0, whose first output is published: 0xE220A8397B1DCDAF."""
    stream = np.zeros(1, rng.STREAM)
    assert int(rng.next_bits(stream[0])) == 0xE220A8397B1DCDAF == scramble(0x9E3779B97F4A7C15)
    assert stream["counter"][0] == 1
    assert int(rng.next_bits(stream[0])) == scramble(2 * 0x9E3779B97F4A7C15 & MASK)


def test_below_takes_the_high_bits() -> None:
    """0xE220A839 × 10 >> 32 = 8."""
    stream = np.zeros(1, rng.STREAM)
    assert rng.below(stream[0], 10) == 8


def test_below_is_even() -> None:
    """60,000 draws below 6: each number 10,000 times, give or take 5 standard deviations of 91."""
    stream = np.zeros(1, rng.STREAM)
    counts = np.bincount([rng.below(stream[0], 6) for _ in range(60_000)], minlength=6)
    assert (np.abs(counts - 10_000) < 460).all()


def test_shuffle_is_even() -> None:
    """24,000 shuffles of four items: each order 1,000 times, give or take 5 standard deviations of 31."""
    stream = np.zeros(1, rng.STREAM)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(24_000):
        items = np.arange(4)
        rng.shuffle(stream[0], items)
        seen[tuple(items.tolist())] = seen.get(tuple(items.tolist()), 0) + 1
    assert len(seen) == 24
    assert all(abs(count - 1000) < 160 for count in seen.values())


def test_keys_and_purposes_differ() -> None:
    keys = rng.numbered_keys(5, 100)
    assert len(set(keys.tolist())) == 100
    assert [int(key) for key in keys[:3]] == [int(rng.episode_key(5, k)) for k in range(3)]
    assert not np.array_equal(rng.streams(keys, rng.SAMPLER)["key"], rng.streams(keys, rng.SEAT)["key"])
    assert int(rng.mix(np.uint64(1), np.uint64(2))) != int(rng.mix(np.uint64(2), np.uint64(1)))


def test_any_integer_is_a_seed() -> None:
    assert rng.as_key(-1) == MASK
    assert rng.as_key(2**64 + 5) == 5
    assert rng.episode_key(-1, 0) == rng.episode_key(2**64 - 1, 0)


def test_uniform_draws_only_where_asked() -> None:
    streams = rng.streams(np.arange(1000, dtype=np.uint64), rng.SEAT)
    where = np.arange(1000) % 2 == 0
    numbers = rng.uniform(streams, where)
    assert (numbers[~where] == 0).all() and (streams["counter"] == where).all()
    assert (numbers >= 0).all() and (numbers < 1).all()
    assert abs(numbers[where].mean() - 0.5) < 5 * np.sqrt(1 / 12 / 500)


@pytest.mark.parametrize("seed", [1.5, True, "1", None, b"a"])
def test_a_seed_is_an_integer(seed: Any) -> None:
    with pytest.raises(TypeError, match="a seed must be an integer"):
        rng.as_key(seed)
    with pytest.raises(TypeError, match="a seed must be an integer"):
        isle_envs.make_game("isla").batch(2, seed=seed)


@pytest.mark.parametrize("keywords", [{"n": 1.5}, {"n": True}, {"n": "3"}, {"threads": "2"}, {"threads": None}])
def test_a_batchs_sizes_are_whole_numbers(keywords: dict[str, Any]) -> None:
    (name,) = keywords
    with pytest.raises(TypeError, match=f"{name} must be a whole number"):
        isle_envs.make_game("isla").batch(**keywords)

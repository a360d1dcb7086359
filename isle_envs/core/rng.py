"""Random numbers: one counter-based stream a game, carried in the game's own state.

A stream is a key and a counter; number ``i`` of key ``k`` is a hash of both (SplitMix64's finaliser), so a stream is 16 bytes, is cloned by
copying, and gives the same numbers on every platform, compiled or not. Kernels use ``np.uint64`` operands only: numba turns
``uint64 ^ 1`` into int64, and Python's ``%`` differs from numba's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.kernel import kernel
from isle_envs.core.records import for_kernels

STREAM = np.dtype([("key", np.uint64), ("counter", np.uint64)])
"""A random stream: the record type of the ``stream`` field that every game state has."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_11, _27, _30, _31, _32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

# What a key derived from a game's key is for; so that no two purposes ever share a stream.
NEXT_GAME = np.uint64(0x6E657874)
SAMPLER = np.uint64(0x73616D70)
SEAT = np.uint64(0x73656174)


@kernel(inline=True)
def _scramble(bits: Any) -> Any:
    bits = (bits ^ (bits >> _30)) * _MULTIPLY_1
    bits = (bits ^ (bits >> _27)) * _MULTIPLY_2
    return bits ^ (bits >> _31)


@kernel(inline=True)
def mix(a: Any, b: Any) -> Any:
    """A key made of two ``uint64`` values, the order mattering."""
    return _scramble(_scramble(a + _GOLDEN) + b * _GOLDEN + _ONE)


@kernel(inline=True)
def next_bits(stream: Any) -> Any:
    """The stream's next 64 random bits (``uint64``)."""
    stream.counter += _ONE
    return _scramble(stream.key + stream.counter * _GOLDEN)


@kernel(inline=True)
def _scale(bits: Any, n: int) -> Any:
    """64 random bits as a number in ``0 … n − 1`` (``int64``)."""
    return np.int64(((bits >> _32) * np.uint64(n)) >> _32)


@kernel(inline=True)
def below(stream: Any, n: int) -> Any:
    """A random integer in ``0 … n − 1`` (``int64``), for ``1 ≤ n < 2³²``; the bias is below ``n / 2³²``."""
    return _scale(next_bits(stream), n)


@kernel
def shuffle(stream: Any, items: Any) -> None:
    """Shuffles a one-dimensional array in place (Fisher–Yates)."""
    key, counter = stream.key, stream.counter  # as `below`, but for reading and writing the stream each time
    for last in range(len(items) - 1, 0, -1):
        counter += _ONE
        other = _scale(_scramble(key + counter * _GOLDEN), last + 1)
        item = items[last]
        items[last] = items[other]
        items[other] = item
    stream.counter = counter


def as_key(seed: int) -> np.uint64:
    """Any integer, negative ones included, modulo 2⁶⁴ as a ``uint64`` key; raises ``TypeError`` for anything else."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"a seed must be an integer, not {seed!r}")
    return np.uint64(int(seed) & 0xFFFFFFFFFFFFFFFF)


def episode_key(seed: int, episode: int) -> np.uint64:
    """The key of episode ``episode`` (0, 1, …) of an environment seeded ``seed``."""
    return np.uint64(mix(as_key(seed), as_key(episode)))


@kernel
def _uniform(streams: Any, where: Any, out: Any) -> None:
    for i in range(len(out)):
        if where[i]:
            out[i] = np.float64(next_bits(streams[i]) >> _11) * 2.0**-53


def uniform(streams: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """One number in [0, 1) from each stream asked (bool ``(n,)``): float64 ``(n,)``, 0 elsewhere."""
    out = np.zeros(len(streams), np.float64)
    _uniform(for_kernels(streams), where, out)
    return out


@kernel
def _derive(keys: Any, purpose: Any, streams: Any) -> None:
    for i in range(len(keys)):
        streams[i].key = mix(keys[i], purpose)
        streams[i].counter = np.uint64(0)


def streams(keys: npt.ArrayLike, purpose: np.uint64) -> npt.NDArray[np.void]:
    """One fresh stream for every key: a :data:`STREAM` array of the keys' shape, ``(n,)``, different for each ``purpose``."""
    array = np.ascontiguousarray(keys, np.uint64)
    result = for_kernels(np.zeros(array.shape, STREAM))
    _derive(array, purpose, result)
    return result


@kernel
def _successors(keys: Any, seeds: Any, purpose: Any) -> None:
    for i in range(len(keys)):
        keys[i] = mix(seeds[i], purpose)


def next_keys(keys: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """The key of the game that follows each game where nobody gives one: uint64, of the keys' shape ``(n,)``."""
    array = np.ascontiguousarray(keys, np.uint64)
    result = np.empty_like(array)
    _successors(result, array, NEXT_GAME)
    return result


@kernel
def _mix_all(a: Any, b: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = mix(a[i], b[i])


def mix_all(a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """:func:`mix` of two uint64 arrays ``(n,)``, item by item."""
    out = np.empty(len(a), np.uint64)
    _mix_all(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    return out


@kernel
def _numbered(keys: Any, seed: Any) -> None:
    for i in range(len(keys)):
        keys[i] = mix(seed, np.uint64(i))


def numbered_keys(seed: int, n: int) -> npt.NDArray[np.uint64]:
    """``episode_key(seed, i)`` for i = 0 … n − 1: uint64 ``(n,)``."""
    keys = np.empty(n, np.uint64)
    _numbered(keys, as_key(seed))
    return keys

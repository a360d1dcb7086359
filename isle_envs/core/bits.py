"""Whole numbers in kernels, and small sets as ``uint64``: bit i says whether i (0 … 63) is in the set.

Go through a set with ``while rest != NO_BITS: i = lowest(rest); rest &= rest - ONE``. Larger sets are arrays of such words: whether i is
in the set says bit i % 64 of word i // 64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.kernel import kernel

NO_BITS = np.uint64(0)
ONE = np.uint64(1)

_INT64: Any = np.int64


@kernel(inline=True)
def wide(value: Any) -> int:
    """A number as int64. numba's ``int(x)`` leaves a uint8 as it is, and the difference of two of them wraps around."""
    number: int = _INT64(value)
    return number


@kernel(inline=True)
def wrapped(value: int, n: int) -> int:
    """``value % n`` for ``0 ≤ value < 2 n``, without the division, which takes as long as twenty additions."""
    return value - n if value >= n else value


@kernel(inline=True)
def bit(index: int) -> Any:
    """The set of one item."""
    return ONE << np.uint64(index)


@kernel(inline=True)
def count_bits(bits: Any) -> int:
    """How many items a set has; LLVM makes one instruction of the loop."""
    count = 0
    while bits != NO_BITS:
        bits &= bits - ONE
        count += 1
    return count


@kernel(inline=True)
def lowest(bits: Any) -> int:
    """The smallest item of a set that is not empty."""
    return count_bits((bits ^ (bits - ONE)) >> ONE)


@kernel(inline=True)
def contains(words: Any, index: int) -> bool:
    """Whether a larger set has an item."""
    return bool(words[index >> 6] & bit(index & 63) != NO_BITS)


@kernel(inline=True)
def include(words: Any, index: int) -> None:
    """Puts an item into a larger set."""
    words[index >> 6] |= bit(index & 63)


@kernel(inline=True)
def exclude(words: Any, index: int) -> None:
    """Takes an item out of a larger set, if it is there."""
    words[index >> 6] &= ~bit(index & 63)

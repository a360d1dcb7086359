"""Whole numbers in kernels, and small sets as ``uint64``: bit i says whether i (0 … 63) is in the set.

Go through a set with ``while rest != NO_BITS: i = lowest(rest); rest &= rest - ONE``. Larger sets are arrays of such words: whether i is
in the set says bit i % 64 of word i // 64.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic

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
def moved_up(bits: Any, by: int) -> tuple[Any, Any]:
    """A set whose items are all larger by 0 ≤ ``by`` < 128, as two: the items below 64, and those from 64 on."""
    shift = np.uint64(by & 63)
    moved = bits << shift
    return (moved, (bits >> ONE) >> (np.uint64(63) - shift)) if by < 64 else (NO_BITS, moved)


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


@kernel(inline=True)
def _nth(bits: Any, k: int) -> int:
    """:data:`nth`, item by item."""
    while k > 0:
        bits &= bits - ONE
        k -= 1
    return lowest(bits)


def _deposit(context: Any, bits: Any, k: Any) -> Any:
    """How ``nth`` compiles where one instruction, pdep, puts a bit in the place of a set's item."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        item = builder.call(deposit, [builder.shl(ir.Constant(word, 1), arguments[1]), arguments[0]])
        return builder.cttz(item, ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64, types.int64), code


def _deposits() -> bool:
    """Whether kernels are compiled for a processor that has this instruction, other than those where it is slow."""
    if numba.config.CPU_FEATURES is not None:
        return "+bmi2" in numba.config.CPU_FEATURES.split(",")
    slow = binding.get_host_cpu_name() in ("bdver4", "znver1", "znver2")
    return numba.config.CPU_NAME is None and not slow and bool(binding.get_host_cpu_features().get("bmi2", False))


nth: Any = intrinsic(_deposit) if _deposits() and not numba.config.DISABLE_JIT else _nth
"""``nth(bits, k)``: the item number ``k``, from 0, of a set in ascending order; it must have so many."""

"""Arrays of small numbers as sets, 64 items at a time: one instruction on processors with vectors of 64 bytes, a few on others.

Within a kernel only. Nothing is checked: the arrays must be contiguous, and memory must go on for 64 items from ``start`` on. Of items
behind the array's end anything may be told; mask it out. Item ``start + i`` is bit i of the set.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

BLOCK = 64
"""Items that make a set."""

# Types of llvmlite are made where they are needed: as globals they would belong to the kernels' seals, and they change when first used.


def _place(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> tuple[Any, Any]:
    """A pointer to 64 items of an array as one vector, and the type of an item."""
    item = ir.IntType(getattr(kind.dtype, "bitwidth", 8))  # a bool, which has none, is a byte in memory
    data = context.make_array(kind)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [start]), ir.VectorType(item, BLOCK).as_pointer()), item


def _compare(comparison: str, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The set of those of 64 items that compare so with a number."""
    place, item = _place(context, builder, signature.args[0], arguments[0], arguments[1])
    items = builder.load(place, align=1)
    value = builder.insert_element(
        ir.Constant(items.type, ir.Undefined), builder.trunc(arguments[2], item), ir.IntType(32)(0)
    )
    value = builder.shuffle_vector(value, value, ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), None))
    return builder.bitcast(builder.icmp_unsigned(comparison, items, value), ir.IntType(64))


def _equal(context: Any, items: Any, start: Any, value: Any) -> Any:
    """How :data:`equal` compiles."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _compare("==", context, builder, signature, arguments)

    return types.uint64(items, types.int64, types.int64), code


def _at_least(context: Any, items: Any, start: Any, value: Any) -> Any:
    """How :data:`at_least` compiles."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _compare(">=", context, builder, signature, arguments)

    return types.uint64(items, types.int64, types.int64), code


def _gather(context: Any, mask: Any, start: Any) -> Any:
    """How :data:`gather` compiles."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _compare("!=", context, builder, signature, (*arguments, ir.IntType(64)(0)))

    return types.uint64(mask, types.int64), code


def _scatter(context: Any, out: Any, start: Any, bits: Any) -> Any:
    """How :data:`scatter` compiles."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, _ = _place(context, builder, signature.args[0], arguments[0], arguments[1])
        bits = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), BLOCK))
        builder.store(builder.zext(bits, ir.VectorType(ir.IntType(8), BLOCK)), place, align=1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64), code


def _packed(held: Any) -> Any:
    bits = np.zeros(BLOCK, np.bool_)
    bits[: len(held)] = held
    return np.packbits(bits, bitorder="little").view(np.uint64)[0]


def _equals(items: Any, start: int, value: int) -> Any:
    return _packed(items[start : start + BLOCK] == value)


def _reaching(items: Any, start: int, value: int) -> Any:
    return _packed(items[start : start + BLOCK] >= value)


def _gathered(mask: Any, start: int) -> Any:
    return _packed(mask[start : start + BLOCK])


def _scattered(out: Any, start: int, bits: Any) -> None:
    place = out[start : start + BLOCK]
    place[:] = np.unpackbits(np.array([bits], np.uint64).view(np.uint8), bitorder="little")[: len(place)]


_PLAIN = numba.config.DISABLE_JIT

equal: Any = _equals if _PLAIN else intrinsic(_equal)
"""``equal(items, start, value)``: which items are ``value``, an int64 that their type of whole numbers can hold."""

at_least: Any = _reaching if _PLAIN else intrinsic(_at_least)
"""``at_least(items, start, value)``: which items, uint8, are ``value`` or more."""

gather: Any = _gathered if _PLAIN else intrinsic(_gather)
"""``gather(mask, start)``: which bytes of a mask are not 0."""

scatter: Any = _scattered if _PLAIN else intrinsic(_scatter)
"""``scatter(out, start, bits)``, the reverse: all 64 bytes of a mask or an int8 array become 1 or 0."""

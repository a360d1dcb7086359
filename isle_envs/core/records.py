"""Structured arrays as kernels take them."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def for_kernels(plain: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A plain structured array, which numba recognises fastest, or, where nothing is compiled, a record array of the same memory."""
    return plain.view(np.recarray) if numba.config.DISABLE_JIT else plain


def record_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout for arrays made within kernels: uncompiled, their items have the fields as attributes too."""
    return np.dtype((np.record, dtype))


def _borrow(context: Any, borrowed: Any) -> Any:
    """How ``borrowed`` compiles: the array's fields, but for what counts the references."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()

    return borrowed(borrowed), code


def _same(array: Any) -> Any:
    return array


borrowed: Any = _same if numba.config.DISABLE_JIT else intrinsic(_borrow)
"""Within a kernel: an array argument without its count of references.

numba counts a reference for every row that is taken of an array, atomically, which costs more than what most kernels do with the row. The
array must outlive what is made of it: use it on a loop's own arguments, which the caller holds, and on nothing made in a kernel.
"""


def _lend(context: Any, field: Any) -> Any:
    """How :data:`lent` compiles: the same array, by the type of those that are no fields."""
    array = types.Array(field.dtype, field.ndim, field.layout)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        result = context.make_array(array)(context, builder)
        for name in ("nitems", "itemsize", "data", "shape", "strides"):
            setattr(result, name, getattr(source, name))
        result.meminfo = cgutils.get_null_value(result.meminfo.type)
        result.parent = cgutils.get_null_value(result.parent.type)
        return result._getvalue()

    return array(field), code


lent: Any = _same if numba.config.DISABLE_JIT else intrinsic(_lend)
"""Within a kernel: an array that is a record's field as an array like any other, without a copy; the record must outlive it."""


# ------------------------------------------------------------------------------------------------------ Bytes as sets, 64 at a time


def _first(context: Any, builder: Any, kind: Any, array: Any, start: Any) -> Any:
    """A pointer to 64 bytes of an array as one vector."""
    data = context.make_array(kind)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [start]), _BYTES.as_pointer())


_BYTES = ir.VectorType(ir.IntType(8), 64)
_BITS = ir.VectorType(ir.IntType(1), 64)


def _compare(comparison: str, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """64 bytes compared with a number: the set of those of which it is true."""
    items = builder.load(_first(context, builder, signature.args[0], arguments[0], arguments[1]), align=1)
    value = builder.trunc(arguments[2], ir.IntType(8))
    vector = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), value, ir.IntType(32)(0))
    vector = builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), 64), None))
    return builder.bitcast(builder.icmp_unsigned(comparison, items, vector), ir.IntType(64))


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
        value = builder.zext(builder.bitcast(arguments[2], _BITS), _BYTES)
        builder.store(value, _first(context, builder, signature.args[0], arguments[0], arguments[1]), align=1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64), code


def _packed(held: Any) -> Any:
    bits = np.zeros(64, np.bool_)
    bits[: len(held)] = held
    return np.packbits(bits, bitorder="little").view(np.uint64)[0]


def _scattered(out: Any, start: int, bits: Any) -> None:
    out[start : start + 64] = np.unpackbits(np.array([bits], np.uint64).view(np.uint8), bitorder="little")


def _gathered(mask: Any, start: int) -> Any:
    return _packed(mask[start : start + 64])


def _equals(items: Any, start: int, value: int) -> Any:
    return _packed(items[start : start + 64] == value)


def _reaching(items: Any, start: int, value: int) -> Any:
    return _packed(items[start : start + 64] >= value)


gather: Any = _gathered if numba.config.DISABLE_JIT else intrinsic(_gather)
"""Within a kernel: ``gather(mask, start)``, the 64 bytes of a contiguous mask from ``start`` on as a set.

Nothing is checked, here and by the three that follow: memory must go on for 64 bytes. Of what lies behind the array's end anything is
told; mask it out.
"""

equal: Any = _equals if numba.config.DISABLE_JIT else intrinsic(_equal)
"""Within a kernel: ``equal(items, start, value)``, which of the 64 items from ``start`` on of a contiguous uint8 array are ``value``."""

at_least: Any = _reaching if numba.config.DISABLE_JIT else intrinsic(_at_least)
"""Within a kernel: ``at_least(items, start, value)``, which of the 64 items from ``start`` on of a contiguous uint8 array are not less."""

scatter: Any = _scattered if numba.config.DISABLE_JIT else intrinsic(_scatter)
"""Within a kernel: ``scatter(out, start, bits)``, the reverse of :data:`gather`: all 64 bytes from ``start`` on become 1 or 0."""

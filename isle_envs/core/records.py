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


def _gather(context: Any, mask: Any, start: Any) -> Any:
    """How :data:`gather` compiles: 64 bytes in one vector, compared with zero."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        vector = ir.VectorType(ir.IntType(8), 64)
        value = builder.load(builder.bitcast(first, vector.as_pointer()), align=1)
        return builder.bitcast(builder.icmp_unsigned("!=", value, ir.Constant(vector, None)), ir.IntType(64))

    return types.uint64(mask, types.int64), code


def _gathered(mask: Any, start: int) -> Any:
    return np.packbits(np.asarray(mask[start : start + 64], np.bool_), bitorder="little").view(np.uint64)[0]


gather: Any = _gathered if numba.config.DISABLE_JIT else intrinsic(_gather)
"""Within a kernel: ``gather(mask, start)``, the 64 bytes of a contiguous mask from ``start`` on as a set; nothing is checked."""


def _scatter(context: Any, out: Any, start: Any, bits: Any) -> Any:
    """How :data:`scatter` compiles: a vector of 64 bits, widened to bytes."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        vector = ir.VectorType(ir.IntType(8), 64)
        value = builder.zext(builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64)), vector)
        builder.store(value, builder.bitcast(first, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.uint64), code


def _scattered(out: Any, start: int, bits: Any) -> None:
    out[start : start + 64] = np.unpackbits(np.array([bits], np.uint64).view(np.uint8), bitorder="little")


scatter: Any = _scattered if numba.config.DISABLE_JIT else intrinsic(_scatter)
"""Within a kernel: ``scatter(out, start, bits)``, the reverse of :data:`gather`: all 64 bytes of a contiguous array of bytes from ``start`` on
become 1 where the set has the item, else 0; nothing is checked."""

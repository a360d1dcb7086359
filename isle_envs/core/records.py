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


def _shorten(context: Any, array: Any, length: Any) -> Any:
    """How ``shortened`` compiles: as ``borrowed``, and with another length."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        array.shape = cgutils.pack_array(builder, [arguments[1]])
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()

    return array(array, types.int64), code


def _first(array: Any, length: int) -> Any:
    return array[:length]


shortened: Any = _first if numba.config.DISABLE_JIT else intrinsic(_shorten)
"""Within a kernel: ``shortened(array, length)``, the first items of a one-dimensional array that has so many; nothing is checked,
and the array must outlive them, as for :data:`borrowed`."""


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


def _fetch(context: Any, records: Any, index: Any) -> Any:
    """How ``fetch`` compiles: a hint to the processor for every cache line of a record."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
        byte, number = ir.IntType(8), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        first = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte.as_pointer())
        for start in range(0, signature.args[0].dtype.size + _LINE - 1, _LINE):
            line = builder.gep(first, [ir.Constant(ir.IntType(64), start)])
            builder.call(hint, [line, *(ir.Constant(number, value) for value in (1, 3, 1))])
        return context.get_dummy_value()

    return types.none(records, types.int64), code


def _ignored(records: Any, index: int) -> None:
    pass


_LINE = 64  # bytes of a cache line

fetch: Any = _ignored if numba.config.DISABLE_JIT else intrinsic(_fetch)
"""Within a kernel: ``fetch(records, index)`` asks the processor to have a record at hand soon; the index may be beyond the array."""

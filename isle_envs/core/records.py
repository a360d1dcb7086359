"""Structured arrays as kernels take them."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt


def for_kernels(plain: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A plain structured array, which numba recognises fastest, or, where nothing is compiled, a record array of the same memory."""
    return plain.view(np.recarray) if numba.config.DISABLE_JIT else plain


def record_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout for arrays made within kernels: uncompiled, their items have the fields as attributes too."""
    return np.dtype((np.record, dtype))

"""Several cores: a batch is cut into chunks, and compiled loops, which let go of Python's lock, run on a pool of threads.

The pool is made when first needed and forgotten in a forked child, where its threads do not exist. (numba's own ``parallel=True`` is not
used: after one such call under OpenMP a forked child dies.)
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_pool: ThreadPoolExecutor | None = None
_pool_size = 0


def _forget_pool() -> None:
    global _pool, _pool_size
    _pool, _pool_size = None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def in_chunks(work: Callable[[int, int], T], n: int, threads: int) -> list[T]:
    """Calls ``work(low, high)`` side by side over ``threads`` chunks that cover ``0 … n``; returns what each gave.

    The caller takes the first chunk.
    """
    global _pool, _pool_size
    threads = min(threads, n)
    if threads <= 1:
        return [work(0, n)]
    if _pool is None or _pool_size < threads - 1:
        _pool, _pool_size = ThreadPoolExecutor(threads - 1, "isle_envs"), threads - 1
    edges = [n * k // threads for k in range(threads + 1)]
    waiting = [_pool.submit(work, low, high) for low, high in itertools.pairwise(edges[1:])]
    try:
        first = work(edges[0], edges[1])
    finally:
        others = [future.result() for future in waiting]
    return [first, *others]

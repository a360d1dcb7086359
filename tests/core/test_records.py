"""Structured arrays as kernels take them."""

from __future__ import annotations

import numpy as np
from numba.extending import intrinsic

from isle_envs.core import blocks, kernel, records
from isle_envs.core.kernel import kernel as compiled


def test_the_cache_names_an_intrinsic_by_its_function() -> None:
    """numba pickles one with a number drawn for each process: nothing that uses it would ever be found again."""

    def described(value: object) -> str:
        return kernel._Description(deep=False).of(value)

    assert described(records.borrowed) == described(intrinsic(records._borrow))
    kinds = (
        records.borrowed,
        records.lent,
        records.shortened,
        records.fetch,
        blocks.gather,
        blocks.equal,
        blocks.at_least,
        blocks.scatter,
    )
    assert len({described(kind) for kind in kinds}) == len(kinds)


@compiled
def _third_of(record: np.void) -> int:
    return records.lent(record.items)[2]


def test_a_field_is_lent() -> None:
    record = np.zeros(1, [("before", np.int8), ("items", np.uint64, (4,))])
    record["items"] = [1, 2, 3, 4]
    assert _third_of(records.for_kernels(record)[0]) == 3


@compiled
def _middle(numbers: np.ndarray, length: int) -> tuple[int, int]:
    first = records.shortened(numbers, length)
    return len(first), first[length - 1]


def test_an_array_is_shortened() -> None:
    assert _middle(np.arange(10, 20), 4) == (4, 13)


@compiled
def _fetch_all(array: np.ndarray) -> int:
    count = 0
    for i in range(len(array) + 2):
        records.fetch(array, i)
        count += 1
    return count


def test_fetching_changes_nothing_and_may_go_beyond_the_end() -> None:
    array = np.zeros(3, [("number", np.int64, (50,))])
    array["number"] = 7
    assert _fetch_all(records.for_kernels(array)) == 5
    assert (array["number"] == 7).all()

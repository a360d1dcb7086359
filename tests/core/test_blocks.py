"""Arrays of small numbers as sets, 64 items at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isle_envs.core import blocks
from isle_envs.core.kernel import kernel as compiled


@compiled
def _set_of(mask: np.ndarray, start: int) -> np.uint64:
    return blocks.gather(mask, start)


@compiled
def _matches(items: np.ndarray, start: int, value: int) -> np.uint64:
    return blocks.equal(items, start, value)


def test_a_block_is_the_set_of_its_bytes() -> None:
    mask = np.zeros(128, np.bool_)
    mask[[0, 5, 63, 64, 127]] = True
    assert int(_set_of(mask, 0)) == 1 | 1 << 5 | 1 << 63
    assert int(_set_of(mask, 64)) == 1 | 1 << 63


@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.int64])
def test_what_matches_is_the_set_of_equal_items(dtype: type[np.generic]) -> None:
    items = np.zeros(90, dtype)
    items[[0, 5, 63, 64, 89]] = 77
    assert int(_matches(items, 0, 77)) == 1 | 1 << 5 | 1 << 63
    assert int(_matches(items, 26, 77)) == 1 << 37 | 1 << 38 | 1 << 63
    assert int(_matches(items, 0, 78)) == 0
    least = int(np.iinfo(dtype).min)
    items[:] = least
    assert int(_matches(items, 0, least)) == 2**64 - 1


@compiled
def _compared(items: np.ndarray, start: int, value: int) -> tuple[np.uint64, np.uint64]:
    return blocks.equal(items, start, value), blocks.at_least(items, start, value)


@compiled
def _write(out: np.ndarray, start: int, bits: np.uint64) -> None:
    blocks.scatter(out, start, bits)


@given(st.integers(0, 2**64 - 1), st.integers(0, 36))
def test_a_set_is_written_over_64_bytes_and_read_again(bits: int, start: int) -> None:
    out = np.full(100, 7, np.int8)
    _write(out, start, np.uint64(bits))
    assert out[start : start + 64].tolist() == [bits >> i & 1 for i in range(64)]
    assert (out[:start] == 7).all() and (out[start + 64 :] == 7).all()
    assert int(_set_of(out, start)) == bits


@given(st.lists(st.integers(0, 255), min_size=70, max_size=70), st.integers(0, 6), st.integers(0, 255))
def test_64_bytes_are_compared_with_a_number(numbers: list[int], start: int, value: int) -> None:
    equal, at_least = _compared(np.array(numbers, np.uint8), start, value)
    some = numbers[start : start + 64]
    assert [int(equal) >> i & 1 for i in range(64)] == [number == value for number in some]
    assert [int(at_least) >> i & 1 for i in range(64)] == [number >= value for number in some]


USED = """
import numpy as np
from isle_envs.core import blocks, kernel
from tests.core import test_blocks

def described():
    kinds = (blocks.equal, blocks.at_least, blocks.gather, blocks.scatter)
    return [kernel._Description(deep=True).of(kind) for kind in kinds]

before = described()
test_blocks._write(np.zeros(64, np.bool_), 0, np.uint64(5))
test_blocks._matches(np.zeros(64, np.int32), 0, 1)
assert described() == before
"""


def test_using_a_block_leaves_its_description_as_it_was(tmp_path: Path) -> None:
    """Else the next process would not find what the first one compiled: the seal describes all that a kernel uses.

    In a process of its own, where nothing was used before.
    """
    subprocess.run([sys.executable, "-c", USED], check=True, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)})

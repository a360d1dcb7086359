"""Drawing a legal action: 64 mask bytes at a time, or byte by byte, the same one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.extending import intrinsic

from isle_envs.core import kernel, records
from isle_envs.core.kernel import kernel as compiled
from isle_envs.core.loops import sample
from isle_envs.core.rng import SAMPLER, streams


@compiled
def _set_of(mask: np.ndarray, start: int) -> np.uint64:
    return records.gather(mask, start)


@compiled
def _matches(items: np.ndarray, start: int, value: int) -> np.uint64:
    return records.matches(items, start, value)


@settings(deadline=None)  # the first call may compile
@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(0, 2**63))
def test_whole_blocks_and_single_bytes_give_the_same_action(legal: list[bool], key: int) -> None:
    """The mask as it is, and filled up with False to a multiple of 64: the same legal action from the same stream."""
    mask = np.array(legal)
    padded = np.zeros(-(-len(mask) // 64) * 64, np.bool_)
    padded[: len(mask)] = mask
    for number in (mask, padded):
        assert (sample(number, streams([key], SAMPLER)[0]) < 0) == (not any(legal))
    found = [sample(number, streams([key], SAMPLER)[0]) for number in (mask, padded)]
    assert found[0] == found[1] and (found[0] < 0 or mask[found[0]])


def test_every_legal_action_is_drawn_equally_often() -> None:
    """Five legal ones of 192, at the edges of blocks; 20,000 draws give each 4,000 ± 4 standard deviations of 57."""
    mask, stream = np.zeros(192, np.bool_), streams([3], SAMPLER)
    mask[[0, 63, 64, 128, 191]] = True
    counts = Counter(sample(mask, stream[0]) for _ in range(20_000))
    assert set(counts) == {0, 63, 64, 128, 191}
    assert all(abs(count - 4000) < 4 * 57 for count in counts.values())


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


def test_the_cache_names_an_intrinsic_by_its_function() -> None:
    """numba pickles one with a number drawn for each process: nothing that uses it would ever be found again."""

    def described(value: object) -> str:
        return kernel._Description(deep=False).of(value)

    assert described(records.borrowed) == described(intrinsic(records._borrow))
    assert described(records.borrowed) != described(records.gather)

"""Drawing a legal action: 64 mask bytes at a time, or byte by byte, the same one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba.extending import intrinsic

from isle_envs.core import kernel, records
from isle_envs.core.kernel import kernel as compiled
from isle_envs.core.loops import sample
from isle_envs.core.rng import SAMPLER, streams


@compiled
def _set_of(mask: np.ndarray, start: int) -> np.uint64:
    return records.gather(mask, start)


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


@compiled
def _compared(items: np.ndarray, start: int, value: int) -> tuple[np.uint64, np.uint64]:
    return records.equal(items, start, value), records.at_least(items, start, value)


@compiled
def _write(out: np.ndarray, start: int, bits: np.uint64) -> None:
    records.scatter(out, start, bits)


@compiled
def _third_of(record: np.void) -> int:
    return records.lent(record.items)[2]


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


def test_a_field_is_lent() -> None:
    record = np.zeros(1, [("before", np.int8), ("items", np.uint64, (4,))])
    record["items"] = [1, 2, 3, 4]
    assert _third_of(records.for_kernels(record)[0]) == 3


def test_the_cache_names_an_intrinsic_by_its_function() -> None:
    """numba pickles one with a number drawn for each process: nothing that uses it would ever be found again."""

    def described(value: object) -> str:
        return kernel._Description(deep=False).of(value)

    assert described(records.borrowed) == described(intrinsic(records._borrow))
    kinds = (records.borrowed, records.lent, records.gather, records.equal, records.at_least, records.scatter)
    assert len({described(kind) for kind in kinds}) == len(kinds)

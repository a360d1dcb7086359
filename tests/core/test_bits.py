"""Small sets, and larger ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isle_envs.core import bits
from isle_envs.core.kernel import kernel as compiled


@compiled
def _pick(items: np.uint64, k: int) -> tuple[int, int]:
    return bits.nth(items, k), bits._nth(items, k)


@compiled
def _move(items: np.uint64, by: int) -> tuple[np.uint64, np.uint64]:
    return bits.moved_up(items, by)


def _set(items: set[int]) -> np.uint64:
    return np.uint64(sum(1 << item for item in items))


@settings(deadline=None)
@given(st.sets(st.integers(0, 63), min_size=1))
def test_the_items_of_a_set_in_ascending_order(items: set[int]) -> None:
    """By the processor's instruction, where it has one, and item by item."""
    for k, item in enumerate(sorted(items)):
        assert _pick(_set(items), k) == (item, item)


@settings(deadline=None)
@given(st.sets(st.integers(0, 63)), st.integers(0, 127))
def test_a_set_is_moved_up(items: set[int], by: int) -> None:
    """Items that pass 127 are gone."""
    moved = {item + by for item in items}
    low, high = _move(_set(items), by)
    assert int(low) == int(_set({item for item in moved if item < 64}))
    assert int(high) == int(_set({item - 64 for item in moved if 64 <= item < 128}))

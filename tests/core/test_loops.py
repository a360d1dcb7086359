"""Drawing a legal action: 64 mask bytes at a time, or byte by byte, the same one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isle_envs.core.loops import sample
from isle_envs.core.rng import SAMPLER, streams


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

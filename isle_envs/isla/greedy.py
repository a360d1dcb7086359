"""A sensible beginner."""

from __future__ import annotations

from typing import Any

from isle_envs.core.kernel import kernel
from isle_envs.core.loops import sample


@kernel
def greedy(tables: Any, state: Any, mask: Any, stream: Any) -> int:
    """TODO."""
    return sample(mask, stream)

"""A game's observation: one flat int8 vector cut into named blocks, each with bounds that hold in every reachable state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ObservationBlock:
    """A named part of the observation.

    Attributes:
        name: its key in :meth:`ObservationSpace.split`.
        shape: the shape it is split out with.
        low, high: the bounds of its raw int8 values.
        meaning: one sentence for the documentation.
        start: the index of its first value (given by :class:`ObservationSpace`).
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    start: int = 0

    @property
    def slice(self) -> slice:
        """Where the block lies in the flat vector."""
        return slice(self.start, self.start + prod(self.shape))


class ObservationSpace:
    """The layout of a game's observation vector.

    Attributes:
        blocks: the blocks by name, in order.
        size: the number of values.
        low, high: int8 ``(size,)``, the raw bounds.
        scale: float32 ``(size,)``; raw × scale lies within [−1, 1].
    """

    def __init__(self, blocks: Sequence[ObservationBlock]) -> None:
        placed: dict[str, ObservationBlock] = {}
        start = 0
        for b in blocks:
            placed[b.name] = ObservationBlock(b.name, b.shape, b.low, b.high, b.meaning, start)
            start += prod(b.shape)
        self.blocks: Mapping[str, ObservationBlock] = placed
        self.size = start
        self.low = np.zeros(start, np.int8)
        self.high = np.zeros(start, np.int8)
        for b in placed.values():
            self.low[b.slice], self.high[b.slice] = b.low, b.high
        reach = np.maximum(np.abs(self.low.astype(np.float32)), np.abs(self.high.astype(np.float32)))
        self.scale: npt.NDArray[np.float32] = (1.0 / np.maximum(reach, 1.0)).astype(np.float32)

    def split(self, vector: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """Views of the blocks of ``vector``, shape ``(…, size)``, each reshaped to ``(…, *block.shape)``.

        Raises:
            ValueError: the last dimension is not ``size``.
            TypeError: no array.
        """
        if not hasattr(vector, "shape"):
            raise TypeError(f"an observation is an array of {self.size} values, not {type(vector).__name__}")
        if vector.shape[-1:] != (self.size,):
            raise ValueError(f"an observation has {self.size} values in its last dimension, not shape {vector.shape}")
        lead = vector.shape[:-1]
        return {b.name: vector[..., b.slice].reshape(lead + b.shape) for b in self.blocks.values()}

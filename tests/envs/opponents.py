"""Opponents from outside the compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from isle_envs.core.policy import make_policy


class Outside:
    """A built-in policy that the driver does not know as one: it must play the same games, asked from Python."""

    def __init__(self, name: str, game: Game) -> None:
        self.name = f"outside_{name}"
        self._policy = make_policy(name, game)
        self.seats: list[int] = []

    def act(self, batch: Batch, where: npt.NDArray[np.bool_], rng: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        self.seats += batch.current_player[where].tolist()
        return self._policy.act(batch, where, rng)


def lowest(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """The legal action of the lowest number."""
    assert observation.dtype == np.float32
    assert mask.dtype == np.int8
    assert mask.any()
    return int(np.flatnonzero(mask)[0])


def illegal(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    return int(np.flatnonzero(mask == 0)[0])

"""The record of a run, as it is kept: looked up by game and name."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.json")


class Record:
    """A run.

    Attributes:
        data: what the file holds.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._rates = {(rate["game"], rate["name"]): rate for rate in data["rates"]}

    @classmethod
    def read(cls, path: Path = RESULTS) -> Record:
        return cls(json.loads(path.read_text("utf-8")))

    @property
    def games(self) -> list[str]:
        """The keys of the games, as measured."""
        return list(self.data["games"])

    def of(self, game: str, name: str) -> dict[str, Any] | None:
        """All that is known of a rate, or None where it was not measured."""
        found: dict[str, Any] | None = self._rates.get((game, name))
        return found

    def rate(self, game: str, name: str) -> float | None:
        """The median, per second."""
        found = self.of(game, name)
        return None if found is None else float(found["median"])

    def ratio(self, game: str, name: str, other: str, other_game: str | None = None) -> float | None:
        """The median of the ratios ``name / other``, of the same repeat each."""
        ours, theirs = self.of(game, name), self.of(game if other_game is None else other_game, other)
        if ours is None or theirs is None:
            return None
        middle: float = statistics.median(a / b for a, b in zip(ours["rates"], theirs["rates"], strict=True))
        return middle

    def peer(self, name: str) -> float | None:
        """The median of a peer's rate."""
        return self.rate("", name)

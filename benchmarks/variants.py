"""What is measured: each game for two players and, where it has rules for that, alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import isle_envs

ORDER = ("isle_tiles", "islet", "isla")  # in tables; others follow


@dataclass(frozen=True)
class Variant:
    """A game with a number of players.

    Attributes:
        name: as in ``make_game(name)``.
        players: how many.
    """

    name: str
    players: int

    @property
    def key(self) -> str:
        """The game in the record: ``islet`` or ``islet_solo``."""
        return self.name if self.players > 1 else f"{self.name}_solo"

    @property
    def env_id(self) -> str:
        """The Gymnasium id."""
        return f"isle_envs/{''.join(word.capitalize() for word in self.key.split('_'))}-v0"

    def make(self) -> isle_envs.Game:
        return isle_envs.make_game(self.name, num_players=self.players)


def variants(names: Iterable[str]) -> list[Variant]:
    """Those of the named games: first all for two players, then those alone."""
    places = {name: place for place, name in enumerate(ORDER)}
    ordered = sorted(names, key=lambda name: places.get(name, len(places)))
    counts = {name: isle_envs.GAMES[name].player_counts for name in ordered}
    together = [Variant(name, 2) for name in counts if 2 in counts[name]]
    return together + [Variant(name, 1) for name in counts if 1 in counts[name]]

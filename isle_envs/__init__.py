"""Reinforcement-learning environments for modern tabletop games: exact rules, compiled, behind PettingZoo and Gymnasium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isle_envs.core.errors import ComponentError, IllegalActionError, ReplayError, unknown
from isle_envs.core.game import Game
from isle_envs.isle_tiles import IsleTiles

__all__ = ["GAMES", "ComponentError", "Game", "IllegalActionError", "ReplayError", "make_game"]

__version__ = "0.1.0"

GAMES: dict[str, type[Game]] = {kind.name: kind for kind in (IsleTiles,)}
"""The games by name."""


def make_game(
    name: str,
    *,
    num_players: int | None = None,
    components: str | Path | dict[str, Any] | None = None,
    reward: str = "outcome",
    **options: Any,
) -> Game:
    """Makes a game; see :class:`~isle_envs.core.game.Game` for what it can do.

    Args:
        name: one of :data:`GAMES`.
        num_players: how many seats; else the game's default.
        components: a component file, or its parsed content; else the game's own.
        reward: ``"outcome"`` or ``"margin"``.
        options: the game's own options.

    Raises:
        ValueError: an unknown game, option or value; the message tells the nearest valid one.
        ComponentError: the component file cannot be used.
    """
    if name not in GAMES:
        raise ValueError(unknown("game", name, GAMES))
    return GAMES[name](num_players=num_players, components=components, reward=reward, **options)

"""Modern tabletop games as environments: exact rules, compiled, behind PettingZoo and Gymnasium."""

from __future__ import annotations

from isle_envs.core.errors import ComponentError, IllegalActionError, ReplayError
from isle_envs.core.game import GAMES, Game, make_game
from isle_envs.envs.registration import register
from isle_envs.isla import Isla
from isle_envs.isle_tiles import IsleTiles
from isle_envs.islet import Islet

__all__ = ["GAMES", "ComponentError", "Game", "IllegalActionError", "ReplayError", "make_game"]

__version__ = "0.1.0"

for _kind in (IsleTiles, Islet, Isla):
    register(_kind)

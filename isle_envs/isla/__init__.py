"""Isla: explore an island space by space with five dice, research what was found, and get out in time."""

from isle_envs.isla.game import Isla

__all__ = ["Isla"]

"""Isle Tiles as text."""

from __future__ import annotations

from typing import Any

from isle_envs.isle_tiles.tasks import CARD_NAMES

LETTERS = "LDISF"  # lava, desert, ice, swamp, forest


def draw(view: dict[str, Any], landscapes: list[str], scores: list[int]) -> str:
    """PLACEHOLDER"""
    return str(view)

"""Areas: adjacent spaces with the same landscape, and who owns them (rulebook, 2 "Forming an area" and 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.kernel import kernel
from isle_envs.isle_tiles.board import is_east
from isle_envs.isle_tiles.state import MARKERS, NOWHERE, PLAYERS, SPACES

NOBODY, CONTESTED = -1, -2


@kernel
def _join(area: Any, a: int, b: int) -> None:
    while area[a] != a:
        a = int(area[a])
    while area[b] != b:
        b = int(area[b])
    if a < b:
        area[b] = a
    else:
        area[a] = b


@kernel
def find_areas(board: Any, landscape: Any) -> Any:
    """uint8 ``(60,)``: for every space the lowest-numbered space of its area. (Stretches of water come out as areas of WATER.)"""
    area = np.empty(SPACES, np.uint8)
    for i in range(SPACES):
        area[i] = i
    for i in range(SPACES):
        if is_east(board, i) and landscape[i + 1] == landscape[i]:
            _join(area, i, i + 1)
        for k in range(2):
            j = int(board.below[i, k])
            if j != NOWHERE and landscape[j] == landscape[i]:
                _join(area, i, j)
    for i in range(SPACES):
        area[i] = area[area[i]]  # a representative is the lowest number, so its own entry is final by now
    return area


@kernel
def find_owners(state: Any, area: Any) -> Any:
    """int8 ``(60,)``, by an area's lowest space: the seat of its only markers, NOBODY, or CONTESTED before a settlement (ruling 3)."""
    owner = np.full(SPACES, NOBODY, np.int8)
    for seat in range(PLAYERS):
        for index in range(MARKERS):
            at = int(state.marker_at[seat, index])
            if at != NOWHERE:
                lowest = int(area[at])
                if owner[lowest] == NOBODY:
                    owner[lowest] = seat
                elif owner[lowest] != seat:
                    owner[lowest] = CONTESTED
    return owner


@kernel
def settle(state: Any, area: Any) -> None:
    """Compares totals wherever several players have markers: a player stays only above every other one (ruling 3: a tie at the top removes all)."""
    total = np.zeros((SPACES, PLAYERS), np.uint8)
    for seat in range(PLAYERS):
        for index in range(MARKERS):
            at = int(state.marker_at[seat, index])
            if at != NOWHERE:
                total[area[at], seat] += index + 1
    for seat in range(PLAYERS):
        for index in range(MARKERS):
            at = int(state.marker_at[seat, index])
            if at != NOWHERE:
                for other in range(PLAYERS):
                    if other != seat and total[area[at], other] >= total[area[at], seat]:
                        state.marker_at[seat, index] = NOWHERE

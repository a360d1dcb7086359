"""Areas: adjacent spaces with the same landscape, and who owns them (rulebook, 2 "Forming an area" and 3).

A set of spaces is a ``uint64``, bit i for space i.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, lowest
from isle_envs.core.kernel import kernel
from isle_envs.core.records import record_type
from isle_envs.isle_tiles.state import LANDSCAPES, MARKERS, NOWHERE, PLAYERS, SPACES

NOBODY, CONTESTED = -1, -2

AREA = record_type(np.dtype([("spaces", np.uint64), ("landscape", np.int8), ("owner", np.int8)]))
"""An area: its spaces, its landscape, and its owner: a seat, NOBODY, or CONTESTED before a settlement (ruling 3)."""


@kernel
def markers_of(state: Any, seat: int) -> Any:
    """The spaces with a marker of a seat."""
    spaces = NO_BITS
    for index in range(MARKERS):
        if state.marker_at[seat, index] != NOWHERE:
            spaces |= bit(state.marker_at[seat, index])
    return spaces


@kernel
def spread(near: Any, start: Any, within: Any) -> Any:
    """All spaces of ``within`` that can be reached from ``start`` without leaving it."""
    reached = start
    edge = start
    while edge != NO_BITS:
        found = near[lowest(edge)] & within & ~reached
        edge = (edge & (edge - ONE)) | found
        reached |= found
    return reached


@kernel
def find_areas(near: Any, state: Any) -> Any:
    """All areas of the board: an array of AREA, of which the first so many count: (areas, count)."""
    areas = np.empty(SPACES, AREA)
    count = 0
    markers = (markers_of(state, 0), markers_of(state, 1), markers_of(state, 2), markers_of(state, 3))
    for landscape in range(LANDSCAPES):
        left = state.land[landscape]
        while left != NO_BITS:
            spaces = spread(near, bit(lowest(left)), left)
            left &= ~spaces
            owner = NOBODY
            for seat in range(PLAYERS):
                if markers[seat] & spaces:
                    owner = seat if owner == NOBODY else CONTESTED
            areas[count].spaces = spaces
            areas[count].landscape = landscape
            areas[count].owner = owner
            count += 1
    return areas, count


@kernel
def total_in(state: Any, seat: int, spaces: Any) -> int:
    """The values of a seat's markers on some spaces, added up."""
    total = 0
    for index in range(MARKERS):
        at = state.marker_at[seat, index]
        if at != NOWHERE and spaces & bit(at):
            total += index + 1
    return total


@kernel
def holder(state: Any, spaces: Any) -> int:
    """Who stays in an area: the seat whose total is strictly above every other's, or NOBODY (ruling 3: a tie at the top removes all)."""
    most, seat_with_most = 0, NOBODY
    for seat in range(PLAYERS):
        total = total_in(state, seat, spaces)
        if total > most:
            most, seat_with_most = total, seat
        elif total == most:
            seat_with_most = NOBODY
    return seat_with_most


@kernel
def settle(state: Any, areas: Any, count: int) -> None:
    """Compares totals wherever several players have markers; all but the holder's go back in front of their players."""
    for k in range(count):
        if areas[k].owner == CONTESTED:
            areas[k].owner = holder(state, areas[k].spaces)
            for seat in range(PLAYERS):
                if seat != areas[k].owner:
                    for index in range(MARKERS):
                        at = state.marker_at[seat, index]
                        if at != NOWHERE and areas[k].spaces & bit(at):
                            state.marker_at[seat, index] = NOWHERE

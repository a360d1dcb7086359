"""Areas: adjacent spaces with the same landscape, and who owns them (rulebook, 2 "Forming an area" and 3).

A set of spaces is a ``uint64``, bit i for space i; ``near`` are the neighbours of each space as such sets.

A state knows the sizes of its areas and whose they are, so that a turn has to look only at those that it changes: whoever
changes a landscape calls :func:`know_areas`, whoever moves a marker does so by :func:`move_marker`. For states written by hand there is
:func:`find_all_areas`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, count_bits, lowest, wide
from isle_envs.core.blocks import equal
from isle_envs.core.kernel import kernel
from isle_envs.core.records import lent, record_type
from isle_envs.isle_tiles.board import neighbour_sets
from isle_envs.isle_tiles.state import LANDSCAPES, MARKERS, NOWHERE, PLAYERS, SPACES

NOBODY = -1

AREA = record_type(np.dtype([("spaces", np.uint64), ("landscape", np.int8)]))


@kernel
def near_of(tables: Any, state: Any) -> Any:
    """The neighbours of each space, as sets."""
    return lent(tables.near) if tables.fixed_layout else neighbour_sets(state.board)


@kernel(inline=True)
def markers_of(state: Any, seat: int) -> Any:
    """The spaces with a marker of a seat."""
    spaces = NO_BITS
    for index in range(MARKERS):
        spaces |= bit(state.marker_at[seat, index])
    return spaces & ~bit(NOWHERE)


@kernel
def all_markers(state: Any) -> Any:
    """The spaces with a marker."""
    spaces = NO_BITS
    for seat in range(PLAYERS):
        spaces |= markers_of(state, seat)
    return spaces


@kernel
def same_height(state: Any, spaces: Any) -> Any:
    """Those of some spaces, of which there are any, that are as high as the first."""
    return equal(state.height, 0, wide(state.height[lowest(spaces)])) & spaces


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
def area_at(near: Any, state: Any, space: int) -> Any:
    """The spaces of the area that a covered space belongs to."""
    landscape = NO_BITS
    for k in range(LANDSCAPES):
        landscape |= state.land[k] * (state.land[k] >> np.uint64(space) & ONE)
    return spread(near, bit(space), landscape)


@kernel
def find_areas(near: Any, state: Any, within: Any) -> Any:
    """The areas among some spaces, which hold whole ones: an array of AREA, of which the first so many count: (areas, count)."""
    areas = np.empty(SPACES, AREA)
    count = 0
    for landscape in range(LANDSCAPES):
        left = state.land[landscape] & within
        while left != NO_BITS:
            spaces = spread(near, bit(lowest(left)), left)
            left &= ~spaces
            areas[count].spaces = spaces
            areas[count].landscape = landscape
            count += 1
    return areas, count


# ------------------------------------------------------------------------------------------------- What a state knows of its areas


@kernel
def know_owner(state: Any, spaces: Any) -> None:
    """Notes whose an area is now: of the only seat with markers in it. Before a settlement there may be several (ruling 3)."""
    some, several = NO_BITS, NO_BITS  # markers in the area: a first seat's, further ones'
    for seat in range(PLAYERS):
        markers = markers_of(state, seat) & spaces
        several |= markers if some != NO_BITS else NO_BITS
        some |= markers
    for seat in range(PLAYERS):
        owns = several == NO_BITS and markers_of(state, seat) & spaces != NO_BITS
        state.owned[seat] = (state.owned[seat] & ~spaces) | (spaces if owns else NO_BITS)


@kernel
def know_areas(near: Any, state: Any, spaces: Any) -> None:
    """Notes size and owner of all areas that some covered spaces belong to."""
    while spaces != NO_BITS:
        area = area_at(near, state, lowest(spaces))
        spaces &= ~area
        size = count_bits(area)
        rest = area
        while rest != NO_BITS:
            state.area_size[lowest(rest)] = size
            rest &= rest - ONE
        know_owner(state, area)


@kernel
def move_marker(near: Any, state: Any, seat: int, value: int, space: int) -> None:
    """Puts a marker on a covered space, from wherever it is."""
    before = wide(state.marker_at[seat, value - 1])
    state.marker_at[seat, value - 1] = space
    if before != NOWHERE:
        know_owner(state, area_at(near, state, before))
    know_owner(state, area_at(near, state, space))


@kernel
def find_all_areas(tables: Any, state: Any) -> None:
    """Notes sizes and owners of all areas, from land, markers and layout alone."""
    for seat in range(PLAYERS):
        state.owned[seat] = NO_BITS
    for space in range(SPACES):
        state.area_size[space] = 0
    covered = state.land[0] | state.land[1] | state.land[2] | state.land[3] | state.land[4]
    know_areas(near_of(tables, state), state, covered)


# --------------------------------------------------------------------------------------------------------------------- Settlements


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
def contested_markers(state: Any) -> Any:
    """The spaces whose markers own nothing, for another player's lie in the same area."""
    return all_markers(state) & ~(state.owned[0] | state.owned[1] | state.owned[2] | state.owned[3])


@kernel
def settle(near: Any, state: Any) -> None:
    """Compares totals wherever several players have markers; all but the holder's go back in front of their players."""
    contested = contested_markers(state)
    while contested != NO_BITS:
        spaces = area_at(near, state, lowest(contested))
        contested &= ~spaces
        stays = holder(state, spaces)
        for seat in range(PLAYERS):
            if seat != stays:
                for index in range(MARKERS):
                    at = state.marker_at[seat, index]
                    if at != NOWHERE and spaces & bit(at):
                        state.marker_at[seat, index] = NOWHERE
        know_owner(state, spaces)

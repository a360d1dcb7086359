"""The twenty task cards, in the rulebook's order (rulebook, "Overview of the Task Cards"; readings: ruling 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.kernel import kernel
from isle_envs.isle_tiles.areas import find_areas, find_owners
from isle_envs.isle_tiles.board import is_east
from isle_envs.isle_tiles.state import LANDSCAPES, MARKERS, NOWHERE, SLOTS, SPACES, WATER

CARD_NAMES = (
    "Wide Land",
    "Variety",
    "High Plateau",
    "Far From the Coast",
    "Cliff",
    "In the Centre",
    "Deep Valley",
    "Terraced Landscape",
    "Mountain Animals",
    "Archipelago",
    "Monoculture",
    "Twin Areas",
    "Mountain Peak",
    "Distant Land",
    "Large and Small",
    "Rather Alone",
    "Predetermined Area",
    "Small Animals",
    "2 Levels",
    "Long Route",
)
PREDETERMINED = 17

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@kernel
def _bit(index: int) -> Any:
    return _ONE << np.uint64(index)


@kernel
def _count(bits: Any) -> int:
    count = 0
    while bits != _ZERO:
        bits &= bits - _ONE
        count += 1
    return count


@kernel
def _pair(board: Any, index: int) -> Any:
    """Pair ``index`` of ``3 × 60``: a space and its neighbour to the east or in the row below, or (NOWHERE, NOWHERE)."""
    space = index // 3
    side = index % 3
    if side == 0:
        other = space + 1 if is_east(board, space) else NOWHERE
    else:
        other = int(board.below[space, side - 1])
    return (space, other) if other != NOWHERE else (NOWHERE, NOWHERE)


@kernel
def _gap(state: Any, a: int, b: int) -> int:
    """The difference in height."""
    return abs(int(state.height[a]) - int(state.height[b]))


@kernel
def _sizes(area: Any) -> Any:
    """How many spaces each area has, by its lowest space."""
    size = np.zeros(SPACES, np.int64)
    for i in range(SPACES):
        size[area[i]] += 1
    return size


@kernel
def _bordering(board: Any, state: Any, area: Any) -> Any:
    """For each area, by its lowest space, the areas it borders, as a set of bits; water is none."""
    sets = np.zeros(SPACES, np.uint64)
    for index in range(3 * SPACES):
        a, b = _pair(board, index)
        if a != NOWHERE and area[a] != area[b] and state.landscape[a] != WATER and state.landscape[b] != WATER:
            sets[area[a]] |= _bit(int(area[b]))
            sets[area[b]] |= _bit(int(area[a]))
    return sets


@kernel
def _by_water(board: Any, state: Any) -> Any:
    """The covered spaces next to an uncovered one, as a set of bits."""
    shore = _ZERO
    for index in range(3 * SPACES):
        a, b = _pair(board, index)
        if a != NOWHERE and (state.landscape[a] == WATER) != (state.landscape[b] == WATER):
            shore |= _bit(a if state.landscape[b] == WATER else b)
    return shore


@kernel
def _far_from_the_coast(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    shore = _by_water(board, state)
    coastal = _ZERO
    for i in range(SPACES):
        if shore & _bit(i):
            coastal |= _bit(int(area[i]))
    for lowest in range(SPACES):
        if owner[lowest] == seat and not coastal & _bit(lowest):
            return True
    return False


@kernel
def _high_plateau(state: Any, area: Any, owner: Any, seat: int) -> bool:
    for i in range(SPACES):
        if owner[area[i]] == seat and state.height[i] >= 2:
            count = 0
            for j in range(i, SPACES):
                count += area[j] == area[i] and state.height[j] == state.height[i]
            if count >= 3:
                return True
    return False


@kernel
def _cliff(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    shore = _by_water(board, state)
    for i in range(SPACES):
        if owner[area[i]] == seat and state.height[i] >= 3 and shore & _bit(i):
            return True
    return False


@kernel
def _in_the_centre(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    sets = _bordering(board, state, area)
    for lowest in range(SPACES):
        if owner[lowest] == seat and _count(sets[lowest]) >= 4:
            return True
    return False


@kernel
def _deep_valley(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    for index in range(3 * SPACES):
        a, b = _pair(board, index)
        if a != NOWHERE and area[a] == area[b] and owner[area[a]] == seat and _gap(state, a, b) >= 3:
            return True
    return False


@kernel
def _terraced_landscape(state: Any, area: Any, owner: Any, seat: int) -> bool:
    heights = np.zeros(SPACES, np.uint64)
    for i in range(SPACES):
        if owner[area[i]] == seat:
            heights[area[i]] |= _bit(int(state.height[i]))
            if _count(heights[area[i]]) >= 3:
                return True
    return False


@kernel
def _mountain_animals(state: Any, area: Any, owner: Any, seat: int) -> bool:
    heights = np.zeros(SPACES, np.uint64)
    for index in range(MARKERS):
        at = int(state.marker_at[seat, index])
        if at != NOWHERE and owner[area[at]] == seat:
            heights[area[at]] |= _bit(int(state.height[at]))
            if _count(heights[area[at]]) >= 3:
                return True
    return False


@kernel
def _monoculture(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    sets = _bordering(board, state, area)
    for lowest in range(SPACES):
        if owner[lowest] == seat:
            seen = _ZERO  # the types of the bordering areas so far
            for other in range(SPACES):
                if sets[lowest] & _bit(other):
                    kind = _bit(int(state.landscape[other]))
                    if seen & kind:
                        return True
                    seen |= kind
    return False


@kernel
def _twin_areas(owner: Any, size: Any, seat: int) -> bool:
    seen = _ZERO  # the sizes of own areas so far
    for lowest in range(SPACES):
        if owner[lowest] == seat and size[lowest] >= 3:
            if seen & _bit(size[lowest]):
                return True
            seen |= _bit(size[lowest])
    return False


@kernel
def _mountain_peak(state: Any, area: Any, owner: Any, seat: int) -> bool:
    for index in range(MARKERS):
        at = int(state.marker_at[seat, index])
        if at != NOWHERE and owner[area[at]] == seat and state.height[at] >= 4:
            return True
    return False


@kernel
def _distant_land(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    for lowest in range(SPACES):
        if owner[lowest] == seat:
            reached = _ZERO
            for i in range(SPACES):
                if area[i] == lowest:
                    reached |= _bit(i)
            for _ in range(4):  # all spaces, water too, within four steps
                grown = reached
                for index in range(3 * SPACES):
                    a, b = _pair(board, index)
                    if a != NOWHERE:
                        if reached & _bit(a):
                            grown |= _bit(b)
                        if reached & _bit(b):
                            grown |= _bit(a)
                reached = grown
            for other in range(lowest + 1, SPACES):
                if owner[other] == seat and state.landscape[other] == state.landscape[lowest]:
                    near = False
                    for i in range(SPACES):
                        near = near or (area[i] == other and reached & _bit(i) != _ZERO)
                    if not near:
                        return True
    return False


@kernel
def _large_and_small(state: Any, area: Any, owner: Any, size: Any, seat: int) -> bool:
    for landscape in range(LANDSCAPES):
        largest, smallest = NOWHERE, NOWHERE
        largest_alone, smallest_alone = False, False
        for lowest in range(SPACES):
            if area[lowest] == lowest and state.landscape[lowest] == landscape:
                if largest == NOWHERE or size[lowest] > size[largest]:
                    largest, largest_alone = lowest, True
                elif size[lowest] == size[largest]:
                    largest_alone = False
                if smallest == NOWHERE or size[lowest] < size[smallest]:
                    smallest, smallest_alone = lowest, True
                elif size[lowest] == size[smallest]:
                    smallest_alone = False
        if largest_alone and smallest_alone and largest != smallest:
            if owner[largest] == seat and owner[smallest] == seat:
                return True
    return False


@kernel
def _rather_alone(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    sets = _bordering(board, state, area)
    for lowest in range(SPACES):
        if owner[lowest] == seat:
            alone = True
            for other in range(SPACES):
                if sets[lowest] & _bit(other) and owner[other] >= 0 and owner[other] != seat:
                    alone = False
            if alone:
                return True
    return False


@kernel
def _predetermined_area(tables: Any, state: Any, owner: Any, size: Any, seat: int) -> bool:
    if state.shown < 0:
        return False
    shown = tables.tile[state.removed[state.shown]]
    for lowest in range(SPACES):
        if owner[lowest] == seat and size[lowest] >= 3:
            if state.landscape[lowest] == shown[0] or state.landscape[lowest] == shown[1]:
                return True
    return False


@kernel
def _small_animals(state: Any, area: Any, owner: Any, seat: int) -> bool:
    for index in range(3):
        if state.marker_at[seat, index] == NOWHERE:
            return False
    lowest = area[state.marker_at[seat, 0]]
    if owner[lowest] != seat:
        return False
    return bool(area[state.marker_at[seat, 1]] == lowest and area[state.marker_at[seat, 2]] == lowest)


@kernel
def _two_levels(board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    for index in range(3 * SPACES):
        a, b = _pair(board, index)
        if a != NOWHERE and area[a] != area[b] and owner[area[a]] == seat and owner[area[b]] == seat:
            if _gap(state, a, b) >= 3:
                return True
    return False


@kernel
def _long_route(tables: Any, board: Any, state: Any, area: Any, owner: Any, seat: int) -> bool:
    for axis in range(3 if tables.hexes else 2):
        for index in range(MARKERS):
            start = int(state.marker_at[seat, index])
            count = 0
            for other in range(MARKERS):
                at = int(state.marker_at[seat, other])
                if start != NOWHERE and at != NOWHERE and owner[area[at]] == seat:
                    q, r = board.q[at] - board.q[start], board.r[at] - board.r[start]
                    count += (r == 0 and axis == 0) or (q == 0 and axis == 1) or (q + r == 0 and axis == 2)
            if count >= 4:
                return True
    return False


@kernel
def fulfilled(tables: Any, board: Any, state: Any, area: Any, owner: Any, card: int, seat: int) -> bool:
    """Whether a seat meets the requirements of a card (1 … 20)."""
    if card == 3:
        return _high_plateau(state, area, owner, seat)
    if card == 4:
        return _far_from_the_coast(board, state, area, owner, seat)
    if card == 5:
        return _cliff(board, state, area, owner, seat)
    if card == 6:
        return _in_the_centre(board, state, area, owner, seat)
    if card == 7:
        return _deep_valley(board, state, area, owner, seat)
    if card == 8:
        return _terraced_landscape(state, area, owner, seat)
    if card == 9:
        return _mountain_animals(state, area, owner, seat)
    if card == 11:
        return _monoculture(board, state, area, owner, seat)
    if card == 13:
        return _mountain_peak(state, area, owner, seat)
    if card == 14:
        return _distant_land(board, state, area, owner, seat)
    if card == 16:
        return _rather_alone(board, state, area, owner, seat)
    if card == 18:
        return _small_animals(state, area, owner, seat)
    if card == 19:
        return _two_levels(board, state, area, owner, seat)
    if card == 20:
        return _long_route(tables, board, state, area, owner, seat)
    size = _sizes(area)
    if card == 12:
        return _twin_areas(owner, size, seat)
    if card == 15:
        return _large_and_small(state, area, owner, size, seat)
    if card == 17:
        return _predetermined_area(tables, state, owner, size, seat)
    areas, largest, types = 0, 0, _ZERO
    for lowest in range(SPACES):
        if owner[lowest] == seat:
            areas += 1
            largest = max(largest, size[lowest])
            types |= _bit(int(state.landscape[lowest]))
    if card == 1:
        return largest >= 5
    if card == 2:
        return _count(types) == LANDSCAPES
    return areas >= 4  # card 10, Archipelago


@kernel
def open_tasks(tables: Any, board: Any, state: Any, seat: int) -> int:
    """The slots whose card still lies there and is fulfilled by the seat, as a set of bits."""
    slots = 0
    area = find_areas(board, state.landscape)
    owner = find_owners(state, area)
    for slot in range(SLOTS):
        if state.taken_by[slot] < 0 and fulfilled(tables, board, state, area, owner, int(state.card[slot]), seat):
            slots |= 1 << slot
    return slots

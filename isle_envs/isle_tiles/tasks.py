"""The twenty task cards, in the rulebook's order (rulebook, "Overview of the Task Cards"; readings: ruling 8).

A set of spaces is a ``uint64``, bit i for space i; ``near`` are the neighbours of each space as such sets.
"""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, ONE, bit, count_bits, lowest, wide
from isle_envs.core.blocks import at_least, equal
from isle_envs.core.kernel import kernel
from isle_envs.isle_tiles.areas import area_at, contested_markers, find_areas, markers_of, same_height, spread
from isle_envs.isle_tiles.board import row_of
from isle_envs.isle_tiles.state import LANDSCAPES, NOWHERE, SLOTS

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


@kernel
def _border(near: Any, spaces: Any) -> Any:
    """The spaces next to some spaces, without these."""
    border = NO_BITS
    rest = spaces
    while rest != NO_BITS:
        border |= near[lowest(rest)]
        rest &= rest - ONE
    return border & ~spaces


@kernel
def _steep(near: Any, state: Any, spaces: Any, others: Any) -> bool:
    """Whether one of the spaces and an adjacent one of the others differ in height by 3 or more."""
    rest = spaces
    while rest != NO_BITS:
        space = lowest(rest)
        rest &= rest - ONE
        beside = near[space] & others
        while beside != NO_BITS:
            if abs(wide(state.height[space]) - wide(state.height[lowest(beside)])) >= 3:
                return True
            beside &= beside - ONE
    return False


@kernel
def _heights(state: Any, spaces: Any) -> int:
    """How many different heights some spaces have."""
    heights = 0
    while spaces != NO_BITS:
        spaces &= ~same_height(state, spaces)
        heights += 1
    return heights


@kernel
def _of_landscape(areas: Any, some: Any, landscape: int) -> Any:
    """Those of some areas, a set of indices, that have a landscape."""
    result = NO_BITS
    rest = some
    while rest != NO_BITS:
        if areas[lowest(rest)].landscape == landscape:
            result |= rest & ~(rest - ONE)
        rest &= rest - ONE
    return result


@kernel
def _bordering(near: Any, state: Any, spaces: Any) -> Any:
    """How many areas border some spaces, and the most of one landscape: (how many, the most)."""
    border = _border(near, spaces)
    number, most = 0, 0
    for landscape in range(LANDSCAPES):
        among = 0
        rest = border & state.land[landscape]
        while rest != NO_BITS:
            rest &= ~spread(near, bit(lowest(rest)), state.land[landscape])
            among += 1
        number += among
        most = max(most, among)
    return number, most


@kernel
def _long_route(tables: Any, board: Any, markers: Any) -> bool:
    """Four markers on one line: a row, or a column; on hexes a line of equal q, or one of equal q + r."""
    start = markers
    while start != NO_BITS:
        a = lowest(start)
        in_row, in_q, in_sum = 0, 0, 0
        other = start
        while other != NO_BITS:
            b = lowest(other)
            row_a, row_b = row_of(board, a), row_of(board, b)
            in_row += row_a == row_b
            in_q += board.q[a] == board.q[b]
            in_sum += tables.hexes and board.q[a] + row_a == board.q[b] + row_b
            other &= other - ONE
        if max(in_row, in_q, in_sum) >= 4:
            return True
        start &= start - ONE
    return False


# ------------------------------------------------------------------- Cards that one area fulfils, perhaps with others of its owner
#
# Each says whether some area of a seat does; ``owned`` are the seat's areas as a set of indices, ``markers`` its marked spaces,
# ``water`` the uncovered ones. (A loop for each card: one over cards within a loop over areas takes far longer.)


@kernel
def _high_plateau(state: Any, areas: Any, owned: Any) -> bool:
    """3: three spaces of one same height of at least 2, touching or not."""
    rest = owned
    while rest != NO_BITS:
        high = at_least(state.height, 0, 2) & areas[lowest(rest)].spaces
        rest &= rest - ONE
        while high != NO_BITS:
            same = same_height(state, high)
            if count_bits(same) >= 3:
                return True
            high &= ~same
    return False


@kernel
def _far_from_the_coast(near: Any, areas: Any, owned: Any, water: Any) -> bool:
    """4: no water beside it."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _border(near, spaces) & water == NO_BITS:
            return True
    return False


@kernel
def _in_the_centre(near: Any, state: Any, areas: Any, owned: Any) -> bool:
    """6: four areas beside it."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _bordering(near, state, spaces)[0] >= 4:
            return True
    return False


@kernel
def _deep_valley(near: Any, state: Any, areas: Any, owned: Any) -> bool:
    """7: a gap of 3 or more within it."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _steep(near, state, spaces, spaces):
            return True
    return False


@kernel
def _terraced_landscape(state: Any, areas: Any, owned: Any) -> bool:
    """8: three heights."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _heights(state, spaces) >= 3:
            return True
    return False


@kernel
def _mountain_animals(state: Any, areas: Any, owned: Any, markers: Any) -> bool:
    """9: markers on three heights."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _heights(state, spaces & markers) >= 3:
            return True
    return False


@kernel
def _monoculture(near: Any, state: Any, areas: Any, owned: Any) -> bool:
    """11: two areas of one landscape beside it."""
    rest = owned
    while rest != NO_BITS:
        spaces = areas[lowest(rest)].spaces
        rest &= rest - ONE
        if _bordering(near, state, spaces)[1] >= 2:
            return True
    return False


@kernel
def _twin_areas(state: Any, spaces: Any) -> bool:
    """12: two areas of three spaces or more that are equally large; ``spaces`` are those of all the seat's areas."""
    rest = at_least(state.area_size, 0, 3) & spaces
    while rest != NO_BITS:
        size = wide(state.area_size[lowest(rest)])
        same = equal(state.area_size, 0, size) & rest
        if count_bits(same) > size:
            return True
        rest &= ~same
    return False


@kernel
def _distant_land(near: Any, areas: Any, owned: Any) -> bool:
    """14: another area of the seat and of the same landscape is at least five steps away, over all spaces of the board."""
    rest = owned
    while rest != NO_BITS:
        which = lowest(rest)
        rest &= rest - ONE  # each pair once
        others = _of_landscape(areas, rest, wide(areas[which].landscape))
        if others != NO_BITS:
            reached = areas[which].spaces
            edge = reached
            for _ in range(4):
                edge = _border(near, edge) & ~reached
                reached |= edge
            while others != NO_BITS:
                if areas[lowest(others)].spaces & reached == NO_BITS:
                    return True
                others &= others - ONE
    return False


@kernel
def _large_and_small(state: Any, areas: Any, owned: Any, seat: int) -> bool:
    """15: strictly the largest area of a landscape, and strictly the smallest one."""
    rest = owned
    while rest != NO_BITS:
        which = lowest(rest)
        rest &= rest - ONE
        landscape = wide(areas[which].landscape)
        if _of_landscape(areas, owned & ~bit(which), landscape) != NO_BITS:
            size = count_bits(areas[which].spaces)
            largest, smallest, least = 0, 64, NO_BITS  # of the other areas; all spaces of the smallest ones
            others = state.land[landscape] & ~areas[which].spaces
            while others != NO_BITS:
                other = wide(state.area_size[lowest(others)])
                largest = max(largest, other)
                if other < smallest:
                    smallest, least = other, NO_BITS
                if other == smallest:
                    least |= others & ~(others - ONE)
                others &= others - ONE
            if largest < size and count_bits(least) == smallest and least & state.owned[seat] != NO_BITS:
                return True
    return False


@kernel
def _rather_alone(near: Any, state: Any, areas: Any, owned: Any, seat: int) -> bool:
    """16: no area of another player beside it."""
    foreign = (state.owned[0] | state.owned[1] | state.owned[2] | state.owned[3]) & ~state.owned[seat]
    contested = contested_markers(state)
    while contested != NO_BITS:
        foreign |= area_at(near, state, lowest(contested))
        contested &= contested - ONE
    rest = owned
    while rest != NO_BITS:
        if _border(near, areas[lowest(rest)].spaces) & foreign == NO_BITS:
            return True
        rest &= rest - ONE
    return False


@kernel
def _small_animals(state: Any, areas: Any, owned: Any, seat: int) -> bool:
    """18: the seat's markers 1, 2 and 3."""
    small = NO_BITS
    for index in range(3):
        if state.marker_at[seat, index] == NOWHERE:
            return False
        small |= bit(state.marker_at[seat, index])
    rest = owned
    while rest != NO_BITS:
        if small & ~areas[lowest(rest)].spaces == NO_BITS:
            return True
        rest &= rest - ONE
    return False


@kernel
def _two_levels(near: Any, state: Any, areas: Any, owned: Any) -> bool:
    """19: a gap of 3 or more towards an own area of another landscape."""
    rest = owned
    while rest != NO_BITS:
        which = lowest(rest)
        rest &= rest - ONE  # each pair once
        same = _of_landscape(areas, rest, wide(areas[which].landscape))
        others = rest & ~same
        while others != NO_BITS:
            if _steep(near, state, areas[which].spaces, areas[lowest(others)].spaces):
                return True
            others &= others - ONE
    return False


@kernel
def fulfilled(tables: Any, board: Any, near: Any, state: Any, areas: Any, owned: Any, card: int, seat: int) -> bool:
    """Whether a seat meets the requirements of a card (1 … 20); ``owned`` are its areas, as a set of indices of ``areas``."""
    spaces = state.owned[seat]
    markers = markers_of(state, seat) & spaces
    water = ~(state.land[0] | state.land[1] | state.land[2] | state.land[3] | state.land[4])
    met = False
    if card == 1:  # Wide Land: five spaces
        met = at_least(state.area_size, 0, 5) & spaces != NO_BITS
    elif card == 2:  # Variety
        met = True
        for landscape in range(LANDSCAPES):
            met &= state.land[landscape] & spaces != NO_BITS
    elif card == 3:
        met = _high_plateau(state, areas, owned)
    elif card == 4:
        met = _far_from_the_coast(near, areas, owned, water)
    elif card == 5:  # Cliff: water beside a space of height 3 or more
        met = _border(near, at_least(state.height, 0, 3) & spaces) & water != NO_BITS
    elif card == 6:
        met = _in_the_centre(near, state, areas, owned)
    elif card == 7:
        met = _deep_valley(near, state, areas, owned)
    elif card == 8:
        met = _terraced_landscape(state, areas, owned)
    elif card == 9:
        met = _mountain_animals(state, areas, owned, markers)
    elif card == 10:  # Archipelago
        met = count_bits(owned) >= 4
    elif card == 11:
        met = _monoculture(near, state, areas, owned)
    elif card == 12:
        met = _twin_areas(state, spaces)
    elif card == 13:  # Mountain Peak: a marker at height 4 or more
        met = at_least(state.height, 0, 4) & markers != NO_BITS
    elif card == 14:
        met = _distant_land(near, areas, owned)
    elif card == 15:
        met = _large_and_small(state, areas, owned, seat)
    elif card == 16:
        met = _rather_alone(near, state, areas, owned, seat)
    elif card == PREDETERMINED:  # three spaces of a landscape of the tile shown
        shown = tables.tile[state.removed[state.shown]]
        met = at_least(state.area_size, 0, 3) & spaces & (state.land[shown[0]] | state.land[shown[1]]) != NO_BITS
    elif card == 18:
        met = _small_animals(state, areas, owned, seat)
    elif card == 19:
        met = _two_levels(near, state, areas, owned)
    else:
        met = _long_route(tables, board, markers)
    return met


@kernel
def open_tasks(tables: Any, board: Any, near: Any, state: Any, seat: int) -> int:
    """The slots whose card still lies there and is fulfilled by the seat, bit i for slot i."""
    slots = 0
    if state.owned[seat] != NO_BITS:
        areas, count = find_areas(near, state, state.owned[seat])
        owned = bit(count) - ONE
        for slot in range(SLOTS):
            if state.taken_by[slot] < 0:
                if fulfilled(tables, board, near, state, areas, owned, wide(state.card[slot]), seat):
                    slots |= 1 << slot
    return slots

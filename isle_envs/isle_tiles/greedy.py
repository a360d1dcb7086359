"""A sensible beginner: the placement and markers with the best score margin right after the turn, an open task counted as its points."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.loops import sample
from isle_envs.core.records import record_type
from isle_envs.isle_tiles.actions import A_DONE, A_MARKER, A_NO_TASK, A_PLACE, A_TASK, DIRECTIONS
from isle_envs.isle_tiles.areas import NOBODY, find_areas, move_marker, near_of, settle
from isle_envs.isle_tiles.rules import place_tile, tasks_taken
from isle_envs.isle_tiles.state import (
    MARKER,
    MARKERS,
    NONE,
    NOWHERE,
    PLACE,
    PLAYERS,
    POINTS_PER_TASK,
    STATE,
    TASK,
)
from isle_envs.isle_tiles.tasks import open_tasks

# Worths are whole: a point of margin is worth 32, and a plan costs the sum of its markers' values (at most 11), so that of equal
# margins the one with the smaller markers is taken.
_POINT = 32
_WORST = -1_000_000
NO_AREA = -1
_TRIAL = record_type(STATE)


@kernel
def greedy(tables: Any, state: Any, mask: Any, stream: Any) -> int:
    """The action of the best plan; board parts of a draft are laid at random."""
    if state.phase == TASK:
        for slot in range(A_NO_TASK - A_TASK):
            if mask[A_TASK + slot]:
                return A_TASK + slot
    if state.phase == MARKER:
        plan = _best_markers(tables, near_of(tables, state), state, wide(_WORST))
        if state.half == 0 and plan[1] > 0:
            return wide(A_MARKER + 2 * (plan[1] - 1))
        return wide(A_MARKER + 2 * (plan[2] - 1) + 1) if plan[2] > 0 else A_DONE
    if state.phase == PLACE:
        near = near_of(tables, state)
        trial = np.empty(1, _TRIAL)
        best, choice = _WORST, -1
        for action in range(A_PLACE, A_MARKER):
            if mask[action]:
                trial[0] = state
                place_tile(tables, near, trial[0], (action - A_PLACE) // DIRECTIONS, (action - A_PLACE) % DIRECTIONS)
                worth = _best_markers(tables, near, trial[0], best)[0]
                if worth > best:
                    best, choice = worth, action
        return choice
    return wide(sample(mask, stream))


@kernel
def _holder(total: Any, area: int) -> int:
    """Whose the area is after a settlement: the seat with a total strictly above every other."""
    most, holder = 0, NOBODY
    for seat in range(PLAYERS):
        if total[area, seat] > most:
            most, holder = wide(total[area, seat]), seat
        elif total[area, seat] == most:
            holder = NOBODY
    return holder


@kernel
def _margin(tables: Any, state: Any, points: Any, seat: int) -> int:
    """Own points minus the best other player's; whoever has noted a score keeps it."""
    best = _WORST
    for other in range(tables.num_players):
        if other != seat:
            best = max(best, wide(points[other] if state.noted[other] == NONE else state.noted[other]))
    return wide(points[seat]) - best


@kernel
def _best_markers(tables: Any, near: Any, state: Any, bar: int) -> Any:
    """The best markers for the tile just placed: (worth, value for the first half, value for the second half), 0 for no marker.

    Where nothing can be worth more than ``bar``, (_WORST, 0, 0).
    """
    seat = wide(state.current_player)
    areas, count = find_areas(near, state, ~NO_BITS)
    total = np.zeros((count, PLAYERS), np.int64)  # of the marker values in each area
    home = np.full(MARKERS + 1, NO_AREA)  # the area of each own marker
    for other in range(tables.num_players):
        for value in range(1, MARKERS + 1):
            if state.marker_at[other, value - 1] != NOWHERE:
                where = _area_of(areas, count, state.marker_at[other, value - 1])
                total[where, other] += value
                if other == seat:
                    home[value] = where
    height = np.zeros(count, np.int64)  # the points of each area
    points = np.zeros(PLAYERS, np.int64)
    for other in range(tables.num_players):
        points[other] = POINTS_PER_TASK * tasks_taken(state, other)
    for k in range(count):
        rest = areas[k].spaces
        while rest != NO_BITS:
            height[k] += state.height[lowest(rest)]
            rest &= rest - ONE
        if _holder(total, k) != NOBODY:
            points[_holder(total, k)] += height[k]

    first, second = _area_of(areas, count, state.placed[0]), _area_of(areas, count, state.placed[1])
    task = 0 if state.last_turns != NONE else _POINT * POINTS_PER_TASK
    trial = points.copy()
    for k in range(2):  # at the very best both areas are won
        at = first if k == 0 else second
        if k == 0 or second != first:
            holder = _holder(total, at)
            if holder != seat:
                trial[seat] += height[at]
                if holder != NOBODY:
                    trial[holder] -= height[at]
    if _POINT * _margin(tables, state, trial, seat) + task <= bar:
        return _WORST, 0, 0

    best, best_first, best_second = wide(_WORST), wide(0), wide(0)
    changed = np.empty(4, np.int64)
    before = np.empty(4, np.int64)
    for one in range(MARKERS + 1 if state.half == 0 else 1):
        for two in range(MARKERS + 1):
            if (one != 0 and one == two) or (two != 0 and two == state.used):
                continue
            changed[0] = first
            changed[1] = second
            changed[2] = home[one] if home[one] != NO_AREA else first
            changed[3] = home[two] if home[two] != NO_AREA else first
            for k in range(4):
                before[k] = _holder(total, changed[k])
            _move(total, home, seat, one, first, 1)
            _move(total, home, seat, two, second, 1)
            trial[:] = points
            for k in range(4):
                if _is_first(changed, k):
                    after = _holder(total, changed[k])
                    if before[k] != NOBODY:
                        trial[before[k]] -= height[changed[k]]
                    if after != NOBODY:
                        trial[after] += height[changed[k]]
            _move(total, home, seat, one, first, -1)
            _move(total, home, seat, two, second, -1)
            worth = _POINT * _margin(tables, state, trial, seat) - one - two
            if worth > best:
                best, best_first, best_second = worth, one, two
    if task > 0 and best + task > bar and _opens_task(tables, near, state, best_first, best_second):
        best += task
    return best, best_first, best_second


@kernel
def _is_first(items: Any, index: int) -> bool:
    """Whether the item stands at no lower index."""
    for k in range(index):
        if items[k] == items[index]:
            return False
    return True


@kernel
def _area_of(areas: Any, count: int, space: int) -> int:
    """The area of a covered space."""
    for k in range(count):
        if areas[k].spaces & bit(space):
            return k
    return NO_AREA


@kernel
def _move(total: Any, home: Any, seat: int, value: int, to: int, sign: int) -> None:
    """Moves a marker's value into an area, or with sign −1 back; the value 0 is no marker."""
    total[to, seat] += sign * value
    if home[value] != NO_AREA:
        total[home[value], seat] -= sign * value


@kernel
def _opens_task(tables: Any, near: Any, state: Any, one: int, two: int) -> bool:
    """Whether some task card would be open after these markers."""
    seat = wide(state.current_player)
    trial = np.empty(1, _TRIAL)
    trial[0] = state
    if one:
        move_marker(near, trial[0], seat, one, wide(state.placed[0]))
    if two:
        move_marker(near, trial[0], seat, two, wide(state.placed[1]))
    settle(near, trial[0])
    board = tables.board if tables.fixed_layout else state.board
    return open_tasks(tables, board, near, trial[0], seat) != 0

"""A sensible beginner: goes to lay an egg when it can pay for the way and the egg, else explores towards what it lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, bit, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.loops import sample
from isle_envs.core.records import record_type
from isle_envs.core.rng import below
from isle_envs.islet.actions import A_CELL, A_PICK
from isle_envs.islet.cards import held_slots, islet_of
from isle_envs.islet.explore import first_cells
from isle_envs.islet.move import is_crossing
from isle_envs.islet.payments import combination, cost_of, holding, is_occupied, nest_of, stood_on, terrain_of
from isle_envs.islet.state import (
    CELLS,
    DISCARD,
    EXPLORE,
    GAIN,
    GIVE_UP,
    HAND,
    KINDS,
    MOVE,
    NESTS_FOR_AN_EGG,
    NONE,
    PAIRS,
    PAY,
    PLACE,
    SEA,
    SOURCES,
    TERRAINS,
    TILES,
    TURN,
    TYPES,
)
from isle_envs.islet.tiles import is_coastal, is_empty

_FAR = 1_000
_PLANS = 512

PLAN = record_type(
    np.dtype(
        [
            ("cell", np.int16),  # of the tile placed last
            ("level", np.int16),  # and its level
            ("left", np.uint8, (KINDS,)),  # the tiles still in hand
            ("gains", np.uint8, (TYPES,)),
            ("depth", np.uint8),
            ("kind", np.int16),  # the first choice: which tile, and where
            ("to", np.int16),
        ]
    )
)


@kernel
def greedy(tables: Any, state: Any, mask: Any, stream: Any) -> int:
    """The policy; see the module."""
    seat = wide(state.current_player)
    phase = state.phase
    if phase in (TURN, MOVE):
        step = _way(tables, state, seat, False)
        if step == NONE and tables.solo and state.shown[islet_of(tables, state, wide(state.bird[0])), 0] == NONE:
            step = _way(tables, state, seat, True)  # nothing can be laid here any more
        if step != NONE:
            if phase == TURN and tables.solo:  # three tiles of the hand rather than of the bag: both cost three draws
                return wide(tables.a_move)
            return step
        if phase == MOVE:
            return wide(tables.a_end) if mask[tables.a_end] else wide(sample(mask, stream))
    if phase in (TURN, PLACE, EXPLORE):
        action = _explore(tables, state, seat, stream)
        return action if action != NONE and mask[action] else wide(sample(mask, stream))
    if phase == PAY:
        return wide(tables.a_pay) + _card_to_pay(tables, state, seat, mask)
    if phase in (DISCARD, GAIN, GIVE_UP):
        return wide(tables.a_resource) + _resource(tables, state, seat, mask)
    return wide(sample(mask, stream))


@kernel
def _map(state: Any) -> Any:
    """The tile on each cell, or SEA: worth its memory where many are looked up."""
    tile_at = np.full(CELLS, SEA, np.uint8)
    for tile in range(wide(state.tiles)):
        tile_at[state.tile_cell[tile]] = tile
    return tile_at


# ---------------------------------------------------------------------------------------------------------------- Moving


@kernel
def _cards_left(cards: Any, nest: int) -> int:
    """Nest cards that can be paid from so many cards of each type, pairs of terrains included."""
    one, other = PAIRS[nest - TERRAINS]
    return wide(cards[nest]) + min(wide(cards[one]), wide(cards[other]))


@kernel
def _is_nest(tables: Any, state: Any, seat: int, tile: int) -> bool:
    """Whether an egg could be laid on a tile, its cost apart."""
    if state.tile_egg[tile] != NONE or is_occupied(state, seat, tile):
        return False
    return not tables.solo or held_slots(tables, state, tile) != 0


@kernel
def _way(tables: Any, state: Any, seat: int, across: bool) -> int:
    """The first action of the cheapest way to a tile where the egg can be paid as well, or ``across`` to the other islet; NONE if none.

    Dijkstra over the tiles; for each only the cards left after the cheapest way to it are kept.
    """
    if state.laid[seat] == tables.eggs:
        return NONE
    start = wide(state.bird[seat])
    tile_at = _map(state)
    spent = np.full(TILES, _FAR)
    first = np.full(TILES, NONE)
    done = np.zeros(TILES, np.bool_)
    cards = np.empty((TILES, TYPES), np.int64)
    own = np.empty(TYPES, np.int64)
    for kind in range(TYPES):
        own[kind] = holding(state, seat, kind)
    if start != SEA:
        spent[start] = 0
        for kind in range(TYPES):
            cards[start, kind] = own[kind]
    else:
        for tile in range(wide(state.tiles)):
            if is_coastal(tables, state, tile):
                _reach(state, tile, own, 0, False, A_CELL + wide(state.tile_cell[tile]), spent, first, cards)
    while True:
        here = NONE
        for tile in range(wide(state.tiles)):
            if not done[tile] and spent[tile] < _FAR and (here == NONE or spent[tile] < spent[here]):
                here = tile
        if here == NONE:
            return NONE
        done[here] = True
        if across:
            if islet_of(tables, state, here) != islet_of(tables, state, start):
                return wide(first[here])
        elif _is_nest(tables, state, seat, here):
            if _cards_left(cards[here], nest_of(state.tile_kind[here])) >= NESTS_FOR_AN_EGG:
                return wide(tables.a_lay) if here == start else wide(first[here])
        for side in range(3):
            cell = wide(tables.cell_near[state.tile_cell[here], side])
            to = SEA if cell == NONE else wide(tile_at[cell])
            if to != SEA and not done[to]:
                free = terrain_of(state.tile_kind[to]) == terrain_of(state.tile_kind[here])
                if not (free and stood_on(state.stood, to)) and not is_occupied(state, seat, to):
                    action = A_CELL + wide(state.tile_cell[to]) if here == start else wide(first[here])
                    _reach(state, to, cards[here], spent[here], free, action, spent, first, cards)
        if tables.solo:
            for to in range(wide(state.tiles)):
                if not done[to] and is_crossing(tables, state, here, to):
                    action = A_CELL + wide(state.tile_cell[to]) if here == start else wide(first[here])
                    _reach(state, to, cards[here], spent[here], False, action, spent, first, cards)


@kernel
def _reach(
    state: Any, tile: int, held: Any, before: int, free: bool, action: int, spent: Any, first: Any, cards: Any
) -> None:
    """Notes a way to a tile if it can be paid and costs less than the one known."""
    terrain = terrain_of(state.tile_kind[tile])
    kind, price = terrain, 0
    if not free:
        price = 1
        if held[terrain] < 1:
            price = 2
            for other in range(TERRAINS):  # two of the terrain there is most of
                if held[other] > held[kind]:
                    kind = other
            if held[kind] < 2:
                return
    if before + price < spent[tile]:
        spent[tile] = before + price
        first[tile] = action
        for other in range(TYPES):
            cards[tile, other] = held[other]
        cards[tile, kind] -= price


@kernel
def _card_to_pay(tables: Any, state: Any, seat: int, mask: Any) -> int:
    """For an Advance the terrain itself if there is one; nests before pairs of terrains, guaranteed cards before loose ones."""
    cost = cost_of(state, seat)
    if cost < TERRAINS:
        for source in range(SOURCES - 1, -1, -1):
            if mask[tables.a_pay + SOURCES * cost + source]:
                return SOURCES * cost + source
    for card in range(SOURCES * TYPES - 1, -1, -1):
        if mask[tables.a_pay + card]:
            return card
    return 0


@kernel
def _resource(tables: Any, state: Any, seat: int, mask: Any) -> int:
    """Returned: the type there is most of. Gained: the type with the fewest guarantees, terrains first.

    Given up: a spent one, nests first.
    """
    best, choice = -_FAR, 0
    for kind in range(TYPES):
        if mask[tables.a_resource + kind]:
            if state.phase == DISCARD:
                value = wide(state.loose[seat, kind])
            elif state.phase == GAIN:
                value = -2 * wide(state.guaranteed[seat, kind]) - (1 if kind >= TERRAINS else 0)
            else:
                value = 2 * wide(state.spent[seat, kind]) + (1 if kind >= TERRAINS else 0)
            if value > best:
                best, choice = value, kind
    return choice


# ------------------------------------------------------------------------------------------------------------- Exploring


@kernel
def _open_nests(tables: Any, state: Any, seat: int) -> Any:
    """How many tiles there are, by type of nest, where the player could lay if it could get there and pay."""
    nests = np.zeros(TYPES, np.int64)
    for tile in range(wide(state.tiles)):
        if _is_nest(tables, state, seat, tile):
            nests[nest_of(state.tile_kind[tile])] += 1
    return nests


@kernel
def _worth(own: Any, nests: Any, gains: Any, cards: Any) -> int:
    """What the player's own resources would be worth with these gains: how near each kind of egg is, and something for the way.

    ``cards`` is memory to count them in, int64 ``(6,)``.
    """
    terrains = 0
    for kind in range(TYPES):
        cards[kind] = own[kind] + wide(gains[kind])
        if kind < TERRAINS:
            terrains += cards[kind]
    worth = 6 * min(terrains, 3) + terrains
    for nest in range(TERRAINS, TYPES):
        have = min(_cards_left(cards, nest), 2 * NESTS_FOR_AN_EGG)
        direct = min(wide(cards[nest]), 2 * NESTS_FOR_AN_EGG)
        worth += (3 if nests[nest] > 0 else 1) * (have * have + 3 * direct)
    return worth


@kernel
def _explore(tables: Any, state: Any, seat: int, stream: Any) -> int:
    """The next action of the Explore that is worth most, one of them at random; NONE if there is none.

    All ways to place up to four tiles are tried. (Among equals always the first would let the islet grow one way, to the canvas's edge.)
    """
    nests = _open_nests(tables, state, seat)
    tile_at = _map(state)
    own = np.empty(TYPES, np.int64)
    for kind in range(TYPES):
        own[kind] = wide(state.loose[seat, kind]) + wide(state.guaranteed[seat, kind])
    plans = np.empty(_PLANS, PLAN)
    kept = np.empty(1, PLAN)
    cards = np.empty(TYPES, np.int64)
    plans[0].depth = state.placed
    plans[0].left[:] = state.hand[seat]
    plans[0].gains[:] = 0
    for k in range(wide(state.placed)):
        plans[0].gains[state.gain[k]] += 1
    plans[0].cell = NONE
    plans[0].level = 0
    if state.placed > 0:
        plans[0].cell = state.tile_cell[state.last]
        plans[0].level = state.tile_level[state.last]
    plans[0].kind = NONE
    plans[0].to = NONE
    best, first, to = wide(-_FAR), wide(NONE), wide(NONE)
    if state.phase == EXPLORE:
        best = _worth(own, nests, plans[0].gains, cards)  # of placing no more
    count, ties = 1, 1  # in the phase EXPLORE, placing no more is the first of the best
    while count > 0:
        count -= 1
        kept[0] = plans[count]
        plan = kept[0]
        if plan.depth > state.placed:
            worth = _worth(own, nests, plan.gains, cards)
            if worth > best:
                best, ties = worth, 0
            if worth == best:
                ties += 1
                if below(stream, ties) == 0:
                    first, to = wide(plan.kind), wide(plan.to)
        if plan.depth == 0:
            for tile in range(wide(state.tiles)):
                for side in range(3):
                    cell = wide(tables.cell_near[state.tile_cell[tile], side])
                    if cell != NONE and first_cells(tables, state, cell >> 6) & bit(cell & 63) != NO_BITS:
                        count = _extend(state, plan, plans, count, cell, SEA)
        elif plan.depth < HAND:
            for side in range(3):
                cell = wide(tables.cell_near[plan.cell, side])
                tile = SEA if cell == NONE else wide(tile_at[cell])
                if tile != SEA and state.tile_level[tile] >= plan.level and is_empty(state, tile):
                    count = _extend(state, plan, plans, count, cell, tile)
    if state.phase == PLACE:
        return A_CELL + to if to != NONE else NONE
    if first != NONE:
        return A_PICK + first
    return wide(tables.a_end) if state.phase == EXPLORE else NONE


@kernel
def _extend(state: Any, plan: Any, plans: Any, count: int, cell: int, tile: int) -> int:
    """Adds the plans that go on with a tile there; returns how many are waiting."""
    for kind in range(KINDS):
        if plan.left[kind] == 0 or count == len(plans):
            continue
        if state.phase == PLACE and plan.depth == state.placed and kind != state.picked:
            continue
        plans[count] = plan
        gained = terrain_of(kind)
        if tile != SEA and terrain_of(state.tile_kind[tile]) != gained:
            gained = combination(terrain_of(state.tile_kind[tile]), gained)
        plans[count].left[kind] -= 1
        plans[count].gains[gained] += 1
        plans[count].level = 1 if tile == SEA else wide(state.tile_level[tile]) + 1
        plans[count].cell = cell
        plans[count].depth += 1
        if plan.depth == state.placed:
            plans[count].kind = kind
            plans[count].to = cell
        count += 1
    return count

"""How to pay costs (rulebook, "How to Pay Costs"; rulings 7, 8, 9).

A cost is one terrain card (an Advance) or three nest cards of a kind (a Lay). Two equal terrain cards count as one of another terrain,
two different ones as the nest card of their combination, and what a transformation gives is not transformed again. So a cost has at most
four *bills*: multisets of card types that meet it exactly. A payment names the cards of one bill in ascending ``pay`` index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, contains, include, wide
from isle_envs.core.kernel import kernel
from isle_envs.islet.state import NESTS_FOR_AN_EGG, PLAYERS, SEA, SOURCES, TERRAINS, TYPES
from isle_envs.islet.tiles import beside

_MANY = 8  # more cards of a terrain than any chain of payments over three birds can need


@kernel
def terrain_of(kind: int) -> int:
    """Fresh water 0, sand 1, clay 2."""
    return wide(kind) // TERRAINS


@kernel
def nest_of(kind: int) -> int:
    """The nest as a type of resource: leaves 3, branches 4, flowers 5."""
    return TERRAINS + wide(kind) % TERRAINS


@kernel
def combination(one: int, other: int) -> int:
    """The nest of two different terrains: water and sand branches, water and clay leaves, sand and clay flowers."""
    together = one + other
    return 4 if together == 1 else 3 if together == 2 else 5


@kernel
def held(state: Any, seat: int, kind: int, source: int) -> int:
    """Cards of a type that a seat can still spend: loose ones, or unspent guaranteed ones."""
    if source == 0:
        return wide(state.loose[seat, kind])
    return wide(state.guaranteed[seat, kind]) - wide(state.spent[seat, kind])


@kernel
def holding(state: Any, seat: int, kind: int) -> int:
    """Cards of a type that a seat can still spend, from either source."""
    return held(state, seat, kind, 0) + held(state, seat, kind, 1)


@kernel
def cost_of(state: Any, seat: int) -> int:
    """The type of card the running payment asks for: a terrain for an Advance, a nest for a Lay."""
    if state.target != SEA:
        return terrain_of(state.tile_kind[state.target])
    return nest_of(state.tile_kind[state.bird[seat]])


@kernel
def write_bill(cost: int, number: int, bill: Any) -> bool:
    """Bill ``number`` (0 … 3) of a cost, as counts by type; False if there is none of that number."""
    bill[:] = 0
    if cost < TERRAINS:  # one terrain card: itself, or two of another terrain
        if number > 2:
            return False
        bill[number] = 1 if number == cost else 2
    else:  # three nest cards, so many of them by a pair of terrains each
        for one in range(TERRAINS):
            for other in range(one + 1, TERRAINS):
                if combination(one, other) == cost:
                    bill[one] = number
                    bill[other] = number
        bill[cost] = NESTS_FOR_AN_EGG - number
    return True


@kernel
def affordable(state: Any, seat: int, cost: int) -> bool:
    """Whether some bill of a cost can be paid."""
    if cost < TERRAINS:
        for kind in range(TERRAINS):
            if holding(state, seat, kind) >= (1 if kind == cost else 2):
                return True
        return False
    for one in range(TERRAINS):
        for other in range(one + 1, TERRAINS):
            if combination(one, other) == cost:
                pairs = min(holding(state, seat, one), holding(state, seat, other))
                return holding(state, seat, cost) + pairs >= NESTS_FOR_AN_EGG
    return False


@kernel
def may_pay(tables: Any, state: Any, seat: int, card: int) -> bool:
    """Whether naming card ``2 × type + source`` now can be completed by cards of equal or higher index, ruling 7 included."""
    last = 0
    for index in range(SOURCES * TYPES):
        if state.paid[index] > 0:
            last = index
    if card < last or held(state, seat, card // SOURCES, card % SOURCES) <= state.paid[card]:
        return False
    bill = np.empty(TYPES, np.int64)
    cost = cost_of(state, seat)
    for number in range(4):
        if write_bill(cost, number, bill) and _completes(state, seat, card, bill):
            if state.target == SEA or not is_occupied(state, seat, wide(state.target)):
                return True
            if _leads_on_after(tables, state, seat, wide(state.target), bill):
                return True
    return False


@kernel
def _completes(state: Any, seat: int, card: int, bill: Any) -> bool:
    """Whether the cards named so far and this one are the beginning of a way to pay a bill."""
    kind = card // SOURCES
    for other in range(TYPES):
        named = wide(state.paid[SOURCES * other]) + wide(state.paid[SOURCES * other + 1]) + (1 if other == kind else 0)
        if other < kind:
            if named != bill[other]:
                return False
        elif other == kind:
            left = held(state, seat, kind, 1) - wide(state.paid[SOURCES * kind + 1])
            if card % SOURCES == 0:
                left += held(state, seat, kind, 0) - wide(state.paid[SOURCES * kind])
            if named > bill[kind] or bill[kind] - named > left - 1:
                return False
        elif bill[other] > holding(state, seat, other):
            return False
    return True


@kernel
def is_paid(state: Any, seat: int) -> bool:
    """Whether the cards named meet the cost."""
    bill = np.empty(TYPES, np.int64)
    cost = cost_of(state, seat)
    for number in range(4):
        if write_bill(cost, number, bill):
            same = True
            for kind in range(TYPES):
                if wide(state.paid[SOURCES * kind]) + wide(state.paid[SOURCES * kind + 1]) != bill[kind]:
                    same = False
            if same:
                return True
    return False


# ----------------------------------------------------------------------------------------- Ruling 7: over other birds


@kernel
def is_occupied(state: Any, seat: int, tile: int) -> bool:
    """Whether another player's bird stands on a tile."""
    for other in range(PLAYERS):
        if other != seat and state.bird[other] == tile and tile != SEA:
            return True
    return False


@kernel
def stood_on(stood: Any, tile: int) -> bool:
    """Whether the bird has stood on a tile since the last payment or lay of this Move (ruling 6)."""
    return contains(stood, tile)


@kernel
def leads_on(tables: Any, state: Any, seat: int, tile: int, paid: bool) -> bool:
    """Whether the occupied ``tile`` may be entered: some payment, if one is due, leaves a chain of advances to a free tile."""
    if paid:
        bill = np.empty(TYPES, np.int64)
        for number in range(4):
            if write_bill(terrain_of(state.tile_kind[tile]), number, bill):
                enough = True
                for kind in range(TERRAINS):
                    if bill[kind] > holding(state, seat, kind):
                        enough = False
                if enough and _leads_on_after(tables, state, seat, tile, bill):
                    return True
        return False
    stood = state.stood.copy()
    for been in (wide(state.bird[seat]), tile):  # the memory of a Move begins with the bird's tile
        include(stood, been)
    return _chain(tables, state, seat, tile, np.zeros(TYPES, np.int64), stood)


@kernel
def _leads_on_after(tables: Any, state: Any, seat: int, tile: int, bill: Any) -> bool:
    stood = np.zeros(2, np.uint64)
    include(stood, tile)
    return _chain(tables, state, seat, tile, bill, stood)


@kernel
def _chain(tables: Any, state: Any, seat: int, start: int, bill: Any, stood: Any) -> bool:
    """Whether, once a bill is paid, legal and affordable advances lead from an occupied tile to one without another bird.

    A search without recursion over (tile, cards of each terrain, tiles stood on). After a payment only the tile counts as stood on, so
    such a position is visited once; in between the bird can only go on to further occupied tiles, of which there are at most three.
    """
    visited = np.zeros((PLAYERS, _MANY + 1, _MANY + 1, _MANY + 1), np.bool_)
    waiting = np.empty((256, 1 + TERRAINS), np.int64)
    memory = np.empty((256, 2), np.uint64)
    waiting[0, 0] = start
    for kind in range(TERRAINS):
        waiting[0, 1 + kind] = min(holding(state, seat, kind) - bill[kind], _MANY)
    memory[0, 0] = stood[0]
    memory[0, 1] = stood[1]
    count = 1
    cards = np.empty(TERRAINS, np.int64)
    been = np.empty(2, np.uint64)
    while count > 0:
        count -= 1
        here = waiting[count, 0]
        cards[:] = waiting[count, 1:]
        been[:] = memory[count]
        for side in range(3):
            to = beside(tables, state, here, side)
            if to == SEA:
                continue
            terrain = terrain_of(state.tile_kind[to])
            if terrain == terrain_of(state.tile_kind[here]):
                if not stood_on(been, to):
                    if not is_occupied(state, seat, to):
                        return True
                    waiting[count, 0] = to
                    waiting[count, 1:] = cards
                    memory[count] = been
                    include(memory[count], to)
                    count += 1
                continue
            for kind in range(TERRAINS):
                price = 1 if kind == terrain else 2
                if cards[kind] >= price:
                    if not is_occupied(state, seat, to):
                        return True
                    cards[kind] -= price
                    whose = 0
                    for other in range(PLAYERS):
                        if other != seat and state.bird[other] == to:
                            whose = other
                    if not visited[whose, cards[0], cards[1], cards[2]]:
                        visited[whose, cards[0], cards[1], cards[2]] = True
                        waiting[count, 0] = to
                        waiting[count, 1:] = cards
                        memory[count] = NO_BITS
                        include(memory[count], to)
                        count += 1
                    cards[kind] += price
    return False

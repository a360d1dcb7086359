"""How to pay costs (rulebook, "How to Pay Costs"; rulings 7, 8, 9).

A cost is one terrain card (an Advance) or three nest cards of a kind (a Lay). Two equal terrain cards count as one of another terrain,
two different ones as the nest card of their combination, and what a transformation gives is not transformed again. So a cost has at most
four *bills*: multisets of card types that meet it exactly; they stand in the tables. A payment names the cards of one bill in ascending
``pay`` index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, bit, contains, include, wide
from isle_envs.core.kernel import kernel
from isle_envs.islet.state import NESTS_FOR_AN_EGG, NONE, PLAYERS, SEA, SOURCES, TERRAINS, TYPES
from isle_envs.islet.tiles import beside

_MANY = 8  # more cards of a terrain than any chain of payments over three birds can need


@kernel(inline=True)
def terrain_of(kind: int) -> int:
    """Fresh water 0, sand 1, clay 2."""
    return wide(kind) // TERRAINS


@kernel(inline=True)
def nest_of(kind: int) -> int:
    """The nest as a type of resource: leaves 3, branches 4, flowers 5."""
    return TERRAINS + wide(kind) % TERRAINS


@kernel(inline=True)
def combination(one: int, other: int) -> int:
    """The nest of two different terrains: water and sand branches, water and clay leaves, sand and clay flowers."""
    together = one + other
    return 4 if together == 1 else 3 if together == 2 else 5


@kernel(inline=True)
def held(state: Any, seat: int, kind: int, source: int) -> int:
    """Cards of a type that a seat can still spend: loose ones, or unspent guaranteed ones."""
    if source == 0:
        return wide(state.loose[seat, kind])
    return wide(state.guaranteed[seat, kind]) - wide(state.spent[seat, kind])


@kernel(inline=True)
def holding(state: Any, seat: int, kind: int) -> int:
    """Cards of a type that a seat can still spend, from either source."""
    return held(state, seat, kind, 0) + held(state, seat, kind, 1)


@kernel(inline=True)
def cost_of(state: Any, seat: int) -> int:
    """The type of card the running payment asks for: a terrain for an Advance, a nest for a Lay."""
    if state.target != SEA:
        return terrain_of(state.tile_kind[state.target])
    return nest_of(state.tile_kind[state.bird[seat]])


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


@kernel(inline=True)
def bills_of(cost: int) -> int:
    """How many bills a cost has: a terrain card, or two of each other terrain; three nest cards, up to three of them by pairs."""
    return TERRAINS if cost < TERRAINS else NESTS_FOR_AN_EGG + 1


@kernel
def may_pay(tables: Any, state: Any, seat: int) -> Any:
    """The set of cards ``2 × type + source`` whose naming now can be completed by cards of equal or higher index, ruling 7 included."""
    last = 0
    for card in range(SOURCES * TYPES):
        if state.paid[card] > 0:
            last = card
    cost = cost_of(state, seat)
    cards = NO_BITS
    for number in range(bills_of(cost)):
        bill = tables.bill[cost, number]
        kind = _type_due(state, seat, bill)
        loose, guaranteed = SOURCES * kind, SOURCES * kind + 1
        if kind == NONE or guaranteed < last:
            continue
        due = wide(bill[kind]) - _named(state, kind)
        left = held(state, seat, kind, 1) - wide(state.paid[guaranteed])
        more = held(state, seat, kind, 0) - wide(state.paid[loose])
        may_be_loose = more > 0 and left + more >= due and loose >= last
        if (left < due and not may_be_loose) or not _may_settle(tables, state, seat, bill):
            continue
        if left >= due:
            cards |= bit(guaranteed)
        if may_be_loose:
            cards |= bit(loose)
    return cards


@kernel(inline=True)
def _named(state: Any, kind: int) -> int:
    """Cards of a type named so far, from either source."""
    return wide(state.paid[SOURCES * kind]) + wide(state.paid[SOURCES * kind + 1])


@kernel
def _type_due(state: Any, seat: int, bill: Any) -> int:
    """The lowest type of which a bill has more cards than are named.

    NONE if there is none, or if the bill cannot be completed from there: more of a lower type are named, or fewer of a higher one are held.
    """
    due = NONE
    for kind in range(TYPES):
        if due == NONE:
            if _named(state, kind) > bill[kind]:
                return NONE
            if _named(state, kind) < bill[kind]:
                due = kind
        elif holding(state, seat, kind) < bill[kind]:
            return NONE
    return due


@kernel
def _may_settle(tables: Any, state: Any, seat: int, bill: Any) -> bool:
    """Ruling 7: whether a bill may be the one that is paid."""
    if state.target == SEA or not is_occupied(state, seat, wide(state.target)):
        return True
    return _leads_on_after(tables, state, seat, wide(state.target), bill)


@kernel
def is_paid(tables: Any, state: Any, seat: int) -> bool:
    """Whether the cards named meet the cost."""
    cost = cost_of(state, seat)
    for number in range(bills_of(cost)):
        same = True
        for kind in range(TYPES):
            same = same and _named(state, kind) == tables.bill[cost, number, kind]
        if same:
            return True
    return False


# ----------------------------------------------------------------------------------------- Ruling 7: over other birds


@kernel(inline=True)
def is_occupied(state: Any, seat: int, tile: int) -> bool:
    """Whether another player's bird stands on a tile."""
    for other in range(PLAYERS):
        if other != seat and state.bird[other] == tile and tile != SEA:
            return True
    return False


@kernel(inline=True)
def stood_on(stood: Any, tile: int) -> bool:
    """Whether the bird has stood on a tile since the last payment or lay of this Move (ruling 6)."""
    return contains(stood, tile)


@kernel
def leads_on(tables: Any, state: Any, seat: int, tile: int, paid: bool) -> bool:
    """Whether the occupied ``tile`` may be entered: some payment, if one is due, leaves a chain of advances to a free tile."""
    if paid:
        cost = terrain_of(state.tile_kind[tile])
        for number in range(bills_of(cost)):
            bill = tables.bill[cost, number]
            enough = True
            for kind in range(TERRAINS):
                enough = enough and wide(bill[kind]) <= holding(state, seat, kind)
            if enough and _leads_on_after(tables, state, seat, tile, bill):
                return True
        return False
    stood = state.stood.copy()
    for been in (wide(state.bird[seat]), tile):  # the memory of a Move begins with the bird's tile
        include(stood, been)
    return _chain(tables, state, seat, tile, np.zeros(TYPES, np.uint8), stood)


@kernel
def _leads_on_after(tables: Any, state: Any, seat: int, tile: int, bill: Any) -> bool:
    stood = np.zeros(2, np.uint64)
    include(stood, tile)
    return _chain(tables, state, seat, tile, bill, stood)


@kernel
def _chain(tables: Any, state: Any, seat: int, start: int, bill: Any, stood: Any) -> bool:
    """Whether, once a bill is paid, legal and affordable advances lead from an occupied tile to one without another bird."""
    left = (_left(state, seat, 0, bill), _left(state, seat, 1, bill), _left(state, seat, 2, bill))
    if _leaves(tables, state, seat, start, left, stood):
        return True
    for side in range(3):
        if is_occupied(state, seat, beside(tables, state, start, side)):
            return _search(tables, state, seat, start, left, stood)
    return False


@kernel
def _left(state: Any, seat: int, terrain: int, bill: Any) -> int:
    """Cards of a terrain that are left once a bill is paid, if not too many to matter."""
    return min(holding(state, seat, terrain) - wide(bill[terrain]), _MANY)


@kernel
def _leaves(tables: Any, state: Any, seat: int, here: int, cards: Any, stood: Any) -> bool:
    """Whether an advance leads from a tile to one without another bird."""
    for side in range(3):
        to = beside(tables, state, here, side)
        if to == SEA or is_occupied(state, seat, to):
            continue
        terrain = terrain_of(state.tile_kind[to])
        if terrain == terrain_of(state.tile_kind[here]):
            if not stood_on(stood, to):
                return True
        else:
            for kind in range(TERRAINS):
                if cards[kind] >= (1 if kind == terrain else 2):
                    return True
    return False


@kernel
def _search(tables: Any, state: Any, seat: int, start: int, left: Any, stood: Any) -> bool:
    """:func:`_chain` over further occupied tiles, of which there are at most three.

    A search without recursion over (tile, cards of each terrain, tiles stood on). After a payment only the tile counts as stood on, so
    such a position is visited once.
    """
    visited = np.zeros((PLAYERS, _MANY + 1, _MANY + 1, _MANY + 1), np.bool_)
    waiting = np.empty((256, 1 + TERRAINS), np.int64)
    memory = np.empty((256, 2), np.uint64)
    waiting[0, 0] = start
    for kind in range(TERRAINS):
        waiting[0, 1 + kind] = left[kind]
    memory[0] = stood
    count = 1
    cards = np.empty(TERRAINS, np.int64)
    been = np.empty(2, np.uint64)
    while count > 0:
        count -= 1
        here = waiting[count, 0]
        cards[:] = waiting[count, 1:]
        been[:] = memory[count]
        if _leaves(tables, state, seat, here, cards, been):
            return True
        for side in range(3):
            to = beside(tables, state, here, side)
            if not is_occupied(state, seat, to):
                continue
            terrain = terrain_of(state.tile_kind[to])
            if terrain == terrain_of(state.tile_kind[here]):
                if not stood_on(been, to):
                    waiting[count, 0] = to
                    waiting[count, 1:] = cards
                    memory[count] = been
                    include(memory[count], to)
                    count += 1
                continue
            for kind in range(TERRAINS):
                price = 1 if kind == terrain else 2
                if cards[kind] >= price:
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

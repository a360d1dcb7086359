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
from isle_envs.core.records import record_type
from isle_envs.islet.state import NESTS_FOR_AN_EGG, NONE, PAIRS, PLAYERS, SEA, SOURCES, TERRAINS, TYPES
from isle_envs.islet.tiles import beside

_MANY = 8  # more cards of a terrain than any chain of payments over three birds can need

SPOT = record_type(
    np.dtype(
        [
            ("stood", np.uint64, (2,)),  # the set of tiles stood on since the last payment
            ("tile", np.int64),
            ("cards", np.int64, (TERRAINS,)),  # that are left
        ]
    )
)
"""Somewhere in a chain of advances over other birds."""


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
def unspent(state: Any, seat: int, kind: int) -> int:
    """Guaranteed cards of a type that a seat can still spend."""
    return wide(state.guaranteed[seat, kind]) - wide(state.spent[seat, kind])


@kernel(inline=True)
def holding(state: Any, seat: int, kind: int) -> int:
    """Cards of a type that a seat can still spend, from either source."""
    return wide(state.loose[seat, kind]) + unspent(state, seat, kind)


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
    one, other = PAIRS[cost - TERRAINS]
    pairs = min(holding(state, seat, one), holding(state, seat, other))
    return holding(state, seat, cost) + pairs >= NESTS_FOR_AN_EGG


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
        left = unspent(state, seat, kind) - wide(state.paid[guaranteed])
        more = wide(state.loose[seat, kind]) - wide(state.paid[loose])
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
    if not paid:
        spots = np.zeros(1, SPOT)
        spot = spots[0]
        spot.tile = tile
        for kind in range(TERRAINS):
            spot.cards[kind] = holding(state, seat, kind)
        for word in range(2):
            spot.stood[word] = state.stood[word]
        include(spot.stood, wide(state.bird[seat]))  # the memory of a Move begins with the bird's tile
        include(spot.stood, tile)
        return _chain(tables, state, seat, spot)
    cost = terrain_of(state.tile_kind[tile])
    for number in range(bills_of(cost)):
        bill = tables.bill[cost, number]
        enough = True
        for kind in range(TERRAINS):
            enough = enough and holding(state, seat, kind) >= bill[kind]
        if enough and _leads_on_after(tables, state, seat, tile, bill):
            return True
    return False


@kernel
def _leads_on_after(tables: Any, state: Any, seat: int, tile: int, bill: Any) -> bool:
    """Whether a chain of advances leads from an occupied tile to a free one once a bill is paid."""
    spots = np.zeros(1, SPOT)
    spot = spots[0]
    spot.tile = tile
    for kind in range(TERRAINS):
        spot.cards[kind] = holding(state, seat, kind) - wide(bill[kind])
    include(spot.stood, tile)
    return _chain(tables, state, seat, spot)


@kernel
def _leaves(tables: Any, state: Any, seat: int, spot: Any) -> bool:
    """Whether an advance leads to a tile without another bird."""
    for side in range(3):
        to = beside(tables, state, spot.tile, side)
        if to == SEA or is_occupied(state, seat, to):
            continue
        terrain = terrain_of(state.tile_kind[to])
        if terrain == terrain_of(state.tile_kind[spot.tile]):
            if not stood_on(spot.stood, to):
                return True
        else:
            for kind in range(TERRAINS):
                if spot.cards[kind] >= (1 if kind == terrain else 2):
                    return True
    return False


@kernel
def _chain(tables: Any, state: Any, seat: int, start: Any) -> bool:
    """Whether legal and affordable advances lead from a spot to a tile without another bird."""
    if _leaves(tables, state, seat, start):
        return True
    for side in range(3):
        if is_occupied(state, seat, beside(tables, state, start.tile, side)):
            return _search(tables, state, seat, start)
    return False


@kernel
def _search(tables: Any, state: Any, seat: int, start: Any) -> bool:
    """:func:`_chain` by way of further occupied tiles, of which there are at most three.

    A search without recursion. After a payment only the tile counts as stood on, so such a spot is visited once.
    """
    visited = np.zeros((PLAYERS, _MANY + 1, _MANY + 1, _MANY + 1), np.bool_)
    waiting = np.empty(256, SPOT)
    kept = np.empty(1, SPOT)
    waiting[0] = start
    for kind in range(TERRAINS):
        waiting[0].cards[kind] = min(start.cards[kind], _MANY)
    count = 1
    while count > 0:
        count -= 1
        kept[0] = waiting[count]
        spot = kept[0]
        if _leaves(tables, state, seat, spot):
            return True
        for side in range(3):
            to = beside(tables, state, spot.tile, side)
            if not is_occupied(state, seat, to):
                continue
            terrain = terrain_of(state.tile_kind[to])
            if terrain == terrain_of(state.tile_kind[spot.tile]):
                if not stood_on(spot.stood, to):
                    waiting[count] = spot
                    waiting[count].tile = to
                    include(waiting[count].stood, to)
                    count += 1
                continue
            whose = 0
            for other in range(PLAYERS):
                if other != seat and state.bird[other] == to:
                    whose = other
            for kind in range(TERRAINS):
                price = 1 if kind == terrain else 2
                if spot.cards[kind] < price:
                    continue
                waiting[count] = spot
                after = waiting[count]
                after.tile = to
                after.cards[kind] -= price
                if not visited[whose, after.cards[0], after.cards[1], after.cards[2]]:
                    visited[whose, after.cards[0], after.cards[1], after.cards[2]] = True
                    after.stood[0], after.stood[1] = NO_BITS, NO_BITS
                    include(after.stood, to)
                    count += 1
    return False

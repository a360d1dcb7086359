"""The action Move (rulebook, "Move": Advance your pawn, Lay an egg; solo: "Game Flow")."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, count_bits, include, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.islet.cards import held_slots, islet_of
from isle_envs.islet.payments import affordable, is_occupied, is_paid, leads_on, may_pay, nest_of, stood_on, terrain_of
from isle_envs.islet.state import (
    CARD,
    GAIN,
    GIVE_UP,
    KINDS,
    LOST,
    MOVE,
    NONE,
    PAY,
    REMOVED_BY_A_MOVE,
    SEA,
    SOURCES,
    TYPES,
    WON,
)
from isle_envs.islet.tiles import beside, is_coastal, is_next_to
from isle_envs.islet.turn import end_after, end_game, reveal_cards


@kernel
def may_advance(tables: Any, state: Any, seat: int, tile: int) -> bool:
    """Whether the bird may go to a tile: next to it, from the sea to a coastal one, solo to an identical one of the other islet."""
    here = wide(state.bird[seat])
    if tile == here:
        return False
    free = False
    if here == SEA:
        if not is_coastal(tables, state, tile):
            return False
    elif is_next_to(tables, state, here, tile):
        free = terrain_of(state.tile_kind[here]) == terrain_of(state.tile_kind[tile])
    elif not is_crossing(tables, state, here, tile):
        return False
    if free:
        if stood_on(state.stood, tile):  # ruling 6
            return False
    elif not affordable(state, seat, terrain_of(state.tile_kind[tile])):
        return False
    return not is_occupied(state, seat, tile) or leads_on(tables, state, seat, tile, not free)  # ruling 7


@kernel(inline=True)
def is_crossing(tables: Any, state: Any, here: int, tile: int) -> bool:
    """Solo: whether a tile is the other islet's twin of the bird's tile."""
    if not tables.solo or state.tile_kind[here] != state.tile_kind[tile]:
        return False
    return islet_of(tables, state, here) != islet_of(tables, state, tile)


@kernel
def may_lay(tables: Any, state: Any, seat: int) -> bool:
    """Whether an egg may be laid: on a tile without an egg and another bird, payable, solo as one of the islet's cards asks."""
    here = wide(state.bird[seat])
    if here == SEA or state.laid[seat] == tables.eggs or state.tile_egg[here] != NONE or is_occupied(state, seat, here):
        return False
    if not affordable(state, seat, nest_of(state.tile_kind[here])):
        return False
    return not tables.solo or held_slots(tables, state, here) != 0


@kernel
def can_move(tables: Any, state: Any) -> bool:
    """Solo: whether some Advance or Lay is possible now."""
    seat = wide(state.current_player)
    if may_lay(tables, state, seat):
        return True
    here = wide(state.bird[seat])
    for side in range(3):
        tile = beside(tables, state, here, side)
        if tile != SEA and may_advance(tables, state, seat, tile):
            return True
    for tile in range(wide(state.tiles)):
        if is_crossing(tables, state, here, tile) and may_advance(tables, state, seat, tile):
            return True
    return False


@kernel
def begin_move(state: Any) -> None:
    """The memory of ruling 6 starts with the bird's tile."""
    stand_on(state, wide(state.bird[state.current_player]))
    state.phase = MOVE


@kernel(inline=True)
def stand_on(state: Any, tile: int) -> None:
    """The bird has stood there."""
    if tile != SEA:
        include(state.stood, tile)


@kernel
def advance(tables: Any, state: Any, tile: int) -> None:
    """1. A destination; 2. its cost; 3. the bird goes there."""
    seat = wide(state.current_player)
    here = wide(state.bird[seat])
    is_free = here != SEA and is_next_to(tables, state, here, tile)
    if is_free and terrain_of(state.tile_kind[here]) == terrain_of(state.tile_kind[tile]):
        arrive(state, tile)
    else:
        state.target = tile


@kernel
def arrive(state: Any, tile: int) -> None:
    """The bird stands on a tile."""
    state.bird[state.current_player] = tile
    stand_on(state, tile)
    state.moved = 1
    state.phase = MOVE


@kernel
def pay(tables: Any, state: Any) -> None:
    """Names every card that is the only one that can be named; asks where there is a choice; settles a payment that is complete."""
    seat = wide(state.current_player)
    while not is_paid(tables, state, seat):
        cards = may_pay(tables, state, seat)
        if count_bits(cards) != 1:
            state.phase = PAY
            return
        state.paid[lowest(cards)] += 1
    for kind in range(TYPES):
        loose, guaranteed = state.paid[SOURCES * kind], state.paid[SOURCES * kind + 1]
        state.loose[seat, kind] -= loose
        state.stack[kind] += loose
        state.spent[seat, kind] += guaranteed
    state.paid[:] = 0
    state.stood[:] = NO_BITS
    if state.target != SEA:
        tile = wide(state.target)
        state.target = SEA
        arrive(state, tile)
    else:
        stand_on(state, wide(state.bird[seat]))
        state.phase = GAIN if state.free_eggs[seat] >= 2 else GIVE_UP


@kernel
def lay_egg(tables: Any, state: Any, kind: int, rewards: Any) -> None:
    """2. The egg is laid: one guarantees a resource while there are free ones, later a guarantee is given up for it (ruling 9)."""
    seat = wide(state.current_player)
    if state.phase == GAIN:
        state.free_eggs[seat] -= 2
        state.stack[kind] -= 1
        state.guaranteed[seat, kind] += 1
    else:
        state.guaranteed[seat, kind] -= 1
        state.stack[kind] += 1
        if state.spent[seat, kind] > 0:
            state.spent[seat, kind] -= 1
    here = wide(state.bird[seat])
    state.tile_egg[here] = seat
    state.laid[seat] += 1
    state.moved = 1
    state.phase = MOVE
    if tables.solo:
        rewards[0] += 1.0 / tables.eggs
        if state.laid[0] == tables.eggs:
            rewards[0] += (wide(state.bag_size) - wide(state.drawn)) / 15.0
            end_game(state, WON)
            return
        slots = held_slots(tables, state, here)
        if slots == 3:
            state.phase = CARD
        else:
            discard_card(tables, state, slots - 1)
    elif state.laid[seat] == tables.eggs:
        end_after(state, wide(state.round_number))


@kernel
def discard_card(tables: Any, state: Any, slot: int) -> None:
    """Solo: the card laid for goes; the other islet is refilled to two."""
    islet = islet_of(tables, state, wide(state.bird[0]))
    if slot == 0:
        state.shown[islet, 0] = state.shown[islet, 1]
    state.shown[islet, 1] = NONE
    reveal_cards(state, 1 - islet)
    state.phase = MOVE


@kernel
def remove_from_bag(tables: Any, state: Any) -> None:
    """Solo: a Move first removes three tiles."""
    for _ in range(REMOVED_BY_A_MOVE):
        if state.drawn == state.bag_size:
            end_game(state, LOST)
            return
        state.removed[state.bag[state.drawn]] += 1
        state.drawn += 1
    begin_move(state)


@kernel
def keep_tile(state: Any, kind: int) -> None:
    """Solo: the other three tiles in hand are removed."""
    state.hand[0, kind] -= 1
    for other in range(KINDS):
        state.removed[other] += state.hand[0, other]
        state.hand[0, other] = 0
    state.hand[0, kind] = 1
    begin_move(state)

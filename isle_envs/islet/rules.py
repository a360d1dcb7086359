"""The rules of Islet: setup, scoring and decisions; turns are in ``turn``, ``explore`` and ``move``. Rulings are those of the README."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.outcome import build_forfeit, build_margin, build_rank, build_reward
from isle_envs.core.rng import shuffle
from isle_envs.islet.actions import A_CELL, A_PICK
from isle_envs.islet.explore import (
    can_explore,
    can_go_on,
    discard,
    finish_explore,
    first_cells,
    may_be_next,
    may_discard,
    place_tile,
)
from isle_envs.islet.move import (
    advance,
    begin_move,
    can_move,
    discard_card,
    is_crossing,
    keep_tile,
    lay_egg,
    may_advance,
    may_lay,
    pay,
    remove_from_bag,
)
from isle_envs.islet.payments import is_occupied, may_pay
from isle_envs.islet.state import (
    CARD,
    CARDS,
    CELL_WORDS,
    DISCARD,
    EXPLORE,
    GAIN,
    GUARANTEED_LIMIT,
    HAND,
    KEEP,
    KINDS,
    MOVE,
    NONE,
    OVER,
    PAY,
    PLACE,
    SEA,
    SOURCES,
    STACK,
    START,
    TILES,
    TURN,
    TYPES,
    WON,
)
from isle_envs.islet.tiles import add_tile, beside, tile_on
from isle_envs.islet.turn import clear_turn, end_turn, hand_size, reveal_cards

# -------------------------------------------------------------------------------------------------------------- Setup


@kernel
def deal(tables: Any, state: Any) -> None:
    """Setup 1–5, and the solo mode's setup."""
    state.stack[:] = STACK  # 1. the resources in six stacks
    bag = np.empty(TILES, np.uint8)  # 2. the tiles in the bag
    count = 0
    for kind in range(KINDS):
        for _ in range(tables.kind_count[kind]):
            bag[count] = kind
            count += 1
    shuffle(state.stream, bag)
    drawn = 0
    for islet in range(2 if tables.solo else 1):  # 3. six tiles form the islet; solo: two islets
        for k in range(6):
            add_tile(tables, state, wide(tables.start[islet, k]), wide(bag[drawn]))
            drawn += 1
    for seat in range(tables.num_players):  # 4. four tiles and the eggs for each player
        for _ in range(HAND):
            state.hand[seat, bag[drawn]] += 1
            drawn += 1
        state.free_eggs[seat] = tables.eggs
    state.bag_size = TILES - drawn
    for k in range(wide(state.bag_size)):
        state.bag[k] = bag[drawn + k]
    state.bird[:] = SEA  # 5. the birds in the sea
    state.shown[:, :] = NONE
    state.round_number = 1
    clear_turn(state)
    if tables.solo:
        deck = np.arange(CARDS)
        shuffle(state.stream, deck)
        for k in range(CARDS):
            state.deck[k] = deck[k]
        for islet in range(2):
            reveal_cards(state, islet)
        state.phase = START
    else:
        state.phase = TURN


# -------------------------------------------------------------------------------------------------------- End of game


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    """Eggs laid; solo, the tiles left in the bag of a game that is won."""
    if tables.solo:
        return wide(state.bag_size) - wide(state.drawn) if state.end == WON else 0
    return wide(state.laid[seat])


@kernel
def compare(tables: Any, state: Any, one: int, other: int) -> int:
    """Positive if seat ``one`` is ahead: more eggs, then the higher eggs, compared from the highest down (ruling 12); 0 for a tie."""
    if state.laid[one] != state.laid[other]:
        return wide(state.laid[one]) - wide(state.laid[other])
    balance = np.zeros(TILES + 1, np.int64)  # eggs of the one less those of the other, by level
    for tile in range(wide(state.tiles)):
        level = min(wide(state.tile_level[tile]), TILES)
        if state.tile_egg[tile] == one:
            balance[level] += 1
        elif state.tile_egg[tile] == other:
            balance[level] -= 1
    for level in range(TILES, 0, -1):
        if balance[level] != 0:
            return wide(balance[level])
    return 0


rank = build_rank(compare)
_ahead = build_margin(score, 1.0)


@kernel
def margin(tables: Any, state: Any, seat: int) -> float:
    """Eggs laid less the best other player's, divided by the eggs that each began with."""
    return float(_ahead(tables, state, seat) / wide(tables.eggs))


_reward = build_reward(compare, margin)
forfeit = build_forfeit(margin)


# ---------------------------------------------------------------------------------------------------------- Decisions


@kernel
def legal(tables: Any, state: Any, mask: Any) -> None:
    """Sets the legal actions of the current player."""
    seat = wide(state.current_player)
    phase = state.phase
    if phase == TURN:
        _legal_turn(tables, state, seat, mask)
    elif phase == PLACE:
        _legal_cells(tables, state, mask)
    elif phase == EXPLORE:
        mask[tables.a_end] = True
        if can_go_on(tables, state):
            _legal_picks(state, seat, mask)
    elif phase == MOVE:
        _legal_move(tables, state, seat, mask)
        mask[tables.a_end] = state.moved == 1 and not is_occupied(state, seat, wide(state.bird[seat]))
    elif phase == PAY:
        cards = may_pay(tables, state, seat)
        for card in range(SOURCES * TYPES):
            mask[tables.a_pay + card] = cards & bit(card) != NO_BITS
    elif phase == KEEP:
        _legal_picks(state, seat, mask)
    elif phase == START:
        for tile in range(wide(state.tiles)):
            mask[A_CELL + wide(state.tile_cell[tile])] = True
    elif phase == CARD:
        mask[tables.a_card] = True
        mask[tables.a_card + 1] = True
    else:
        for kind in range(TYPES):
            if phase == DISCARD:
                mask[tables.a_resource + kind] = may_discard(state, seat, kind)
            elif phase == GAIN:  # ruling 10
                mask[tables.a_resource + kind] = (
                    state.stack[kind] > 0 and state.guaranteed[seat, kind] < GUARANTEED_LIMIT
                )
            else:
                mask[tables.a_resource + kind] = state.guaranteed[seat, kind] > 0


@kernel
def _legal_turn(tables: Any, state: Any, seat: int, mask: Any) -> None:
    if can_explore(tables, state):
        _legal_picks(state, seat, mask)
    else:
        mask[tables.a_end] = True  # ruling 5: an empty Move
    if not tables.solo:
        _legal_move(tables, state, seat, mask)
    elif can_move(tables, state):
        mask[tables.a_move] = True
        mask[tables.a_move + 1] = hand_size(state, seat) == HAND


@kernel
def _legal_picks(state: Any, seat: int, mask: Any) -> None:
    for kind in range(KINDS):
        mask[A_PICK + kind] = state.hand[seat, kind] > 0


@kernel
def _legal_cells(tables: Any, state: Any, mask: Any) -> None:
    if state.placed > 0:
        for side in range(3):
            tile = beside(tables, state, wide(state.last), side)
            if tile != SEA and may_be_next(state, tile):
                mask[A_CELL + wide(state.tile_cell[tile])] = True
        return
    for word in range(CELL_WORDS):
        cells = first_cells(tables, state, word)
        while cells != NO_BITS:
            mask[A_CELL + 64 * word + lowest(cells)] = True
            cells &= cells - ONE


@kernel
def _legal_move(tables: Any, state: Any, seat: int, mask: Any) -> None:
    if may_lay(tables, state, seat):
        mask[tables.a_lay] = True
    here = wide(state.bird[seat])
    if here == SEA:
        for tile in range(wide(state.tiles)):
            if may_advance(tables, state, seat, tile):
                mask[A_CELL + wide(state.tile_cell[tile])] = True
        return
    for side in range(3):
        tile = beside(tables, state, here, side)
        if tile != SEA and may_advance(tables, state, seat, tile):
            mask[A_CELL + wide(state.tile_cell[tile])] = True
    if tables.solo:
        for tile in range(wide(state.tiles)):
            if is_crossing(tables, state, here, tile) and may_advance(tables, state, seat, tile):
                mask[A_CELL + wide(state.tile_cell[tile])] = True


@kernel
def apply(tables: Any, state: Any, action: int, rewards: Any) -> None:
    """Plays a legal action."""
    if action < A_CELL:
        if state.phase == KEEP:
            keep_tile(state, action - A_PICK)
        else:
            state.picked = action - A_PICK
            state.phase = PLACE
    elif action < tables.a_lay:
        _apply_cell(tables, state, action - A_CELL)
    elif action == tables.a_lay:
        if state.phase == TURN:
            begin_move(state)
        state.target = SEA
        pay(tables, state)
    elif action < tables.a_pay:
        if state.phase == DISCARD:
            discard(tables, state, action - tables.a_resource)
        else:
            lay_egg(tables, state, action - tables.a_resource, rewards)
    elif action < tables.a_end:
        state.paid[action - tables.a_pay] += 1
        pay(tables, state)
    elif action == tables.a_end:
        if state.phase == EXPLORE:
            finish_explore(tables, state)
        else:
            end_turn(tables, state)
    elif action == tables.a_move:
        remove_from_bag(tables, state)
    elif action == tables.a_move + 1:
        state.phase = KEEP
    else:
        discard_card(tables, state, action - tables.a_card)
    if state.phase == OVER and not tables.solo:
        _reward(tables, state, rewards)


@kernel
def _apply_cell(tables: Any, state: Any, cell: int) -> None:
    if state.phase == PLACE:
        place_tile(tables, state, cell)
        return
    tile = tile_on(state, cell)
    if state.phase == START:
        state.bird[0] = tile
        state.phase = TURN
        return
    if state.phase == TURN:
        begin_move(state)
    advance(tables, state, tile)
    if state.target != SEA:
        pay(tables, state)


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    """Shuffles what the seat has not seen: the bag, the others' tiles, and the deck. All tiles ever shown are known."""
    pool = np.empty(TILES + HAND * len(state.bird), np.uint8)
    sizes = np.zeros(len(state.bird), np.int64)
    count = 0
    picking = state.picked != NONE and state.current_player != seat  # everybody has seen which tile was picked
    if picking:
        state.hand[state.current_player, state.picked] -= 1
    for k in range(wide(state.drawn), wide(state.bag_size)):
        pool[count] = state.bag[k]
        count += 1
    for other in range(tables.num_players):
        if other != seat:
            for kind in range(KINDS):
                for _ in range(wide(state.hand[other, kind])):
                    pool[count] = kind
                    count += 1
                    sizes[other] += 1
                state.hand[other, kind] = 0
    shuffle(state.stream, pool[:count])
    for k in range(wide(state.drawn), wide(state.bag_size)):
        count -= 1
        state.bag[k] = pool[count]
    for other in range(tables.num_players):
        for _ in range(sizes[other]):
            count -= 1
            state.hand[other, pool[count]] += 1
    if picking:
        state.hand[state.current_player, state.picked] += 1
    if tables.solo:
        shuffle(state.stream, state.deck[state.revealed :])

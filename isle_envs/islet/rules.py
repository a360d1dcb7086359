"""The rules of Islet, in the rulebook's order. Rulings are those of the game's README."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, bit, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.rng import shuffle
from isle_envs.islet.actions import A_CELL, A_PICK
from isle_envs.islet.cards import held_slots, islet_of
from isle_envs.islet.payments import (
    affordable,
    combination,
    is_occupied,
    is_paid,
    leads_on,
    may_pay,
    nest_of,
    stood_on,
    terrain_of,
)
from isle_envs.islet.state import (
    CARD,
    CARDS,
    CUT_OFF,
    DISCARD,
    EXPLORE,
    GAIN,
    GIVE_UP,
    GUARANTEED_LIMIT,
    HAND,
    KEEP,
    KINDS,
    LAST_EGG,
    LAST_TILE,
    LOOSE_LIMIT,
    LOST,
    MOVE,
    NONE,
    OVER,
    PAY,
    PLACE,
    PLAYERS,
    REMOVED_BY_A_MOVE,
    ROUNDS,
    SEA,
    SHOWN,
    SOURCES,
    STACK,
    START,
    TILES,
    TURN,
    TYPES,
    WON,
)

# ---------------------------------------------------------------------------------------------------------------- Setup


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


@kernel
def add_tile(tables: Any, state: Any, cell: int, kind: int) -> int:
    """A tile in the sea, of level 1 (ruling 2)."""
    tile = wide(state.tiles)
    state.tiles += 1
    state.tile_at[cell] = tile + 1
    state.tile[tile].cell = cell
    state.tile[tile].kind = kind
    state.tile[tile].level = 1
    state.tile[tile].egg = NONE
    for side in range(3):
        near = tile_on(tables, state, wide(tables.cell_near[cell, side]))
        state.tile[tile].near[side] = near
        if near != SEA:
            state.tile[near].near[2 if side == 2 else 1 - side] = tile
    return tile


@kernel
def tile_on(tables: Any, state: Any, cell: int) -> int:
    """The tile on a cell, or SEA."""
    return SEA if cell == NONE or state.tile_at[cell] == 0 else wide(state.tile_at[cell]) - 1


@kernel
def reveal_cards(state: Any, islet: int) -> None:
    """Solo: reveals cards until an islet has two, if the deck has them."""
    for slot in range(SHOWN):
        if state.shown[islet, slot] == NONE and state.revealed < CARDS:
            state.shown[islet, slot] = state.deck[state.revealed]
            state.revealed += 1


# ---------------------------------------------------------------------------------------------------------- How to play


@kernel
def clear_turn(state: Any) -> None:
    """Forgets all that belongs to one turn."""
    state.picked = NONE
    state.placed = 0
    state.last = SEA
    state.gain[:] = NONE
    state.discarded = NONE
    state.moved = 0
    state.target = SEA
    state.paid[:] = 0
    state.stood[:] = NO_BITS


@kernel
def end_turn(tables: Any, state: Any) -> None:
    """The guaranteed resources' eggs are stood up, and the next player's turn, or the end, comes."""
    seat = wide(state.current_player)
    state.spent[seat, :] = 0
    clear_turn(state)
    state.phase = TURN
    state.current_player = (seat + 1) % tables.num_players
    if state.current_player != 0:
        return
    if state.last_round == state.round_number:  # the round is complete
        every_egg = False
        for other in range(tables.num_players):
            every_egg = every_egg or state.laid[other] == tables.eggs
        end_game(state, LAST_EGG if every_egg else LAST_TILE)
    elif state.round_number == ROUNDS:
        end_game(state, CUT_OFF)  # ruling 13
    else:
        state.round_number += 1


@kernel
def end_game(state: Any, end: int) -> None:
    """The game is over."""
    clear_turn(state)
    state.end = end
    state.phase = OVER
    state.current_player = NONE


@kernel
def end_after(state: Any, number: int) -> None:
    """The game ends after that round; the earliest end triggered counts (ruling 11)."""
    if state.last_round == 0 or number < state.last_round:
        state.last_round = number


# -------------------------------------------------------------------------------------------------------------- Explore


@kernel
def may_be_first(tables: Any, state: Any, tile: int, side: int) -> bool:
    """1st tile: whether a side of a tile borders a sea cell where it may go (ruling 1; solo: on the bird's islet)."""
    if state.tile[tile].near[side] != SEA or tables.cell_near[state.tile[tile].cell, side] == NONE:
        return False
    return not tables.solo or islet_of(tables, state, tile) == islet_of(tables, state, wide(state.bird[0]))


@kernel
def may_be_next(state: Any, tile: int) -> bool:
    """2nd to 4th tile: whether a tile next to the last one placed is empty and the new tile would ascend (ruling 2)."""
    return bool(state.tile[tile].level >= state.tile[state.last].level and is_empty(state, tile))


@kernel
def is_empty(state: Any, tile: int) -> bool:
    """Whether a tile has neither an egg nor a bird, one's own included."""
    if state.tile[tile].egg != NONE:
        return False
    for other in range(PLAYERS):
        if state.bird[other] == tile:
            return False
    return True


@kernel
def can_explore(tables: Any, state: Any) -> bool:
    """Whether the player has a tile and a cell for it."""
    if hand_size(state, wide(state.current_player)) == 0:
        return False
    for tile in range(wide(state.tiles)):
        for side in range(3):
            if may_be_first(tables, state, tile, side):
                return True
    return False


@kernel
def can_go_on(state: Any) -> bool:
    """Whether some cell can take another tile in this Explore."""
    for side in range(3):
        tile = wide(state.tile[state.last].near[side])
        if tile != SEA and may_be_next(state, tile):
            return True
    return False


@kernel
def hand_size(state: Any, seat: int) -> int:
    """How many tiles a player has."""
    size = 0
    for kind in range(KINDS):
        size += wide(state.hand[seat, kind])
    return size


@kernel
def place_tile(tables: Any, state: Any, cell: int) -> None:
    """1. Places the picked tile; what it gains is noted."""
    seat = wide(state.current_player)
    kind = wide(state.picked)
    tile = tile_on(tables, state, cell)
    if tile == SEA:
        tile = add_tile(tables, state, cell, kind)
        state.gain[state.placed] = terrain_of(kind)
    else:
        below = terrain_of(state.tile[tile].kind)
        same = below == terrain_of(kind)
        state.gain[state.placed] = below if same else combination(below, terrain_of(kind))
        state.tile[tile].kind = kind
        state.tile[tile].level += 1
    state.hand[seat, kind] -= 1
    state.picked = NONE
    state.last = tile
    state.placed += 1
    if state.placed == HAND or hand_size(state, seat) == 0:
        finish_explore(tables, state)
    else:
        state.phase = EXPLORE


@kernel
def finish_explore(tables: Any, state: Any) -> None:
    """2. Gain resources. 3. Gain tiles; then the loose resources are counted."""
    seat = wide(state.current_player)
    for k in range(wide(state.placed)):
        kind = wide(state.gain[k])
        if state.stack[kind] > 0:  # none remain: none is taken
            state.stack[kind] -= 1
            state.loose[seat, kind] += 1
    clear_turn(state)
    while hand_size(state, seat) < HAND:
        if state.drawn == state.bag_size:
            if tables.solo:
                end_game(state, LOST)  # a tile that must come from an empty bag
                return
            break
        state.hand[seat, state.bag[state.drawn]] += 1
        state.drawn += 1
        if state.drawn == state.bag_size and not tables.solo:
            end_after(state, wide(state.round_number) + 1)
    state.phase = DISCARD
    if excess(state, seat) <= 0:
        end_turn(tables, state)


@kernel
def excess(state: Any, seat: int) -> int:
    """How many loose resources a player has beyond eight."""
    count = -LOOSE_LIMIT
    for kind in range(TYPES):
        count += wide(state.loose[seat, kind])
    return count


@kernel
def may_discard(state: Any, seat: int, kind: int) -> bool:
    """Ruling 3: in ascending type, enough of this and higher types being left."""
    if kind < state.discarded or state.loose[seat, kind] == 0:
        return False
    left = 0
    for other in range(kind, TYPES):
        left += wide(state.loose[seat, other])
    return left >= excess(state, seat)


# ----------------------------------------------------------------------------------------------------------------- Move


@kernel
def may_advance(tables: Any, state: Any, seat: int, tile: int) -> bool:
    """Whether the bird may go to a tile: next to it, from the sea to a coastal one, solo to an identical one of the other islet."""
    here = wide(state.bird[seat])
    if tile == here:
        return False
    free = False
    if here == SEA:
        near = state.tile[tile].near
        if near[0] != SEA and near[1] != SEA and near[2] != SEA:
            return False
    elif is_next_to(state, here, tile):
        free = terrain_of(state.tile[here].kind) == terrain_of(state.tile[tile].kind)
    elif not is_crossing(tables, state, here, tile):
        return False
    if free:
        if stood_on(state.stood, tile):  # ruling 6
            return False
    elif not affordable(state, seat, terrain_of(state.tile[tile].kind)):
        return False
    return not is_occupied(state, seat, tile) or leads_on(state, seat, tile, not free)  # ruling 7


@kernel
def is_next_to(state: Any, one: int, other: int) -> bool:
    """Whether two tiles share a side."""
    near = state.tile[one].near
    return bool(near[0] == other or near[1] == other or near[2] == other)


@kernel
def is_crossing(tables: Any, state: Any, here: int, tile: int) -> bool:
    """Solo: whether a tile is the other islet's twin of the bird's tile."""
    if not tables.solo or state.tile[here].kind != state.tile[tile].kind:
        return False
    return islet_of(tables, state, here) != islet_of(tables, state, tile)


@kernel
def may_lay(tables: Any, state: Any, seat: int) -> bool:
    """Whether an egg may be laid: on a tile without an egg and another bird, payable, solo as one of the islet's cards asks."""
    here = wide(state.bird[seat])
    if here == SEA or state.laid[seat] == tables.eggs or state.tile[here].egg != NONE or is_occupied(state, seat, here):
        return False
    if not affordable(state, seat, nest_of(state.tile[here].kind)):
        return False
    return not tables.solo or held_slots(tables, state, here) != 0


@kernel
def can_move(tables: Any, state: Any) -> bool:
    """Whether some Advance or Lay is possible now."""
    seat = wide(state.current_player)
    if may_lay(tables, state, seat):
        return True
    for tile in range(wide(state.tiles)):
        if may_advance(tables, state, seat, tile):
            return True
    return False


@kernel
def begin_move(state: Any) -> None:
    """The memory of ruling 6 starts with the bird's tile."""
    stand_on(state, wide(state.bird[state.current_player]))
    state.phase = MOVE


@kernel
def stand_on(state: Any, tile: int) -> None:
    """The bird has stood there."""
    if tile != SEA:
        state.stood[tile // 64] |= bit(tile % 64)


@kernel
def advance(state: Any, tile: int) -> None:
    """1. A destination; 2. its cost; 3. the bird goes there."""
    seat = wide(state.current_player)
    here = wide(state.bird[seat])
    is_free = here != SEA and is_next_to(state, here, tile)
    if is_free and terrain_of(state.tile[here].kind) == terrain_of(state.tile[tile].kind):
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
def pay(state: Any) -> None:
    """Names every card that is the only one that can be named; asks where there is a choice; settles a payment that is complete."""
    seat = wide(state.current_player)
    while not is_paid(state, seat):
        only, count = 0, 0
        for card in range(SOURCES * TYPES):
            if may_pay(state, seat, card):
                only = card
                count += 1
        if count != 1:
            state.phase = PAY
            return
        state.paid[only] += 1
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
    state.tile[here].egg = seat
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


# ---------------------------------------------------------------------------------------------------------- End of game


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    """Eggs laid; solo, the tiles left in the bag of a game that is won."""
    if tables.solo:
        return wide(state.bag_size) - wide(state.drawn) if state.end == WON else 0
    return wide(state.laid[seat])


@kernel
def compare(state: Any, one: int, other: int) -> int:
    """Positive if seat ``one`` is ahead: more eggs, then the higher eggs, compared from the highest down (ruling 12); 0 for a tie."""
    if state.laid[one] != state.laid[other]:
        return wide(state.laid[one]) - wide(state.laid[other])
    balance = np.zeros(TILES + 1, np.int64)  # eggs of the one less those of the other, by level
    for tile in range(wide(state.tiles)):
        if state.tile[tile].egg == one:
            balance[state.tile[tile].level] += 1
        elif state.tile[tile].egg == other:
            balance[state.tile[tile].level] -= 1
    for level in range(TILES, 0, -1):
        if balance[level] != 0:
            return wide(balance[level])
    return 0


@kernel
def rank(tables: Any, state: Any, seat: int) -> int:
    """1 for a winner; equal players share a rank. 0 before the end."""
    if state.phase != OVER:
        return 0
    better = 0
    for other in range(tables.num_players):
        better += other != seat and compare(state, other, seat) > 0
    return 1 + better


@kernel
def margin(tables: Any, state: Any, seat: int) -> float:
    """Eggs laid less the best other player's, divided by the eggs that each began with."""
    best = 0
    for other in range(tables.num_players):
        if other != seat:
            best = max(best, wide(state.laid[other]))
    return (wide(state.laid[seat]) - best) / wide(tables.eggs)


@kernel
def forfeit(tables: Any, state: Any, seat: int) -> float:
    """What an illegal action is worth: never more than any natural end."""
    return min(0.0, margin(tables, state, seat)) - 1.0 if tables.margin else -1.0


@kernel
def _reward(tables: Any, state: Any, rewards: Any) -> None:
    n = tables.num_players
    winners = 0
    for seat in range(n):
        winners += rank(tables, state, seat) == 1
    for seat in range(n):
        if tables.margin:
            rewards[seat] += margin(tables, state, seat)
        elif rank(tables, state, seat) == 1:
            rewards[seat] += (n / winners - 1.0) / (n - 1)
        else:
            rewards[seat] -= 1.0 / (n - 1)


# ------------------------------------------------------------------------------------------------------------- Decisions


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
        if can_go_on(state):
            _legal_picks(state, seat, mask)
    elif phase == MOVE:
        _legal_move(tables, state, seat, mask)
        mask[tables.a_end] = state.moved == 1 and not is_occupied(state, seat, wide(state.bird[seat]))
    elif phase == PAY:
        for card in range(SOURCES * TYPES):
            mask[tables.a_pay + card] = may_pay(state, seat, card)
    elif phase == KEEP:
        _legal_picks(state, seat, mask)
    elif phase == START:
        for tile in range(wide(state.tiles)):
            mask[A_CELL + wide(state.tile[tile].cell)] = True
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
            tile = wide(state.tile[state.last].near[side])
            if tile != SEA and may_be_next(state, tile):
                mask[A_CELL + wide(state.tile[tile].cell)] = True
        return
    for tile in range(wide(state.tiles)):
        for side in range(3):
            if may_be_first(tables, state, tile, side):
                mask[A_CELL + wide(tables.cell_near[state.tile[tile].cell, side])] = True


@kernel
def _legal_move(tables: Any, state: Any, seat: int, mask: Any) -> None:
    if may_lay(tables, state, seat):
        mask[tables.a_lay] = True
    here = wide(state.bird[seat])
    if here == SEA or tables.solo:  # from the sea any coastal tile, from islet to islet any twin
        for tile in range(wide(state.tiles)):
            if may_advance(tables, state, seat, tile):
                mask[A_CELL + wide(state.tile[tile].cell)] = True
        return
    for side in range(3):
        tile = wide(state.tile[here].near[side])
        if tile != SEA and may_advance(tables, state, seat, tile):
            mask[A_CELL + wide(state.tile[tile].cell)] = True


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
        pay(state)
    elif action < tables.a_pay:
        if state.phase == DISCARD:
            _discard(tables, state, action - tables.a_resource)
        else:
            lay_egg(tables, state, action - tables.a_resource, rewards)
    elif action < tables.a_end:
        state.paid[action - tables.a_pay] += 1
        pay(state)
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
    tile = tile_on(tables, state, cell)
    if state.phase == START:
        state.bird[0] = tile
        state.phase = TURN
        return
    if state.phase == TURN:
        begin_move(state)
    advance(state, tile)
    if state.target != SEA:
        pay(state)


@kernel
def _discard(tables: Any, state: Any, kind: int) -> None:
    seat = wide(state.current_player)
    state.loose[seat, kind] -= 1
    state.stack[kind] += 1
    state.discarded = kind
    if excess(state, seat) == 0:
        end_turn(tables, state)


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    """Shuffles what the seat has not seen: the bag, the others' tiles, and the deck. All tiles ever shown are known."""
    pool = np.empty(TILES, np.uint8)
    sizes = np.zeros(len(state.bird), np.int64)
    count = 0
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
    if tables.solo:
        shuffle(state.stream, state.deck[state.revealed :])

"""Research cards, threat cards and keepers (rulebook, "Research Phase", "Resolving a Threat Card", "Keeper Phase")."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, ONE, bit, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.core.rng import shuffle
from isle_envs.isla.sheet import exhaust_die, find_die, refresh_die
from isle_envs.isla.state import (
    BAN,
    CAUGHT,
    DISCARD_POOL,
    EXHAUST,
    KEEP,
    LOSE,
    MOVE,
    NONE,
    NOW,
    PLACE,
    POOL,
    REFRESH,
)

# ----------------------------------------------------------------------------------------------------- Research cards


@kernel
def draw_card(state: Any) -> int:
    """The next research card; an empty deck is made anew of the discards (ruling 10). NONE if there is none either."""
    if state.drawn == state.deck_size:
        count = 0
        rest = state.discards
        while rest != NO_BITS:
            state.deck[count] = lowest(rest)
            rest &= rest - ONE
            count += 1
        state.discards = NO_BITS
        state.drawn = 0
        state.deck_size = count
        if count == 0:
            return NONE
        shuffle(state.stream, state.deck[:count])
    card = wide(state.deck[state.drawn])
    state.drawn += 1
    return card


@kernel
def discard_card(state: Any, card: int) -> None:
    """Puts a research card, if it is one, on the discards."""
    if card != NONE:
        state.discards |= bit(card)


@kernel
def refill_pool(state: Any, taken: int) -> None:
    """The cards between the deck and an empty slot move away from the deck, and a new one comes next to it."""
    for slot in range(taken, 0, -1):
        state.pool[slot] = state.pool[slot - 1]
    state.pool[0] = draw_card(state)


@kernel
def replace_pool(state: Any) -> None:
    """Discards the whole pool and draws four."""
    for slot in range(POOL):
        discard_card(state, wide(state.pool[slot]))
        state.pool[slot] = NONE
    for slot in range(POOL):
        state.pool[slot] = draw_card(state)


# ------------------------------------------------------------------------------------------------------- Threat cards


@kernel
def _draw_threat(tables: Any, state: Any) -> int:
    """The next threat; an empty deck is made anew of the discards (ruling 1). NONE if all are kept."""
    if state.threats_drawn == state.threat_deck_size:
        count = 0
        for threat in range(tables.threats):
            for _ in range(wide(state.threat_discards[threat])):
                state.threat_deck[count] = threat
                count += 1
            state.threat_discards[threat] = 0
        state.threats_drawn = 0
        state.threat_deck_size = count
        if count == 0:
            return NONE
        shuffle(state.stream, state.threat_deck[:count])
    threat = wide(state.threat_deck[state.threats_drawn])
    state.threats_drawn += 1
    return threat


@kernel
def resolve_threat(tables: Any, state: Any, seat: int) -> None:
    """Picks the top threat and follows it; what cannot be carried out is discarded without replacing it."""
    number = _draw_threat(tables, state)
    if number == NONE:
        return
    threat, player = tables.threat[number], state.player[seat]
    if threat.time == KEEP and player.kept & bit(number) == NO_BITS:  # never two of one name
        player.kept |= bit(number)
        return
    state.threat_discards[number] += 1
    if threat.time == NOW:
        carry_out(state, seat, wide(threat.effect), wide(threat.what))
    elif threat.time != KEEP:
        for other in range(tables.num_players):
            if threat.everyone or other == seat:
                if threat.effect == BAN:
                    state.banned[other] = wide(state.banned[other]) | 1 << wide(threat.what)
                else:
                    state.slow[other] = wide(state.slow[other]) + wide(threat.amount)


@kernel
def carry_out(state: Any, seat: int, effect: int, what: int) -> None:
    """An effect at once, of a threat or a keeper; nothing happens if it cannot be carried out."""
    player = state.player[seat]
    if effect == EXHAUST:
        die = find_die(player, what, True)
        if die != NONE:
            exhaust_die(player, die)
    elif effect == REFRESH:
        die = find_die(player, what, False)
        if die != NONE:
            refresh_die(player, die)
    elif effect == LOSE:
        if player.hand[what] > 0:
            player.hand[what] -= 1
    elif effect == DISCARD_POOL:
        replace_pool(state)


# -------------------------------------------------------------------------------------------------------- The keeper


@kernel
def is_caught(state: Any, seat: int) -> bool:
    """Whether the keeper is on the explorer's space."""
    return bool(state.keeper_at == state.player[seat].at)


@kernel
def keeper_phase(tables: Any, state: Any) -> None:
    """Draws a card, resolves the keeper's action for its symbol, and discards it (ruling 12)."""
    card = draw_card(state)
    if card == NONE:
        return
    action = tables.keeper_action[state.keeper, tables.symbol[card]]
    if action.action == MOVE:
        steps = wide(action.steps) if action.what == NONE else wide(state.die[action.what])
        _move_keeper(tables, state, steps, action.column_first)
    elif action.action == PLACE:
        state.keeper_at = action.space
    else:
        carry_out(state, 0, wide(action.action), wide(action.what))
    if is_caught(state, 0):
        state.player[0].status = CAUGHT
    discard_card(state, card)


@kernel
def _move_keeper(tables: Any, state: Any, steps: int, column_first: bool) -> None:
    """Towards the explorer's column, then its row, or the other way round, space by space over everything."""
    columns = tables.columns
    row, column = tables.row[state.keeper_at], tables.column[state.keeper_at]
    to_row, to_column = tables.row[state.player[0].at], tables.column[state.player[0].at]
    for _ in range(steps):
        if column != to_column and (column_first or row == to_row):
            column += 1 if to_column > column else -1
        elif row != to_row:
            row += 1 if to_row > row else -1
    state.keeper_at = row * columns + column

"""What turns of Islet are made of: hands, cards, the end of a turn and of the game (rulebook, "How to Play", "End of Game")."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, wide, wrapped
from isle_envs.core.kernel import kernel
from isle_envs.islet.state import (
    CARDS,
    CUT_OFF,
    KINDS,
    LAST_EGG,
    LAST_TILE,
    NONE,
    OVER,
    ROUNDS,
    SEA,
    SHOWN,
    TURN,
)


@kernel
def reveal_cards(state: Any, islet: int) -> None:
    """Solo: reveals cards until an islet has two, if the deck has them."""
    for slot in range(SHOWN):
        if state.shown[islet, slot] == NONE and state.revealed < CARDS:
            state.shown[islet, slot] = state.deck[state.revealed]
            state.revealed += 1


@kernel(inline=True)
def hand_size(state: Any, seat: int) -> int:
    """How many tiles a player has."""
    size = 0
    for kind in range(KINDS):
        size += wide(state.hand[seat, kind])
    return size


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
    state.current_player = wrapped(seat + 1, wide(tables.num_players))
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

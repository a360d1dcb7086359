"""A round of Isla: its six phases, and the Keeper Phase (rulebook, "Gameplay" and "Solo Round Structure")."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, bit, wide, wrapped
from isle_envs.core.kernel import kernel
from isle_envs.core.rng import below
from isle_envs.isla.cards import (
    discard_card,
    is_caught,
    keeper_phase,
    refill_pool,
    resolve_threat,
)
from isle_envs.isla.sheet import (
    can_afford,
    enter,
    exhaust_die,
    find_die,
    kept_bans,
    kept_slows,
    may_use_rest_token,
    refresh_die,
    ways,
)
from isle_envs.isla.state import (
    ACTIVE,
    BOOST,
    CAUGHT,
    CUT_OFF,
    DICE,
    DIE,
    END_CAUGHT,
    END_EXITED,
    END_LOST,
    EXITED,
    EXPLORE,
    FINISHED,
    LEFT,
    LOST,
    NONE,
    OVER,
    OWNED,
    PLAN,
    POOL,
    RESEARCH,
    REST,
    STEP,
    STUDY,
)

# ------------------------------------------------------------------------------------------------- 1 Planning Phase


@kernel(inline=True)
def affordable(tables: Any, state: Any, seat: int) -> int:
    """The set of slots of the pool whose card the tokens in hand pay."""
    slots = 0
    for slot in range(POOL):
        slots |= wide(can_afford(tables, state.player[seat], wide(state.pool[slot]))) << slot
    return slots


@kernel(inline=True)
def plans(tables: Any, state: Any, seat: int) -> int:
    """The set of plans that a player may choose (ruling 2); who has none, and no rest token to help, is lost."""
    player = state.player[seat]
    dice = wide(player.ready) & ~kept_bans(tables, player)
    rest, explore = wide(player.rested == 0), wide((dice != 0) & (ways(tables, player) != 0))
    return rest << REST | explore << EXPLORE | wide(affordable(tables, state, seat) != 0) << STUDY


# ------------------------------------------------------------------------------------------------ 2 Dice Roll Phase


@kernel
def _roll(tables: Any, state: Any) -> None:
    """The first player rolls all dice; a 1 brings a threat, unless alone or finished (rulings 1 and 13)."""
    ones = 0
    for die in range(DICE):
        state.die[die] = 1 + below(state.stream, tables.sides[die])
        ones += state.die[die] == 1
    seat = wide(state.first_player)
    if tables.solo or state.player[seat].status != ACTIVE:
        return
    for _ in range(ones if tables.threat_per_one else min(ones, 1)):
        resolve_threat(tables, state, seat)


# ----------------------------------------------------------------------------------------------------- 3 Rest Phase


@kernel
def _rest(tables: Any, state: Any) -> None:
    """Who rests marks the Rest Box and refreshes the left-most exhausted die."""
    for seat in range(tables.num_players):
        if state.plan[seat] == REST:
            state.player[seat].rested = 1
            die = find_die(state.player[seat], LEFT, False)
            if die != NONE:
                refresh_die(state.player[seat], die)


# -------------------------------------------------------------------------------------------------- 4 Explore Phase


@kernel(inline=True)
def usable_dice(tables: Any, state: Any, seat: int) -> int:
    """The set of dice that an explorer may choose: not exhausted, and not banned by a threat."""
    player = state.player[seat]
    return wide(player.ready) & ~kept_bans(tables, player) & ~wide(state.banned[seat])


@kernel
def rest_token_helps(tables: Any, state: Any, seat: int) -> bool:
    """Ruling 4: whether the rest token would give an explorer a usable die."""
    player = state.player[seat]
    if not may_use_rest_token(player):
        return False
    die = find_die(player, LEFT, False)
    return (kept_bans(tables, player) | wide(state.banned[seat])) >> die & 1 == 0


@kernel(inline=True)
def choose_die(tables: Any, state: Any, die: int) -> None:
    """1., 2. The die is exhausted; who owns a research card may discard it to go further."""
    player = state.player[state.current_player]
    exhaust_die(player, die)
    state.chosen = die
    if player.cards > 0:
        state.phase = BOOST
        state.choices = boosts(tables, player)
    else:
        begin_steps(tables, state, wide(0))


@kernel
def boosts(tables: Any, player: Any) -> Any:
    """The set of points, by their place among those there are, of the research cards owned; after all these, to discard none."""
    found = bit(tables.boosts)
    for k in range(wide(player.cards)):
        found |= bit(tables.boost_index[tables.points[player.card[k]]])
    return found


@kernel
def boost(tables: Any, state: Any, points: int) -> None:
    """Discards the research card of so many points that was bought first; others see it when the phase is over (ruling 11)."""
    player = state.player[state.current_player]
    place = 0
    while tables.points[player.card[place]] != points:
        place += 1
    player.boosted = player.card[place]
    for k in range(place, OWNED - 1):
        player.card[k] = player.card[k + 1]
    player.card[OWNED - 1] = NONE
    player.cards -= 1
    begin_steps(tables, state, points)


@kernel(inline=True)
def spaces_to_move(tables: Any, state: Any, seat: int, die: int, points: int) -> int:
    """What a die shows, with the points of a boost and less all slows, at least one (ruling 6)."""
    slow = kept_slows(tables, state.player[seat]) + wide(state.slow[seat])
    return max(1, wide(state.die[die]) + points - slow)


@kernel(inline=True)
def begin_steps(tables: Any, state: Any, points: int) -> None:
    """3. As many spaces as the die allows."""
    seat = wide(state.current_player)
    state.movement = spaces_to_move(tables, state, seat, wide(state.chosen), points)
    state.phase = STEP
    state.choices = ways(tables, state.player[seat])


@kernel(inline=True)
def step(tables: Any, state: Any, cell: int) -> None:
    """One space; the exploration ends with the movement, or where no further step is possible."""
    seat = wide(state.current_player)
    player = state.player[seat]
    state.movement -= 1
    if tables.solo and state.keeper_at == cell:  # ruling 12: caught before the space is marked or anything picked up
        player.at = cell
        player.status = CAUGHT
        _end_exploration(state, seat)
        return
    enter(tables, player, cell)
    state.choices = ways(tables, player)
    if state.movement == 0 or state.choices == NO_BITS:
        _end_exploration(state, seat)


@kernel
def leave(tables: Any, state: Any) -> None:
    """The rest of the movement is spent on the exit track, whose last space ends it (ruling 7)."""
    seat = wide(state.current_player)
    player = state.player[seat]
    player.status = EXITED
    player.exit_round = state.round_number
    player.track = min(wide(state.movement), wide(tables.track_length))
    _end_exploration(state, seat)


@kernel(inline=True)
def _end_exploration(state: Any, seat: int) -> None:
    state.acted[seat] = 1
    state.chosen = NONE
    state.movement = 0
    state.phase = DIE


@kernel
def _discard_boosts(tables: Any, state: Any) -> None:
    for seat in range(tables.num_players):
        if state.player[seat].boosted != NONE:
            discard_card(state, wide(state.player[seat].boosted))
            state.player[seat].boosted = NONE


# ------------------------------------------------------------------------------------------------- 5 Research Phase


@kernel
def buy(tables: Any, state: Any, slot: int) -> None:
    """Pays a card of the pool and takes it."""
    player = state.player[state.current_player]
    card = wide(state.pool[slot])
    for kind in range(tables.cost.shape[1]):
        player.hand[kind] -= tables.cost[card, kind]
    player.card[player.cards] = card
    player.cards += 1
    refill_pool(state, slot)


# ------------------------------------------------------------------------------------------ 6 Prepare for Next Round


@kernel
def _prepare(tables: Any, state: Any) -> None:
    """The farthest card of the pool goes, another comes, and the first-player card passes on."""
    discard_card(state, wide(state.pool[POOL - 1]))
    refill_pool(state, POOL - 1)
    clear_round(state)
    state.first_player = wrapped(wide(state.first_player) + 1, wide(tables.num_players))
    state.round_number += 1
    state.phase = PLAN


@kernel
def clear_round(state: Any) -> None:
    """Forgets all that belongs to one round."""
    state.plan[:] = NONE
    state.acted[:] = 0
    state.banned[:] = 0
    state.slow[:] = 0
    state.chosen = NONE
    state.movement = 0


# --------------------------------------------------------------------------------------------------------- Game End


@kernel
def _finished(tables: Any, state: Any) -> int:
    """How the game has ended, RUNNING (0) while somebody is active (ruling 13)."""
    for seat in range(tables.num_players):
        if state.player[seat].status == ACTIVE:
            return 0
    if not tables.solo:
        return FINISHED
    status = state.player[0].status
    if status == EXITED:
        return END_EXITED
    return END_LOST if status == LOST else END_CAUGHT


@kernel
def _end_game(tables: Any, state: Any, end: int) -> None:
    _discard_boosts(tables, state)
    clear_round(state)
    state.end = end
    state.phase = OVER
    state.current_player = NONE
    state.choices = NO_BITS


# ------------------------------------------------------------------------------------------------------ Whose turn


@kernel
def _next_to_plan(tables: Any, state: Any) -> int:
    """In player order from the first player: who has not announced a plan."""
    n = wide(tables.num_players)
    for k in range(n):
        seat = wrapped(wide(state.first_player) + k, n)
        if state.player[seat].status == ACTIVE and state.plan[seat] == NONE:
            return seat
    return NONE


@kernel
def _next_to_explore(tables: Any, state: Any) -> int:
    """Who is exploring, then in player order who has not yet."""
    seat = wide(state.current_player)
    if seat != NONE and state.acted[seat] == 0:
        return seat
    n = wide(tables.num_players)
    for k in range(n):
        seat = wrapped(wide(state.first_player) + k, n)
        if state.plan[seat] == EXPLORE and state.acted[seat] == 0:
            return seat
    return NONE


@kernel
def _next_to_research(tables: Any, state: Any) -> int:
    """In player order, after who researched last."""
    n = wide(tables.num_players)
    start = 0
    if state.current_player != NONE:
        start = wide(state.current_player) - wide(state.first_player) + 1
        if start <= 0:
            start += n
    for k in range(start, n):
        seat = wrapped(wide(state.first_player) + k, n)
        if state.plan[seat] == STUDY:
            return seat
    return NONE


@kernel
def go_on(tables: Any, state: Any) -> None:
    """Plays on from one decision to the next, or to the end of the game."""
    while True:
        end = _finished(tables, state)
        if end != 0:
            _end_game(tables, state, end)
            return
        if state.phase == PLAN:
            seat = _next_to_plan(tables, state)
            if seat == NONE:
                _roll(tables, state)
                _rest(tables, state)
                for other in range(tables.num_players):
                    state.before[other] = state.player[other]
                state.phase = DIE
                state.current_player = NONE
            else:
                state.current_player = seat
                state.choices = plans(tables, state, seat)
                if state.choices != NO_BITS or may_use_rest_token(state.player[seat]):
                    return
                state.player[seat].status = LOST
        elif state.phase == DIE:
            seat = _next_to_explore(tables, state)
            if seat == NONE:
                _discard_boosts(tables, state)
                state.phase = RESEARCH
                state.current_player = NONE
            else:
                state.current_player = seat
                state.choices = usable_dice(tables, state, seat)
                if state.choices != NO_BITS or rest_token_helps(tables, state, seat):
                    return
                state.acted[seat] = 1  # ruling 4: the exploration is lost
        elif state.phase == RESEARCH:
            seat = _next_to_research(tables, state)
            if seat != NONE:
                state.current_player = seat
                state.choices = affordable(tables, state, seat)
                if state.choices != NO_BITS:
                    return
                continue  # ruling 2: lost, none being affordable
            if tables.solo:
                keeper_phase(tables, state)
                if is_caught(state, wide(0)):
                    continue
            if state.round_number == tables.round_limit:
                for seat in range(tables.num_players):  # ruling 14
                    if state.player[seat].status == ACTIVE:
                        state.player[seat].status = LOST
                _end_game(tables, state, CUT_OFF)
                return
            _prepare(tables, state)
        else:
            return

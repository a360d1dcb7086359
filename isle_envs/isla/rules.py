"""The rules of Isla: setup, scoring and decisions; the round is in ``round``. Rulings are those of the README."""

from __future__ import annotations

from typing import Any

from isle_envs.core.bits import NO_BITS, bit, moved_up, wide
from isle_envs.core.blocks import scatter
from isle_envs.core.kernel import kernel
from isle_envs.core.outcome import build_forfeit, build_margin, build_rank, build_reward
from isle_envs.core.rng import below, shuffle
from isle_envs.isla.actions import A_KEEP
from isle_envs.isla.cards import replace_pool
from isle_envs.isla.round import (
    affordable,
    begin_steps,
    boost,
    boosts,
    buy,
    choose_die,
    clear_round,
    go_on,
    leave,
    plans,
    step,
    usable_dice,
)
from isle_envs.isla.sheet import (
    count_explored,
    dice_points,
    exit_bonus,
    mark,
    may_use_rest_token,
    research_points,
    standing,
    threat_points,
    unexplored,
    use_rest_token,
    ways,
)
from isle_envs.isla.state import (
    BOOST,
    BOULDER,
    DICE,
    DIE,
    EXITED,
    HIGHLIGHTS,
    LEAVE,
    MOST_THREATS,
    NO_CELL,
    NONE,
    OVER,
    PLAN,
    RESEARCH,
    SETUP,
    STEP,
)

MARGIN = 20.0  # points, by which the reward ``margin`` is divided
SOLO_SCALE = 10.0
LOST_ALONE, FORFEIT_ALONE = -3.0, -4.0

# -------------------------------------------------------------------------------------------------------------- Setup


@kernel
def deal(tables: Any, state: Any) -> None:
    """Setup, and the solo mode's."""
    for seat in range(tables.num_players):  # Player Setup
        player = state.player[seat]
        for k in range(HIGHLIGHTS):
            player.token[k] = tables.token[k]
        shuffle(state.stream, player.token)
        player.ready = (1 << DICE) - 1
        player.card[:] = NONE
        player.boosted = NONE
        player.at = tables.start
        mark(player, tables.start)
        place_boulder(tables, player)
    for card in range(tables.cards):  # Research Card Setup
        state.deck[card] = card
    shuffle(state.stream, state.deck[: tables.cards])
    state.deck_size = tables.cards
    state.pool[:] = NONE
    replace_pool(state)
    state.keeper, state.keeper_at = NONE, NO_CELL
    if tables.solo:  # the threat deck stays in the box, a keeper comes
        state.keeper = tables.keeper if tables.keeper != NONE else below(state.stream, tables.keepers)
        state.keeper_at = tables.keeper_start[state.keeper]
    else:  # Threat Card Setup
        for k in range(MOST_THREATS):
            state.threat_deck[k] = tables.threat_deck[k]
        shuffle(state.stream, state.threat_deck[: tables.threat_cards])
        state.threat_deck_size = tables.threat_cards
    clear_round(state)
    state.round_number = 1
    state.choices = swaps(tables, state.player[0])


@kernel
def place_boulder(tables: Any, player: Any) -> None:
    """Notes where the boulder lies."""
    for highlight in range(HIGHLIGHTS):
        if player.token[highlight] == BOULDER:
            player.boulder = tables.highlight[highlight]


@kernel
def swaps(tables: Any, player: Any) -> Any:
    """The set of switches of two tokens that differ; after all these, to switch none."""
    found = bit(A_KEEP)
    for action in range(A_KEEP):
        if player.token[tables.swap[action, 0]] != player.token[tables.swap[action, 1]]:
            found |= bit(action)
    return found


@kernel
def _set_up(tables: Any, state: Any, choice: int) -> None:
    """Before You Begin!: each player in turn may switch two tokens."""
    player = state.player[state.current_player]
    if choice < A_KEEP:
        a, b = tables.swap[choice, 0], tables.swap[choice, 1]
        player.token[a], player.token[b] = player.token[b], player.token[a]
        place_boulder(tables, player)
    state.current_player += 1
    if state.current_player == tables.num_players:
        state.current_player = 0
        state.phase = PLAN
    else:
        state.choices = swaps(tables, state.player[state.current_player])


# -------------------------------------------------------------------------------------------------------- End Scoring


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    """The points as they would be counted now."""
    return standing(tables, state.player[seat]) + exit_bonus(tables, state, seat)


@kernel
def break_down(tables: Any, states: Any, seen_by: int, parts: Any) -> None:
    """Each player's points by source, and its status: int64 ``(players, 7)``.

    The sources are the exit bonus, research, threats, dice, the track and unexplored spaces. In an Explore Phase all but
    ``seen_by`` are counted as they stood when it began, unless that is NONE.
    """
    state = states[0]
    for seat in range(tables[0].num_players):
        player = state.player[seat]
        if seen_by != NONE and seat != seen_by and DIE <= state.phase <= STEP:
            player = state.before[seat]
        if player.status == EXITED:
            parts[seat, 0] = exit_bonus(tables[0], state, seat)
        parts[seat, 1] = research_points(tables[0], player)
        parts[seat, 2] = threat_points(tables[0], player)
        parts[seat, 3] = dice_points(tables[0], player)
        parts[seat, 4] = tables[0].track[player.track]
        parts[seat, 5] = -unexplored(tables[0], player)
        parts[seat, 6] = player.status


@kernel
def compare(tables: Any, state: Any, one: int, other: int) -> int:
    """Positive if seat ``one`` is ahead: points, then spaces explored, then research cards; 0 for a tie."""
    ahead = score(tables, state, one) - score(tables, state, other)
    if ahead == 0:
        ahead = count_explored(state.player[one]) - count_explored(state.player[other])
    if ahead == 0:
        ahead = wide(state.player[one].cards) - wide(state.player[other].cards)
    return ahead


rank = build_rank(compare)
_margin = build_margin(score, MARGIN)
_reward = build_reward(compare, _margin)
_forfeit = build_forfeit(_margin)


@kernel
def forfeit(tables: Any, state: Any, seat: int) -> float:
    """What an illegal action is worth."""
    return FORFEIT_ALONE if tables.solo else _forfeit(tables, state, seat)


# ---------------------------------------------------------------------------------------------------------- Decisions


@kernel
def derive(tables: Any, state: Any) -> None:
    """The choices, which otherwise are found where a decision leads to the next one."""
    seat, phase = wide(state.current_player), state.phase
    player = state.player[max(seat, 0)]
    if phase == SETUP:
        state.choices = swaps(tables, player)
    elif phase == PLAN:
        state.choices = plans(tables, state, seat)
    elif phase == DIE:
        state.choices = usable_dice(tables, state, seat)
    elif phase == BOOST:
        state.choices = boosts(tables, player)
    elif phase == STEP:
        state.choices = ways(tables, player)
    elif phase == RESEARCH:
        state.choices = affordable(tables, state, seat)
    else:
        state.choices = NO_BITS


@kernel(inline=True)
def legal(tables: Any, state: Any, mask: Any) -> None:
    """Sets the legal actions of the current player: the choices, and in planning and exploring the rest token."""
    low, high = moved_up(state.choices, tables.first_choice[state.phase])
    if PLAN <= state.phase <= STEP and may_use_rest_token(state.player[state.current_player]):
        low |= bit(tables.a_rest_token)
    scatter(mask, 0, low)
    scatter(mask, 64, high)


@kernel(inline=True)
def apply(tables: Any, state: Any, action: int, rewards: Any) -> None:
    """Plays a legal action."""
    before = 0
    if tables.solo and state.phase != SETUP:  # the first reward also holds the starting score
        before = standing(tables, state.player[0])
    player = state.player[state.current_player]
    phase = state.phase
    choice = action - tables.first_choice[phase]
    if phase == SETUP:
        _set_up(tables, state, choice)
    elif action == tables.a_rest_token:
        use_rest_token(player)
    elif phase == STEP:
        if choice == LEAVE:
            leave(tables, state)
        else:
            step(tables, state, wide(tables.near[player.at, choice]))
    elif phase == PLAN:
        state.plan[state.current_player] = choice
    elif phase == DIE:
        choose_die(tables, state, choice)
    elif phase == RESEARCH:
        buy(tables, state, choice)
    elif choice == tables.boosts:
        begin_steps(tables, state, wide(0))
    else:
        boost(tables, state, wide(tables.boost[choice]))
    if state.phase == PLAN or state.phase == DIE or state.phase == RESEARCH:
        go_on(tables, state)
    if tables.solo:
        _reward_alone(tables, state, before, rewards)
    elif state.phase == OVER:
        _reward(tables, state, rewards)


@kernel
def _reward_alone(tables: Any, state: Any, before: int, rewards: Any) -> None:
    """The change of the score, settled at the end so that the return is the final score / 10, or −3 for who did not get out."""
    if state.phase == OVER and state.player[0].status != EXITED:
        rewards[0] += LOST_ALONE - before / SOLO_SCALE
    else:
        rewards[0] += (score(tables, state, wide(0)) - before) / SOLO_SCALE


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    """Shuffles the decks. In an Explore Phase, the others are put back to its start (ruling 11), to act after the seat."""
    shuffle(state.stream, state.deck[wide(state.drawn) : wide(state.deck_size)])
    shuffle(state.stream, state.threat_deck[wide(state.threats_drawn) : wide(state.threat_deck_size)])
    if DIE <= state.phase <= STEP:
        for other in range(tables.num_players):
            if other != seat:
                state.player[other] = state.before[other]
                state.acted[other] = 0
        if state.current_player != seat:
            state.phase = DIE
            state.chosen = NONE
            state.movement = 0

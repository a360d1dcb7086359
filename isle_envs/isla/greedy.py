"""A sensible beginner: plans a path for every ready die, buys what is worth its tokens, and leaves in time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isle_envs.core.bits import contains, count_bits, exclude, include, wide
from isle_envs.core.kernel import kernel
from isle_envs.isla.actions import A_KEEP
from isle_envs.isla.round import spaces_to_move, usable_dice
from isle_envs.isla.sheet import (
    can_afford,
    can_enter,
    find_die,
    kept_bans,
    standing,
)
from isle_envs.isla.state import (
    BOULDER,
    CELLS,
    DICE,
    EXPLORE,
    FIRST_BONUS,
    LEFT,
    MOVE,
    NO_CELL,
    NONE,
    PLACE,
    PLAN,
    POOL,
    RESEARCH,
    REST,
    REST_TOKEN,
    SETUP,
    SPECIES,
    STUDY,
    WORDS,
)

# What things are worth, in points; found by simulation of solo games.
TOKEN_WORTH = np.array([1.3, 1.55, 2.45, 1.9])  # flora, fauna, fossil, rest
REFRESH_WORTH = 0.45  # of a space that a refreshed die goes
ROOM_WORTH = 0.6  # of a space that may still be explored
TIGHT_WORTH = 0.15  # of leaving no way open beside the path
EXIT_WORTH = 6.0  # besides the bonus
CAUGHT_WORTH = 40.0
TOKEN_AHEAD = 0.33  # share of a token's worth while it still lies there
ICON_AHEAD = 0.26  # share of a die's average that its icon ahead adds to what the dice reach
SAFE_RISK = 0.11  # of being caught where one stays
SLACK_NEEDED = 1.5  # of the dice's reach over the way to the exit, for an even chance to get out
SLACK_STEEPNESS = 0.47  # how that chance grows
LATE, LATE_SHARE = 1, 0.2  # so many ready dice, or fewer: tokens are worth that share, and are spent on anything

_MOST_NODES = 6000  # of the search for a path
_NOTHING = -1e9


@kernel
def greedy(tables: Any, state: Any, mask: Any, stream: Any) -> int:
    """The choice; it draws nothing from ``stream``."""
    seat = wide(state.current_player)
    player = state.player[seat]
    phase = state.phase
    if phase == SETUP:
        return A_KEEP
    if mask[tables.a_rest_token] and (
        find_die(player, LEFT, False) >= DICE - 2 or usable_dice(tables, state, seat) == 0
    ):
        return wide(tables.a_rest_token)
    if phase == PLAN:
        return _choose_plan(tables, state, seat, mask)
    if phase == RESEARCH:
        slot, _ = _best_card(tables, state, seat, _is_late(tables, player))
        return wide(tables.a_research + slot)
    return _choose_move(tables, state, seat, mask)


@kernel
def _is_late(tables: Any, player: Any) -> bool:
    """Whether few dice are left, so that tokens must be spent now."""
    return count_bits(np.uint64(wide(player.ready) & ~kept_bans(tables, player))) <= LATE


@kernel
def _best_card(tables: Any, state: Any, seat: int, late: bool) -> Any:
    """The slot of the affordable card with the greatest surplus over its tokens, and the surplus; late, tokens count little."""
    best, most = NONE, 2.0 * _NOTHING
    for slot in range(POOL):
        card = wide(state.pool[slot])
        if can_afford(tables, state.player[seat], card):
            cost = 0.0
            for kind in range(SPECIES):
                cost += wide(tables.cost[card, kind]) * TOKEN_WORTH[kind]
            surplus = wide(tables.points[card]) - cost * (LATE_SHARE if late else 1.0)
            if surplus > most:
                best, most = slot, surplus
    return best, most


@kernel
def _choose_plan(tables: Any, state: Any, seat: int, mask: Any) -> int:
    player = state.player[seat]
    if not mask[tables.a_plan + EXPLORE] or _risk(tables, state, wide(player.at), False) <= SAFE_RISK:
        if mask[tables.a_plan + STUDY]:
            late = _is_late(tables, player)
            if _best_card(tables, state, seat, late)[1] >= 0.0 or not mask[tables.a_plan + EXPLORE]:
                return wide(tables.a_plan) + STUDY
        if mask[tables.a_plan + REST]:
            die = find_die(player, LEFT, False)
            if die >= DICE - 2 or not mask[tables.a_plan + EXPLORE]:
                return wide(tables.a_plan) + REST
    if mask[tables.a_plan + EXPLORE]:
        return wide(tables.a_plan) + EXPLORE
    for plan in range(3):
        if mask[tables.a_plan + plan]:
            return wide(tables.a_plan) + plan
    return wide(tables.a_rest_token)


@kernel
def _risk(tables: Any, state: Any, cell: int, rolled: bool) -> float:
    """Solo: how likely the keeper catches an explorer there in this round's Keeper Phase, by what is left in the deck."""
    if not tables.solo:
        return 0.0
    left = wide(state.deck_size) - wide(state.drawn)
    if left == 0:
        return 0.0
    down = abs(tables.row[state.keeper_at] - tables.row[cell])
    right = abs(tables.column[state.keeper_at] - tables.column[cell])
    caught = 0.0
    for k in range(wide(state.drawn), wide(state.deck_size)):
        action = tables.keeper_action[state.keeper, tables.symbol[state.deck[k]]]
        if action.action == MOVE:
            if action.what == NONE:
                caught += down + right <= wide(action.steps)
            elif rolled:
                caught += down + right <= wide(state.die[action.what])
            else:
                sides = wide(tables.sides[action.what])
                caught += max(0, sides - max(down + right, 1) + 1) / sides
        elif action.action == PLACE:
            caught += wide(action.space) == cell
    return caught / left


@kernel
def _choose_move(tables: Any, state: Any, seat: int, mask: Any) -> int:
    """The die, boost or step that begins the best path."""
    player = state.player[seat]
    best, most = NONE, 2.0 * _NOTHING
    for action in range(tables.a_die, tables.a_step):
        if not mask[action]:
            continue
        ready = wide(player.ready)
        lost = 0.0
        if action < tables.a_boost:
            die = action - tables.a_die
            movement = spaces_to_move(tables, state, seat, die, wide(0))
            ready &= ~(1 << die)
        else:
            points = wide(0)
            if action < tables.a_no_boost:
                points = wide(tables.boost[action - tables.a_boost])
            lost = points
            movement = spaces_to_move(tables, state, seat, wide(state.chosen), points)
        value = _best_path(tables, state, seat, movement, ready)[0] - lost
        if value > most:
            best, most = action, value
    if best != NONE:
        return wide(best)
    return wide(_best_path(tables, state, seat, wide(state.movement), wide(player.ready))[1])


@kernel
def _best_path(tables: Any, state: Any, seat: int, movement: int, ready: int) -> Any:
    """The worth of the best path of so many spaces, and the action that begins it.

    Goes through paths depth first, keeps the best one for each last space, and then weighs those with regard to what comes later.
    """
    player = state.player[seat]
    cells = np.empty(64, np.int64)  # the path
    turn = np.zeros(64, np.int64)  # the next direction to try from each of its spaces
    gains = np.zeros(64)  # of the path so far
    dice = np.zeros(64, np.int64)  # that are ready
    closed = np.zeros(CELLS, np.bool_)  # spaces that cannot be entered any more
    for cell in range(tables.rows * tables.columns):
        closed[cell] = not can_enter(player, cell) or tables.terrain[cell] == NONE
    gain_at = np.full(CELLS, _NOTHING)  # of the best path ending there
    first_at = np.zeros(CELLS, np.int64)
    dice_at = np.zeros(CELLS, np.int64)
    path_at = np.zeros((CELLS, WORDS), np.uint64)
    in_hand = 0.0
    for kind in range(SPECIES + 1):
        in_hand += wide(player.hand[kind]) * TOKEN_WORTH[kind]
    path = np.zeros(WORDS, np.uint64)
    if tables.solo and state.keeper_at < tables.rows * tables.columns:
        include(path, wide(state.keeper_at))  # no way through the keeper
    best, action = _NOTHING, NONE
    depth = 0
    cells[0], dice[0] = player.at, ready
    for _ in range(_MOST_NODES):
        cell = cells[depth]
        left = movement - depth
        first = tables.a_step + turn[0] - 1 if depth > 0 else tables.a_leave
        if turn[depth] == 0 and cell == tables.exit and left > 0:
            value = depth + _worth_of_leaving(tables, left, dice[depth]) - in_hand  # tokens, found or held, are lost
            if value > best:
                best, action = value, first
        forward = False
        if left > 0:
            while turn[depth] < 4 and not forward:
                near = wide(tables.near[cell, turn[depth]])
                turn[depth] += 1
                if near != NO_CELL and not closed[near] and not (tables.solo and near == state.keeper_at):
                    forward = True
                    closed[near] = True
                    include(path, near)
                    depth += 1
                    cells[depth], turn[depth] = near, 0
                    gains[depth], dice[depth] = _step_gain(tables, player, near, dice[depth - 1], closed)
                    gains[depth] += gains[depth - 1]
        if forward:
            continue
        if depth > 0 and (left == 0 or _is_stuck(tables, cell, closed)) and (left == 0 or cell != tables.exit):
            if gains[depth] > gain_at[cell]:
                gain_at[cell], first_at[cell], dice_at[cell] = gains[depth], first, dice[depth]
                path_at[cell] = path
        if depth == 0:
            break
        closed[cell] = False
        exclude(path, cell)
        depth -= 1
    for cell in range(tables.rows * tables.columns):
        if gain_at[cell] > _NOTHING:
            value = gain_at[cell] + _worth_of_staying(tables, state, seat, cell, dice_at[cell], path_at[cell])
            if value > best:
                best, action = value, first_at[cell]
    if action == NONE:  # every step leads to the keeper, or the search was cut short
        for direction in range(4):
            if can_enter(player, wide(tables.near[player.at, direction])):
                action = tables.a_step + direction
    return best, action


@kernel
def _is_stuck(tables: Any, cell: int, closed: Any) -> bool:
    for direction in range(4):
        near = wide(tables.near[cell, direction])
        if near != NO_CELL and not closed[near]:
            return False
    return True


@kernel
def _step_gain(tables: Any, player: Any, cell: int, ready: int, closed: Any) -> Any:
    """What entering a space brings, and the dice that are then ready."""
    gain = 1.0
    die = wide(tables.icon[cell])
    if die != NONE and ready >> die & 1 == 0:
        ready |= 1 << die
        gain += REFRESH_WORTH * (tables.sides[die] + 1) / 2
    highlight = wide(tables.highlight_at[cell])
    if highlight != NONE:
        gain += TOKEN_WORTH[player.token[highlight]]
    for direction in range(4):
        near = wide(tables.near[cell, direction])
        if near != NO_CELL and not closed[near]:
            gain -= TIGHT_WORTH
    return gain, ready


@kernel
def _worth_of_leaving(tables: Any, left: int, ready: int) -> float:
    points = FIRST_BONUS + tables.track[min(left, wide(tables.track_length))]
    for die in range(DICE):
        points += tables.die_points[die] * (ready >> die & 1)
    return float(points)


@kernel
def _is_open(player: Any, path: Any, cell: int) -> bool:
    """Whether a space can be entered after a path."""
    return can_enter(player, cell) and not contains(path, cell)


@kernel
def _distance(tables: Any, player: Any, path: Any, at: int) -> int:
    """How many steps the exit is away, or NONE if it cannot be reached."""
    distance = np.full(CELLS, NONE)
    queue = np.empty(CELLS, np.int64)
    queue[0] = at
    distance[at] = 0
    head, tail = 0, 1
    while head < tail and distance[tables.exit] == NONE:
        cell = queue[head]
        head += 1
        for direction in range(4):
            near = wide(tables.near[cell, direction])
            if near != NO_CELL and distance[near] == NONE and _is_open(player, path, near):
                distance[near] = distance[cell] + 1
                queue[tail] = near
                tail += 1
    return wide(distance[tables.exit])


@kernel
def _on_the_way(tables: Any, player: Any, path: Any, at: int) -> Any:
    """What lies on paths to the exit that never cross themselves: spaces of tokens of icons.

    With an edge between the explorer and the exit these are the spaces of that edge's biconnected component (Hopcroft and Tarjan).
    """
    order = np.zeros(CELLS, np.int64)  # 1, 2, … in order of discovery
    low = np.zeros(CELLS, np.int64)
    turn = np.zeros(CELLS, np.int64)
    above = np.zeros(CELLS, np.int64)
    spaces = np.zeros(CELLS)
    tokens = np.zeros(CELLS)
    icons = np.zeros(CELLS)
    goal = wide(tables.exit)
    order[at] = 1
    count, cell = 2, goal
    order[cell], low[cell], above[cell], spaces[cell] = count, count, at, 1.0
    while True:
        if turn[cell] < 4:
            near = wide(tables.near[cell, turn[cell]])
            turn[cell] += 1
            if near == NO_CELL or (near == above[cell] and cell != goal):
                continue
            if order[near] > 0:
                if cell != goal or near != at:
                    low[cell] = min(low[cell], order[near])
            elif _is_open(player, path, near):
                count += 1
                order[near], low[near], above[near], spaces[near] = count, count, cell, 1.0
                highlight = wide(tables.highlight_at[near])
                if highlight != NONE and player.token[highlight] != BOULDER:
                    tokens[near] = TOKEN_WORTH[player.token[highlight]]
                if tables.icon[near] != NONE:
                    icons[near] = (tables.sides[tables.icon[near]] + 1) / 2
                cell = near
            continue
        if cell == goal:
            return spaces[goal], tokens[goal], icons[goal]
        parent = above[cell]
        if low[cell] < order[parent]:
            spaces[parent] += spaces[cell]
            tokens[parent] += tokens[cell]
            icons[parent] += icons[cell]
            low[parent] = min(low[parent], low[cell])
        cell = parent


@kernel
def _worth_of_staying(tables: Any, state: Any, seat: int, at: int, ready: int, path: Any) -> float:
    """What may still be explored from there, and the chance to get out or be caught."""
    player = state.player[seat]
    distance = _distance(tables, player, path, at)
    reach = 0.0  # how far the dice may still go
    usable = ready & ~kept_bans(tables, player)
    for die in range(DICE):
        if usable >> die & 1 == 1:
            reach += (tables.sides[die] + 1) / 2
    if player.rested == 0:
        reach += 3.5
    if player.hand[REST_TOKEN] > 0:
        reach += 3.5
    value, chance = 0.0, 0.0
    if distance != NONE:
        if distance > 0:
            spaces, tokens, icons = _on_the_way(tables, player, path, at)
            value = ROOM_WORTH * min(spaces, reach + ICON_AHEAD * icons)
            value += TOKEN_AHEAD * tokens
        slack = reach - distance - SLACK_NEEDED
        chance = 1.0 / (1.0 + math.exp(-SLACK_STEEPNESS * slack))
    lost = 30.0 + standing(tables, player) + 25.0 if tables.solo else 3.0
    value += chance * (FIRST_BONUS + EXIT_WORTH) - (1.0 - chance) * max(lost, 5.0)
    return float(value - _risk(tables, state, at, True) * CAUGHT_WORTH)

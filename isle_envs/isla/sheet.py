"""A player's map sheet: spaces, dice, map tokens, and what they score (rulebook, "Token Types" to "End Scoring")."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, contains, count_bits, include, lowest, wide
from isle_envs.core.kernel import kernel
from isle_envs.isla.state import (
    ANY,
    CELLS,
    DICE,
    DIRECTIONS,
    EXITED,
    EXPLORED,
    FIRST_BONUS,
    HOLDING,
    LEAVE,
    LEFT,
    NO_CELL,
    NONE,
    OWNED,
    POINTS,
    RESEARCHED,
    REST_TOKEN,
    SECOND_BONUS,
    SPECIES,
    UNEXPLORED,
    WORD_BITS,
    WORDS,
)

# ------------------------------------------------------------------------------------------------------------- Spaces


@kernel(inline=True)
def is_explored(player: Any, cell: int) -> bool:
    """Whether a space is marked with the pen."""
    return contains(player.explored, cell)


@kernel(inline=True)
def mark(player: Any, cell: int) -> None:
    """Marks a space with the pen."""
    include(player.explored, cell)


@kernel
def count_explored(player: Any) -> int:
    """How many spaces are marked."""
    count = 0
    for word in range(WORDS):
        count += count_bits(player.explored[word])
    return count


@kernel(inline=True)
def can_enter(player: Any, cell: int) -> bool:
    """Whether a space is there, not explored, and without a boulder; ``cell`` may be NO_CELL."""
    word = player.explored[min(cell // WORD_BITS, WORDS - 1)]  # all is looked up, and nothing decided by a branch
    return bool((cell != NO_CELL) & (cell != player.boulder) & (word >> np.uint64(cell % WORD_BITS) & ONE == NO_BITS))


@kernel(inline=True)
def ways(tables: Any, player: Any) -> int:
    """How the explorer can go on: the set of directions of neighbouring spaces that can be entered, and LEAVE on the exit space."""
    found = wide(player.at == tables.exit) << LEAVE
    for direction in range(DIRECTIONS):
        found |= wide(can_enter(player, wide(tables.near[player.at, direction]))) << direction
    return found


# --------------------------------------------------------------------------------------------------------------- Dice


@kernel(inline=True)
def is_ready(player: Any, die: int) -> bool:
    """Whether a die is not exhausted."""
    return wide(player.ready) >> die & 1 == 1


@kernel(inline=True)
def exhaust_die(player: Any, die: int) -> None:
    """Covers a die's icon."""
    player.ready = wide(player.ready) & ~(1 << die)


@kernel(inline=True)
def refresh_die(player: Any, die: int) -> None:
    """Uncovers a die's icon; nothing happens if it is not covered."""
    player.ready = wide(player.ready) | 1 << die


@kernel
def find_die(player: Any, which: int, ready: bool) -> int:
    """The die that is meant: itself, or for LEFT and RIGHT the left-most or right-most one; NONE if it is not ``ready`` as asked."""
    if which < DICE:
        return which if is_ready(player, which) == ready else NONE
    for k in range(DICE):
        die = k if which == LEFT else DICE - 1 - k
        if is_ready(player, die) == ready:
            return die
    return NONE


@kernel(inline=True)
def kept_bans(tables: Any, player: Any) -> int:
    """The set of dice that kept threats forbid."""
    dice = 0
    rest = player.kept & tables.ban_threats
    while rest != NO_BITS:
        dice |= 1 << wide(tables.threat[lowest(rest)].what)
        rest &= rest - ONE
    return dice


@kernel(inline=True)
def kept_slows(tables: Any, player: Any) -> int:
    """By how much kept threats slow the explorer."""
    amount = 0
    rest = player.kept & tables.slow_threats
    while rest != NO_BITS:
        amount += wide(tables.threat[lowest(rest)].amount)
        rest &= rest - ONE
    return amount


# ------------------------------------------------------------------------------------------------------------- Tokens


@kernel(inline=True)
def may_use_rest_token(player: Any) -> bool:
    """Ruling 3: a rest token in hand, and an exhausted die."""
    return bool(player.hand[REST_TOKEN] > 0 and player.ready != (1 << DICE) - 1)


@kernel
def use_rest_token(player: Any) -> None:
    """Discards it and refreshes the left-most exhausted die."""
    player.hand[REST_TOKEN] -= 1
    refresh_die(player, find_die(player, LEFT, False))


@kernel(inline=True)
def enter(tables: Any, player: Any, cell: int) -> None:
    """Marks the space, refreshes the die of its icon, and picks up its token."""
    player.at = cell
    mark(player, cell)
    player.ready |= tables.refreshed[cell]
    highlight = wide(tables.highlight_at[cell])
    if highlight != NONE:
        player.hand[player.token[highlight]] += 1


@kernel(inline=True)
def can_afford(tables: Any, player: Any, card: int) -> bool:
    """Whether the species tokens in hand pay a research card; ``card`` may be NONE.

    Nine tokens buy nine cards at most; a position from elsewhere that could buy another does not.
    """
    pays = bool((card != NONE) & (player.cards != OWNED))
    for kind in range(SPECIES):
        pays &= bool(player.hand[kind] >= tables.cost[max(card, 0), kind])
    return pays


# ------------------------------------------------------------------------------------------------------------ Scoring


@kernel
def research_points(tables: Any, player: Any) -> int:
    """Research Cards: the points printed on those collected."""
    points = 0
    for k in range(wide(player.cards)):
        points += wide(tables.points[player.card[k]])
    return points


@kernel
def threat_points(tables: Any, player: Any) -> int:
    """Threat Cards: what is printed on those kept."""
    points = 0
    rest = player.kept
    while rest != NO_BITS:
        threat = lowest(rest)
        rest &= rest - ONE
        effect, what = wide(tables.threat[threat].effect), wide(tables.threat[threat].what)
        times = 0
        if effect == POINTS:
            times = 1
        elif effect in (EXPLORED, UNEXPLORED):
            for word in range(WORDS):
                marked = player.explored[word]
                times += count_bits(tables.terrain_spaces[what, word] & (marked if effect == EXPLORED else ~marked))
        elif effect == HOLDING:
            for kind in range(SPECIES):
                if what in (ANY, kind):
                    times += wide(player.hand[kind])
        elif effect == RESEARCHED:
            times = wide(player.cards)
        points += times * wide(tables.threat[threat].amount)
    return points


@kernel
def dice_points(tables: Any, player: Any) -> int:
    """Unused Dice: the points of each die that is not exhausted."""
    points = 0
    for die in range(DICE):
        if is_ready(player, die):
            points += tables.die_points[die]
    return points


@kernel
def unexplored(tables: Any, player: Any) -> int:
    """Unexplored Spaces: those not marked, the boulder's among them."""
    return wide(tables.spaces) - count_explored(player)


@kernel
def standing(tables: Any, player: Any) -> int:
    """The score as it would be counted now, without the exit bonus."""
    points = research_points(tables, player) + threat_points(tables, player) + dice_points(tables, player)
    return points + wide(tables.track[player.track]) - unexplored(tables, player)


@kernel
def exit_bonus(tables: Any, state: Any, seat: int) -> int:
    """Exit Bonus: 5 for all who left in the first round in which anyone left, 3 in the next such round (ruling 8)."""
    number = wide(state.player[seat].exit_round)
    if state.player[seat].status != EXITED:
        return 0
    first, second = 10 * CELLS, 10 * CELLS
    for other in range(tables.num_players):
        if state.player[other].status == EXITED:
            left = wide(state.player[other].exit_round)
            if left < first:
                first, second = left, first
            elif first < left < second:
                second = left
    if number == first:
        return FIRST_BONUS
    return SECOND_BONUS if number == second else 0

"""What a player sees, from its own seat: own things first, then the others in turn order."""

from __future__ import annotations

from typing import Any

import numpy as np

from isle_envs.core.bits import NO_BITS, ONE, bit, count_bits, lowest, wide, wrapped
from isle_envs.core.kernel import kernel
from isle_envs.core.observation import ObservationBlock, ObservationSpace
from isle_envs.isla.round import spaces_to_move, usable_dice
from isle_envs.isla.sheet import (
    can_afford,
    exit_bonus,
    is_explored,
    is_ready,
    kept_bans,
    kept_slows,
    standing,
    unexplored,
)
from isle_envs.isla.state import (
    DICE,
    DIE,
    EXITED,
    FREE_PLANE,
    HIGHLIGHTS,
    KIND_WORDS,
    KINDS,
    LONGEST,
    MOST_CARDS,
    MOST_POINTS,
    MOST_ROUNDS,
    MOST_SIDES,
    MOST_THREATS,
    MOST_TOKENS,
    MOST_TRACK,
    NONE,
    OWNED,
    PHASES,
    PLANS,
    POOL,
    SPECIES,
    STATUSES,
    STEP,
    TERRAIN_WORDS,
    TERRAINS,
    WORD_BITS,
    WORDS,
)

MOST = 127  # of an int8


def observation_space(num_players: int, tables: np.record) -> ObservationSpace:
    """The layout for so many players and the component file's sizes."""
    n, solo, block = num_players, num_players == 1, ObservationBlock
    sheet = (int(tables.rows), int(tables.columns))
    cards, symbols, boosts = int(tables.cards), int(tables.symbols), int(tables.boosts)
    fastest = MOST_SIDES + MOST_POINTS
    blocks = [
        block("terrain", (TERRAINS, *sheet), 0, 1, "the spaces of each terrain: " + ", ".join(TERRAIN_WORDS)),
        block("icons", (DICE, *sheet), 0, 1, "the spaces that refresh each die"),
        block("start", sheet, 0, 1, "the start space"),
        block("exit", sheet, 0, 1, "the exit space"),
        block("sea", sheet, 0, 1, "cells that are no spaces"),
        block("free", sheet, 0, 1, "the spaces that the own explorer may still enter"),
        block("tokens", (n, KINDS, *sheet), 0, 1, "each player's map tokens not taken: " + ", ".join(KIND_WORDS)),
        block("explored", (n, *sheet), 0, 1, "the spaces that each player has explored"),
        block("explorers", (n, *sheet), 0, 1, "where each explorer is"),
    ]
    if solo:
        blocks.append(block("keeper", sheet, 0, 1, "where the keeper is"))
    blocks += [
        block("phase", (len(PHASES),), 0, 1, "what is decided next: " + ", ".join(PHASES)),
        block("seat", (n,), 0, 1, "the observing seat, seat 0 first"),
        block("current_player", (n,), 0, 1, "whose decision it is; none when the game is over"),
        block("first_player", (n,), 0, 1, "who has the first-player card"),
        block("round", (1,), 0, MOST_ROUNDS, "the number of the round"),
        block("dice", (DICE,), 0, MOST_SIDES, "what the dice show; zeros before the first roll"),
        block("usable", (DICE,), 0, 1, "the own dice that are neither exhausted nor banned"),
        block("reach", (DICE,), 0, MOST_SIDES, "how far each usable die goes, slows counted, without a boost"),
        block("chosen", (DICE,), 0, 1, "the die chosen in this exploration"),
        block("movement", (1,), 0, fastest, "spaces left to move"),
        block("at", (n, 2), 0, LONGEST - 1, "row and column of each explorer"),
        block("ready", (n, DICE), 0, 1, "each player's dice that are not exhausted"),
        block("banned", (n, DICE), 0, 1, "those that threats forbid now"),
        block("slow", (n,), 0, MOST, "by how much threats slow each player now; at most 127 is shown"),
        block("hand", (n, SPECIES + 1), 0, MOST_TOKENS, "tokens in hand: flora, fauna, fossil, rest"),
        block("rested", (n,), 0, 1, "who has marked the Rest Box"),
        block("plan", (n, len(PLANS)), 0, 1, "each player's plan for the round: " + ", ".join(PLANS)),
        block("acted", (n,), 0, 1, "whose exploration of this round is over; while others explore, only the own"),
        block("status", (n, len(STATUSES)), 0, 1, "how each player stands: " + ", ".join(STATUSES)),
        block("track", (n,), 0, MOST_TRACK, "spaces gone on the exit track"),
        block("exit_round", (n,), 0, MOST_ROUNDS, "the round in which each player left; 0: has not"),
        block("cards", (n, boosts), 0, OWNED, "research cards owned, by points, ascending"),
        block("unexplored", (n,), 0, MOST, "spaces not explored; at most 127 are shown"),
        block("score", (n,), -MOST, MOST, "points as they would be counted now, within ±127"),
        block(
            "pool_cost", (POOL, SPECIES), 0, MOST_TOKENS, "what each card of the pool costs; slot 0 is next to the deck"
        ),
        block("pool_points", (POOL,), 0, MOST_POINTS, "its points"),
        block("pool_symbol", (POOL, symbols), 0, 1, "its symbol; none in an empty slot"),
        block("affordable", (POOL,), 0, 1, "whether the own tokens pay it"),
        block("deck", (1,), 0, MOST_CARDS, "research cards left in the deck"),
        block("deck_symbols", (symbols,), 0, MOST_CARDS, "how many of them have each symbol"),
        block("deck_cards", (cards,), 0, 1, "which they are"),
        block("discards", (cards,), 0, 1, "research cards discarded, an own one just returned among them"),
    ]
    if solo:
        blocks += [
            block("keeper_name", (int(tables.keepers),), 0, 1, "which keeper it is"),
            block("keeper_offset", (2,), -LONGEST, LONGEST, "rows and columns from the explorer to the keeper"),
        ]
    else:
        threats = int(tables.threats)
        blocks += [
            block("threats", (n, threats), 0, 1, "the threats that each player keeps"),
            block("threat_deck", (threats,), 0, MOST_THREATS, "copies of each threat left in the deck"),
            block("threat_discards", (threats,), 0, MOST_THREATS, "copies of each threat discarded"),
        ]
    return ObservationSpace(blocks)


@kernel
def observe(tables: Any, state: Any, seat: int, out: Any) -> None:
    """Writes the raw observation of ``seat``; ``out`` is int8 ``(size,)`` and all zeros."""
    n = tables.num_players
    size = tables.rows * tables.columns
    own = state.player[seat]
    exploring = DIE <= state.phase <= STEP
    at = (FREE_PLANE + 1) * size
    for k in range(at):  # a loop: numba copies a slice by way of a new array
        out[k] = tables.planes[k]
    free = at - size
    for word in range(WORDS):
        rest = own.explored[word]
        while rest != NO_BITS:
            out[free + WORD_BITS * word + lowest(rest)] = 0
            rest &= rest - ONE
    out[free + wide(own.boulder)] = 0
    for k in range(n):
        other = wrapped(seat + k, n)
        player = state.player[other]
        if exploring and k > 0:  # ruling 11: as they stood when the phase began
            player = state.before[other]
        _observe_sheet(tables, player, out[at + k * KINDS * size :], out[at + (n * KINDS + k) * size :])
        out[at + (n * (KINDS + 1) + k) * size + wide(player.at)] = 1
    at += n * (KINDS + 2) * size
    if tables.solo:
        out[at + wide(state.keeper_at)] = 1
        at += size

    mine = not exploring or state.current_player == seat  # else what the explorer is about is not seen
    out[at + (wide(state.phase) if mine else DIE)] = 1
    at += len(PHASES)
    out[at + seat] = 1
    at += n
    if state.current_player >= 0:
        out[at + wrapped(wide(state.current_player) - seat + n, n)] = 1
    at += n
    out[at + wrapped(wide(state.first_player) - seat + n, n)] = 1
    at += n
    out[at] = state.round_number
    at += 1
    usable = usable_dice(tables, state, seat)
    for die in range(DICE):
        out[at + die] = state.die[die]
        if usable >> die & 1 == 1:
            out[at + DICE + die] = 1
            if state.die[die] > 0:
                out[at + 2 * DICE + die] = spaces_to_move(tables, state, seat, die, wide(0))
    at += 3 * DICE
    if mine:
        if state.chosen != NONE:
            out[at + state.chosen] = 1
        out[at + DICE] = state.movement
    at += DICE + 1
    for k in range(n):
        other = wrapped(seat + k, n)
        player = state.player[other]
        if exploring and k > 0:
            player = state.before[other]
        _observe_player(tables, state, other, player, n, k, out[at:])
    at += n * (2 + 2 * DICE + 1 + SPECIES + 1 + 1 + len(PLANS) + 1 + len(STATUSES) + 2 + tables.boosts + 2)
    at += _observe_cards(tables, state, own, out[at:])
    if tables.solo:
        out[at + state.keeper] = 1
        at += tables.keepers
        out[at] = tables.row[state.keeper_at] - tables.row[own.at]
        out[at + 1] = tables.column[state.keeper_at] - tables.column[own.at]
    else:
        at += n * tables.threats
        for k in range(wide(state.threats_drawn), wide(state.threat_deck_size)):
            out[at + wide(state.threat_deck[k])] += 1
        at += tables.threats
        for threat in range(tables.threats):
            out[at + threat] = state.threat_discards[threat]
        at -= (n + 1) * tables.threats
        for k in range(n):
            rest = state.player[wrapped(seat + k, n)].kept
            while rest != NO_BITS:
                out[at + k * tables.threats + lowest(rest)] = 1
                rest &= rest - ONE


@kernel
def _observe_sheet(tables: Any, player: Any, tokens: Any, explored: Any) -> None:
    """A player's planes of tokens, and that of explored spaces."""
    size = tables.rows * tables.columns
    for highlight in range(HIGHLIGHTS):
        cell = wide(tables.highlight[highlight])
        if not is_explored(player, cell):
            tokens[size * wide(player.token[highlight]) + cell] = 1
    for word in range(WORDS):
        rest = player.explored[word]
        while rest != NO_BITS:
            explored[WORD_BITS * word + lowest(rest)] = 1
            rest &= rest - ONE


@kernel
def _observe_player(tables: Any, state: Any, seat: int, player: Any, n: int, k: int, out: Any) -> None:
    """What belongs to the k-th player of n, block by block."""
    at = 2 * k
    out[at] = tables.row[player.at]
    out[at + 1] = tables.column[player.at]
    start = 2 * n
    bans = kept_bans(tables, player) | wide(state.banned[seat])
    for die in range(DICE):
        out[start + DICE * k + die] = is_ready(player, die)
        out[start + DICE * (n + k) + die] = bans >> die & 1
    start += 2 * DICE * n
    out[start + k] = min(kept_slows(tables, player) + wide(state.slow[seat]), MOST)
    start += n
    for kind in range(SPECIES + 1):
        out[start + (SPECIES + 1) * k + kind] = player.hand[kind]
    start += (SPECIES + 1) * n
    out[start + k] = player.rested
    start += n
    if state.plan[seat] != NONE:
        out[start + len(PLANS) * k + state.plan[seat]] = 1
    start += len(PLANS) * n
    if k == 0 or not DIE <= state.phase <= STEP:
        out[start + k] = state.acted[seat]
    start += n
    out[start + len(STATUSES) * k + wide(player.status)] = 1
    start += len(STATUSES) * n
    out[start + k] = player.track
    out[start + n + k] = player.exit_round
    start += 2 * n
    for card in range(wide(player.cards)):
        out[start + tables.boosts * k + tables.boost_index[tables.points[player.card[card]]]] += 1
    start += tables.boosts * n
    out[start + k] = min(unexplored(tables, player), MOST)
    points = standing(tables, player)
    if player.status == EXITED:
        points += exit_bonus(tables, state, seat)
    out[start + n + k] = max(-MOST, min(points, MOST))


@kernel
def _observe_cards(tables: Any, state: Any, own: Any, out: Any) -> int:
    """The pool, the deck and the discards; returns how many values they take."""
    symbols = tables.symbols
    points, symbol = POOL * SPECIES, POOL * (SPECIES + 1)
    affordable = symbol + POOL * symbols
    for slot in range(POOL):
        card = wide(state.pool[slot])
        if card != NONE:
            for kind in range(SPECIES):
                out[SPECIES * slot + kind] = tables.cost[card, kind]
            out[points + slot] = tables.points[card]
            out[symbol + symbols * slot + wide(tables.symbol[card])] = 1
            out[affordable + slot] = can_afford(tables, own, card)
    at = affordable + POOL
    out[at] = wide(state.deck_size) - wide(state.drawn)
    deck = NO_BITS
    for k in range(wide(state.drawn), wide(state.deck_size)):
        card = wide(state.deck[k])
        deck |= bit(card)
        out[at + 1 + symbols + card] = 1
    for s in range(symbols):
        out[at + 1 + s] = count_bits(deck & tables.symbol_cards[s])
    at += 1 + symbols + tables.cards
    rest = state.discards
    if own.boosted != NONE:
        rest |= bit(wide(own.boosted))
    while rest != NO_BITS:
        out[at + lowest(rest)] = 1
        rest &= rest - ONE
    return wide(at + tables.cards)

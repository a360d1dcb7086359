"""Positions of Isla as JSON-ready dictionaries, and back. The fields are listed in the game's README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isle_envs.core.describing import Reader, describe_stream, read_stream, require_game
from isle_envs.isla.state import (
    BOULDER,
    CELLS,
    DICE,
    DIE,
    ENDS,
    EXITED,
    HIGHLIGHTS,
    KIND_WORDS,
    LONGEST,
    MOST_CARDS,
    MOST_POINTS,
    MOST_SIDES,
    MOST_THREATS,
    MOST_TOKENS,
    NO_CELL,
    NONE,
    OWNED,
    PHASES,
    PLANS,
    POOL,
    SPECIES,
    STATE,
    STATUSES,
    STEP,
)


def is_exploring(phase: int) -> bool:
    """Whether an Explore Phase is going on."""
    return DIE <= phase <= STEP


def _bits(value: int) -> list[int]:
    return [k for k in range(value.bit_length()) if value >> k & 1]


def _cells(words: Sequence[Any], columns: int) -> list[list[int]]:
    return [list(divmod(64 * k + cell, columns)) for k, word in enumerate(words) for cell in _bits(int(word))]


def _optional(value: int) -> int | None:
    return None if value == NONE else int(value)


def describe(tables: np.record, state: np.record, seat: int | None, keepers: Sequence[str]) -> dict[str, Any]:
    """See :meth:`isle_envs.core.game.Game.describe`."""
    n, phase = int(tables.num_players), int(state.phase)
    exploring = is_exploring(phase)
    mine = seat is None or not exploring or state.current_player == seat
    players = [_describe_player(tables, state.player[other]) for other in range(n)]
    before = [_describe_player(tables, state.before[other]) for other in range(n)] if exploring else None
    result: dict[str, Any] = {
        "game": "isla",
        "num_players": n,
        "phase": PHASES[phase if mine else DIE],
        "current_player": _optional(state.current_player),
        "first_player": int(state.first_player),
        "round": int(state.round_number),
        "dice": list(map(int, state.die)) if state.die[0] else None,
        "players": players,
        "round_state": [
            {
                "plan": None if state.plan[other] == NONE else PLANS[state.plan[other]],
                "acted": bool(state.acted[other]),
                "banned": _bits(int(state.banned[other])),
                "slow": int(state.slow[other]),
            }
            for other in range(n)
        ],
        "before": before,
        "explore": {"die": _optional(state.chosen), "movement": int(state.movement)} if exploring and mine else None,
        "pool": [_optional(card) for card in state.pool],
        "deck": list(map(int, state.deck[state.drawn : state.deck_size])),
        "discards": _bits(int(state.discards)),
        "threat_deck": list(map(int, state.threat_deck[state.threats_drawn : state.threat_deck_size])),
        "threat_discards": [
            threat for threat in range(int(tables.threats)) for _ in range(int(state.threat_discards[threat]))
        ],
        "keeper": {"name": keepers[state.keeper], "at": list(divmod(int(state.keeper_at), int(tables.columns)))}
        if tables.solo
        else None,
        "end": ENDS[state.end] or None,
        "stream": describe_stream(state.stream),
    }
    if seat is not None:
        result["deck"] = len(result["deck"])
        result["threat_deck"] = len(result["threat_deck"])
        if before is not None:
            result["players"] = [players[other] if other == seat else before[other] for other in range(n)]
            for other in range(n):
                result["round_state"][other]["acted"] &= other == seat
        del result["before"], result["stream"]
    return result


def _describe_player(tables: np.record, player: np.record) -> dict[str, Any]:
    columns = int(tables.columns)

    def is_taken(cell: int) -> bool:
        return bool(int(player.explored[cell // 64]) >> cell % 64 & 1)

    return {
        "at": list(divmod(int(player.at), columns)),
        "explored": _cells(player.explored, columns),
        "tokens": [
            None if is_taken(int(cell)) else KIND_WORDS[kind]
            for cell, kind in zip(tables.highlight, player.token, strict=True)
        ],
        "hand": {kind: int(player.hand[k]) for k, kind in enumerate(KIND_WORDS[:BOULDER])},
        "ready": _bits(int(player.ready)),
        "rested": bool(player.rested),
        "cards": list(map(int, player.card[: player.cards])),
        "threats": _bits(int(player.kept)),
        "boosted": _optional(player.boosted),
        "status": STATUSES[player.status],
        "exit_round": int(player.exit_round) or None,
        "track": int(player.track),
    }


def undescribe(tables: np.record, description: Mapping[str, Any], keepers: Sequence[str]) -> np.recarray[Any, Any]:
    """See :meth:`isle_envs.core.game.Game.undescribe`. Cards and tokens need not add up: a test may set up any position."""
    read = Reader(description)
    n = int(tables.num_players)
    require_game(read, game="isla", num_players=n)
    plain = np.zeros(1, STATE)
    state = plain.view(np.recarray)[0]
    read_stream(description, state)
    state.phase = read["phase"].choice(PHASES)
    exploring = is_exploring(int(state.phase))
    state.current_player = read["current_player"].optional(0, n - 1)
    state.first_player = read["first_player"].integer(0, n - 1)
    state.round_number = read["round"].integer(1, int(tables.round_limit))
    dice = read["dice"]
    if dice.value is not None:
        state.die[:] = [die.integer(1, int(sides)) for die, sides in zip(dice.items(DICE), tables.sides, strict=True)]
    for seat, player in enumerate(read["players"].items(n)):
        _read_player(tables, player, state.player[seat])
    if exploring:
        for seat, player in enumerate(read["before"].items(n)):
            _read_player(tables, player, state.before[seat])
    elif read["before"].value is not None:
        raise read["before"].fail("None outside an Explore Phase")
    state.plan[:] = NONE
    for seat, own in enumerate(read["round_state"].items(n)):
        state.plan[seat] = NONE if own["plan"].value is None else own["plan"].choice(PLANS)
        state.acted[seat] = own["acted"].boolean()
        state.banned[seat] = _read_set(own["banned"], DICE)
        state.slow[seat] = own["slow"].integer(0, DICE * MOST_POINTS)
    state.chosen = NONE
    if exploring:
        state.chosen = read["explore"]["die"].optional(0, DICE - 1)
        state.movement = read["explore"]["movement"].integer(0, MOST_SIDES + MOST_POINTS)
    elif read["explore"].value is not None:
        raise read["explore"].fail("None outside an Explore Phase")
    _read_cards(tables, read, state)
    _read_keeper(tables, read["keeper"], state, keepers)
    end = read["end"]
    state.end = 0 if end.value is None else end.choice(ENDS)
    return plain.view(np.recarray)


def _read_set(numbers: Reader, size: int) -> int:
    return sum(1 << k for k in {item.integer(0, size - 1) for item in numbers.items(most=size)})


def _read_cell(tables: np.record, place: Reader, any_cell: bool = False) -> int:
    row, column = (item.integer(0, LONGEST - 1) for item in place.items(2))
    cell = row * int(tables.columns) + column
    inside = row < tables.rows and column < tables.columns
    if not inside or (tables.terrain[cell] == NONE and not any_cell):
        raise place.fail("[row, column] of a " + ("cell of the map" if any_cell else "space"))
    return cell


def _read_player(tables: np.record, read: Reader, player: np.record) -> None:
    player.at = _read_cell(tables, read["at"])
    for place in read["explored"].items(most=CELLS):
        cell = _read_cell(tables, place)
        player.explored[cell // 64] |= np.uint64(1 << cell % 64)
    left = list(map(int, tables.token_count))
    taken = []
    for highlight, token in enumerate(read["tokens"].items(HIGHLIGHTS)):
        cell = int(tables.highlight[highlight])
        if (int(player.explored[cell // 64]) >> cell % 64 & 1) != (token.value is None):
            raise token.fail("None exactly where the space is explored")
        if token.value is None:
            taken.append(highlight)
        else:
            kind = token.choice(KIND_WORDS)
            player.token[highlight] = kind
            left[kind] -= 1
            if kind == BOULDER:
                player.boulder = cell
    if min(left) < 0 or left[BOULDER] != 0:
        raise read["tokens"].fail("no more of a kind than there are, the boulder among them")
    kinds = [kind for kind, count in enumerate(left) for _ in range(count)]  # what was taken, wherever it lay
    for highlight, kind in zip(taken, kinds, strict=True):
        player.token[highlight] = kind
    for kind, word in enumerate(KIND_WORDS[:BOULDER]):
        player.hand[kind] = read["hand"][word].integer(0, 1 if kind == SPECIES else MOST_TOKENS)
    player.ready = _read_set(read["ready"], DICE)
    player.rested = read["rested"].boolean()
    cards = read["cards"].items(most=OWNED)
    player.card[:] = NONE
    player.cards = len(cards)
    player.card[: len(cards)] = [card.integer(0, int(tables.cards) - 1) for card in cards]
    for threat in read["threats"].items(most=int(tables.threats)):
        player.kept |= np.uint64(1 << threat.integer(0, int(tables.threats) - 1))
    player.boosted = read["boosted"].optional(0, int(tables.cards) - 1)
    player.status = read["status"].choice(STATUSES)
    player.exit_round = read["exit_round"].optional(1, int(tables.round_limit), 0)
    player.track = read["track"].integer(0, int(tables.track_length))
    if (player.status == EXITED) != (player.exit_round > 0):
        raise read["exit_round"].fail("the round of leaving exactly for who is 'exited', else None")


def _read_cards(tables: np.record, read: Reader, state: np.record) -> None:
    cards, threats = int(tables.cards), int(tables.threats)
    for slot, card in enumerate(read["pool"].items(POOL)):
        state.pool[slot] = card.optional(0, cards - 1)
    deck = read["deck"].items(most=cards)
    state.deck_size = len(deck)
    state.deck[: len(deck)] = [card.integer(0, cards - 1) for card in deck]
    if len({int(card) for card in state.deck[: len(deck)]}) < len(deck):
        raise read["deck"].fail("a list of different cards")
    for card in read["discards"].items(most=MOST_CARDS):
        number = card.integer(0, cards - 1)
        if number in state.deck[: len(deck)]:
            raise card.fail("a card that is not in the deck")
        state.discards |= np.uint64(1 << number)
    deck = read["threat_deck"].items(most=MOST_THREATS)
    discards = read["threat_discards"].items(most=MOST_THREATS - len(deck))
    state.threat_deck_size = len(deck)
    state.threat_deck[: len(deck)] = [card.integer(0, threats - 1) for card in deck]
    for card in discards:
        state.threat_discards[card.integer(0, threats - 1)] += 1


def _read_keeper(tables: np.record, read: Reader, state: np.record, keepers: Sequence[str]) -> None:
    state.keeper, state.keeper_at = NONE, NO_CELL
    if tables.solo:
        state.keeper = read["name"].choice(keepers)
        state.keeper_at = _read_cell(tables, read["at"], True)
    elif read.value is not None:
        raise read.fail("None in a game for several players")

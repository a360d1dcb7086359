"""Isla as text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

WIDTH = 6  # of a space, at least
SHORT = {"flora": "fl", "fauna": "fa", "fossil": "fo", "rest": "re", "boulder": "##"}
LEGEND = (
    "M mountain, J jungle, S swamp, B beach, C cliff, in small letters where explored; then @ the explorer, & the keeper, ^ the exit,\n"
    "the die that the space refreshes, and its token: fl(ora), fa(una), fo(ssil), re(st), ## boulder."
)


def draw(view: dict[str, Any], components: dict[str, Any], points: Sequence[int], asks: str) -> str:
    """A picture of a (possibly partly hidden) description."""
    dice = [f"D{sides}" for sides in components["dice"]["sides"]]
    lines = [_head(view, asks)]
    sheets = [_sheet(view, seat, components) for seat in range(view["num_players"])]
    wide = max(len(line) for sheet in sheets for line in sheet)
    for left in range(0, len(sheets), 2):  # two beside each other
        lines.append("")
        for a, b in zip_longest(sheets[left], sheets[left + 1] if left + 1 < len(sheets) else [], fillvalue=""):
            lines.append(f"{a:{wide}}{b}".rstrip())
    lines += [LEGEND, "", _dice(view, dice), *_market(view, components)]
    lines += _players(view, components, dice, points)
    if view["keeper"]:
        lines += _keeper(view["keeper"], components)
    return "\n".join(lines)


def _head(view: dict[str, Any], asks: str) -> str:
    end = f" ({view['end']})" if view["end"] else ""
    return f"Isla, round {view['round']}, seat {view['first_player']} first; {asks}{end}"


def _cells(components: dict[str, Any]) -> list[list[str]]:
    return [row.split() for row in components["map"]["terrain"]]


def _sheet(view: dict[str, Any], seat: int, components: dict[str, Any]) -> list[str]:
    """A player's map sheet, with its head."""
    player = view["players"][seat]
    icons = [row.split() for row in components["map"]["icons"]]
    marks = [row.split() for row in components["map"]["marks"]]
    terrain = _cells(components)
    tokens = iter(player["tokens"])
    texts: list[list[str]] = []
    for row, cells in enumerate(terrain):
        texts.append([])
        for column, cell in enumerate(cells):
            token = next(tokens) if marks[row][column] == "o" else None
            explored = [row, column] in player["explored"]
            text = ("" if cell == "." else cell.lower() if explored else cell) + (
                ("@" if player["at"] == [row, column] and player["status"] != "exited" else "")
                + ("&" if view["keeper"] and view["keeper"]["at"] == [row, column] else "")
                + ("^" if marks[row][column] == "x" else "")
            )
            if not explored:
                text += icons[row][column].strip("-.") + SHORT.get(token or "", "")
            texts[-1].append(text)
    width = max(WIDTH, 1 + max(len(text) for row in texts for text in row))
    head = "    " + "".join(f"{column:<{width}}" for column in range(len(terrain[0])))
    lines = [f"{row:>2}  " + "".join(f"{text:<{width}}" for text in cells) for row, cells in enumerate(texts)]
    return [f"seat {seat}", head, *lines]


def _dice(view: dict[str, Any], dice: Sequence[str]) -> str:
    if view["dice"] is None:
        return "dice: not rolled yet"
    return "dice: " + ", ".join(f"{die} shows {value}" for die, value in zip(dice, view["dice"], strict=True))


def _market(view: dict[str, Any], components: dict[str, Any]) -> list[str]:
    def count(name: str) -> int:
        return view[name] if isinstance(view[name], int) else len(view[name])

    lines = [f"research pool ({count('deck')} cards in the deck):"]
    for slot, card in enumerate(view["pool"]):
        lines.append(f"  slot {slot}: {_card(components, card)}" if card is not None else f"  slot {slot}: empty")
    names = [components["research"]["cards"][card]["name"] for card in view["discards"]]
    lines.append("  discarded: " + (", ".join(names) or "none"))
    if not view["keeper"]:
        names = [components["threat"][threat]["name"] for threat in view["threat_discards"]]
        lines.append(f"threats: {count('threat_deck')} cards in the deck; discarded: " + (", ".join(names) or "none"))
    return lines


def _card(components: dict[str, Any], number: int) -> str:
    card = components["research"]["cards"][number]
    cost = " ".join(f"{card[kind]} {kind}" for kind in ("flora", "fauna", "fossil") if card[kind])
    return f"{card['name']} ({cost}: {_number(card['points'], 'point')}, {card['symbol']})"


def _number(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _threat(threat: dict[str, Any]) -> str:
    """A threat that is kept, in words."""
    effect = {
        "ban": "D{die} may not be used",
        "slow": "-{amount} movement",
        "points": "{amount} points",
        "explored": "{amount} for each {terrain} explored",
        "unexplored": "{amount} for each {terrain} unexplored",
        "holding": "{amount} for each token in hand"
        if threat.get("kind") == "any"
        else "{amount} for each {kind} in hand",
        "research": "{amount} for each research card",
    }[threat["effect"]]
    return f"{threat['name']} ({effect.format(**threat)})"


def _players(view: dict[str, Any], components: dict[str, Any], dice: Sequence[str], points: Sequence[int]) -> list[str]:
    lines = []
    for seat, player in enumerate(view["players"]):
        own = view["round_state"][seat]
        hand = ", ".join(f"{count} {kind}" for kind, count in player["hand"].items() if count) or "nothing"
        parts = [
            f"seat {seat}: {player['status']}, {_number(points[seat], 'point')}",
            f"plans to {own['plan']}" if own["plan"] else "",
            "ready " + (" ".join(dice[die] for die in player["ready"]) or "no die"),
            "banned " + " ".join(dice[die] for die in own["banned"]) if own["banned"] else "",
            f"{own['slow']} slower" if own["slow"] else "",
            f"holds {hand}",
            "has rested" if player["rested"] else "may rest",
            f"left in round {player['exit_round']}, {player['track']} on the track" if player["exit_round"] else "",
            "; ".join(_card(components, card) for card in player["cards"]),
            "; ".join(_threat(components["threat"][threat]) for threat in player["threats"]),
            f"has discarded {_card(components, player['boosted'])} to go further"
            if player["boosted"] is not None
            else "",
        ]
        lines.append("; ".join(filter(None, parts)))
        if view["explore"] and view["current_player"] == seat and view["explore"]["die"] is not None:
            movement = f", {view['explore']['movement']} spaces left" if view["explore"]["movement"] else ""
            lines.append(f"  explores with {dice[view['explore']['die']]}{movement}")
    return lines


def _keeper(keeper: dict[str, Any], components: dict[str, Any]) -> list[str]:
    entry = next(entry for entry in components["keeper"] if entry["name"] == keeper["name"])
    row, column = keeper["at"]
    lines = [f"keeper: {keeper['name']} ({entry['level']}), at row {row}, column {column}; when the card drawn shows"]
    return lines + [f"  {symbol}: {_action(action)}" for symbol, action in entry["actions"].items()]


def _action(action: dict[str, Any]) -> str:
    """A keeper's action in words."""
    if action["action"] == "move":
        steps = (
            f"as many spaces as the D{action['die']} shows" if "die" in action else _number(action["steps"], "space")
        )
        return f"moves {steps}, first to the explorer's {action['first']}"
    return {
        "nothing": "nothing happens",
        "exhaust": "the explorer's {die} die is exhausted",
        "lose": "the explorer loses a {kind} token",
        "discard_pool": "the pool is discarded",
        "place": "is put on {space}",
    }[action["action"]].format(**action)

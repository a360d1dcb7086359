"""Other component files: those words of the vocabularies that the game's own file does not use, small decks, a large map."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Components = dict[str, Any]


def words(own: Components) -> Components:
    """The game's own file with other effects of the threats, and other actions of the keepers."""
    made = deepcopy(own)
    effects: list[dict[str, Any]] = [
        {"time": "now", "effect": "exhaust", "die": "left"},
        {"time": "now", "effect": "exhaust", "die": 8},
        {"time": "now", "effect": "discard_pool"},
        {"time": "now", "effect": "refresh", "die": "right"},
        {"time": "now", "effect": "refresh", "die": 6},
        {"time": "now", "effect": "lose", "kind": "fauna"},
        {"time": "now", "effect": "lose", "kind": "fossil"},
        {"time": "round", "effect": "slow", "amount": 1, "who": "self"},
        {"time": "round", "effect": "ban", "die": 4, "who": "self"},
        {"time": "round", "effect": "ban", "die": 6, "who": "all"},
        {"time": "keep", "effect": "holding", "kind": "flora", "amount": -2},
        {"time": "keep", "effect": "slow", "amount": 3},
        {"time": "keep", "effect": "ban", "die": 12},
        {"time": "keep", "effect": "unexplored", "terrain": "B", "amount": 1},
        {"time": "keep", "effect": "explored", "terrain": "C", "amount": 2},
        {"time": "keep", "effect": "points", "amount": 4},
    ]
    for threat, effect in zip(made["threat"], effects, strict=True):
        name, copies = threat["name"], threat["copies"]
        threat.clear()
        threat.update(name=name, copies=copies, **effect)
    actions: list[dict[str, Any]] = [
        {"action": "exhaust", "die": "right"},
        {"action": "exhaust", "die": 10},
        {"action": "lose", "kind": "fauna"},
        {"action": "lose", "kind": "fossil"},
        {"action": "place", "space": [3, 3]},
        {"action": "discard_pool"},
        {"action": "move", "first": "column", "die": 12},
        {"action": "move", "first": "row", "die": 10},
        {"action": "move", "first": "column", "steps": 5},
        {"action": "place", "space": [6, 0]},
        {"action": "move", "first": "row", "die": 6},
        {"action": "exhaust", "die": 4},
    ]
    for k, keeper in enumerate(made["keeper"][:3]):
        keeper["actions"] = dict(zip(("sun", "wave", "leaf", "stone"), actions[4 * k : 4 * k + 4], strict=True))
    return made


def small(own: Components) -> Components:
    """Five rows and columns, eight research cards, eight threats, a track of two spaces, ten rounds."""
    made = deepcopy(own)
    made["map"] = {
        "terrain": ["M J B S C", "J M C S B", "S S J M M", "B C J B S", "B B M C J"],
        "icons": ["- - - 4 -", "6 - - - 10", "- - 12 - -", "8 - - - 6", "- - 4 - -"],
        "marks": ["o - x - o", "o - o - -", "- o - o o", "o - o - -", "s - o - o"],
    }
    cards = made["research"]["cards"]
    made["research"]["cards"] = [cards[k] for k in (0, 4, 6, 10, 15, 20, 31, 12)]
    made["threat"] = [threat | {"copies": 1} for threat in made["threat"][:16:2]]
    made["exit_track"]["points"] = [4, 2]
    made["limits"]["round_limit"] = 10
    for keeper in made["keeper"]:
        keeper["start"] = [min(4, number) for number in keeper["start"]]
    return made


def large(own: Components) -> Components:
    """As large as the format allows: 12 x 12 spaces, 64 cards of both sorts, 16 spaces of track, 16 keepers."""
    made = deepcopy(own)
    rows = ["".join("MJSBC"[(r * 7 + c * 3 + r * c) % 5] for c in range(12)) for r in range(12)]
    marks = [["-"] * 12 for _ in range(12)]
    icons = [["-"] * 12 for _ in range(12)]
    for k in range(11):
        marks[k][(5 * k + 3) % 12] = "o"
    for k in range(24):
        icons[(5 * k) % 12][(7 * k + k // 12) % 12] = ("4", "6", "8", "10", "12")[k % 5]
    marks[11][0], marks[0][7] = "s", "x"
    icons[11][0] = icons[0][7] = "-"
    made["map"] = {
        "terrain": [" ".join(row) for row in rows],
        "icons": [" ".join(row) for row in icons],
        "marks": [" ".join(row) for row in marks],
    }
    cards = made["research"]["cards"]
    more = [card | {"name": f"Second {card['name']}", "points": card["points"] % 16 + 1} for card in cards]
    made["research"]["cards"] = [*cards, *more][:64]
    made["threat"] = [threat | {"copies": 4} for threat in made["threat"]]
    made["exit_track"]["points"] = list(range(1, 17))
    keepers = [
        keeper | {"name": f"{keeper['name']} {k}", "recommended": False} for k in range(3) for keeper in own["keeper"]
    ]
    made["keeper"] = [own["keeper"][0], *keepers]
    return made


VARIANTS: dict[str, Callable[[Components], Components]] = {"words": words, "small": small, "large": large}

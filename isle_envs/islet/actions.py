"""The actions of Islet and their numbers (``rules.md``, "Decisions")."""

from __future__ import annotations

from isle_envs.core.actions import ActionBlock, ActionSpace, Argument
from isle_envs.islet.state import COLUMNS, KINDS, ROWS, SHOWN, SOLO_COLUMNS, SOLO_ROWS, SOURCES, TYPES

A_PICK, A_CELL = 0, KINDS


def action_space(solo: bool, terrains: list[str], nests: list[str]) -> ActionSpace:
    """587 actions, solo 789."""
    kinds = [f"{terrain}/{nest}" for terrain in terrains for nest in nests]
    resources = [*terrains, *nests]
    canvas: tuple[Argument, ...]
    if solo:
        canvas = (
            Argument("islet", 2, words=("day", "night")),
            Argument("row", SOLO_ROWS),
            Argument("column", SOLO_COLUMNS),
        )
        place = "cell {row}, {column} of the {islet} islet"
    else:
        canvas = (Argument("row", ROWS), Argument("column", COLUMNS))
        place = "cell {row}, {column}"
    blocks = [
        ActionBlock(
            "pick",
            (Argument("kind", KINDS, words=kinds),),
            "pick a {kind} tile",
            "Take a tile of that kind from the hand, to place it; begins an Explore. After `move_from_hand`: the tile kept.",
        ),
        ActionBlock("cell", canvas, place, "Place the picked tile there, or advance the bird to that tile."),
        ActionBlock("lay", (), "lay an egg", "Lay an egg on the bird's tile."),
        ActionBlock(
            "resource",
            (Argument("type", TYPES, words=resources),),
            "choose {type}",
            "Which resource to return when there are too many, to gain as a guarantee, or to give up as one.",
        ),
        ActionBlock(
            "pay",
            (Argument("type", TYPES, words=resources), Argument("source", SOURCES, words=("loose", "guaranteed"))),
            "pay a {source} {type}",
            "One card of a payment, in ascending order.",
        ),
        ActionBlock(
            "end",
            (),
            "end",
            "End the Explore or the Move; at a turn's start an empty Move where no Explore is possible.",
        ),
    ]
    if solo:
        blocks += [
            ActionBlock(
                "move_from_bag",
                (),
                "move, removing three tiles from the bag",
                "Begin a Move; three tiles leave the bag.",
            ),
            ActionBlock(
                "move_from_hand",
                (),
                "move, removing three tiles from the hand",
                "Begin a Move; three tiles leave the hand.",
            ),
            ActionBlock(
                "card",
                (Argument("slot", SHOWN, words=("older", "newer")),),
                "discard the {slot} card",
                "Which of two cards that hold to discard.",
            ),
        ]
    return ActionSpace(blocks)

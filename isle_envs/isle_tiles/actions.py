"""The actions of Isle Tiles and their numbers (``rules.md``, "Decisions")."""

from __future__ import annotations

from isle_envs.core.actions import ActionBlock, ActionSpace, Argument
from isle_envs.isle_tiles.state import DRAFT_SIZE, MARKERS, PARTS, SLOTS, SPACES

HEX_DIRECTIONS = ("E", "NE", "NW", "W", "SW", "SE")
SQUARE_DIRECTIONS = ("E", "N", "W", "S", "?", "?")  # the last two are never legal; the block has six for either grid
DIRECTIONS = 6

# The first number of each block, for the kernels.
A_TASK, A_NO_TASK, A_PLACE = 0, SLOTS, SLOTS + 1
A_MARKER = A_PLACE + SPACES * DIRECTIONS
A_DONE = A_MARKER + 2 * MARKERS
A_PART = A_DONE + 1
A_TURN = A_PART + PARTS
A_ROW = A_TURN + DIRECTIONS
A_COLUMN = A_ROW + DRAFT_SIZE


def action_space(hexes: bool, draft: bool) -> ActionSpace:
    """378 actions, with a draft 450."""
    words = HEX_DIRECTIONS if hexes else SQUARE_DIRECTIONS
    blocks = [
        ActionBlock(
            "task", (Argument("slot", SLOTS),), "take the task card in slot {slot}", "Take a fulfilled task card."
        ),
        ActionBlock("no_task", (), "take no task card", "Leave the fulfilled task cards this turn."),
        ActionBlock(
            "place",
            (Argument("space", SPACES), Argument("direction", DIRECTIONS, words=words)),
            "place the tile on space {space}, its second half to the {direction}",
            "Place the tile in hand: its first half on the space, its second on the neighbour in that direction. "
            "A double only from its lower-numbered space.",
        ),
        ActionBlock(
            "marker",
            (Argument("value", MARKERS, 1), Argument("half", 2, words=("first", "second"))),
            "put marker {value} on the {half} half",
            "Put a marker, from the supply or from anywhere on the board, on a half of the tile just placed.",
        ),
        ActionBlock("done", (), "place no more markers", "End the marker step."),
    ]
    if draft:
        blocks += [
            ActionBlock(
                "part", (Argument("number", PARTS),), "take board part {number}", "Which of two board parts to lay."
            ),
            ActionBlock(
                "turn",
                (Argument("rotation", DIRECTIONS),),
                "turn the board part {rotation} sixths clockwise",
                "How to turn it; of rotations that give one shape only the smallest.",
            ),
            ActionBlock(
                "row",
                (Argument("row", DRAFT_SIZE),),
                "its reference space into row {row}",
                "The reference space's row.",
            ),
            ActionBlock(
                "column",
                (Argument("column", DRAFT_SIZE),),
                "its reference space into column {column}",
                "The reference space's column.",
            ),
        ]
    return ActionSpace(blocks)

"""The actions of Isla and their numbers (``rules.md``, "Decisions")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from isle_envs.core.actions import ActionBlock, ActionSpace, Argument
from isle_envs.isla.state import HIGHLIGHTS, PLANS, POOL

SWAPS = list(combinations(range(HIGHLIGHTS), 2))
"""The two highlight spaces of each swap, a < b."""
A_KEEP = len(SWAPS)
"""The number of the first action that is no swap; there are fewer than 64 of these."""


def action_space(sides: Sequence[int], boosts: Sequence[int]) -> ActionSpace:
    """The action space for dice with so many sides, and cards with so many points, ascending."""
    return ActionSpace(
        [
            ActionBlock(
                "swap",
                (Argument("a", HIGHLIGHTS), Argument("b", HIGHLIGHTS)),
                "switch the tokens of highlight spaces {a} and {b}",
                "Before the first round: switch two map tokens of different kinds; a < b, in the order (0, 1), (0, 2), … (9, 10).",
                pairs=True,
            ),
            ActionBlock("keep", (), "keep the tokens as they lie", "Before the first round: switch nothing."),
            ActionBlock(
                "plan", (Argument("plan", len(PLANS), words=PLANS),), "plan: {plan}", "Rest, explore or research."
            ),
            ActionBlock(
                "rest_token",
                (),
                "discard the rest token",
                "Discard the rest token to refresh the left-most exhausted die, in any own decision of planning or exploring.",
            ),
            ActionBlock(
                "die",
                (Argument("die", len(sides), words=[f"D{n}" for n in sides]),),
                "use the {die}",
                "The die to explore with; it is exhausted.",
            ),
            ActionBlock(
                "boost",
                (Argument("points", len(boosts), words=list(map(str, boosts))),),
                "discard a card of {points} points to go further",
                "Return a research card of the n-th lowest number of points, the one bought first, and add its points to the movement.",
            ),
            ActionBlock("no_boost", (), "keep all cards", "Return no card."),
            ActionBlock(
                "step",
                (Argument("direction", 4, words=("north", "east", "south", "west")),),
                "go {direction}",
                "Move one space.",
            ),
            ActionBlock("leave", (), "leave the island", "On the exit space: spend what is left on the exit track."),
            ActionBlock(
                "research",
                (Argument("slot", POOL),),
                "research the card in slot {slot}",
                "Buy a card of the pool; slot 0 is next to the deck.",
            ),
        ]
    )

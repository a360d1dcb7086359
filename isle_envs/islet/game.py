"""Islet as a :class:`~isle_envs.core.game.Game`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.core.game import Game, Option
from isle_envs.core.loops import Rules
from isle_envs.islet import description, drawing, rules
from isle_envs.islet.actions import action_space
from isle_envs.islet.greedy import greedy
from isle_envs.islet.observation import observation_space, observe
from isle_envs.islet.state import (
    CARD,
    CARDS,
    CELLS,
    DISCARD,
    ENDS,
    EXPLORE,
    GAIN,
    GIVE_UP,
    GUARANTEED_LIMIT,
    HAND,
    KEEP,
    KINDS,
    MOVE,
    OVER,
    PAY,
    PLACE,
    PLAYERS,
    ROUNDS,
    SEA,
    STACK,
    START,
    STATE,
    TILES,
    TURN,
    TYPES,
    WON,
)
from isle_envs.islet.tables import EGGS, build_tables

_ASKS = {
    START: "choose its bird's first tile",
    TURN: "explore or move",
    PLACE: "place the picked tile",
    EXPLORE: "pick another tile or end the Explore",
    DISCARD: "return a resource",
    KEEP: "pick the tile to keep",
    MOVE: "advance, lay an egg or end the Move",
    PAY: "name a card of its payment",
    GAIN: "choose a resource to guarantee",
    GIVE_UP: "choose a guaranteed resource to give up",
    CARD: "discard a card",
}
BANDS = (
    (15, "IDEAL ECOSYSTEM"),
    (10, "YOU SAVED THE ISLAND'S ENDANGERED SPECIES"),
    (7, "THE WILDLIFE IS THRIVING"),
    (4, "THE FLORA IS STARTING TO BLOOM"),
    (0, "TRY AGAIN"),
)
"""The rulebook's words for so many tiles left, and more, in a solo game that is won."""


class Islet(Game):
    """Build an islet of triangles, gather resources, lay eggs on its nests. Two to four players, or one on two islets."""

    name = "islet"
    player_counts = (2, 3, 4, 1)
    option_specs: ClassVar[Mapping[str, Option]] = {
        "reward": Option(
            ("outcome", "margin"),
            "several players: winning, or eggs laid ahead of the best other player / eggs; solo: `outcome`, see below",
        ),
        "eggs": Option(
            ("rulebook", 10, 8, 6, 4, 2),
            "eggs each player begins with; the rulebook's: 10 for one or two players, 8 for three, 6 for four; solo also 6",
        ),
    }
    default_components = Path(__file__).with_name("components.toml")
    state_dtype = STATE
    rules = Rules(
        rules.deal, rules.legal, rules.apply, observe, rules.score, rules.rank, rules.forfeit, rules.redeal, greedy
    )
    bounds: ClassVar[Mapping[str, tuple[int, int]]] = {
        "tile.cell": (0, CELLS - 1),
        "tile.kind": (0, KINDS - 1),
        "tile.egg": (-1, PLAYERS - 1),
        "tiles": (1, TILES),
        "tile_at": (0, TILES),
        "bag": (0, KINDS - 1),
        "drawn": (0, TILES),
        "bag_size": (0, TILES),
        "hand": (0, HAND),
        "stack": (0, STACK),
        "loose": (0, STACK),
        "guaranteed": (0, GUARANTEED_LIMIT),
        "spent": (0, GUARANTEED_LIMIT),
        "picked": (-1, KINDS - 1),
        "placed": (0, HAND),
        "gain": (-1, TYPES - 1),
        "discarded": (-1, TYPES - 1),
        "moved": (0, 1),
        "deck": (0, CARDS - 1),
        "revealed": (0, CARDS),
        "shown": (-1, CARDS - 1),
        "round_number": (1, ROUNDS),
        "last_round": (0, ROUNDS + 1),
        "end": (0, len(ENDS) - 1),
        "phase": (0, OVER),
        "current_player": (-1, PLAYERS - 1),
    }

    def _build(self, components: Table) -> None:
        solo = self.num_players == 1
        if solo and self.reward != "outcome":
            raise ValueError(f"{self.name}, option 'reward': the solo game has only 'outcome', not {self.reward!r}")
        eggs = EGGS[self.num_players] if self.options["eggs"] == "rulebook" else int(self.options["eggs"])
        self._tables = build_tables(components, self.num_players, self.reward, eggs)
        self.actions = action_space(solo, self.components["terrains"], self.components["nests"])
        self.observation = observation_space(self.num_players, eggs, int(self._tables["kind_count"].max()))

    def check(self, states: npt.NDArray[Any]) -> None:
        super().check(states)
        for name in ("bird", "last", "target"):
            values, tiles = np.asarray(states[name]), np.asarray(states["tiles"])
            wrong = (values != SEA) & (values >= (tiles[:, None] if values.ndim == 2 else tiles))
            if wrong.any():
                raise ValueError(f"{self.name} state {np.argwhere(wrong)[0][0]}: {name} is a tile that is not there")
        near = np.asarray(states["tile"]["near"])
        if ((near != SEA) & (near >= TILES)).any():
            raise ValueError(f"{self.name}: tile.near must be in 0 to {TILES - 1}, or {SEA}")

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        return description.describe(self.tables[0], state, self._seat(seat))

    def undescribe(self, position: Mapping[str, Any]) -> np.recarray[Any, Any]:
        states = description.undescribe(self.tables[0], position)
        self.check(states)
        return states

    def text(self, state: np.record, seat: int | None = None) -> str:
        return drawing.draw(self.describe(state, seat), self.components, self.asks(state))

    def asks(self, state: np.record) -> str:
        if state["phase"] == OVER:
            return "the game is over"
        return f"seat {state['current_player']} is to {_ASKS[int(state['phase'])]}"

    def info(self, state: np.record) -> dict[str, Any]:
        left = int(state["bag_size"]) - int(state["drawn"])
        info: dict[str, Any] = {
            "end": ENDS[int(state["end"])],
            "eggs_laid": [int(laid) for laid in state["laid"][: self.num_players]],
            "tiles_left": left,
        }
        if self.num_players == 1:
            info["band"] = next(words for least, words in BANDS if left >= least) if state["end"] == WON else ""
        return info

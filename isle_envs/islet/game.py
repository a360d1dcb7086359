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
from isle_envs.islet.observation import MOST_LEVEL, observation_space, observe
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
    LOOSE_LIMIT,
    MOST_CARDS,
    MOVE,
    NONE,
    OVER,
    PAY,
    PLACE,
    PLAYERS,
    ROUNDS,
    SEA,
    START,
    STATE,
    TILES,
    TURN,
    TYPES,
    WON,
)
from isle_envs.islet.tables import EGGS, build_tables
from isle_envs.islet.tiles import find_shore

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


def _members(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Which numbers are in each of n larger sets: bool ``(n, 64 × words)``."""
    contents = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(contents, axis=1, bitorder="little").astype(np.bool_)


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
        rules.deal,
        rules.legal,
        rules.apply,
        observe,
        rules.score,
        rules.rank,
        rules.forfeit,
        rules.redeal,
        greedy,
        find_shore,
    )
    bounds: ClassVar[Mapping[str, tuple[int, int]]] = {
        "tiles": (1, TILES),
        "tile_cell": (0, CELLS - 1),
        "tile_kind": (0, KINDS - 1),
        "tile_egg": (-1, PLAYERS - 1),
        "tile_level": (0, MOST_LEVEL),
        "bag": (0, KINDS - 1),
        "drawn": (0, TILES),
        "bag_size": (0, TILES),
        "hand": (0, HAND),
        "stack": (0, MOST_CARDS),
        "loose": (0, MOST_CARDS),
        "guaranteed": (0, GUARANTEED_LIMIT),
        "spent": (0, GUARANTEED_LIMIT),
        "picked": (-1, KINDS - 1),
        "placed": (0, HAND),
        "gain": (-1, TYPES - 1),
        "discarded": (-1, TYPES - 1),
        "moved": (0, 1),
        "paid": (0, MOST_CARDS),
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
        """See :meth:`~isle_envs.core.game.Game.check`."""
        super().check(states)
        s = np.asarray(states).view(np.ndarray)
        tables, n = self.tables[0], self.num_players
        phase, seat, rows = s["phase"], np.maximum(s["current_player"], 0), np.arange(len(s))
        count = s["tiles"].astype(np.int64)[:, None]
        there = np.arange(TILES) < count
        cell = np.where(there, s["tile_cell"], 0).astype(np.int64)
        inside = (cell < tables.cells).all(1)
        land = np.zeros((len(s), CELLS + 1), np.bool_)
        land[rows[:, None], np.where(there, np.minimum(cell, CELLS - 1), CELLS)] = True
        land = land[:, :CELLS]
        bird = s["bird"].astype(np.int64)
        here = bird[rows, seat]
        stands = here != SEA
        hand, loose = s["hand"].sum(2, dtype=np.int64), s["loose"].sum(2, dtype=np.int64)
        eggs = s["free_eggs"].astype(np.int64) + s["laid"] + s["guaranteed"].sum(2)
        exploring, laying = np.isin(phase, (PLACE, EXPLORE)), np.isin(phase, (GAIN, GIVE_UP))
        free = s["free_eggs"][rows, seat]
        stood = _members(s["stood"])[:, :TILES]
        self.require(
            [
                ((phase == OVER) == (s["current_player"] < 0), "current_player must be -1 exactly in the phase 'over'"),
                ((s["end"] > 0) == (phase == OVER), "end must be 0 exactly before the phase 'over'"),
                (~np.isin(phase, (START, KEEP, CARD)) | bool(tables.solo), "this phase belongs to the solo game"),
                (inside, "tile_cell has a cell that is not on the canvas"),
                (land.sum(1) == count[:, 0], "tile_cell has a cell twice"),
                (((s["tile_level"] >= 1) | ~there).all(1), "a tile must have a level of at least 1"),
                (((s["tile_egg"] < n) | ~there).all(1), "a seat that is not there has an egg"),
                (((bird == SEA) | (bird < count)).all(1), "a bird stands on a tile that is not there"),
                ((bird[:, n:] == SEA).all(1), "a seat that is not there has a bird"),
                (
                    ((bird[:, 0] == SEA) == (phase == START)) | (not tables.solo),
                    "solo, the bird is in the sea only at the start",
                ),
                (~(stood & ~there).any(1), "the bird has stood on a tile that is not there"),
                (s["drawn"] <= s["bag_size"], "more tiles are drawn than the bag had"),
                ((hand <= HAND).all(1), f"a hand has more than {HAND} tiles"),
                ((s["spent"] <= s["guaranteed"]).all((1, 2)), "more guaranteed resources are spent than there are"),
                (
                    ((s["free_eggs"] % 2 == 0) & (eggs == tables.eggs))[:, :n].all(1),
                    f"eggs must add up to {tables.eggs}, free ones even",
                ),
                ((s["picked"] >= 0) == (phase == PLACE), "a tile is picked exactly in the phase 'place'"),
                (
                    (phase != PLACE) | (s["hand"][rows, seat, s["picked"]] > 0),
                    "the picked tile must be in the player's hand",
                ),
                ((s["placed"] > 0) == (s["last"] != SEA), "last is a tile exactly once one has been placed"),
                ((s["last"] == SEA) | (s["last"] < count[:, 0]), "last is a tile that is not there"),
                (exploring | (s["placed"] == 0), "tiles are placed only in an Explore"),
                ((phase != EXPLORE) | (s["placed"] > 0), "in the phase 'explore' a tile has been placed"),
                ((s["placed"] < HAND) | ~exploring, "an Explore ends with the fourth tile"),
                (
                    ((s["gain"] >= 0) == (np.arange(HAND) < s["placed"][:, None])).all(1),
                    "gain must tell of each tile placed",
                ),
                ((phase != DISCARD) | (loose[rows, seat] > LOOSE_LIMIT), "only too many resources are discarded"),
                ((phase != KEEP) | (hand[rows, seat] == HAND), "one of four tiles is kept"),
                (
                    (s["target"] == SEA) | ((s["target"] < count[:, 0]) & (phase == PAY)),
                    "target must be a tile, in the phase 'pay'",
                ),
                ((s["paid"].sum(1) == 0) | (phase == PAY), "cards are paid in the phase 'pay'"),
                ((phase != PAY) | stands | (s["target"] != SEA), "an egg is paid for by a bird on a tile"),
                (~(laying | (phase == CARD)) | stands, "an egg is laid by a bird on a tile"),
                (
                    ~laying
                    | (
                        (s["tile_egg"][rows, np.minimum(here, TILES - 1)] == NONE)
                        & (s["laid"][rows, seat] < tables.eggs)
                    ),
                    "an egg is laid where there is none, by a player who has one left",
                ),
                ((phase != GAIN) | (free >= 2), "a resource is gained with free eggs"),
                ((phase != GIVE_UP) | (free == 0), "a guarantee is given up without free eggs"),
                ((s["last_round"] == 0) | (s["last_round"] >= s["round_number"]), "last_round has passed"),
            ]
        )
        if tables.solo:
            deck = np.sort(s["deck"], axis=1)
            self.require([((deck == np.arange(CARDS)).all(1), f"deck must hold each of the {CARDS} cards once")])

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        return description.describe(self.tables[0], state, self._seat(seat))

    def undescribe(self, position: Mapping[str, Any]) -> np.recarray[Any, Any]:
        states = description.undescribe(self.tables[0], position)
        self.batch(states=states)  # which also refuses a position that offers nothing to choose
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

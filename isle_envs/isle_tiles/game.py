"""Isle Tiles as a :class:`~isle_envs.core.game.Game`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.core.game import Game, Option
from isle_envs.core.loops import Rules
from isle_envs.isle_tiles import description, drawing, rules
from isle_envs.isle_tiles.actions import A_NO_TASK, action_space
from isle_envs.isle_tiles.greedy import greedy
from isle_envs.isle_tiles.observation import observation_space, observe
from isle_envs.isle_tiles.state import (
    CARDS,
    COLUMN,
    DRAFT_SIZE,
    KINDS,
    MARKER,
    MARKERS,
    NOWHERE,
    OVER,
    PART,
    PARTS,
    PLACE,
    PLAYERS,
    ROW,
    SPACES,
    STATE,
    TASK,
    TILES,
    TURN,
)
from isle_envs.isle_tiles.tables import build_tables

_ASKS = {
    PART: "choose a board part",
    TURN: "turn its board part",
    ROW: "choose its board part's row",
    COLUMN: "choose its board part's column",
    TASK: "take a task card or not",
    PLACE: "place its tile",
    MARKER: "place a marker or be done",
}


class IsleTiles(Game):
    """Place landscape tiles, secure areas with animal markers, fulfil tasks. Two to four players."""

    name = "isle_tiles"
    player_counts = (2, 3, 4)
    option_specs: ClassVar[Mapping[str, Option]] = {
        "reward": Option(
            ("outcome", "margin"), "what is rewarded at the end: winning, or points ahead of the best other player / 20"
        ),
        "board": Option(
            ("first_game", "random", "draft"), "the layout: the first game's, dealt at random, or laid by the players"
        ),
        "tasks": Option(("random", "first_game"), "the task cards: four random ones, or 1 to 4"),
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
    )

    def _build(self, components: Table) -> None:
        board, tasks = self.options["board"], self.options["tasks"]
        self._tables = build_tables(components, self.num_players, self.reward, board, tasks)
        tables = self._tables[0]
        hexes, draft = bool(tables["hexes"]), board == "draft"
        self.landscapes: list[str] = list(self.components["landscapes"])
        self.actions = action_space(hexes, draft)
        most = int(tables["tile_count"].max())
        self.observation = observation_space(self.num_players, most, board == "first_game", draft, 17 if hexes else 31)

    bounds: ClassVar[Mapping[str, tuple[int, int]]] = {
        "board.below": (0, NOWHERE),
        "height": (0, TILES),
        "marker_at": (0, NOWHERE),
        "supply": (0, KINDS - 1),
        "drawn": (0, TILES - 2),
        "supply_size": (0, TILES - 2),
        "hand": (-1, KINDS - 1),
        "removed": (0, KINDS - 1),
        "shown": (-1, 1),
        "card": (1, CARDS),
        "taken_by": (-1, PLAYERS - 1),
        "last_turns": (-1, PLAYERS),
        "placed": (0, SPACES - 1),
        "half": (0, 1),
        "used": (0, MARKERS),
        "order": (0, PARTS - 1),
        "laid": (0, PARTS),
        "lay": (0, DRAFT_SIZE - 1),
        "phase": (0, OVER),
        "current_player": (-1, PLAYERS - 1),
    }

    def check(self, states: npt.NDArray[Any]) -> None:
        """See :meth:`~isle_envs.core.game.Game.check`; sets of spaces must be disjoint sets of the board's."""
        super().check(states)
        land = np.asarray(states["land"])
        together = np.bitwise_or.reduce(land, axis=1)
        wrong = (np.bitwise_count(land).sum(1) != np.bitwise_count(together)) | (together >> np.uint64(SPACES) != 0)
        if wrong.any():
            raise ValueError(
                f"{self.name} state {np.argmax(wrong)}: land has a space twice, or one beyond {SPACES - 1}"
            )

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        return description.describe(self.tables[0], state, self._seat(seat))

    def undescribe(self, position: Mapping[str, Any]) -> np.recarray[Any, Any]:
        states = description.undescribe(self.tables[0], position)
        self.check(states)
        if states.phase[0] == TASK and not self.batch(states=states).action_mask[0, :A_NO_TASK].any():
            raise ValueError("description: phase is 'task'; it must be 'place': no open task card is fulfilled")
        return states

    def text(self, state: np.record, seat: int | None = None) -> str:
        scores, ranks = self.standing(state)
        return drawing.draw(self.describe(state, seat), self.landscapes, scores, ranks, self.tables[0].part_row)

    def asks(self, state: np.record) -> str:
        if state["phase"] == OVER:
            return "the game is over"
        return f"seat {state['current_player']} is to {_ASKS[int(state['phase'])]}"

    def info(self, state: np.record) -> dict[str, Any]:
        return {"end": "last_tile" if state["phase"] == OVER else ""}

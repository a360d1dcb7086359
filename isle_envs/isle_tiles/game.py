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
from isle_envs.isle_tiles.actions import A_NO_TASK, DIRECTIONS, action_space
from isle_envs.isle_tiles.areas import find_all_areas
from isle_envs.isle_tiles.greedy import greedy
from isle_envs.isle_tiles.observation import MOST_HEIGHT, MOST_POINTS, observation_space, observe
from isle_envs.isle_tiles.state import (
    CANVAS_CENTRE,
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
from isle_envs.isle_tiles.tasks import PREDETERMINED

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
        find_all_areas,
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
        "board.below": (0, SPACES - 1),
        "height": (0, MOST_HEIGHT),
        "marker_at": (0, NOWHERE),
        "area_size": (0, SPACES),
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
        "chosen": (-1, DRAFT_SIZE - 1),
        "set_aside": (0, TILES - 2),
        "noted": (-1, MOST_POINTS),
        "board.q": (-CANVAS_CENTRE, CANVAS_CENTRE),
        "board.top": (-CANVAS_CENTRE, CANVAS_CENTRE),
        "laid": (0, PARTS),
        "lay": (0, DRAFT_SIZE - 1),
        "phase": (0, OVER),
        "current_player": (-1, PLAYERS - 1),
    }

    def check(self, states: npt.NDArray[Any]) -> None:
        """See :meth:`~isle_envs.core.game.Game.check`."""
        super().check(states)
        s = np.asarray(states).view(np.ndarray)
        n, draft = self.num_players, bool(self.tables[0].draft)
        phase, player = s["phase"], s["current_player"]
        rows, seat = np.arange(len(s)), np.maximum(player, 0)
        together = np.bitwise_or.reduce(s["land"], axis=1)
        covered = (together[:, None] >> np.arange(SPACES, dtype=np.uint64)) & np.uint64(1) == 1
        at = np.sort(s["marker_at"].reshape(len(s), -1), axis=1)
        under = np.take_along_axis(np.pad(covered, ((0, 0), (0, 1)), constant_values=True), at.astype(np.int64), 1)
        left = s["supply_size"].astype(np.int64) - s["drawn"]
        cards = np.sort(s["card"], axis=1)
        placed = s["placed"]
        board = s["board"]
        both = ((board["down"][:, :1] & board["down"][:, 1:]) >> np.arange(SPACES, dtype=np.uint64)) & np.uint64(1) == 1
        self.require(
            [
                ((phase == OVER) == (player < 0), "current_player must be -1 exactly in the phase 'over'"),
                ((phase >= TASK) | draft, "this game has no draft, but the phase belongs to one"),
                (board["east"] < np.uint64(1 << (SPACES - 1)), "board.east has a neighbour beyond the last space"),
                ((board["down"] < np.uint64(1 << SPACES)).all(1), f"board.down has a space beyond {SPACES - 1}"),
                ((board["below"] + both < SPACES).all(1), "board.below has a neighbour beyond the last space"),
                (board["first"] < np.uint64(1 << SPACES), f"board.first has a space beyond {SPACES - 1}"),
                (
                    board["top"] + np.bitwise_count(board["first"]).astype(np.int64) <= CANVAS_CENTRE + 1,
                    f"board.first leads beyond row {CANVAS_CENTRE}",
                ),
                (together >> np.uint64(SPACES) == 0, f"land has a space beyond {SPACES - 1}"),
                (np.bitwise_count(s["land"]).sum(1) == np.bitwise_count(together), "land has a space twice"),
                ((covered == (s["height"] > 0)).all(1), "a space has a height exactly if it has a landscape"),
                (((at[:, 1:] != at[:, :-1]) | (at[:, 1:] == NOWHERE)).all(1), "two markers share a space"),
                (under.all(1), "a marker lies on water"),
                ((s["marker_at"][:, n:] == NOWHERE).all((1, 2)), "a seat that is not there has a marker"),
                (left >= 0, "more tiles are drawn than the supply had"),
                ((s["last_turns"] >= 0) == (left == 0), "last_turns must be -1 while there is a supply, and only then"),
                ((s["last_turns"] == 0) == (phase == OVER), "last_turns must be 0 exactly in the phase 'over'"),
                (s["last_turns"] <= n, f"last_turns must be at most {n}"),
                ((cards[:, 1:] > cards[:, :-1]).all(1), "a task card lies there twice"),
                ((s["taken_by"] < n).all(1), "a seat that is not there has a task card"),
                (
                    (s["card"] == PREDETERMINED).any(1) == (s["shown"] >= 0),
                    "a tile is shown exactly if card 17 lies there",
                ),
                (~np.isin(phase, (TASK, PLACE)) | (s["hand"][rows, seat] >= 0), "the current player must have a tile"),
                (
                    (phase != MARKER) | (covered[rows, placed[:, 0]] & covered[rows, placed[:, 1]]),
                    "the spaces of the tile just placed must be covered",
                ),
                (
                    (phase != MARKER) | ((s["half"] == 1) == (s["used"] > 0)),
                    "half is 1 exactly if a marker has been used",
                ),
            ]
        )
        if draft:
            self.require(self._draft_rules(s))

    def _draft_rules(self, s: npt.NDArray[Any]) -> list[tuple[Any, str]]:
        """What holds of the board parts: each seat in turn has laid one of those dealt to it, the first one the part dealt first."""
        n = self.num_players
        phase, laid, order, chosen = s["phase"], s["laid"], s["order"], s["chosen"]
        parts = s["lay"][:, :, 0].astype(np.int64)
        lies = np.arange(PARTS) < laid[:, None]
        drafting = phase < TASK
        whole = (np.sort(order, axis=1) == np.arange(PARTS)).all(1) & (parts < PARTS).all(1)
        owner = np.argsort(order, axis=1) % n  # by part
        whose = np.take_along_axis(owner, np.minimum(parts, PARTS - 1), 1)
        distinct = np.sort(np.where(lies, parts, 10 + np.arange(PARTS)), axis=1)
        part = np.clip(chosen[:, :1], 0, PARTS - 1).astype(np.int64)
        held = np.take_along_axis(owner, part, 1)[:, 0] == s["current_player"]
        fresh = ~((parts == chosen[:, :1]) & lies).any(1)
        needed = np.select([phase == TURN, phase == ROW, phase == COLUMN], [1, 2, 3], 0)
        return [
            (whole, "order must hold each board part once, and only these lie"),
            ((s["lay"][:, :, 1] < DIRECTIONS).all(1), f"a board part is turned by at most {DIRECTIONS - 1}"),
            ((laid >= 1) & ((laid < PARTS) == drafting), "1 to 3 parts lie during the draft, 4 after it"),
            ((distinct[:, 1:] > distinct[:, :-1]).all(1), "a board part lies twice"),
            (((whose == np.arange(PARTS) % n) | ~lies).all(1), "a seat has laid a board part that was not dealt to it"),
            (parts[:, 0] == order[:, 0], "the part dealt first lies first"),
            (~drafting | (s["current_player"] == laid % n), "the board parts are laid in turn order"),
            (
                ((chosen >= 0) == (np.arange(3) < needed[:, None])).all(1),
                "chosen must hold what was chosen before this phase",
            ),
            ((chosen[:, :2] < (PARTS, DIRECTIONS)).all(1), "chosen has a part or a rotation that does not exist"),
            ((chosen[:, 0] < 0) | (held & fresh), "the chosen part must be one that the player holds"),
        ]

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        return description.describe(self.tables[0], state, self._seat(seat))

    def undescribe(self, position: Mapping[str, Any]) -> np.recarray[Any, Any]:
        states = description.undescribe(self.tables[0], position)
        batch = self.batch(states=states)
        if states.phase[0] == TASK and not batch.action_mask[0, :A_NO_TASK].any():
            raise ValueError("description: phase is 'task'; it must be 'place': no open task card is fulfilled")
        return batch.states

    def text(self, state: np.record, seat: int | None = None) -> str:
        scores, ranks = self.standing(state)
        return drawing.draw(self.describe(state, seat), self.landscapes, scores, ranks, self.tables[0].part_row)

    def asks(self, state: np.record) -> str:
        if state["phase"] == OVER:
            return "the game is over"
        return f"seat {state['current_player']} is to {_ASKS[int(state['phase'])]}"

    def info(self, state: np.record) -> dict[str, Any]:
        return {"end": "last_tile" if state["phase"] == OVER else ""}

"""Isla as a :class:`~isle_envs.core.game.Game`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from isle_envs.core.components import Table
from isle_envs.core.game import Game, Option
from isle_envs.core.loops import Rules
from isle_envs.core.records import for_kernels
from isle_envs.isla import description, drawing, rules
from isle_envs.isla.actions import action_space
from isle_envs.isla.greedy import greedy
from isle_envs.isla.observation import observation_space, observe
from isle_envs.isla.state import (
    ACTIVE,
    BAN,
    BOOST,
    BOULDER,
    CAUGHT,
    CELLS,
    DICE,
    DIE,
    ENDS,
    EXITED,
    EXPLORE,
    KEEP,
    KINDS,
    MOST_CARDS,
    MOST_KEEPERS,
    MOST_POINTS,
    MOST_ROUNDS,
    MOST_SIDES,
    MOST_THREATS,
    MOST_TOKENS,
    MOST_TRACK,
    NO_CELL,
    NONE,
    OVER,
    OWNED,
    PLAN,
    PLAYERS,
    RESEARCH,
    REST_TOKEN,
    SETUP,
    STATE,
    STATUSES,
    STEP,
    STUDY,
)
from isle_envs.isla.tables import RANDOM, RECOMMENDED, build_tables, read_bands

_ASKS = {
    SETUP: "switch two map tokens or keep them",
    PLAN: "plan its round",
    DIE: "choose a die",
    BOOST: "discard a research card to go further, or none",
    STEP: "move",
    RESEARCH: "research a card",
}

PARTS = ("exit_bonus", "research", "threats", "dice", "track", "unexplored")
"""Where points come from (rulebook, "End Scoring")."""


def _explored(sheets: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """The explored cells of map sheets, bool ``(…, CELLS)``."""
    octets = np.ascontiguousarray(sheets["explored"]).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little")[..., :CELLS].astype(np.bool_)


class Isla(Game):
    """Explore an island with five dice, research its species, leave in time. Two to four players, or one and a keeper."""

    name = "isla"
    player_counts = (2, 3, 4, 1)
    option_specs: ClassVar[Mapping[str, Option]] = {
        "reward": Option(
            ("outcome", "margin"),
            "several players: winning, or points ahead of the best other player / 20; solo: `outcome`, see below",
        ),
        "threat_per_one": Option((False, True), "several players: a threat for every 1 that is rolled (quick rules)"),
        "keeper": Option(
            (RECOMMENDED, RANDOM),
            "solo: the keeper by name, the component file's recommended one, or one drawn for each game",
            named="keeper",
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
        rules.derive,
        writes_all=True,
    )
    bounds: ClassVar[Mapping[str, tuple[int, int]]] = {
        **{
            f"{record}.{field}": limits
            for record in ("player", "before")
            for field, limits in {
                "at": (0, CELLS - 1),
                "boulder": (0, CELLS - 1),
                "token": (0, KINDS - 1),
                "hand": (0, MOST_TOKENS),
                "ready": (0, (1 << DICE) - 1),
                "rested": (0, 1),
                "card": (-1, MOST_CARDS - 1),
                "cards": (0, OWNED),
                "boosted": (-1, MOST_CARDS - 1),
                "status": (0, len(STATUSES) - 1),
                "exit_round": (0, MOST_ROUNDS),
                "track": (0, MOST_TRACK),
            }.items()
        },
        "plan": (-1, STUDY),
        "acted": (0, 1),
        "banned": (0, (1 << DICE) - 1),
        "slow": (0, DICE * MOST_POINTS),
        "die": (0, MOST_SIDES),
        "chosen": (-1, DICE - 1),
        "movement": (0, MOST_SIDES + MOST_POINTS),
        "deck": (0, MOST_CARDS - 1),
        "drawn": (0, MOST_CARDS),
        "deck_size": (0, MOST_CARDS),
        "pool": (-1, MOST_CARDS - 1),
        "threat_deck": (0, MOST_THREATS - 1),
        "threats_drawn": (0, MOST_THREATS),
        "threat_deck_size": (0, MOST_THREATS),
        "threat_discards": (0, MOST_THREATS),
        "keeper": (-1, MOST_KEEPERS - 1),
        "round_number": (1, MOST_ROUNDS),
        "first_player": (0, PLAYERS - 1),
        "end": (0, len(ENDS) - 1),
        "phase": (0, OVER),
        "current_player": (-1, PLAYERS - 1),
    }

    def _build(self, components: Table) -> None:
        solo = self.num_players == 1
        if solo and self.reward != "outcome":
            raise ValueError(f"{self.name}, option 'reward': the solo game has only 'outcome', not {self.reward!r}")
        if solo and self.options["threat_per_one"]:
            raise ValueError(f"{self.name}, option 'threat_per_one': the solo game has no threats")
        keeper = str(self.options["keeper"])
        if not solo and keeper != RECOMMENDED:
            raise ValueError(f"{self.name}, option 'keeper': only the solo game (num_players=1) has a keeper")
        per_one = bool(self.options["threat_per_one"])
        self._tables = build_tables(components, self.num_players, self.reward, per_one, keeper)
        tables = self._tables.view(np.recarray)[0]
        self.keepers = tuple(str(entry["name"]) for entry in self.components["keeper"])
        self.bands = read_bands(Table("components", self.components))
        self.actions = action_space(list(map(int, tables.sides)), list(map(int, tables.boost[: tables.boosts])))
        for block in self.actions.blocks.values():
            if f"a_{block.kind}" in tables.dtype.names:
                tables[f"a_{block.kind}"] = block.start
        for phase, kind in (
            (SETUP, "swap"),
            (PLAN, "plan"),
            (DIE, "die"),
            (BOOST, "boost"),
            (STEP, "step"),
            (RESEARCH, "research"),
        ):
            tables.first_choice[phase] = self.actions.blocks[kind].start
        self.observation = observation_space(self.num_players, tables)

    def check(self, states: npt.NDArray[Any]) -> None:
        """See :meth:`~isle_envs.core.game.Game.check`."""
        super().check(states)
        s = np.asarray(states).view(np.ndarray)
        tables, n = self.tables[0], self.num_players
        phase, rows = s["phase"], np.arange(len(s))
        seat = np.maximum(s["current_player"], 0)
        exploring = (phase >= DIE) & (phase <= STEP)
        cells = int(tables.rows * tables.columns)
        for name in ("player", "before"):
            where = np.ones(len(s), np.bool_) if name == "player" else exploring
            self.require([(~where | holds, words) for holds, words in self._sheets(s[name][:, :n], name)])
        deck = np.arange(MOST_CARDS) < s["deck_size"][:, None]
        threats = np.arange(MOST_THREATS) < s["threat_deck_size"][:, None]
        waiting = np.where(np.arange(MOST_CARDS) >= s["drawn"][:, None], deck, False)
        bits = np.unpackbits(s["discards"].copy().view(np.uint8).reshape(len(s), -1), axis=1, bitorder="little")
        count = np.zeros((len(s), MOST_CARDS), np.int64)
        np.add.at(count, (rows[:, None], s["deck"]), waiting)
        count += bits
        hand_cards = s["player"]["cards"][rows, seat]
        sheets, before, banned = s["player"][:, :n], s["before"][:, :n], s["banned"][:, :n]
        explorers = s["plan"][:, :n] == EXPLORE
        ready = (sheets["status"] == ACTIVE) & self._has_way(sheets)
        were_ready = (before["status"] == ACTIVE) & self._has_way(before)
        self.require(
            [
                ((phase == OVER) == (s["current_player"] < 0), "current_player must be -1 exactly in the phase 'over'"),
                ((s["end"] > 0) == (phase == OVER), "end must be 0 exactly before the phase 'over'"),
                (s["first_player"] < n, "first_player is a seat that is not there"),
                (s["round_number"] <= tables.round_limit, f"round_number must be at most {tables.round_limit}"),
                ((s["die"] <= tables.sides).all(1), "a die shows more than it has sides"),
                (
                    ((s["die"] > 0).all(1)) | ~(exploring | (phase == RESEARCH)),
                    "in this phase the dice have been rolled",
                ),
                (((s["die"] > 0) == (s["die"][:, :1] > 0)).all(1), "all dice are rolled, or none"),
                (s["drawn"] <= s["deck_size"], "more research cards are drawn than the deck had"),
                ((s["deck_size"] <= tables.cards), "the deck has more research cards than there are"),
                (((s["deck"] < tables.cards) | ~deck).all(1), "the deck has a research card that does not exist"),
                (
                    (s["discards"] >> np.uint64(tables.cards - 1)) <= 1,
                    "a research card that does not exist is discarded",
                ),
                ((count <= 1).all(1), "a research card is twice in the deck and the discards"),
                ((s["pool"] < tables.cards).all(1), "the pool has a research card that does not exist"),
                (s["threats_drawn"] <= s["threat_deck_size"], "more threats are drawn than the deck had"),
                (((s["threat_deck"] < tables.threats) | ~threats).all(1), "the deck has a threat that does not exist"),
                (
                    (s["threat_discards"][:, int(tables.threats) :] == 0).all(1),
                    "a threat that does not exist is discarded",
                ),
                (
                    s["threat_deck_size"] + s["threat_discards"].sum(1, dtype=np.int64) <= MOST_THREATS,
                    f"there are more than {MOST_THREATS} threats",
                ),
                (
                    (s["chosen"] >= 0) == ((phase == BOOST) | (phase == STEP)),
                    "a die is chosen exactly while it is used",
                ),
                ((s["movement"] > 0) == (phase == STEP), "there is movement exactly in the phase 'step'"),
                (
                    ~exploring | ((s["plan"][rows, seat] == EXPLORE) & (s["acted"][rows, seat] == 0)),
                    "who explores has planned so, and not finished",
                ),
                (
                    (phase != RESEARCH) | (s["plan"][rows, seat] == STUDY),
                    "who researches has planned so",
                ),
                ((phase != BOOST) | (hand_cards > 0), "in the phase 'boost' the explorer owns a research card"),
                (
                    (phase == OVER) | (s["player"]["status"][rows, seat] == ACTIVE),
                    "only an active player is asked",
                ),
                (
                    (
                        (s["plan"][:, :n] == NONE)
                        | (s["player"]["status"][:, :n] == ACTIVE)
                        | exploring[:, None]
                        | (phase == RESEARCH)[:, None]
                    ).all(1),
                    "only an active player has a plan",
                ),
                (
                    (phase != PLAN) | (s["plan"][rows, seat] == NONE),
                    "who plans has not announced a plan",
                ),
                (
                    (~explorers | ready | (s["acted"][:, :n] > 0) | (phase >= RESEARCH)[:, None]).all(1),
                    "who is to explore is active, and has a way to go",
                ),
                (
                    ~exploring | (~explorers | were_ready).all(1),
                    "who explores was active when the phase began, and had a way to go",
                ),
                (
                    ~exploring | self._has_die(before, banned)[rows, seat],
                    "who explores had a die to use when the phase began",
                ),
            ]
        )
        if tables.solo:
            self.require(
                [
                    ((s["keeper"] >= 0) & (s["keeper"] < tables.keepers), "there is no such keeper"),
                    (s["keeper_at"] < cells, "keeper_at is not on the map"),
                    (
                        (phase == OVER) | (s["keeper_at"] != s["player"]["at"][:, 0]),
                        "the keeper stands on the explorer's space, and the game is not over",
                    ),
                ]
            )

    def _sheets(self, sheets: npt.NDArray[Any], name: str) -> list[tuple[Any, str]]:
        """What must hold for map sheets, ``(n, players)``."""
        tables = self.tables[0]
        spaces = tables.terrain >= 0
        explored = _explored(sheets)
        beyond = np.ascontiguousarray(sheets["explored"])[..., -1] >> np.uint64(CELLS % 64)
        at, boulder = sheets["at"].astype(np.int64), sheets["boulder"].astype(np.int64)
        place = np.where(sheets["token"] == BOULDER, tables.highlight, 0).sum(-1)
        on_boulder = np.take_along_axis(explored, boulder[..., None], -1)[..., 0]
        here = np.take_along_axis(explored, at[..., None], -1)[..., 0]
        tokens = np.sort(sheets["token"], axis=-1) == np.repeat(np.arange(KINDS), tables.token_count)
        owned = np.arange(OWNED) < sheets["cards"][..., None]
        lasting = np.flatnonzero(tables.threat["time"][: int(tables.threats)] == KEEP)
        passing = ~np.uint64(sum(1 << int(threat) for threat in lasting))
        return [
            (holds.all(1), f"{name}: {words}")
            for holds, words in (
                (~(explored & ~spaces).any(-1) & (beyond == 0), "a cell that is no space is explored"),
                (spaces[at] & (here | (sheets["status"] == CAUGHT)), "at must be an explored space"),
                (tokens.all(-1), "token must hold each player's map tokens"),
                ((boulder == place) & ~on_boulder, "boulder must be the boulder's space, not explored"),
                (((sheets["card"] >= 0) == owned).all(-1), "cards must tell how many research cards are owned"),
                ((sheets["card"] < tables.cards).all(-1), "a research card that does not exist is owned"),
                (sheets["boosted"] < tables.cards, "boosted is a research card that does not exist"),
                ((sheets["kept"] >> np.uint64(tables.threats - 1)) <= 1, "a threat that does not exist is kept"),
                (sheets["kept"] & passing == 0, "a threat is kept that is for once"),
                (sheets["hand"][..., -1] <= 1, "there is one rest token"),
                (sheets["track"] <= tables.track_length, "track is beyond the exit track"),
                ((sheets["status"] == EXITED) == (sheets["exit_round"] > 0), "exit_round tells who has exited"),
                ((sheets["track"] > 0) == (sheets["status"] == EXITED), "who has exited is on the exit track"),
            )
        ]

    def _has_way(self, sheets: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which explorers stand on the exit space or beside a space that they can enter."""
        tables, at = self.tables[0], sheets["at"].astype(np.int64)
        free = np.zeros((*sheets.shape, NO_CELL + 1), np.bool_)
        free[..., :CELLS] = ~_explored(sheets) & (tables.terrain >= 0)
        np.put_along_axis(free, sheets["boulder"].astype(np.int64)[..., None], False, -1)
        beside = np.take_along_axis(free, tables.near[at].astype(np.int64), -1)
        ways: npt.NDArray[np.bool_] = beside.any(-1) | (at == tables.exit)
        return ways

    def _has_die(self, sheets: npt.NDArray[Any], banned: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which players have a die that is neither exhausted nor banned, or a rest token that makes one so."""
        tables, bans, ready = self.tables[0], banned.astype(np.int64), sheets["ready"].astype(np.int64)
        for threat in np.flatnonzero(tables.threat["effect"][: int(tables.threats)] == BAN):
            kept = (sheets["kept"] >> np.uint64(threat) & np.uint64(1)).astype(np.int64)
            bans |= kept << int(tables.threat["what"][threat])
        exhausted = ~ready & (1 << DICE) - 1
        refreshed = np.where(sheets["hand"][..., REST_TOKEN] > 0, exhausted & -exhausted, 0)
        usable: npt.NDArray[np.bool_] = ((ready | refreshed) & ~bans) != 0
        return usable

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        return description.describe(self.tables[0], state, self._seat(seat), self.keepers)

    def undescribe(self, position: Mapping[str, Any]) -> np.recarray[Any, Any]:
        states = description.undescribe(self.tables[0], position, self.keepers)
        return self.batch(states=states).states  # which also refuses a position that offers nothing to choose

    def text(self, state: np.record, seat: int | None = None) -> str:
        points = [sum(parts.values()) for parts in self._points(state, NONE if seat is None else seat)[0]]
        asks = self.asks(state)
        if seat not in (None, int(state["current_player"])) and description.is_exploring(int(state["phase"])):
            asks = f"seat {state['current_player']} explores"
        return drawing.draw(self.describe(state, seat), self.components, points, asks)

    def asks(self, state: np.record) -> str:
        if state["phase"] == OVER:
            return "the game is over"
        return f"seat {state['current_player']} is to {_ASKS[int(state['phase'])]}"

    def info(self, state: np.record) -> dict[str, Any]:
        # While somebody explores, the others are told of as the phase began (ruling 11).
        points, status = self._points(state, int(state["current_player"]))
        info: dict[str, Any] = {"end": ENDS[int(state["end"])], "status": status, "points": points}
        if self.num_players == 1:
            info["keeper"] = self.keepers[int(state["keeper"])]
            info["band"] = self.band(sum(points[0].values())) if status == [STATUSES[EXITED]] else ""
        return info

    def _points(self, state: np.record, seen_by: int) -> tuple[list[dict[str, int]], list[str]]:
        """Each player's points by source, and status, as a seat sees them (NONE: as they are)."""
        parts = np.zeros((self.num_players, len(PARTS) + 1), np.int64)
        states = for_kernels(np.frombuffer(state.tobytes(), self.state_dtype))
        rules.break_down(self.kernel_tables, states, seen_by, parts)
        rows = parts.tolist()
        return [dict(zip(PARTS, row[:-1], strict=True)) for row in rows], [STATUSES[row[-1]] for row in rows]

    def band(self, score: int) -> str:
        """The component file's words for a solo score."""
        return next(words for start, words in reversed(self.bands) if start is None or score >= start)

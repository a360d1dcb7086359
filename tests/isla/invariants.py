"""What must hold in every position of Isla, and from each position to the next, checked for a whole batch at once.

``python -m tests.isla.invariants --games 100000`` plays that many games for each player count, solo with each keeper, and once with a
threat for every 1: at random, long ones, and by greedy players.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import isle_envs
from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.policy import make_policy
from isle_envs.isla.state import (
    ACTIVE,
    BOOST,
    BOULDER,
    CAUGHT,
    CUT_OFF,
    DICE,
    DIE,
    END_CAUGHT,
    END_EXITED,
    END_LOST,
    ENDS,
    EXITED,
    EXPLORE,
    FINISHED,
    KEEP,
    KINDS,
    LOSE,
    LOST,
    NO_CELL,
    NONE,
    NOW,
    OVER,
    PLAN,
    PLAYER,
    PLAYERS,
    REST,
    REST_TOKEN,
    SETUP,
    SPECIES,
    STEP,
    STUDY,
)
from isle_envs.isla.state import RESEARCH as RESEARCH_PHASE

Array = npt.NDArray[Any]


def explored_spaces(sheets: Array, cells: int) -> Array:
    """The explored cells of map sheets: bool ``(…, cells)``."""
    words = np.ascontiguousarray(sheets["explored"])
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")[..., :cells].astype(np.bool_)


def members(sets: Array, size: int) -> Array:
    """The items of sets of numbers: bool ``(…, size)``."""
    one = np.ones((), sets.dtype)
    inside: Array = (sets[..., None] >> np.arange(size).astype(sets.dtype) & one) == one
    return inside


def tokens_taken(batch: Batch) -> Array:
    """How many tokens of each kind lay on the spaces that each player has explored: ``(n, players, kinds)``."""
    tables, sheets = batch.game.tables[0], batch.states.view(np.ndarray)["player"][:, : batch.game.num_players]
    explored = explored_spaces(sheets, int(tables.rows * tables.columns))[..., tables.highlight]
    return np.stack([(explored & (sheets["token"] == kind)).sum(-1) for kind in range(KINDS)], -1)


def check(batch: Batch) -> None:
    """Raises AssertionError where a position of the batch breaks an invariant."""
    s = batch.states.view(np.ndarray)
    n, tables = batch.game.num_players, batch.game.tables[0]
    phase, sheets = s["phase"], s["player"][:, :n]
    over, exploring = phase == OVER, (phase >= DIE) & (phase <= STEP)
    cells = int(tables.rows * tables.columns)
    rows, seat = np.arange(batch.n), np.maximum(batch.current_player, 0)
    status = sheets["status"]

    _check_sheets(batch, sheets, cells)
    _check_cards(s, tables, n)

    # The round: who has announced a plan, and whose exploration is over.
    plan, acted = s["plan"][:, :n], s["acted"][:, :n].astype(np.bool_)
    place = (np.arange(n) - s["first_player"][:, None]) % n  # in player order
    mine = place[rows, seat][:, None]
    asked = (phase == PLAN)[:, None] & (status == ACTIVE)
    assert ((plan != NONE) == (place < mine))[asked].all(), "plans are not announced in player order"
    assert (plan[(phase == SETUP) | over] == NONE).all() and (plan[status == LOST] == NONE).all()
    planned = plan[(exploring | (phase == RESEARCH_PHASE))[:, None] & (status == ACTIVE)]
    assert (planned != NONE).all(), "somebody has no plan"
    assert (acted <= (plan == EXPLORE)).all(), "an exploration is over that was not planned"
    assert (acted == (place < mine))[exploring[:, None] & (plan == EXPLORE)].all(), "not in player order"
    assert acted[(phase == RESEARCH_PHASE)[:, None] & (plan == EXPLORE)].all(), "an exploration is left out"
    assert not acted[~(exploring | (phase == RESEARCH_PHASE))].any()
    assert (plan[rows, seat][exploring] == EXPLORE).all() and (plan[rows, seat][phase == PLAN] == NONE).all()
    assert (plan[rows, seat][phase == RESEARCH_PHASE] == STUDY).all()
    quiet = (phase <= PLAN) | over
    assert (s["banned"][quiet] == 0).all() and (s["slow"][quiet] == 0).all(), "a round's threat outlives it"
    assert (s["banned"] < 1 << DICE).all()
    assert (s["acted"][:, n:] == 0).all() and (s["plan"][:, n:] == NONE).all()

    # The Explore Phase: what the others see is how they stood when it began.
    now, then = as_bytes(sheets), as_bytes(s["before"][:, :n])
    done = acted | (np.arange(n) == seat[:, None])
    still = exploring[:, None] & ~done
    assert (now == then).all(-1)[still].all(), "a player has changed without exploring"
    assert (s["before"]["boosted"][exploring][:, :n] == NONE).all()
    assert ((sheets["boosted"] == NONE) | (exploring[:, None] & done & (plan == EXPLORE))).all()
    assert ((s["chosen"] != NONE) == ((phase == BOOST) | (phase == STEP))).all()
    assert ((s["movement"] > 0) == (phase == STEP)).all()
    assert (sheets["cards"][rows, seat][phase == BOOST] > 0).all()

    # The dice.
    assert (s["die"] <= tables.sides).all()
    rolled = (s["die"] > 0).all(1)
    assert (rolled | (s["die"] == 0).all(1)).all() and (rolled | ~(exploring | (phase == RESEARCH_PHASE))).all()
    assert (rolled | (s["round_number"] == 1)).all()
    assert (s["first_player"] == (s["round_number"] - 1) % n).all(), "the first-player card does not go round"
    assert ((s["round_number"] >= 1) & (s["round_number"] <= tables.round_limit)).all()

    # The keeper.
    if tables.solo:
        assert (s["keeper_at"] < cells).all() and (s["keeper"] >= 0).all() and (s["keeper"] < tables.keepers).all()
        assert ((s["keeper_at"] == sheets["at"][:, 0]) == (status[:, 0] == CAUGHT)).all()
    else:
        assert (s["keeper"] == NONE).all() and (s["keeper_at"] == NO_CELL).all() and (status != CAUGHT).all()

    # Decisions, and the end.
    assert (batch.action_mask.any(1) == ~over).all(), "a player has nothing to choose, or may choose after the end"
    assert ((batch.current_player < 0) == over).all()
    assert (status[rows, seat][~over] == ACTIVE).all(), "somebody finished is asked"
    assert ((s["end"] > 0) == over).all() and (status[over] != ACTIVE).all()
    if tables.solo:
        for end, how in ((END_EXITED, EXITED), (END_LOST, LOST), (END_CAUGHT, CAUGHT), (CUT_OFF, LOST)):
            assert (status[s["end"] == end] == how).all()
        assert (s["end"] != FINISHED).all()
    else:
        assert np.isin(s["end"][over], (FINISHED, CUT_OFF)).all()
    assert (s["round_number"][s["end"] == CUT_OFF] == tables.round_limit).all()
    scores, ranks, _ = batch.measure()
    explored = explored_spaces(sheets, cells).sum(-1)
    order = (scores.astype(np.int64) * 1000 + explored) * 1000 + sheets["cards"]
    better = (order[:, None, :] > order[:, :, None]).sum(2)
    assert (ranks == np.where(over[:, None], 1 + better, 0)).all(), "ranks are not those of the scores"

    low, high = batch.game.observation.low, batch.game.observation.high
    for view in range(n):
        seen = batch.observe(seats=np.full(batch.n, view))
        assert (seen >= low).all() and (seen <= high).all(), "an observation is outside its bounds"


def as_bytes(sheets: Array) -> Array:
    """Map sheets byte by byte, to compare them whole."""
    packed = np.zeros(sheets.shape, PLAYER)
    for name in PLAYER.names or ():
        packed[name] = sheets[name]
    return packed.view(np.uint8).reshape(*sheets.shape, PLAYER.itemsize)


def _check_sheets(batch: Batch, sheets: Array, cells: int) -> None:
    tables = batch.game.tables[0]
    explored = explored_spaces(sheets, cells)
    assert not explored[..., tables.terrain[:cells] == NONE].any(), "the sea is explored"
    assert explored[..., int(tables.start)].all(), "the start space is not explored"
    at, status = sheets["at"].astype(np.int64), sheets["status"]
    here = np.take_along_axis(explored, at[..., None], -1)[..., 0]
    assert (here | (status == CAUGHT)).all(), "an explorer stands where it has not explored"
    boulder = sheets["boulder"].astype(np.int64)
    assert not np.take_along_axis(explored, boulder[..., None], -1).any(), "a boulder's space is explored"
    assert (np.where(sheets["token"] == BOULDER, tables.highlight, 0).sum(-1) == boulder).all()

    # Tokens are conserved: each player's eleven, of which those on explored spaces are in hand, or spent.
    for kind in range(KINDS):
        assert ((sheets["token"] == kind).sum(-1) == tables.token_count[kind]).all(), "tokens are lost or made"
    gone = tokens_taken(batch)[..., :BOULDER] - sheets["hand"].astype(int)
    owned = np.where(sheets["card"] >= 0, sheets["card"], 0)
    cost = (tables.cost[owned].astype(int) * (sheets["card"] >= 0)[..., None]).sum(-2)
    returned = sheets["boosted"]
    cost += tables.cost[np.maximum(returned, 0)].astype(int) * (returned >= 0)[..., None]
    assert (gone[..., :SPECIES] >= cost).all(), "more is in hand, or was paid for research cards, than was taken"
    assert (gone[..., REST_TOKEN] >= 0).all()

    assert (sheets["ready"] < 1 << DICE).all() and (sheets["rested"] <= 1).all()
    exited = status == EXITED
    assert (at[exited] == tables.exit).all(), "somebody has left from elsewhere"
    assert ((sheets["track"] > 0) == exited).all() and (sheets["track"] <= tables.track_length).all()
    assert ((sheets["exit_round"] > 0) == exited).all()
    assert (sheets["exit_round"] <= batch.states.view(np.ndarray)["round_number"][:, None]).all()


def _check_cards(s: Array, tables: Any, n: int) -> None:
    """Every research card is in one place; so is every copy of a threat."""
    sheets, games = s["player"][:, :n], np.arange(len(s))[:, None]

    def waiting(deck: str, drawn: str, size: str) -> Array:
        index = np.arange(s[deck].shape[1])
        return (index >= s[drawn][:, None]) & (index < s[size][:, None])

    count = members(s["discards"], int(tables.cards)).astype(int)
    assert (s["discards"] >> np.uint64(tables.cards - 1) <= 1).all()
    np.add.at(count, (games, np.minimum(s["deck"], tables.cards - 1)), waiting("deck", "drawn", "deck_size"))
    for cards in (s["pool"], sheets["card"].reshape(len(s), -1), sheets["boosted"]):
        np.add.at(count, (games, np.maximum(cards, 0)), cards >= 0)
    assert (count == 1).all(), "research cards are lost or made"
    owned = np.arange(sheets["card"].shape[-1]) < sheets["cards"][..., None]
    assert ((sheets["card"] >= 0) == owned).all()

    kept = members(sheets["kept"], int(tables.threats)).sum(1).astype(int)
    if tables.solo:
        assert (kept == 0).all() and (s["threat_deck_size"] == 0).all() and (s["threat_discards"] == 0).all()
        return
    count = kept + s["threat_discards"][:, : int(tables.threats)]
    undrawn = waiting("threat_deck", "threats_drawn", "threat_deck_size")
    np.add.at(count, (games, np.minimum(s["threat_deck"], tables.threats - 1)), undrawn)
    assert (count == tables.threat["copies"][: int(tables.threats)]).all(), "threats are lost or made"
    once = tables.threat["time"][: int(tables.threats)] != KEEP
    assert (kept[:, once] == 0).all(), "a threat is kept that is for once"


class Ledger:
    """What may change from a position to the next: the way of each explorer, its dice, what it pays, and all rewards."""

    def __init__(self, batch: Batch) -> None:
        n, tables = batch.game.num_players, batch.game.tables[0]
        self.batch = batch
        self.spent = np.zeros((batch.n, n, SPECIES + 1), np.int64)
        self.lost = np.zeros((batch.n, n, SPECIES), np.int64)
        self.returns = np.zeros((batch.n, n), np.float64)
        """What each player has paid or used, what was taken away by threats or a keeper, and all rewards so far."""
        threats = tables.threat[: int(tables.threats)]
        can_lose = threats["what"][(threats["effect"] == LOSE) & (threats["time"] == NOW)]
        if tables.solo:
            actions = tables.keeper_action[: int(tables.keepers), : int(tables.symbols)]
            can_lose = actions["what"][actions["action"] == LOSE]
        self.safe = ~np.isin(np.arange(SPECIES), can_lose)

    def step(self, actions: npt.NDArray[np.int32]) -> None:
        """Plays, and raises AssertionError where a change breaks an invariant."""
        batch = self.batch
        tables, blocks = batch.game.tables[0], batch.game.actions.blocks
        rows, n = np.arange(batch.n), batch.game.num_players
        cells = int(tables.rows * tables.columns)
        old, seat = np.array(batch.states.view(np.ndarray)), np.array(batch.current_player).astype(np.int64)

        def kind(name: str) -> Array:
            return (actions >= blocks[name].start) & (actions < blocks[name].start + blocks[name].size)

        batch.step(actions)
        new = batch.states.view(np.ndarray)
        before, after = old["player"][:, :n], new["player"][:, :n]
        me = np.arange(n) == seat[:, None]

        # A way is walked one space at a time, and never back.
        was, now = explored_spaces(before, cells), explored_spaces(after, cells)
        assert (now >= was).all(), "a space is explored no more"
        stepped = kind("step")
        at, place = before["at"].astype(np.int64), after["at"].astype(np.int64)
        direction = np.where(stepped, actions - blocks["step"].start, 0)
        to = tables.near[at[rows, seat], direction]
        into_keeper = bool(tables.solo) & stepped & (to == old["keeper_at"])
        assert (after["status"][into_keeper] == CAUGHT).all()
        moved = (stepped & ~into_keeper)[:, None] & me
        assert ((now & ~was).sum(-1) == moved).all(), "not one space is explored at a step, and none else"
        assert (place == np.where(stepped[:, None] & me, to[:, None], at)).all(), "an explorer jumps"
        walked = np.take_along_axis(now & ~was, place[..., None], -1)[..., 0]
        assert (walked == moved).all(), "an explorer is not where it stepped"

        # Plans, once made, stay to the end of the round; the Rest Box is marked for good, by those who rest.
        resting = (old["plan"][:, :n] == REST) | (me & (actions == blocks["plan"].start + REST)[:, None])
        assert (after["rested"] >= before["rested"]).all() and (resting | (after["rested"] == before["rested"])).all()

        # Tokens: what is in hand was taken, and neither paid nor taken away.
        bought = kind("research")
        card = np.where(bought, old["pool"][rows, np.where(bought, actions - blocks["research"].start, 0)], 0)
        self.spent[rows, seat, :SPECIES] += tables.cost[card].astype(np.int64) * bought[:, None]
        self.spent[rows, seat, REST_TOKEN] += kind("rest_token")
        gone = tokens_taken(batch)[..., : SPECIES + 1] - after["hand"].astype(np.int64) - self.spent
        assert (gone[..., REST_TOKEN] == 0).all(), "a rest token is lost or made"
        taken_away = gone[..., :SPECIES] - self.lost
        assert (taken_away >= 0).all() and (taken_away[..., self.safe] == 0).all(), "species tokens are lost or made"
        assert ((taken_away.sum((1, 2)) <= 1) | bool(tables.threat_per_one)).all()
        self.lost = gone[..., :SPECIES]

        # Who has finished stays so; a threat that is kept stays.
        finished = before["status"] != ACTIVE
        assert (after["status"] == before["status"])[finished].all() and (before["kept"] & ~after["kept"] == 0).all()
        left = after["status"] == EXITED
        assert (kind("leave")[:, None] & me == left & ~finished).all(), "somebody has left otherwise than by leaving"
        lost = (after["status"] == LOST) & ~finished & (new["end"] != CUT_OFF)[:, None]
        helpless = (after["rested"] > 0) & ((after["hand"][..., REST_TOKEN] == 0) | (after["ready"] == (1 << DICE) - 1))
        assert helpless[lost].all(), "somebody is lost who could rest, or use the rest token"

        self._check_rewards()

    def _check_rewards(self) -> None:
        batch = self.batch
        tables, over = batch.game.tables[0], batch.terminated
        self.returns += batch.rewards
        if not tables.solo:
            assert (batch.rewards[~over] == 0).all(), "a reward comes before the end"
            if not tables.margin or batch.game.num_players == 2:
                np.testing.assert_allclose(batch.rewards.sum(1), 0, atol=1e-5)
            return
        states = batch.states.view(np.ndarray)
        out = states["player"]["status"][:, 0] == EXITED
        scores = batch.scores()[:, 0]
        expected = np.where(over & ~out, -3, scores / 10)  # before the end: how the game stands
        np.testing.assert_allclose(self.returns[:, 0], expected, atol=1e-4)

    def reset(self, where: Array) -> None:
        """Deals games anew."""
        self.batch.reset(where)
        self.spent[where], self.lost[where], self.returns[where] = 0, 0, 0


# ------------------------------------------------------------------------------------------------------- Ways of playing


def chosen(batch: Batch, way: str, streams: Any) -> npt.NDArray[np.int32]:
    """``random`` choices; ``long``: random ones that keep the game going; ``greedy`` ones, every tenth a random one."""
    actions = batch.sample_legal()
    everywhere = np.ones(batch.n, np.bool_)
    if way == "long":
        liked = batch.action_mask & _lasting(batch)
        count = liked.sum(1)
        pick = (rng.uniform(streams, everywhere) * count).astype(np.int64) + 1
        actions = np.where(count > 0, (liked.cumsum(1) == pick[:, None]).argmax(1), actions)
    if way == "greedy":
        planned = make_policy("greedy", batch.game).act(batch, everywhere, streams)
        actions = np.where(rng.uniform(streams, everywhere) < 0.1, actions, planned)
    return actions.astype(np.int32)


def _lasting(batch: Batch) -> Array:
    """The actions that keep a game going: not to leave nor boost, the lowest die, no dead end, research rather than explore."""
    game = batch.game
    tables, blocks, mask = game.tables[0], game.actions.blocks, batch.action_mask
    s, rows = batch.states.view(np.ndarray), np.arange(batch.n)
    player = s["player"][rows, np.maximum(batch.current_player, 0)]
    liked = np.ones_like(mask)
    for kind in ("leave", "boost"):
        liked[:, blocks[kind].start : blocks[kind].start + blocks[kind].size] = False
    plan, die, step = blocks["plan"].start, blocks["die"].start, blocks["step"].start
    liked[:, plan + EXPLORE] = ~mask[:, plan + STUDY]
    liked[:, plan + REST] = player["ready"] != (1 << DICE) - 1
    shown = np.where(mask[:, die : die + DICE], s["die"].astype(np.int64), 99)
    liked[:, die : die + DICE] = shown == shown.min(1)[:, None]
    cells = int(tables.rows * tables.columns)
    free = np.zeros((batch.n, NO_CELL + 1), np.bool_)
    free[:, :cells] = ~explored_spaces(player, cells) & (tables.terrain[:cells] != NONE)
    free[rows, player["boulder"]] = False
    free[rows, player["at"]] = False
    near = np.full((NO_CELL + 1, 4), NO_CELL)
    near[: len(tables.near)] = tables.near
    ways = free[rows[:, None, None], near[near[player["at"]]]].sum(2)
    liked[:, step : step + 4] = ways > 0
    return liked


WAYS = ("random", "long", "greedy")


def play(
    num_players: int,
    games: int,
    way: str,
    *,
    size: int = 500,
    seed: int = 0,
    components: Mapping[str, Any] | Path | None = None,
    **options: Any,
) -> dict[str, int]:
    """Plays at least so many games, checking every position; returns how often each end came, and other things, and the decisions."""
    game = isle_envs.make_game("isla", num_players=num_players, components=components, **options)
    batch = game.batch(min(size, games), seed)
    ledger = Ledger(batch)
    extra = ("exits", "research cards", "threats kept", "tokens lost", "longest game", "decisions")
    counts = dict.fromkeys([*ENDS[1:], *extra], 0)
    streams = rng.streams(rng.numbered_keys(seed, batch.n), rng.SEAT)
    check(batch)
    played = 0
    while played < games:
        ledger.step(chosen(batch, way, streams))
        check(batch)
        counts["decisions"] += batch.n
        over = batch.terminated
        if over.any():
            ended = batch.states.view(np.ndarray)[over]
            for end in ended["end"]:
                counts[ENDS[end]] += 1
            sheets = ended["player"][:, :num_players]
            counts["exits"] += int((sheets["status"] == EXITED).sum())
            counts["research cards"] += int(sheets["cards"].sum())
            counts["threats kept"] += int(members(sheets["kept"], 64).sum())
            counts["tokens lost"] += int(ledger.lost[over].sum())
            counts["longest game"] = max(counts["longest game"], int(ended["round_number"].max()))
            played += int(over.sum())
            ledger.reset(np.array(over))
    return counts


def main() -> None:
    """The command line."""
    own = isle_envs.make_game("isla", num_players=1).components["keeper"]
    keepers = [entry["name"] for entry in own]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="for each player count and way of playing")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 1], choices=range(1, PLAYERS + 1))
    parser.add_argument("--keepers", nargs="+", default=["all"], help="for the solo game: names, or random; else all")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="how to play")
    arguments = parser.parse_args()
    alone = [*keepers, "random"] if arguments.keepers == ["all"] else arguments.keepers
    for num_players in arguments.players:
        variants: list[dict[str, Any]] = [{}, {"threat_per_one": True}] if num_players == 3 else [{}]
        if num_players == 1:
            variants = [{"keeper": keeper} for keeper in alone]
        for options in variants:
            for way in arguments.ways:
                start = time.perf_counter()
                counts = play(num_players, arguments.games, way, **options)
                seconds = time.perf_counter() - start
                found = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
                print(
                    f"{num_players} players {options or ''} {way}: every position sound; {found}; {seconds:.0f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()

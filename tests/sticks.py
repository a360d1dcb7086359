"""A small game from outside ``isle_envs``, as a user would write one: whoever takes the last stick wins.

Who takes a single stick decides again. Every stick pays its taker 0.1 and costs the others 0.05 at once, so rewards come all along and also
from the opponents' moves. Each player holds a secret number that counts for the score only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isle_envs.core.actions import ActionBlock, ActionSpace, Argument
from isle_envs.core.components import Table
from isle_envs.core.describing import Reader, describe_stream, read_stream
from isle_envs.core.game import GAMES, Game, Option
from isle_envs.core.kernel import kernel
from isle_envs.core.loops import Rules
from isle_envs.core.observation import ObservationBlock, ObservationSpace
from isle_envs.core.rng import STREAM, below

PLAYERS, NUMBERS, FORFEIT = 3, 10, -3.0

STATE = np.dtype(
    [
        ("stream", STREAM),
        ("pile", np.int8),
        ("taken", np.int8, (PLAYERS,)),
        ("secret", np.int8, (PLAYERS,)),
        ("last", np.int8),
        ("current_player", np.int8),
    ]
)
TABLES = np.dtype([("num_players", np.int64), ("most", np.int64), ("sticks", np.int64)])


@kernel
def deal(tables: Any, state: Any) -> None:
    state.pile = tables.sticks + below(state.stream, 3)
    for seat in range(tables.num_players):
        state.secret[seat] = below(state.stream, NUMBERS)


@kernel
def legal(tables: Any, state: Any, mask: Any) -> None:
    for action in range(min(int(state.pile), int(tables.most))):
        mask[action] = True


@kernel
def apply(tables: Any, state: Any, action: int, rewards: Any) -> None:
    seat, count = int(state.current_player), action + 1
    state.pile -= count
    state.taken[seat] += count
    for other in range(tables.num_players):
        rewards[other] += 0.1 * count if other == seat else -0.05 * count
    state.last = seat
    if state.pile == 0:
        state.current_player = -1
        for other in range(tables.num_players):
            rewards[other] += 1.0 if other == seat else -1.0
    elif count > 1:
        state.current_player = (seat + 1) % tables.num_players


@kernel
def observe(tables: Any, state: Any, seat: int, out: Any) -> None:
    n = tables.num_players
    out[0] = state.pile
    out[1] = state.secret[seat]
    for k in range(n):
        out[2 + k] = state.taken[(seat + k) % n]
        out[2 + n + k] = state.current_player == (seat + k) % n


@kernel
def score(tables: Any, state: Any, seat: int) -> int:
    return int(state.taken[seat]) + int(state.secret[seat])


@kernel
def rank(tables: Any, state: Any, seat: int) -> int:
    if state.current_player >= 0:
        return 0
    return 1 if state.last == seat else 2


@kernel
def forfeit(tables: Any, state: Any, seat: int) -> float:
    return FORFEIT


@kernel
def redeal(tables: Any, state: Any, seat: int) -> None:
    for other in range(tables.num_players):
        if other != seat:
            state.secret[other] = below(state.stream, NUMBERS)


@kernel
def greedy(tables: Any, state: Any, mask: Any, stream: Any) -> int:
    choice = 0
    for action in range(len(mask)):
        if mask[action]:
            choice = action
    return choice


class Sticks(Game):
    """Take one to three sticks; the last one wins."""

    name = "sticks"
    player_counts = (2, 1, 3)
    option_specs: ClassVar[Mapping[str, Option]] = {
        "reward": Option(("outcome",), "sticks, and the last one"),
        "sticks": Option((9, 1), "how many there are at least"),
    }
    default_components = Path(__file__).with_name("sticks.toml")
    state_dtype = STATE
    rules = Rules(deal, legal, apply, observe, score, rank, forfeit, redeal, greedy)
    bounds: ClassVar[Mapping[str, tuple[int, int]]] = {
        "pile": (0, 12),
        "taken": (0, 12),
        "secret": (0, NUMBERS - 1),
        "last": (0, PLAYERS - 1),
        "current_player": (-1, PLAYERS - 1),
    }

    def _build(self, components: Table) -> None:
        n, most = self.num_players, components.integer("most", 2, 5)
        components.close()
        self._tables = np.array([(n, most, self.options["sticks"])], TABLES)
        self.actions = ActionSpace(
            [ActionBlock("take", (Argument("count", most, 1),), "take {count}", "How many sticks to take.")]
        )
        block = ObservationBlock
        self.observation = ObservationSpace(
            [
                block("pile", (1,), 0, 12, "the sticks left"),
                block("secret", (1,), 0, NUMBERS - 1, "the own number"),
                block("taken", (n,), 0, 12, "the sticks of each player"),
                block("current_player", (n,), 0, 1, "who decides"),
            ]
        )

    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        n = self.num_players
        current = int(state["current_player"])
        full = {
            "game": self.name,
            "current_player": None if current < 0 else current,
            "pile": int(state["pile"]),
            "taken": state["taken"][:n].tolist(),
            "secret": state["secret"][:n].tolist(),
            "last": int(state["last"]),
            "stream": describe_stream(state["stream"]),
        }
        if seat is None:
            return full
        del full["stream"]
        return full | {"secret": [number if other == seat else None for other, number in enumerate(full["secret"])]}

    def undescribe(self, description: Mapping[str, Any]) -> np.recarray[Any, Any]:
        read, n = Reader(description), self.num_players
        states = np.zeros(1, STATE).view(np.recarray)
        read_stream(description, states[0])
        states.pile = read["pile"].integer(0, 12)
        states.last = read["last"].integer(0, n - 1)
        states.current_player = read["current_player"].optional(0, n - 1)
        states.taken[0, :n] = [item.integer(0, 12) for item in read["taken"].items(n)]
        states.secret[0, :n] = [item.integer(0, NUMBERS - 1) for item in read["secret"].items(n)]
        return states

    def text(self, state: np.record, seat: int | None = None) -> str:
        return str(self.describe(state, seat))

    def asks(self, state: np.record) -> str:
        return f"seat {state['current_player']} is to take sticks"

    def info(self, state: np.record) -> dict[str, Any]:
        return {"end": "last_stick" if state["current_player"] < 0 else ""}


GAMES.pop(Sticks.name)  # other tests go through all games; a test that needs the name puts it back

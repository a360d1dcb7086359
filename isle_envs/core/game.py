"""A game: rules, tables made from components and options, and the words for everything in them."""

from __future__ import annotations

import copy
import functools
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from isle_envs.core import rng
from isle_envs.core.actions import ActionSpace
from isle_envs.core.batch import Batch
from isle_envs.core.components import Table, read_components
from isle_envs.core.errors import unknown
from isle_envs.core.loops import Rules, build_loops
from isle_envs.core.observation import ObservationSpace
from isle_envs.core.records import for_kernels

GAMES: dict[str, type[Game]] = {}
"""The games by name: every subclass of :class:`Game` that has been imported."""


@dataclass(frozen=True)
class Option:
    """An option of a game.

    Attributes:
        choices: its values, the first being the default.
        meaning: what it is for.
        named: what further values name that the component file defines, or "". The game itself refuses a name it does not have.
    """

    choices: tuple[Any, ...]
    meaning: str
    named: str = ""


class Game(ABC):
    """One game with fixed options: everything that a batch of it shares. Immutable.

    A new game is a subclass: the class variables, and the abstract methods. Importing it makes it known by its name;
    :mod:`isle_envs.testing` checks it, and ``isle_envs.envs.registration.register`` gives it environment ids.

    Attributes:
        name: the game's name, as in ``make_game(name)``.
        num_players: how many seats there are.
        reward: what is rewarded, one of the option ``reward``'s choices.
        options: the game's other options.
        components: the component file's content.
        tables: what rules look up, a record array ``(1,)``.
        actions: the action space.
        observation: the observation's layout.
    """

    name: ClassVar[str]
    player_counts: ClassVar[tuple[int, ...]]
    """How many may play; the first is the default."""
    option_specs: ClassVar[Mapping[str, Option]]
    """The options by name, ``reward`` among them."""
    default_components: ClassVar[Path]
    state_dtype: ClassVar[np.dtype[Any]]
    rules: ClassVar[Rules]
    bounds: ClassVar[Mapping[str, tuple[int, int]]]
    """The range of each integer field of a state (``record.field`` within a record) in all positions, for :meth:`check`."""
    policies: ClassVar[tuple[str, ...]] = ("random", "greedy")
    """The compiled policies' names."""

    actions: ActionSpace
    observation: ObservationSpace
    _tables: npt.NDArray[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in vars(cls):
            GAMES[cls.name] = cls

    def __init__(
        self,
        *,
        num_players: int | None = None,
        components: str | Path | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Makes a game.

        Args:
            num_players: one of ``player_counts``; else its first.
            components: a component file's path or its parsed content; else the game's own file.
            options: values for ``option_specs``, by name; else their first choices.

        Raises:
            ValueError: an unknown option, a value that is not among its choices, or a wrong number of players.
            ComponentError: the component file cannot be used.
        """
        if num_players is None:
            num_players = self.player_counts[0]
        if num_players not in self.player_counts or isinstance(num_players, bool):
            valid = ", ".join(map(str, self.player_counts))
            raise ValueError(f"{self.name}: num_players must be one of {valid}, not {num_players!r}")
        for option, value in options.items():
            if option not in self.option_specs:
                raise ValueError(
                    f"{self.name}: {unknown('option', option, ['num_players', 'components', *self.option_specs])}"
                )
            choices = self.option_specs[option].choices
            if self.option_specs[option].named and isinstance(value, str):
                continue
            if not any(value == choice and type(value) is type(choice) for choice in choices):
                raise ValueError(f"{self.name}, option {option!r}: {unknown('value', value, map(str, choices))}")
        chosen = {option: options.get(option, spec.choices[0]) for option, spec in self.option_specs.items()}
        self.num_players = int(num_players)
        self.reward = str(chosen.pop("reward"))
        self.options: Mapping[str, Any] = chosen
        source: str | Path
        if isinstance(components, Mapping):
            source, self.components = "components", copy.deepcopy(dict(components))
        else:
            source = self.default_components if components is None else components
            self.components = read_components(source)
        self._is_default = components is None
        self._build(Table(source, self.components))
        self.kernel_tables = for_kernels(self._tables)
        self.tables = self._tables.view(np.recarray)

    @abstractmethod
    def _build(self, components: Table) -> None:
        """Reads the components and sets ``actions``, ``observation`` and ``_tables``, a structured array ``(1,)``."""

    @abstractmethod
    def describe(self, state: np.record, seat: int | None = None) -> dict[str, Any]:
        """A position, every field by name, JSON-ready.

        Args:
            state: one record of a batch's ``states``.
            seat: whose knowledge to keep to; else everything, hidden things and the random stream included.
        """

    @abstractmethod
    def undescribe(self, description: Mapping[str, Any]) -> np.recarray[Any, Any]:
        """The inverse of the full description: states ``(1,)``. ``stream`` may be absent.

        Raises:
            ValueError: a field is missing or impossible; it names the field.
        """

    @abstractmethod
    def text(self, state: np.record, seat: int | None = None) -> str:
        """A picture in text that a person can follow the game with; with a seat, only what that seat may know."""

    @abstractmethod
    def asks(self, state: np.record) -> str:
        """What is to be decided, in words: "seat 1 is to place a tile"."""

    @abstractmethod
    def info(self, state: np.record) -> dict[str, Any]:
        """Words and numbers about a position for Gymnasium's ``info``; among them ``end``, how the game ended ("" before)."""

    @property
    def num_actions(self) -> int:
        """The size of the action space."""
        return self.actions.num_actions

    @property
    def spec(self) -> dict[str, Any]:
        """The game as JSON-ready data: name, players, reward, options, and the components unless they are the game's own."""
        spec = {
            "game": self.name,
            "num_players": self.num_players,
            "reward": self.reward,
            "options": dict(self.options),
        }
        return spec if self._is_default else spec | {"components": self.components}

    def batch(self, n: int = 1, seed: int = 0, *, states: npt.NDArray[Any] | None = None, threads: int = 1) -> Batch:
        """``n`` freshly dealt games, or copies of ``states``.

        Args:
            n: how many games.
            seed: any integer; game i depends on the seed and i only.
            states: an array ``(n,)`` of ``state_dtype`` to start from, copied and checked; ``n`` is then its length.
            threads: how many threads share the work of each call; it never changes a result.

        Raises:
            TypeError: ``n``, ``seed`` or ``threads`` is no integer.
            ValueError: ``n`` or ``threads`` below 1, or states that no game can be in (it names field, game and range).
        """
        for what, value in (("threads", threads), ("n", n)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"{what} must be a whole number, not {value!r}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if states is None:
            if n < 1:
                raise ValueError(f"a batch has at least 1 game, not {n}")
            batch = Batch(self, np.zeros(n, self.state_dtype), seed, threads)
            batch.reset(seeds=rng.numbered_keys(seed, n))
            return batch
        batch = Batch(self, self._copied(states), seed, threads)
        batch.refresh()
        return batch

    def _copied(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        array = np.asarray(states)
        if (
            array.ndim != 1
            or array.dtype.names != self.state_dtype.names
            or array.dtype.itemsize != self.state_dtype.itemsize
        ):
            raise ValueError(f"states must be a one-dimensional array of {self.name}'s state_dtype")
        copied = np.zeros(len(array), self.state_dtype)
        copied[:] = array
        return copied

    def check(self, states: npt.NDArray[Any]) -> None:
        """Holds every field of ``states``, ``(n,)``, to its ``bounds``, and the players to those there are.

        A game adds what its compiled code relies on, so that no state from elsewhere can lead it astray.

        Raises:
            ValueError: names the first field, game and value outside, and the range.
        """
        for name, (low, high) in self.bounds.items():
            values = np.asarray(functools.reduce(lambda part, field: part[field], name.split("."), states))
            wrong = (values < low) | (values > high)
            if wrong.any():
                where = np.argwhere(wrong)[0]
                raise ValueError(
                    f"{self.name} state {where[0]}: {name} is {values[tuple(where)]}; it must be in {low} to {high}"
                )
        player = np.asarray(states["current_player"])
        self.require([(player < self.num_players, f"current_player must be in -1 to {self.num_players - 1}")])

    def require(self, rules: Iterable[tuple[Any, str]]) -> None:
        """Raises ``ValueError`` for the first rule that a state breaks: each is a bool array ``(n,)`` and what it says."""
        for holds, words in rules:
            if not holds.all():
                raise ValueError(f"{self.name} state {int(np.argmin(holds))}: {words}")

    def _seat(self, seat: int | None) -> int | None:
        """A seat that exists, or None; raises ``ValueError``."""
        if seat is not None and not 0 <= seat < self.num_players:
            raise ValueError(f"seat must be in 0 to {self.num_players - 1}, not {seat}")
        return seat

    def standing(self, state: np.record) -> tuple[list[int], list[int]]:
        """Each seat's score as the game stands, and its rank (0 before the end)."""
        batch = Batch(self, self._copied(np.asarray(state).reshape(1)), 0, 1)
        batch.derive(np.ones(1, np.bool_))  # the state may have been edited
        scores, ranks, _ = batch.measure()
        return scores[0].tolist(), ranks[0].tolist()

    def redeal(self, states: npt.NDArray[Any], seats: npt.ArrayLike, seeds: npt.ArrayLike) -> np.recarray[Any, Any]:
        """Worlds that a seat cannot tell from the given ones: what it has not seen is drawn anew.

        Args:
            states: ``(n,)``, left as they are.
            seats: integers ``(n,)``, whose knowledge is kept (with perfect memory).
            seeds: uint64 ``(n,)``, the keys of the new worlds' streams: the real stream would tell the future.

        Returns:
            New states ``(n,)``.
        """
        copied = self._copied(states)
        self.check(copied)
        views, keys = np.asarray(seats, np.int64), np.ascontiguousarray(seeds, np.uint64)
        if views.shape != copied.shape or keys.shape != copied.shape:
            raise ValueError(f"seats and seeds must have shape ({len(copied)},), one for each state")
        if views.size and not (views.min() >= 0 and views.max() < self.num_players):
            raise ValueError(f"seats must be in 0 to {self.num_players - 1}")
        build_loops(self.rules).redeal(self.kernel_tables, for_kernels(copied), views, keys, 0, len(copied))
        return copied.view(np.recarray)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), json.dumps(self.spec))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Game) and other.spec == self.spec

    def __hash__(self) -> int:
        return hash(json.dumps(self.spec, sort_keys=True))

    def __repr__(self) -> str:
        options = "".join(f", {option}={value!r}" for option, value in self.options.items())
        return f"make_game({self.name!r}, num_players={self.num_players}, reward={self.reward!r}{options})"


def make_game(
    name: str,
    *,
    num_players: int | None = None,
    components: str | Path | Mapping[str, Any] | None = None,
    reward: str = "outcome",
    **options: Any,
) -> Game:
    """Makes a game; see :class:`Game` for what it can do.

    Args:
        name: one of :data:`GAMES`.
        num_players: how many seats; else the game's default.
        components: a component file, or its parsed content; else the game's own.
        reward: ``"outcome"`` or ``"margin"``.
        options: the game's own options.

    Raises:
        ValueError: an unknown game, option or value; the message tells the nearest valid one.
        ComponentError: the component file cannot be used.
    """
    if name not in GAMES:
        raise ValueError(unknown("game", name, GAMES))
    return GAMES[name](num_players=num_players, components=components, reward=reward, **options)


@functools.lru_cache(maxsize=64)  # games never change: unpickling many clones of one game makes it once
def _rebuild(kind: type[Game], spec: str) -> Game:
    made = json.loads(spec)
    return kind(
        num_players=made["num_players"], components=made.get("components"), reward=made["reward"], **made["options"]
    )

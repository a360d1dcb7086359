"""A game's actions: one ``Discrete`` space cut into named blocks, numbered one after the other."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import comb, prod

from isle_envs.core.errors import unknown


@dataclass(frozen=True)
class Argument:
    """One argument of a block: a whole number in ``low … low + size − 1``, with a word for each value if there are words."""

    name: str
    size: int
    low: int = 0
    words: Sequence[str] = ()

    def word(self, value: int) -> str:
        """The value as a person would say it."""
        return self.words[value - self.low] if self.words else str(value)


@dataclass(frozen=True)
class ActionBlock:
    """All actions of one kind.

    Attributes:
        kind: the block's name, the first item of a decoded action.
        arguments: what else names the action; the last one counts fastest.
        template: the label, a format string over the arguments' words.
        meaning: one sentence for the documentation.
        start: the number of the block's first action (given by :class:`ActionSpace`).
        pairs: there are two arguments of one size, and only those values exist whose first is below the second.
    """

    kind: str
    arguments: tuple[Argument, ...]
    template: str
    meaning: str
    start: int = 0
    pairs: bool = False
    size: int = field(init=False)

    def __post_init__(self) -> None:
        sizes = [argument.size for argument in self.arguments]
        object.__setattr__(self, "size", comb(sizes[0], 2) if self.pairs else prod(sizes))

    def index(self, numbers: Sequence[int]) -> int:
        """Which action of the block has these arguments, each counted from its ``low``; a pair must be in ascending order."""
        if self.pairs:
            a, b = numbers
            return a * self.arguments[0].size - a * (a + 1) // 2 + b - a - 1
        index = 0
        for argument, number in zip(self.arguments, numbers, strict=True):
            index = index * argument.size + number
        return index

    def numbers(self, index: int) -> list[int]:
        """The inverse of :meth:`index`."""
        if self.pairs:
            return list(next(islice(combinations(range(self.arguments[0].size), 2), index, None)))
        numbers: list[int] = []
        for argument in reversed(self.arguments):
            index, number = divmod(index, argument.size)
            numbers.append(number)
        return numbers[::-1]


class ActionSpace:
    """The actions of a game, ``0 … num_actions − 1``.

    Attributes:
        blocks: the blocks by kind, in numerical order.
        num_actions: how many actions there are.
    """

    def __init__(self, blocks: Sequence[ActionBlock]) -> None:
        placed: dict[str, ActionBlock] = {}
        start = 0
        for block in blocks:
            placed[block.kind] = replace(block, start=start)
            start += block.size
        self.blocks: Mapping[str, ActionBlock] = placed
        self.num_actions = start
        self._starts = [block.start for block in placed.values()]
        self._ordered = list(placed.values())

    def encode(self, kind: str, *arguments: int) -> int:
        """The number of an action.

        Raises:
            ValueError: there is no such kind, too many or too few arguments, or one outside its range.
            TypeError: an argument is no integer.
        """
        if not isinstance(kind, str) or kind not in self.blocks:
            raise ValueError(unknown("action", kind, self.blocks))
        block = self.blocks[kind]
        if len(arguments) != len(block.arguments):
            names = ", ".join(argument.name for argument in block.arguments)
            raise ValueError(f"action {kind!r} takes {len(block.arguments)} arguments ({names}), not {len(arguments)}")
        numbers = [
            _integer(f"action {kind!r}: {a.name}", value, a.low, a.low + a.size - 1) - a.low
            for a, value in zip(block.arguments, arguments, strict=True)
        ]
        if block.pairs and numbers[0] >= numbers[1]:
            first, second = (argument.name for argument in block.arguments)
            raise ValueError(f"action {kind!r}: {first} must be below {second}, not {arguments[0]} and {arguments[1]}")
        return block.start + block.index(numbers)

    def decode(self, action: int) -> tuple[str, *tuple[int, ...]]:
        """The action as ``(kind, *arguments)``; raises ``ValueError`` outside the space, ``TypeError`` if it is no integer."""
        number = _integer("action", action, 0, self.num_actions - 1)
        block = self._ordered[bisect.bisect_right(self._starts, number) - 1]
        values = block.numbers(number - block.start)
        return (block.kind, *(a.low + value for a, value in zip(block.arguments, values, strict=True)))

    def label(self, action: int) -> str:
        """The action in words; raises as :meth:`decode`."""
        kind, *values = self.decode(action)
        block = self.blocks[kind]
        words = {a.name: a.word(value) for a, value in zip(block.arguments, values, strict=True)}
        return block.template.format(**words)


def _integer(name: str, value: object, low: int, high: int) -> int:
    """``value`` as an int, if it is an integer (no bool) in ``low … high``."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be an integer in {low} … {high}, not {value!r}")
    if not low <= number <= high:
        raise ValueError(f"{name} must be in {low} … {high}, not {number}")
    return number

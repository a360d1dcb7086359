"""A game's actions: one ``Discrete`` space cut into named blocks, numbered one after the other."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

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
    """

    kind: str
    arguments: tuple[Argument, ...]
    template: str
    meaning: str
    start: int = 0
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", prod(argument.size for argument in self.arguments))


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
            placed[block.kind] = ActionBlock(block.kind, block.arguments, block.template, block.meaning, start)
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
        index = 0
        for argument, value in zip(block.arguments, arguments, strict=True):
            high = argument.low + argument.size - 1
            number = _integer(f"action {kind!r}: {argument.name}", value, argument.low, high)
            index = index * argument.size + number - argument.low
        return block.start + index

    def decode(self, action: int) -> tuple[str, *tuple[int, ...]]:
        """The action as ``(kind, *arguments)``; raises ``ValueError`` outside the space, ``TypeError`` if it is no integer."""
        number = _integer("action", action, 0, self.num_actions - 1)
        block = self._ordered[bisect.bisect_right(self._starts, number) - 1]
        index = number - block.start
        values: list[int] = []
        for argument in reversed(block.arguments):
            index, value = divmod(index, argument.size)
            values.append(value + argument.low)
        return (block.kind, *reversed(values))

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

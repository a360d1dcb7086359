"""Reading descriptions of positions: checked values, and errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


class Reader:
    """A value within a description that knows its path.

    Every reader raises ``ValueError`` naming the path, what was found and what is allowed.
    """

    def __init__(self, value: Any, path: str = "") -> None:
        self.value, self.path = value, path

    def fail(self, rule: str) -> ValueError:
        """The error that says what this value must be."""
        return ValueError(f"description: {self.path or 'it'} is {self.value!r}; it must be {rule}")

    def __getitem__(self, key: str) -> Reader:
        if not isinstance(self.value, Mapping):
            raise self.fail("a dictionary")
        path = f"{self.path}.{key}" if self.path else key
        if key not in self.value:
            raise ValueError(f"description: {path} is missing")
        return Reader(self.value[key], path)

    def items(self, length: int | None = None, most: int | None = None) -> list[Reader]:
        """The items of a list of exactly ``length``, or of at most ``most``."""
        value = self.value
        fits = isinstance(value, Sequence) and not isinstance(value, str)
        if not fits or (length is not None and len(value) != length) or (most is not None and len(value) > most):
            raise self.fail(f"a list of {length if length is not None else f'at most {most}'} items")
        return [Reader(item, f"{self.path}[{k}]") for k, item in enumerate(value)]

    def integer(self, low: int, high: int) -> int:
        """A whole number in ``low … high``."""
        if (
            isinstance(self.value, bool)
            or not isinstance(self.value, int | np.integer)
            or not low <= self.value <= high
        ):
            raise self.fail(f"a whole number in {low} to {high}")
        return int(self.value)

    def optional(self, low: int, high: int, absent: int = -1) -> int:
        """A whole number in ``low … high``, or None, which becomes ``absent``."""
        return absent if self.value is None else self.integer(low, high)

    def boolean(self) -> bool:
        """True or False."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def choice(self, choices: Sequence[str]) -> int:
        """The index of one of some words."""
        if not isinstance(self.value, str) or self.value not in choices:
            raise self.fail("one of " + ", ".join(map(repr, choices)))
        return list(choices).index(self.value)


def require_game(read: Reader, **facts: object) -> None:
    """Holds a description to what its game is, as ``game="isla", num_players=2``; raises ``ValueError`` naming the field."""
    for field, value in facts.items():
        if read[field].value != value:
            raise read[field].fail(f"{value!r}, as in this game")


def describe_stream(stream: np.record) -> dict[str, Any]:
    """A game's random stream: its key as a hexadecimal text, its counter as a number."""
    return {"key": f"{int(stream['key']):#018x}", "counter": int(stream["counter"])}


def read_stream(description: Mapping[str, Any], state: np.record) -> None:
    """Sets the stream of ``state`` from the description's optional field ``stream``."""
    if "stream" not in description:
        return
    stream = Reader(description)["stream"]
    key = stream["key"]
    try:
        state.stream.key = np.uint64(int(key.value, 16))
    except (TypeError, ValueError, OverflowError):
        raise key.fail('a hexadecimal text such as "0x1f" of at most 64 bits') from None
    state.stream.counter = np.uint64(stream["counter"].integer(0, 2**64 - 1))

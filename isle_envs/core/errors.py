"""The errors that a user can meet, and the words they have in common."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class IllegalActionError(ValueError):
    """An action that the game does not allow now; raised before anything changes.

    Attributes:
        index: which game of the batch, ``0 … n − 1``.
        seat: whose decision it was, or −1 if that game is over.
        action: the number that was given.
        label: the action in words.
        reason: why it is not allowed.
    """

    def __init__(self, index: int, seat: int, action: int, label: str, reason: str) -> None:
        super().__init__(f"illegal action {action} ({label}) in game {index} by seat {seat}: {reason}")
        self.index, self.seat, self.action, self.label, self.reason = index, seat, action, label, reason

    def __reduce__(self) -> tuple[type[IllegalActionError], tuple[int, int, int, str, str]]:
        return type(self), (self.index, self.seat, self.action, self.label, self.reason)


class ComponentError(ValueError):
    """A component file that cannot be used: tells file, key, what is wrong and what would be right."""

    def __init__(self, source: str | Path, key: str, problem: str) -> None:
        super().__init__(f"{source}: {key}: {problem}" if key else f"{source}: {problem}")
        self.source, self.key, self.problem = source, key, problem

    def __reduce__(self) -> tuple[type[ComponentError], tuple[str | Path, str, str]]:
        return type(self), (self.source, self.key, self.problem)


class ReplayError(ValueError):
    """A replay that cannot be read, or that does not fit its game."""


def unknown(what: str, given: object, valid: Iterable[str]) -> str:
    """The message for a name that does not exist: the name, the nearest valid one, and all valid ones."""
    names = [str(name) for name in valid]
    near = difflib.get_close_matches(str(given), names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {given!r}.{hint} Valid: {', '.join(names) if names else 'none'}."

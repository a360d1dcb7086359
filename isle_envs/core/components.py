"""Component files: TOML in, checked values out. Every error names file, key, what was found and what is allowed."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isle_envs.core.errors import ComponentError, unknown


def read_components(source: str | Path) -> dict[str, Any]:
    """Reads a TOML file.

    Raises:
        ComponentError: no path, or the file is missing, unreadable or not TOML.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise ComponentError("components", "", f"must be the path of a TOML file, or its content, not {_shown(source)}")
    if not os.fspath(source) or "\0" in os.fspath(source):
        raise ComponentError("components", "", f"must be the path of a TOML file; no file is named {str(source)!r}")
    try:
        return tomllib.loads(Path(source).read_text("utf-8-sig"))
    except FileNotFoundError:
        raise ComponentError(source, "", "there is no such file") from None
    except OSError as error:
        raise ComponentError(source, "", f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ComponentError(source, "", f"is not UTF-8 text ({error.reason} at byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ComponentError(source, "", f"is not valid TOML: {error}") from None
    except RecursionError:
        raise ComponentError(source, "", "cannot be read (it is nested too deeply)") from None
    except ValueError as error:  # a number with thousands of digits; a name that the file system cannot have
        raise ComponentError(source, "", f"cannot be read ({error})") from None


def _shown(value: object) -> str:
    """A value for a message; Python refuses to write out some that TOML can hold."""
    try:
        return repr(value)
    except (RecursionError, ValueError):
        return f"{type(value).__name__} too large to show"


def _count(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} … {most}"


class Table:
    """A table of a component file that remembers where it stands, for messages, and which keys were asked for.

    Every reader raises :class:`~isle_envs.core.errors.ComponentError` for a missing key, a wrong type or a value outside what is allowed.
    """

    def __init__(self, source: str | Path, data: dict[str, Any], name: str = "") -> None:
        self.source, self.data, self.name = source, data, name
        self._known: set[str] = set()

    def fail(self, key: str, problem: str) -> ComponentError:
        """The error for ``key`` of this table, or with ``""`` for the table itself."""
        return ComponentError(self.source, ".".join(filter(None, (self.name, key))), problem)

    def _get(self, key: str, kind: type, words: str) -> Any:
        self._known.add(key)
        if key not in self.data:
            raise self.fail(key, f"is missing; it must be {words}")
        value = self.data[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fail(key, f"is {_shown(value)}; it must be {words}")
        return value

    def __contains__(self, key: str) -> bool:
        self._known.add(key)
        return key in self.data

    def integer(self, key: str, low: int, high: int) -> int:
        """A whole number in ``low … high``."""
        words = f"a whole number in {low} … {high}" if low < high else str(low)
        value = self._get(key, int, words)
        if not low <= value <= high:
            raise self.fail(key, f"is {_shown(value)}; it must be {words}")
        return int(value)

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """One of some words."""
        words = "one of " + ", ".join(repr(word) for word in choices)
        value = self._get(key, str, words)
        if value not in choices:
            raise self.fail(key, f"is {value!r}; it must be {words}")
        return str(value)

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self._get(key, str, "a text")
        if not value.strip():
            raise self.fail(key, "is empty; it must be a text")
        return str(value)

    def boolean(self, key: str) -> bool:
        """True or false."""
        return bool(self._get(key, bool, "true or false"))

    def words(self, key: str, least: int, most: int | None = None) -> list[str]:
        """A list of ``least`` different words, or of ``least … most``."""
        most = least if most is None else most
        rule = f"a list of {_count(least, most)} different words"
        value = self._get(key, list, rule)
        if (
            not least <= len(value) <= most
            or not all(isinstance(word, str) and word for word in value)
            or len(set(value)) != len(value)
        ):
            raise self.fail(key, f"is {_shown(value)}; it must be {rule}")
        return list(value)

    def table(self, key: str) -> Table:
        """A table within this one."""
        value = self._get(key, dict, "a table")
        return Table(self.source, value, ".".join(filter(None, (self.name, key))))

    def integers(self, key: str, least: int, most: int, low: int, high: int) -> list[int]:
        """A list of ``least … most`` whole numbers in ``low … high``."""
        rule = f"a list of {_count(least, most)} whole numbers in {low} … {high}"
        value = self._get(key, list, rule)
        if not least <= len(value) <= most or not all(
            isinstance(item, int) and not isinstance(item, bool) and low <= item <= high for item in value
        ):
            raise self.fail(key, f"is {_shown(value)}; it must be {rule}")
        return list(value)

    def rows(self, key: str, most: int) -> list[list[str]]:
        """A drawing: a list of texts, each cut at its blanks into equally many items, at most ``most`` either way."""
        rule = f"a list of 1 … {most} texts of equally many items, 1 … {most}, separated by blanks"
        value = self._get(key, list, rule)
        cells = [row.split() for row in value if isinstance(row, str)]
        if len(cells) != len(value) or not 1 <= len(cells) <= most or not 1 <= len(cells[0]) <= most:
            raise self.fail(key, f"is {_shown(value)}; it must be {rule}")
        for number, row in enumerate(cells):
            if len(row) != len(cells[0]):
                raise self.fail(
                    f"{key}[{number}]", f"has {len(row)} items, row 0 has {len(cells[0])}; it must be {rule}"
                )
        return cells

    def tables(self, key: str, least: int, most: int | None = None) -> list[Table]:
        """A list of ``least`` tables, or of ``least … most``."""
        most = least if most is None else most
        rule = f"a list of {_count(least, most)} tables"
        value = self._get(key, list, rule)
        if not least <= len(value) <= most or not all(isinstance(item, dict) for item in value):
            raise self.fail(key, f"is a list of {len(value)} items; it must be {rule}")
        name = ".".join(filter(None, (self.name, key)))
        return [Table(self.source, item, f"{name}[{k}]") for k, item in enumerate(value)]

    def close(self) -> None:
        """Rejects keys that nobody asked for: a misspelt key must not be passed over."""
        for key in self.data:
            if key not in self._known:
                raise self.fail(key, unknown("key", key, sorted(self._known)))

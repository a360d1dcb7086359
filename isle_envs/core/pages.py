"""The tables of a game's documentation page, generated from the game.

A page marks a table's place by ``<!-- table NAME -->`` and ``<!-- end -->``; ``python -m isle_envs.core.pages`` fills in all pages.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from isle_envs.core.game import GAMES, Game

_PLACE = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page_of(kind: type[Game]) -> Path:
    """A game's documentation page: ``README.md`` beside its component file."""
    return kind.default_components.with_name("README.md")


def tables_of(kind: type[Game]) -> dict[str, str]:
    """The tables by name: ``options``, ``actions``, ``observation``; the latter two with every part that some option adds."""
    games = list(_variants(kind))
    widest = max(games, key=lambda game: game.num_actions)
    fullest = max(games, key=lambda game: game.observation.size)
    counts = ", ".join(map(str, kind.player_counts))
    options = [("num_players", counts, "how many seats; the first is the default")]
    options += [(name, ", ".join(map(str, spec.choices)), spec.meaning) for name, spec in kind.option_specs.items()]
    actions = [
        (
            f"`{block.kind}({', '.join(argument.name for argument in block.arguments)})`",
            str(block.size),
            f"{block.start} … {block.start + block.size - 1}",
            block.meaning,
        )
        for block in widest.actions.blocks.values()
    ]
    observation = [
        (f"`{block.name}`", " × ".join(map(str, block.shape)), f"{block.low} … {block.high}", block.meaning)
        for block in fullest.observation.blocks.values()
    ]
    return {
        "options": _table(("option", "values", "meaning"), options),
        "actions": _table(("action", "how many", "numbers", "meaning"), actions),
        "observation": _table(("block", "shape", "raw values", "meaning"), observation),
    }


def _variants(kind: type[Game]) -> Iterator[Game]:
    """The game for each number of players and each value of each option, where they go together."""
    for count in kind.player_counts:
        for name, spec in kind.option_specs.items():
            for value in spec.choices:
                with contextlib.suppress(ValueError):
                    yield kind(num_players=count, **{name: value})


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def filled(text: str, tables: dict[str, str]) -> str:
    """A page with its tables filled in; raises ``KeyError`` for a place whose table does not exist."""
    return _PLACE.sub(lambda place: place[1] + tables[place[2]] + place[3], text)


def main() -> None:
    """Fills in the pages of all games."""
    for kind in GAMES.values():
        page = page_of(kind)
        page.write_text(filled(page.read_text("utf-8"), tables_of(kind)), "utf-8")


if __name__ == "__main__":
    import isle_envs  # noqa: F401 — the games make themselves known when they are imported

    main()

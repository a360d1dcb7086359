"""Documentation pages say what the code says."""

from __future__ import annotations

import pytest

import isle_envs
from isle_envs.core.pages import filled, page_of, tables_of


@pytest.mark.parametrize("name", isle_envs.GAMES)
def test_tables_are_those_of_the_game(name: str) -> None:
    kind = isle_envs.GAMES[name]
    text = page_of(kind).read_text("utf-8")
    tables = tables_of(kind)
    for table in tables:
        assert f"<!-- table {table} -->" in text
    assert filled(text, tables) == text, "run: python -m isle_envs.core.pages"

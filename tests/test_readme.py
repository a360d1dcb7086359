"""What the documentation shows works: every Python block of the README and of the games' pages runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import isle_envs
from isle_envs.core.pages import page_of

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *(page_of(kind) for kind in isle_envs.GAMES.values())]
BLOCKS = [
    (page, block) for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(
    ("page", "block"), BLOCKS, ids=lambda value: value.parent.name if isinstance(value, Path) else None
)
def test_a_block_runs(page: Path, block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, str(page), "exec"), {})
    assert capsys.readouterr().out.strip() or "print" not in block


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"

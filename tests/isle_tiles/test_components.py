"""Component files: what is accepted, and one clear error for each way to be wrong."""

from __future__ import annotations

import copy
import re
import tomllib
from pathlib import Path

import pytest

import isle_envs
from isle_envs.isle_tiles.game import IsleTiles

DEFAULT = IsleTiles.default_components.read_text("utf-8")


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


# (what is replaced, by what, what the message must say after the file's path)
WRONG = {
    "not TOML": ('grid = "hex"', "grid = hex", "is not valid TOML"),
    "grid of another kind": (
        'grid = "hex"',
        'grid = "triangle"',
        "grid: is 'triangle'; it must be one of 'hex', 'square'",
    ),
    "grid not a word": ('grid = "hex"', "grid = 6", "grid: is 6; it must be one of"),
    "grid missing": ('grid = "hex"', "", "grid: is missing"),
    "unknown key": (
        'grid = "hex"',
        'grid = "hex"\nlandscape = 1',
        "landscape: unknown key 'landscape'. Did you mean 'landscapes'?",
    ),
    "four landscapes": (
        ', "forest"]',
        "]",
        "landscapes: is ['lava', 'desert', 'ice', 'swamp']; it must be a list of 5 different words",
    ),
    "a landscape twice": ('"forest"]', '"swamp"]', "it must be a list of 5 different words"),
    "count not whole": (
        "each_double = 2 ",
        "each_double = 2.5 ",
        "tiles.each_double: is 2.5; it must be a whole number in 0 … 50",
    ),
    "count below 0": (
        "each_double = 2 ",
        "each_double = -1 ",
        "tiles.each_double: is -1; it must be a whole number in 0 … 50",
    ),
    "51 tiles": (
        "each_double = 2 ",
        'each_double = 2\n"lava/lava" = 3 ',
        "tiles: there are 51 tiles; there must be 50",
    ),
    "unknown pair": ("each_double = 2 ", 'each_double = 2\n"lava/sea" = 3 ', "tiles.lava/sea: unknown key 'lava/sea'"),
    "tiles missing": ("[tiles]", "[tile]", "tiles: is missing; it must be a table"),
    "layout missing": ("[layouts.first_game]", "[layouts.second_game]", "layouts.first_game: is missing"),
    "a fifth part": ("       1 1 1\n", "       4 1 1\n", "layouts.first_game.hex: line 1 has '4'"),
    "a part too small": (
        "       1 1 1\n",
        "         1 1\n",
        "layouts.first_game.hex: part 1 has 14 spaces; it must have 15",
    ),
    "off the grid": (
        "       1 1 1\n",
        "      1  1 1\n",
        "layouts.first_game.hex: line 1 has a space at character 10, off the grid",
    ),
    "a part in pieces": ("       1 1 1\n", "     1 1         1\n", "layouts.first_game.hex: part 1 is not connected"),
    "a part too long": (
        "       1 1 1\n  0 0 1 1 1 1 1\n",
        "   1 1 1\n  0 0 1 1 1 1 1\n",
        "layouts.first_game.hex: part 1 has a space 3 steps from its reference space; 2 is the most",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_malformed_file_gives_one_error_that_says_where(case: str, tmp_path: Path) -> None:
    old, new, message = WRONG[case]
    assert old in DEFAULT
    path = write(tmp_path, DEFAULT.replace(old, new, 1))
    with pytest.raises(isle_envs.ComponentError, match=re.escape(message)) as error:
        isle_envs.make_game("isle_tiles", components=path)
    assert str(error.value).startswith(str(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(isle_envs.ComponentError, match="there is no such file"):
        isle_envs.make_game("isle_tiles", components=tmp_path / "none.toml")
    with pytest.raises(isle_envs.ComponentError, match="cannot be read"):
        isle_envs.make_game("isle_tiles", components=tmp_path)
    path = tmp_path / "binary.toml"
    path.write_bytes(b"grid = \xff\xfe")
    with pytest.raises(isle_envs.ComponentError, match="is not UTF-8"):
        isle_envs.make_game("isle_tiles", components=path)


def test_four_parts_that_do_not_touch_are_rejected(tmp_path: Path) -> None:
    """A row of blanks between the upper and the lower parts of the square layout."""
    text = DEFAULT.replace('grid = "hex"', 'grid = "square"').replace("2 2 2 2 3 3 3 3\n", ". .\n2 2 2 2 3 3 3 3\n", 1)
    with pytest.raises(isle_envs.ComponentError, match=r"layouts.first_game.square: the 60 spaces are not connected"):
        isle_envs.make_game("isle_tiles", components=write(tmp_path, text))


def test_a_pair_may_have_its_own_count(tmp_path: Path) -> None:
    """One lava/desert more and one ice double less than the general counts: still 50."""
    text = DEFAULT.replace("each_double = 2 ", 'each_double = 2\n"lava/desert" = 5\n"ice/ice" = 1 ')
    game = isle_envs.make_game("isle_tiles", components=write(tmp_path, text))
    counts = dict(zip(map(tuple, game.tables[0].tile.tolist()), game.tables[0].tile_count.tolist(), strict=True))
    assert counts[0, 1] == 5 and counts[2, 2] == 1
    assert counts[0, 2] == 4 and counts[0, 0] == 2


def test_default_mix_gives_20_spaces_of_every_landscape() -> None:
    """40 mixed tiles, 4 of each of 10 pairs: 16 halves a landscape; 2 doubles: 4 more."""
    tables = isle_envs.make_game("isle_tiles").tables[0]
    halves = [0] * 5
    for (a, b), count in zip(tables.tile.tolist(), tables.tile_count.tolist(), strict=True):
        halves[a] += count
        halves[b] += count
    assert halves == [20] * 5


def test_parsed_content_is_accepted_and_copied() -> None:
    content = tomllib.loads(DEFAULT)
    content["grid"] = "square"
    kept = copy.deepcopy(content)
    game = isle_envs.make_game("isle_tiles", components=content)
    content["grid"] = "hex"
    assert game.components == kept
    assert not game.tables[0].hexes


def test_no_draft_on_squares() -> None:
    content = tomllib.loads(DEFAULT) | {"grid": "square"}
    with pytest.raises(ValueError, match="a draft needs hexes"):
        isle_envs.make_game("isle_tiles", components=content, board="draft")


def test_the_file_says_that_it_is_reconstructed() -> None:
    assert "RECONSTRUCTED" in DEFAULT

"""Islet's component files: what is accepted, and one clear error for each way to be wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import isle_envs
from isle_envs.islet.game import Islet

DEFAULT = Islet.default_components.read_text("utf-8")

# (what is replaced, by what, what the message must say after the file's path)
WRONG = {
    "not TOML": ("each_kind = 10", "each_kind = ten", "is not valid TOML"),
    "two terrains": (
        '["fresh water", "sand", "clay"]',
        '["sand", "clay"]',
        "terrains: is ['sand', 'clay']; it must be a list of 3",
    ),
    "nests missing": ("nests     =", "nest      =", "nests: is missing"),
    "count not whole": (
        "each_kind = 10 ",
        'each_kind = "10" ',
        "each_kind: is '10'; it must be a whole number in 0 … 90",
    ),
    "81 tiles": ("each_kind = 10 ", "each_kind = 9 ", "each_kind: there are 81 tiles in all; there must be 90"),
    "unknown key": ("each_kind = 10 ", "each_kind = 10\neach = 1 ", "each: unknown key 'each'"),
    "unknown kind": (
        "each_kind = 10 ",
        'each_kind = 10\ntiles = { "sand/feathers" = 3 } ',
        "tiles.sand/feathers: unknown key 'sand/feathers'. Did you mean 'sand/leaves'",
    ),
    "twelve cards": (
        '  { day = "hollow",              night = "terrain clay" },\n',
        "",
        "day_night: is a list of 12 items; it must be a list of 13 tables",
    ),
    "a card that is no table": (
        '{ day = "hollow",              night = "terrain clay" }',
        '"hollow"',
        "day_night: is a list of 13 items; it must be a list of 13 tables",
    ),
    "a face missing": ('{ day = "hollow",              night', "{ evening = 1, night", "day_night[12].day: is missing"),
    "a third face": (
        '{ day = "hollow", ',
        '{ noon = "peak", day = "hollow", ',
        "day_night[12].noon: unknown key 'noon'",
    ),
    "unknown condition": (
        'day = "hollow"',
        'day = "hollows"',
        "day_night[12].day: is 'hollows'; it must be a condition",
    ),
    "unknown terrain": (
        'night = "terrain clay"',
        'night = "terrain mud"',
        "day_night[12].night: is 'terrain mud'; it must be",
    ),
    "a number missing": (
        'day = "level_min 2"',
        'day = "level_min"',
        "day_night[3].day: is 'level_min'; it must be a condition",
    ),
    "a number too high": (
        'day = "level_min 2"',
        'day = "level_min 10"',
        "day_night[3].day: is 'level_min 10'; it must be",
    ),
    "a word too many": ('day = "peak"', 'day = "peak 3"', "day_night[11].day: is 'peak 3'; it must be a condition"),
    "a condition twice": ('day = "hollow"', 'day = "peak"', "day_night[12].day: is 'peak', as on card 11"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_malformed_file_gives_one_error_that_says_where(case: str, tmp_path: Path) -> None:
    old, new, message = WRONG[case]
    assert old in DEFAULT
    path = tmp_path / "mine.toml"
    path.write_text(DEFAULT.replace(old, new, 1), "utf-8")
    with pytest.raises(isle_envs.ComponentError, match=re.escape(message)) as error:
        isle_envs.make_game("islet", components=path)
    assert str(error.value).startswith(str(path))


def test_a_condition_may_stand_in_both_orientations() -> None:
    """Card 11 asks for a peak by day, card 0 by night."""
    assert 'day = "peak"' in DEFAULT and 'night = "peak"' in DEFAULT
    isle_envs.make_game("islet", num_players=1)


def test_a_kind_may_have_its_own_count(tmp_path: Path) -> None:
    """One fresh water/leaves (kind 0) less, one clay/flowers (kind 8) more: still 90."""
    path = tmp_path / "mine.toml"
    own = 'each_kind = 10\ntiles = { "fresh water/leaves" = 9, "clay/flowers" = 11 } '
    path.write_text(DEFAULT.replace("each_kind = 10 ", own, 1), "utf-8")
    counts = isle_envs.make_game("islet", components=path).tables[0].kind_count
    assert counts.tolist() == [9, 10, 10, 10, 10, 10, 10, 10, 11]


def test_the_file_says_that_it_is_reconstructed() -> None:
    assert "RECONSTRUCTED" in DEFAULT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "num_players must be one of 2, 3, 4, 1, not 5"),
        ({"eggs": 7}, "option 'eggs': unknown value 7"),
        ({"num_players": 1, "reward": "margin"}, "option 'reward': the solo game has only 'outcome'"),
        ({"egg": 6}, "unknown option 'egg'. Did you mean 'eggs'"),
    ],
)
def test_options_that_do_not_exist(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        isle_envs.make_game("islet", **options)


@pytest.mark.parametrize(("num_players", "eggs"), [(1, 10), (2, 10), (3, 8), (4, 6)])
def test_the_rulebook_says_how_many_eggs(num_players: int, eggs: int) -> None:
    assert isle_envs.make_game("islet", num_players=num_players).tables[0].eggs == eggs


def test_the_simpler_solo_game_has_six() -> None:
    assert isle_envs.make_game("islet", num_players=1, eggs=6).tables[0].eggs == 6

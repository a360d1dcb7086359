"""The readers of component files: what each returns, and an error that says where, what was found and what is allowed."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

import isle_envs
from isle_envs.core.components import Table
from isle_envs.core.errors import ComponentError

FILE: dict[str, Any] = {
    "yes": True,
    "no": False,
    "one": 1,
    "list": [3, -2, 3],
    "flags": [1, True],
    "names": ["sun", "wave", "leaf"],
    "twice": ["sun", "sun"],
    "drawing": ["M  J .", ". x  -"],
    "ragged": ["M J", "M", "M J"],
    "blank": ["", ""],
    "part": {"dice": [4, 6], "cards": [{"points": 2}, {"points": 17}]},
}

Read = Callable[[Table], object]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda t: t.boolean("yes"), True),
        (lambda t: t.boolean("no"), False),
        (lambda t: t.integers("list", 3, 3, -2, 3), [3, -2, 3]),
        (lambda t: t.integers("list", 1, 9, -5, 5), [3, -2, 3]),
        (lambda t: t.words("names", 3), ["sun", "wave", "leaf"]),
        (lambda t: t.words("names", 1, 3), ["sun", "wave", "leaf"]),
        (lambda t: t.words("names", 3, 8), ["sun", "wave", "leaf"]),
        (lambda t: t.rows("drawing", 3), [["M", "J", "."], [".", "x", "-"]]),
        (lambda t: t.table("part").integers("dice", 2, 2, 2, 20), [4, 6]),
        (lambda t: [card.data for card in t.table("part").tables("cards", 1, 2)], [{"points": 2}, {"points": 17}]),
        (lambda t: [card.name for card in t.table("part").tables("cards", 2)], ["part.cards[0]", "part.cards[1]"]),
    ],
)
def test_what_is_read(read: Read, expected: object) -> None:
    found = read(Table("mine.toml", FILE))
    assert found == expected and type(found) is type(expected)


NUMBERS = "a list of 1 … 2 whole numbers in -5 … 5"
DRAWING = "a list of 1 … 2 texts of equally many items, 1 … 2, separated by blanks"


@pytest.mark.parametrize(
    ("read", "key", "problem"),
    [
        (lambda t: t.boolean("maybe"), "maybe", "is missing; it must be true or false"),
        (lambda t: t.boolean("one"), "one", "is 1; it must be true or false"),
        (lambda t: t.integers("list", 1, 2, -5, 5), "list", f"is [3, -2, 3]; it must be {NUMBERS}"),
        (
            lambda t: t.integers("list", 4, 4, -5, 5),
            "list",
            "is [3, -2, 3]; it must be a list of 4 whole numbers in -5 … 5",
        ),
        (
            lambda t: t.integers("list", 3, 3, -1, 3),
            "list",
            "is [3, -2, 3]; it must be a list of 3 whole numbers in -1 … 3",
        ),
        (
            lambda t: t.integers("list", 3, 3, -2, 2),
            "list",
            "is [3, -2, 3]; it must be a list of 3 whole numbers in -2 … 2",
        ),
        (lambda t: t.integers("flags", 1, 2, -5, 5), "flags", f"is [1, True]; it must be {NUMBERS}"),
        (lambda t: t.integers("twice", 1, 2, -5, 5), "twice", f"is ['sun', 'sun']; it must be {NUMBERS}"),
        (lambda t: t.integers("one", 1, 2, -5, 5), "one", f"is 1; it must be {NUMBERS}"),
        (lambda t: t.integers("none", 1, 2, -5, 5), "none", f"is missing; it must be {NUMBERS}"),
        (
            lambda t: t.words("names", 1, 2),
            "names",
            "is ['sun', 'wave', 'leaf']; it must be a list of 1 … 2 different words",
        ),
        (lambda t: t.words("names", 4, 8), "names", "it must be a list of 4 … 8 different words"),
        (lambda t: t.words("names", 2), "names", "it must be a list of 2 different words"),
        (lambda t: t.words("twice", 1, 2), "twice", "is ['sun', 'sun']; it must be a list of 1 … 2 different words"),
        (lambda t: t.rows("drawing", 2), "drawing", f"is ['M  J .', '. x  -']; it must be {DRAWING}"),
        (lambda t: t.rows("names", 2), "names", f"is ['sun', 'wave', 'leaf']; it must be {DRAWING}"),
        (lambda t: t.rows("flags", 2), "flags", f"is [1, True]; it must be {DRAWING}"),
        (lambda t: t.rows("blank", 2), "blank", f"is ['', '']; it must be {DRAWING}"),
        (lambda t: t.rows("one", 2), "one", f"is 1; it must be {DRAWING}"),
        (lambda t: t.rows("none", 2), "none", f"is missing; it must be {DRAWING}"),
        (lambda t: t.rows("ragged", 3), "ragged[1]", "has 1 items, row 0 has 2; it must be a list of 1 … 3 texts"),
        (
            lambda t: t.table("part").tables("cards", 3, 64),
            "part.cards",
            "is a list of 2 items; it must be a list of 3 … 64 tables",
        ),
        (lambda t: t.table("part").tables("cards", 1), "part.cards", "it must be a list of 1 tables"),
        (lambda t: t.table("part").tables("dice", 1, 5), "part.dice", "it must be a list of 1 … 5 tables"),
        (
            lambda t: [card.integer("points", 0, 16) for card in t.table("part").tables("cards", 1, 5)],
            "part.cards[1].points",
            "is 17; it must be a whole number in 0 … 16",
        ),
    ],
)
def test_what_is_refused(read: Read, key: str, problem: str) -> None:
    with pytest.raises(ComponentError, match=re.escape(problem)) as error:
        read(Table("mine.toml", FILE))
    assert error.value.key == key
    assert str(error.value).startswith(f"mine.toml: {key}: ")


def test_no_rows_at_all() -> None:
    with pytest.raises(ComponentError, match=r"is \[\]; it must be a list of 1 … 2 texts"):
        Table("mine.toml", {"drawing": []}).rows("drawing", 2)


def test_what_is_read_can_be_changed() -> None:
    """The lists are copies: who sorts them does not sort the file's content."""
    kept = copy.deepcopy(FILE)
    table = Table("mine.toml", FILE)
    table.integers("list", 3, 3, -2, 3).sort()
    table.words("names", 3).sort()
    table.rows("drawing", 3)[0].sort()
    assert kept == FILE


def test_keys_asked_for_are_known() -> None:
    table = Table("mine.toml", {"dice": [4], "map": ["x"], "last": True, "dies": 1})
    table.integers("dice", 1, 1, 2, 20)
    table.rows("map", 1)
    table.boolean("last")
    with pytest.raises(ComponentError, match=r"dies: unknown key 'dies'. Did you mean 'dice'\? Valid: dice, last, map"):
        table.close()
    table.integer("dies", 1, 1)
    table.close()


# ----------------------------------------------------------------------------------- Options whose values a file names


def test_an_option_may_name_something_of_the_component_file() -> None:
    """The values listed come first, then any name; the game itself knows which there are."""
    option = isle_envs.GAMES["isla"].option_specs["keeper"]
    assert option.named == "keeper" and option.choices == ("recommended", "random")
    game = isle_envs.make_game("isla", num_players=1, keeper="Hollow Antler")
    assert game.options["keeper"] == "Hollow Antler"
    assert game.spec["options"]["keeper"] == "Hollow Antler"
    assert game == isle_envs.make_game("isla", num_players=1, keeper="Hollow Antler")
    assert game != isle_envs.make_game("isla", num_players=1)
    assert pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize("value", [3, None, True, ["Hollow Antler"]])
def test_a_name_is_a_text(value: Any) -> None:
    with pytest.raises(ValueError, match=r"isla, option 'keeper': unknown value .* Valid: recommended, random"):
        isle_envs.make_game("isla", num_players=1, keeper=value)


def test_other_options_keep_to_their_choices() -> None:
    with pytest.raises(ValueError, match="isla, option 'threat_per_one': unknown value 'Hollow Antler'"):
        isle_envs.make_game("isla", threat_per_one="Hollow Antler")

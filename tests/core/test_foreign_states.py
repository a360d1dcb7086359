"""States from elsewhere: refused by one clear error, or playable to the end without a fault."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.testing import sample_positions

GAMES = [
    isle_envs.make_game("isle_tiles", num_players=3),
    isle_envs.make_game("isle_tiles", num_players=2, board="random"),
    isle_envs.make_game("isle_tiles", num_players=3, board="draft"),
    isle_envs.make_game("islet", num_players=2),
    isle_envs.make_game("islet", num_players=1, eggs=6),
    isle_envs.make_game("isla", num_players=3),
    isle_envs.make_game("isla", num_players=1, keeper="random"),
]


def edited(states: Any, chance: random.Random) -> str:
    """Sets one number of one field of the only state to something; returns what was done."""
    part, path = states.view(np.ndarray), ""
    while part.dtype.names:
        name = chance.choice([name for name in part.dtype.names if name != "stream"])
        part, path = part[name], f"{path}.{name}"
    limits = np.iinfo(part.dtype)
    near = int(part.flat[0]) + chance.choice([-1, 1, 2])
    value = chance.choice([limits.min, limits.max, 0, 1, 2, 3, near, chance.randint(limits.min, limits.max)])
    index = chance.randrange(part.size)
    part[np.unravel_index(index, part.shape)] = min(max(value, limits.min), limits.max)
    return f"{path}[{index}] = {value}"


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_an_edited_state_is_refused_or_playable(game: isle_envs.Game) -> None:
    chance = random.Random(7)
    positions = sample_positions(game, 40, seed=3)
    accepted = 0
    for k in range(400):
        states = positions[[k % 40]].copy()
        what = edited(states, chance)
        try:
            batch = game.batch(states=states)
        except ValueError:
            continue
        accepted += 1
        try:
            for seat in range(game.num_players):
                game.describe(batch.states[0], seat)
                game.batch(states=game.redeal(batch.states, [seat], [k]))
            for _ in range(3000):
                if batch.terminated[0]:
                    break
                batch.step(batch.sample_legal())
                batch.observe()
            assert batch.terminated[0], f"no end after {what}"
            batch.ranks()
        except Exception as error:
            error.add_note(f"after {what}")
            raise
    assert 40 < accepted < 360


TILES, ISLET, ISLA = (isle_envs.make_game(name) for name in ("isle_tiles", "islet", "isla"))


@pytest.mark.parametrize(
    ("game", "field", "value", "message"),
    [
        (TILES, "supply_size", 0, "more tiles are drawn|last_turns must be -1"),
        (TILES, "drawn", 48, "more tiles are drawn than the supply had"),
        (TILES, "phase", 7, "current_player must be -1 exactly in the phase 'over'"),
        (TILES, "phase", 0, "this game has no draft"),
        (TILES, "current_player", 2, "current_player must be in -1 to 1"),
        (TILES, "hand", -1, "the current player must have a tile"),
        (TILES, "marker_at", 5, "two markers share a space|a marker lies on water"),
        (TILES, "land", 2**60, "land has a space beyond 59"),
        (TILES, "card", 3, "a task card lies there twice"),
        (TILES, "set_aside", 255, "set_aside is 255; it must be in 0 to 48"),
        (ISLET, "bag_size", 1, "eggs|more tiles"),
        (ISLET, "tiles", 90, "tile_cell has a cell twice"),
        (ISLET, "tile_cell", 90, "tile_cell has a cell twice"),
        (ISLET, "tile_cell", 558, "tile_cell has a cell that is not on the canvas"),
        (ISLET, "bird", 40, "a bird stands on a tile that is not there"),
        (ISLET, "phase", 2, "a tile is picked exactly in the phase 'place'"),
        (ISLET, "phase", 8, "an egg is laid by a bird on a tile"),
        (ISLET, "phase", 0, "this phase belongs to the solo game"),
        (ISLET, "paid", 200, "paid is 200; it must be in 0 to 60"),
        (ISLET, "laid", 3, "eggs must add up to 10"),
        (ISLET, "placed", 1, "last is a tile exactly once one has been placed"),
        (ISLA, "phase", 3, "before: at must be an explored space"),
        (ISLA, "phase", 7, "phase is 7; it must be in 0 to 6"),
        (ISLA, "phase", 5, "in this phase the dice have been rolled"),
        (ISLA, "end", 1, "end must be 0 exactly before the phase 'over'"),
        (ISLA, "first_player", 2, "first_player is a seat that is not there"),
        (ISLA, "round_number", 61, "round_number must be at most 60"),
        (ISLA, "die", 5, "a die shows more than it has sides"),
        (ISLA, "drawn", 39, "more research cards are drawn than the deck had"),
        (ISLA, "deck_size", 39, "the deck has more research cards than there are"),
        (ISLA, "deck", 3, "a research card is twice in the deck and the discards"),
        (ISLA, "deck", 38, "the deck has a research card that does not exist"),
        (ISLA, "discards", 2**38, "a research card that does not exist is discarded"),
        (ISLA, "pool", 38, "the pool has a research card that does not exist"),
        (ISLA, "threats_drawn", 36, "more threats are drawn than the deck had"),
        (ISLA, "threat_deck", 16, "the deck has a threat that does not exist"),
        (ISLA, "threat_discards", 1, "a threat that does not exist is discarded"),
        (ISLA, "chosen", 0, "a die is chosen exactly while it is used"),
        (ISLA, "movement", 1, "there is movement exactly in the phase 'step'"),
    ],
)
def test_what_is_refused(game: isle_envs.Game, field: str, value: int, message: str) -> None:
    batch = game.batch(1, seed=1)
    if field == "bag_size":
        batch.states.drawn = 5
        message = "more tiles are drawn than the bag had"
    batch.states[field] = value
    with pytest.raises(ValueError, match=message):
        batch.refresh()


@pytest.mark.parametrize(
    ("game", "field"), [(TILES, "owned"), (TILES, "area_size"), (ISLET, "shore"), (ISLA, "choices")]
)
def test_what_follows_from_other_fields_is_found_anew(game: isle_envs.Game, field: str) -> None:
    """Whatever stands in such a field of a state from elsewhere, or is left of it after an edit, does not count."""
    batch = game.batch(4, seed=1)
    batch.play_random(60)
    whole, masks = batch.states.tobytes(), batch.action_mask.copy()
    batch.states[field] = 3
    batch.refresh()
    assert batch.states.tobytes() == whole and (batch.action_mask == masks).all()
    foreign = np.array(batch.states)
    foreign[field] = 0
    assert game.batch(states=foreign).states.tobytes() == whole
    redealt = game.redeal(foreign, [0] * 4, [1] * 4)
    assert redealt.tobytes() == game.redeal(batch.states, [0] * 4, [1] * 4).tobytes()


def test_a_tile_taken_away_by_hand_leaves_the_shore_of_the_others() -> None:
    """Of the six tiles of the start the last is taken away: each cell next to the other five, and no tile, is shore."""
    batch = ISLET.batch(1, seed=1)
    batch.states.tiles = 5
    batch.refresh()
    cells = batch.states.tile_cell[0, :5].tolist()
    beside = {int(cell) for tile in cells for cell in ISLET.tables[0].cell_near[tile]} - set(cells)
    words = batch.states.shore[0]
    assert {cell for cell in range(64 * len(words)) if int(words[cell // 64]) >> cell % 64 & 1} == beside


def test_buffers_and_steps_of_play_random() -> None:
    batch = TILES.batch(3)
    for wrong in (np.zeros((1, 3), np.int8), np.zeros((3, TILES.observation.size), np.int16), [1]):
        with pytest.raises(ValueError, match="a buffer for observations must be"):
            batch.play_random(1, wrong)  # type: ignore[arg-type]
    for steps in (None, "3", 1.5, True):
        with pytest.raises(TypeError, match="steps must be a whole number"):
            batch.play_random(steps)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="steps must be at least 0"):
        batch.play_random(-1)

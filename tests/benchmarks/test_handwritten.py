"""The hand-written C plays the engine's games, decision by decision."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks import handwritten
from benchmarks.handwritten import GAME, PLAYERS, HandwrittenBatch, HandwrittenError
from isle_envs.core.batch import Batch
from isle_envs.core.game import make_game
from isle_envs.isla.state import BAN, SLOW

needs_compiler = pytest.mark.skipif(handwritten.compiler() is None, reason="there is no C compiler")
OWN = {"bans", "slows", "unused"}  # fields that the engine does not have


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return handwritten.build()


def same(theirs: npt.NDArray[Any], ours: npt.NDArray[Any], where: str) -> None:
    """Every field of the hand-written records holds what the engine's has, whose arrays may be longer."""
    for name in theirs.dtype.names or ():
        if name in OWN:
            continue
        one, other = theirs[name], ours[name]
        if one.dtype.names:
            same(one, other[:, : one.shape[1]] if one.ndim > 1 else other, f"{where}{name}.")
            continue
        if name == "explored":
            assert not other[..., 1:].any()
            other = other[..., 0]
        elif one.ndim > 1:
            other = other[..., : one.shape[-1]]
        np.testing.assert_array_equal(one, other, f"{where}{name}")


def compare(c: HandwrittenBatch, batch: Batch) -> None:
    games, scores = c.export()
    same(games, batch.states, "")
    np.testing.assert_array_equal(scores, batch.scores())
    np.testing.assert_array_equal(c._masks, batch.masks)
    np.testing.assert_array_equal(c.rewards, batch.rewards)
    np.testing.assert_array_equal(c.samplers, batch._samplers)
    threats = batch.game.kernel_tables[0]["threat"]
    for name, effect in (("bans", BAN), ("slows", SLOW)):
        for game, seat in np.ndindex(batch.n, PLAYERS):
            kept = [t for k, t in enumerate(threats) if int(games["player"]["kept"][game, seat]) >> k & 1]
            amounts = [1 << t["what"] if effect == BAN else t["amount"] for t in kept if t["effect"] == effect]
            assert games["player"][name][game, seat] == sum(amounts)


@needs_compiler
def test_same_games(library: ctypes.CDLL) -> None:
    game = make_game("isla", num_players=PLAYERS)
    batch, c = game.batch(64, seed=7), HandwrittenBatch(library, game, 64, seed=7)
    compare(c, batch)
    ended = 0
    for steps in (*[1] * 120, 7, 500, 1, 3000):
        count = c.play_random(steps)
        assert count == batch.play_random(steps)
        compare(c, batch)
        ended += count
    assert ended > 64 * 50


def run_dry(games: npt.NDArray[Any]) -> None:
    """Leaves one card in each deck and puts the others on the discards, shortly before the last round; random play gets to neither."""
    for game in games:
        *cards, game["deck"][0] = game["deck"][game["drawn"] : game["deck_size"]]
        *threats, game["threat_deck"][0] = game["threat_deck"][game["threats_drawn"] : game["threat_deck_size"]]
        for card in cards:
            game["discards"] |= np.uint64(1 << int(card))
        for threat in threats:
            game["threat_discards"][threat] += 1
        game["drawn"] = game["threats_drawn"] = 0
        game["deck_size"] = game["threat_deck_size"] = 1
    games["round_number"] = 58


@needs_compiler
def test_decks_run_dry_and_the_last_round_ends(library: ctypes.CDLL) -> None:
    game = make_game("isla", num_players=PLAYERS)
    batch, c = game.batch(128, seed=3), HandwrittenBatch(library, game, 128, seed=3)
    renewed, cut_off = np.zeros(2), 0
    for steps in (300, 310, 320):
        assert c.play_random(steps) == batch.play_random(steps)
        games, _ = c.export()
        run_dry(games)
        run_dry(batch._plain)
        batch.refresh()
        c.put(games)
        compare(c, batch)
        for _ in range(40):
            last = batch.states.round_number >= 60
            keys = batch.records["stream"]["key"].copy()
            assert c.play_random(1) == batch.play_random(1)
            compare(c, batch)
            cut_off += int((last & (batch.records["stream"]["key"] != keys)).sum())
            for k, size in enumerate((batch.states.deck_size, batch.states.threat_deck_size)):
                renewed[k] += ((size > 1) & (size < 35)).sum()
    assert cut_off > 50 and (renewed > 50).all()


@needs_compiler
@pytest.mark.parametrize("n", [1, 3])
def test_small_batches(library: ctypes.CDLL, n: int) -> None:
    game = make_game("isla", num_players=PLAYERS)
    batch, c = game.batch(n, seed=-1), HandwrittenBatch(library, game, n, seed=-1)
    for _ in range(50):
        assert c.play_random(99) == batch.play_random(99)
        compare(c, batch)


@needs_compiler
def test_tasks() -> None:
    tasks = handwritten.tasks([1, 1024])
    assert [task.name for task in tasks] == ["hand-written C, batch 1", "hand-written C, batch 1024"]
    assert all(task.work() == 65_536 for task in tasks)


@needs_compiler
def test_other_games_are_refused(library: ctypes.CDLL) -> None:
    for game in (
        make_game("isla", num_players=3),
        make_game("isla", num_players=2, reward="margin"),
        make_game("isla", num_players=2, threat_per_one=True),
        make_game("islet", num_players=2),
    ):
        with pytest.raises(HandwrittenError, match="two players and its defaults only"):
            HandwrittenBatch(library, game, 1)


def test_without_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(handwritten, "COMPILERS", ("no-such-compiler",))
    assert handwritten.tasks([1]) == []
    assert capsys.readouterr().out == (
        "The hand-written C is left out: there is no C compiler; none of no-such-compiler was found\n"
    )


@needs_compiler
def test_broken_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "isla.c"
    source.write_text("int isla_sizes(;\n")
    monkeypatch.setattr(handwritten, "SOURCE", source)
    with pytest.raises(HandwrittenError, match=r"cannot compile isla\.c: .*error"):
        handwritten.build()


def test_layout() -> None:
    """A state is six cache lines."""
    assert GAME.itemsize == 384

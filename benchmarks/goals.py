"""The goals: what is owed (the table "Speed to reach" of the design, and issue 5), what comes then, what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.record import Record

LEARNERS = {"isle train": "isle train's settings", "4 epochs": "4 epochs"}
_FREE = "an environment that costs nothing"
_FLAT = 0.95  # what still counts as flat


def goals(record: Record) -> list[dict[str, Any]]:
    """Every goal that this run says something about, game by game; JSON-ready."""
    return [goal for goal in _goals(record) if goal["measured"] is not None]


def lightest(record: Record) -> str | None:
    """The game for several players that the bare engine plays fastest: of it most is owed."""
    rates = {game: record.rate(game, "batch 1024") for game in record.games if not game.endswith("_solo")}
    known = {game: rate for game, rate in rates.items() if rate is not None}
    return max(known, key=lambda game: known[game]) if known else None


def _goals(record: Record) -> Iterator[dict[str, Any]]:
    light = lightest(record)
    for game in record.games:
        most = 1.0 if game == light else 0.5

        def least(
            what: str, owed: float, then: float | None, measured: float | None, unit: str = "", game: str = game
        ) -> dict[str, Any]:
            return _goal(what, game, owed, then, measured, unit, higher=True)

        rate, ratio = record.rate, record.ratio
        yield least("batch of 1,024, mask and choice", 2e6 * most, 5e6, rate(game, "batch 1024"))
        yield least("batch of 1,024, raw observation too", 1e6 * most, 3e6, rate(game, "batch 1024, observed"))
        yield least("64 games / 1,024 games", 0.8, None, ratio(game, "batch 64", "batch 1024"))
        yield least("one game, inside one call", 300e3, None, rate(game, "batch 1"))
        yield least("scaling, inside one call: least of 64 … 16,384 / 64", _FLAT, None, _scaling(record, game, "batch"))
        yield least(
            "scaling, stepped from Python: least of 64 … / 64", _FLAT, None, _scaling(record, game, "self-play")
        )
        for n in (64, 1024, 16_384):
            c = ratio(game, f"hand-written C, batch {n}", f"batch {n}")
            yield _goal(f"hand-written C / ours, batch of {n:,}", game, 1.5, 1.2, c, "", higher=False)
        yield least("raw_env(): last, choice, step", 80e3, 150e3, rate(game, "raw_env()"))
        yield least("env()", 20e3, 60e3, rate(game, "env()"))
        yield least("Gymnasium step, single, unwrapped", 60e3, 150e3, rate(game, "step, unwrapped"))
        yield least("vector of 64, raw observation, agent steps", 0.5e6 * most, 2e6, rate(game, "vector 64, bare"))
        yield least("vector of 1,024, raw observation, agent steps", 1e6 * most, 2e6, rate(game, "vector 1024, bare"))
        for settings, words in LEARNERS.items():
            for opponent in ("against random", "alone"):  # greedy opponents think, and that costs
                free = ratio(game, f"MaskablePPO, {settings}, {opponent}", f"MaskablePPO, {settings}, {_FREE}")
                yield least(f"MaskablePPO / free environment, {words}, {opponent}", 0.95, 0.98, free)
        for n in (4096, 16_384):
            cores = ratio(game, f"batch {n}, two threads", f"batch {n}, two processes")
            yield least(f"two threads / two processes, batch of {n:,}", 0.9, 0.95, cores)
        dealt = rate(game, "deal 1024")
        microseconds = None if dealt is None else 1e6 / dealt
        yield _goal("reset of a game in a batch", game, 10, None, microseconds, "µs", higher=False)
    yield from _others(record)


def _others(record: Record) -> Iterator[dict[str, Any]]:
    """Starting and memory."""
    starting = record.data.get("starting", {})
    imports = starting.get("imports", {})
    yield _goal("import over its dependencies", "", 0.3, None, imports.get("isle_envs"), "s", higher=False)
    heavy = len(imports["heavy"]) if imports else None
    yield _goal("torch, pygame, matplotlib imported with it", "", 0, None, heavy, "", higher=False)
    for game, start in starting.get("games", {}).items():
        yield _goal("first compilation", game, 20, None, start["first start, compiling"], "s", higher=False)
        again = max(
            start["start from the cache"], start["other batch size"], *start["other numbers of players"].values()
        )
        yield _goal("slowest start from the cache", game, 1, None, again, "s", higher=False)
        anew = start["kernels compiled again"]
        yield _goal("compiled again for other sizes or players", game, 0, None, anew, "kernels", higher=False)
    tiles = record.data.get("memory", {}).get("isle_tiles", {})
    grown = tiles.get("bytes grown, at the peak", tiles.get("bytes grown"))
    if grown is not None and tiles["games"] == 1_000_000:
        yield _goal(
            "a million games, process growth at the peak", "isle_tiles", 1, None, grown / 1e9, "GB", higher=False
        )


def _goal(
    what: str, game: str, owed: float, then: float | None, measured: float | None, unit: str, *, higher: bool
) -> dict[str, Any]:
    def reached(goal: float | None) -> bool | None:
        if goal is None or measured is None:
            return None
        return measured >= goal if higher else measured <= goal

    return {
        "goal": what,
        "game": game,
        "better": "higher" if higher else "lower",
        "owed": owed,
        "then": then,
        "measured": measured if measured is None else float(f"{measured:.4g}"),
        "unit": unit,
        "owed reached": reached(owed),
        "then reached": reached(then),
    }


def _scaling(record: Record, game: str, name: str) -> float | None:
    """The smallest ratio of a batch size above 64 to 64."""
    ratios = [record.ratio(game, f"{name} {n}", f"{name} 64") for n in (256, 1024, 4096, 16_384)]
    return min((ratio for ratio in ratios if ratio is not None), default=None)

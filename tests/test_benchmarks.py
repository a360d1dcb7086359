"""The benchmarks measure what they say; how fast is not tested."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
import pytest

import isle_envs
from benchmarks import engine, goals, report, vector
from benchmarks.__main__ import run
from benchmarks.record import Record
from benchmarks.timing import Task, measure
from benchmarks.variants import variants


def test_rates_are_work_over_time() -> None:
    def work() -> int:
        time.sleep(0.002)
        return 10

    task = Task("sleep", work)
    measure([task], repeats=3, seconds=0.01)
    assert len(task.rates) == 3
    assert 0 < task.rate <= 5000
    assert task.record()["low"] <= task.record()["high"]  # type: ignore[operator]


def test_variants() -> None:
    kinds = variants(isle_envs.GAMES)
    assert {"isle_tiles", "islet", "islet_solo", "isla", "isla_solo"} <= {kind.key for kind in kinds}
    for kind in variants(["isle_tiles", "islet", "isla"]):
        assert kind.env_id in gymnasium.registry
        assert kind.make().num_players == kind.players


@pytest.mark.parametrize("n", [1, 16, 300])
def test_games_are_at_all_stages(n: int) -> None:
    batch = engine.staggered(isle_envs.make_game("isla", num_players=2), n)
    assert batch.n == n
    assert n == 1 or len(np.unique(batch.states["round_number"])) > 3


def test_autoreset_steps_are_not_counted() -> None:
    kind = variants(["isla"])[0]
    n, steps = 64, vector.STEPS // 64
    done = vector.learner(kind, n, **vector.BARE)()
    assert 0.9 * n * steps < done < n * steps


def test_decisions_of_all_players_are_counted() -> None:
    assert vector.decisions_per_step(isle_envs.make_game("isla", num_players=1)) == 1.0
    assert 1.8 < vector.decisions_per_step(isle_envs.make_game("isla", num_players=2)) < 2.2


def test_a_part_can_be_measured() -> None:
    record = run(["isla"], ["vector"], repeats=2, seconds=0.001)
    assert record.games == ["isla", "isla_solo"]
    assert record.rate("isla", "vector 64, bare") and record.rate("isla_solo", "self-play 1024")
    assert record.rate("isla", "raw_env()") is None
    assert {goal["game"] for goal in record.data["goals"]} == {"isla", "isla_solo"}
    assert "vector 64, bare" in report.tables(record)
    assert "Isla alone" in report.page(record) and "Isla alone" in report.section(record)


def _record(**medians: float) -> Record:
    rates: list[dict[str, Any]] = [
        {"game": game, "name": "batch 1024", "median": median, "rates": [median]} for game, median in medians.items()
    ]
    return Record({"games": list(medians), "rates": rates})


def test_more_is_owed_of_the_lightest_game() -> None:
    found = goals.goals(_record(heavy=1.1e6, light=1.9e6, light_solo=5e6))
    assert [(goal["game"], goal["owed"], goal["owed reached"], goal["then reached"]) for goal in found] == [
        ("heavy", 1e6, True, False),
        ("light", 2e6, False, False),
        ("light_solo", 1e6, True, True),
    ]


def test_ratios_are_of_the_same_repeat() -> None:
    rates = [
        {"game": "a", "name": "one", "median": 2.0, "rates": [1.0, 2.0, 30.0]},
        {"game": "a", "name": "two", "median": 2.0, "rates": [2.0, 2.0, 10.0]},
    ]
    assert Record({"games": ["a"], "rates": rates}).ratio("a", "one", "two") == 1.0
    assert Record({"games": ["a"], "rates": rates}).ratio("a", "one", "three") is None

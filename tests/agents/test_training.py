"""Training runs: killed at any moment they go on from the last checkpoint, with no row lost or doubled."""

import csv
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents import checkpoint
from agents.errors import CheckpointError, RunError
from agents.progress import COLUMNS, TABLE, Log
from agents.settings import Budget, Settings
from agents.training import resume, train

from .conftest import TINY

UPDATE = TINY.copies * TINY.rollout


def table(folder):
    with (folder / TABLE).open(newline="") as file:
        return list(csv.DictReader(file))


def steps(folder):
    return [int(row["steps"]) for row in table(folder)]


def weights(folder):
    return checkpoint.load(folder).policy


def alike(a, b):
    return all(torch.equal(a[name], b[name]) for name in a)


def test_a_run_leaves_its_table_events_and_checkpoints(finished_run):
    rows = table(finished_run)
    assert list(rows[0]) == list(COLUMNS)
    assert steps(finished_run) == [UPDATE * k for k in (1, 2, 3, 4)]
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds)
    assert all(float(row["learning_rate"]) > 0 for row in rows)
    assert any((finished_run / "tensorboard").iterdir())
    assert checkpoint.load(finished_run).metadata.steps == 512


def test_the_same_seed_trains_the_same_weights(tmp_path, game, finished_run):
    train(game, tmp_path / "again", Budget(steps=512), settings=TINY, seed=3)
    train(game, tmp_path / "other", Budget(steps=512), settings=TINY, seed=4)
    assert alike(weights(finished_run), weights(tmp_path / "again"))
    assert not alike(weights(finished_run), weights(tmp_path / "other"))


def test_resuming_goes_on(run):
    before = checkpoint.load(run).metadata
    seconds = before.seconds
    ended = resume(run, Budget(steps=1024))
    assert ended.steps == 1024
    assert steps(run) == [UPDATE * k for k in range(1, 9)]
    after = checkpoint.load(run).metadata
    assert after.seconds > seconds
    assert after.updates == 2 * before.updates
    assert after.budget.steps == 1024
    assert (after.spec, after.settings, after.seed) == (before.spec, before.settings, before.seed)


def test_resuming_twice_from_one_checkpoint_is_the_same(tmp_path, run):
    import shutil

    twin = shutil.copytree(run, tmp_path / "twin")
    for folder in (run, twin):
        resume(folder, Budget(steps=768))
    assert alike(weights(run), weights(twin))


def test_the_optimizer_goes_on_too(run):
    before = checkpoint.load(run).optimizer["state"][0]["step"]
    resume(run, Budget(steps=768))
    assert checkpoint.load(run).optimizer["state"][0]["step"] == before + 2 * UPDATE / TINY.minibatch


def test_a_finished_run_is_left_as_it_is(run):
    files = {path: path.read_bytes() for path in run.glob("*.*")}
    assert resume(run).steps == 512
    assert {path: path.read_bytes() for path in run.glob("*.*")} == files


def test_rows_after_the_checkpoint_are_taken_back(run):
    checkpoint.find(run).unlink()  # as if killed after the row of 512 and before its checkpoint
    with (run / TABLE).open("a") as file:
        file.write("640,9,9")
    (run / "checkpoint-000000000640.zip.123.tmp").write_bytes(b"half a file")
    resume(run)
    assert steps(run) == [UPDATE * k for k in (1, 2, 3, 4)]
    assert not list(run.glob("*.tmp"))


def test_a_damaged_checkpoint_is_not_passed_over(run):
    newest = checkpoint.find(run)
    newest.write_bytes(newest.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=newest.name):
        resume(run)


def test_a_folder_in_use_is_refused(run, game, tmp_path):
    with pytest.raises(RunError, match="not empty"):
        train(game, run, Budget(steps=128), settings=TINY)
    with pytest.raises(RunError, match="not empty"):
        train(game, checkpoint.find(run), Budget(steps=128), settings=TINY)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        resume(tmp_path)


def test_several_opponents(tmp_path, game):
    train(game, tmp_path / "run", Budget(steps=128), settings=TINY, opponents=["random", "greedy"])
    assert checkpoint.load(tmp_path / "run").metadata.opponents == ["random", "greedy"]
    with pytest.raises(ValueError, match="greedy"):
        train(game, tmp_path / "other", Budget(steps=128), settings=TINY, opponents=["greedi"])
    assert not (tmp_path / "other").exists()


def test_budgets():
    assert Budget(steps=100).used(25, 1e9) == 0.25
    assert Budget(minutes=2).used(10**9, 30) == 0.25
    assert Budget(steps=100, minutes=2).used(10, 60) == 0.5
    assert Budget(steps=100).used(200, 0) == 1
    for wrong in ({}, {"steps": 0}, {"minutes": -1}, {"minutes": float("nan")}):
        with pytest.raises(ValueError, match=r"budget|above 0"):
            Budget(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"copies": 1.5},
        {"clip": -1},
        {"entropy": "much"},
        {"hidden": [0]},
        {"hidden": 64},
        {"clip": True},
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        replace(Settings(), **wrong)


def test_a_table_with_a_half_written_line(tmp_path):
    row = dict.fromkeys(COLUMNS, 1.0)
    log = Log(tmp_path, 0)
    log.write(row | {"steps": 100})
    log.write(row | {"steps": 200})
    log.close()
    with (tmp_path / TABLE).open("a") as file:
        file.write("300,1")
    Log(tmp_path, 400).close()
    assert steps(tmp_path) == [100, 200]
    Log(tmp_path, 100).close()
    assert steps(tmp_path) == [100]


COMMAND = [
    sys.executable, "-m", "agents.cli", "train", "isle_tiles", "--steps", "1000000", "--checkpoint-seconds", "0.001",
    "--set", "copies=8", "--set", "rollout=16", "--set", "minibatch=64", "--set", "epochs=1", "--set", "hidden=[16]",
]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_at_any_moment_and_resumed(tmp_path):
    folder = tmp_path / "run"
    rng = np.random.default_rng()
    reached = 0
    for session in range(2):
        command = [*COMMAND, "--run-dir", str(folder), *(["--resume"] if session else [])]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 120
            while not _has_trained_beyond(folder, reached):
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.3))
            process.send_signal(signal.SIGKILL)
        found = checkpoint.load(folder)
        assert found.metadata.steps > reached
        reached = found.metadata.steps
    ended = resume(folder, Budget(steps=reached + 2 * UPDATE))
    assert ended.steps == reached + 2 * UPDATE
    assert steps(folder) == list(range(UPDATE, ended.steps + 1, UPDATE))


def _has_trained_beyond(folder, reached):
    found = checkpoint.checkpoints(folder)
    return bool(found) and int(found[-1].stem.partition("-")[2]) > reached

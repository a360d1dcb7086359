"""A small training run, made once."""

import shutil

import pytest

import isle_envs
from agents.settings import Budget, Settings
from agents.training import train

TINY = Settings(copies=8, rollout=16, minibatch=64, epochs=1, hidden=(16,))
"""Settings with which an update takes a moment: 128 decisions each."""


@pytest.fixture(scope="session")
def game():
    return isle_envs.make_game("isle_tiles")


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory, game):
    """A run of 512 steps that nobody may change."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    train(game, folder, Budget(steps=512), settings=TINY, seed=3, checkpoint_seconds=0)
    return folder


@pytest.fixture
def run(tmp_path, finished_run):
    """A copy of that run."""
    return shutil.copytree(finished_run, tmp_path / "run")

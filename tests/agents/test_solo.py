"""Alone: evaluation, the network's planes, lessons, and the command line's names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

import isle_envs
from agents.cli import main
from agents.lessons import GAMES, Lessons
from agents.network import PlaneExtractor, plane_indices, policy_arguments
from agents.settings import Settings
from agents.solo_evaluation import evaluate_solo
from agents.vec_env import DriverVecEnv

GAME = isle_envs.make_game("islet", num_players=1, eggs=6)


def test_every_policy_plays_the_same_deals() -> None:
    """Random play never wins and lays next to nothing; greedy wins nearly always: 6 eggs are a return of 1, tiles left more."""
    result = evaluate_solo(GAME, ["random", "greedy"], games=60, seed=3)
    random, greedy = result.results
    assert random.ends == {"lost": 60} and random.bands == {} and random.score is None
    assert random.mean_return < 0.5 < 1 < greedy.mean_return
    assert greedy.ends["won"] == sum(greedy.bands.values()) > 45
    low, high = greedy.return_interval
    assert low < greedy.mean_return < high
    assert evaluate_solo(GAME, ["greedy"], games=60, seed=3).results[0] == greedy
    assert "IDEAL ECOSYSTEM" in str(result)


def test_a_return_by_hand() -> None:
    """A won game's return is 6/6 for the eggs and the tiles left over 15; with one game a policy has no spread."""
    result = evaluate_solo(GAME, ["greedy"], games=40, seed=1).results[0]
    won, lost = result.ends["won"], result.ends.get("lost", 0)
    assert result.mean_return * 40 == pytest.approx(won + won * result.score / 15, abs=lost)  # a lost game has below 1


@pytest.mark.parametrize(
    ("policies", "games", "message"),
    [([], 10, "at least one policy"), (["random"], 1, "at least 2"), (["greed"], 10, "unknown policy")],
)
def test_bad_input(policies: list[str], games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate_solo(GAME, policies, games)


def test_several_players_are_not_alone() -> None:
    with pytest.raises(ValueError, match="a game for one player, not 2"):
        evaluate_solo(isle_envs.make_game("islet"), ["random"], 10)


def test_planes_are_the_blocks_over_the_canvas() -> None:
    """Level, three terrains, three nests, eggs and birds, over two canvases each: 18 channels of 14 × 27."""
    planes, rest = plane_indices(GAME.observation)
    assert planes.shape == (18, 14, 27)
    assert sorted([*planes.ravel(), *rest]) == list(range(GAME.observation.size))
    assert planes[1, 0, 0] == 14 * 27 and GAME.observation.blocks["terrain"].start == 2 * 14 * 27
    flat = isle_envs.make_game("isle_tiles")
    assert plane_indices(flat.observation)[0].shape[0] == 0
    assert "features_extractor_class" not in policy_arguments(Settings(), flat)


def test_the_extractor_sees_planes_and_rest() -> None:
    env = DriverVecEnv(GAME, 2, seed=0)
    extractor = PlaneExtractor(env.observation_space, GAME.observation, features=8)
    seen = torch.from_numpy(env.reset())
    features = extractor(seen)
    assert features.shape == (2, 16)
    changed = seen.clone()
    changed[:, GAME.observation.blocks["level"].start + 7 * 27 + 13] += 1
    assert (extractor(changed)[:, :8] != features[:, :8]).any()
    assert (extractor(changed)[:, 8:] == features[:, 8:]).all()
    changed = seen.clone()
    changed[:, GAME.observation.blocks["bag"].start] += 1
    assert (extractor(changed)[:, :8] == features[:, :8]).all()
    assert (extractor(changed)[:, 8:] != features[:, 8:]).any()


def test_a_lesson_holds_what_the_teacher_did_and_got() -> None:
    lessons = Lessons(GAME, "greedy", minibatch=256, seed=5)
    observations, masks, actions, returns = lessons._record(0)
    assert len(observations) == len(masks) == len(actions) == len(returns) > 50 * GAMES
    assert masks[np.arange(len(actions)), actions].all()
    assert 0.9 < returns[:GAMES].mean() < 4  # from the first decision on, about greedy's mean return of 2.6
    assert returns.min() >= 0 and returns[-1] <= returns.max()
    again = Lessons(GAME, "greedy", minibatch=256, seed=5)._record(0)
    np.testing.assert_array_equal(again[2], actions)
    assert not np.array_equal(lessons._record(1)[2][:500], actions[:500])


def test_lessons_are_learnt() -> None:
    settings = Settings(hidden=(32,), learning_rate=2e-3)
    torch.manual_seed(0)
    model = MaskablePPO(
        "MlpPolicy",
        DriverVecEnv(GAME, 2, seed=0),
        learning_rate=settings.learning_rate,
        policy_kwargs=policy_arguments(settings, GAME),
        seed=0,
        device="cpu",
    )
    model.set_logger(Logger(None, []))
    lessons = Lessons(GAME, "greedy", minibatch=512, seed=1)
    losses = []
    for number in range(4):
        assert lessons.give(model, number) > 0
        losses.append(model.logger.name_to_value["train/policy_gradient_loss"])
    assert losses[-1] < 0.92 * losses[0]


def test_the_command_line_knows_the_solo_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    small = ["--set", "copies=8", "--set", "rollout=16", "--set", "minibatch=128", "--set", "hidden=[16]"]
    lessons = ["--set", "teacher=greedy", "--set", "lessons=0.5"]
    assert main(["train", "islet_solo", "--steps", "30000", "--run-dir", str(folder), *small, *lessons]) == 0
    assert main(["train", "islet_solo", "--steps", "31000", "--run-dir", str(folder), "--resume"]) == 0
    file = tmp_path / "results.json"
    policies = [f"trained:{folder}", "random"]
    assert main(["evaluate", "islet_solo", "--policies", *policies, "--games", "20", "--json", str(file)]) == 0
    assert "lost" in capsys.readouterr().out
    results = json.loads(file.read_text("utf-8"))["results"]
    assert [result["games"] for result in results] == [20, 20]

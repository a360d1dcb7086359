"""Training MaskablePPO on a game, in a run folder that can be killed at any moment and resumed.

A run folder holds ``checkpoint-<steps>.zip`` (the newest two), ``progress.csv`` and ``tensorboard/``.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import LinearSchedule

import isle_envs
from agents import checkpoint
from agents.checkpoint import Metadata
from agents.errors import CheckpointError, RunError
from agents.lessons import Lessons
from agents.network import policy_arguments
from agents.policies import mixture
from agents.progress import Log, Watch
from agents.settings import CHECKPOINT_SECONDS, Budget, Settings
from agents.vec_env import DriverVecEnv
from isle_envs.core.files import TEMPORARY
from isle_envs.core.game import Game
from isle_envs.core.policy import make_policy
from isle_envs.core.rng import episode_key

LARGEST_LOGIT = 1e7
"""Beyond this the mask of illegal actions, which is a number too, no longer holds, and learning has failed long ago."""

SMALL_MACHINE = 8
"""Up to so many cores, torch is faster on one thread."""


@dataclass(frozen=True)
class Run:
    """A training run that has come to its end.

    Attributes:
        checkpoint: its last checkpoint.
        steps: the learner's decisions, all sessions together.
        seconds: seconds trained, all sessions together.
    """

    checkpoint: Path
    steps: int
    seconds: float


def train(
    game: Game,
    folder: str | Path,
    budget: Budget,
    *,
    opponents: Sequence[str] = ("random",),
    seed: int = 0,
    settings: Settings | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    torch_threads: int | None = None,
) -> Run:
    """Trains MaskablePPO from the beginning, in a new run folder.

    Args:
        game: the game.
        folder: the run folder; it must be new or empty.
        budget: how long.
        opponents: names as ``make_policy`` takes them; with several, copy i of the game meets number i mod k.
        seed: of games, opponents and network. Two runs are alike if their budget is in steps, on one machine.
        settings: of MaskablePPO; else the measured ones.
        checkpoint_seconds: a checkpoint is written at the first update after so many seconds, and at the end.
        torch_threads: threads of torch; else 1 on a machine of up to 8 cores, where more are slower, and torch's own
            choice on a larger one.

    Raises:
        RunError: the folder is not empty, or the training diverges.
        ValueError: an unknown opponent.
        CheckpointError: an opponent's checkpoint cannot be used.
    """
    folder = Path(folder)
    if folder.is_file() or (folder.is_dir() and any(not path.name.endswith(TEMPORARY) for path in folder.iterdir())):
        raise RunError(f"{folder}: the run folder is not empty; resume the run in it, or name another folder")
    metadata = Metadata(
        spec=game.spec,
        **checkpoint.layout(game),
        opponents=list(opponents),
        seed=seed,
        settings=settings or Settings(),
        budget=budget,
        steps=0,
        updates=0,
        seconds=0.0,
        version=isle_envs.__version__,
    )
    model = _model(game, metadata, torch_threads)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint.save(model, metadata, folder)
    return _session(model, game, metadata, folder, checkpoint_seconds)


def resume(
    folder: str | Path,
    budget: Budget | None = None,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    torch_threads: int | None = None,
) -> Run:
    """Goes on with a run from its newest checkpoint, with the game, opponents and settings it was started with.

    Games under way when the run stopped are lost. Those dealt now depend on the run's seed and the steps trained, so
    two resumes of one checkpoint are alike.

    Args:
        folder: the run folder.
        budget: a new budget for the run as a whole; else the one it was started with.
        checkpoint_seconds: as for ``train``.
        torch_threads: as for ``train``.

    Raises:
        CheckpointError: there is no checkpoint in the folder, or the newest one cannot be used.
        RunError: the training diverges.
    """
    folder = Path(folder)
    found = checkpoint.load(folder)
    game = checkpoint.game_of(found)
    metadata = found.metadata if budget is None else replace(found.metadata, budget=budget)
    for left_over in folder.glob(f"*{TEMPORARY}"):
        left_over.unlink()
    try:
        for name in filter(None, (*metadata.opponents, metadata.settings.teacher)):
            make_policy(name, game)
    except ValueError as error:
        raise CheckpointError(f"{found.path}: its opponents or its teacher cannot be had: {error}") from None
    model = _model(game, metadata, torch_threads)
    checkpoint.restore(found, model)
    return _session(model, game, metadata, folder, checkpoint_seconds)


def _model(game: Game, metadata: Metadata, torch_threads: int | None) -> MaskablePPO:
    """The learner and its games, as they stand at the start of a session."""
    if torch_threads is None and (os.cpu_count() or 1) <= SMALL_MACHINE:
        torch_threads = 1
    if torch_threads is not None:
        torch.set_num_threads(torch_threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    settings = metadata.settings
    opponents = mixture([make_policy(name, game) for name in metadata.opponents])
    seed = metadata.seed if metadata.steps == 0 else int(episode_key(metadata.seed, metadata.steps))
    model = MaskablePPO(
        "MlpPolicy",
        DriverVecEnv(game, settings.copies, opponents=opponents, shaping=settings.shaping),
        learning_rate=LinearSchedule(settings.learning_rate, settings.learning_rate / 10, 1.0),
        n_steps=settings.rollout,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        gamma=settings.discount,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        stats_window_size=4 * settings.copies,
        policy_kwargs=policy_arguments(settings, game),
        seed=seed % 2**32,  # as many bits as numpy's and torch's global generators take
        device="cpu",
    )
    model.set_logger(Logger(None, []))
    return model


def _session(model: MaskablePPO, game: Game, metadata: Metadata, folder: Path, checkpoint_seconds: float) -> Run:
    """Trains until the budget is spent: play, learn, write a row, and now and then a checkpoint."""
    budget = metadata.budget
    env = model.env
    assert env is not None
    _, callback = model._setup_learn(0, None, reset_num_timesteps=False)
    settings = metadata.settings
    lessons = Lessons(game, settings.teacher, settings.minibatch, metadata.seed) if settings.teacher else None
    log = Log(folder, metadata.steps)
    earlier, start = metadata.seconds, time.perf_counter()
    saved = start
    path = checkpoint.find(folder)
    try:
        with Watch(f"training {game.name}") as watch:
            used = budget.used(metadata.steps, metadata.seconds)
            while used < 1:
                model._current_progress_remaining = 1 - used
                try:
                    if lessons is not None and used < settings.lessons:
                        model.num_timesteps += lessons.give(model, model.num_timesteps)
                    else:
                        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)
                        model.train()
                except (RuntimeError, ValueError) as error:  # no action can be drawn, or an illegal one was
                    if _has_diverged(model):
                        raise RunError(_divergence(folder, path)) from error
                    raise
                if _has_diverged(model):
                    raise RunError(_divergence(folder, path))
                now = time.perf_counter()
                row = _row(model, metadata, earlier + now - start)
                metadata = replace(
                    metadata, steps=model.num_timesteps, updates=model._n_updates, seconds=row["seconds"]
                )
                used = budget.used(metadata.steps, metadata.seconds)
                log.write(row)
                watch.show(row, used)
                if used >= 1 or now - saved >= checkpoint_seconds:
                    log.secure()
                    path = checkpoint.save(model, metadata, folder)
                    saved = now
    finally:
        log.close()
        env.close()
    return Run(path, metadata.steps, metadata.seconds)


def _has_diverged(model: MaskablePPO) -> bool:
    """Whether the weights, or what they say about the positions at hand, are no longer numbers to choose actions by."""
    net = model.policy
    with torch.no_grad():
        if not all(bool(torch.isfinite(weights).all()) for weights in net.parameters()):
            return True
        seen = torch.as_tensor(np.asarray(model._last_obs), dtype=torch.float32)
        logits = net.action_net(net.mlp_extractor.forward_actor(net.pi_features_extractor(seen)))
        return not bool((logits.abs() < LARGEST_LOGIT).all())


def _divergence(folder: Path, path: Path) -> str:
    return f"{folder}: the training diverged; try a lower learning_rate (the last checkpoint is {path.name})"


def _row(model: MaskablePPO, before: Metadata, seconds: float) -> dict[str, float]:
    """The row of one update; see ``agents.progress.COLUMNS``."""
    assert model.ep_info_buffer is not None
    assert model.ep_success_buffer is not None
    learned = model.logger.name_to_value
    return {
        "steps": model.num_timesteps,
        "seconds": round(seconds, 3),
        "steps_per_second": round((model.num_timesteps - before.steps) / (seconds - before.seconds), 1),
        "return": _mean([episode["r"] for episode in model.ep_info_buffer]),
        "win_rate": _mean(model.ep_success_buffer),
        "length": _mean([episode["l"] for episode in model.ep_info_buffer]),
        "policy_loss": float(learned["train/policy_gradient_loss"]),
        "value_loss": float(learned["train/value_loss"]),
        "entropy": -float(learned["train/entropy_loss"]),
        "kl": float(learned["train/approx_kl"]),
        "clip_fraction": float(learned["train/clip_fraction"]),
        "explained_variance": float(learned["train/explained_variance"]),
        "learning_rate": float(learned["train/learning_rate"]),
    }


def _mean(values: Iterable[float]) -> float:
    """The mean, or not a number before the first episode has ended."""
    return float(np.mean(found)) if (found := list(values)) else math.nan

"""Lessons: the network learns to play like a teacher before it learns from its own games.

A game that random play never wins gives an unskilled learner nothing to go by. In a lesson the teacher plays whole games on all seats; the
network is taught what it chose (cross-entropy over the legal actions) and what it got (the return to come, for the value).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from isle_envs.core import rng
from isle_envs.core.game import Game
from isle_envs.core.policy import make_policy

GAMES = 128
"""Games in one lesson."""


class Lessons:
    """Lessons by one teacher.

    Args:
        game: the game, without any opponents: the teacher plays all seats.
        teacher: a policy's name.
        minibatch: decisions in one gradient step.
        seed: of the games and of the teacher.
    """

    def __init__(self, game: Game, teacher: str, minibatch: int, seed: int) -> None:
        self._game, self._minibatch, self._seed = game, minibatch, seed
        self._teacher = make_policy(teacher, game)

    def give(self, model: MaskablePPO, number: int) -> int:
        """Gives lesson ``number`` (another one has other games); returns how many decisions it had.

        Logs ``train/…`` to the model's logger, as ``MaskablePPO.train`` does.
        """
        observations, masks, actions, returns = self._record(number)
        model.policy.set_training_mode(True)
        model._update_learning_rate(model.policy.optimizer)
        scale = torch.from_numpy(self._game.observation.scale)
        order = np.random.default_rng([self._seed, number]).permutation(len(actions))
        policy_losses, value_losses, entropies = [], [], []
        for first in range(0, len(order), self._minibatch):
            part = order[first : first + self._minibatch]
            seen = torch.from_numpy(observations[part]).float() * scale
            values, log_probability, entropy = model.policy.evaluate_actions(
                seen, torch.from_numpy(actions[part]), torch.from_numpy(masks[part])
            )
            policy_loss = -log_probability.mean()
            value_loss = torch.nn.functional.mse_loss(values.flatten(), torch.from_numpy(returns[part]))
            model.policy.optimizer.zero_grad()
            loss: Any = policy_loss + model.vf_coef * value_loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.policy.parameters(), model.max_grad_norm)
            model.policy.optimizer.step()
            policy_losses.append(policy_loss.item())
            value_losses.append(value_loss.item())
            entropies.append(0.0 if entropy is None else entropy.mean().item())
        for name, value in (
            ("policy_gradient_loss", float(np.mean(policy_losses))),
            ("value_loss", float(np.mean(value_losses))),
            ("entropy_loss", -float(np.mean(entropies))),
            ("approx_kl", float("nan")),
            ("clip_fraction", float("nan")),
            ("explained_variance", float("nan")),
        ):
            model.logger.record(f"train/{name}", value)
        return len(actions)

    def _record(
        self, number: int
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_], NDArray[np.int64], NDArray[np.float32]]:
        """The teacher's decisions: raw observations, masks, actions, and the undiscounted returns that came after."""
        batch = self._game.batch(GAMES)
        keys = rng.numbered_keys(int(rng.episode_key(self._seed, number)), GAMES)
        batch.reset(seeds=keys)
        stream = rng.streams(keys, np.uint64(1))
        everywhere = np.ones(GAMES, np.bool_)
        steps: list[dict[str, NDArray[Any]]] = []
        while not batch.terminated.all():
            running = np.flatnonzero(~batch.terminated)
            actions = self._teacher.act(batch, everywhere, stream)
            step: dict[str, NDArray[Any]] = {
                "running": running,
                "seat": batch.current_player[running].copy(),
                "observations": batch.observe()[running],
                "masks": batch.action_mask[running],
                "actions": actions[running].astype(np.int64),
            }
            batch.step(actions)
            steps.append(step | {"rewards": batch.rewards.copy()})
        to_come = np.zeros((GAMES, self._game.num_players), np.float32)
        for step in reversed(steps):
            to_come += step["rewards"]
            step["returns"] = to_come[step["running"], step["seat"]]

        def all_of(name: str) -> NDArray[Any]:
            return np.concatenate([step[name] for step in steps])

        return all_of("observations"), all_of("masks"), all_of("actions"), all_of("returns")

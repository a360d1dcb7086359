"""Policies that play from a checkpoint, and mixtures of policies.

``trained`` is the factory behind the entry point of that name: ``make_policy("trained:runs/demo", game)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents import checkpoint
from agents.checkpoint import Checkpoint
from agents.network import policy_arguments
from isle_envs.core.batch import Batch
from isle_envs.core.game import Game
from isle_envs.core.policy import Policy
from isle_envs.core.rng import uniform

TEMPERATURE = 0.5
"""The temperature at which ``trained`` plays: it won more games than the most probable action alone (0), which repeats
itself, and than the probabilities as trained (1), which are still exploring."""


class TrainedPolicy:
    """The policy of a checkpoint, for any seat.

    An action of probability p is drawn with a probability proportional to p^(1 / temperature), from the game's own stream
    of ``rng``; at temperature 0 it is the most probable action. The network runs in double precision, so that what it does
    in one game does not depend on how many others are in the batch: the last bits of a product of matrices differ with
    their shapes, and in single precision they would decide between two close actions.

    Args:
        name: what to call it in tables.
        found: the checkpoint.
        game: the game to play.
        temperature: from 0; 1 plays as it was trained.

    Raises CheckpointError if the checkpoint does not fit the game, or its weights not the network it describes.
    """

    def __init__(self, name: str, found: Checkpoint, game: Game, *, temperature: float = TEMPERATURE) -> None:
        checkpoint.require_game(found, game)
        self.name = name
        self._temperature = temperature
        self._scale = game.observation.scale.astype(np.float64)
        self._network = _network(found, game).double().eval()

    def act(self, batch: Batch, where: NDArray[np.bool_], rng: NDArray[Any]) -> NDArray[np.int32]:
        """An action for each running game of ``where``: int32 (n,), -1 elsewhere. Draws one number a game, none at temperature 0."""
        actions = np.full(batch.n, -1, np.int32)
        running = where & (batch.current_player >= 0)
        if not running.any():
            return actions
        logits = self._logits(batch.observe()[running] * self._scale)
        logits[~batch.action_mask[running]] = -np.inf
        if self._temperature == 0:
            actions[running] = logits.argmax(axis=1)
            return actions
        numbers = uniform(rng, running)
        heap = np.exp((logits - logits.max(axis=1, keepdims=True)) / self._temperature).cumsum(axis=1)
        actions[running] = (heap > numbers[running, None] * heap[:, -1:]).argmax(axis=1)
        return actions

    def _logits(self, observations: NDArray[np.float64]) -> NDArray[np.float64]:
        net = self._network
        with torch.no_grad():
            features = net.pi_features_extractor(torch.from_numpy(observations))
            logits: NDArray[np.float64] = net.action_net(net.mlp_extractor.forward_actor(features)).numpy()
        return logits


def _network(found: Checkpoint, game: Game) -> MaskableActorCriticPolicy:
    """The network of a checkpoint with its weights."""
    network = MaskableActorCriticPolicy(
        spaces.Box(-1.0, 1.0, (game.observation.size,), np.float32),
        spaces.Discrete(game.num_actions),
        lr_schedule=lambda _: 0.0,
        **policy_arguments(found.metadata.settings, game),
    )
    checkpoint.load_weights(found, network)
    return network


def trained(game: Game, argument: str | None) -> TrainedPolicy:
    """The policy of a checkpoint file or run folder, ``argument``, which may end in ",temperature=T".

    Raises ValueError without an argument, CheckpointError if the checkpoint cannot be used.
    """
    if not argument:
        raise ValueError("the policy 'trained' needs a checkpoint: trained:FILE or trained:RUN_FOLDER")
    path, _, temperature = argument.partition(",temperature=")
    try:
        heat = float(temperature or TEMPERATURE)
    except ValueError:
        heat = -1.0
    if not 0 <= heat < float("inf"):
        raise ValueError(f"the temperature of {argument!r} must be a number from 0, not {temperature!r}")
    return TrainedPolicy(f"trained:{argument}", checkpoint.load(path), game, temperature=heat)


class Mixture:
    """Several policies, each playing every k-th game of a batch: game i is played by policy i mod k.

    As ``opponents=`` of a training environment it makes an opponent of many kinds, always the same one in one copy.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.name = " + ".join(policy.name for policy in policies)
        self._policies = tuple(policies)

    def act(self, batch: Batch, where: NDArray[np.bool_], rng: NDArray[Any]) -> NDArray[np.int32]:
        """The actions of the policies, each in its own games: int32 (n,), -1 outside ``where``."""
        actions = np.full(batch.n, -1, np.int32)
        turn = np.arange(batch.n) % len(self._policies)
        for k, policy in enumerate(self._policies):
            mine = where & (turn == k)
            if mine.any():
                actions[mine] = policy.act(batch, mine, rng)[mine]
        return actions


def mixture(policies: Sequence[Policy]) -> Policy:
    """One policy that plays as each of ``policies`` in its share of the games: a ``Mixture``, or the only one itself."""
    return policies[0] if len(policies) == 1 else Mixture(policies)

"""The network: convolutions where the observation has planes, plain layers for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents.settings import Settings
from isle_envs.core.game import Game
from isle_envs.core.observation import ObservationSpace

LEAST_PLANE = 8
"""A block whose last two dimensions are at least this long is a stack of planes."""


class PlaneExtractor(BaseFeaturesExtractor):
    """Features of an observation with planes: two strided convolutions over the planes, a layer over all the rest.

    Args:
        observation_space: the flat observation, float32 ``(size,)``.
        layout: the game's observation, whose blocks say where the planes are.
        channels: of the two convolutions.
        features: how many features come from the planes, and as many from the rest.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        layout: ObservationSpace,
        channels: tuple[int, int] = (16, 32),
        features: int = 128,
    ) -> None:
        super().__init__(observation_space, 2 * features)
        planes, rest = plane_indices(layout)
        self.register_buffer("_planes", torch.from_numpy(planes), persistent=False)
        self.register_buffer("_rest", torch.from_numpy(rest), persistent=False)
        self._shape = planes.shape
        convolutions = nn.Sequential(
            nn.Conv2d(planes.shape[0], channels[0], 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels[0], channels[1], 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        with torch.no_grad():
            size = convolutions(torch.zeros(1, *planes.shape)).shape[1]
        self._of_planes = nn.Sequential(convolutions, nn.Linear(size, features), nn.ReLU())
        self._of_rest = nn.Sequential(nn.Linear(len(rest), features), nn.ReLU())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float ``(n, size)`` to ``(n, 2 × features)``."""
        planes = observations.index_select(1, self._buffer("_planes").flatten()).reshape(-1, *self._shape)
        rest = observations.index_select(1, self._buffer("_rest"))
        return torch.cat((self._of_planes(planes), self._of_rest(rest)), dim=1)

    def _buffer(self, name: str) -> torch.Tensor:
        return self.get_buffer(name)


def plane_indices(layout: ObservationSpace) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Where the planes and the rest lie in the flat observation: int64 ``(channels, rows, columns)`` and ``(others,)``.

    Only blocks with the canvas's size (that of the first such block) are planes; there may be none (0 channels).
    """
    planes: list[np.ndarray[Any, Any]] = []
    rest: list[np.ndarray[Any, Any]] = []
    canvas: tuple[int, ...] | None = None
    for block in layout.blocks.values():
        indices = np.arange(block.slice.start, block.slice.stop)
        shape = block.shape[-2:]
        if len(shape) == 2 and min(shape) >= LEAST_PLANE and canvas in (None, shape):
            canvas = shape
            planes.append(indices.reshape(-1, *shape))
        else:
            rest.append(indices)
    channels = np.concatenate(planes) if planes else np.zeros((0, 1, 1), np.int64)
    return channels, np.concatenate(rest)


def policy_arguments(settings: Settings, game: Game) -> dict[str, Any]:
    """The keyword arguments of stable-baselines3's policy that say what network it is."""
    arguments: dict[str, Any] = {"net_arch": {"pi": list(settings.hidden), "vf": list(settings.hidden)}}
    if len(plane_indices(game.observation)[0]) > 0:
        arguments |= {
            "features_extractor_class": PlaneExtractor,
            "features_extractor_kwargs": {"layout": game.observation},
        }
    return arguments

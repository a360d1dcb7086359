"""Checks that any game or environment built on :mod:`isle_envs` should pass, a user's own too.

    from isle_envs.testing import check_aec, check_game

    check_game(MyGame(num_players=3))
    check_aec(lambda: isle_envs.envs.aec.env(MyGame(num_players=3)))

Every check is a function that raises ``AssertionError`` with what is wrong; it plays random games from a
seed, so it can be repeated.
"""

from isle_envs.testing.environments import check_aec, check_gymnasium
from isle_envs.testing.games import (
    check_actions,
    check_clones,
    check_descriptions,
    check_determinism,
    check_game,
    check_hidden_information,
    check_masks,
    check_observations,
    check_random_play,
    check_refreshing,
    sample_positions,
)

__all__ = [
    "check_actions",
    "check_aec",
    "check_clones",
    "check_descriptions",
    "check_determinism",
    "check_game",
    "check_gymnasium",
    "check_hidden_information",
    "check_masks",
    "check_observations",
    "check_random_play",
    "check_refreshing",
    "sample_positions",
]

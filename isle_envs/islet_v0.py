"""Islet for two to four players, as a PettingZoo environment.

Players build an islet of triangular tiles, gather resources by building upwards, and lay eggs on its nests. It is the
same environment as ``pettingzoo.make("aec", "isle_envs/islet-v0")``:

    from isle_envs import islet_v0

    env = islet_v0.env(num_players=3)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

==================  ==================================================================================================
Agents              ``player_0`` … in seat order; a player decides many times in a row
Actions             ``Discrete(587)``; their names: ``env.unwrapped.game.actions``
Observations        ``{"observation": float32 (size,), "action_mask": int8 (actions,)}``; their blocks, planes among
                    them: ``env.unwrapped.game.observation``
Rewards             at the end only: with n players of whom k share the win (n/k − 1)/(n − 1) for each winner,
                    −1/(n − 1) for the others; with ``reward="margin"`` eggs ahead of the best other player / eggs
End                 after the round of the last egg, or one round after that of the last tile, or after 100 rounds;
                    all agents terminate together, nobody is truncated
``infos``           ``score`` (eggs laid), ``rank`` (0 before the end), ``illegal_action`` (−1 if none)
==================  ==================================================================================================

An illegal action ends the game with a return of −1 for whoever chose it (``margin``: min(0, margin) − 1) and 0 for the
others; with ``illegal="raise"``, and in ``raw_env``, it raises ``IllegalActionError``. The rules, our rulings and the
tables of actions and observations are in ``isle_envs/islet/README.md``. The game for one player is Gymnasium's
``isle_envs/IsletSolo-v0``.

Versions: v0, the first one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isle_envs.envs import aec

__all__ = ["env", "raw_env"]


def env(
    *,
    num_players: int = 2,
    reward: str = "outcome",
    components: str | Path | Mapping[str, Any] | None = None,
    **environment: Any,
) -> aec.Guard:
    """The environment, watching over the order of calls and over actions.

    Args:
        num_players: 2, 3 or 4.
        reward: ``"outcome"`` or ``"margin"``.
        components: a component file, or its parsed content; else the game's own.
        environment: ``illegal``, ``observation`` and ``render_mode``, see :func:`isle_envs.envs.aec.env`.

    Raises:
        ValueError: an unknown keyword or value; the message tells the nearest valid one.
        ComponentError: the component file cannot be used.
    """
    return aec.env(
        "islet",
        num_players=aec.several(num_players, "islet_v0", "isle_envs/IsletSolo-v0"),
        reward=reward,
        components=components,
        **environment,
    )


def raw_env(
    *,
    num_players: int = 2,
    reward: str = "outcome",
    components: str | Path | Mapping[str, Any] | None = None,
    **environment: Any,
) -> aec.GameAEC:
    """See :func:`env`; without the watch: an illegal action raises ``IllegalActionError``, changing nothing."""
    return aec.raw_env(
        "islet",
        num_players=aec.several(num_players, "islet_v0", "isle_envs/IsletSolo-v0"),
        reward=reward,
        components=components,
        **environment,
    )

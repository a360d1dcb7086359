"""Isle Tiles for two to four players, as a PettingZoo environment.

Players place landscape tiles onto a board of 60 spaces, secure areas with animal markers valued 1 to 6 and fulfil task
cards. It is the same environment as ``pettingzoo.make("aec", "isle_envs/isle_tiles-v0")``:

    from isle_envs import isle_tiles_v0

    env = isle_tiles_v0.env(num_players=3)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

==================  ==================================================================================================
Agents              ``player_0`` … in seat order; a player may decide up to four times in a row
Actions             ``Discrete(378)``, with ``board="draft"`` 450; their names: ``env.unwrapped.game.actions``
Observations        ``{"observation": float32 (size,), "action_mask": int8 (actions,)}``; their blocks:
                    ``env.unwrapped.game.observation``
Rewards             at the end only: 1 for the winner, −1/(players − 1) for the others; with ``reward="margin"``
                    points ahead of the best other player / 20
End                 24, 16 or 12 turns each; all agents terminate together, nobody is truncated
``infos``           ``score``, ``rank`` (0 before the end), ``illegal_action`` (−1 if none)
==================  ==================================================================================================

An illegal action ends the game with a return of −1 for whoever chose it (``margin``: min(0, margin) − 1) and 0 for the
others; with ``illegal="raise"``, and in ``raw_env``, it raises ``IllegalActionError``. The rules, our rulings and the
tables of actions and observations are in ``isle_envs/isle_tiles/README.md``.

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
    board: str = "first_game",
    tasks: str = "random",
    **environment: Any,
) -> aec.Guard:
    """The environment, watching over the order of calls and over actions.

    Args:
        num_players: 2, 3 or 4.
        reward: ``"outcome"`` or ``"margin"``.
        components: a component file, or its parsed content; else the game's own.
        board: ``"first_game"``, ``"random"`` (dealt from the game's seed) or ``"draft"`` (laid by the players).
        tasks: ``"random"``, or ``"first_game"``: cards 1 to 4.
        environment: ``illegal``, ``observation`` and ``render_mode``, see :func:`isle_envs.envs.aec.env`.

    Raises:
        ValueError: an unknown keyword or value; the message tells the nearest valid one.
        ComponentError: the component file cannot be used.
    """
    return aec.env(
        "isle_tiles",
        num_players=num_players,
        reward=reward,
        components=components,
        board=board,
        tasks=tasks,
        **environment,
    )


def raw_env(
    *,
    num_players: int = 2,
    reward: str = "outcome",
    components: str | Path | Mapping[str, Any] | None = None,
    board: str = "first_game",
    tasks: str = "random",
    **environment: Any,
) -> aec.GameAEC:
    """See :func:`env`; without the watch: an illegal action raises ``IllegalActionError``, changing nothing."""
    return aec.raw_env(
        "isle_tiles",
        num_players=num_players,
        reward=reward,
        components=components,
        board=board,
        tasks=tasks,
        **environment,
    )

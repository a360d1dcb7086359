"""Environment ids for a game, with Gymnasium and PettingZoo."""

from __future__ import annotations

import gymnasium
import pettingzoo

from isle_envs.core.game import Game


def register(kind: type[Game], namespace: str = "isle_envs", version: int = 0) -> None:
    """Registers a game's environments under its name.

    A game ``sea_of_cards`` becomes ``SeaOfCards-v0`` with Gymnasium, one seat learning among opponents, and
    ``sea_of_cards-v0`` with PettingZoo; if it can be played alone, that is ``SeaOfCardsSolo-v0`` with Gymnasium. Each
    Gymnasium id has a native vector environment too, ``make_vec(id, vectorization_mode="vector_entry_point")``.

    Args:
        kind: the game's class.
        namespace: what stands before the names.
        version: the number at their end.
    """
    camel = "".join(word.capitalize() for word in kind.name.split("_"))
    arguments: dict[str, object] = {"game": kind.name}
    where = "isle_envs.envs"
    if 1 in kind.player_counts:
        gymnasium.register(
            f"{namespace}/{camel}Solo-v{version}",
            f"{where}.solo:SoloEnv",
            vector_entry_point=f"{where}.vector:SoloVectorEnv",
            kwargs={**arguments, "num_players": 1},
        )
    counts = [count for count in kind.player_counts if count > 1]
    if counts:
        arguments["num_players"] = counts[0]
        gymnasium.register(
            f"{namespace}/{camel}-v{version}",
            f"{where}.solo:SeatEnv",
            vector_entry_point=f"{where}.vector:SeatVectorEnv",
            kwargs=arguments,
        )
        if hasattr(pettingzoo, "register"):  # since PettingZoo 1.27
            pettingzoo.register(
                "aec", f"{namespace}/{kind.name}-v{version}", "isle_envs.envs.aec:env", kwargs=arguments
            )

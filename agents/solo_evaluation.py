"""Policies alone: every one plays the same deals of a solo game.

The interval of a mean return is mean ± 1.96 standard errors over games, that of a share Wilson's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.evaluation import TABLES, Results, Z, wilson
from isle_envs.core.game import Game
from isle_envs.core.policy import Policy, make_policy
from isle_envs.core.rng import numbered_keys, streams


@dataclass(frozen=True)
class Solo:
    """How one policy fared alone.

    Attributes:
        policy: its name.
        games: how many it played.
        mean_return: mean undiscounted return.
        return_interval: 95% interval of it.
        ends: how often each end came (``info["end"]``).
        score: mean final score of the games that have a band, None if none has.
        bands: how often each of the rulebook's bands came (``info["band"]``), games without one left out.
        lowest: the lowest score that was seen in each of them.
    """

    policy: str
    games: int
    mean_return: float
    return_interval: tuple[float, float]
    ends: dict[str, int]
    score: float | None
    bands: dict[str, int]
    lowest: dict[str, int]


@dataclass(frozen=True)
class SoloEvaluation(Results):
    """The results of some policies on the same deals.

    Attributes:
        game: the game's ``spec``.
        seed: seed of deals and policies.
        results: one for each policy.
    """

    game: dict[str, Any]
    seed: int
    results: tuple[Solo, ...]

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the table: a header and one row a policy; shares of games for each end and each band."""
        ends = sorted({end for result in self.results for end in result.ends})
        lowest: dict[str, int] = {}
        for result in self.results:
            for band, score in result.lowest.items():
                lowest[band] = min(score, lowest.get(band, score))
        bands = sorted(lowest, key=lambda band: lowest[band])  # from the worst to the best
        header = ("policy", "games", "return", "95% interval", *ends, "score of those in a band", *bands)
        return [header, *(_row(result, ends, bands) for result in self.results)]


def _row(result: Solo, ends: list[str], bands: list[str]) -> tuple[str, ...]:
    low, high = result.return_interval
    shares = [_share(result.ends.get(end, 0), result.games) for end in ends]
    return (
        result.policy,
        str(result.games),
        f"{result.mean_return:.3f}",
        f"{low:.3f} to {high:.3f}",
        *shares,
        "none" if result.score is None else f"{result.score:.1f}",
        *(f"{result.bands.get(band, 0) / result.games:.1%}" for band in bands),
    )


def _share(count: int, games: int) -> str:
    low, high = wilson(count / games, games)
    return f"{count / games:.1%} ({low:.1%} to {high:.1%})"


def evaluate_solo(
    game: Game,
    policies: Sequence[str | Policy | Callable[..., int]],
    games: int = 1000,
    seed: int = 0,
    *,
    threads: int = 1,
) -> SoloEvaluation:
    """Plays every policy on the same deals of a solo game.

    Args:
        game: a game for one player.
        policies: at least one, as ``make_policy`` takes them.
        games: how many each plays, at least 2.
        seed: of the deals, and of policies that draw.
        threads: threads of the batch engine; it changes no result.

    Raises:
        ValueError: no policy, an unknown one, too few games, or a game for several players.
    """
    if game.num_players != 1:
        raise ValueError(f"a solo evaluation needs a game for one player, not {game.num_players}")
    if not policies:
        raise ValueError("an evaluation needs at least one policy")
    if games < 2:
        raise ValueError(f"the number of games must be at least 2, not {games}")
    keys = numbered_keys(seed, games)
    return SoloEvaluation(
        game.spec, seed, tuple(_solo(game, make_policy(policy, game), keys, threads) for policy in policies)
    )


def _solo(game: Game, policy: Policy, keys: NDArray[np.uint64], threads: int) -> Solo:
    returns, ends = [], []
    scores: list[int] = []  # of the games with a band, and their bands
    bands: list[str] = []
    for low in range(0, len(keys), TABLES):
        part = keys[low : low + TABLES]
        batch = game.batch(len(part), threads=threads)
        batch.reset(seeds=part)
        stream = streams(part, np.uint64(1))
        total = np.zeros(len(part))
        while not batch.terminated.all():
            batch.step(policy.act(batch, ~batch.terminated, stream))
            total += batch.rewards[:, 0]
        returns += total.tolist()
        infos = [game.info(state) for state in batch.states]
        ends += [info["end"] for info in infos]
        for score, info in zip(batch.scores()[:, 0].tolist(), infos, strict=True):
            if info.get("band"):
                scores.append(score)
                bands.append(info["band"])
    mean, error = float(np.mean(returns)), Z * float(np.std(returns, ddof=1)) / sqrt(len(returns))
    return Solo(
        policy.name,
        len(keys),
        mean,
        (mean - error, mean + error),
        dict(Counter(ends)),
        float(np.mean(scores)) if scores else None,
        dict(Counter(bands)),
        {band: min(s for s, b in zip(scores, bands, strict=True) if b == band) for band in sorted(set(bands))},
    )

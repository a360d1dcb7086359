"""Policies against each other: seats rotated, the same deals for everybody, and how sure the result is.

**Matches.** With two players every two policies meet once. With more players every policy sits alone at a table of
copies of every other one, so a fair share of wins is 1/players, and "A against B" and "B against A" are two matches.

**Pairs.** Every deal is played once with each seat for the policy that is measured, and all matches use the same deals.
So what a seat or a deal is worth cancels out.

**Intervals.** The games of one deal depend on each other, deals do not. A win rate p has the standard error e of the
deals' means, and the 95% interval is Wilson's for p (1 - p) / e² independent games, at most as many as were played:
unlike p ± 1.96 e it stays sensible near 0 and 1. The interval of a margin is mean ± 1.96 standard errors over deals.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from math import ceil, sqrt
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from isle_envs.core.errors import IllegalActionError
from isle_envs.core.files import write_atomically
from isle_envs.core.game import Game
from isle_envs.core.policy import Policy, make_policy
from isle_envs.core.rng import numbered_keys, streams

Z = 1.959964
"""The normal distribution's quantile for 95%."""

TABLES = 512
"""Games played side by side; it changes no result."""

FORMAT = 1


@dataclass(frozen=True)
class Match:
    """How one policy fared against another.

    Attributes:
        policy: the one that is measured.
        against: the other, on all other seats.
        games, deals: how many were played; every deal ``players`` times.
        win_rate: share of games won; a win shared by k counts 1/k.
        win_interval: 95% interval of the win rate.
        score, score_against: mean final score of the policy, and of a seat of the other.
        margin: mean of own score minus the best other score.
        margin_interval: 95% interval of the margin.
    """

    policy: str
    against: str
    games: int
    deals: int
    win_rate: float
    win_interval: tuple[float, float]
    score: float
    score_against: float
    margin: float
    margin_interval: tuple[float, float]


class Results(ABC):
    """What evaluations have in common: a table to print, and a dataclass to write."""

    @abstractmethod
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the table: a header, then the results."""

    def __str__(self) -> str:
        """The table in plain text, its columns aligned."""
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    def write_json(self, path: str | Path) -> None:
        """Writes everything as JSON, atomically, making the folder if need be."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {"format": FORMAT, **asdict(cast(Any, self))}
        write_atomically(path, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode())


@dataclass(frozen=True)
class Evaluation(Results):
    """The matches between some policies, and what makes them repeatable.

    Attributes:
        game: the game's ``spec``.
        seed: seed of deals and policies.
        policies: the policies' names.
        matches: the matches, see the module's text.
    """

    game: dict[str, Any]
    seed: int
    policies: tuple[str, ...]
    matches: tuple[Match, ...]

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the table: a header and one row a match."""
        header = ("policy", "against", "games", "wins", "95% interval", "score", "margin", "95% interval")
        return [header, *(_row(match) for match in self.matches)]


def _row(match: Match) -> tuple[str, ...]:
    low, high = match.win_interval
    margin_low, margin_high = match.margin_interval
    return (
        match.policy,
        match.against,
        str(match.games),
        f"{match.win_rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{match.score:.1f} : {match.score_against:.1f}",
        f"{match.margin:+.1f}",
        f"{margin_low:+.1f} to {margin_high:+.1f}",
    )


def evaluate(
    game: Game,
    policies: Sequence[str | Policy | Callable[..., int]],
    games: int = 1000,
    seed: int = 0,
    *,
    threads: int = 1,
) -> Evaluation:
    """Plays every policy against every other.

    Args:
        game: the game.
        policies: at least two, as ``make_policy`` takes them. One given twice meets itself.
        games: games in a match, rounded up to whole deals (as many games as players) and at least two of them.
        seed: of the deals, and of policies that draw.
        threads: threads of the batch engine; it changes no result.

    Raises:
        ValueError: fewer than two policies, fewer than two players, no game to play, or an unknown policy.
        IllegalActionError: a policy gave an illegal action; a note names the policy.
    """
    if len(policies) < 2:
        raise ValueError("an evaluation needs at least two policies")
    if game.num_players < 2:
        raise ValueError("policies can be compared only in a game for two or more players")
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, not {games}")
    contestants = [make_policy(policy, game) for policy in policies]
    names = _distinct([policy.name for policy in contestants])
    keys = numbered_keys(seed, max(2, ceil(games / game.num_players)))
    pairs = combinations if game.num_players == 2 else permutations
    matches = [
        _match(names[a], names[b], *_play(game, contestants[a], contestants[b], keys, threads))
        for a, b in pairs(range(len(contestants)), 2)
    ]
    return Evaluation(game.spec, seed, tuple(names), tuple(matches))


def _distinct(names: list[str]) -> list[str]:
    """The names, a repeated one with a number behind it."""
    return [f"{name} ({names[:i].count(name) + 1})" if name in names[:i] else name for i, name in enumerate(names)]


def _play(
    game: Game, policy: Policy, other: Policy, keys: NDArray[np.uint64], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Plays every deal with ``policy`` on every seat and ``other`` on the rest.

    Returns the policy's share of the win, float64 (deals, players), by its seat, and the final scores, int64
    (deals, players, players), by its seat; the policy's own score first, then the others in turn order.
    """
    players = game.num_players
    deals = np.repeat(np.arange(len(keys)), players)
    seats = np.tile(np.arange(players), len(keys))
    shares = np.zeros(len(seats))
    scores = np.zeros((len(seats), players), np.int64)
    for low in range(0, len(seats), TABLES):
        part = slice(low, low + TABLES)
        ranks, points = _play_tables(game, policy, other, keys[deals[part]], seats[part], threads)
        rows = np.arange(len(ranks))
        won = ranks == 1
        shares[part] = won[rows, seats[part]] / won.sum(axis=1)
        turn_order = (seats[part, None] + np.arange(players)) % players
        scores[part] = points[rows[:, None], turn_order]
    return shares.reshape(-1, players), scores.reshape(-1, players, players)


def _play_tables(
    game: Game, policy: Policy, other: Policy, keys: NDArray[np.uint64], seats: NDArray[np.int64], threads: int
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Ranks and scores, both (n, players), of n games dealt from ``keys`` with ``policy`` on ``seats``."""
    batch = game.batch(len(keys), threads=threads)
    batch.reset(seeds=keys)
    sides = ((policy, streams(keys, np.uint64(1))), (other, streams(keys, np.uint64(2))))
    while not batch.terminated.all():
        actions = np.full(batch.n, -1, np.int32)
        running, measured = batch.current_player >= 0, batch.current_player == seats
        for (player, stream), where in zip(sides, (running & measured, running & ~measured), strict=True):
            if where.any():
                actions[where] = player.act(batch, where, stream)[where]
        try:
            batch.step(actions)
        except IllegalActionError as error:
            culprit = policy if measured[error.index] else other
            error.add_note(f"the action came from the policy {culprit.name!r}")
            raise
    return batch.ranks(), batch.scores()


def _match(name: str, against: str, shares: NDArray[np.float64], scores: NDArray[np.int64]) -> Match:
    deals, players = shares.shape
    margins = (scores[:, :, 0] - scores[:, :, 1:].max(axis=2)).mean(axis=1)
    win_rate, margin = float(shares.mean()), float(margins.mean())
    error = Z * _standard_error(margins)
    return Match(
        policy=name,
        against=against,
        games=deals * players,
        deals=deals,
        win_rate=win_rate,
        win_interval=wilson(win_rate, _effective(shares)),
        score=float(scores[:, :, 0].mean()),
        score_against=float(scores[:, :, 1:].mean()),
        margin=margin,
        margin_interval=(margin - error, margin + error),
    )


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / sqrt(len(values)))


def _effective(shares: NDArray[np.float64]) -> float:
    """How many independent games would tell as much as these; see the module's text."""
    win_rate, error = shares.mean(), _standard_error(shares.mean(axis=1))
    if error == 0:
        return float(shares.size)
    return float(np.clip(win_rate * (1 - win_rate) / error**2, 1, shares.size))


def wilson(rate: float, games: float) -> tuple[float, float]:
    """Wilson's 95% interval of a probability that showed itself as ``rate`` in so many independent games."""
    shrink = 1 + Z**2 / games
    middle = (rate + Z**2 / (2 * games)) / shrink
    reach = Z / shrink * sqrt(rate * (1 - rate) / games + Z**2 / (4 * games**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)

"""Replays: a game, the key of its random stream and the actions played, as a JSON file that is verified when loaded.

.. code-block:: json

    {
      "format": "isle_envs replay",
      "version": 1,
      "game": {"game": "isle_tiles", "num_players": 2, "reward": "outcome", "options": {"board": "first_game"}},
      "key": "0x1f2e3d4c5b6a7988",
      "actions": [12, 377, 45],
      "scores": [3, 1]
    }

``game`` is ``game.spec``, with the components unless they are the game's own; ``scores`` stand after the last action.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from isle_envs.core import rng
from isle_envs.core.batch import Batch
from isle_envs.core.errors import IllegalActionError, ReplayError, unknown
from isle_envs.core.files import write_atomically
from isle_envs.core.game import GAMES, Game, make_game
from isle_envs.core.policy import PlainPolicy, Policy, make_policy
from isle_envs.core.records import for_kernels

FORMAT = "isle_envs replay"
VERSION = 1


@dataclass(frozen=True)
class Replay:
    """A game's record, whole or up to some action.

    A PettingZoo environment has what is needed: ``game, key, actions`` of ``env.unwrapped``.

    Attributes:
        game: the game.
        key: the key of its random stream, ``0 … 2⁶⁴ − 1``.
        actions: what was played, in order.
    """

    game: Game
    key: int
    actions: Sequence[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", int(rng.as_key(self.key)))
        object.__setattr__(self, "actions", tuple(int(action) for action in self.actions))

    @classmethod
    def play(cls, game: Game, key: int, policies: Sequence[str | Policy | PlainPolicy]) -> Self:
        """Plays and records a whole game.

        Args:
            game: the game.
            key: the key of its random stream.
            policies: one for each seat, see :func:`~isle_envs.core.policy.make_policy`.

        Raises:
            ValueError: an unknown policy, or not one for each seat.
            IllegalActionError: a policy chose an action that is not legal.
        """
        if len(policies) != game.num_players:
            raise ValueError(f"{game.num_players} policies are needed, one for each seat, not {len(policies)}")
        players = [make_policy(policy, game) for policy in policies]
        seat_key = rng.mix_all(np.array([rng.as_key(key)]), np.array([rng.SEAT]))
        streams = for_kernels(np.zeros(len(players), rng.STREAM))
        for seat in range(len(players)):
            streams[seat]["key"] = rng.mix_all(seat_key, np.array([seat], np.uint64))[0]
        batch = _dealt(game, key)
        actions = []
        while not batch.terminated[0]:
            seat = int(batch.current_player[0])
            chosen = players[seat].act(batch, np.ones(1, np.bool_), streams[seat : seat + 1])
            batch.step(chosen)
            actions.append(int(chosen[0]))
        return cls(game, key, actions)

    def positions(self) -> Iterator[tuple[Batch, int | None, str | None]]:
        """The positions from the deal on, each with the action played there and its label; the last one with None.

        Every item has the same batch of one game, which the next item changes: ``batch.copy()`` keeps a position.

        Raises:
            ReplayError: an action is not legal.
        """
        batch = _dealt(self.game, self.key)
        for number, action in enumerate(self.actions):
            if not (0 <= action < self.game.num_actions and batch.action_mask[0, action]):
                error = batch.illegal(0, action)
                raise ReplayError(f"action {number + 1} of {len(self.actions)} is {_words(error)}")
            yield batch, action, self.game.actions.label(action)
            batch.step([action])
        yield batch, None, None

    def scores(self) -> list[int]:
        """The scores after the last action; raises ``ReplayError`` if an action is not legal."""
        for batch, _, _ in self.positions():
            last = batch
        return [int(score) for score in last.scores()[0]]

    def save(self, path: str | Path) -> None:
        """Writes the replay as JSON, the whole file at once.

        Raises:
            ReplayError: an action is not legal; nothing is written.
            OSError: the file cannot be written, or ``path`` is a folder or a device.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.spec,
            "key": f"{self.key:#018x}",
            "actions": list(self.actions),
            "scores": self.scores(),
        }
        write_atomically(path, (json.dumps(content) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a replay and plays it through.

        Raises:
            ReplayError: no such file, no replay, or one that does not fit its game; one sentence says what is wrong.
        """
        try:
            return cls._read(Path(path).read_bytes())
        except OSError as error:
            raise ReplayError(f"{path}: {error.strerror or error}") from error
        except ReplayError as error:
            raise ReplayError(f"{path}: {error}") from error

    @classmethod
    def _read(cls, data: bytes) -> Self:
        try:
            content = json.loads(data)
        except ValueError as error:
            raise ReplayError(f"not JSON ({error})") from error
        except RecursionError:
            raise ReplayError("not a replay: its JSON is nested too deeply") from None
        if not isinstance(content, Mapping) or content.get("format") != FORMAT:
            raise ReplayError(f'not a replay: "format" must be "{FORMAT}"')
        if content.get("version") != VERSION:
            raise ReplayError(f"version {content.get('version')!r} is unknown; this release reads version {VERSION}")
        for field in ("game", "key", "actions", "scores"):
            if field not in content:
                raise ReplayError(f'"{field}" is missing')
        replay = cls(_game(content["game"]), _key(content["key"]), _integers(content, "actions"))
        given, found = _integers(content, "scores"), replay.scores()
        if given != found:
            raise ReplayError(f"the scores after the last action are {found}, not {given} as the file says")
        return replay


def _dealt(game: Game, key: int) -> Batch:
    batch = game.batch(1)
    batch.reset(seeds=np.array([rng.as_key(key)]))
    return batch


def _words(error: IllegalActionError) -> str:
    return f"{error.action} ({error.label}), which is not legal: {error.reason}"


def _game(spec: Any) -> Game:
    if not isinstance(spec, Mapping) or "game" not in spec:
        raise ReplayError('"game" must be an object that names a game')
    if not isinstance(spec["game"], str) or spec["game"] not in GAMES:
        raise ReplayError(unknown("game", spec["game"], GAMES))
    options = spec.get("options", {})
    if not isinstance(options, Mapping) or not isinstance(spec.get("components", {}), Mapping):
        raise ReplayError('"options" and "components" must be objects')
    plain = {name: spec[name] for name in ("num_players", "reward", "components") if name in spec}
    try:
        return make_game(spec["game"], **plain, **options)
    except (ValueError, TypeError) as error:
        raise ReplayError(f"the game cannot be made: {error}") from error
    except RecursionError:
        raise ReplayError("the game cannot be made: its data are nested too deeply") from None


def _key(text: Any) -> int:
    try:
        key = int(text, 16)
    except (TypeError, ValueError):
        key = -1
    if not 0 <= key < 2**64:
        raise ReplayError(f'"key" must be a hexadecimal text of at most 64 bits, not {text!r}')
    return key


def _integers(content: Mapping[str, Any], field: str) -> list[int]:
    value = content[field]
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise ReplayError(f'"{field}" must be a list of whole numbers')
    return value

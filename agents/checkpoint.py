"""Checkpoints: what a training run leaves behind, whole at any moment, and what ``trained`` policies play from.

A checkpoint is a stable-baselines3 zip, so that ``MaskablePPO.load`` reads it too, with one more entry, ``isle_envs.json``:
the game, the layout of its observations and actions, and how the training went. Only that entry and the weights are
read here, and nothing is unpickled but plain tensors: a checkpoint from elsewhere cannot run code.
"""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.errors import CheckpointError
from agents.settings import Budget, Settings
from isle_envs import make_game
from isle_envs.core.files import write_atomically
from isle_envs.core.game import Game

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

VERSION = 1
"""Version of the format; a file with another one is refused."""

ENTRY = "isle_envs.json"
KEPT = 2
_NAME = re.compile(r"checkpoint-(\d{12})\.zip")
_NOT_KEPT = ["_last_obs", "_last_episode_starts", "_last_original_obs", "ep_info_buffer", "ep_success_buffer"]


@dataclass(frozen=True)
class Metadata:
    """What a checkpoint knows about itself.

    Attributes:
        spec: the game's ``spec``: name, players, reward, options, and the components unless they are the game's own.
        observation, actions: the names and shapes of the blocks, in order; a policy plays only games with the same.
        opponents: the policies trained against, as ``make_policy`` takes them.
        seed: seed of the run.
        settings: how it is trained.
        budget: how long it is to be trained.
        steps: the learner's decisions so far.
        updates: passes over collected decisions so far.
        seconds: seconds trained so far, all sessions together.
        version: version of ``isle_envs`` that wrote the file.
    """

    spec: dict[str, Any]
    observation: list[list[Any]]
    actions: list[list[Any]]
    opponents: list[str]
    seed: int
    settings: Settings
    budget: Budget
    steps: int
    updates: int
    seconds: float
    version: str


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that has been read and found whole.

    Attributes:
        path: the file.
        metadata: see ``Metadata``.
        policy, optimizer: torch state dicts.
    """

    path: Path
    metadata: Metadata
    policy: dict[str, Any]
    optimizer: dict[str, Any]


def layout(game: Game) -> dict[str, list[list[Any]]]:
    """The blocks of a game's observations and actions as ``Metadata`` keeps them: lists of [name, *sizes], whose product counts."""
    return {
        "observation": [[block.name, *block.shape] for block in game.observation.blocks.values()],
        "actions": [
            [block.kind, *([block.size] if block.pairs else (a.size for a in block.arguments))]
            for block in game.actions.blocks.values()
        ],
    }


def save(model: MaskablePPO, metadata: Metadata, folder: Path) -> Path:
    """Writes a checkpoint into ``folder``, atomically, and removes all but the newest two; returns its path."""
    buffer = io.BytesIO()
    model.save(buffer, exclude=_NOT_KEPT)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(ENTRY, json.dumps({"format": VERSION, **asdict(metadata)}, indent=1))
    path = folder / f"checkpoint-{metadata.steps:012d}.zip"
    write_atomically(path, buffer.getvalue())
    for old in checkpoints(folder)[:-KEPT]:
        old.unlink()
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in a run folder, the oldest first."""
    return sorted(path for path in folder.glob("checkpoint-*.zip") if _NAME.fullmatch(path.name))


def find(path: str | Path) -> Path:
    """The checkpoint file meant by ``path``, a file or a run folder (its newest checkpoint).

    Raises CheckpointError if there is none.
    """
    path = Path(path)
    if path.is_dir():
        if not (found := checkpoints(path)):
            raise CheckpointError(f"{path}: the folder has no checkpoint in it")
        return found[-1]
    if not path.exists():
        raise CheckpointError(f"{path}: there is no such file or folder")
    return path


def load(path: str | Path) -> Checkpoint:
    """Reads a checkpoint file, or the newest one of a run folder.

    Raises CheckpointError, naming the file and what is wrong with it, if it is missing, not a zip file, truncated,
    damaged, not written by isle_envs, of another version, or has weights that are not finite.
    """
    path = find(path)
    try:
        entries = _read(path)
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    metadata = _metadata(path, entries[ENTRY])
    return Checkpoint(
        path, metadata, _tensors(path, entries, "policy.pth"), _tensors(path, entries, "policy.optimizer.pth")
    )


def _read(path: Path) -> dict[str, bytes]:
    """The entries that we use; zipfile checks each against its checksum."""
    data = path.read_bytes()
    if not data:
        raise CheckpointError(f"{path}: the file is empty")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if ENTRY not in names:
                raise CheckpointError(f"{path}: not a checkpoint of isle_envs (the zip file has no {ENTRY})")
            return {name: archive.read(name) for name in names if name == ENTRY or name.endswith(".pth")}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        # The table of contents is at the end of a zip file, so a file that begins like one and has none was cut off.
        if not data.startswith(b"PK\x03\x04"):
            raise CheckpointError(f"{path}: not a checkpoint (not a zip file)") from None
        problem = "truncated" if "not a zip file" in str(error) else f"damaged: {error}"
        raise CheckpointError(f"{path}: the checkpoint is {problem}") from None


def _metadata(path: Path, data: bytes) -> Metadata:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise CheckpointError(f"{path}: {ENTRY} in the checkpoint is not what isle_envs writes")
    for key in ("format", *(field.name for field in fields(Metadata))):
        if key not in values:
            raise CheckpointError(f"{path}: {ENTRY} in the checkpoint lacks {key!r}")
    if (version := values.pop("format")) != VERSION:
        raise CheckpointError(f"{path}: the checkpoint has format {version}; this isle_envs reads format {VERSION}")
    for key, (is_right, words) in _FIELDS.items():
        if not is_right(values[key]):
            raise CheckpointError(
                f"{path}: {ENTRY} in the checkpoint is not what isle_envs writes ({key!r} is not {words})"
            )
    try:
        values |= {"settings": Settings(**values["settings"]), "budget": Budget(**values["budget"])}
        return Metadata(**values)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: {ENTRY} in the checkpoint is not what isle_envs writes ({error})") from None


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_count(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < 2**63


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= sys.float_info.max


def _is_layout(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(block, list) and block and isinstance(block[0], str) and all(map(_is_count, block[1:]))
        for block in value
    )


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(name, str) for name in value)


def _is_spec(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("game"), str)
        and _is_whole(value.get("num_players"))
        and isinstance(value.get("reward"), str)
        and isinstance(value.get("options"), dict)
        and isinstance(value.get("components", {}), dict)
    )


_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "spec": (_is_spec, "the description of a game"),
    "observation": (_is_layout, "a list of blocks"),
    "actions": (_is_layout, "a list of blocks"),
    "opponents": (_is_names, "a list of names"),
    "seed": (_is_whole, "a whole number"),
    "steps": (_is_count, "a whole number from 0"),
    "updates": (_is_count, "a whole number from 0"),
    "seconds": (_is_seconds, "a number from 0"),
    "version": (lambda value: isinstance(value, str), "a text"),
}
"""What the fields of the metadata must be; settings and budget check themselves."""


def _tensors(path: Path, entries: dict[str, bytes], name: str) -> dict[str, Any]:
    import torch

    try:
        tensors: Any = torch.load(io.BytesIO(entries[name]), map_location="cpu", weights_only=True)
        values = tensors.values() if isinstance(tensors, dict) else ()
        is_finite = all(bool(torch.isfinite(value).all()) for value in values if isinstance(value, torch.Tensor))
    except KeyError:
        raise CheckpointError(f"{path}: the checkpoint has no {name} in it") from None
    except Exception as error:  # torch and pickle raise many kinds for a file that is not theirs
        raise CheckpointError(f"{path}: {name} in the checkpoint cannot be read ({type(error).__name__})") from None
    if not isinstance(tensors, dict):
        raise CheckpointError(f"{path}: {name} in the checkpoint is not what isle_envs writes")
    if not is_finite:
        raise CheckpointError(f"{path}: its weights are not finite")
    return tensors


def require_game(checkpoint: Checkpoint, game: Game) -> None:
    """Raises CheckpointError unless the checkpoint's policy can play ``game``: the same game, players and layouts."""
    path, metadata = checkpoint.path, checkpoint.metadata
    now = layout(game)
    for what, trained, asked in (
        ("the game", metadata.spec["game"], game.name),
        ("the number of players", metadata.spec["num_players"], game.num_players),
        ("the size of the observation", _count(metadata.observation), game.observation.size),
        ("the number of actions", _count(metadata.actions), game.num_actions),
    ):
        if trained != asked:
            raise CheckpointError(f"{path}: trained for another game: {what} was {trained} and is {asked} here")
    for what, blocks, current in (
        ("observation", metadata.observation, now["observation"]),
        ("action", metadata.actions, now["actions"]),
    ):
        if blocks != current:
            raise CheckpointError(
                f"{path}: isle_envs {metadata.version}, which wrote it, had other {what} blocks; train again"
            )


def game_of(checkpoint: Checkpoint) -> Game:
    """The game that the checkpoint was trained on.

    Raises CheckpointError if this isle_envs does not have it, or has changed it.
    """
    spec = checkpoint.metadata.spec
    try:
        game = make_game(
            spec["game"],
            num_players=spec["num_players"],
            components=spec.get("components"),
            reward=spec["reward"],
            **spec["options"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{checkpoint.path}: its game cannot be made: {error}") from None
    except RecursionError:
        raise CheckpointError(f"{checkpoint.path}: its game cannot be made: its data are nested too deeply") from None
    require_game(checkpoint, game)
    return game


def restore(checkpoint: Checkpoint, model: MaskablePPO) -> None:
    """Puts weights, optimizer and counters of the checkpoint into a model made with its settings.

    Raises CheckpointError if they do not fit.
    """
    load_weights(checkpoint, model.policy)
    try:
        model.policy.optimizer.load_state_dict(checkpoint.optimizer)
    except Exception as error:  # torch trusts the content of a state dict, and fails in many ways
        raise _misfit(checkpoint, error) from None
    model.num_timesteps = checkpoint.metadata.steps
    model._n_updates = checkpoint.metadata.updates


def load_weights(checkpoint: Checkpoint, network: MaskableActorCriticPolicy) -> None:
    """Puts the checkpoint's weights into a network; raises CheckpointError if they do not fit."""
    try:
        network.load_state_dict(checkpoint.policy)
    except Exception as error:  # as above
        raise _misfit(checkpoint, error) from None


def _misfit(checkpoint: Checkpoint, error: Exception) -> CheckpointError:
    problem = " ".join(str(error).split())[:120]
    return CheckpointError(f"{checkpoint.path}: its weights do not fit the network it describes ({problem})")


def _count(blocks: list[list[Any]]) -> int:
    return sum(prod(sizes) for _, *sizes in blocks)

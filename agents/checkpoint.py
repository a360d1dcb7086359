"""Checkpoints: what a training run leaves behind, whole at any moment, and what ``trained`` policies play from.

A checkpoint is a stable-baselines3 zip, so that ``MaskablePPO.load`` reads it too, with one more entry, ``isle_envs.json``:
the game, the layout of its observations and actions, and how the training went. Only that entry and the weights are
read here, and nothing is unpickled but plain tensors: a checkpoint from elsewhere cannot run code.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import asdict, dataclass, fields
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.errors import CheckpointError
from agents.files import write_atomically
from agents.settings import Budget, Settings
from isle_envs import make_game
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
    """The blocks of a game's observations and actions as ``Metadata`` keeps them: lists of [name, *sizes]."""
    return {
        "observation": [[block.name, *block.shape] for block in game.observation.blocks.values()],
        "actions": [[block.kind, *(a.size for a in block.arguments)] for block in game.actions.blocks.values()],
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
    damaged, not written by isle_envs, or of another version.
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
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise CheckpointError(f"{path}: {ENTRY} in the checkpoint is not what isle_envs writes")
    for key in ("format", *(field.name for field in fields(Metadata))):
        if key not in values:
            raise CheckpointError(f"{path}: {ENTRY} in the checkpoint lacks {key!r}")
    if (version := values.pop("format")) != VERSION:
        raise CheckpointError(f"{path}: the checkpoint has format {version}; this isle_envs reads format {VERSION}")
    try:
        values |= {"settings": Settings(**values["settings"]), "budget": Budget(**values["budget"])}
        return Metadata(**values)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: {ENTRY} in the checkpoint is not what isle_envs writes ({error})") from None


def _tensors(path: Path, entries: dict[str, bytes], name: str) -> dict[str, Any]:
    import torch

    try:
        tensors: dict[str, Any] = torch.load(io.BytesIO(entries[name]), map_location="cpu", weights_only=True)
    except KeyError:
        raise CheckpointError(f"{path}: the checkpoint has no {name} in it") from None
    except Exception as error:  # torch and pickle raise many kinds for a file that is not theirs
        raise CheckpointError(f"{path}: {name} in the checkpoint cannot be read ({type(error).__name__})") from None
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
    require_game(checkpoint, game)
    return game


def restore(checkpoint: Checkpoint, model: MaskablePPO) -> None:
    """Puts weights, optimizer and counters of the checkpoint into a model made with its settings.

    Raises CheckpointError if they do not fit.
    """
    load_weights(checkpoint, model.policy)
    try:
        model.policy.optimizer.load_state_dict(checkpoint.optimizer)
    except (RuntimeError, ValueError, KeyError) as error:
        raise _misfit(checkpoint, error) from None
    model.num_timesteps = checkpoint.metadata.steps
    model._n_updates = checkpoint.metadata.updates


def load_weights(checkpoint: Checkpoint, network: MaskableActorCriticPolicy) -> None:
    """Puts the checkpoint's weights into a network; raises CheckpointError if they do not fit."""
    try:
        network.load_state_dict(checkpoint.policy)
    except (RuntimeError, TypeError) as error:
        raise _misfit(checkpoint, error) from None


def _misfit(checkpoint: Checkpoint, error: Exception) -> CheckpointError:
    problem = " ".join(str(error).split())[:120]
    return CheckpointError(f"{checkpoint.path}: its weights do not fit the network it describes ({problem})")


def _count(blocks: list[list[Any]]) -> int:
    return sum(prod(sizes) for _, *sizes in blocks)

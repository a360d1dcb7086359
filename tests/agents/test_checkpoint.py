"""Checkpoints: whole or refused, with one line that names the file and what is wrong."""

import io
import json
import math
import shutil
import zipfile
from dataclasses import fields

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

import isle_envs
from agents import checkpoint
from agents.checkpoint import ENTRY, Metadata
from agents.errors import CheckpointError
from agents.training import resume


@pytest.fixture
def path(run):
    return checkpoint.find(run)


def rewrite(path, change):
    """Replaces entries of a checkpoint: `change` maps names to new contents, or None to leave one out."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()} | change
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            if data is not None:
                archive.writestr(name, data)


def change_metadata(path, **changes):
    with zipfile.ZipFile(path) as archive:
        metadata = json.loads(archive.read(ENTRY)) | changes
    rewrite(path, {ENTRY: json.dumps({key: value for key, value in metadata.items() if value is not ...})})


def refused(path, words):
    """Asserts that the checkpoint is refused in one line with these words."""
    with pytest.raises(CheckpointError) as caught:
        checkpoint.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert words in message
    assert "\n" not in message


def test_tells_what_it_was_trained_on(path, game):
    metadata = checkpoint.load(path).metadata
    assert metadata.spec == game.spec
    assert (metadata.steps, metadata.seed, metadata.opponents) == (512, 3, ["random"])
    assert metadata.settings.hidden == (16,)
    assert checkpoint.game_of(checkpoint.load(path)) == game


def test_a_folder_means_its_newest_checkpoint(run):
    assert [path.name for path in checkpoint.checkpoints(run)] == [
        "checkpoint-000000000384.zip",
        "checkpoint-000000000512.zip",
    ]
    assert checkpoint.load(run).metadata.steps == 512


def test_stable_baselines3_reads_it_too(path, game):
    model = MaskablePPO.load(path)
    batch = game.batch(6, seed=1)
    actions, _ = model.predict(
        batch.observe() * game.observation.scale, action_masks=batch.action_mask, deterministic=True
    )
    policy = isle_envs.core.policy.make_policy(f"trained:{path},temperature=0", game)
    np.testing.assert_array_equal(actions, policy.act(batch, np.ones(6, bool), None))


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.3, 0.5, 0.9, 0.99, 0.9999])
def test_truncated(path, share):
    data = path.read_bytes()
    path.write_bytes(data[: max(4, int(len(data) * share))])
    refused(path, "truncated")


def test_empty(path):
    path.write_bytes(b"")
    refused(path, "empty")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_damaged(path, share):
    data = bytearray(path.read_bytes())
    middle = int(len(data) * share)
    data[middle : middle + 64] = bytes(64)
    path.write_bytes(data)
    refused(path, "damaged")


def test_not_a_zip_file(path):
    path.write_text("steps,return\n")
    refused(path, "not a zip file")


def test_a_zip_file_of_something_else(path):
    rewrite(path, {ENTRY: None})
    refused(path, f"no {ENTRY}")


@pytest.mark.parametrize("name", ["policy.pth", "policy.optimizer.pth"])
def test_weights_missing_or_unreadable(path, name):
    rewrite(path, {name: b"not tensors"})
    refused(path, f"{name} in the checkpoint cannot be read")
    rewrite(path, {name: None})
    refused(path, f"no {name}")


def test_nothing_in_a_foreign_file_is_executed(path, tmp_path):
    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "sprung"), "w")

    torch.save({"weight": Trap()}, tmp_path / "trap.pth")
    rewrite(path, {"policy.pth": (tmp_path / "trap.pth").read_bytes(), "data": b"not even JSON"})
    refused(path, "policy.pth in the checkpoint cannot be read")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b"[]", b"3", b"null"])
def test_metadata_of_another_kind(path, content):
    rewrite(path, {ENTRY: content})
    refused(path, "not what isle_envs writes")


@pytest.mark.parametrize("key", ["format", *(field.name for field in fields(Metadata))])
def test_metadata_incomplete(path, key):
    change_metadata(path, **{key: ...})
    refused(path, f"lacks '{key}'")


def test_another_format(path):
    change_metadata(path, format=99)
    refused(path, "format 99")


def test_missing(tmp_path):
    refused(tmp_path / "nothing.zip", "no such file")
    refused(tmp_path, "no checkpoint in it")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 3}, "the number of players was 2 and is 3 here"),
        ({"board": "draft"}, "the size of the observation was"),
    ],
)
def test_does_not_fit_another_game(path, options, words):
    with pytest.raises(CheckpointError, match=words):
        checkpoint.require_game(checkpoint.load(path), isle_envs.make_game("isle_tiles", **options))


def test_fits_the_same_game_with_another_reward(path):
    checkpoint.require_game(checkpoint.load(path), isle_envs.make_game("isle_tiles", reward="margin"))


def test_does_not_fit_another_layout_of_the_same_size(path, game):
    blocks = checkpoint.layout(game)["observation"]
    change_metadata(path, observation=blocks[::-1])
    with pytest.raises(CheckpointError, match="other observation blocks"):
        checkpoint.require_game(checkpoint.load(path), game)


def test_of_a_game_that_is_gone(path, game):
    change_metadata(path, spec=game.spec | {"game": "isle_of_yore"})
    with pytest.raises(CheckpointError, match="isle_of_yore"):
        checkpoint.game_of(checkpoint.load(path))


@pytest.mark.parametrize("settings", [{"hidden": 16}, {"depth": 3}, []])
def test_settings_that_are_none(path, settings):
    change_metadata(path, settings=settings)
    refused(path, "not what isle_envs writes")


@pytest.mark.parametrize(
    "changes",
    [
        {"observation": 5},
        {"observation": [["a", "b"]]},
        {"actions": None},
        {"actions": [[]]},
        {"spec": 5},
        {"spec": {}},
        {"settings": {"hidden": [10**9]}},
        {"settings": {"copies": 10**13}},
        {"settings": 5},
        {"budget": {"steps": "x"}},
        {"budget": {"minutes": []}},
        {"seed": "x"},
        {"opponents": 5},
        {"opponents": []},
        {"opponents": [5]},
        {"steps": "x"},
        {"steps": -1},
        {"seconds": None},
        {"version": 1},
    ],
)
def test_metadata_of_wrong_types(path, changes):
    change_metadata(path, **changes)
    refused(path, "not what isle_envs writes")


def test_metadata_nested_too_deeply(path, game):
    rewrite(path, {ENTRY: b"[" * 100_000})
    refused(path, "not what isle_envs writes")


def as_bytes(content):
    torch.save(content, buffer := io.BytesIO())
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["policy.pth", "policy.optimizer.pth"])
def test_tensors_that_are_no_dict(path, name):
    rewrite(path, {name: as_bytes([torch.zeros(1)])})
    refused(path, f"{name} in the checkpoint is not what isle_envs writes")


@pytest.mark.parametrize("content", [{}, {"param_groups": 5, "state": 3}, {1: 2}])
def test_an_optimizer_that_does_not_fit(path, content):
    rewrite(path, {"policy.optimizer.pth": as_bytes(content)})
    with pytest.raises(CheckpointError, match="do not fit"):
        resume(path.parent)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite(path, value):
    weights = checkpoint.load(path).policy
    next(iter(weights.values())).flatten()[0] = value
    rewrite(path, {"policy.pth": as_bytes(weights)})
    refused(path, "its weights are not finite")


@pytest.mark.parametrize("content", [{1: torch.zeros(1)}, {"action_net.weight": 5}])
def test_weights_of_another_kind(path, content, game):
    rewrite(path, {"policy.pth": as_bytes(content)})
    with pytest.raises(CheckpointError, match="do not fit the network"):
        isle_envs.core.policy.make_policy(f"trained:{path}", game)


@pytest.mark.parametrize("changes", [{"opponents": ["gredy"]}, {"settings": {"teacher": "gredy"}}])
def test_opponents_that_are_gone(path, changes):
    change_metadata(path, **changes)
    with pytest.raises(CheckpointError, match="unknown policy 'gredy'"):
        resume(path.parent)


def test_of_a_network_that_is_not_its_own(path, game):
    change_metadata(path, settings={"hidden": [17]})
    with pytest.raises(CheckpointError, match="do not fit the network"):
        isle_envs.core.policy.make_policy(f"trained:{path}", game)


def test_other_files_in_the_folder_are_none_of_its_business(run):
    newest = checkpoint.find(run)
    shutil.copy(newest, run / "checkpoint-of-mine.zip")
    (run / "checkpoint-000000009999.zip.77.tmp").write_bytes(b"half")
    assert checkpoint.find(run) == newest


@pytest.mark.parametrize("name", isle_envs.GAMES)
def test_a_layout_counts_the_games_actions_and_values(name):
    """Isla's switches are 55 pairs, not 11 × 11: a checkpoint of it must fit its own game."""
    game = isle_envs.make_game(name)
    kept = checkpoint.layout(game)
    assert sum(math.prod(block[1:]) for block in kept["actions"]) == game.num_actions
    assert sum(math.prod(block[1:]) for block in kept["observation"]) == game.observation.size

"""Replays: recording, the file, and every way in which one may not fit."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isle_envs
from isle_envs.core.components import read_components
from isle_envs.core.replay import Replay
from isle_envs.core.rng import episode_key
from isle_envs.envs import aec
from tests.sticks import Sticks

Content = dict[str, Any]


@pytest.fixture(scope="module")
def replay() -> Replay:
    return Replay.play(isle_envs.make_game("isle_tiles", board="random"), 77, ["greedy", "random"])


@pytest.fixture
def saved(replay: Replay, tmp_path: Path) -> Path:
    replay.save(tmp_path / "game.json")
    return tmp_path / "game.json"


def test_round_trip(replay: Replay, saved: Path) -> None:
    loaded = Replay.load(saved)
    assert loaded == replay
    assert loaded.scores() == replay.scores()
    assert [path.name for path in saved.parent.iterdir()] == ["game.json"]
    content = json.loads(saved.read_text())
    assert content["game"] == replay.game.spec
    assert int(content["key"], 16) == 77
    assert content["actions"] == list(replay.actions)


def test_a_part_of_a_game(replay: Replay, tmp_path: Path) -> None:
    for count in (0, 10):
        part = Replay(replay.game, replay.key, replay.actions[:count])
        part.save(tmp_path / "part.json")
        assert Replay.load(str(tmp_path / "part.json")) == part


@pytest.mark.parametrize("options", [{"num_players": 3, "board": "draft", "reward": "margin"}, {"tasks": "first_game"}])
def test_options_are_kept(options: dict[str, Any], tmp_path: Path) -> None:
    game = isle_envs.make_game("isle_tiles", **options)
    Replay.play(game, 5, ["random"] * game.num_players).save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").game == game


def test_components_of_ones_own_are_in_the_file(tmp_path: Path) -> None:
    components = read_components(isle_envs.GAMES["isle_tiles"].default_components)
    components["landscapes"] = ["rock", "sand", "snow", "mud", "wood"]
    game = isle_envs.make_game("isle_tiles", components=components)
    Replay.play(game, 5, ["random"] * 2).save(tmp_path / "game.json")
    assert json.loads((tmp_path / "game.json").read_text())["game"]["components"]["landscapes"][0] == "rock"
    assert Replay.load(tmp_path / "game.json").game == game


def test_a_game_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(isle_envs.GAMES, "sticks", Sticks)
    game = Sticks(num_players=3)
    Replay.play(game, -1, ["greedy", lambda _, mask: 0, "random"]).save(tmp_path / "game.json")
    loaded = Replay.load(tmp_path / "game.json")
    assert (loaded.game, loaded.key) == (game, 2**64 - 1)


def test_positions(replay: Replay) -> None:
    batch = replay.game.batch(1)
    batch.reset(seeds=[replay.key])
    count = 0
    for position, action, label in replay.positions():
        assert position.states.tobytes() == batch.states.tobytes()
        assert label == (None if action is None else replay.game.actions.label(action))
        if action is not None:
            batch.step([action])
            count += 1
    assert count == len(replay.actions)
    assert batch.terminated[0]
    assert position.scores()[0].tolist() == replay.scores()


def test_recording_a_pettingzoo_game(tmp_path: Path) -> None:
    env: Any = aec.env("isle_tiles", num_players=3)
    env.reset(seed=3)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(60):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    raw = env.unwrapped
    replay = Replay(raw.game, raw.key, raw.actions)
    assert replay.key == episode_key(3, 1)
    replay.save(tmp_path / "game.json")
    *_, (batch, _, _) = Replay.load(tmp_path / "game.json").positions()
    assert batch.states.tobytes() == raw.batch.states.tobytes()


def test_a_replay_does_not_change_with_the_list_it_was_made_of(replay: Replay) -> None:
    actions = list(replay.actions)
    kept = Replay(replay.game, replay.key, actions)
    actions.clear()
    assert kept == replay


def test_one_policy_for_each_seat() -> None:
    with pytest.raises(ValueError, match="2 policies are needed, one for each seat, not 1"):
        Replay.play(Sticks(), 1, ["random"])


def test_an_illegal_action_is_not_saved(replay: Replay, saved: Path) -> None:
    wrong = Replay(replay.game, replay.key, [*replay.actions[:5], 10**6])
    before = saved.read_bytes()
    with pytest.raises(isle_envs.ReplayError, match="action 6 of 6 is 1000000"):
        wrong.save(saved)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1


def test_a_failed_write_leaves_the_old_file(replay: Replay, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no space")

    before = saved.read_bytes()
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        replay.save(saved)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1


def _set(*path: Any, value: Any) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


def _illegal(content: Content) -> None:
    content["actions"][3] = 449


def _beyond_the_end(content: Content) -> None:
    content["actions"] += [377]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("format", value="other replay"), 'not a replay: "format" must be "isle_envs replay"'),
        (_set("version", value=2), "version 2 is unknown; this release reads version 1"),
        (lambda content: content.pop("key"), '"key" is missing'),
        (_set("key", value="zzz"), "\"key\" must be a hexadecimal text of at most 64 bits, not 'zzz'"),
        (_set("key", value="0x" + "f" * 17), "at most 64 bits"),
        (_set("key", value=5), "hexadecimal text"),
        (_set("actions", value="12"), '"actions" must be a list of whole numbers'),
        (_set("actions", 0, value=1.0), '"actions" must be a list of whole numbers'),
        (_set("actions", 0, value=True), '"actions" must be a list of whole numbers'),
        (_set("scores", value=None), '"scores" must be a list of whole numbers'),
        (_set("game", value="isle_tiles"), '"game" must be an object that names a game'),
        (_set("game", "game", value=["x"]), "unknown game ['x']"),
        (_set("game", "num_players", value=["x"]), "num_players must be one of"),
        (_set("game", "options", value={"name": 1}), "the game cannot be made"),
        (_set("actions", 0, value=10**30), "which is not legal"),
        (_set("game", "game", value="isle_tile"), "unknown game 'isle_tile'. Did you mean 'isle_tiles'?"),
        (
            _set("game", "num_players", value=7),
            "the game cannot be made: isle_tiles: num_players must be one of 2, 3, 4",
        ),
        (_set("game", "options", "board", value="drift"), "the game cannot be made: isle_tiles, option 'board'"),
        (_set("game", "options", value=[]), '"options" and "components" must be objects'),
        (_set("game", "components", value="components.toml"), '"options" and "components" must be objects'),
        (_set("game", "components", value={}), "the game cannot be made: components: grid: is missing"),
        (_illegal, "is 449 (no such action), which is not legal: actions are 0 to 377; seat 1 is to"),
        (_set("actions", 0, value=0), "action 1 of"),
        (_beyond_the_end, "is 377 (place no more markers), which is not legal: the game is over"),
        (_set("scores", 0, value=99), "as the file says"),
        (_set("key", value="0x1"), "which is not legal"),
    ],
)
def test_a_replay_that_does_not_fit(saved: Path, change: Callable[[Content], Any], words: str) -> None:
    content = json.loads(saved.read_text())
    change(content)
    saved.write_text(json.dumps(content))
    with pytest.raises(isle_envs.ReplayError) as caught:
        Replay.load(saved)
    assert str(caught.value).startswith(f"{saved}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe\x00", b'{"format": "isle_envs replay"', b"[1, 2", b"NaN,"])
def test_not_json(saved: Path, data: bytes) -> None:
    saved.write_bytes(data)
    with pytest.raises(isle_envs.ReplayError, match="not JSON"):
        Replay.load(saved)


def test_json_nested_too_deeply(saved: Path) -> None:
    text = saved.read_text()
    for depth in (400, 100_000):  # one is too deep to be checked, the other to be read
        saved.write_text(text.replace('"game": {', '"game": {"components": {"a": ' + "[" * depth + "]" * depth + "}, "))
        with pytest.raises(isle_envs.ReplayError) as caught:
            Replay.load(saved)
        assert len(str(caught.value)) < 1000
        assert "\n" not in str(caught.value)


def test_a_folder_or_a_device_is_not_replaced(replay: Replay, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo"):
        with pytest.raises(OSError, match=r"is not a regular file|is a folder"):
            replay.save(path)
    assert (tmp_path / "fifo").is_fifo()
    (tmp_path / "link").symlink_to(tmp_path / "game.json")
    replay.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert Replay.load(tmp_path / "game.json") == replay


@pytest.mark.parametrize("source", [5, True, [], b"x", "\0", "", 1.5])
def test_components_that_are_no_path(source: Any) -> None:
    with pytest.raises(isle_envs.ComponentError, match=r"must be the path of a TOML file"):
        read_components(source)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("a = " + "1" * 6000, "cannot be read"),
        ('grid = 0x' + "f" * 6000, "is int too large to show"),
        (".".join(["grid"] * 50_000) + " = 1", "too large to show"),
    ],
)  # fmt: skip
def test_components_beyond_what_python_reads(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "components.toml"
    path.write_text(text)
    with pytest.raises(isle_envs.ComponentError, match=words) as caught:
        isle_envs.make_game("isle_tiles", components=path)
    assert str(caught.value).startswith(f"{path}: ")


def test_components_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    own = Path(isle_envs.GAMES["isle_tiles"].default_components)
    (tmp_path / "components.toml").write_bytes(b"\xef\xbb\xbf" + own.read_bytes())
    assert read_components(tmp_path / "components.toml") == read_components(own)


@pytest.mark.parametrize("data", [b"[]", b"5", b"null", b"{}"])
def test_json_of_something_else(saved: Path, data: bytes) -> None:
    saved.write_bytes(data)
    with pytest.raises(isle_envs.ReplayError, match="not a replay"):
        Replay.load(saved)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none.json", "No such file"), (tmp_path, "directory")):
        with pytest.raises(isle_envs.ReplayError, match=words):
            Replay.load(path)

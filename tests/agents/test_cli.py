"""The command line: what it prints, and one clear line for everything that is wrong."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agents import checkpoint, training
from agents.cli import main
from isle_envs.core.replay import Replay

from .conftest import TINY


def isle(*arguments):
    return main([str(argument) for argument in arguments])


def refused(capsys, *arguments):
    """Asserts that the command fails with exit code 2 and one line; returns it."""
    assert isle(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("isle: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["trian"], "invalid choice: 'trian'"),
        (["train", "isle_tile"], "unknown game 'isle_tile'. Did you mean 'isle_tiles'?"),
        (["evaluate", "chess", "--policies", "random", "greedy"], "unknown game 'chess'"),
        (["train", "isle_tiles", "--players", "5"], "num_players must be one of 2, 3, 4, not 5"),
        (["evaluate", "isle_tiles", "--players", "5", "--policies", "random", "greedy"], "2, 3, 4, not 5"),
        (["evaluate", "isle_tiles", "--players", "two", "--policies", "random", "greedy"], "invalid int value: 'two'"),
        (["evaluate", "isle_tiles", "--policies", "random", "gredy"], "unknown policy 'gredy'. Did you mean 'greedy'?"),
        (["evaluate", "isle_tiles", "--policies", "random"], "at least two"),
        (["train", "isla_solo", "--set", "lessons=2"], "'lessons' is a share of the budget, from 0 to 1, not 2"),
        (["evaluate", "isla_solo", "-o", "keeper=Hollow Antlr", "--policies", "random"], "Did you mean 'Hollow Antler'"),
        (["evaluate", "isla", "-o", "keeper=random", "--policies", "random", "greedy"], "only the solo game"),
        (["evaluate", "islet_solo", "--players", "2", "--policies", "random"], "islet_solo is played by one: --players 2"),
        (["evaluate", "isle_tiles_solo", "--policies", "random"], "unknown game 'isle_tiles_solo'"),
        (["evaluate", "islet_solo", "--policies", "greedi"], "unknown policy 'greedi'"),
        (["evaluate", "isle_tiles", "--policies", "random", "trained"], "needs a checkpoint"),
        (["evaluate", "isle_tiles", "--policies", "random", "trained:no.zip"], "no.zip: there is no such file"),
        (["evaluate", "isle_tiles", "--policies", "random", "greedy", "--games", "0"], "from 1, not '0'"),
        (["evaluate", "isle_tiles", "--policies", "random", "greedy", "--game", "5"], "--game"),
        (["evaluate", "isle_tiles", "-o", "bord=draft", "--policies", "random", "greedy"], "Did you mean 'board'?"),
        (["evaluate", "isle_tiles", "-o", "board=drift", "--policies", "random", "greedy"], "Did you mean 'draft'?"),
        (["evaluate", "isle_tiles", "-o", "board", "--policies", "random", "greedy"], "not of the form NAME=VALUE"),
        (["evaluate", "isle_tiles", "-o", "num_players=3", "--policies", "random", "greedy"], "--players"),
        (["evaluate", "isle_tiles", "--components", "no.toml", "--policies", "random", "greedy"], "no.toml"),
        (["train", "isle_tiles", "--opponents", "randon"], "unknown policy 'randon'. Did you mean 'random'?"),
        (["train", "isle_tiles", "--reward", "marging"], "Did you mean 'margin'?"),
        (["train", "isle_tiles", "--minutes", "0"], "above 0"),
        (["train", "isle_tiles", "--set", "epoch=3"], "Did you mean 'epochs'?"),
        (["train", "isle_tiles", "--set", "epochs=few"], "'epochs' must be a whole number"),
        (["train", "isle_tiles", "--torch-threads", "none"], "must be a whole number"),
        (["train", "isle_tiles", "--torch-threads", "100000"], "must be at most"),
        (["train", "isle_tiles", "--checkpoint-seconds", "0"], "must be a number of seconds above 0"),
        (["train", "isle_tiles", "--checkpoint-seconds", "nan"], "must be a number of seconds above 0"),
        (["train", "isle_tiles", "--checkpoint-seconds", "inf"], "must be a number of seconds above 0"),
        (["train", "isle_tiles", "--set", "copies=10000000000000"], "'copies' must be a whole number from 1 to 65536"),
        (["train", "isle_tiles", "--set", "hidden=[1000000000]"], "'hidden' must be a list of whole numbers from 1 to 4096"),
        (["train", "isle_tiles", "--set", f"hidden={[1] * 99}"], "99 layers"),
        (["train", "isle_tiles", "--set", f"rollout={'9' * 5000}"], "'rollout' must be a whole number from 1"),
        (["train", "isle_tiles", "--set", "teacher=gredy"], "unknown policy 'gredy'"),
        (["train", "isle_tiles", "-o", "name=x"], "unknown option 'name'"),
        (["evaluate", "isle_tiles", "-o", "name=x", "--policies", "random", "greedy"], "unknown option 'name'"),
        (["evaluate", "isle_tiles", "-o", "self=x", "--policies", "random", "greedy"], "unknown option 'self'"),
        (["evaluate", "isle_tiles", "--games", "99999999999999", "--policies", "random", "greedy"], "at most 10,000,000"),
        (["evaluate", "isle_tiles", "--json", ".", "--policies", "random", "greedy"], "is a folder"),
        (["evaluate", "isle_tiles", "--json", "/dev/null/x.json", "--policies", "random", "greedy"], "/dev/null"),
        (["train", "isle_tiles", "--resume"], "runs/isle_tiles: there is no such file or folder"),
        (["replay", "no.json"], "no.json"),
        (["demo", "--minutes", "-1"], "above 0"),
    ],
)  # fmt: skip
def test_bad_input(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert words in refused(capsys, *arguments)
    assert not list(tmp_path.iterdir())


def test_a_folder_in_use(capsys, finished_run):
    assert "not empty" in refused(capsys, "train", "isle_tiles", "--run-dir", finished_run)


def test_a_folder_that_cannot_be_made(capsys, tmp_path):
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "run"
    assert str(folder) in refused(capsys, "train", "isle_tiles", "--run-dir", folder)


def test_a_truncated_checkpoint(capsys, run):
    newest = checkpoint.find(run)
    newest.write_bytes(newest.read_bytes()[:5000])
    for command in (
        ["train", "isle_tiles", "--run-dir", run, "--resume"],
        ["evaluate", "isle_tiles", "--policies", f"trained:{run}", "random"],
    ):
        assert f"{newest}: the checkpoint is truncated" in refused(capsys, *command)


def test_a_checkpoint_for_other_players(capsys, finished_run):
    command = ["evaluate", "isle_tiles", "--players", "3", "--policies", f"trained:{finished_run}", "random"]
    assert "the number of players was 2 and is 3 here" in refused(capsys, *command)


@pytest.mark.parametrize(
    "given",
    [
        ["--players", "3"],
        ["--seed", "4"],
        ["--opponents", "greedy"],
        ["--reward", "margin"],
        ["-o", "board=random"],
        ["--set", "epochs=2"],
    ],
)
def test_a_run_is_resumed_as_it_was_started(capsys, run, given):
    message = refused(capsys, "train", "isle_tiles", "--run-dir", run, "--resume", *given)
    assert "cannot go on with another" in message
    assert "started with" in message


def test_train_resume_and_evaluate(capsys, tmp_path):
    folder = tmp_path / "run"
    settings = ["copies=8", "rollout=16", "minibatch=64", "epochs=1", "hidden=[16]"]
    command = ["train", "isle_tiles", "--run-dir", folder, *(word for pair in settings for word in ("--set", pair))]
    assert isle(*command, "--steps", "256") == 0
    out, err = capsys.readouterr()
    assert "trained 256 steps" in out
    assert "training isle_tiles: 100%" in err
    assert isle(*command, "--steps", "384", "--resume") == 0
    assert "trained 384 steps" in capsys.readouterr().out
    result = tmp_path / "result.json"
    policies = [f"trained:{folder}", "greedy", "random"]
    assert isle("evaluate", "isle_tiles", "--policies", *policies, "--games", "10", "--json", result) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert re.match(r"policy +against +games +wins +95% interval +score +margin +95% interval", lines[0])
    assert json.loads(result.read_text())["policies"] == policies


def test_demo(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "Settings", lambda: TINY)
    demo = ["demo", "--minutes", "0.0001", "--games", "4"]
    assert isle(*demo) == 0
    out = capsys.readouterr().out
    assert "Training" in out
    assert len(re.findall(r"^(?:trained:runs/demo|greedy) +\S+ +4 ", out, re.MULTILINE)) == 3
    assert (tmp_path / "runs/demo/evaluation.json").exists()
    assert isle(*demo) == 0
    assert "is finished" in capsys.readouterr().out
    assert isle("demo", "--minutes", "0.02", "--games", "4") == 0
    assert "Going on with the unfinished run" in capsys.readouterr().out
    newest = checkpoint.find(tmp_path / "runs/demo")
    newest.write_bytes(newest.read_bytes()[:100])
    assert isle(*demo) == 0
    assert "cannot be used" in capsys.readouterr().out
    assert checkpoint.load(tmp_path / "runs/demo-2").metadata.steps > 0


@pytest.fixture
def recorded(tmp_path, game):
    path = tmp_path / "game.json"
    Replay.play(game, 7, ["greedy", "random"]).save(path)
    return path


def test_replay(capsys, recorded, game):
    assert isle("replay", recorded, "--moves") == 0
    lines = capsys.readouterr().out.splitlines()
    replay = Replay.load(recorded)
    assert len(lines) == len(replay.actions) + 2
    assert lines[1].endswith(f"player 0: {game.actions.label(replay.actions[0])}")
    assert lines[-1] == "scores: player 0 {}, player 1 {}".format(*replay.scores())


def test_replay_with_positions(capsys, recorded, game):
    texts = []
    for seat in (None, 0):
        assert isle("replay", recorded, *(["--seat", seat] if seat is not None else [])) == 0
        texts.append(capsys.readouterr().out)
        last = None
        for batch, _, _ in Replay.load(recorded).positions():
            last = game.text(batch.states[0], seat)
            assert last in texts[-1]
    assert texts[0] != texts[1]  # a seat does not see the other's tile


def test_replay_of_a_seat_that_is_not_there(capsys, recorded):
    assert "--seat must be in 0 to 1" in refused(capsys, "replay", recorded, "--seat", "2")


def test_a_replay_that_does_not_fit_its_game(capsys, recorded):
    content = json.loads(recorded.read_text())
    content["actions"][3] = 1
    recorded.write_text(json.dumps(content))
    assert "action 4 of" in refused(capsys, "replay", recorded)


def test_list(capsys):
    assert isle("list") == 0
    out = capsys.readouterr().out
    for words in (
        "isle_tiles",
        "2, 3, 4",
        "first_game, random, draft",
        "random, greedy, trained",
        "isle_envs/IsleTiles-v0",
    ):
        assert words in out


@pytest.mark.parametrize("command", ["list", "--help"])
def test_what_needs_no_torch_does_not_import_it(command):
    code = f"""
import sys
from agents.cli import main
try:
    main([{command!r}])
except SystemExit:
    pass
sys.exit("torch" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "agents.cli", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_output_that_cannot_be_written():
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "agents.cli", "list"], stdout=full, stderr=subprocess.PIPE)
    assert done.stderr == b"isle: No space left on device\n"
    assert done.returncode == 2


def test_results_cannot_take_the_place_of_a_device():
    command = [sys.executable, "-m", "agents.cli", "evaluate", "islet", "--policies", "random", "greedy", "--json"]
    done = subprocess.run([*command, "/dev/stdout"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "isle: /dev/stdout: is not a regular file, and is not replaced\n"


def test_options_when_resuming(capsys, finished_run):
    command = ["train", "isle_tiles", "--run-dir", finished_run, "--resume", "--steps", "512", "-o"]
    assert "unknown option 'bord'" in refused(capsys, *command, "bord=x")
    assert "another --option reward, margin" in refused(capsys, *command, "reward=margin")


def test_a_training_that_diverges(capsys, tmp_path):
    settings = ["copies=8", "rollout=16", "minibatch=64", "hidden=[16]", "learning_rate=1e30"]
    words = [word for pair in settings for word in ("--set", pair)]
    assert isle("train", "isle_tiles", "--run-dir", tmp_path / "run", *words, "--steps", "2000") == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(f"isle: {tmp_path / 'run'}: the training diverged")
    assert checkpoint.load(tmp_path / "run").metadata.steps == 0


def test_truth_values_are_read_as_the_options_name_them(capsys):
    for value in ("true", "True"):
        main(["evaluate", "isla", "-o", f"threat_per_one={value}", "--policies", "random", "greedy", "--games", "4"])
        assert "greedy" in capsys.readouterr().out

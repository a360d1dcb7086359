"""The console script ``isle``, with and without the ``agents`` package it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isle_envs import _cli


def start(folder: Path) -> "subprocess.CompletedProcess[str]":
    """``isle list`` where ``folder`` comes before the project's own folder."""
    path = os.pathsep.join([str(folder), str(Path(_cli.__file__).parents[1])])
    return subprocess.run(
        [sys.executable, "-c", "import sys; from isle_envs._cli import main; sys.exit(main())", "list"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_our_own_package_is_found(tmp_path: Path) -> None:
    assert start(tmp_path).returncode == 0


@pytest.mark.parametrize("source", ["VERSION = 1", "import a_module_that_is_not_there", "raise RuntimeError('no key')"])
def test_another_package_of_that_name_is_told_apart(tmp_path: Path, source: str) -> None:
    (tmp_path / "agents.py").write_text(source)
    result = start(tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("isle: the package agents ")
    assert result.stderr.endswith("hides that of isle-envs; use an environment without it\n")
    assert result.stderr.count("\n") == 1
    assert (str(tmp_path / "agents.py") in result.stderr) == (source == "VERSION = 1")


def test_a_missing_library_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/__init__.py").write_text("DISTRIBUTION = 'isle-envs'")
    (tmp_path / "agents/cli.py").write_text("def main(): import a_module_that_is_not_there")
    result = start(tmp_path)
    message = 'isle: a_module_that_is_not_there is not installed; pip install "isle-envs[agents]"\n'
    assert (result.returncode, result.stderr) == (2, message)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "agents", None)
    assert _cli.main() == 2
    assert capsys.readouterr().err == 'isle: the package agents is missing; pip install "isle-envs[agents]"\n'

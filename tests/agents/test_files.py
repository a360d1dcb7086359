"""Files that are never half written."""

import os

import pytest

from agents.files import TEMPORARY, write_atomically


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_death_on_the_way_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def die(*_):
        raise OSError

    monkeypatch.setattr(os, step, die)
    with pytest.raises(OSError):  # noqa: PT011
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert all(left.name.endswith(TEMPORARY) for left in tmp_path.iterdir() if left != path)

"""Files that are never half written, and never written in the place of something else."""

import os

import pytest

from isle_envs.core.files import TEMPORARY, write_atomically


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


def test_a_link_stays_one(tmp_path):
    for name in ("there", "not there"):
        link, path = tmp_path / f"link to {name}", tmp_path / name
        link.symlink_to(path)
        if name == "there":
            path.write_bytes(b"old")
        write_atomically(link, b"new")
        assert link.is_symlink()
        assert path.read_bytes() == b"new"


def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/dev/null")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    for name, words in (("fifo", "not a regular file"), ("link", "not a regular file"), ("folder", "is a folder")):
        with pytest.raises(OSError, match=words) as caught:
            write_atomically(tmp_path / name, b"new")
        assert caught.value.filename == str(tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "fifo").is_fifo()

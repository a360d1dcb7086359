"""Files that are either the old one or the new one, whenever the process dies."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

TEMPORARY = ".tmp"
"""Suffix of a file being written. A killed process may leave one behind; it means nothing."""


def target(path: str | Path) -> Path:
    """The file that writing to ``path`` is about, symbolic links followed; it need not exist.

    Raises:
        OSError: there is something that is no regular file, which must not be replaced by one.
    """
    found = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode  # of the path: what /dev/stdout leads to may have no path of its own
    except FileNotFoundError:
        return found
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file to write to", str(path))
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, "is not a regular file, and is not replaced", str(path))
    return found


def write_atomically(path: str | Path, data: bytes) -> None:
    """Writes ``data`` to ``path`` so that a reader, or a kill at any moment, finds the old file or the new one, whole.

    Raises:
        OSError: the file cannot be written, or ``path`` is something else than a file; see :func:`target`.
    """
    file = target(path)
    temporary = file.with_name(f"{file.name}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
    if os.name == "posix":  # the new name itself survives a power cut only once the folder is written
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

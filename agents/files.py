"""Files that are either the old one or the new one, whenever the process dies."""

import os
from pathlib import Path

TEMPORARY = ".tmp"
"""Suffix of a file being written. A killed process may leave one behind; it means nothing."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader, or a kill at any moment, finds the old file or the new one, whole."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    if os.name == "posix":  # the new name itself survives a power cut only once the folder is written
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

"""Files that appear whole or not at all, and are on the disk before they have their name."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_new(path: Path, content: bytes) -> None:
    """A file that was not there; on the disk when this returns. Raises ``FileExistsError`` and other ``OSError``."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises ``OSError``."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: str | bytes, *, replace: bool) -> None:
    """Write ``content`` (text as UTF-8) at ``path``, in the place of another file only when ``replace`` is said.

    Raises ``FileExistsError`` when there is something already and ``replace`` is not said, other ``OSError`` when it
    cannot be written; the old file is then as it was, and nothing else is left behind.
    """
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write_new(part, content if isinstance(content, bytes) else content.encode())
        if not replace:
            # Takes the name in one step: of two who write the same file one is refused. Power lost just here leaves an
            # empty file, which is nothing of ours.
            path.open("x").close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)

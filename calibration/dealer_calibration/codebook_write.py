"""Files that appear whole or not at all, and take the place of another only when that is asked for."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_whole(path: Path, text: str, *, replace: bool) -> None:
    """Write ``text`` as UTF-8 at ``path``, on the disk before it has its name.

    Raises ``FileExistsError`` when there is something already and ``replace`` is not said, other ``OSError`` when it
    cannot be written; the old file is then as it was, and nothing else is left behind.
    """
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if not replace:
            # Takes the name in one step: of two who write the same file one is refused. Power lost just here leaves an
            # empty file, which is no code book.
            path.open("x").close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)

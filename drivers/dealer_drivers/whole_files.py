"""Files that appear whole or not at all, and are on the disk before they have their name."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
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


def open_lock(path: Path) -> int:
    """A descriptor of a file to be locked, made where it is not there: whoever may write its folder may open it, too.
    Raises ``OSError``; a symbolic link is none."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o660)
    share(descriptor, path.parent)
    return descriptor


def make_folder(path: Path) -> None:
    """One folder, in which whoever may write the folder above may write, too. Raises ``OSError``."""
    path.mkdir()
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        share(descriptor, path.parent)
    finally:
        os.close(descriptor)


def share(descriptor: int, above: Path) -> None:
    """What root made belongs to the owner of the folder that it lies in; its group, and what that group may, are the
    folder's. Of what is another's nothing is changed."""
    folder, own = above.stat(), os.fstat(descriptor)
    owner = folder.st_uid if os.geteuid() == 0 and own.st_uid == 0 else own.st_uid
    if (owner, folder.st_gid) != (own.st_uid, own.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, owner, folder.st_gid)
    group = folder.st_mode & (stat.S_IRWXG if stat.S_ISDIR(own.st_mode) else stat.S_IRGRP | stat.S_IWGRP)
    mode = stat.S_IMODE(own.st_mode)
    if mode | group != mode and os.fstat(descriptor).st_gid == folder.st_gid:
        with contextlib.suppress(PermissionError):
            os.fchmod(descriptor, mode | group)

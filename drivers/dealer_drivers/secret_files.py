"""Files that hold secrets: where they are, and who else may read them.

A value ``credential:NAME`` is a credential that systemd hands to the daemon alone (``LoadCredential=NAME:/path`` in the
unit; systemd.exec(5), "Credentials"): a file in ``$CREDENTIALS_DIRECTORY``.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

SCHEME = "credential:"
DIRECTORY = "CREDENTIALS_DIRECTORY"

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,255}")


class CredentialMissing(ValueError):  # noqa: N818
    """A credential that the service manager did not hand over. The text says what to write where."""


def is_credential(value: str) -> bool:
    """Whether the value names a credential and no path."""
    return value.startswith(SCHEME)


def credential_problem(value: str) -> str | None:
    """What is wrong with a value that names a credential."""
    name = value.removeprefix(SCHEME)
    if not _NAME.fullmatch(name) or name in (".", ".."):
        return f'"{value}" names no credential; write {SCHEME}NAME with letters, digits, ".", "_" and "-"'
    return None


def secret_file(value: str) -> Path:
    """The file that a ``*_file`` key means. Raises ``CredentialMissing``."""
    if not is_credential(value):
        return Path(value)
    if (problem := credential_problem(value)) is not None:
        raise CredentialMissing(problem)
    name = value.removeprefix(SCHEME)
    folder = os.environ.get(DIRECTORY)
    try:
        there = folder is not None and folder != "" and (Path(folder) / name).is_file()
    except OSError as error:
        raise CredentialMissing(
            f'"{value}": {folder} cannot be entered ({error.strerror}): look at the unit\'s User= and at its mounts'
        ) from error
    if not folder or not there:
        raise CredentialMissing(
            f'"{value}" was not handed over: write LoadCredential={name}:/path/of/the/file into the unit and start the '
            "daemon by systemd, or name the file itself"
        )
    return Path(folder) / name


def endless(path: Path) -> str | None:
    """A sentence where a path is a pipe, a socket or a device: whoever reads it may wait for ever, without a word."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):  # a folder is refused by who reads it
        return None
    return f"{path}: is a pipe, a socket or a device, of which nobody knows when it ends: name a file"


def open_to_others(path: Path) -> str | None:
    """A sentence where others than the owner and the group may read a file or folder, or its group may write it.

    A group that reads is the way of Debian (``root:dealer-station``, 0640). ``None`` where all is well, and where the
    file cannot be looked at: whoever reads it says why.
    """
    try:
        found = path.stat().st_mode
    except OSError:
        return None
    mode = stat.S_IMODE(found)
    if not mode & 0o027:
        return None
    right = "0750" if stat.S_ISDIR(found) else "0640"
    return f"{path}: others may read or change it (mode {mode:04o}); say `chmod {right} {path}`"

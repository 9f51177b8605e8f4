"""The PC as files: ``/sys``, ``/dev``, ``/proc`` and where rules and users stand. Tests hand in a tree of their own."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

RULES = (Path("/etc/udev/rules.d"), Path("/run/udev/rules.d"), Path("/usr/lib/udev/rules.d"), Path("/lib/udev/rules.d"))
"""The first that has a file of a name counts (udev(7))."""


@dataclass(frozen=True, slots=True)
class User:
    """Who the station runs as. ``groups`` holds his own group, too."""

    name: str
    uid: int
    groups: frozenset[int]

    def may(self, path: Path, wanted: int) -> bool:
        """Whether he may do to the file what ``wanted`` says (``os.R_OK``, ``os.W_OK``), by owner, group and mode.
        Raises ``OSError`` where it is not there."""
        found = path.stat()
        if self.uid == 0:
            return True
        mode = stat.S_IMODE(found.st_mode)
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid in self.groups else 0
        return mode >> shift & wanted == wanted


def user_named(name: str) -> User | None:
    """The user of this system."""
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return None
    return User(name, found.pw_uid, frozenset(os.getgrouplist(name, found.pw_gid)))


def this_user() -> User:
    """Who runs this."""
    uid = os.geteuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    return User(name, uid, frozenset({os.getegid(), *os.getgroups()}))


def group_name(path: Path) -> str:
    """The file's group, in words."""
    gid = path.stat().st_gid
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


@dataclass(frozen=True, slots=True)
class Machine:
    """See the module."""

    sys: Path = Path("/sys")
    dev: Path = Path("/dev")
    proc: Path = Path("/proc")
    rules: tuple[Path, ...] = RULES
    user: User = field(default_factory=this_user)

    def node(self, path: str) -> Path:
        """The file of a path below ``/dev``, its links followed."""
        inside = path.removeprefix("/dev/")
        named = self.dev / inside if inside != path else Path(path)
        return named.resolve()

    def running(self, names: Iterable[str]) -> list[str]:
        """Which of these programs run here."""
        wanted, found = set(names), set()
        for comm in self.proc.glob("[0-9]*/comm"):
            try:
                found.add(comm.read_text(errors="replace").strip())
            except OSError:
                continue  # ended meanwhile
        return sorted(wanted & found)

    def rule_file(self, name: str) -> str | None:
        """The text of the udev rules of that name, where they are installed."""
        for folder in self.rules:
            try:
                return (folder / name).read_text("utf-8")
            except (OSError, ValueError):
                continue
        return None


def text_of(path: Path) -> str | None:
    """What stands in a small file, or ``None`` where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return None

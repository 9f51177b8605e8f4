"""The credential file: who may sign in, as JSON, for the daemon's user alone.

Read when the station starts and again when it was changed; written whole, in the place of the old one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from dealer_daemon.people.hashing import Hash
from dealer_daemon.people.rules import BadSecret, PersonRole, check_name
from dealer_drivers.secret_files import endless, open_to_others

LARGEST = 1 << 20


class PeopleFileError(ValueError):
    """The file cannot be used. The text names it and says what to do."""


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One person; ``password`` and ``pin`` as ``Hash`` writes them."""

    name: str
    role: PersonRole
    password: str
    pin: str | None = None
    """A manager's second factor: without one a manager only looks."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    people: list[Person]


def folded(name: str) -> str:
    """How a name is compared: nobody signs in as somebody else by a capital letter."""
    return " ".join(name.split()).casefold()


def read_people(path: Path) -> dict[str, Person]:
    """Everybody by ``folded`` name. Raises ``PeopleFileError``."""
    if (reason := endless(path) or open_to_others(path)) is not None:
        raise PeopleFileError(reason)
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise PeopleFileError(f"{path}: cannot be read: {error.strerror}") from error
    if len(text) > LARGEST:
        raise PeopleFileError(f"{path}: is no file of people: it has more than {LARGEST} bytes")
    try:
        listed = msgspec.json.decode(text, type=_File).people
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PeopleFileError(f"{path}: {error}; it is written by `dealer-daemon people`") from error
    found: dict[str, Person] = {}
    for number, person in enumerate(listed, start=1):
        where = f"{path}: person {number}"
        try:
            check_name(person.name)
            Hash.parse(person.password)
            if person.pin is not None:
                Hash.parse(person.pin)
        except (BadSecret, ValueError) as error:
            raise PeopleFileError(f"{where}: {error}") from error
        if folded(person.name) in found:
            raise PeopleFileError(f'{where}: "{person.name}" is there twice')
        found[folded(person.name)] = person
    return found


def write_people(path: Path, people: Iterable[Person]) -> None:
    """Put the file in the place of the old one, with its owner; mode 0600, or 0640 where the group may read it.

    Raises ``OSError``.
    """
    body = (
        msgspec.json.format(msgspec.json.encode(_File(people=sorted(people, key=lambda person: person.name)))) + b"\n"
    )
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
            _give(file.fileno(), path)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _give(handle: int, path: Path) -> None:
    """To whom the old file belonged. A new one that root makes is for the folder's group to read, or the daemon, which
    is not root, could not."""
    try:
        like = path.stat()
        reads = bool(like.st_mode & 0o040)
    except FileNotFoundError:
        like = path.parent.stat()
        reads = os.geteuid() == 0 and like.st_gid != 0
        if not reads:
            return
    if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(handle, like.st_uid, like.st_gid)
    os.fchmod(handle, 0o640 if reads else 0o600)


class PeopleFile:
    """The file as it stands now: looked at whenever somebody asks, read when it is another one.

    A new one that cannot be used changes nothing: ``problem`` says why, until there is one that can.
    """

    def __init__(self, path: Path) -> None:
        """Raises ``PeopleFileError``."""
        self._path = path
        self._seen = _mark(path)
        self._people: Mapping[str, Person] = read_people(path)
        self.problem: str | None = None

    def now(self) -> Mapping[str, Person]:
        """Everybody, by ``folded`` name."""
        mark = _mark(self._path)
        if mark != self._seen:
            self._seen = mark
            try:
                self._people = read_people(self._path)
            except PeopleFileError as error:
                self.problem = str(error)
            else:
                self.problem = None
        return self._people


def _mark(path: Path) -> tuple[int, ...]:
    """What is another one after the file was written, or its rights were changed."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_mode)

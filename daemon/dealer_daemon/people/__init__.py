"""Who may sign in at the table's screen: the credential file, its hashes, and the check of a secret."""

from dealer_daemon.people.checker import CheckFailed, fits
from dealer_daemon.people.file import PeopleFile, PeopleFileError, Person, read_people, write_people
from dealer_daemon.people.hashing import Hash, hashed
from dealer_daemon.people.rules import BadSecret, PersonRole

__all__ = [
    "BadSecret",
    "CheckFailed",
    "Hash",
    "PeopleFile",
    "PeopleFileError",
    "Person",
    "PersonRole",
    "fits",
    "hashed",
    "read_people",
    "write_people",
]

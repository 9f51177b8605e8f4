"""``dealer-daemon people``: who may sign in at the table's screen."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, NO, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.people import Person


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("people", help="say who may sign in at the table's screen")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    adder = _action(
        actions, "add", "add a person; asks for the password twice, and for a manager's PIN", "dealer-7", _add
    )
    adder.add_argument("--role", required=True, choices=["dealer", "manager", "technician"])
    _action(actions, "set-password", "give a person another password; asks for it twice", "dealer-7", _set_password)
    _action(actions, "set-pin", "give a manager another PIN; asks for it twice", "manager-1", _set_pin)
    _action(actions, "remove", "remove a person, who is signed out at once", "dealer-7", _remove)
    lister = _action(actions, "list", "list everybody", "", _list)
    lister.add_argument("--json", action="store_true", help="print one JSON object a line")


def _action(
    actions: Subcommands, name: str, help_text: str, example: str, handler: Callable[[argparse.Namespace, Path], int]
) -> argparse.ArgumentParser:
    def run(arguments: argparse.Namespace) -> int:
        from dealer_daemon.people import BadSecret, PeopleFileError

        try:
            return handler(arguments, _file(arguments))
        except (CommandWrong, PeopleFileError, BadSecret) as error:
            return complain(str(error), WRONG)

    words = f"dealer-daemon people {name}{f' {example}' if example else ''} --file /etc/dealer-station/people.json"
    parser = add_command(actions, name, help_text, words, run)
    if example:
        parser.add_argument("name", metavar="NAME", help="as it stands in the journal beside what the person does")
    add_config(parser)
    parser.add_argument("--file", type=Path, metavar="P", help="the file, instead of people_file of --config")
    return parser


def _file(arguments: argparse.Namespace) -> Path:
    if arguments.file is not None:
        return Path(arguments.file)
    from dealer_daemon.config import ConfigErrors, load_config
    from dealer_drivers.secret_files import is_credential

    try:
        screen = load_config(arguments.config).screen
    except ConfigErrors as errors:
        raise CommandWrong(str(errors)) from errors
    named = None if screen is None else screen.people_file
    if named is None:
        raise CommandWrong(f"{arguments.config}: [screen] has no people_file: write one there, or name it with --file")
    if is_credential(named):
        raise CommandWrong(f"{arguments.config}: {named} is systemd's to hand over: name the file itself with --file")
    return Path(named)


def _everybody(path: Path) -> dict[str, Person]:
    """The file; empty where there is none yet."""
    from dealer_daemon.people import read_people

    return read_people(path) if path.exists() else {}


def _write(path: Path, people: dict[str, Person]) -> None:
    from dealer_daemon.people import write_people

    try:
        write_people(path, people.values())
    except OSError as error:
        raise CommandWrong(f"{path}: cannot be written: {error.strerror}") from error


def _known(people: dict[str, Person], name: str, path: Path) -> tuple[str, Person]:
    from dealer_daemon.people.file import folded

    person = people.get(folded(name))
    if person is None:
        raise CommandWrong(f"{path}: there is no {name!r}; `dealer-daemon people list` shows who there is")
    return folded(name), person


def _asked(what: str, check: Callable[[str], None]) -> str:
    """A secret, asked for twice: at a terminal without being shown, else two lines of standard input.

    Raises ``CommandWrong`` and ``BadSecret``.
    """
    if sys.stdin.isatty():
        first = getpass.getpass(f"{what}: ")
        check(first)
        second = getpass.getpass(f"{what} once more: ")
    else:
        first, second = (sys.stdin.readline().rstrip("\r\n") for _ in range(2))
        check(first)
    if first != second:
        raise CommandWrong(f"the two are not the same {what}: nothing was changed")
    return first


def _password(name: str, role: str) -> str:
    from dealer_daemon.people import hashed
    from dealer_daemon.people.rules import check_password

    return str(hashed(_asked("password", lambda secret: check_password(secret, name, role))))  # type: ignore[arg-type]


def _pin() -> str:
    from dealer_daemon.people import hashed
    from dealer_daemon.people.rules import check_pin

    return str(hashed(_asked("PIN", check_pin)))


def _add(arguments: argparse.Namespace, path: Path) -> int:
    from dealer_daemon.people import Person
    from dealer_daemon.people.file import folded
    from dealer_daemon.people.rules import check_name

    check_name(arguments.name)
    people = _everybody(path)
    if folded(arguments.name) in people:
        return complain(f"{path}: {arguments.name!r} is there already: set-password, set-pin or remove", NO)
    password = _password(arguments.name, arguments.role)
    pin = _pin() if arguments.role == "manager" else None
    person = Person(name=arguments.name, role=arguments.role, password=password, pin=pin)
    _write(path, people | {folded(arguments.name): person})
    print(f"{path}: {person.name} is a {person.role} now; a station that runs knows it")
    return DONE


def _set_password(arguments: argparse.Namespace, path: Path) -> int:
    from msgspec.structs import replace

    people = _everybody(path)
    key, person = _known(people, arguments.name, path)
    _write(path, people | {key: replace(person, password=_password(person.name, person.role))})
    print(f"{path}: {person.name} has another password; who was signed in by the old one is not any more")
    return DONE


def _set_pin(arguments: argparse.Namespace, path: Path) -> int:
    from msgspec.structs import replace

    people = _everybody(path)
    key, person = _known(people, arguments.name, path)
    if person.role != "manager":
        return complain(f"{path}: {person.name} is a {person.role}: only a manager has a PIN", NO)
    _write(path, people | {key: replace(person, pin=_pin())})
    print(f"{path}: {person.name} has another PIN")
    return DONE


def _remove(arguments: argparse.Namespace, path: Path) -> int:
    people = _everybody(path)
    key, person = _known(people, arguments.name, path)
    _write(path, {other: one for other, one in people.items() if other != key})
    print(f"{path}: {person.name} is removed, and signed out")
    return DONE


def _list(arguments: argparse.Namespace, path: Path) -> int:
    for person in _everybody(path).values():
        if arguments.json:
            print(json.dumps({"name": person.name, "role": person.role, "pin": person.pin is not None}))
        else:
            print(f"{person.name}  {person.role}{'' if person.role != 'manager' or person.pin else '  without a PIN'}")
    return DONE

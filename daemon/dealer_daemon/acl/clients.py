"""The list of clients: who connects to the broker, as whom, and for which tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dealer_daemon.config import Config, ConfigError
from dealer_daemon.config.lines import Lines
from dealer_daemon.config.types import Name
from dealer_daemon.config.walk import Problem, read_struct, unknown_key
from dealer_daemon.redact import is_secret_key

_USER = re.compile(r"[A-Za-z0-9_-]{1,64}")

Kind = Literal["server", "dealer", "manager", "technician", "consumer"]


class ClientsError(ValueError):
    """The list of clients is wrong. The text names the file and what would be right, a line for each mistake."""


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[clients.USER]``: one user of the broker. ``tables``: for which tables of the station; ``["*"]`` for all."""

    kind: Kind
    tables: Annotated[list[str], Meta(min_length=1, description='a list of tables, or ["*"] for all')]
    name: Name | None = None
    """Its name in `source` of commands and in `acks/{name}`; the user's where it is not given."""


@dataclass(frozen=True, slots=True)
class Clients:
    """The clients by user, in the order of the file, all their tables known."""

    by_user: dict[str, Client]

    def tables_of(self, user: str, config: Config) -> Sequence[str]:
        """The tables of this station that a user may speak to."""
        wanted = self.by_user[user].tables
        return [table for table in config.tables if "*" in wanted or table in wanted]

    def name_of(self, user: str) -> str:
        """The name that a user gives itself."""
        return self.by_user[user].name or user


def read_clients(path: Path, *stations: Config) -> Clients:
    """The list in a TOML file, of the clients of these stations. Raises ``ClientsError`` with all that is wrong: line,
    key and reason."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = tomllib.loads(text)
    except OSError as error:
        raise ClientsError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # what UTF-8 and TOML decoding raise
        raise ClientsError(f"{path}: is not TOML: {error}") from error
    problems: list[Problem] = []
    clients = _clients(values, problems)
    known = list(dict.fromkeys(table for station in stations for table in station.tables))
    problems += [*_table_problems(clients, known), *_name_problems(clients)]
    if problems:
        raise ClientsError("\n".join(_said(path, Lines(text), problem) for problem in problems))
    return Clients(clients)


def _clients(values: Mapping[str, Any], problems: list[Problem]) -> dict[str, Client]:
    """Those that could be read; what is wrong with the others goes to ``problems``."""
    problems += [Problem((key,), unknown_key(key, ("clients",))) for key in values if key != "clients"]
    given = values.get("clients")
    if not isinstance(given, Mapping):
        problems.append(Problem(("clients",), "missing: each user of the broker is a section, [clients.USER]"))
        return {}
    found = {}
    for user, keys in given.items():
        place = ("clients", user)
        if not _USER.fullmatch(user):
            problems.append(Problem(place, "a user's name is 1 to 64 letters, digits, _ or -"))
        elif isinstance(keys, Mapping) and (secret := next((key for key in keys if is_secret_key(key)), None)):
            reason = "credentials are the broker's affair, never here: take it out"
            problems.append(Problem((*place, secret), reason))
        elif (client := read_struct(keys, Client, place, problems)) is not None:
            found[user] = client
    return found


def _table_problems(clients: Mapping[str, Client], known: Sequence[str]) -> Iterator[Problem]:
    for user, client in clients.items():
        for table in client.tables:
            if table != "*" and table not in known:
                yield Problem(
                    ("clients", user, "tables"),
                    f"there is no table {table!r}; there are: {', '.join(known)}. Is it of another station, give that "
                    "one's configuration too: --config may be given again",
                )


def _name_problems(clients: Mapping[str, Client]) -> Iterator[Problem]:
    names: dict[str, str] = {}
    for user, client in clients.items():
        name = client.name or user
        if name in names:
            yield Problem(
                ("clients", user, "name"),
                f"clients.{user} and clients.{names[name]} are both called {name!r}: one of them could acknowledge for "
                "the other; give each a name of its own",
            )
        names[name] = user


def _said(path: Path, lines: Lines, problem: Problem) -> str:
    key = ".".join(map(str, problem.path))
    return str(ConfigError(str(path), lines.line_of(problem.path), key, problem.reason))

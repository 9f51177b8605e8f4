"""The list of clients: who connects to the broker, as whom, and for which tables."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from dealer_daemon.config import Config
from dealer_daemon.config.types import Name

Kind = Literal["server", "dealer", "manager", "technician", "consumer"]


class ClientsError(ValueError):
    """The list of clients is wrong. The text names the file and what would be right."""


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[clients.USER]``: one user of the broker. ``tables``: for which tables of the station; ``["*"]`` for all."""

    kind: Kind
    tables: Annotated[list[str], Meta(min_length=1)]
    name: Name | None = None
    """Its name in `source` of commands and in `acks/{name}`; the user's where it is not given."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    clients: dict[Name, Client]


@dataclass(frozen=True, slots=True)
class Clients:
    """The clients by user, in the order of the file, all their tables known."""

    by_user: dict[str, Client]

    def tables_of(self, user: str, config: Config) -> Sequence[str]:
        """The tables that a user may speak to."""
        wanted = self.by_user[user].tables
        return list(config.tables) if "*" in wanted else wanted

    def name_of(self, user: str) -> str:
        """The name that a user gives itself."""
        return self.by_user[user].name or user


def read_clients(path: Path, config: Config) -> Clients:
    """The list in a TOML file. Raises ``ClientsError``."""
    try:
        clients = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File).clients
    except OSError as error:
        raise ClientsError(f"{path}: cannot be read: {error.strerror}") from error
    except msgspec.ValidationError as error:
        raise ClientsError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:  # what UTF-8 and TOML decoding raise
        raise ClientsError(f"{path}: is not TOML: {error}") from error
    names: dict[str, str] = {}
    for user, client in clients.items():
        for table in client.tables:
            if table != "*" and table not in config.tables:
                known = ", ".join(config.tables)
                raise ClientsError(f"{path}: clients.{user}.tables: there is no table {table!r}; there are: {known}")
        name = client.name or user
        if name in names:
            raise ClientsError(
                f"{path}: clients.{user} and clients.{names[name]} are both called {name!r}: one of them "
                "could acknowledge for the other; give each a name of its own"
            )
        names[name] = user
    return Clients(clients)

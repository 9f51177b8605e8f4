"""Who may publish and who may read which topics. Pure.

- The station publishes its tables' events, outcome, state, board, devices, presence, journal and replies. It reads
  their commands and acknowledgements, and what the broker keeps of its own presence, journal and outcome.
- Everybody else reads what the station says of the tables named for him.
- A server publishes their ``commands``, and what a consumer does; it reads ``replies/{own name}``.
- A dealer's, manager's or technician's client publishes ``commands/{role}``, and reads ``replies/{own name}``.
- A consumer publishes ``acks/{own name}`` and ``commands/consumer/{own name}``, on which nothing but a resend can be
  asked, and reads ``replies/{own name}``.

Without ``roles_by_topic`` a broker cannot tell roles apart: servers, dealers, managers and technicians all publish to
``commands``. With ``names_by_topic`` each of them publishes ``commands/{role}/{own name}`` and no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dealer_daemon.acl.clients import Clients, ClientsError
from dealer_daemon.commands import Role
from dealer_daemon.config import Config
from dealer_daemon.mqtt.topics import Topics


@dataclass(frozen=True, slots=True)
class Grant:
    """What one user of the broker may do: topic filters to publish to, and to read."""

    user: str
    write: tuple[str, ...]
    read: tuple[str, ...]


def grants_of_all(stations: Sequence[tuple[Config, str]], clients: Clients) -> list[Grant]:
    """The grants at a broker of several stations, each with its user there: what a client may do at any of them.

    Raises ``ClientsError`` where two of them would be one.
    """
    _see_that_they_differ(stations)
    merged: dict[str, Grant] = {}
    for config, user in stations:
        for one in grants(config, clients, user):
            before = merged.get(one.user, Grant(one.user, (), ()))
            merged[one.user] = Grant(one.user, before.write + one.write, before.read + one.read)
    users = [user for _, user in stations]
    return [*(merged[user] for user in users), *(grant for name, grant in merged.items() if name not in users)]


def _see_that_they_differ(stations: Sequence[tuple[Config, str]]) -> None:
    taken: dict[str, str] = {}
    users: set[str] = set()
    for config, user in stations:
        if user in users:
            raise ClientsError(f"two stations are the user {user} at the broker: give each one of its own")
        users.add(user)
        for name, table in config.tables.items():
            base = Topics(config.mqtt.prefix, config.station.site, name, table.shadow).base
            if base in taken:
                raise ClientsError(f"{taken[base]} and {user} both publish {base}: give one of the tables another name")
            taken[base] = user


def grants(config: Config, clients: Clients, station: str) -> list[Grant]:
    """The station's grant (``station`` is its user at the broker), then each client's in the order of the list."""
    prefix, site = config.mqtt.prefix, config.station.site
    tables = {name: Topics(prefix, site, name, table.shadow) for name, table in config.tables.items()}
    by_role, by_name = config.mqtt.roles_by_topic, config.mqtt.names_by_topic
    found = [
        Grant(
            station,
            tuple(topic for at in tables.values() for topic in (*_said(at), f"{at.base}/replies/+")),
            tuple(topic for at in tables.values() for topic in _heard(at, by_role, by_name)),
        )
    ]
    for user, client in clients.by_user.items():
        name = clients.name_of(user)
        write: list[str] = []
        read: list[str] = []
        for table in clients.tables_of(user, config):
            at = tables[table]
            read += (*_said(at), at.replies(name))
            if client.kind in ("server", "consumer"):
                write += (at.acks(name), at.commands_by(Role.CONSUMER, name))
                read.append(at.acks(name))
            if client.kind != "consumer":
                plain = at.commands if client.kind == "server" or not by_role else at.commands_of(client.kind)
                write.append(at.commands_by(client.kind, name) if by_name else plain)
        found.append(Grant(user, tuple(write), tuple(read)))
    return found


def _said(at: Topics) -> tuple[str, ...]:
    return (
        f"{at.base}/events/+",
        at.outcome,
        at.state,
        at.board,
        f"{at.base}/devices/+",
        at.presence,
        at.journal,
    )


def _heard(at: Topics, by_role: bool, by_name: bool) -> tuple[str, ...]:
    """What others say to the station, and what the broker keeps of its own word: it compares that at every connect."""
    commands = (at.commands, at.role_commands_filter) if by_role or by_name else (at.commands,)
    named = [at.commands_by_filter(role) for role in (Role if by_name else (Role.CONSUMER,))]
    return (*commands, *named, at.acks_filter, at.presence, at.journal, at.outcome)

"""``dealer-daemon acl``: access lists for brokers, from the configuration and a list of clients."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import DEFAULT_CONFIG, CommandWrong, Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.config import Config


def add(commands: Subcommands) -> None:
    """Add the subcommand, with one of its own for each broker."""
    parser = commands.add_parser("acl", help="write a broker's access list: who may publish and read which topics")
    brokers = parser.add_subparsers(dest="broker", required=True, metavar="BROKER")
    for name, example in (
        ("mosquitto", "dealer-daemon acl mosquitto --clients clients.toml > /etc/mosquitto/dealer.acl"),
        ("ejabberd", "dealer-daemon acl ejabberd --clients clients.toml --host broker.example > dealer.yml"),
    ):
        writer = add_command(brokers, name, f"write the access list for {name}", example, write)
        writer.add_argument(
            "--config",
            type=Path,
            action="append",
            metavar="F",
            help=f"the station's TOML file (default: {DEFAULT_CONFIG}); given again for each station of the broker",
        )
        writer.add_argument(
            "--clients", type=Path, metavar="C", help="the TOML list of the broker's other users (default: none)"
        )
        writer.add_argument(
            "--station-user", metavar="U", help="the station's user at the broker (default: username under [mqtt])"
        )
        if name == "ejabberd":
            writer.add_argument("--host", default="localhost", metavar="H", help="the users' host (default: localhost)")


def write(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 written to stdout, 2 the configuration or the list of clients is wrong."""
    from dealer_daemon.acl import Clients, ClientsError, ejabberd_acl, grants_of_all, mosquitto_acl, read_clients
    from dealer_daemon.config import ConfigErrors

    try:
        stations = _stations(arguments)
        configs = [config for config, _ in stations]
        clients = Clients({}) if arguments.clients is None else read_clients(arguments.clients, *configs)
        for _, user in stations:
            if user in clients.by_user:
                raise CommandWrong(f"{arguments.clients}: clients.{user} is the station's own user: take it out")
        found = grants_of_all(stations, clients)
    except (ConfigErrors, ClientsError, CommandWrong) as error:
        return complain(str(error), WRONG)
    sys.stdout.write(ejabberd_acl(found, arguments.host) if arguments.broker == "ejabberd" else mosquitto_acl(found))
    return DONE


def _stations(arguments: argparse.Namespace) -> list[tuple[Config, str]]:
    """Each configuration with the station's user at the broker. Raises ``CommandWrong``, ``ConfigErrors``."""
    from dealer_daemon.config import load_config

    paths = arguments.config or [DEFAULT_CONFIG]
    if arguments.station_user is not None and len(paths) > 1:
        raise CommandWrong("--station-user is of one station: set username under [mqtt] of each")
    found = []
    for path in paths:
        config = load_config(path)
        user = arguments.station_user or config.mqtt.username
        if user is None:
            raise CommandWrong(
                f"{path}: mqtt.username: missing, so nobody knows the station's user: set it, or give --station-user "
                "(with client certificates: the name in the certificate)"
            )
        found.append((config, user))
    return found

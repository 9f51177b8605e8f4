"""``dealer-daemon acl``: access lists for brokers, from the configuration and a list of clients."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dealer_daemon.cli.common import Subcommands, add_command, add_config
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand, with one of its own for each broker."""
    parser = commands.add_parser("acl", help="write a broker's access list: who may publish and read which topics")
    brokers = parser.add_subparsers(dest="broker", required=True, metavar="BROKER")
    for name, example in (
        ("mosquitto", "dealer-daemon acl mosquitto --clients clients.toml > /etc/mosquitto/dealer.acl"),
        ("ejabberd", "dealer-daemon acl ejabberd --clients clients.toml --host broker.example > dealer.yml"),
    ):
        writer = add_command(brokers, name, f"write the access list for {name}", example, write)
        add_config(writer)
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
    from dealer_daemon.acl import Clients, ClientsError, ejabberd_acl, grants, mosquitto_acl, read_clients
    from dealer_daemon.config import ConfigErrors, load_config

    try:
        config = load_config(arguments.config)
        clients = Clients({}) if arguments.clients is None else read_clients(arguments.clients, config)
    except (ConfigErrors, ClientsError) as error:
        return complain(str(error), WRONG)
    station = arguments.station_user or config.mqtt.username
    if station is None:
        return complain(
            f"{arguments.config}: mqtt.username: missing, so nobody knows the station's user: set it, or give "
            "--station-user (with client certificates: the name in the certificate)",
            WRONG,
        )
    if station in clients.by_user:
        return complain(f"{arguments.clients}: clients.{station} is the station's own user: take it out", WRONG)
    found = grants(config, clients, station)
    sys.stdout.write(ejabberd_acl(found, arguments.host) if arguments.broker == "ejabberd" else mosquitto_acl(found))
    return DONE

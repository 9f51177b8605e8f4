"""``dealer-daemon schema``: what servers may rely on, as machine-readable documents."""

from __future__ import annotations

import argparse

from dealer_daemon.cli.common import Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain

WORDS = ("asyncapi", "events", "config", "commands")


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "schema",
        "print the AsyncAPI document or a JSON Schema, made from the types of this version",
        "dealer-daemon schema asyncapi > asyncapi.json",
        schema,
    )
    parser.add_argument("what", choices=WORDS, help="which document")


def schema(arguments: argparse.Namespace) -> int:
    """Exit code 0; 2 where an installed driver cannot be loaded: a schema without its options would be wrong."""
    import json

    from dealer_daemon.schema import DOCUMENTS
    from dealer_drivers.driver import UnknownDriver

    try:
        document = DOCUMENTS[arguments.what]()
    except UnknownDriver as error:
        return complain(str(error), WRONG)
    print(json.dumps(document, indent=2, ensure_ascii=False))
    return DONE

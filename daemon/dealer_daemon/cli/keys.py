"""``dealer-daemon keys``: make the key that a station signs with, and show what may be shown of one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dealer_daemon.cli.common import Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, WRONG, complain


def add(commands: Subcommands) -> None:
    """Add the subcommand and its own subcommands."""
    parser = commands.add_parser("keys", help="make and show the key with which a station signs its events")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    maker = add_command(
        actions,
        "make",
        "make a new key: a private file for the daemon, a public one for the consumers",
        "dealer-daemon keys make --dir /etc/dealer-station/keys/2026",
        make,
    )
    maker.add_argument("--dir", type=Path, required=True, metavar="D", help="the folder; no key may be in it yet")
    shower = add_command(
        actions,
        "show",
        "show the id and the public part of a key; never the private part",
        "dealer-daemon keys show /etc/dealer-station/keys/2026/signing-key.pub.pem",
        show,
    )
    shower.add_argument("file", type=Path, metavar="F", help="a private or a public key, PEM")
    shower.add_argument("--json", action="store_true", help="print a JSON object")


def make(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 made, 2 there is a key already, or the folder cannot be written."""
    from dealer_daemon.signing import KeyFileError, key_id, make_key, read_public_key

    try:
        key_file, public_file = make_key(arguments.dir)
        public = read_public_key(public_file)
    except KeyFileError as error:
        return complain(str(error), WRONG)
    except OSError as error:
        return complain(f"{arguments.dir}: the key cannot be written: {error.strerror}", WRONG)
    print(f"key {key_id(public)}")
    print(f"  private {key_file}: give it to the daemon's user alone, and write it as signing_key_file under [station]")
    print(f"  public  {public_file}: give it to everybody who checks the station's events")
    return DONE


def show(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 shown, 2 no key."""
    from dealer_daemon.signing import KeyFileError, in_base64url, key_id, read_public_key, read_signing_key

    try:
        text = arguments.file.read_bytes()
        public = read_signing_key(arguments.file).public if b"PRIVATE KEY" in text else read_public_key(arguments.file)
    except KeyFileError as error:
        return complain(str(error), WRONG)
    except OSError as error:
        return complain(f"{arguments.file}: cannot be read: {error.strerror}", WRONG)
    if arguments.json:
        print(json.dumps({"id": key_id(public), "public_key": in_base64url(public)}))
    else:
        print(f"key {key_id(public)}\n  public {in_base64url(public)}")
    return DONE

"""What ``journal verify`` compares a journal with, beside itself: public keys, and a head that was kept outside."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import CommandWrong

if TYPE_CHECKING:
    from dealer_daemon.journal import SignedEvent


class HeadNotSigned(Exception):  # noqa: N818
    """The kept head is not the station's word. The text says so."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Row and hash that must be there, and what says of an event whether its signature is right."""

    expected: tuple[int, str] | None
    signature: Callable[[SignedEvent], bool] | None
    signed_from: int = 1
    compared: str | None = None
    """What signatures are compared with, for a person."""


def add_checks(parser: argparse.ArgumentParser) -> None:
    """``--public-key``, ``--signed-from``, ``--site``, ``--head`` and ``--expect-head``."""
    parser.add_argument(
        "--public-key",
        type=Path,
        action="append",
        default=[],
        metavar="K",
        help="a public key of the station (PEM): every event must be signed by one of them; may be given again",
    )
    parser.add_argument("--site", metavar="S", help="the station's site, part of what is signed (default: the head's)")
    parser.add_argument(
        "--head",
        type=Path,
        metavar="H",
        help="a body of the retained `journal` topic, kept in a file: its row must be there with its hash",
    )
    parser.add_argument(
        "--signed-from",
        type=_row,
        metavar="ROW",
        help="with --public-key: the row with which signing began; events before it may have no signature (default: 1)",
    )
    parser.add_argument(
        "--expect-head",
        metavar="ROW:HASH",
        help="a head printed before: shows whether the journal was cut off or written anew since",
    )


def _row(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a row")
    return int(text)


def checks_of(arguments: argparse.Namespace) -> Checks:
    """The checks that were asked for. Raises ``CommandWrong``, and ``HeadNotSigned`` for a head of somebody else."""
    from dealer_daemon.mqtt.envelope import event_checker
    from dealer_daemon.mqtt.head_body import read_head, verify_head
    from dealer_daemon.signing import KeyFileError, key_id, read_public_key

    try:
        public = [read_public_key(path) for path in arguments.public_key]
    except KeyFileError as error:
        raise CommandWrong(str(error)) from error
    keys = {key_id(key): key for key in public}
    expected, site = _expected(arguments.expect_head), arguments.site
    if arguments.head is not None:
        if expected is not None:
            raise CommandWrong("--head and --expect-head say the same: give one of them")
        try:
            body = arguments.head.read_bytes().strip()
        except OSError as error:
            raise CommandWrong(f"{arguments.head}: cannot be read: {error.strerror}") from error
        head = read_head(body)
        if head is None:
            raise CommandWrong(f"{arguments.head}: is no body of a `journal` topic")
        if keys and not verify_head(body, keys):
            raise HeadNotSigned(f"{arguments.head}: no key that was given signed this head: it proves nothing")
        expected, site = (head.row, head.hash), site or head.site
    if not keys:
        for name, given in (("--signed-from", arguments.signed_from), ("--site", arguments.site)):
            if given is not None:
                raise CommandWrong(f"{name} says nothing without --public-key: no signature is checked; give the key")
        return Checks(expected, None)
    if site is None:
        raise CommandWrong("--public-key needs --site beside it, or --head: the site is part of what is signed")
    compared = f"site {site}, " + ("key " if len(keys) == 1 else "keys ") + ", ".join(sorted(keys))
    return Checks(expected, event_checker(site, keys), arguments.signed_from or 1, compared)


def _expected(text: str | None) -> tuple[int, str] | None:
    if not text:
        return None
    row, _, digest = text.partition(":")
    if not (row.isascii() and row.isdigit() and len(row) < 20) or len(digest) != 64:
        raise CommandWrong("--expect-head is ROW:HASH as a report prints it")
    return int(row), digest

"""``dealer-daemon journal salvage``: what can be proved of a damaged journal, into a new state directory."""

from __future__ import annotations

import argparse
import json
import shutil
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import Subcommands, add_command
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.journal.store import Signer


def add_salvage(actions: Subcommands) -> None:
    """Add the action."""
    parser = add_command(
        actions,
        "salvage",
        "copy what can be proved of a damaged journal into a new state directory, and go on after what is lost",
        "dealer-daemon journal salvage /copy/journal.sqlite3 --to /var/lib/dealer-station.new --by 'A. Tam'",
        salvage_journal,
    )
    parser.add_argument("file", type=Path, metavar="F", help="the damaged journal, or better a copy of its directory")
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="a directory that is empty or not there")
    parser.add_argument("--by", required=True, metavar="NAME", help="who decides this; servers are told")
    parser.add_argument(
        "--after",
        action="append",
        default=[],
        metavar="TABLE=N",
        help="the highest sequence that servers have of a table, where that is known (may be given for each table); "
        "needed where the journal does not tell how far it was published",
    )
    parser.add_argument(
        "--config", type=Path, metavar="F", help="sign what is added with the key that this configuration names"
    )
    parser.add_argument("--json", action="store_true", help="print the report as a JSON object")


def salvage_journal(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 done, 1 nothing can be proved, 2 no such file, the place is taken or ``--after`` is needed, 3 the
    disk fails."""
    from dealer_daemon.config import ConfigErrors
    from dealer_daemon.journal import (
        JournalDamaged,
        JournalMisuse,
        JournalTooNew,
        JournalUnavailable,
        JournalUnreadable,
        salvage,
    )
    from dealer_daemon.journal.loss import MAX_AFTER
    from dealer_daemon.signing import KeyFileError
    from dealer_daemon.station.named_files import PUBLIC_KEYS
    from dealer_drivers.secret_files import CredentialMissing

    after: dict[str, int] = {}
    for given in arguments.after:
        table, _, sequence = given.rpartition("=")
        if not table or not (sequence.isascii() and sequence.isdigit() and len(sequence) < 20):
            return complain(f"--after {given}: it is TABLE=N, such as r1=1207", WRONG)
        if int(sequence) > MAX_AFTER:
            return complain(f"--after {given}: a table can go on after {MAX_AFTER} at most", WRONG)
        if table in after:
            return complain(f"--after {given}: {table} is there twice; give its highest sequence once", WRONG)
        after[table] = int(sequence)
    try:
        sign, tables = _configured(arguments)
    except (ConfigErrors, KeyFileError, CredentialMissing) as error:
        return complain(str(error), WRONG)
    boot = str(uuid.uuid4())
    try:
        report = salvage(
            arguments.file, arguments.to, by=arguments.by, boot=boot, after=after, tables=tables, sign=sign
        )
    except (JournalUnreadable, JournalTooNew, JournalMisuse) as error:
        return complain(str(error), WRONG)
    except JournalDamaged as error:
        return complain(str(error), NO)
    except JournalUnavailable as error:
        return complain(str(error), UNREACHABLE)
    except OSError as error:
        return complain(f"{arguments.to}: {error.strerror}: give a directory that this user may write", WRONG)
    try:
        keys = _copy_folder(arguments.file.parent / PUBLIC_KEYS, arguments.to / PUBLIC_KEYS)
    except OSError as error:
        return complain(
            f"{arguments.to}: the journal is there, and {PUBLIC_KEYS} is not ({error}): copy that folder by hand", WRONG
        )
    if arguments.json:
        print(json.dumps(asdict(report) | {"public_keys": keys}))
        return DONE
    print(f"{report.path}: {report.rows} rows were copied; {report.stopped or 'every row is whole'}")
    for table, last in sorted(report.events.items()):
        first, to = report.lost.get(table, (0, 0))
        lost = f"events {first} to {to} are lost; the table goes on with {to + 1}, paused" if first else "none is lost"
        print(f"  {table}: events up to {last} are there; {lost}")
    for table, (first, to) in sorted(report.lost.items()):
        if table not in report.events:
            print(f"  {table}: events {first} to {to} are lost; the table goes on with {to + 1}, paused")
    for table in report.published_missing:
        print(f"  {table}: how far it was published is lost: every event that is kept is sent again")
    if report.cursors_missing:
        print(f"  positions of consumers may be lost ({report.cursors_missing}): retention waits for a consumer, and")
        print("  status shows it, again once it acknowledges")
    if not keys:
        print(f"  no {PUBLIC_KEYS} beside the journal: if the station ever signed, copy that folder by hand")
    for name in report.evidence_missing:
        print(f"  evidence {name} is missing")
    if report.signatures_made_again:
        print(f"  {report.signatures_made_again} signatures were gone, and the key made the same again")
    if report.signatures_missing:
        print(f"  {report.signatures_missing} events were signed, and their signatures are gone: they go out unsigned.")
        print("  If the key they were signed with is still there, salvage again with a --config that names it")
    if report.answers_missing:
        print(f"  missing: {report.answers_missing} answers to old commands")
    print(
        "Compare each table's last sequence with the one in its retained state; if that is higher, salvage again with"
    )
    print("--after. Then go on as docs/howto/recover-a-journal.md says.")
    return DONE


def _copy_folder(keys: Path, to: Path) -> int:
    """The keys that the station ever signed with, by which it knows its own head at the broker; says how many."""
    if not keys.is_dir():
        return 0
    shutil.copytree(keys, to)
    return len(list(to.glob("*.pem")))


def _configured(arguments: argparse.Namespace) -> tuple[Signer | None, list[str]]:
    """What signs, and the names of the tables, by the configuration that is given."""
    from dealer_daemon.config import load_config
    from dealer_daemon.mqtt.envelope import event_signer
    from dealer_daemon.station.signing import read_station_key

    if arguments.config is None:
        return None, []
    config = load_config(arguments.config)
    key = read_station_key(config)
    return None if key is None else event_signer(config.station.site, key), list(config.tables)

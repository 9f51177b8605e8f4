"""``dealer-daemon journal adopt``: a person gives up what another copy of the journal published, and goes on."""

from __future__ import annotations

import argparse
import uuid
from pathlib import Path

from dealer_daemon.cli.common import CommandWrong, Subcommands, add_command, add_table, table_of
from dealer_daemon.cli.exit_codes import DONE, NO, WRONG, complain


def add_adopt(actions: Subcommands) -> None:
    """Add the subcommand below ``journal``."""
    parser = add_command(
        actions,
        "adopt",
        "go on with a journal that is older than what was published, or another; the station must not run",
        "dealer-daemon journal adopt --table r1 --after 1104 --journal 5f0c… --by anna",
        adopt,
    )
    add_table(parser)
    parser.add_argument(
        "--after", type=int, required=True, metavar="N", help="no event above it was published, as the problem says it"
    )
    parser.add_argument(
        "--journal", metavar="ID", help="the journal that published it, as the problem names it (default: this one)"
    )
    parser.add_argument("--by", required=True, metavar="NAME", help="who answers for it; stands in the journal")


def adopt(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 done, 1 the journal does not take it, 2 the command or the configuration is wrong."""
    from dealer_daemon.journal import Journal, JournalError, JournalMisuse
    from dealer_daemon.journal.loss import MAX_AFTER
    from dealer_daemon.mqtt.envelope import event_signer
    from dealer_daemon.signing import KeyFileError
    from dealer_daemon.station.adopt import give_up
    from dealer_daemon.station.signing import read_station_key
    from dealer_drivers.secret_files import CredentialMissing

    if arguments.after < 1:
        return complain(f"--after {arguments.after}: events are counted from 1", WRONG)
    if arguments.after > MAX_AFTER:
        return complain(f"--after {arguments.after}: a table can go on after {MAX_AFTER} at most", WRONG)
    try:
        config, table = table_of(arguments)
        key = read_station_key(config)
    except (CommandWrong, KeyFileError, CredentialMissing) as error:
        return complain(str(error), WRONG)
    sign = None if key is None else event_signer(config.station.site, key)
    boot = str(uuid.uuid4())
    try:
        journal = Journal.open(Path(config.station.state_dir), boot=boot, sign=sign)
        try:
            now = give_up(journal, table.name, arguments.after, arguments.journal, boot=boot, by=arguments.by)
        finally:
            journal.close()
    except JournalMisuse as error:
        return complain(str(error), WRONG)
    except JournalError as error:
        return complain(str(error), NO)
    print(
        f"table {table.name} goes on with event {now}, and stands until a service manager resumes it; nothing that "
        "this journal wrote before is sent any more"
    )
    return DONE

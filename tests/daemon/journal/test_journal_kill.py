"""``kill -9`` at any moment: everything whose commit returned is there, gapless, and the chain holds."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from dealer_daemon.journal import Journal, verify_file

KILLS = 8

PROGRAM = """
import sys
from pathlib import Path
from dealer_daemon.commands import Command, CommandName, CommandRecord, Reply, Role
from dealer_daemon.events import BettingClosed, Event, RoundOutcome
from dealer_daemon.evidence import EvidenceFrame, recording_of
from dealer_daemon.journal import Journal, Snapshot
from dealer_drivers.instant import Instant

boot = sys.argv[2]
journal = Journal.open(Path(sys.argv[1]), boot=boot)
while True:
    for table in ("r1", "r2"):
        n = journal.last_sequence(table) + 1
        blob = recording_of("x", "wheel", [EvidenceFrame("wheel", Instant(n, n), b"%d" % n * 300)])
        facts = {"number": str(n % 37)}
        data = [
            BettingClosed(game="roulette", source="device"),
            RoundOutcome(game="roulette", facts=facts, attempts=1, evidence=[blob.hash], source="device"),
        ]
        events = [
            Event(table=table, sequence=n + i, subject=None, wall_ns=n, mono_ns=n, boot=boot, data=data[i])
            for i in range(2)
        ]
        command = Command(id=f"{table}-{n}", name=CommandName.ROUND_OPEN, client="s", role=Role.SERVER, by="s", args={})
        record = CommandRecord(
            table=table, command=command, digest=command.digest(), reply=Reply(command=command.id, ok=True)
        )
        journal.commit(events, [blob], record, [Snapshot(table, n + 1, b"%d" % n, 1)])
        row, digest = journal.head()
        print(table, n + 1, row, digest, flush=True)
        journal.set_cursors({(table, "publisher"): n + 1})
    if n % 16 == 1:
        journal.maintain(force=True)
"""


def test_what_was_said_to_be_committed_survives_the_kill(tmp_path: Path) -> None:
    state_dir = tmp_path / "state"
    last = {"r1": 0, "r2": 0}
    for kill in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(state_dir), f"boot-{kill}"], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            # A different moment each time: after so many commits, and somewhere in the next one.
            said = [child.stdout.readline() for _ in range(1 + kill * 13)]
            child.kill()
            said += child.stdout.readlines()
        lines = [line.split() for line in said if line.endswith("\n")]
        assert len(lines) >= 1 + kill * 13, "the child ended by itself"
        for table, sequence, _, _ in lines:
            last[table] = int(sequence)
        head = (int(lines[-1][2]), lines[-1][3])

        # Twice: as the kill left it, and after the next daemon recovered it.
        report = verify_file(state_dir / "journal.sqlite3", expect_head=head)
        assert report.problems == []
        with closing(Journal.open(state_dir, boot="after")) as journal:
            for table, sequence in last.items():
                assert journal.last_sequence(table) >= sequence
                assert journal.last_sequence(table) % 2 == 0, "half of a commit"
                events = list(journal.events(table))
                assert [event.sequence for event in events] == list(range(1, journal.last_sequence(table) + 1))
                assert all(journal.evidence(name) for event in events[1::2] for name in event.data.evidence)  # type: ignore[attr-defined]
                if events:
                    first = journal.last_sequence(table) - 1
                    assert journal.reply_to(table, "s", f"{table}-{first}") is not None
                    assert journal.snapshot(table, 1) is not None
                    assert journal.cursor(table, "publisher") >= sequence - 2
        assert verify_file(state_dir / "journal.sqlite3", expect_head=head).ok
    assert sum(last.values()) > 2 * 13 * KILLS

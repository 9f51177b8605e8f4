"""A journal's file with damage in it: verified, exported, opened and folded, or refused in the journal's own words."""

from __future__ import annotations

import base64
import shutil
import zlib
from functools import cached_property
from pathlib import Path
from random import Random

from dealer_daemon.journal import Journal, JournalError, export_file, verify_file
from dealer_daemon.round import FoldError
from dealer_daemon.station.setup import recover, snapshot_of
from fuzz import stations
from fuzz.devices import START
from fuzz.folder import folder
from fuzz.kind import Case, Kind, data, text
from fuzz.tables import Tables

STATION = "baccarat-shuffler"
FILE = "journal.sqlite3"


class Journals:
    """One or several places of the file are overwritten, or it is cut off."""

    name, share = "file/journal", 0.5

    @cached_property
    def good(self) -> bytes:
        """What a table wrote in a while."""
        there = folder() / "written"
        kind = Tables(STATION)
        running = kind.run(kind.draw(Random("journal")))
        journal = Journal.open(there, boot="boot-1", clock=lambda: START)
        *most, last = running.decisions
        for decision in most:
            journal.commit(decision.events, decision.evidence, decision.command)
        journal.commit(last.events, last.evidence, last.command, [snapshot_of(running.table.state)])
        journal.close()
        return (there / FILE).read_bytes()

    @cached_property
    def packed(self) -> str:
        """The same as a case holds it: every journal has an id of its own, so another one has other places."""
        return base64.b64encode(zlib.compress(self.good)).decode()

    def draw(self, rng: Random) -> Case:
        size = len(self.good)
        patches = []
        for _ in range(rng.choice((1, 1, 2, 8))):
            length = rng.choice((1, 1, 4, 100))
            new = rng.choice((rng.randbytes(length), bytes(length), b"\xff" * length, b'{"'))
            patches.append([rng.randrange(rng.choice((100, 4096, size))), text(new)])
        return {"patches": patches, "size": rng.randrange(size) if rng.random() < 0.2 else None, "file": self.packed}

    def play(self, case: Case) -> int:
        there = folder() / "damaged"
        shutil.rmtree(there, ignore_errors=True)
        there.mkdir()
        content = bytearray(zlib.decompress(base64.b64decode(case["file"])))
        for begin, new in case["patches"]:
            content[begin : begin + len(new)] = data(new)
        (there / FILE).write_bytes(content[: case["size"]])
        self._read(there)
        return 1

    def _read(self, there: Path) -> None:
        try:
            verify_file(there / FILE)
            for _ in export_file(there / FILE, evidence=True):
                pass
        except JournalError:
            pass
        try:
            journal = Journal.open(there, boot="boot-2", clock=lambda: START)
        except JournalError:
            return
        try:
            recover(journal, stations.table(STATION).name)
        except (JournalError, FoldError):
            pass
        finally:
            journal.close()


def kinds() -> list[Kind]:
    """The one."""
    return [Journals()]

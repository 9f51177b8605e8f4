"""A journal's file with damage in it: verified, exported, opened and folded, or refused in the journal's own words."""

from __future__ import annotations

import base64
import shutil
import zlib
from functools import cached_property
from pathlib import Path
from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_daemon.journal import Journal, JournalError, JournalMisuse, export_file, salvage, verify_file
from dealer_daemon.journal.store import Signer
from dealer_daemon.mqtt.envelope import event_signer
from dealer_daemon.round import FoldError
from dealer_daemon.signing import SigningKey
from dealer_daemon.station.setup import recover, snapshot_of
from fuzz import stations
from fuzz.devices import START
from fuzz.folder import ROOT, folder
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.tables import Tables

STATION = "baccarat-shuffler"
FILE = "journal.sqlite3"


KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
SIGN = event_signer("studio-1", KEY)
WRITTEN_BY_2 = ROOT / "tests/daemon/journal/data/journal-v2.bin"


class Journals:
    """One or several places of the file are overwritten, or it is cut off."""

    name, share = "file/journal", 0.5
    sign: Signer | None = None

    @cached_property
    def good(self) -> bytes:
        """What a table wrote in a while."""
        there = folder() / f"written-{self.name.rpartition('/')[2]}"
        kind = Tables(STATION)
        running = kind.run(kind.draw(Random("journal")))
        journal = Journal.open(there, boot="boot-1", clock=lambda: START, sign=self.sign)
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
            self._see(journal)
            recover(journal, stations.table(STATION).name)
        except (JournalError, FoldError):
            pass
        finally:
            journal.close()

    def _see(self, journal: Journal) -> None:
        """Nothing more, of a journal without signatures."""


class SignedJournals(Journals):
    """Of a station that signs: what is read of it has its signature, or is not read; what is salvaged is a journal."""

    name, share = "file/signed-journal", 0.15
    sign = staticmethod(SIGN)
    tables: tuple[str, ...] = ("t1",)

    def _read(self, there: Path) -> None:
        super()._read(there)
        new = there / "new"
        try:
            self._salvage(there / FILE, new)
        except JournalError:
            return
        found = verify_file(new / FILE).problems
        if any("evidence" not in problem.what for problem in found):
            raise Wrong(f"salvaged, and not right: {found}")

    def _salvage(self, path: Path, new: Path) -> None:
        try:
            salvage(path, new, by="x", boot="boot-3", sign=SIGN)
        except JournalMisuse:  # how far it was published is not told: a person says it
            after = dict.fromkeys(self.tables, 0)
            salvage(path, new, by="x", boot="boot-3", after=after, tables=self.tables, sign=SIGN)

    def _see(self, journal: Journal) -> None:
        for table in journal.tables():
            for each in journal.signed_events(table):
                if each.signature is None:
                    raise Wrong(f"event {each.event.sequence} of {table} lost its signature, unsaid")


class OlderJournals(SignedJournals):
    """One that was written before the chain covered signatures, brought up to date or refused."""

    name, share = "file/older-journal", 0.15
    tables = ("r1", "r2")

    @cached_property
    def good(self) -> bytes:
        """As that version wrote it."""
        return WRITTEN_BY_2.read_bytes()

    def _see(self, journal: Journal) -> None:
        """What was damaged before it was brought up to date, nobody knows: it is only read."""
        for table in journal.tables():
            list(journal.signed_events(table))


def kinds() -> list[Kind]:
    """All of them."""
    return [Journals(), SignedJournals(), OlderJournals()]

"""A bar code scanner that sends text (``devices.md`` §3): it tells a code when it sees one, and knows nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

from hw_sim.shoe.cards import Card
from hw_sim.shoe.codes import Codes
from hw_sim.shoe.faults import CardFault, Expect
from hw_sim.shoe.hidpos import NO_AIM, reports
from hw_sim.shoe.reader import SECOND_SCAN_S, Reader

SUFFIXES = {"CR": b"\r", "LF": b"\n", "CRLF": b"\r\n", "TAB": b"\t", "none": b""}
NO_READ_AIM = "]A0"
"""With identifiers on, scanners put one before a no-read too."""

EXPECT = {
    CardFault.UNREADABLE: Expect.RESCAN,
    CardFault.UNREADABLE_OFTEN: Expect.TRIES,
    CardFault.FOREIGN: Expect.RESCAN,
    CardFault.FOREIGN_AGAIN: Expect.INTEGRITY,
    CardFault.MISREAD: Expect.CORRECT,
    CardFault.NINTH_COPY: Expect.INTEGRITY,
    CardFault.DOUBLE_SCAN: Expect.IGNORE,
    CardFault.PASSED_TWICE: Expect.IGNORE,
    CardFault.WRONG_SPEED: Expect.EITHER,
    CardFault.TOO_EARLY: Expect.VIOLATION,
    CardFault.EXTRA_CARD: Expect.VIOLATION,
}


class Scanner(Reader):
    """The scanner. ``book_name``: the file name of the code book, where one is needed."""

    driver = "barcode-serial"
    model = "scanner"
    redraws = True

    def __init__(
        self, rng: Random, codes: Codes, *, suffix: str, prefix: str, aim: str, no_read: str, book_name: str
    ) -> None:
        self._rng = rng
        self._codes = codes
        self._end = SUFFIXES[suffix]
        self._prefix = prefix
        self._aim = aim
        self._no_read = no_read
        self._book_name = book_name
        self._texts: list[tuple[float, bytes]] = []
        self._foreign: str | None = None
        self.tells_units = codes.kind == "unit"

    def expects(self, fault: CardFault) -> Expect:
        return EXPECT.get(fault, Expect.ACCEPT)

    def files(self) -> Mapping[str, str]:
        book = self._codes.book()
        return {} if book is None else {self._book_name: book}

    def next_s(self) -> float:
        return self._texts[0][0] if self._texts else math.inf

    def due(self, now_s: float) -> bytes:  # noqa: ARG002
        return self._texts.pop(0)[1]

    def _send(self, at_s: float, text: str, aim: str | None = None) -> None:
        self._texts.append((at_s, self._framed(text, self._aim if aim is None else aim)))
        self._texts.sort(key=lambda entry: entry[0])

    def _framed(self, text: str, aim: str) -> bytes:
        return f"{self._prefix}{aim}{text}".encode("ascii") + self._end

    def card(self, now_s: float, position: str, card: Card, fault: CardFault | None = None) -> None:  # noqa: ARG002
        self._foreign = None
        if fault is CardFault.SKIPPED_CARD:
            return
        self._send(now_s, self._codes.code(card))
        if fault is CardFault.DOUBLE_SCAN:
            self._send(now_s + self._rng.uniform(*SECOND_SCAN_S), self._codes.code(card))

    def unread(self, now_s: float, card: Card, fault: CardFault) -> None:
        code = self._codes.code(card)
        if fault in (CardFault.FOREIGN, CardFault.FOREIGN_AGAIN):
            self._foreign = self._foreign or self._codes.foreign(self._rng)
            self._send(now_s, self._foreign)
            return
        match self._rng.randrange(4):
            case 0:
                self._send(now_s, code[: len(code) // 2])
            case 1:
                self._send(now_s, code + code)  # two cards in one look
            case _:
                self._send(now_s, self._no_read, NO_READ_AIM if self._aim else None)

    def extra(self, now_s: float, card: Card) -> None:
        self.card(now_s, "", card)

    def cut_card(self, now_s: float) -> None:
        if self._codes.cut is not None:
            self._send(now_s, self._codes.cut)

    def restart(self, now_s: float) -> None:  # noqa: ARG002
        self._texts.clear()
        self._foreign = None


class HidPosScanner(Scanner):
    """The same in USB HID-POS mode: reports of 64 bytes."""

    driver = "barcode-hidpos"
    model = "scanner-hidpos"

    def _framed(self, text: str, aim: str) -> bytes:
        return b"".join(reports(text.encode("ascii"), aim.encode("ascii") or NO_AIM))

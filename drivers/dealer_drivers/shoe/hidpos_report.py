"""Input reports of a USB HID point-of-sale scanner to texts (``devices.md`` §3).

Sixty-four bytes: ``[0]`` report id 2, ``[1]`` length, ``[2..4]`` AIM identifier, ``[5..60]`` data, ``[61]`` the
maker's symbology, ``[63]`` bit 0: more follows. A text of more than 56 bytes spans several reports; all but
its last are full.
"""

from __future__ import annotations

from dataclasses import dataclass

from dealer_drivers.shoe.aim import split_aim

REPORT_BYTES = 64
REPORT_ID = 2
MAX_DATA = 56
MAX_REPORTS = 4
"""A text that spans more is no card's: a code has at most 48 characters."""
NO_AIM = b"\0\0\0"
EVIDENCE = 256


@dataclass(frozen=True, slots=True)
class HidScan:
    """One whole text. ``aim`` is ``None`` where the scanner gave none; ``symbology`` is the maker's own byte."""

    raw: bytes
    data: bytes
    aim: str | None
    symbology: int


@dataclass(frozen=True, slots=True)
class HidJunk:
    """Reports that are no text, or only a part of one. ``reason`` is a sentence."""

    raw: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class _Report:
    aim: str | None
    data: bytes
    symbology: int
    more: bool


def _decode(report: bytes) -> _Report | str:
    """The parts of one report, or why it is none."""
    if len(report) != REPORT_BYTES:
        return f"a report of {len(report)} bytes instead of {REPORT_BYTES}"
    if report[0] != REPORT_ID:
        return f"a report with id {report[0]} instead of {REPORT_ID}"
    length, more = report[1], bool(report[63] & 1)
    if length > MAX_DATA:
        return f"a report that says {length} bytes of data; it holds at most {MAX_DATA}"
    if more and length != MAX_DATA:
        return f"a report that says more follows and holds only {length} bytes"
    head = bytes(report[2:5])
    aim, rest = split_aim(head.decode("latin-1"))
    if head != NO_AIM and (aim is None or rest):
        return f"a report with {head.hex(' ')} in place of an AIM identifier"
    return _Report(aim, bytes(report[5 : 5 + length]), report[61], more)


class HidPosAssembler:
    """Texts out of reports in their order. Holds at most ``MAX_REPORTS`` of them."""

    def __init__(self) -> None:
        self._raw = b""
        self._parts: list[_Report] = []
        self._skipping = False

    @property
    def pending(self) -> bool:
        """More reports should follow soon; when they do not, call ``rest``."""
        return bool(self._parts) or self._skipping

    def take(self, report: bytes) -> HidScan | HidJunk | None:
        """What the report completes; ``None`` while more of the text is to come."""
        decoded = _decode(report)
        if self._skipping:
            self._skipping = isinstance(decoded, str) or decoded.more
            return HidJunk(report[:EVIDENCE], "the rest of a text that was given up")
        raw = self._raw + report
        if isinstance(decoded, str):
            # In the middle of a text the rest of it is still to come, and its end may look like a code.
            return self._give_up(raw, decoded, skip=bool(self._parts))
        self._parts.append(decoded)
        if any(part.aim != decoded.aim for part in self._parts):
            return self._give_up(raw, "a text whose parts are of two symbologies", skip=decoded.more)
        if len(self._parts) > MAX_REPORTS:
            return self._give_up(raw, f"a text of more than {MAX_REPORTS} reports", skip=decoded.more)
        self._raw = raw
        if decoded.more:
            return None
        scan = HidScan(raw, b"".join(part.data for part in self._parts), decoded.aim, decoded.symbology)
        self.reset()
        return scan

    def rest(self) -> HidJunk | None:
        """No report came for a while: a text that waits for more is torn, and what was skipped is over."""
        raw = self._raw
        self.reset()
        return HidJunk(raw[:EVIDENCE], "a text broke off: the scanner said more would follow") if raw else None

    def reset(self) -> None:
        """The link is gone: what is held is thrown away."""
        self._raw = b""
        self._parts.clear()
        self._skipping = False

    def _give_up(self, raw: bytes, reason: str, *, skip: bool) -> HidJunk:
        self.reset()
        self._skipping = skip
        return HidJunk(raw[:EVIDENCE], reason)

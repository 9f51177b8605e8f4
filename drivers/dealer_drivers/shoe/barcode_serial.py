"""Driver ``barcode-serial``: a bar code scanner on a serial port, USB-CDC or TCP serial server (``devices.md`` §3).

Maturity: generic. Any scanner that sends the code as text; how it is framed is configuration.
"""

from __future__ import annotations

from typing import Literal

from dealer_drivers.driver import Driver, DriverOptions, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.aim import is_aim_pattern
from dealer_drivers.shoe.barcode_codec import ENDS, MAX_FRAME, Suffix
from dealer_drivers.shoe.barcode_session import BarcodeSession, ScanLine
from dealer_drivers.shoe.card_text import TextRules
from dealer_drivers.shoe.codebook import CodeBook
from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook


class BarcodeSerialOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of a scanner that sends text."""

    codebook: str
    """``rank-suit``, or the path of a code book file."""
    baud: int = 9600
    data_bits: Literal[7, 8] = 8
    parity: Literal["N", "E", "O"] = "N"
    stop_bits: Literal[1, 2] = 1
    suffix: Suffix = Suffix.AUTO
    prefix: str = ""
    idle_gap_ms: int = 200
    """A rest of this length ends a frame."""
    aim_ids: tuple[str, ...] = ()
    """Symbologies that a card may have, ``]C`` or ``]C0``; the scanner must then send AIM identifiers."""
    code_length: int | None = None
    no_read: tuple[str, ...] = ("NR",)
    repeat_window_ms: int = 1000
    """The same code within this time of the last may be the same pass. Ours: longer than scanners wait before
    they read the same code again, shorter than the time between two cards by hand."""
    trigger_on: str = ""
    """Bytes that start scanning, in hexadecimal; Honeywell: ``16540D``. Empty: the scanner scans by itself."""
    trigger_off: str = ""
    """Bytes that stop it; Honeywell: ``16550D``."""

    def load_book(self) -> CodeBook:
        """The code book. Raises ``OptionError`` that names the file and all that is wrong with it."""
        try:
            return find_codebook(self.codebook)
        except CodeBookError as error:
            raise OptionError("codebook", str(error)) from error

    def problems(self) -> list[OptionError]:
        """Figures out of range, identifiers and bytes that are none, and whatever is wrong with the code book."""
        problems = [
            OptionError(key, f"{value} is out of range; it must be {low} to {high}")
            for key, value, low, high in (
                ("baud", self.baud, 300, 1_000_000),
                ("idle_gap_ms", self.idle_gap_ms, 5, 5_000),
                ("repeat_window_ms", self.repeat_window_ms, 0, 60_000),
                ("code_length", self.code_length if self.code_length is not None else 1, 1, MAX_FRAME),
            )
            if not low <= value <= high
        ]
        problems += [
            OptionError("aim_ids", f"{text!r} is no AIM identifier; write for example ']C' or ']C0'")
            for text in self.aim_ids
            if not is_aim_pattern(text)
        ]
        problems += [
            OptionError(key, f"{value!r} is no hexadecimal; write for example '16540D'")
            for key, value in (("trigger_on", self.trigger_on), ("trigger_off", self.trigger_off))
            if _hex(value) is None
        ]
        if not self.prefix.isascii() or any(byte in ENDS[self.suffix] for byte in self.prefix.encode("ascii")):
            problems.append(OptionError("prefix", f"{self.prefix!r} must be ASCII and hold no end of a text"))
        try:
            book = self.load_book()
        except OptionError as error:
            return [*problems, error]
        problems += [
            OptionError("no_read", f"{text!r} is a code of the code book {book.deck_set}")
            for text in self.no_read
            if text in book.codes()
        ]
        if self.code_length is not None and not any(len(code) == self.code_length for code in book.cards):
            problems.append(OptionError("code_length", f"no card of code book {book.deck_set} has this length"))
        return problems


def _hex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _session(options: BarcodeSerialOptions) -> BarcodeSession:
    rules = TextRules(
        book=options.load_book(),
        aim_ids=options.aim_ids,
        prefix=options.prefix,
        code_length=options.code_length,
        no_read=options.no_read,
        repeat_window_ms=options.repeat_window_ms,
    )
    line = ScanLine(
        suffix=options.suffix,
        idle_gap_ms=options.idle_gap_ms,
        trigger_on=bytes.fromhex(options.trigger_on),
        trigger_off=bytes.fromhex(options.trigger_off),
    )
    return BarcodeSession(rules, line)


def _observes(options: BarcodeSerialOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD})


def _serial(options: BarcodeSerialOptions) -> SerialSettings:
    return SerialSettings(options.baud, options.data_bits, options.parity, options.stop_bits)


DRIVER = Driver(
    name="barcode-serial",
    summary="bar code scanner that sends text: cards drawn face over a scanner",
    maturity=Maturity.GENERIC,
    provenance="text framing by configuration; AIM identifiers as published",
    options=BarcodeSerialOptions,
    session=_session,
    observes=_observes,
    serial=_serial,
    offline_after_s=5.0,
)

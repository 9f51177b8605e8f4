"""Driver ``barcode-serial``: a bar code scanner on a serial port, USB-CDC or TCP serial server (``devices.md`` §3).

Maturity: generic. Any scanner that sends the code as text; how it is framed is configuration.
"""

from __future__ import annotations

from typing import Literal

from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.driver import Attachment, DeviceAction, Driver, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.barcode_codec import ENDS, Suffix
from dealer_drivers.shoe.barcode_session import BarcodeSession, ScanLine
from dealer_drivers.shoe.scan_options import ScanOptions, trigger_problems
from dealer_drivers.shoe.scanner_vendors import SCANNER_VENDORS, VENDOR_WHY


class BarcodeSerialOptions(ScanOptions, frozen=True, kw_only=True):
    """Options of a scanner that sends text."""

    baud: int = 9600
    data_bits: Literal[7, 8] = 8
    parity: Literal["N", "E", "O"] = "N"
    stop_bits: Literal[1, 2] = 1
    suffix: Suffix = Suffix.AUTO
    prefix: str = ""
    """Characters that the scanner is set to send before each code; a text without them is no code."""
    trigger_on: str = ""
    """Bytes that start scanning, in hexadecimal; Honeywell: ``16540D``. Empty: the scanner scans by itself."""
    trigger_off: str = ""
    """Bytes that stop it; Honeywell: ``16550D``."""

    def problems(self) -> list[OptionError]:
        """Figures out of range, identifiers and bytes that are none, and whatever is wrong with the code book."""
        problems = []
        if not 300 <= self.baud <= 1_000_000:
            problems.append(OptionError("baud", f"{self.baud} is out of range; it must be 300 to 1000000"))
        problems += [
            OptionError(key, f"{value!r} is no hexadecimal; write for example '16540D'")
            for key, value in (("trigger_on", self.trigger_on), ("trigger_off", self.trigger_off))
            if _hex(value) is None
        ]
        problems += trigger_problems(self.trigger_on, self.trigger_off)
        if not self.prefix.isascii() or any(byte in ENDS[self.suffix] for byte in self.prefix.encode("ascii")):
            problems.append(OptionError("prefix", f"{self.prefix!r} must be ASCII and hold no end of a text"))
        return problems + ScanOptions.problems(self)


def _hex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _session(options: BarcodeSerialOptions) -> BarcodeSession:
    line = ScanLine(
        suffix=options.suffix,
        idle_gap_ms=options.idle_gap_ms,
        trigger_on=bytes.fromhex(options.trigger_on),
        trigger_off=bytes.fromhex(options.trigger_off),
    )
    return BarcodeSession(options.rules(options.prefix), line)


def _observes(options: BarcodeSerialOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD})


def _actions(options: BarcodeSerialOptions) -> frozenset[DeviceAction]:
    can = (DeviceAction.SCAN_ON, DeviceAction.SCAN_OFF)
    return frozenset(can if options.trigger_on or options.trigger_off else ())


def _serial(options: BarcodeSerialOptions) -> SerialSettings:
    return SerialSettings(options.baud, options.data_bits, options.parity, options.stop_bits)


DRIVER = Driver(
    name="barcode-serial",
    summary="bar code scanner that sends text: cards drawn face over a scanner",
    maturity=Maturity.GENERIC,
    provenance="text framing by configuration; AIM identifiers as published",
    options=BarcodeSerialOptions,
    calibration=CARD_READER,
    session=_session,
    observes=_observes,
    serial=_serial,
    offline_after_s=5.0,
    actions=_actions,
    attachments=(Attachment(VENDOR_WHY, "serial", usb=SCANNER_VENDORS),),
)

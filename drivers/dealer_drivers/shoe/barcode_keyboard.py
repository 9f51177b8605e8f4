"""Driver ``barcode-keyboard``: a bar code scanner that types what it reads (``devices.md`` §3).

Maturity: generic. Any scanner that is a keyboard to the computer, set to the US layout.
"""

from __future__ import annotations

from typing import Literal

from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.driver import Attachment, Driver, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.keyboard_session import KeyboardSession, KeyEnd
from dealer_drivers.shoe.scan_options import ScanOptions
from dealer_drivers.shoe.scanner_vendors import SCANNER_VENDORS, VENDOR_WHY


class BarcodeKeyboardOptions(ScanOptions, frozen=True, kw_only=True):
    """Options of a scanner that types."""

    suffix: KeyEnd = KeyEnd.AUTO
    prefix: str = ""
    """What the scanner types before every code."""
    layout: Literal["us"] = "us"
    """The keyboard that the scanner plays; the computer's own does not matter."""

    def problems(self) -> list[OptionError]:
        """What is wrong with the options of any scanner, and a prefix that cannot be typed."""
        problems = super().problems()
        if not (self.prefix.isascii() and self.prefix.isprintable()):
            problems.append(OptionError("prefix", f"{self.prefix!r} must be printable ASCII"))
        return problems


def _session(options: BarcodeKeyboardOptions) -> KeyboardSession:
    return KeyboardSession(options.rules(options.prefix), options.idle_gap_ms, options.suffix, options.layout)


def _observes(options: BarcodeKeyboardOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD})


def _serial(options: BarcodeKeyboardOptions) -> SerialSettings:  # noqa: ARG001
    return SerialSettings()


DRIVER = Driver(
    name="barcode-keyboard",
    summary="bar code scanner that types as a keyboard: cards drawn face over a scanner",
    maturity=Maturity.GENERIC,
    provenance="key events of Linux; US keyboard layout; AIM identifiers as published",
    options=BarcodeKeyboardOptions,
    calibration=CARD_READER,
    session=_session,
    observes=_observes,
    serial=_serial,
    offline_after_s=5.0,
    transports=frozenset({"input", "recording"}),
    attachments=(Attachment(VENDOR_WHY, "input", usb=SCANNER_VENDORS),),
)

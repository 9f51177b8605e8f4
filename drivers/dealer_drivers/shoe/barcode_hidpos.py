"""Driver ``barcode-hidpos``: a bar code scanner in its USB HID point-of-sale mode (``devices.md`` §3).

Maturity: documented. The report is the published one; how a scanner is triggered differs and is configuration.
"""

from __future__ import annotations

from dealer_drivers.calibration.slot import CARD_READER
from dealer_drivers.driver import Attachment, DeviceAction, Driver, Maturity, Observes, SerialSettings
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.hidpos_report import REPORT_BYTES
from dealer_drivers.shoe.hidpos_session import HidPosSession, HidTrigger
from dealer_drivers.shoe.scan_options import ScanOptions, trigger_problems


class BarcodeHidPosOptions(ScanOptions, frozen=True, kw_only=True):
    """Options of a scanner that sends HID-POS reports."""

    trigger_on: str = ""
    """Output report that starts scanning, in hexadecimal, its id first. Empty: the scanner scans by itself."""
    trigger_off: str = ""
    """Output report that stops it."""

    def problems(self) -> list[OptionError]:
        """What is wrong with the options of any scanner, and reports that are none."""
        reports = (("trigger_on", self.trigger_on), ("trigger_off", self.trigger_off))
        wrong = f"is no report; write up to {REPORT_BYTES} bytes in hexadecimal, for example '0401'"
        return [
            *super().problems(),
            *(OptionError(key, f"{text!r} {wrong}") for key, text in reports if _report(text) is None),
            *trigger_problems(self.trigger_on, self.trigger_off),
        ]


def _report(text: str) -> bytes | None:
    try:
        report = bytes.fromhex(text)
    except ValueError:
        return None
    return report if len(report) <= REPORT_BYTES else None


def _session(options: BarcodeHidPosOptions) -> HidPosSession:
    trigger = HidTrigger(bytes.fromhex(options.trigger_on), bytes.fromhex(options.trigger_off))
    return HidPosSession(options.rules(), options.idle_gap_ms, trigger)


def _observes(options: BarcodeHidPosOptions) -> frozenset[Observes]:  # noqa: ARG001
    return frozenset({Observes.CARD})


def _actions(options: BarcodeHidPosOptions) -> frozenset[DeviceAction]:
    can = (DeviceAction.SCAN_ON, DeviceAction.SCAN_OFF)
    return frozenset(can if options.trigger_on or options.trigger_off else ())


def _serial(options: BarcodeHidPosOptions) -> SerialSettings:  # noqa: ARG001
    return SerialSettings()


DRIVER = Driver(
    name="barcode-hidpos",
    summary="bar code scanner in USB HID-POS mode: cards drawn face over a scanner",
    maturity=Maturity.DOCUMENTED,
    provenance="reports as published for HID point-of-sale scanners; AIM identifiers as published",
    options=BarcodeHidPosOptions,
    calibration=CARD_READER,
    session=_session,
    observes=_observes,
    serial=_serial,
    offline_after_s=5.0,
    actions=_actions,
    transports=frozenset({"usb", "recording"}),
    attachments=(Attachment("it reports as a HID point-of-sale bar code scanner", "usb", hid_page=0x8C),),
)

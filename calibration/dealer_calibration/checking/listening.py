"""A device that is listened to for a moment: link, bytes, frames and readings apart, and who it is. Pure, but for
``listen``, which hears it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dealer_calibration.bench import BenchDevice, BenchError, BenchLink, Finding
from dealer_drivers.calibration.identity import fit, serial_in, serial_of_port
from dealer_drivers.driver import Observes
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading
from dealer_drivers.readings.shoe import CardRead

QUIET = frozenset({Observes.CARD, Observes.ENTRY})
"""Devices of these say nothing until a person does something."""
UP_S = 15.0
LEAST_S = 3.0
"""So long any device is listened to: its first answers come within a second or two."""


@dataclass(slots=True)
class Heard:
    """What was heard of one device. ``faults`` stand at the end."""

    up: bool = False
    why_not_up: str = ""
    bytes_in: int = 0
    frames: int = 0
    rejected: int = 0
    serial: str | None = None
    card: str | None = None
    readings: int = 0
    faults: dict[str, str] = field(default_factory=dict)

    def feed(self, readings: Iterable[Reading]) -> None:
        """Takes readings in order."""
        for reading in readings:
            match reading:
                case DeviceFault(cleared=True):
                    self.faults.pop(reading.fault, None)
                case DeviceFault():
                    self.faults[str(reading.fault)] = reading.detail
                case DeviceNotice():
                    self.serial = serial_in(reading.notice, reading.detail) or self.serial
                case CardRead():
                    self.card = reading.card
                    self.readings += 1
                case _:
                    self.readings += 1


def findings(device: BenchDevice, heard: Heard) -> list[Finding]:
    """Link, frames, faults and serial number, in that order; what cannot be told without those before is left out."""
    figures = {"bytes_in": heard.bytes_in, "frames": heard.frames, "rejected_bytes": heard.rejected}
    place = f"dealer-calibrate probe {device.driver.name} {device.port}"
    if not heard.up:
        return [Finding(code="link", ok=False, said=heard.why_not_up, do_next=place)]
    found = [Finding(code="link", ok=True, said=f"{device.port} is open")]
    quiet = bool(QUIET & device.driver.observes(device.ready_options()))
    if heard.frames:
        said = f"{heard.frames} valid frames, {heard.rejected} bytes of none"
        found.append(Finding(code="frames", ok=True, said=said, figures=figures))
    elif heard.bytes_in:
        said = f"{heard.bytes_in} bytes, and no valid frame among them"
        found.append(Finding(code="frames", ok=False, said=said, do_next=place, figures=figures))
    elif quiet:
        said = "it says nothing until a card passes or a person types: not looked at"
        found.append(Finding(code="frames", ok=None, said=said, figures=figures))
    else:
        found.append(Finding(code="frames", ok=False, said="nothing came", do_next=place, figures=figures))
    for fault, detail in sorted(heard.faults.items()):
        found.append(Finding(code=fault, ok=False, said=detail or fault, do_next=place))
    return [*found, *_serial(device, heard)]


def _serial(device: BenchDevice, heard: Heard) -> list[Finding]:
    calibration = device.calibration
    if calibration is None:
        return []
    told = heard.serial or serial_of_port(device.port)
    made_with = calibration.envelope.serial
    figures = {"calibration": calibration.id, "made_with": made_with, "told": told}
    match fit(made_with, told):
        case "same":
            return [Finding(code="serial", ok=True, said=f"it is {told}, as its calibration says", figures=figures)]
        case "other":
            said = f"its calibration {calibration.id} was made with {made_with}, and this is {told}"
            do_next = "put that device back, or calibrate this one"
            return [Finding(code="serial", ok=False, said=said, do_next=do_next, figures=figures)]
        case _:
            said = "whether the calibration is of this device is not known: one of both names no serial number"
            return [Finding(code="serial", ok=None, said=said, figures=figures)]


async def listen(device: BenchDevice, link: BenchLink, *, least_s: float = LEAST_S) -> Heard:
    """Listens until the device has said enough, or has had time to."""
    heard = Heard()
    try:
        await link.up(UP_S)
    except BenchError as error:
        heard.why_not_up = str(error)
        return heard
    heard.up = True
    quiet = bool(QUIET & device.driver.observes(device.ready_options()))
    began = link.clock.now()
    most_s = least_s if quiet else max(least_s, 2 * device.driver.offline_s(device.ready_options()))
    while True:
        spent_s = link.clock.now().since_s(began)
        enough = heard.frames > 0 and heard.readings > 0 and spent_s >= least_s
        if enough or spent_s >= most_s:
            break
        wait_s = (least_s if spent_s < least_s else most_s) - spent_s
        seen = await link.next(wait_s)
        if seen is not None:
            heard.feed(seen.readings)
            heard.frames += seen.frames
            heard.rejected += seen.rejected
    heard.bytes_in = link.health.bytes_in
    return heard

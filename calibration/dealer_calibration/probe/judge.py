"""What a probe found, in four steps and with the fault's name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dealer_calibration.bench.result import Finding
from dealer_calibration.probe.listen import Heard
from dealer_calibration.probe.others import Fits
from dealer_drivers.driver import Driver, DriverOptions, Observes, SerialSettings
from dealer_drivers.errors import FixConfigError, PortAbsent, PortBusy, PortForbidden
from dealer_drivers.transports.serial import spoken

MANY_REJECTED = 0.1
"""Of the bytes, beyond what is torn at the beginning."""
TORN_BYTES = 64
MANY_NULS = 0.3
"""Of the bytes: a port that checks parity reads a wrong one, and a missing stop bit, as NUL (``SerialTransport``)."""
SPEAKS_WHEN_USED = frozenset(
    {Observes.CARD, Observes.RESULT, Observes.DECK, Observes.ENTRY, Observes.NUMBER, Observes.LAPS}
)
"""A device that witnesses nothing else may be silent by right until somebody uses it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Other serial settings that were tried, and what came with those that gave frames."""

    settings: tuple[SerialSettings, ...] = ()
    right: Heard | None = None


def findings_of(
    driver: Driver, options: DriverOptions, port: str, kind: str, heard: Heard, others: Sequence[Fits], tried: Tried
) -> list[Finding]:
    """Link, bytes, frames and readings, in this order; the first that is not right ends it."""
    if not heard.opened:
        return [_refused(heard, port)]
    found = [Finding(code="link", ok=True, said=f"{port} is open", figures={"port": port})]
    if heard.lost:
        next_ = "check plug, cable and power, then probe again"
        found = [Finding(code="link_lost", ok=False, said=f"the link was up and was lost: {heard.lost}", do_next=next_)]
    if tried.right is not None and not heard.frames:
        return [*found, *_bytes(heard), _wrong_settings(driver, options, heard, tried)]
    if not heard.bytes_in:
        return [*found, _nothing(driver, options, kind, heard)]
    found += _bytes(heard)
    if not heard.frames:
        return [*found, _no_frames(driver, kind, heard, others, tried)]
    found.append(_frames(driver, heard))
    found.append(_readings(heard))
    return [*found, *(Finding(code=fault, ok=False, said=detail) for fault, detail in heard.faults.items())]


def _refused(heard: Heard, port: str) -> Finding:
    error, said = heard.refused, str(heard.refused or f"{port} was not open within {heard.seconds:.0f} s")
    if isinstance(error, PortAbsent):
        next_ = "plug it in; `dealer-calibrate devices` lists what is there. At a network port: is the address right?"
        return Finding(code="port_absent", ok=False, said=said, do_next=next_)
    if isinstance(error, PortBusy):
        next_ = (
            "end that program; a running station is asked for its device with --config F --table T --device D in the "
            "place of driver and port"
        )
        return Finding(code="port_busy", ok=False, said=said, do_next=next_)
    if isinstance(error, PortForbidden):
        next_ = "join that group, then sign in again; or probe with sudo"
        return Finding(code="no_rights", ok=False, said=said, do_next=next_)
    code = "wrong_option" if isinstance(error, FixConfigError) else "link_refused"
    return Finding(code=code, ok=False, said=said)


def _bytes(heard: Heard) -> list[Finding]:
    if not heard.bytes_in:
        return []
    said = f"{heard.bytes_in} bytes came in {heard.seconds:.1f} s"
    return [Finding(code="bytes", ok=True, said=said, figures={"bytes_in": heard.bytes_in, "s": heard.seconds})]


def _nothing(driver: Driver, options: DriverOptions, kind: str, heard: Heard) -> Finding:
    if driver.observes(options) <= SPEAKS_WHEN_USED:
        next_ = (
            "use it while the probe listens (draw or scan a card, spin, key in): --seconds 30. If still nothing comes: "
        )
    else:
        next_ = ""
    if kind == "serial":
        next_ += "is the device powered? Are TX and RX crossed (null-modem cable or plain one)? Is it the right port?"
    elif kind == "tcp":
        next_ += "is the device powered and plugged into the serial server? Is that server's port set to raw TCP?"
    else:
        next_ += "is the device powered and plugged in? Is it the right port?"
    asked = f", {heard.bytes_out} bytes of questions were sent" if heard.bytes_out else ""
    said = f"the port is open and nothing came in {heard.seconds:.1f} s{asked}"
    return Finding(code="nothing_at_all", ok=False, said=said, do_next=next_, figures={"bytes_out": heard.bytes_out})


def _wrong_settings(driver: Driver, options: DriverOptions, heard: Heard, tried: Tried) -> Finding:
    assert tried.right is not None
    assert tried.right.settings is not None
    own, right = driver.serial(options), tried.right.settings
    speed = own.baud != right.baud
    keys = (("baud", "baud"), ("data_bits", "data_bits"), ("parity", "parity"), ("stop_bits", "stop_bits"))
    differ = [key for key, name in keys if getattr(own, key) != getattr(right, name)]
    if all(hasattr(options, key) for key in differ):
        lines = ", ".join(f"{key} = {_toml(getattr(right, key))}" for key in differ)
        next_ = f"write {lines} in the device's options, or set the device to {spoken(own)}"
    else:
        next_ = f"{driver.name} takes {spoken(own)} alone: set the device to that"
    said = f"no frame at {spoken(own)}, and {tried.right.frames} at {spoken(right)}: the line runs at {spoken(right)}"
    figures = {"set": spoken(own), "right": spoken(right), "frames": tried.right.frames, "bytes_in": heard.bytes_in}
    return Finding(code="wrong_speed" if speed else "wrong_parity", ok=False, said=said, do_next=next_, figures=figures)


def _no_frames(driver: Driver, kind: str, heard: Heard, others: Sequence[Fits], tried: Tried) -> Finding:
    if others:
        best = [fits for fits in others if fits.rejected_share == others[0].rejected_share]
        names = " or ".join(fits.driver.name for fits in best)
        said = f"these are frames of {names}, not of {driver.name} ({others[0].frames} of them)"
        next_ = f"another device is at this port: probe it as {best[0].driver.name}, or look for the port of this one"
        return Finding(code="other_driver", ok=False, said=said, do_next=next_, figures={"driver": best[0].driver.name})
    figures = {"bytes_in": heard.bytes_in, "first_bytes": heard.data[:32].hex(" ")}
    if heard.data.count(0) >= MANY_NULS * len(heard.data):
        said = f"bytes come, most of them NUL, and none is a frame of {driver.name}"
        next_ = "wrong parity, a line that is inverted (TTL at an RS-232 port) or held in a break: check the adapter"
        return Finding(code="inverted_line", ok=False, said=said, do_next=next_, figures=figures)
    also = f", nor at {', '.join(map(spoken, tried.settings))}" if tried.settings else ""
    said = f"bytes come, and none is a frame of {driver.name}{also}; no other driver knows them"
    next_ = {
        "serial": "compare the device's own settings with the driver's; is it this device? is the line inverted?",
        "tcp": "compare the serial server's speed and parity with the device's: they are set at the server",
    }.get(kind, "is it this device, and in the mode that the driver's page names?")
    return Finding(code="no_valid_frame", ok=False, said=said, do_next=next_, figures=figures)


def _frames(driver: Driver, heard: Heard) -> Finding:
    figures = {"frames": heard.frames, "rejected_bytes": heard.rejected}
    share = max(0, heard.rejected - TORN_BYTES) / heard.bytes_in
    if share > MANY_REJECTED:
        said = f"{heard.frames} frames of {driver.name}, and {share:.0%} of the bytes are in none"
        next_ = "check cable, ground and plugs; does another device speak on the same line?"
        return Finding(code="spoilt_bytes", ok=False, said=said, do_next=next_, figures=figures)
    return Finding(code="frames", ok=True, said=f"{heard.frames} valid frames of {driver.name}", figures=figures)


def _readings(heard: Heard) -> Finding:
    told = "; ".join(f"{name}: {detail}" for name, detail in heard.notices.items())
    if not heard.readings:
        said = "frames came, and nothing in them is a reading yet" + (f" ({told})" if told else "")
        return Finding(code="readings", ok=None, said=said, do_next="use the device while the probe listens")
    counts = ", ".join(f"{count} {name}" for name, count in sorted(heard.readings.items()))
    figures = {"readings": dict(heard.readings), "notices": dict(heard.notices)}
    return Finding(code="readings", ok=True, said=counts + (f" ({told})" if told else ""), figures=figures)


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)

"""``dealer-calibrate wheel``: from the steps to findings, the wheel's file and its calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from dealer_calibration.bench import BenchCommand, BenchDevice, BenchError, BenchLink, Finding, Result
from dealer_calibration.bench.keeping import keep_calibration, with_own_options
from dealer_calibration.cli.exit_codes import NO
from dealer_calibration.wheel.findings import (
    friction_findings,
    map_findings,
    mark_findings,
    reference_deg,
    zero_findings,
)
from dealer_calibration.wheel.guide import STEPS, Known, Walked, WheelGuide
from dealer_calibration.wheel.wheel_file import Incomplete, Measured, as_toml, make_file
from dealer_calibration.wheel.zero import misplaced
from dealer_daemon.validation.turn_map import WheelFile, WheelFileError, WheelMap, load_wheel, parse_wheel
from dealer_daemon.validation.turn_rules import TurnRules
from dealer_drivers.calibration import CalibrationError
from dealer_drivers.driver import Observes

COMMAND = "wheel"
KIND, FILE = "colour-wheel", "wheel.toml"
RESTART = "the station takes it up when it is started again"


async def run_wheel(command: BenchCommand) -> Result:
    """The whole command. Raises ``BenchError``."""
    device, arguments, talk = command.device, command.arguments, command.talk
    if device.game != "rainbow-wheel":
        raise BenchError(f"table {device.table} plays {device.game}: this command is for the wheel of a rainbow-wheel")
    device = with_own_options(device)
    if Observes.ANGLE not in device.driver.observes(device.ready_options()):
        raise BenchError(f"device {device.name} ({device.driver.name}) gives no angle: name the wheel's encoder")
    if arguments.set_zero and arguments.step:
        raise BenchError("--set-zero: with another zero nothing fits that was measured before: leave --step out")
    accepted = accepted_wheel(device)
    steps: Sequence[str] = arguments.step or STEPS
    if accepted is None and set(steps) < set(STEPS):
        talk.say("There is no wheel file yet: a calibration is kept once all steps are done in one go.", warn=True)
    ready = replace(command, device=device)
    async with ready.taken() as link:
        walked, expected = await _walk(link, ready, accepted, steps)
        findings = _findings(walked, None if accepted is None else accepted.file, arguments, expected=expected)
        result = Result(
            command=COMMAND,
            table=device.table,
            device=device.name,
            by=arguments.by,
            findings=findings,
            figures={"steps": list(steps)},
        )
        return command.judged(await _kept(ready, result, walked, accepted))


async def _walk(
    link: BenchLink, command: BenchCommand, accepted: WheelMap | None, steps: Sequence[str]
) -> tuple[Walked, bool]:
    arguments = command.arguments
    known = None if accepted is None or arguments.new_map else known_of(accepted)
    guide = WheelGuide(link, command.talk, known)
    await guide.link_up()
    if arguments.set_zero:
        await guide.set_zero(partial(_fits_no_more, command))
    if "friction" in steps:
        await guide.friction(arguments.spins)
    if "segments" in steps:
        await guide.segments()
    if "zero" in steps:
        await guide.zero()
    for fault, detail in guide.faults.items():
        guide.walked.findings.append(Finding(code=fault, ok=False, said=detail))
    return guide.walked, guide.mark_expected


def _fits_no_more(command: BenchCommand) -> None:
    """The zero of the encoder is about to change: a station must not start with what was measured before, whoever ends
    this and when. Raises ``BenchError``."""
    device = command.device
    if device.calibration is None and device.settings is not None:
        said = f"{device.settings.turn.wheel} fits no more: no station starts with it from now on"
        command.talk.say(said, warn=True)
    devices = () if device.config is None else device.table_config.devices
    used = [one.calibration.ref for one in devices if one.name == device.name and one.calibration is not None]
    files = [ref.sha256 for ref in used if ref.id is None]
    try:
        device.store.withdraw(device.table, device.name, files)
    except (CalibrationError, OSError) as error:
        raise BenchError(f"{device.store.root}: the zero stays as it is: {error}") from error


def known_of(accepted: WheelMap) -> Known:
    """What the steps may go by."""
    file = accepted.file
    return Known(accepted.correction, 1 if file.direction == "up" else -1, tuple(file.segments), file.offset_deg)


def accepted_wheel(device: BenchDevice) -> WheelMap | None:
    """The wheel's file that counts now: of the configuration, or the store's current one. Raises ``BenchError`` for one
    that cannot be read."""
    try:
        path = _accepted_path(device)
        return None if path is None else load_wheel(path)
    except (WheelFileError, CalibrationError) as error:
        raise BenchError(f"{error}; put it right, or remove it to measure all anew") from error


def _accepted_path(device: BenchDevice) -> Path | None:
    if device.calibration is not None:
        return device.calibration.file(FILE)
    if device.settings is not None:
        return Path(device.settings.turn.wheel)
    if device.store.current(device.table, device.name) is None:
        return None
    return device.store.load(device.table, device.name).file(FILE)


def _findings(walked: Walked, accepted: WheelFile | None, arguments: Any, *, expected: bool) -> list[Finding]:
    watch = walked.watch
    compared = None if arguments.new_map else accepted
    found = [Finding(code="link", ok=True, said=f"{watch.counts} counts came", figures={"counts": watch.counts})]
    found += walked.findings
    if walked.coast is not None:
        found += friction_findings(walked.coast, accepted)
    found += mark_findings(watch, expected=expected)
    if walked.stops:
        found += map_findings([stop.color for stop in walked.stops], walked.way, compared)
    if walked.zero is not None:
        assert walked.zero_by is not None
        correction, way = walked.zero_by.correction, walked.zero_by.way
        off = misplaced([stop.encoder_deg for stop in walked.stops], walked.zero.offset_deg, correction, way)
        comparable = compared is not None and not arguments.set_zero
        found += zero_findings(walked.zero, off, accepted, comparable=comparable)
    return found


async def _kept(command: BenchCommand, result: Result, walked: Walked, accepted: WheelMap | None) -> Result:
    """The result with the calibration's id where one was kept."""
    device, talk = command.device, command.talk
    current = device.store.current(device.table, device.name)
    if not result.passed:
        talk.say("Nothing was kept: put right what is named, then run this again.", warn=True)
        return _with(result, current)
    measured = Measured(
        segments=[stop.color for stop in walked.stops] or None,
        way=walked.way,
        zero=walked.zero,
        coast=walked.coast,
        reference_deg=reference_deg(walked.watch) if walked.watch.runs else None,
    )
    try:
        file = make_file(
            command.arguments.name or _name(device, accepted), measured, None if accepted is None else accepted.file
        )
        content = as_toml(file)
        parse_wheel(content, Path(FILE))
    except Incomplete as error:
        talk.say(f"No calibration was kept: {error}.", warn=True)
        return _with(result, current)
    except WheelFileError as error:
        raise BenchError(f"what was measured makes no wheel file: {'; '.join(error.problems)}", NO) from error
    if not await talk.confirm("keep", "Keep this as the wheel's calibration?"):
        return _with(result, current)
    values: dict[str, Any] = {}
    if file.reference_deg is not None and walked.watch.absolute:
        tolerance = TurnRules(wheel=FILE).reference_tolerance_deg / 2
        values["expect"] = {"index_deg": {"value": file.reference_deg, "tolerance": tolerance}}
    kept = keep_calibration(
        device, kind=KIND, by=command.arguments.by, serial=None, values=values, files={FILE: content}
    )
    talk.say(f"{kept.folder}: kept, and current: {RESTART}.")
    return _with(result, kept.id)


def _name(device: BenchDevice, accepted: WheelMap | None) -> str:
    return f"{device.table}-{device.name}" if accepted is None else accepted.file.name


def _with(result: Result, calibration: str | None) -> Result:
    return msgspec.structs.replace(result, calibration=calibration)

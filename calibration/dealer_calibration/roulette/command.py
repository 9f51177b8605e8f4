"""``dealer-calibrate roulette``: from the steps to findings, the curve of laps and the wheel's calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import msgspec

from dealer_calibration.bench import BenchCommand, BenchDevice, BenchError, Finding, Result
from dealer_calibration.bench.keeping import keep_calibration, serial_told, with_own_options
from dealer_calibration.roulette import findings as f
from dealer_calibration.roulette.guide import Played, RouletteGuide
from dealer_calibration.roulette.laps import FEWEST_FOR_CURVE, FEWEST_TO_COUNT, Fitted
from dealer_calibration.roulette.parameters import LETTERS, OPTION, ParameterTap
from dealer_daemon.validation.spin_rules import SpinRules
from dealer_drivers.calibration import CalibrationError
from dealer_drivers.driver import Observes

COMMAND, KIND = "roulette", "roulette-wheel"
STEPS = ("settings", "self-test", "direction", "spins")
"""Beside the link and the identity, which always come first; ``pockets`` is run by itself."""
PARAMETER_FAULTS = ("parameter_changed", "parameter_unread")
RESTART = "the station takes it up when it is started again"


async def run_roulette(command: BenchCommand) -> Result:
    """The whole command. Raises ``BenchError``."""
    device, arguments = command.device, command.arguments
    if device.game != "roulette":
        raise BenchError(f"table {device.table} plays {device.game}: this command is for a roulette wheel")
    device = with_own_options(device)
    if Observes.NUMBER not in device.driver.observes(device.ready_options()):
        raise BenchError(f"device {device.name} ({device.driver.name}) gives no number: name the table's wheel")
    steps: Sequence[str] = arguments.step or STEPS
    # Without settings only the curve is missing: the table estimates its laps.
    rules = SpinRules(laps="estimated") if device.settings is None else device.settings.spin
    tells = hasattr(device.ready_options(), OPTION) and getattr(device.ready_options(), "ask", False)
    known = tells and not arguments.new_settings
    accepted, source = accepted_parameters(device) if known else ({}, "")
    asked = replace(device, options=_asking(device, accepted))
    ready = replace(command, device=asked)
    tap = ParameterTap()
    async with ready.taken() as link:
        with ExitStack() as stack:
            stack.enter_context(link.tap(tap))
            guide = RouletteGuide(link, command.talk)
            await guide.link_up()
            if "settings" in steps:
                await guide.settings(tap, len(getattr(asked.options, OPTION, {})))
            if "self-test" in steps:
                await guide.self_test()
            if "direction" in steps:
                await guide.direction()
            if "spins" in steps:
                await guide.spins(arguments.spins or _spins_for(rules))
            if "pockets" in steps:
                await guide.pockets(arguments.most_spins)
        found, fitted = _findings(guide, tap.found, steps, rules, accepted, source)
        result = Result(
            command=COMMAND,
            table=device.table,
            device=device.name,
            by=arguments.by,
            findings=found,
            figures={"steps": list(steps), "spins": len(guide.played.watch.spins)},
        )
        return command.judged(await _kept(command, device, result, guide, tap.found, fitted))


def accepted_parameters(device: BenchDevice) -> tuple[Mapping[str, str], str]:
    """The accepted set and where it is from: the configuration, or else the current calibration. Empty without."""
    configured: Mapping[str, str] = device.written.get(OPTION, {})
    if configured:
        return configured, "the configuration"
    try:
        current = device.store.current(device.table, device.name)
        if current is None:
            return {}, ""
        kept = device.store.load(device.table, device.name)
    except CalibrationError as error:
        raise BenchError(str(error)) from error
    return kept.envelope.values.get("parameters", {}), f"calibration {kept.id}"


def _asking(device: BenchDevice, accepted: Mapping[str, str]) -> Any:
    """The driver's options, so that the wheel is asked for its parameters; what it then finds changed is no news."""
    options = device.ready_options()
    if not hasattr(options, OPTION) or not getattr(options, "ask", False):
        return options
    letters = accepted or dict.fromkeys(LETTERS.get(device.driver.name, ""), "?")
    return msgspec.structs.replace(options, **{OPTION: dict(letters)})


def _spins_for(rules: SpinRules) -> int:
    return FEWEST_FOR_CURVE + 10 if rules.laps == "estimated" else FEWEST_TO_COUNT


def _findings(
    guide: RouletteGuide,
    parameters: Mapping[str, str],
    steps: Sequence[str],
    rules: SpinRules,
    accepted: Mapping[str, str],
    source: str,
) -> tuple[list[Finding], Fitted | None]:
    played = guide.played
    spins, fitted = played.watch.spins, None
    frames = played.watch.frames
    found = [Finding(code="link", ok=True, said=f"{frames} frames came", figures={"frames": frames})]
    found.append(f.identity_finding(guide.notices))
    if "settings" in steps and (parameters or accepted):
        found += f.settings_findings(accepted, parameters, source)
    if played.self_tested:
        found.append(f.self_test_finding(guide.notices))
    elif "self-test" in steps:
        said = "not run: the configuration does not let anybody start it, or you said no"
        found.append(Finding(code="self_test", ok=None, said=said, do_next="write control = true to have it"))
    if played.rotor_seen is not None:
        found += f.direction_findings(*played.rotor_seen)
    found += f.spin_findings(spins)
    if "spins" in steps:
        found += f.lap_findings(played.counted(), offset=rules.lap_offset, laps=rules.laps)
        if rules.laps == "estimated":
            finding, fitted = f.curve_finding(played.timed())
            found.append(finding)
    if spins:
        found.append(f.rotor_finding(spins, rules))
    found += f.cadence_findings(played.watch, f.rests_of(spins))
    found += f.pocket_findings(played.pockets(), asked="pockets" in steps)
    for fault, detail in guide.faults.items():
        if fault not in PARAMETER_FAULTS:
            found.append(Finding(code=fault, ok=False, said=detail))
    return found, fitted


async def _kept(
    command: BenchCommand,
    device: BenchDevice,
    result: Result,
    guide: RouletteGuide,
    parameters: Mapping[str, str],
    fitted: Fitted | None,
) -> Result:
    """The result with the calibration's id where one was kept."""
    talk = command.talk
    current = device.store.current(device.table, device.name)
    result = msgspec.structs.replace(result, calibration=current)
    if not result.passed:
        talk.say("Nothing was kept: put right what is named, then run this again.", warn=True)
        return result
    values = calibration_values(device, guide.played, parameters, fitted)
    if not values:
        talk.say("Nothing was measured that a calibration holds: run the steps settings and spins.")
        return result
    if not await talk.confirm("keep", "Keep this as the wheel's calibration?"):
        return result
    kept = keep_calibration(
        device, kind=KIND, by=command.arguments.by, serial=serial_told(device, guide.notices), values=values
    )
    talk.say(f"{kept.folder}: kept, and current: {RESTART}.")
    return msgspec.structs.replace(result, calibration=kept.id)


def calibration_values(
    device: BenchDevice, played: Played, parameters: Mapping[str, str], fitted: Fitted | None
) -> dict[str, Any]:
    """What is kept; sections that were not measured now stay as in the current calibration."""
    values: dict[str, Any] = {}
    if device.store.current(device.table, device.name) is not None:
        envelope = device.store.load(device.table, device.name).envelope
        if envelope.kind == KIND:
            values = dict(envelope.values)
        elif envelope.kind == "lap-curve":
            values["curve"] = {key: value for key, value in envelope.values.items() if key != "expect"}
    before = dict(values)
    if parameters:
        values["parameters"] = dict(parameters)
    if fitted is not None:
        values["curve"] = msgspec.to_builtins(fitted.curve)
    if expected := f.expectations_of(played.watch.spins):
        values["expect"] = expected
    return {} if values == before else values

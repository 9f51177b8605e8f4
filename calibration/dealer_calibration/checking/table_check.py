"""Checks every device of a table, one after the other."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import msgspec

from dealer_calibration.bench import BenchCommand, BenchDevice, Finding, Result, device_of, kept_results, taken
from dealer_calibration.cards.book import book_of
from dealer_calibration.checking.listening import findings, listen
from dealer_calibration.checking.proofs import QUICK, InUse, judge, judge_quick, proof_of
from dealer_drivers.calibration.form import made_at
from dealer_drivers.clock import SystemClock

NAME = "check"


async def check_table(command: BenchCommand) -> Result:
    """Every device of the table of ``command.device``. A finding's code is ``{device}.{what}``. Raises ``BenchError``
    where a device cannot be had at all."""
    arguments, table = command.arguments, command.device.table
    names = [device.name for device in command.device.table_config.devices]
    found: list[Finding] = []
    for name in names:
        device = device_of(arguments.config, table, name)
        last = name == names[-1]
        command.talk.step(f"{name}: {device.driver.name} at {device.port}")
        # The table goes on with the last device, once it is known that nothing is wrong with any.
        resume = command.resumes if last else False
        clock = SystemClock(arguments.speed)
        async with taken(
            device, by=arguments.by, wait_s=arguments.wait, resume=resume, say=command.talk.say, clock=clock
        ) as link:
            heard = await listen(device, link)
            here = [*findings(device, heard), *_calibrated(device, dt.datetime.now(dt.UTC)), *_proved(device)]
            for one in here:
                command.talk.event("finding", device=name, code=one.code, ok=one.ok, said=one.said)
            found += [msgspec.structs.replace(one, code=f"{name}.{one.code}") for one in here]
            if last:
                command.judged(Result(command=NAME, table=table, device="", by=arguments.by, findings=found))
    result = command.verdict.result
    assert result is not None, "a table has a device"
    return result


def _proved(device: BenchDevice) -> Sequence[Finding]:
    observes = device.driver.observes(device.ready_options())
    proof = proof_of(observes)
    if proof is None:
        return ()
    kept = kept_results(device.state_dir, device.table, device.name)
    stored = device.calibration
    in_use = None if stored is None else InUse(stored.id, stored.envelope.made)
    place = f"--table {device.table} --device {device.name}"
    now = dt.datetime.now(dt.UTC)
    found = [judge(proof, kept, in_use, now, place, book=book_of(device))]
    found += [judge_quick(QUICK[one], kept, in_use, now, place) for one in sorted(observes & QUICK.keys())]
    return found


def _calibrated(device: BenchDevice, now: dt.datetime) -> Sequence[Finding]:
    if device.calibration is None:
        return ()
    assert device.config is not None
    envelope, most = device.calibration.envelope, device.config.station.calibration_max_age_days
    made = made_at(envelope.made)
    if made is None:
        said = f"when calibration {device.calibration.id} was made is not known: {envelope.made}"
        return (Finding(code="calibration", ok=None, said=said, do_next="calibrate it anew"),)
    days = (now - made).days
    said = f"calibration {device.calibration.id} by {envelope.by}, {days} days old"
    figures = {"calibration": device.calibration.id, "days": days}
    if days > most:
        do_next = "calibrate it anew"
        return (Finding(code="calibration", ok=None, said=f"{said}: over {most}", do_next=do_next, figures=figures),)
    return (Finding(code="calibration", ok=True, said=said, figures=figures),)

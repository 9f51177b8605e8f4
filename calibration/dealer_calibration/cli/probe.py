"""``dealer-calibrate probe``: what is at a port, in four steps, and what is wrong by its name."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_calibration.cli.bench_options import pair, positive, user
from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import INTERRUPTED, UNREACHABLE, WRONG, complain

if TYPE_CHECKING:
    from dealer_calibration.bench import Finding, Result, Talk
    from dealer_drivers.clock import Clock
    from dealer_drivers.driver import Driver, DriverOptions
    from dealer_drivers.recording import RecordingWriter

UNREACHED = frozenset({"port_absent", "port_busy", "no_rights", "link_refused"})
"""Findings by which the device was not reached at all."""
WRONG_OPTION = "wrong_option"
"""The finding that the command itself is wrong: what it names is no port."""


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "probe",
        "tell link, bytes, valid frames and readings of a device apart, and name what is wrong",
        "dealer-calibrate probe cammegh-ss2 /dev/serial/by-id/usb-FTDI_FT232R_A10K-if00-port0\n"
        "  dealer-calibrate probe barcode-serial tcp://10.0.7.20:4001 --option codebook=rank-suit --seconds 30\n"
        "  dealer-calibrate probe --table r1 --device wheel   # asks a running station for it",
        run,
    )
    parser.add_argument("driver", nargs="?", metavar="DRIVER", help="the driver (`dealer-calibrate devices --drivers`)")
    parser.add_argument("port", nargs="?", metavar="PORT", help="the port, as in the configuration")
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", type=pair, help="an option of the driver"
    )
    parser.add_argument("--config", type=Path, metavar="F", help="with --table and --device: the station's TOML file")
    parser.add_argument("--table", metavar="T", help="instead of DRIVER and PORT: a device of this table")
    parser.add_argument("--device", metavar="D", help="and which")
    parser.add_argument("--by", metavar="NAME", default=user(), help="who does this (default: your user name)")
    parser.add_argument("--wait", type=float, metavar="S", default=0.0, help="wait so long for the open round to end")
    parser.add_argument("--resume", action="store_true", help="let the table go on at the end if nothing is wrong")
    parser.add_argument("--seconds", type=positive, metavar="N", default=5.0, help="listen for so long (5)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep every byte in a new recording")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--speed", type=positive, default=1.0, metavar="X", help="for simulated devices, X times faster"
    )


def run(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 frames came and nothing is wrong, 1 something is, 2 driver, option or file is wrong, 3 the port
    could not be opened or the station not be asked, 130 interrupted."""
    from dealer_calibration.bench import BenchError, Talk
    from dealer_daemon.config import ConfigErrors
    from dealer_drivers.driver import UnknownDriver
    from dealer_drivers.errors import DeviceError, OptionError
    from dealer_drivers.standard_output import output_lost

    talk = Talk(as_json=arguments.json, ask=False)
    try:
        findings = asyncio.run(_probe(arguments, talk))
        result = _result(arguments, findings)
    except ConfigErrors as error:
        return complain(str(error), WRONG)
    except BenchError as error:
        return complain(str(error), error.code)
    except (UnknownDriver, OptionError) as error:
        return complain(str(error), WRONG)
    except OSError as error:
        if output_lost(error):
            raise
        return complain(f"{error.filename or arguments.record}: {error.strerror}", WRONG)
    except DeviceError as error:
        return complain(str(error), UNREACHABLE)
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    code = talk.result(result)
    for one in findings:
        if one.code == WRONG_OPTION:
            return complain(one.said, WRONG)
    return UNREACHABLE if findings[0].code in UNREACHED else code


def _judged(arguments: argparse.Namespace, findings: list[Finding]) -> Result:
    from dealer_calibration.bench import Result

    device = arguments.device or arguments.port
    return Result(command="probe", table=arguments.table or "", device=device, findings=findings, by=arguments.by)


def _result(arguments: argparse.Namespace, findings: list[Finding]) -> Result:
    """Kept where it is of a device of the configuration."""
    from dealer_calibration.bench import device_of, keep_result
    from dealer_calibration.cli.files import DEFAULT_CONFIG

    result = _judged(arguments, findings)
    if arguments.table is None:
        return result
    found = device_of(arguments.config or DEFAULT_CONFIG, arguments.table, arguments.device, calibrated=False)
    return keep_result(found, result)


async def _probe(arguments: argparse.Namespace, talk: Talk) -> list[Finding]:
    from dealer_calibration.bench import BenchError, device_of, lent
    from dealer_calibration.cli.files import DEFAULT_CONFIG
    from dealer_calibration.probe import options_of
    from dealer_calibration.probe.blind import BlindOptions, blind, needs_profile
    from dealer_drivers.clock import SystemClock
    from dealer_drivers.driver import load_driver
    from dealer_drivers.errors import OptionError
    from dealer_drivers.transports.factory import port_kind

    clock = SystemClock(arguments.speed)
    if arguments.table is None and arguments.device is None:
        if arguments.driver is None or arguments.port is None:
            raise BenchError("say DRIVER and PORT, or --table T and --device D of the configuration")
        driver = load_driver(arguments.driver)
        if port_kind(arguments.port) not in driver.transports:
            ports = ", ".join(sorted(driver.transports))
            raise OptionError("port", f"{arguments.port!r} is no port of {driver.name}, which takes: {ports}")
        if needs_profile(driver, {key for key, _ in arguments.option}):
            talk.say(f"{driver.name} needs a profile: without one pictures are looked at, and none is read")
            driver = blind(driver)
        options = options_of(driver, arguments.option)
        return await _listened(driver, options, arguments.port, clock, arguments, talk)
    if arguments.driver is not None or arguments.table is None or arguments.device is None:
        raise BenchError("say either DRIVER and PORT, or both of --table T and --device D")
    device = device_of(arguments.config or DEFAULT_CONFIG, arguments.table, arguments.device, calibrated=False)
    driver = device.driver
    if device.options is None and needs_profile(driver, set()):
        talk.say(f"{device.name} is not calibrated: pictures are looked at, and none is read")
        driver = blind(driver)
        known = {key: value for key, value in device.written.items() if key in BlindOptions.__struct_fields__}
        options = driver.parse_options(known)
    else:
        options = device.ready_options()
    found: list[Finding] = []

    def resumes() -> bool:
        return bool(arguments.resume and found and _judged(arguments, found).passed)

    async with lent(device, by=arguments.by, wait_s=arguments.wait, resume=resumes, say=talk.say):
        found += await _listened(driver, options, device.port, clock, arguments, talk)
    return found


async def _listened(
    driver: Driver, options: DriverOptions, port: str, clock: Clock, arguments: argparse.Namespace, talk: Talk
) -> list[Finding]:
    from dealer_calibration.probe import probe
    from dealer_drivers.recording import RecordingWriter

    talk.say(f"{driver.name} at {port}: listening for {arguments.seconds:g} s")
    with ExitStack() as stack:
        recorder: RecordingWriter | None = None
        if arguments.record is not None:
            recorder = RecordingWriter.create(arguments.record, driver=driver.name, device="probe", start=clock.now())
            stack.callback(recorder.close)
        return await probe(driver, options, port, clock, arguments.seconds, recorder=recorder, told=talk.say)

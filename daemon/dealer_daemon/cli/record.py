"""``dealer-daemon record``: what a device says, as a recording that ``replay`` and tests take."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dealer_daemon.cli.common import (
    CommandWrong,
    Subcommands,
    add_command,
    add_table,
    device_of,
    positive,
    table_of,
)
from dealer_daemon.cli.exit_codes import DONE, NO, UNREACHABLE, WRONG, complain

if TYPE_CHECKING:
    from dealer_daemon.config import DeviceConfig
    from dealer_drivers.link import LinkState
    from dealer_drivers.recording import RecordingWriter


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "record",
        "record what a device of a table says and is told, byte for byte, while the station does not run",
        "dealer-daemon record --config station.toml --table r1 --device wheel --seconds 300 wheel.rec.jsonl",
        record,
    )
    add_table(parser, device=True)
    parser.add_argument("--seconds", type=positive, metavar="N", help="stop after so long (default: at Ctrl-C)")
    parser.add_argument("--note", default="", help="a sentence that is kept in the recording's first line")
    parser.add_argument("recording", type=Path, metavar="RECORDING", help="a new file, *.rec.jsonl")


def record(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 recorded, 1 nothing came or the file cannot be written, 2 the configuration is wrong or the file is
    there already, 3 the device was never reached."""
    from dealer_drivers.clock import SystemClock
    from dealer_drivers.recording import RecordingWriter

    try:
        _, table = table_of(arguments)
        device = device_of(arguments, table, arguments.device)
    except CommandWrong as error:
        return complain(str(error), WRONG)
    clock = SystemClock()
    try:
        writer = RecordingWriter.create(
            arguments.recording, driver=device.driver.name, device=device.name, start=clock.now(), note=arguments.note
        )
    except FileExistsError:
        return complain(f"{arguments.recording} is there already: give the new recording another name", WRONG)
    except OSError as error:
        return complain(f"{arguments.recording} cannot be written: {error.strerror}", NO)
    try:
        code = asyncio.run(_record(device, writer, arguments.recording, arguments.seconds))
    finally:
        writer.close()
    if code == UNREACHABLE:
        arguments.recording.unlink()  # it holds nothing, and the next try may have its name
    return code


async def _record(device: DeviceConfig, writer: RecordingWriter, path: Path, seconds: float | None) -> int:
    from rich.console import Console

    from dealer_drivers.clock import SystemClock
    from dealer_drivers.link import Link
    from dealer_drivers.transports.factory import device_transport

    console = Console(stderr=True)
    clock = SystemClock()
    problem = ""

    def state(now: LinkState) -> None:
        nonlocal problem
        problem = now.reason if now.state in ("waiting", "given_up") else problem
        console.print(f"{device.port}: {now.state}" + (f": {now.reason}" if now.reason else ""), highlight=False)

    transport = device_transport(device.driver, device.port, device.options, clock=clock)
    session = device.driver.session(device.options)
    link = Link(transport, session, clock, on_output=lambda output, at: None, on_state=state, recorder=writer)  # noqa: ARG005
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    running = asyncio.ensure_future(link.run())
    stopped = asyncio.ensure_future(stop.wait())
    with console.status("recording; Ctrl-C ends it") if console.is_terminal else contextlib.nullcontext():
        await asyncio.wait({running, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    await link.stop()
    await asyncio.wait({running, stopped})
    error = running.exception()
    if isinstance(error, OSError):
        return complain(f"{path} cannot be written: {error.strerror}", NO)
    running.result()
    health = link.health
    if not health.opens:
        return complain(f"{device.name} was never reached: {problem}", UNREACHABLE)
    sys.stdout.write(
        f"{path}: {health.bytes_in} bytes from {device.name}, {health.bytes_out} to it, "
        f"{health.valid_frames} valid frames, {health.rejected_bytes} bytes of no frame\n"
    )
    return DONE if health.bytes_in else complain(f"{device.name} said nothing", NO)

"""``dealer-calibrate devices``: what is attached to this machine, and which driver fits."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dealer_calibration.cli.bench_options import pair
from dealer_calibration.cli.common import Subcommands, add_command
from dealer_calibration.cli.exit_codes import DONE, WRONG, complain

if TYPE_CHECKING:
    from dealer_calibration.attached import Attached, Fit
    from dealer_drivers.driver import Driver


def add(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = add_command(
        commands,
        "devices",
        "list what is attached, under its stable name, and the drivers that fit",
        "dealer-calibrate devices\n"
        "  dealer-calibrate devices --also tcp://10.0.7.20:4001 --use tcp://10.0.7.20:4001=cammegh-ss2 "
        "--write-config station.toml",
        run,
    )
    parser.add_argument("--drivers", action="store_true", help="list the installed drivers instead")
    parser.add_argument("--also", action="append", default=[], metavar="PORT", help="a port that nothing lists")
    parser.add_argument("--write-config", type=Path, metavar="F", help="write a first station.toml; an old one stays")
    parser.add_argument(
        "--use", action="append", default=[], metavar="PORT=DRIVER", type=pair, help="what is at a port, for the file"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each device")
    for name, place in (("--sys", "/sys"), ("--dev", "/dev")):
        parser.add_argument(name, type=Path, default=Path(place), help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Exit codes: 0 listed (nothing attached is an answer, too), 2 a port, driver or file is wrong."""
    from dealer_calibration.attached import find_attached, fits_of
    from dealer_drivers.attached import named_by_hand
    from dealer_drivers.driver import installed_drivers
    from dealer_drivers.errors import OptionError

    drivers = installed_drivers()
    if arguments.drivers:
        return _drivers(drivers, as_json=arguments.json)
    try:
        found = [*find_attached(arguments.sys, arguments.dev), *map(named_by_hand, arguments.also)]
    except OptionError as error:
        return complain(f"--also: {error.reason}", WRONG)
    fitted = [(attached, fits_of(attached, drivers)) for attached in found]
    if arguments.json:
        for attached, fits in fitted:
            print(json.dumps(_as_json(attached, fits), ensure_ascii=False))
    else:
        _show(fitted)
    if arguments.write_config is not None:
        return _write(fitted, drivers, arguments)
    return DONE


def _write(fitted: list[tuple[Attached, list[Fit]]], drivers: list[Driver], arguments: argparse.Namespace) -> int:
    import sys

    from dealer_calibration.attached import first_station
    from dealer_drivers.whole_files import write_whole

    chosen, ports = dict(arguments.use), {attached.port: attached for attached, _ in fitted}
    names = {driver.name: driver for driver in drivers}
    for port, name in chosen.items():
        if port not in ports:
            return complain(f"--use {port}={name}: no such port; there are: {', '.join(ports) or 'none'}", WRONG)
        if name not in names:
            return complain(f"--use {port}={name}: no driver {name!r}; there are: {', '.join(names)}", WRONG)
        if ports[port].kind not in names[name].transports:
            return complain(f"--use {port}={name}: {name} does not read a port of the kind {ports[port].kind}", WRONG)
    file = first_station(fitted, drivers, chosen, str(arguments.write_config))
    try:
        write_whole(arguments.write_config, file.text, replace=False)
    except FileExistsError:
        return complain(f"{arguments.write_config}: is there already, and is left as it is: give another name", WRONG)
    except OSError as error:
        return complain(f"{arguments.write_config}: cannot be written: {error.strerror}", WRONG)
    said = f"{arguments.write_config}: {file.tables} tables; {len(file.open)} ports are left to you (--use PORT=DRIVER)"
    print(said, file=sys.stderr)
    return DONE


def _as_json(attached: Attached, fits: list[Fit]) -> dict[str, Any]:
    return {
        "port": attached.port,
        "kind": attached.kind,
        "path": attached.path,
        "names": list(attached.names),
        "usb": attached.usb,
        "serial": attached.serial,
        "maker": attached.maker,
        "product": attached.product,
        "held_by": attached.held_by,
        "warning": attached.warning,
        "drivers": [{"driver": fit.driver, "why": fit.why, "sure": fit.sure} for fit in fits],
    }


def _show(fitted: list[tuple[Attached, list[Fit]]]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    if not fitted:
        console.print("nothing is attached: network ports are named by hand (--also tcp://HOST:PORT)")
    for attached, fits in fitted:
        what = " ".join(word for word in (attached.kind, attached.maker, attached.product, attached.usb) if word)
        console.print(Text(attached.port, style="bold"), Text(f"  {what}"), soft_wrap=True)
        lines = [f"serial number {attached.serial}"] if attached.serial else []
        lines += [f"also {name}" for name in (*attached.names[1:], attached.path) if name not in ("", attached.port)]
        if attached.held_by is not None:
            lines.append(f"open in {attached.held_by}")
        if attached.warning:
            lines.append(attached.warning)
        lines += _spoken(fits, attached.port)
        for line in lines:
            console.print(Text(f"    {line}"), soft_wrap=True)


def _spoken(fits: list[Fit], port: str) -> list[str]:
    sure = [f"driver {fit.driver}: {fit.why}" for fit in fits if fit.sure]
    if sure or not fits:
        return sure or ["no installed driver reads it"]
    names = [fit.driver for fit in fits]
    if len(names) == 1:
        return [f"driver {names[0]}: {fits[0].why}"]
    return [f"any of {', '.join(names)}: `dealer-calibrate probe DRIVER {port}` decides"]


def _drivers(drivers: list[Driver], *, as_json: bool) -> int:
    from dealer_calibration.cli.files import show_rows

    rows = [
        (one.name, ", ".join(sorted(one.transports - {"recording"})), str(one.maturity), one.summary) for one in drivers
    ]
    if as_json:
        for name, ports, maturity, summary in rows:
            said = {"driver": name, "ports": ports.split(", "), "maturity": maturity, "summary": summary}
            print(json.dumps(said, ensure_ascii=False))
    else:
        show_rows([("driver", "ports", "format", "what it reads"), *rows])
    return DONE

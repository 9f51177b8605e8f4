"""All that is looked at, in the order in which it is mended."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from dealer_daemon.config import Config
from dealer_daemon.doctor.broker import look_at_broker, look_at_credentials
from dealer_daemon.doctor.finding import Finding, good, warning
from dealer_daemon.doctor.listening import look_at_listening
from dealer_daemon.doctor.machine import Machine
from dealer_daemon.doctor.ports import look_at_port
from dealer_daemon.doctor.system import look_at_clock, look_at_disk, look_at_libraries, look_at_others
from dealer_daemon.handover import socket_name
from dealer_drivers.attached import find_attached


def examine(config: Config | None, machine: Machine) -> Iterator[Finding]:
    """The PC, and with a configuration what that needs: one finding after the other, as they are found."""
    yield from look_at_clock(machine)
    yield from look_at_libraries(config)
    yield from look_at_others(config, machine)
    if config is None:
        return
    state_dir = Path(config.station.state_dir)
    yield from look_at_disk(state_dir, machine)
    yield from look_at_credentials(config, machine)
    runs = _runs(state_dir)
    yield (
        good("station", "it runs")
        if runs
        else warning("station", "it does not run", "`systemctl start dealer-station`")
    )
    if not runs:
        yield from look_at_listening(config)
    attached = find_attached(machine.sys, machine.dev, machine.proc)
    for table in config.tables.values():
        for device in table.devices:
            yield from look_at_port(f"{table.name}/{device.name}", device, machine, attached, station_runs=runs)
    yield from look_at_broker(config)


def _runs(state_dir: Path) -> bool:
    """Whether a station answers on its socket."""
    try:
        with socket_name(state_dir) as name, socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(1.0)
            asking.connect(name)
    except OSError:
        return False
    return True

"""A table whose health is what a test says it is: a host on a real journal, and the alerts that follow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dealer_daemon.alerts import AlertWatch, DeviceHealth, HostHealth, TableHealth, conditions
from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.config import parse_config
from dealer_daemon.events import AlertCleared, AlertRaised, Event
from dealer_daemon.journal import Journal
from dealer_daemon.station.host import TableHost
from dealer_drivers.clock import ManualClock
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Reading

BEGAN = Instant(1_000_000_000, 1_769_890_500_000_000_000)
ROULETTE = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "roulette"
[tables.r1.spin]
laps = "unobserved"
unobserved = "confirm"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""
WELL = HostHealth(free_bytes=1 << 36, clock_synchronised=True, clock_jump_s=0.0)


@dataclass
class AlertTable:
    """``table`` and ``host_health`` are what the next look finds; ``pass_s`` looks once a second."""

    journal: Journal
    text: str = ROULETTE
    name: str = "r1"
    boot: str = "b1"
    clock: ManualClock = field(default_factory=lambda: ManualClock(BEGAN))
    health: TableHealth = field(default_factory=lambda: TableHealth(devices={"wheel": DeviceHealth(link="up")}))
    host_health: HostHealth = WELL
    host: TableHost = field(init=False)
    watch: AlertWatch = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Take the table up, for the first time or after a restart."""
        config = parse_config(self.text, Path("/nowhere/station.toml")).tables[self.name]
        self.host = TableHost(
            config, self.journal, self.clock, boot=self.boot, clock_speed=1.0,
            act=lambda _device, _action: None, changed=lambda: None,
        )  # fmt: skip
        self.watch = AlertWatch()
        self.host.start()

    def restart(self, boot: str) -> None:
        """The daemon ends, with nothing to be done any more, and another run takes the table up."""
        self.host.stop()
        self.boot = boot
        self.start()

    def pass_s(self, seconds: float) -> None:
        """Time passes, and the table is looked at each second."""
        self.look()
        for _ in range(round(seconds)):
            self.clock.advance_s(1)
            self.look()

    def look(self) -> None:
        """Raise and clear what is due."""
        found = conditions(self.host.committed, replace(self.health, stalled=self.host.stalled), self.host_health)
        self.host.alert(self.watch.step(found, self.host.alerts, self.clock.now()))

    def device(self, **changes: Any) -> None:
        """The first device is found otherwise from now on."""
        name, device = next(iter(self.health.devices.items()))
        self.health = replace(self.health, devices={name: replace(device, **changes)})

    def says(self, *readings: Reading, device: str = "wheel") -> None:
        """The device says something."""
        self.host.readings(device, readings, self.clock.now())

    def fault(self, fault: str, *, cleared: bool = False, device: str = "wheel") -> None:
        """A fault of the device begins or ends."""
        self.says(DeviceFault(at=self.clock.now(), raw=b"", fault=fault, detail="", cleared=cleared), device=device)

    def ask(self, name: CommandName, **args: Any) -> Reply:
        """A command of the service manager, which must be carried out."""
        number = self.host.committed.sequence
        command = Command(
            id=f"c{number}-{name}", name=name, client="m", role=Role.MANAGER, by="manager-1",
            args={"reason": "video", **args},
        )  # fmt: skip
        reply = self.host.command(command)
        assert reply.ok, reply
        return reply

    def alerts(self) -> list[Event]:
        """The events about alerts, in order."""
        return [e for e in self.journal.events(self.name) if isinstance(e.data, AlertRaised | AlertCleared)]

    def of(self, code: str) -> list[tuple[str, str | None, str | None]]:
        """What was said of one code: (severity, device, about)."""
        return [
            (e.data.severity, e.data.device, e.data.about)
            for e in self.alerts()
            if isinstance(e.data, AlertRaised | AlertCleared) and e.data.code == code
        ]

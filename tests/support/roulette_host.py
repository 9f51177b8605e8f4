"""A roulette table's host on a journal, with a wheel and a broker that nobody opens."""

from __future__ import annotations

from pathlib import Path

from dealer_daemon.config import parse_config
from dealer_daemon.journal import Journal
from dealer_daemon.station.host import TableHost
from dealer_drivers.clock import Clock, SystemClock

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "roulette"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


def roulette_host(
    journal: Journal, clock: Clock | None = None, *, command_max_age_s: float = 0, source: str = ""
) -> TableHost:
    """The host of table ``r1``, not started. Call it where a loop runs."""
    text = CONFIG.replace('"roulette"\n', f'"roulette"\nround_source = "{source}"\n') if source else CONFIG
    return TableHost(
        parse_config(text, Path("/nowhere/station.toml")).tables["r1"],
        journal,
        clock or SystemClock(),
        boot="b",
        clock_speed=1.0,
        act=lambda _device, _action: None,
        changed=lambda: None,
        command_max_age_s=command_max_age_s,
    )

"""A recording of an encoder that a busy machine asked plays back as it was judged: by when its questions went out."""

from __future__ import annotations

from pathlib import Path

from dealer_daemon.config import parse_config
from dealer_daemon.events import RoundOutcome
from dealer_daemon.replay import Player
from dealer_daemon.round import TableState
from dealer_drivers.driver import Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.recording import Entry
from hw_sim.wheel.options import WheelModbusOptions
from support.wired_wheel import HeldUpWheel

CONFIG = """
[station]
site = "s"
state_dir = "state"
[tables.w1]
game = "rainbow-wheel"
round_source = "device"
[tables.w1.turn]
wheel = "{wheel}"
[[tables.w1.devices]]
name = "encoder"
driver = "wheel-modbus"
port = "/dev/encoder"
reference_register = 16
"""
BEGINS_S = 1.0
"""The wheel's own time begins at 0, and a station's clock was never there."""


def recorded(wheel: HeldUpWheel, turns: int) -> list[Entry]:
    """What a flight recorder would write while so many turns are made."""
    entries: list[Entry] = []
    received, sent = wheel.session.received, wheel.session.sent

    def hear(data: bytes, at: Instant) -> Output:
        entries.append(Entry(len(entries) + 2, BEGINS_S + at.mono_ns / NS_PER_S, "rx", data))
        return received(data, at)

    def told(size: int, at: Instant) -> None:
        entries.append(Entry(len(entries) + 2, BEGINS_S + at.mono_ns / NS_PER_S, "tx", bytes(size)))
        sent(size, at)

    wheel.session.received = hear  # type: ignore[method-assign]
    wheel.session.sent = told  # type: ignore[method-assign]
    wheel.run(600, turns)
    return entries


def test_a_busy_machine_s_recording_gives_the_same_segments(tmp_path: Path) -> None:
    wheel = HeldUpWheel(WheelModbusOptions(name="w", between_s=(2, 3)), 5, up_to_s=0.02, every_s=0.1)
    entries = recorded(wheel, 4)
    (text,) = wheel.device.files().values()
    (tmp_path / "wheel.toml").write_text(text)
    config = parse_config(CONFIG.format(wheel=tmp_path / "wheel.toml"), tmp_path / "station.toml")
    table = config.tables["w1"]
    played = [
        event.data.facts["segment"]
        for decision in Player(table, table.devices[0], TableState(table="w1")).play(entries)
        for event in decision.events
        if isinstance(event.data, RoundOutcome)
    ]
    assert played == [record["segment"] for record in wheel.truth.records if record["expect"] == "accept"]
    assert len(played) >= 3

"""The station itself: what is too old goes while it runs, and its table goes on as if nothing had gone."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.live import until

from dealer_daemon import retention
from dealer_daemon.config import load_config
from dealer_daemon.journal import Journal, verify_file
from dealer_daemon.station.setup import recover
from dealer_daemon.station.station import Station

CONFIG = """
[station]
site = "studio-1"
state_dir = "{state_dir}"
flight_recorder_days = 0
retention_days = 90

[mqtt]
url = "mqtt://127.0.0.1:{port}"

[tables.r1]
game = "roulette"
round_source = "device"

[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"

[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{state_dir}/no-wheel"
"""


async def test_the_station_removes_what_is_too_old(
    state_dir: Path, tmp_path: Path, maker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Journal.open(state_dir, boot="long-ago")) as journal:  # dated 2023
        for number in range(1, 61):
            subject = f"r1-{number}"
            journal.commit([msgspec.structs.replace(maker.opened("r1"), subject=subject)])
            closed = msgspec.structs.replace(maker.closed("r1"), subject=subject)
            journal.commit([closed], command=maker.command("r1", f"c{number}"))
            outcome = maker.outcome("r1", number % 37, [maker.evidence(number)])
            journal.commit([msgspec.structs.replace(outcome, subject=subject)], [maker.evidence(number)])
        before = recover(journal, "r1")
    config = tmp_path / "station.toml"
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # no broker ever listens there
        config.write_text(CONFIG.format(state_dir=state_dir, port=nobody.getsockname()[1]))
        monkeypatch.setattr(retention, "STEADY_S", 10.0)
        station, stop = Station(load_config(config), clock_speed=50.0), asyncio.Event()
        running = asyncio.create_task(station.run(stop))
        try:
            await until(lambda: running.done() or station.tables, "the station is up")
            await until(lambda: running.done() or station.journal.first_sequence("r1") > 177, "old rows go", 40)
            said = station.journal.newest("r1", "events.expired")
            assert said is not None
            assert (said.data.to_sequence, said.data.reason) == (180, "never_published")  # type: ignore[attr-defined]
            assert station.tables["r1"].host.committed.rounds == 60
            shown = station.journal.newest("r1", "round.outcome")
            assert shown is not None
            assert shown.sequence == 180, "the newest outcome stays"
        finally:
            stop.set()
            await running
    assert verify_file(state_dir / "journal.sqlite3").problems == []
    with closing(Journal.open(state_dir, boot="after")) as journal:
        after = recover(journal, "r1")
        assert (after.rounds, after.outcome) == (before.rounds, before.outcome)
        assert journal.reply_to("r1", "server-1", "c1") is not None

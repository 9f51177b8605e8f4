"""The pages of a station that runs in this process: with no broker and no wheel, and later with both."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import socket
import tty
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dealer_daemon.config import load_config
from dealer_daemon.events import AlertRaised
from dealer_daemon.monitoring import app
from dealer_daemon.station import Station
from dealer_daemon.station import monitoring as station_monitoring
from support.cammegh import status
from support.live import until
from support.mqtt_brokers import Broker, free_port, mosquitto

SPEED = 20.0
CONFIG = """
[station]
site = "studio-1"
state_dir = "{state}"
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[monitoring]
listen = "127.0.0.1:{port}"
[tables.r1]
game = "roulette"
round_source = "device"
[tables.r1.spin]
laps = "unobserved"
unobserved = "accept"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "{wheel}"
"""


class Served:
    """A station, and a browser of its own."""

    def __init__(self, folder: Path, **places: Any) -> None:
        self.folder, self.places = folder, places
        (folder / "station.toml").write_text(CONFIG.format(state=folder / "state", wheel=folder / "wheel", **places))
        self.station = Station(load_config(folder / "station.toml"), clock_speed=SPEED)
        self.stop = asyncio.Event()
        self.running = asyncio.create_task(self.station.run(self.stop))

    async def get(self, path: str) -> tuple[int, str]:
        await until(lambda: self.running.done() or self.station.monitoring.url, "it is served")
        assert not self.running.done()
        url = self.station.monitoring.url
        assert url is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        head, _, body = answer.partition("\r\n\r\n")
        return int(head.split()[1]), body

    async def figures(self) -> dict[tuple[str, ...], float]:
        """By name and the values of the labels in order of their names."""
        code, text = await self.get("/metrics")
        assert code == 200
        return {
            (each.name, *(each.labels[name] for name in sorted(each.labels))): each.value
            for family in text_string_to_metric_families(text)
            for each in family.samples
        }

    def standing(self) -> set[str]:
        tables = self.station.tables.values()
        return {alert.code for parts in tables for alert in parts.host.committed.alerts.values()}

    async def end(self) -> None:
        self.stop.set()
        await self.running


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """Not started."""
    (tmp_path / "broker").mkdir()
    made = mosquitto(tmp_path / "broker")
    yield made
    made.stop()


@pytest.fixture
async def served(tmp_path: Path, broker: Broker) -> AsyncIterator[Served]:
    made = Served(tmp_path, broker=broker.port, port=free_port())
    yield made
    await made.end()


@pytest.fixture
def wheel(tmp_path: Path) -> Iterator[int]:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    (tmp_path / "plugged").symlink_to(os.ttyname(theirs))
    yield ours
    os.close(ours)
    os.close(theirs)


async def test_what_is_missing_is_seen_everywhere_and_is_over_once_it_is_there(
    served: Served, broker: Broker, tmp_path: Path, wheel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "FRESH_S", 0.0)
    assert await served.get("/livez") == (200, "ok\n")
    await until(lambda: served.standing() >= {"broker_unreachable", "device_down"}, "both alerts stand")
    assert await served.get("/readyz") == (200, "ok\n"), "results wait in the journal"
    figures = await served.figures()
    assert figures["dealer_alerts", "device_down", "error", "r1"] == 1
    assert figures["dealer_alerts", "broker_unreachable", "error", "r1"] == 1
    assert figures["dealer_broker_connected", "r1"] == 0
    assert figures["dealer_outbox_events", "r1"] == served.station.journal.last_sequence("r1")
    assert figures["dealer_device_link", "wheel", "waiting", "r1"] == 1
    code, text = await served.get("/healthz")
    assert code == 200
    assert {alert["code"] for alert in json.loads(text)["tables"]["r1"]["alerts"]} >= {"device_down"}
    state = served.station.tables["r1"].host.state_message({})
    assert {alert["code"] for alert in state["alerts"]} >= {"device_down", "broker_unreachable"}

    await broker.start()
    (tmp_path / "plugged").rename(tmp_path / "wheel")
    for _ in range(400):
        os.write(wheel, status(1))
        await asyncio.sleep(0.025)
        if not served.standing():
            break
    await until(lambda: not served.standing(), "everything is over")
    await until(lambda: served.station.tables["r1"].uplink.published > 1, "events go out")
    figures = await served.figures()
    assert figures["dealer_device_link", "wheel", "up", "r1"] == 1
    assert figures["dealer_device_received_bytes_total", "wheel", "r1"] > 0
    assert figures["dealer_device_valid_frames_total", "wheel", "r1"] > 0
    assert figures["dealer_device_readings_total", "wheel", "r1"] > 0
    assert figures["dealer_broker_connected", "r1"] == 1
    assert figures["dealer_broker_acknowledgement_seconds_count", "r1"] > 0
    assert figures["dealer_commit_seconds_count", "r1"] >= 1
    assert figures["dealer_event_loop_late_seconds_count",] > 0
    assert figures["dealer_disk_free_bytes",] > 0
    assert sum(count for (name, *_), count in figures.items() if name == "dealer_alerts") == 0


async def test_who_asks_without_end_is_given_the_same_figures_for_a_while(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "FRESH_S", 1000.0)
    first = (await served.get("/metrics"))[1]
    for _ in range(3):
        assert (await served.get("/metrics"))[1] == first
    monkeypatch.setattr(app, "FRESH_S", 0.0)
    late = "dealer_event_loop_late_seconds_count "
    before = first.partition(late)[2].splitlines()[0]

    async def moved() -> bool:
        return (await served.get("/metrics"))[1].partition(late)[2].splitlines()[0] != before

    async with asyncio.timeout(10):
        while not await moved():
            await asyncio.sleep(0.05)


async def test_another_page_there_is_not_and_nothing_is_changed_from_here(served: Served) -> None:
    assert (await served.get("/"))[0] == 404
    assert (await served.get("/metrics/"))[0] in (307, 404)
    url = await until(lambda: served.station.monitoring.url, "it is served")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(b"POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    assert (await reader.read()).split()[1] == b"405"
    writer.close()
    await writer.wait_closed()


async def test_a_port_that_is_taken_stops_no_table_and_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(station_monitoring, "RETRY_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        served = Served(tmp_path, broker=free_port(), port=taken.getsockname()[1])
        try:
            await until(lambda: "monitoring_unserved" in served.standing(), "it is said")
            raised = served.station.journal.newest("r1", "alert.raised")
            assert raised is not None
            assert isinstance(raised.data, AlertRaised)
            taken.close()
            assert await served.get("/livez") == (200, "ok\n")
            await until(lambda: "monitoring_unserved" not in served.standing(), "it is over")
        finally:
            await served.end()

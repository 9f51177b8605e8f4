"""``make bench``: one JSON object a line, every figure beside a floor that is measured in the same run.

The floor is what nobody can go below: one raw SQLite commit (WAL, ``synchronous=FULL``) and one raw paho QoS 1
publish, acknowledged by the same broker. Figures on a shared machine drift; their ratio to the floor does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

sys.path.insert(0, str(Path(__file__).parents[1]))
from bench.drain import drain_figures
from bench.pictures import picture_figures

STATION = """
[station]
site = "bench"
state_dir = "{state}"
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
port = "{wheel}"
"""


def quantile(values: Sequence[float], q: float) -> float:
    """The value at ``q`` of the sorted values, nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def wait_until(condition: Any, what: str, within_s: float = 30.0) -> None:
    """Returns when ``condition()`` holds; raises after ``within_s``."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.001)


@contextmanager
def broker(folder: Path) -> Iterator[int]:
    """A mosquitto on a free loopback port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nset_tcp_nodelay true\n")
    binary = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    with subprocess.Popen([binary, "-c", str(config)], stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "mosquitto did not start")
            yield port
        finally:
            process.terminate()


class Floor:
    """One raw commit, then one raw publish until its acknowledgement."""

    def __init__(self, folder: Path, port: int) -> None:
        self._db = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)")
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="floor", protocol=mqtt.MQTTv5)
        self._acked = 0
        self._client.on_publish = self._on_publish
        self._client.connect("127.0.0.1", port)
        wait_until(self._connected, "the floor's client did not connect")
        sock = self._client.socket()
        assert sock is not None
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _connected(self) -> bool:
        self._client.loop(0.05)
        return self._client.is_connected()

    def _on_publish(self, *_: Any) -> None:
        self._acked += 1

    def once(self, body: bytes) -> float:
        """Milliseconds of one commit and one acknowledged publish of ``body``."""
        begin = time.perf_counter_ns()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO rows (body) VALUES (?)", (body,))
        self._db.execute("COMMIT")
        wanted = self._acked + 1
        self._client.publish("floor", body, qos=1)
        while self._acked < wanted:
            self._client.loop(0.05)
        return (time.perf_counter_ns() - begin) / 1e6

    def close(self) -> None:
        """Ends both."""
        self._client.disconnect()
        self._client.loop(0.05)
        self._db.close()


class PtyWheel:
    """A pty whose far end the station opens; each game is written as a wheel would write it, only faster."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._spin = 0
        self._shown = 0

    def game_until_last_frame(self) -> bytes:
        """Writes a game but for its last frame, and answers that frame."""
        self._spin = (self._spin + 1) % 256
        head = f"{self._spin:03d};{self._shown:2d};0;160;1\r\n"
        self._shown = (self._shown + 7) % 37
        frames = [f"*X;{state};{head}" for state in "22334444"]
        os.write(self.master, ("".join(frames) + f"{self._shown:2d}\r\n").encode())
        return f"*X;5;{self._spin:03d};{self._shown:2d};0;160;1\r\n".encode()

    def close(self) -> None:
        """Closes both ends."""
        os.close(self.master)
        os.close(self._slave)


async def outcome_latency(folder: Path, port: int, rounds: int) -> dict[str, Any]:
    """Last byte on the pty → outcome committed → acknowledged by the broker, against the floor taken in turn."""
    from dealer_daemon.config import parse_config
    from dealer_daemon.log import configure
    from dealer_daemon.station import Station

    log = (folder / "station.log").open("w")
    configure("json", stream=log)

    wheel = PtyWheel()
    text = STATION.format(state=folder / "state", port=port, wheel=wheel.path)
    station = Station(parse_config(text, folder / "station.toml"))
    stop = asyncio.Event()
    running = asyncio.create_task(station.run(stop))
    while not (station.tables and station.tables["r1"].uplink.status.connected):
        await asyncio.sleep(0.01)
    parts = station.tables["r1"]
    committed: list[tuple[str, int, int]] = []
    station.journal.add_listener(
        lambda events: committed.extend((e.data.type, e.sequence, time.perf_counter_ns()) for e in events)
    )
    acked: list[int] = []
    _note_acknowledged(parts.uplink, "/events/round.outcome", acked)
    floor = Floor(folder, port)
    commit_ms, ack_ms, floor_ms = [], [], []
    try:
        for _ in range(rounds):
            last = wheel.game_until_last_frame()
            while not (committed and committed[-1][0] == "betting.closed"):
                await asyncio.sleep(0.001)
            while parts.uplink.published < committed[-1][1]:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.005)  # let retained topics go out: at a table there are seconds between frames
            begin = time.perf_counter_ns()
            os.write(wheel.master, last)
            while not acked:
                await asyncio.sleep(0.005)  # looking more often would itself take the loop's time
            ack_ms.append((acked.pop() - begin) / 1e6)
            commit_ms.append((next(at for kind, _, at in reversed(committed) if kind == "round.outcome") - begin) / 1e6)
            floor_ms.append(floor.once(b"x" * 1024))
    finally:
        floor.close()
        stop.set()
        await running
        wheel.close()
        log.close()
    p50, p99 = quantile(ack_ms, 0.5), quantile(ack_ms, 0.99)
    floor_p50, floor_p99 = quantile(floor_ms, 0.5), quantile(floor_ms, 0.99)
    return {
        "bench": "outcome_latency",
        "rounds": rounds,
        "commit_p50_ms": round(quantile(commit_ms, 0.5), 3),
        "commit_p99_ms": round(quantile(commit_ms, 0.99), 3),
        "p50_ms": round(p50, 3),
        "p99_ms": round(p99, 3),
        "floor_p50_ms": round(floor_p50, 3),
        "floor_p99_ms": round(floor_p99, 3),
        "ratio_p50": round(p50 / floor_p50, 2),
        "ratio_p99": round(p99 / floor_p99, 2),
    }


def _note_acknowledged(uplink: Any, leaf: str, times: list[int]) -> None:
    """Puts the moment of every acknowledgement of a message on a topic that ends in ``leaf`` into ``times``."""
    client = uplink._client
    publish = client.publish

    def watched(message: Any) -> Any:
        future = publish(message)
        if message.topic.endswith(leaf):
            future.add_done_callback(lambda _: times.append(time.perf_counter_ns()))
        return future

    client.publish = watched


def process_figures(folder: Path, port: int, idle_s: float) -> dict[str, Any]:
    """Start to first reading, resident memory, and processor time of a daemon whose wheel only sends its status."""
    wheel = PtyWheel()
    config = folder / "process.toml"
    config.write_text(STATION.format(state=folder / "process-state", port=port, wheel=wheel.path))
    begin = time.monotonic()
    command = [sys.executable, "-m", "dealer_daemon", "run", "--config", str(config), "--log-format", "json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as daemon:
        try:
            assert daemon.stderr is not None
            frame = b"*X;1;001; 7;0;160;1\r\n"
            for line in daemon.stderr:
                if '"link"' in line and '"up"' in line:
                    break
            os.write(wheel.master, frame.replace(b";1;001", b";2;001"))
            for line in daemon.stderr:
                if "round.opened" in line:
                    break
            first_s = time.monotonic() - begin
            before, end = _cpu_s(daemon.pid), time.monotonic() + idle_s
            while time.monotonic() < end:
                os.write(wheel.master, frame.replace(b";1;001", b";2;001"))
                time.sleep(0.5)
            cpu = (_cpu_s(daemon.pid) - before) / idle_s * 100
            resident = _resident_mb(daemon.pid)
        finally:
            daemon.terminate()
            daemon.wait(20)
            wheel.close()
    return {
        "bench": "process",
        "start_to_first_reading_s": round(first_s, 3),
        "idle_cpu_percent": round(cpu, 2),
        "resident_mb": round(resident, 1),
    }


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> None:
    """Runs all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--drain-events", type=int, default=36_000, help="an hour at 10 a second")
    parser.add_argument("--idle-seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dealer-bench-") as name, broker(Path(name)) as port:
        folder = Path(name)
        print(json.dumps(asyncio.run(outcome_latency(folder, port, arguments.rounds))), flush=True)
        print(json.dumps(process_figures(folder, port, arguments.idle_seconds)), flush=True)
        print(json.dumps(drain_figures(folder, port, arguments.drain_events)), flush=True)
    for line in picture_figures(quantile):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()

"""A station with everything round it: broker, consumers, game server, simulated tables, and proxies between them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
import shutil
import struct
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from chaos.disk import Disk
from chaos.history import History, Position, Received
from chaos.processes import Kept, event_of
from chaos.proxy import Proxy
from chaos.speakers import Speakers
from chaos.tables import BASE, SCENARIO, TABLE_OF, play_of, station_toml
from chaos.tap import JournalFile, Observer
from dealer_daemon.journal import FILE_NAME
from dealer_daemon.mqtt.envelope import verify_event
from dealer_daemon.signing import key_id, make_key, read_public_key
from hw_sim.simulation import Simulation, running
from support.mqtt_brokers import free_port

HERE = Path(__file__).parent
LOOK_S = 0.05
SAMPLE_S = 0.5
TOUCHED_S = 0.5
"""What is wrong with a device or a process may show so long after it was put right."""
CONSUMERS = ("bank", "ledger")
"""The first is behind the bad network, the second is beside the broker and what the game server hears with."""


class World:
    """See the module. ``mutant`` is a fault put into the daemon on purpose, or ``none``."""

    def __init__(self, folder: Path, seed: int, speed: float, mutant: str) -> None:
        self.folder, self.speed = folder, speed
        private, public = make_key(folder / "keys")
        known = read_public_key(public)
        keys = {key_id(known): known}
        self.history = History(consumers=CONSUMERS, signed=lambda body: verify_event(body, keys))
        self._key = str(private)
        self.figures: Counter[str] = Counter()
        self.disk = Disk(folder / "state")
        self.config = folder / "station.toml"
        self.clock = folder / "clock"
        self.clock.write_bytes(bytes(8))
        self.broker_port = free_port()
        self.journal = JournalFile(self.disk.folder / FILE_NAME)
        self.observer = Observer(self.history, self.journal, BASE)
        self.uplink = Proxy(self.broker_port, self.observer.tap)
        self.downlink = Proxy(self.broker_port)
        self.sim: Simulation
        self.line: Proxy
        self.touched: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """By table, from when to when its devices or the station were not themselves in a way no event need tell."""
        self.disk_bad: list[tuple[int, int]] = []
        self.speakers: Speakers
        self._mutant = mutant
        self._seed = seed
        self._read = dict.fromkeys(CONSUMERS, 0)
        self._next: Counter[str] = Counter()
        self._early: defaultdict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
        self._over: list[tuple[int, int]] = []
        """Of each finished play: from when to when."""
        self._since: dict[str, int] = {}
        self.outcomes: Counter[str] = Counter()
        """Heard by the game server, by table."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[World]:
        """Everything is up for as long as the block lasts."""
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self.disk.mounted())
            stack.callback(self.journal.close)
            await stack.enter_async_context(self.uplink.running())
            await stack.enter_async_context(self.downlink.running())
            self.broker = self._kept("broker", *self._mosquitto())
            self.consumers = {
                name: self._kept(
                    name, sys.executable, str(HERE / "consumer.py"), name, str(port), str(self._out(name)), BASE
                )
                for name, port in zip(CONSUMERS, (self.downlink.port, self.broker_port), strict=True)
            }
            scenario = self.folder / "tables.toml"
            scenario.write_text(SCENARIO)
            self.sim = await stack.enter_async_context(
                running(
                    scenario,
                    speed=self.speed,
                    seed=self._seed,
                    run_dir=self.folder / "dev",
                    truth=self.folder / "truth.jsonl",
                )
            )
            self.line = Proxy(int(self.sim.ports["wheel"].rsplit(":", 1)[1]))
            await stack.enter_async_context(self.line.running())
            self.station = self._kept("station", *self._daemon(self.config), heard=self._station_said)
            self.config.write_text(self.toml(self.disk.folder))
            self.speakers = Speakers(self.downlink.port, f"run-{self._seed}", lambda: time.monotonic() * self.speed)
            kept = (self.broker, *self.consumers.values(), self.station)
            tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self.speakers.run())]
            try:
                for process in kept:
                    process.start()
                yield self
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                for process in reversed(kept):
                    await process.stop()

    def toml(self, state: Path) -> str:
        """The station's configuration with its state in this folder."""
        ports = {**self.sim.ports, "wheel": f"tcp://127.0.0.1:{self.line.port}"}
        return station_toml(str(state), self._key, self.uplink.port, ports, self.sim.files["rainbow"][0])

    def daemon(self, config: Path) -> list[str]:
        """How a daemon is started with a configuration."""
        return self._daemon(config)

    def touch(self, tables: Any, begin_ns: int) -> None:
        """These tables were not themselves from then until now."""
        end_ns = time.monotonic_ns() + round(TOUCHED_S * 1e9)
        for table in tables:
            self.touched[table].append((begin_ns, end_ns))

    def put_clock(self, seconds: float) -> None:
        """The station's wall clock jumps."""
        offset = struct.unpack("q", self.clock.read_bytes())[0] + round(seconds * 1e9)
        with self.clock.open("r+b") as file:
            file.write(struct.pack("q", offset))

    def everything_arrived(self) -> bool:
        """Whether each consumer has as many events of each table as the journal."""
        wanted = self.journal.last_sequences()
        if not wanted:
            return False
        has = {(got.consumer, got.table, got.sequence) for got in self.history.received}
        counts = Counter((consumer, table) for consumer, table, _ in has)
        return all(counts[consumer, table] >= last for consumer in CONSUMERS for table, last in wanted.items())

    def note_plays(self) -> None:
        """Write down what was played; of the plays under way it is not asked that anything was said."""
        over = self.sim.truth()
        self._time_plays()
        for record, (begin, end) in zip(over, self._over, strict=False):
            table = TABLE_OF[record["device"]]
            seen = not any(begin <= until and end >= since for since, until in self.touched[table])
            self.history.plays.append(play_of(record, seen))
        self.history.plays += [play_of(record, False) for record in self.sim.truth(in_play=True)[len(over) :]]

    def sample(self) -> None:
        """The journal as it stands now."""
        for table, published in self.journal.cursors().items():
            self.history.positions.append(Position(table, published, self.observer.taken_upto(table)))
        if (head := self.journal.head()) is not None:
            self.history.rows_seen[head[0]] = head[1]

    def _kept(self, name: str, *command: str, heard: Any = None) -> Kept:
        return Kept(name, *command, log=self.folder / f"{name}.log", heard=heard)

    def _daemon(self, config: Path) -> list[str]:
        patched = [sys.executable, str(HERE / "patched_station.py"), str(self.clock), self._mutant]
        return [*patched, "run", "--config", str(config), "--speed", f"{self.speed:g}", "--log-format", "json"]

    def _mosquitto(self) -> list[str]:
        conf = self.folder / "mosquitto.conf"
        lines = [f"listener {self.broker_port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0"]
        if random.Random(self._seed).random() < 0.5:
            self.figures["broker keeps sessions"] = 1
            lines += ["persistence true", f"persistence_location {self.folder}/", "autosave_interval 5"]
        conf.write_text("\n".join(lines) + "\n")
        return [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", str(conf)]

    def _out(self, consumer: str) -> Path:
        return self.folder / f"{consumer}.jsonl"

    def _station_said(self, line: str) -> None:
        said = event_of(line)
        if said.get("event") == "journal_unavailable":
            self.figures["stalled by the disk"] += 1

    async def _follow(self) -> None:
        """Read what consumers wrote down, and act as the people at the tables do."""
        sampled = 0.0
        while True:
            self._time_plays()
            for name in CONSUMERS:
                for table, event in self._take(name):
                    await self._heard(table, event)
            if time.monotonic() - sampled > SAMPLE_S:
                sampled = time.monotonic()
                self.sample()
            await asyncio.sleep(LOOK_S)

    def _take(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """What came since; of the ledger, the events in order and each once."""
        if not self._out(name).exists():
            return []
        with self._out(name).open("rb") as file:
            file.seek(self._read[name])
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read[name] += len(whole)
        fresh = []
        for text in whole.splitlines():
            line = json.loads(text)
            body = base64.b64decode(line["body"])
            table, sequence = line["table"], line["sequence"]
            self.history.received.append(Received(name, table, sequence, body, line["connection"], line["at_ns"]))
            if name == "ledger" and sequence > self._next[table]:
                self._early[table][sequence] = json.loads(body)
                while (event := self._early[table].pop(self._next[table] + 1, None)) is not None:
                    self._next[table] += 1
                    fresh.append((table, event))
        return fresh

    async def _heard(self, table: str, event: dict[str, Any]) -> None:
        self.speakers.heard(table, event)
        self.outcomes[table] += event["type"] == "round.outcome"
        if table == "b1" and event["type"] == "betting.closed":
            await self.sim.tell("shoe", "deal")
        elif table == "b1" and event["type"] == "round.voided":
            await self.sim.tell("shoe", "void")

    def _time_plays(self) -> None:
        now = time.monotonic_ns()
        for record in self.sim.truth()[len(self._over) :]:
            self._over.append((self._since.get(record["device"], 0), now))
            self._since[record["device"]] = now

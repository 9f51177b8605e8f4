"""How fast an outage drains: a journal full of events to a real broker, while a consumer acknowledges what it gets.

The floor is raw paho, publishing the same bodies to the same broker with as many messages unacknowledged.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from dealer_daemon.commands import Command, Reply
from dealer_daemon.config.types import MqttConfig
from dealer_daemon.events import AttemptStarted, BettingClosed, Event, EventData, RoundOpened, RoundOutcome
from dealer_daemon.evidence import recording_of
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.envelope import CONTENT_TYPE, encode_event
from dealer_daemon.mqtt.settings import broker_settings
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.mqtt.uplink import Uplink

TOPICS = Topics("dealer/v1", "bench", "r1")
BATCH = 200

CONSUMER = """
import json, sys, time
import paho.mqtt.client as mqtt
port, base, last = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="bench-consumer", protocol=mqtt.MQTTv5)
handled, acked_at = 0, 0.0
def message(client, _data, message):
    global handled, acked_at
    sequence = int(message.payload.partition(b'"sequence":')[2].partition(b",")[0])
    handled = max(handled, sequence)
    now = time.monotonic()
    if now - acked_at > 0.05 or handled == last:
        acked_at = now
        client.publish(f"{base}/acks/bench", json.dumps({"sequence": handled}), qos=1, retain=True)
def subscribed(client, *_):
    print("ready", flush=True)
client.on_connect = lambda client, *_: client.subscribe(f"{base}/events/+", qos=1)
client.on_message, client.on_subscribe = message, subscribed
client.connect("127.0.0.1", port)
client.loop_forever()
"""


def _game(events: Iterator[int], spin: int, evidence: str) -> list[Event]:
    """The events of one game at a wheel."""
    number = str(spin % 37)
    data: list[EventData] = [
        RoundOpened(game="roulette", source="device", spin=spin),
        AttemptStarted(attempt=1),
        BettingClosed(game="roulette", source="device"),
        RoundOutcome(
            game="roulette",
            facts={"number": number, "color": "red", "laps": None},
            attempts=1,
            evidence=[evidence],
            source="device",
        ),
    ]
    wall_ns = time.time_ns()
    return [
        Event(
            table="r1", sequence=next(events), subject=f"r1-{spin}", wall_ns=wall_ns, mono_ns=spin, boot="b", data=each
        )
        for each in data
    ]


def filled(state: Path, count: int) -> Journal:
    """A journal of ``count`` events that nobody has published."""
    state.mkdir()
    journal = Journal.open(state, boot="bench")
    sequences, evidence = itertools.count(1), recording_of("cammegh-ss2", "wheel", [])
    spins = iter(range(count // 4))
    while games := list(itertools.islice(spins, BATCH // 4)):
        journal.commit([event for spin in games for event in _game(sequences, spin, evidence.hash)], [evidence])
    return journal


async def _no_commands(_table: str, command: Command) -> Reply:
    return Reply(command=command.id, ok=True)


async def _drain(journal: Journal, port: int, last: int) -> float:
    """Seconds from the first event sent to the last acknowledged. The consumer is through by the end as well."""
    config = MqttConfig(url=f"mqtt://127.0.0.1:{port}")
    uplink = Uplink(
        broker_settings(config, "bench-station"), TOPICS, journal, _no_commands,
        boot="bench", version="bench", since="", in_flight=config.in_flight,
    )  # fmt: skip
    uplink.start()
    try:
        while not uplink.status.connected:
            await asyncio.sleep(0.001)
        begin = time.perf_counter()
        while uplink.published < last:
            await asyncio.sleep(0.01)
        return time.perf_counter() - begin
    finally:
        await uplink.stop()


def _floor(bodies: list[tuple[str, bytes]], port: int, window: int) -> float:
    """Seconds that raw paho takes to have ``bodies`` acknowledged, in order, at most ``window`` open."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="floor-drain", protocol=mqtt.MQTTv5)
    client.max_inflight_messages = window
    client.connect("127.0.0.1", port)
    while not client.is_connected():
        client.loop(0.05)
    sock = client.socket()
    assert sock is not None
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    acked = 0

    def on_publish(*_: Any) -> None:
        nonlocal acked
        acked += 1

    client.on_publish = on_publish
    properties = Properties(PacketTypes.PUBLISH)
    properties.ContentType = CONTENT_TYPE
    properties.PayloadFormatIndicator = 1
    begin, sent = time.perf_counter(), 0
    while acked < len(bodies):
        while sent < len(bodies) and sent - acked < window:
            client.publish(*bodies[sent], qos=1, properties=properties)
            sent += 1
        client.loop(0.05)
    took = time.perf_counter() - begin
    client.disconnect()
    client.loop(0.05)
    return took


def drain_figures(folder: Path, port: int, count: int) -> dict[str, Any]:
    """Events a second out of the journal and acknowledged, beside the floor."""
    journal = filled(folder / "drain-state", count)
    last = journal.last_sequence("r1")
    command = [sys.executable, "-c", CONSUMER, str(port), TOPICS.base, str(last)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as consumer:
        assert consumer.stdout is not None
        consumer.stdout.readline()
        try:
            took = asyncio.run(_drain(journal, port, last))
            acked = journal.cursor("r1", "ack/bench")
            bodies = [(TOPICS.events(e.data.type), encode_event(TOPICS.site, e)) for e in journal.events("r1")]
            floor = _floor(bodies, port, MqttConfig().in_flight)
        finally:
            consumer.terminate()
            journal.close()
    return {
        "bench": "drain",
        "events": last,
        "consumer_acked": acked,
        "rate": round(last / took),
        "floor_rate": round(last / floor),
        "ratio": round(floor / took, 2),
    }

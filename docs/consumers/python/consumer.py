"""A consumer in Python: handles every event of a site's tables once, in order, whatever is restarted.

    pip install paho-mqtt cryptography
    python consumer.py mqtt-host:1883 dealer/v1/studio-1 settler settled.sqlite3 --key station-public.pem

``TABLES=r1,r2`` in the environment where the broker refuses a subscription for all tables at once, as ejabberd does.
What an event means to you and how far you are go into one transaction (``settle``): that is all of the secret.
Whatever else comes on these topics is left, with a line that says so. ``bodies.py`` and ``signature.py`` lie beside
this file.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sqlite3
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as mqtt
from bodies import Event, NotOursError, Reply, read_event, read_newest, read_reply
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from signature import Keys, read_keys, verify

STALE_S = 2.0  # without progress for so long, what is missing is asked for; and what was refused is tried again
RECONNECT_S = 1.0


def settle(db: sqlite3.Connection, event: Event) -> None:
    """Yours to write: all that the event means, through ``db`` and nowhere else. No commit here."""
    if event.type in ("round.outcome", "outcome.corrected", "round.voided"):
        row = (event.id, event.type, event.subject, json.dumps(event.data))
        db.execute("INSERT INTO settled (id, type, round, data) VALUES (?, ?, ?, ?)", row)


@dataclass
class Table:
    """How far we are with one table."""

    handled: int
    newest: int = 0  # the highest sequence we know of
    told: int | None = None  # what the station was told
    moved_s: float = field(default_factory=time.monotonic)


class Consumer:
    """See the module."""

    def __init__(self, base: str, name: str, db: sqlite3.Connection, keys: Keys) -> None:
        self.base, self.name, self.db, self.keys = base, name, db, keys
        self.tables: dict[str, Table] = {}
        tables, leaves = os.environ.get("TABLES", "+").split(","), ("events/+", "state", f"replies/{name}")
        self.filters = [f"{base}/{table}/{leaf}" for table in tables for leaf in leaves]
        self.run_id = uuid.uuid4().hex  # begins the ids of our commands; what others asked is not our business
        self.commands = 0
        self.sent: dict[int, str] = {}  # topics by message id, until the broker answers
        self.refused_s: float | None = None  # when the broker last refused something
        with db:
            db.execute("CREATE TABLE IF NOT EXISTS handled (dealer_table TEXT PRIMARY KEY, sequence INTEGER NOT NULL)")
            db.execute("CREATE TABLE IF NOT EXISTS settled (id TEXT, type TEXT, round TEXT, data TEXT)")
        # manual_ack: the broker may forget an event only after our commit.
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5, manual_ack=True
        )
        self.client.on_connect, self.client.on_message = self.connected, self.message
        self.client.on_subscribe, self.client.on_publish = self.subscribed, self.published

    def run(self, host: str, port: int) -> None:
        """For ever."""
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 86_400
        while True:
            try:
                self.client.connect(host, port, keepalive=10, clean_start=False, properties=properties)
                while self.client.loop(0.1) == mqtt.MQTT_ERR_SUCCESS:
                    self.look_after()
            except OSError as error:
                print(f"broker: {error}", file=sys.stderr)
            time.sleep(RECONNECT_S)

    def subscribe(self) -> None:
        """Hear all tables of the site, or those that were named."""
        self.client.subscribe([(topic, 1) for topic in self.filters])

    def subscribed(self, _client: mqtt.Client, _data: Any, _mid: int, reasons: Any, _properties: Any) -> None:
        """The broker's answer to each of our subscriptions."""
        for topic, reason in zip(self.filters, reasons, strict=False):
            if reason.is_failure:
                self.refused(f"reading {topic}", reason)

    def published(self, _client: mqtt.Client, _data: Any, mid: int, reason: Any, _properties: Any) -> None:
        """The broker's answer to what we published. MQTT 3.1.1 and some brokers cannot say no."""
        topic = self.sent.pop(mid, "")
        if reason.is_failure:
            self.refused(f"publishing to {topic}", reason)

    def refused(self, what: str, reason: Any) -> None:
        """Say so, and try again a little later: nothing works without it, and a person can mend it meanwhile."""
        print(f"the broker refuses {what}: {reason}; allow it to {self.name} in its access list", file=sys.stderr)
        self.refused_s = time.monotonic()

    def connected(self, _client: mqtt.Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        """Subscribe, and register anew: the broker may have forgotten us."""
        print(f"connected: {reason}", file=sys.stderr)
        self.begin_anew()

    def begin_anew(self) -> None:
        """Subscribe, and tell every station how far we are."""
        self.refused_s = None
        self.subscribe()
        for table in self.tables.values():
            table.told = None

    def message(self, client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        """An event, a table's state, or the refusal of what we asked for. Acknowledged when it is done."""
        name, kind = message.topic[len(self.base) + 1 :].split("/")[:2]
        if name not in self.tables:
            row = self.db.execute("SELECT sequence FROM handled WHERE dealer_table = ?", (name,)).fetchone()
            self.tables[name] = Table(row[0] if row else 0)
        table = self.tables[name]
        if kind == "events" and self.keys and not verify(message.payload, self.keys):
            print(f"{name}: an event that no station signed: {message.payload[:200]!r}", file=sys.stderr)
        else:
            try:
                if kind == "events":
                    self.event(name, table, read_event(message.payload))
                elif kind == "state":
                    table.newest = max(table.newest, read_newest(message.payload))
                else:
                    self.reply(name, read_reply(message.payload))
            except NotOursError as wrong:
                print(f"{message.topic}: left, it {wrong}: {message.payload[:200]!r}", file=sys.stderr)
        client.ack(message.mid, message.qos)

    def reply(self, name: str, reply: Reply) -> None:
        """The answer to a command of ours. Anybody can have answers sent to our topic: those are left."""
        if reply.error is None or not reply.command.startswith(self.run_id):
            return
        if reply.error == "bad_argument":
            sys.exit(f"{name}: {reply.message}")  # what we miss is not kept any more: a person must look
        print(f"{name}: the station does not resend: {reply.error}: {reply.message}", file=sys.stderr)

    def event(self, name: str, table: Table, event: Event) -> None:
        """The next one is handled; one that we have, or that is too early, is not."""
        first, last = event.first, event.sequence
        if event.source != f"/{self.base.split('/')[-1]}/{name}":
            return  # signed perhaps, and of another table
        table.newest = max(table.newest, last)
        if not first <= table.handled + 1 <= last:
            return
        with self.db:  # one transaction: both or neither
            settle(self.db, event)
            self.db.execute("INSERT OR REPLACE INTO handled VALUES (?, ?)", (name, last))
        table.handled, table.moved_s = last, time.monotonic()

    def look_after(self) -> None:
        """Tell the stations how far we are, and ask for what does not come by itself."""
        if self.refused_s is not None and time.monotonic() - self.refused_s > STALE_S:
            self.begin_anew()
        for name, table in self.tables.items():
            if table.told != table.handled:
                table.told = table.handled
                body = json.dumps({"sequence": table.handled})
                self.publish(f"{self.base}/{name}/acks/{self.name}", body, retain=True)
            if table.newest > table.handled and time.monotonic() - table.moved_s > STALE_S:
                table.moved_s = time.monotonic()
                self.subscribe()  # a node of a cluster may have lost our subscriptions and not said so
                self.publish(f"{self.base}/{name}/commands/consumer/{self.name}", self.resend(table.handled + 1))

    def publish(self, topic: str, body: str, *, retain: bool = False) -> None:
        """With QoS 1; ``published`` has the answer."""
        self.sent[self.client.publish(topic, body, qos=1, retain=retain).mid] = topic

    def resend(self, first: int) -> str:
        """The command that has everything from ``first`` on sent again."""
        self.commands += 1
        data = {"by": self.name, "role": "consumer", "from": first}
        now = dt.datetime.now(dt.UTC).isoformat()
        command = {"specversion": "1.0", "id": f"{self.run_id}-{self.commands}", "source": f"/{self.name}"}
        return json.dumps({**command, "type": "events.resend", "time": now, "data": data})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="handles every event of a site's tables once, in order")
    parser.add_argument("broker", help="HOST:PORT")
    parser.add_argument("base", help="PREFIX/SITE, dealer/v1/studio-1")
    parser.add_argument("name", help="of this consumer, also its MQTT client id")
    parser.add_argument("database", help="a file of SQLite")
    parser.add_argument("--key", action="append", default=[], help="a station's public key, PEM")
    asked = parser.parse_args()
    host, _, port = asked.broker.rpartition(":")
    Consumer(asked.base, asked.name, sqlite3.connect(asked.database), read_keys(asked.key)).run(host, int(port))

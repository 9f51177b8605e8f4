"""A table's whole MQTT on a real journal, signed or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_daemon.events import Event, EventData
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.commands import Handler
from dealer_daemon.mqtt.envelope import event_signer
from dealer_daemon.mqtt.heads import Signing
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_daemon.mqtt.uplink import Uplink
from dealer_daemon.signing import SigningKey
from support.mqtt_brokers import Broker
from support.mqtt_outbox import START_WALL_NS
from support.mqtt_uplink import TOPICS, no_commands

KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
STRANGER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
SIGNED = Signing(KEY, {KEY.id: KEY.public})
UNSIGNED = Signing()
NOW = "2026-01-01T00:00:00.000000Z"


@contextmanager
def journal_in(folder: Path, signing: Signing = SIGNED, boot: str = "boot-a") -> Iterator[Journal]:
    sign = None if signing.key is None else event_signer(TOPICS.site, signing.key)
    made = Journal.open(folder, boot=boot, sign=sign)
    try:
        yield made
    finally:
        made.close()


def write(journal: Journal, *data: EventData, boot: str = "boot-a") -> None:
    for each in data:
        sequence = journal.last_sequence("r1") + 1
        at = sequence * 1_000_000
        journal.commit(
            [
                Event(
                    table="r1",
                    sequence=sequence,
                    subject="r1-1",
                    wall_ns=START_WALL_NS + at,
                    mono_ns=at,
                    boot=boot,
                    data=each,
                )
            ]
        )


@asynccontextmanager
async def station(
    broker: Broker, journal: Journal, signing: Signing = SIGNED, boot: str = "boot-a", **more: Any
) -> AsyncIterator[Uplink]:
    """``more``: of ``Uplink``, a ``handler`` of commands among it."""
    handler: Handler = more.pop("handler", no_commands)
    settings = BrokerSettings(host="127.0.0.1", port=broker.port, client_id="studio-1-r1", backoff_min_s=0.02)
    uplink = Uplink(
        settings,
        TOPICS,
        journal,
        handler,
        boot=boot,
        version="test",
        since=NOW,
        journal=journal,
        signing=signing,
        now=lambda: NOW,
        **more,
    )
    uplink.start()
    try:
        yield uplink
    finally:
        await uplink.stop(timeout_s=2)


def codes(uplink: Uplink) -> list[str]:
    return [problem.code for problem in uplink.problems]

"""An event that was signed and goes out unsigned is said, once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from structlog.testing import capture_logs

from dealer_daemon.journal import SignedEvent
from dealer_daemon.mqtt.envelope import event_signer
from dealer_daemon.signing import SigningKey, split
from support.mqtt_bench import Make
from support.mqtt_outbox import MemoryOutbox, opened

KEY = SigningKey(Ed25519PrivateKey.generate())


class SignedOutbox(MemoryOutbox):
    """Everything was signed by a station of that site."""

    def __init__(self, site: str) -> None:
        super().__init__()
        self._sign = event_signer(site, KEY)

    def signed_events(self, table: str, after: int, limit: int) -> Iterator[SignedEvent]:
        for found in super().signed_events(table, after, limit):
            yield SignedEvent(found.event, self._sign(found.event))


@pytest.mark.parametrize(("site", "said"), [("studio-1", 0), ("studio-of-before", 1)])
async def test_events_of_another_site_go_out_unsigned_and_it_is_said(make: Make, site: str, said: int) -> None:
    outbox = SignedOutbox(site)
    outbox.commit(opened(), opened(), opened())
    with capture_logs() as logs:
        bench = make(outbox)
        await bench.link.connect()
        await bench.link.ack_all()
    assert bench.sequences == [1, 2, 3]
    bodies = [message.payload for message in bench.link.sent if "/events/" in message.topic]
    assert [split(body) is None for body in bodies] == [bool(said)] * 3
    assert [line["log_level"] for line in logs if line["event"] == "a signed event goes out unsigned"] == [
        "warning"
    ] * said

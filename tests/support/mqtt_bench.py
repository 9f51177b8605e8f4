"""A publisher over a journal in memory and a link in the test's hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.messages import Outgoing
from dealer_daemon.mqtt.publisher import Publisher
from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_link import FakeLink
from support.mqtt_outbox import MemoryOutbox

TOPICS = Topics("dealer/v1", "studio-1", "r1")


class Bench:
    """A publisher over a journal in memory and a link in the test's hand."""

    def __init__(self, outbox: MemoryOutbox | None = None, held: Problem | None = None, **options: Any) -> None:
        self.outbox = outbox or MemoryOutbox()
        self.link = FakeLink()
        self.retained = RetainedTopics(self.link, min_interval_s=0.05)
        self.link.on_connected(lambda *_: self.retained.connected())
        self.link.on_disconnected(lambda *_: self.retained.disconnected())
        self.publisher = Publisher(self.outbox, self.link, TOPICS, self.retained, **options)
        if held is not None:
            self.publisher.hold(held)
        self.publisher.start()

    def close(self) -> None:
        self.publisher.close()
        self.retained.close()

    @property
    def sequences(self) -> list[int]:
        return sequences(self.link.sent)

    def restarted(self, **options: Any) -> Bench:
        """The process ends without a word (nothing is flushed) and a new one starts over the same journal."""
        kept = dict(self.outbox.kept)
        self.close()
        self.outbox.kept = kept
        return Bench(self.outbox, **options)


def sequences(messages: list[Outgoing]) -> list[int]:
    return [json.loads(m.payload)["sequence"] for m in messages if "/events/" in m.topic]


Make = Callable[..., Bench]

"""A table's topics, a link in the test's hand, and the retained topics over it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_bench import Bench, Make
from support.mqtt_link import FakeLink
from support.mqtt_outbox import MemoryOutbox


@pytest.fixture
def topics() -> Topics:
    return Topics("dealer/v1", "studio-1", "r1")


@pytest.fixture
async def link() -> FakeLink:
    return FakeLink()


@pytest.fixture
async def retained(link: FakeLink) -> AsyncIterator[RetainedTopics]:
    made = RetainedTopics(link, min_interval_s=0.05)
    link.on_connected(lambda _session_present, _version: made.connected())
    link.on_disconnected(lambda _reason: made.disconnected())
    yield made
    made.close()


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    made: list[Bench] = []

    def one(outbox: MemoryOutbox | None = None, **options: Any) -> Bench:
        made.append(Bench(outbox, **options))
        return made[-1]

    yield one
    for bench in made:
        bench.close()

"""A table's topics, a link in the test's hand, and the retained topics over it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dealer_daemon.mqtt.retained import RetainedTopics
from dealer_daemon.mqtt.topics import Topics
from support.mqtt_link import FakeLink


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

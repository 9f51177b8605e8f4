"""What the parts of an uplink need of the client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from dealer_daemon.mqtt.messages import Incoming, Outgoing
from dealer_daemon.mqtt.reconnect import MqttVersion


class Publishing(Protocol):
    """What those need of the client (``client.MqttClient``) who only say something."""

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        """See ``MqttClient.publish``."""
        ...


class Link(Publishing, Protocol):
    """What the publisher needs of it."""

    def subscribe(self, topic_filter: str, on_message: Callable[[Incoming], None]) -> None:
        """See ``MqttClient.subscribe``."""
        ...

    def on_connected(self, callback: Callable[[bool, MqttVersion], None]) -> None:
        """See ``MqttClient.on_connected``."""
        ...

    def on_disconnected(self, callback: Callable[[str], None]) -> None:
        """See ``MqttClient.on_disconnected``."""
        ...

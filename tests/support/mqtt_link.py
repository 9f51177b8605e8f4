"""A link to a broker that does nothing by itself, so that a test decides what is acknowledged, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from paho.mqtt.client import topic_matches_sub

from dealer_daemon.mqtt.errors import ConnectionDropped, NotConnected, PublishFailed
from dealer_daemon.mqtt.messages import Incoming, Outgoing
from dealer_daemon.mqtt.reconnect import MqttVersion


@dataclass
class FakeLink:
    """Like ``MqttClient``, with the broker's part in the test's hand."""

    up: bool = False
    sent: list[Outgoing] = field(default_factory=list)
    open: list[tuple[Outgoing, asyncio.Future[None]]] = field(default_factory=list)
    refuse_at_once: int | None = None
    subscriptions: list[tuple[str, Callable[[Incoming], None]]] = field(default_factory=list)
    connected_callbacks: list[Callable[[bool, MqttVersion], None]] = field(default_factory=list)
    disconnected_callbacks: list[Callable[[str], None]] = field(default_factory=list)

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        if not self.up:
            raise NotConnected("not connected")
        if self.refuse_at_once is not None:
            raise PublishFailed(self.refuse_at_once, "too large")
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sent.append(message)
        self.open.append((message, future))
        return future

    def subscribe(self, topic_filter: str, on_message: Callable[[Incoming], None]) -> None:
        self.subscriptions.append((topic_filter, on_message))

    def on_connected(self, callback: Callable[[bool, MqttVersion], None]) -> None:
        self.connected_callbacks.append(callback)

    def on_disconnected(self, callback: Callable[[str], None]) -> None:
        self.disconnected_callbacks.append(callback)

    async def connect(self, session_present: bool = True) -> None:
        self.up = True
        for callback in self.connected_callbacks:
            callback(session_present, MqttVersion.V5)
        await settle()

    async def drop(self) -> None:
        """The connection breaks: everything unacknowledged fails, then everybody is told."""
        self.up = False
        taken, self.open = self.open, []
        for _, future in taken:
            future.set_exception(ConnectionDropped("gone"))
        await settle()
        for callback in self.disconnected_callbacks:
            callback("gone")
        await settle()

    async def ack(self, count: int | None = None, *, code: int = 0, last_first: bool = False) -> list[Outgoing]:
        """Answers the oldest ``count`` open messages, or all."""
        taken = self.open[: len(self.open) if count is None else count]
        self.open = self.open[len(taken) :]
        for _, future in reversed(taken) if last_first else taken:
            if code:
                future.set_exception(PublishFailed(code, "not authorized"))
            else:
                future.set_result(None)
            await settle()
        return [message for message, _ in taken]

    async def ack_all(self) -> None:
        """Answers until nothing more comes."""
        while self.open:
            await self.ack()

    async def deliver(self, topic: str, payload: bytes, **more: object) -> None:
        message = Incoming(topic, payload, **more)  # type: ignore[arg-type]
        for topic_filter, on_message in self.subscriptions:
            if topic_matches_sub(topic_filter, topic):
                on_message(message)
        await settle()


async def settle() -> None:
    """Lets the loop do all that is due now; no time passes."""
    for _ in range(6):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool], timeout_s: float = 10) -> None:
    """Waits until the condition holds."""
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.005)

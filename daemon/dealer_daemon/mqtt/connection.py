"""One connection to the broker: paho-mqtt's protocol state, driven by the asyncio loop, used once and thrown away.

paho keeps unacknowledged messages in memory and sends them again by itself. Here every connection has a paho client
of its own, so that nothing survives a connection: what was not acknowledged fails with ``ConnectionDropped``, and the
publisher sends it again from the journal.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from dealer_daemon.mqtt.errors import ConnectFailed, ConnectionDropped, Ending, NotConnected, PublishFailed
from dealer_daemon.mqtt.messages import Incoming, Outgoing, Will
from dealer_daemon.mqtt.paho_client import (
    Limits,
    connect_blocking,
    incoming,
    limits_of,
    new_client,
    publish_properties,
    refusal_of,
)
from dealer_daemon.mqtt.reconnect import MqttVersion
from dealer_daemon.mqtt.settings import BrokerSettings
from dealer_drivers.transports.paho_loop import PahoLoop

MISC_INTERVAL_S = 1.0
"""How often keep-alive and overdue acknowledgements are looked at."""
CLOSE_TIMEOUT_S = 2.0
"""For DISCONNECT to leave the socket's buffer."""

SESSION_TAKEN_OVER = 0x8E
PACKET_TOO_LARGE = 0x95


@dataclass(frozen=True, slots=True)
class Closing:
    """How a session ended."""

    ending: Ending
    detail: str


class Owner(Protocol):
    """Who a connection belongs to. Called within paho's own callbacks: must neither block nor raise."""

    def opened(self, connection: Connection, session_present: bool) -> None:
        """The broker accepted us. Before any message of this session is delivered."""
        ...

    def received(self, message: Incoming) -> None:
        """A message came."""
        ...

    def subscription_refused(self, topic_filter: str, reason: str) -> None:
        """The broker refused one of our subscriptions."""
        ...


@dataclass(slots=True)
class _Pending:
    future: asyncio.Future[None]
    since_s: float


class Connection:
    """One attempt, and the session that may come of it."""

    def __init__(self, settings: BrokerSettings, version: MqttVersion, will: Will | None, owner: Owner) -> None:
        self.version = version
        self.limits = Limits()
        self._settings = settings
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._opening: asyncio.Future[None] = self._loop.create_future()
        self.closed: asyncio.Future[Closing] = self._loop.create_future()
        self._up = False
        self._pending: dict[int, _Pending] = {}
        self._waiting: deque[tuple[Outgoing, asyncio.Future[None]]] = deque()
        self._subscribing: dict[int, tuple[list[str], float]] = {}
        self._paho = new_client(settings, version, will)
        self._wire = PahoLoop(self._paho, misc=self._misc, failed=self._failed)
        self._paho.on_connect = self._on_connect
        self._paho.on_disconnect = self._on_disconnect
        self._paho.on_message = self._on_message
        self._paho.on_publish = self._on_publish
        self._paho.on_subscribe = self._on_subscribe

    # -- opening and closing -------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connects and waits for the broker's word. Raises ``ConnectFailed``."""
        await self._wire.connect(lambda: connect_blocking(self._paho, self._settings, self.version))
        if not self._wire.attach():  # CONNECT could not even be written
            raise ConnectFailed(Ending.NO_ANSWER, "the broker closed the connection at once")
        try:
            async with asyncio.timeout(self._settings.connack_timeout_s):
                await self._opening
        except TimeoutError:
            self._wire.dispose()
            raise ConnectFailed(
                Ending.NO_ANSWER,
                f"the port is open and CONNECT (MQTT {self.version}) stayed unanswered for "
                f"{self._settings.connack_timeout_s:g} s: an older broker, a frozen one, or none at all",
            ) from None
        except (ConnectFailed, asyncio.CancelledError):
            self._wire.dispose()
            raise

    async def close(self) -> None:
        """Says goodbye (no will is published) and closes. What is unacknowledged is dropped: wait for it before."""
        self._up = False
        if not self.closed.done() and self._wire.attached:
            self._paho.disconnect()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await asyncio.shield(self.closed)
        self.abort(Closing(Ending.LOST, "closed by us"))

    def abort(self, closing: Closing) -> None:
        """Closes without a goodbye: the broker will publish our will. Nothing happens if it is closed already."""
        self._wire.dispose()
        self._finish(closing)

    # -- sending -------------------------------------------------------------------------------------------------

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        """Sends a message with QoS 1, in order of the calls, as the window allows.

        The future is done at the broker's acknowledgement, or fails with ``PublishFailed`` or
        ``ConnectionDropped``. Raises ``NotConnected``, and ``PublishFailed`` when the broker could not take it.
        """
        if not self._up:
            raise NotConnected("not connected to the broker")
        size = len(message.payload) + len(message.topic.encode()) + len(message.correlation or b"") + 512
        if size > self.limits.max_packet_bytes:
            raise PublishFailed(PACKET_TOO_LARGE, f"{size} bytes, the broker takes {self.limits.max_packet_bytes}")
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((message, future))
        self._send_waiting()
        return future

    def subscribe(self, filters: Sequence[str], keep_retained_mark: Collection[str] = ()) -> None:
        """Subscribes with QoS 1. A refusal comes to the owner. ``keep_retained_mark``: those of them on which a message
        that was published as retained stays marked (MQTT 5)."""
        if not self._up or not filters:
            return
        if self.version is MqttVersion.V5:
            options = [
                (name, SubscribeOptions(qos=1, retainAsPublished=name in keep_retained_mark)) for name in filters
            ]
            code, mid = self._paho.subscribe(options)
        else:
            code, mid = self._paho.subscribe([(name, 1) for name in filters])
        if code is MQTTErrorCode.MQTT_ERR_SUCCESS and mid is not None:
            self._subscribing[mid] = (list(filters), self._loop.time())

    def _send_waiting(self) -> None:
        window = min(self._settings.window, self.limits.receive_maximum)
        while self._waiting and len(self._pending) < window:
            message, future = self._waiting.popleft()
            info = self._paho.publish(
                message.topic,
                message.payload,
                qos=1,
                retain=message.retain,
                properties=publish_properties(message) if self.version is MqttVersion.V5 else None,
            )
            if info.rc is not MQTTErrorCode.MQTT_ERR_SUCCESS:
                _fail(future, ConnectionDropped(f"the message could not be sent: {paho.error_string(info.rc)}"))
                continue
            self._pending[info.mid] = _Pending(future, self._loop.time())

    # -- paho and the loop ---------------------------------------------------------------------------------------

    def _misc(self) -> float | None:
        if (overdue_s := self._overdue_s()) is not None:
            self.abort(Closing(Ending.LOST, f"the broker acknowledged nothing for {overdue_s:.1f} s"))
            return None
        return min(MISC_INTERVAL_S, self._settings.ack_timeout_s / 4)

    def _failed(self) -> None:
        self.abort(Closing(Ending.LOST, "an internal error ended the connection; see the log"))

    def _overdue_s(self) -> float | None:
        """How long the oldest unanswered message or subscription has waited, if that is too long."""
        since = [pending.since_s for pending in self._pending.values()]
        since += [since_s for _, since_s in self._subscribing.values()]
        if not since:
            return None
        waited_s = self._loop.time() - min(since)
        return waited_s if waited_s >= self._settings.ack_timeout_s else None

    def _finish(self, closing: Closing) -> None:
        self._up = False
        if not self._opening.done():
            self._opening.set_exception(ConnectFailed(Ending.NO_ANSWER, closing.detail))
            self._opening.exception()
        if self.closed.done():
            return
        self.closed.set_result(closing)
        for pending in self._pending.values():
            _fail(pending.future, ConnectionDropped(closing.detail))
        for _, future in self._waiting:
            _fail(future, ConnectionDropped(closing.detail))
        self._pending.clear()
        self._waiting.clear()
        self._subscribing.clear()

    # -- paho's callbacks ----------------------------------------------------------------------------------------

    def _on_connect(
        self,
        _client: paho.Client,
        _data: Any,
        flags: paho.ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if self._opening.done():
            return
        if reason.is_failure:
            self._opening.set_exception(refusal_of(reason.value, str(reason)))
            return
        self.limits = limits_of(properties)
        if lacking := self.limits.lacking():
            self._opening.set_exception(ConnectFailed(Ending.REFUSED, lacking))
            return
        self._up = True
        self._opening.set_result(None)
        self._owner.opened(self, flags.session_present)

    def _on_disconnect(
        self,
        _client: paho.Client,
        _data: Any,
        flags: paho.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if flags.is_disconnect_packet_from_server and reason.value == SESSION_TAKEN_OVER:
            closing = Closing(Ending.TAKEN_OVER, "another client connected with our client id")
        elif flags.is_disconnect_packet_from_server:
            closing = Closing(Ending.SENT_AWAY, f"the broker ended the session: {reason}")
        else:
            closing = Closing(Ending.LOST, f"the connection broke: {reason}")
        self._finish(closing)

    def _on_message(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        received = incoming(message)
        if received is None:
            return
        if not received.topic:
            # Passed over, it would be a command that is acknowledged and never answered. Not closed from within paho.
            closing = Closing(Ending.LOST, "the broker sent a message by a topic alias, of which we allowed none")
            self._loop.call_soon(self.abort, closing)
            return
        self._owner.received(received)

    def _on_publish(
        self, _client: paho.Client, _data: Any, mid: int, reason: ReasonCode, _properties: Properties
    ) -> None:
        pending = self._pending.pop(mid, None)
        if pending is None:
            return
        if reason.is_failure:
            _fail(pending.future, PublishFailed(reason.value, str(reason)))
        elif not pending.future.done():
            pending.future.set_result(None)
        # Not from here: paho still counts this message until its callback returns.
        self._loop.call_soon(self._send_waiting_if_up)

    def _on_subscribe(
        self,
        _client: paho.Client,
        _data: Any,
        mid: int,
        reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        filters, _ = self._subscribing.pop(mid, ([], 0.0))
        for topic_filter, reason in zip(filters, reasons, strict=False):
            if reason.is_failure:
                self._owner.subscription_refused(topic_filter, str(reason))

    def _send_waiting_if_up(self) -> None:
        if self._up:
            self._send_waiting()


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    """Fails a future that its owner may have stopped waiting for, without a warning if so."""
    if not future.done():
        future.set_exception(error)
        future.exception()

"""One connection to the broker: paho-mqtt's protocol state, driven by the asyncio loop, used once and thrown away.

paho keeps unacknowledged messages in memory and sends them again by itself. Here every connection has a paho client
of its own, so that nothing survives a connection: what was not acknowledged fails with ``ConnectionDropped``, and the
publisher sends it again from the journal.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
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

MISC_INTERVAL_S = 1.0
"""How often keep-alive and overdue acknowledgements are looked at."""
CLOSE_TIMEOUT_S = 2.0
"""For DISCONNECT to leave the socket's buffer."""
READS_PER_TURN = 64
"""Bursts handled before the loop's other work has its turn."""

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
        self._sock: socket.socket | None = None
        self._misc_timer: asyncio.TimerHandle | None = None
        self._paho = new_client(settings, version, will)
        self._paho.on_connect = self._on_connect
        self._paho.on_disconnect = self._on_disconnect
        self._paho.on_message = self._on_message
        self._paho.on_publish = self._on_publish
        self._paho.on_subscribe = self._on_subscribe

    # -- opening and closing -------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connects and waits for the broker's word. Raises ``ConnectFailed``.

        The TCP and TLS part blocks in paho, so it runs in a thread; all the rest happens on the loop. The thread
        is made for it and ends with it: the loop's own pool would keep a stop waiting for a host without an answer.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="mqtt-connect")
        connecting = self._loop.run_in_executor(thread, connect_blocking, self._paho, self._settings, self.version)
        thread.shutdown(wait=False)
        try:
            await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(self._abandon)
            raise
        self._attach()
        try:
            async with asyncio.timeout(self._settings.connack_timeout_s):
                await self._opening
        except TimeoutError:
            self._dispose()
            raise ConnectFailed(
                Ending.NO_ANSWER,
                f"the port is open and CONNECT (MQTT {self.version}) stayed unanswered for "
                f"{self._settings.connack_timeout_s:g} s: an older broker, a frozen one, or none at all",
            ) from None
        except (ConnectFailed, asyncio.CancelledError):
            self._dispose()
            raise

    def _abandon(self, connecting: asyncio.Future[None]) -> None:
        """Nobody waits any more for the thread that was connecting: close what it opened."""
        if not connecting.cancelled():
            connecting.exception()
        self._dispose()

    async def close(self) -> None:
        """Says goodbye (no will is published) and closes. What is unacknowledged is dropped: wait for it before."""
        self._up = False
        if not self.closed.done() and self._sock is not None:
            self._paho.disconnect()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await asyncio.shield(self.closed)
        self.abort(Closing(Ending.LOST, "closed by us"))

    def abort(self, closing: Closing) -> None:
        """Closes without a goodbye: the broker will publish our will. Nothing happens if it is closed already."""
        self._dispose()
        self._finish(closing)

    # -- sending -------------------------------------------------------------------------------------------------

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        """Sends a message with QoS 1, in order of the calls, as the window allows.

        The future is done at the broker's acknowledgement, or fails with ``PublishFailed`` or
        ``ConnectionDropped``. Raises ``NotConnected``, and ``PublishFailed`` when the broker could not take it.
        """
        if not self._up:
            raise NotConnected("not connected to the broker")
        size = len(message.payload) + len(message.topic.encode()) + 512
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

    def _attach(self) -> None:
        """Hands the connected socket to the loop. paho's socket callbacks are set only now: before, they would
        have been called in the connecting thread."""
        sock = self._paho.socket()
        if sock is None:  # CONNECT could not even be written
            raise ConnectFailed(Ending.NO_ANSWER, "the broker closed the connection at once")
        assert isinstance(sock, socket.socket)
        self._sock = sock
        self._paho.on_socket_close = self._on_socket_close
        self._paho.on_socket_register_write = self._on_want_write
        self._paho.on_socket_unregister_write = self._on_all_written
        self._loop.add_reader(sock, self._readable)
        if self._paho.want_write():
            self._loop.add_writer(sock, self._writable)
        self._misc()

    def _readable(self) -> None:
        # TLS may hold decrypted bytes that no selector reports: read until it has none.
        for _ in range(READS_PER_TURN):
            if self._sock is None:
                return
            self._drive(self._paho.loop_read)
            if not isinstance(self._sock, ssl.SSLSocket) or not self._sock.pending():
                return
        self._loop.call_soon(self._readable)

    def _writable(self) -> None:
        # Read first: a broker that closes says why, and a write that fails would hide it.
        self._drive(self._paho.loop_read)
        if self._sock is not None:
            self._drive(self._paho.loop_write)

    def _misc(self) -> None:
        self._drive(self._paho.loop_misc)
        if self._sock is None:
            return
        if (overdue_s := self._overdue_s()) is not None:
            self.abort(Closing(Ending.LOST, f"the broker acknowledged nothing for {overdue_s:.1f} s"))
            return
        interval_s = min(MISC_INTERVAL_S, self._settings.ack_timeout_s / 4)
        self._misc_timer = self._loop.call_later(interval_s, self._misc)

    def _drive(self, step: Callable[[], MQTTErrorCode]) -> None:
        """One step of paho. An exception out of it goes on to the loop's handler, but never leaves a connection
        standing that nobody reads (``devices.md`` §7)."""
        done = False
        try:
            step()
            done = True
        finally:
            if not done:
                self.abort(Closing(Ending.LOST, "an internal error ended the connection; see the log"))

    def _overdue_s(self) -> float | None:
        """How long the oldest unanswered message or subscription has waited, if that is too long."""
        since = [pending.since_s for pending in self._pending.values()]
        since += [since_s for _, since_s in self._subscribing.values()]
        if not since:
            return None
        waited_s = self._loop.time() - min(since)
        return waited_s if waited_s >= self._settings.ack_timeout_s else None

    def _dispose(self) -> None:
        """Takes the socket off the loop and closes it. paho is not told: this connection is never used again."""
        if self._misc_timer is not None:
            self._misc_timer.cancel()
            self._misc_timer = None
        sock = self._sock if self._sock is not None else self._paho.socket()
        self._sock = None
        self._paho.on_socket_close = None
        self._paho.on_socket_register_write = None
        self._paho.on_socket_unregister_write = None
        if isinstance(sock, socket.socket) and sock.fileno() >= 0:
            self._loop.remove_reader(sock)
            self._loop.remove_writer(sock)
            sock.close()

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

    def _on_socket_close(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._sock = None
        self._loop.remove_reader(sock)
        self._loop.remove_writer(sock)

    def _on_want_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._loop.add_writer(sock, self._writable)

    def _on_all_written(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._loop.remove_writer(sock)

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
            closing = Closing(Ending.LOST, f"the broker ended the session: {reason}")
        else:
            closing = Closing(Ending.LOST, f"the connection broke: {reason}")
        self._finish(closing)

    def _on_message(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        if (received := incoming(message)) is not None:
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

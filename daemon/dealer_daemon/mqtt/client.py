"""The link to the broker: connects, stays connected, and says clearly when it cannot."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

import structlog
from paho.mqtt.client import topic_matches_sub

from dealer_daemon.mqtt.connection import Closing, Connection
from dealer_daemon.mqtt.errors import ConnectFailed, Contested, Ending, NotConnected, Problem
from dealer_daemon.mqtt.messages import Incoming, Outgoing, Will
from dealer_daemon.mqtt.reconnect import MqttVersion, Next, ReconnectPolicy
from dealer_daemon.mqtt.settings import BrokerSettings

JITTER = 0.2
"""Waits vary by this much, so that a studio's tables do not all come back in the same instant."""

TAKEN_OVER = "mqtt_taken_over"
"""The problem of a client id used twice."""

OnMessage = Callable[[Incoming], None]
OnConnected = Callable[[bool, MqttVersion], None]
OnDisconnected = Callable[[str], None]
OnProblem = Callable[[Problem | None], None]
Look = Callable[[BrokerSettings, MqttVersion], Awaitable[None]]
"""Whether this client may connect to a node (``Scout.look``)."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """How the link stands, for the screen and ``status``."""

    connected: bool
    version: MqttVersion | None
    """The protocol in use; ``None`` while not connected."""
    problem: Problem | None


class MqttClient:
    """One table's session with the broker, on the running loop.

    Callbacks run on the loop, in the order in which things happened; one that raises is reported by the loop's
    exception handler and stops nothing else. Register them before ``start``.
    """

    def __init__(self, settings: BrokerSettings, will: Will | None = None, look: Look | None = None) -> None:
        """``look`` is asked before every connection, and may raise ``ConnectFailed``, or ``Contested``: then there is
        none any more."""
        self.settings = settings
        self._look = look
        self._will = will
        self._log = structlog.get_logger().bind(client_id=settings.client_id)
        self._policy = ReconnectPolicy(
            settings.protocol, settings.backoff_min_s, settings.backoff_max_s, settings.refused_wait_s
        )
        self._nodes = settings.nodes()
        self._node = 0
        self._session_at: int | None = 0 if len(self._nodes) == 1 else None
        """The node of the newest session; unknown after a start, where there are several."""
        self._connection: Connection | None = None
        self.acknowledged: Callable[[float], None] = lambda _seconds: None
        """Told of each message that the broker acknowledged, how long that took."""
        self._subscriptions: list[tuple[str, OnMessage]] = []
        self._marked: set[str] = set()
        self._on_connected: list[OnConnected] = []
        self._on_disconnected: list[OnDisconnected] = []
        self._on_problem: list[OnProblem] = []
        self._on_subscription_refused: list[Callable[[str], None]] = []
        self._problem: Problem | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._all_clear: asyncio.TimerHandle | None = None

    # -- what others hang on ------------------------------------------------------------------------------------

    def subscribe(self, topic_filter: str, on_message: OnMessage, *, keep_retained_mark: bool = False) -> None:
        """Subscribes with QoS 1, now and after every connect; ``on_message`` gets what matches the filter.

        ``keep_retained_mark``: what was published as retained says so even when it comes as news, or late from the
        broker's queue (MQTT 5 only).
        """
        if keep_retained_mark:
            self._marked.add(topic_filter)
        known = {known_filter for known_filter, _ in self._subscriptions}
        self._subscriptions.append((topic_filter, on_message))
        if self._connection is not None and topic_filter not in known:
            self._connection.subscribe([topic_filter], self._marked)

    def on_connected(self, callback: OnConnected) -> None:
        """``callback(session_present, version)`` after each connect; the subscriptions are under way by then.

        After a change of nodes ``session_present`` is false, whatever the node says.
        """
        self._on_connected.append(callback)

    def on_disconnected(self, callback: OnDisconnected) -> None:
        """``callback(reason)`` after each loss of the session; every unacknowledged message has failed by then."""
        self._on_disconnected.append(callback)

    def on_problem(self, callback: OnProblem) -> None:
        """``callback(problem)`` when what keeps us from the broker changes; ``None`` when it is over."""
        self._on_problem.append(callback)

    def on_subscription_refused(self, callback: Callable[[str], None]) -> None:
        """``callback(topic_filter)`` when the broker refused one of our subscriptions."""
        self._on_subscription_refused.append(callback)

    @property
    def status(self) -> LinkStatus:
        """How the link stands now."""
        connection = self._connection
        return LinkStatus(connection is not None, connection.version if connection else None, self._problem)

    def publish(self, message: Outgoing) -> asyncio.Future[None]:
        """Publishes with QoS 1, in the order of the calls; done when the broker acknowledged it.

        Raises ``NotConnected`` at once; the future fails with ``ConnectionDropped`` or ``PublishFailed``.
        Nothing is kept for later: who publishes, publishes again after the next connect.
        """
        if self._connection is None:
            raise NotConnected("not connected to the broker")
        answer = self._connection.publish(message)
        answer.add_done_callback(functools.partial(self._answered, asyncio.get_running_loop().time()))
        return answer

    def _answered(self, sent_s: float, answer: asyncio.Future[None]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.acknowledged(asyncio.get_running_loop().time() - sent_s)

    def renew(self, reason: str) -> None:
        """Breaks the session off and makes it anew, at the next node where there are several; nothing while there is
        none."""
        if self._connection is not None:
            self._connection.abort(Closing(Ending.LOST, reason))

    def renew_credentials(self, settings: BrokerSettings) -> None:
        """Shows the user name, password and certificates of ``settings`` from the next connection on."""
        names = ("username", "password_file", "ca_file", "cert_file", "key_file")
        self.settings = replace(self.settings, **{name: getattr(settings, name) for name in names})
        self._nodes = self.settings.nodes()

    # -- life ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begins to connect, for ever, in a task of its own."""
        if self._task is not None:
            raise RuntimeError("the client is started already")
        self._task = asyncio.create_task(self._run(), name=f"mqtt {self.settings.client_id}")
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Disconnects properly and ends. What is unacknowledged is dropped, so wait for it before."""
        if self._task is None:
            return
        self._stopping = True
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
            self._tell(self._on_disconnected, "stopped")
        self._task.cancel()
        await asyncio.wait({self._task})
        self._cancel_all_clear()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("mqtt stopped by an internal error", exc_info=error)
            self._set_problem(Problem("mqtt_internal", f"the broker link stopped ({error!r}); restart the daemon"))

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            node, version = self._nodes[self._node], self._policy.version
            connection = Connection(node, version, self._will, self)
            try:
                if self._look is not None:
                    await self._look(node, version)
                await connection.open()
            except Contested as contested:
                self._set_problem(contested.problem)
                return
            except ConnectFailed as failure:
                following = self._policy.failed(failure.ending)
                if following.wait_s > 0:
                    self._set_problem(Problem(f"mqtt_{failure.ending}", failure.detail))
                else:
                    self._log.info("mqtt version not answered", version=str(connection.version), detail=failure.detail)
            else:
                since_s = loop.time()
                try:
                    closing = await asyncio.shield(connection.closed)
                except asyncio.CancelledError:
                    connection.abort(Closing(Ending.LOST, "stopped"))
                    raise
                if self._stopping:
                    return
                following = self._policy.ended(closing.ending, loop.time() - since_s)
                self._went_down(closing, following)
            if following.wait_s > 0:  # without a wait the same node is asked in the other version
                self._node = (self._node + 1) % len(self._nodes)
            await asyncio.sleep(following.wait_s * random.uniform(1 - JITTER, 1 + JITTER))

    def _went_down(self, closing: Closing, following: Next) -> None:
        self._connection = None
        self._cancel_all_clear()
        self._log.warning("mqtt session lost", reason=closing.detail)
        if following.kicked:
            detail = (
                f"{closing.detail}; if this repeats, a second station uses client id {self.settings.client_id!r}: "
                "give every table of every station its own site and table name, or stop the other one"
            )
            if closing.ending is not Ending.TAKEN_OVER:
                detail += "; or the broker cannot take one of our messages: its log says which"
            self._set_problem(Problem(TAKEN_OVER, detail))
        else:
            self._set_problem(Problem("mqtt_lost", closing.detail))
        self._tell(self._on_disconnected, closing.detail)

    def _set_problem(self, problem: Problem | None) -> None:
        if problem == self._problem:
            return
        self._problem = problem
        if problem is not None:
            self._log.warning("mqtt problem", problem=problem.code, detail=problem.detail)
        self._tell(self._on_problem, problem)

    def _tell(self, callbacks: Iterable[Callable[..., None]], *arguments: object) -> None:
        loop = asyncio.get_running_loop()
        for callback in callbacks:
            loop.call_soon(callback, *arguments)

    def _cancel_all_clear(self) -> None:
        if self._all_clear is not None:
            self._all_clear.cancel()
            self._all_clear = None

    # -- from the connection, within paho's callbacks: only take note ---------------------------------------------

    def opened(self, connection: Connection, session_present: bool) -> None:
        """Part of ``connection.Owner``."""
        self._policy.connected()
        self._connection = connection
        # What a node that was lost had acknowledged may have died with it, and this one cannot know: its word for our
        # session counts only where the last session was its own.
        session_present = session_present and self._node == self._session_at
        self._session_at = self._node
        node = self._nodes[self._node]
        self._log.info(
            "mqtt connected",
            broker=f"{node.host}:{node.port}",
            version=str(connection.version),
            session_present=session_present,
        )
        if self._problem is not None and self._problem.code == TAKEN_OVER:
            # We have kicked the other one in our turn: it will be back.
            wait_s = 2 * self.settings.refused_wait_s
            self._all_clear = asyncio.get_running_loop().call_later(wait_s, self._set_problem, None)
        else:
            self._set_problem(None)
        filters = list(dict.fromkeys(topic_filter for topic_filter, _ in self._subscriptions))
        connection.subscribe(filters, self._marked)
        self._tell(self._on_connected, session_present, connection.version)

    def received(self, message: Incoming) -> None:
        """Part of ``connection.Owner``."""
        for topic_filter, on_message in self._subscriptions:
            if topic_matches_sub(topic_filter, message.topic):
                self._tell([on_message], message)

    def subscription_refused(self, topic_filter: str, reason: str) -> None:
        """Part of ``connection.Owner``."""
        detail = f"the broker refuses the subscription {topic_filter!r}: {reason}; allow it in the broker's access list"
        self._set_problem(Problem("mqtt_subscription_refused", detail))
        self._tell(self._on_subscription_refused, topic_filter)

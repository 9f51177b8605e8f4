"""Retained topics: one value each, the newest wins, published again after every connect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from dealer_daemon.mqtt.errors import MqttError, NotConnected, Problem, PublishFailed
from dealer_daemon.mqtt.link import Publishing
from dealer_daemon.mqtt.messages import JSON, Outgoing

MIN_INTERVAL_S = 1.0
"""Between two values of one topic that are not urgent."""
GOODBYE_TIMEOUT_S = 2.0
RETRY_S = 5.0
"""After the broker refused a value."""


@dataclass(slots=True)
class _Slot:
    payload: bytes
    content_type: str
    always: bool = False
    dirty: bool = True
    in_flight: bool = False
    not_before_s: float = 0.0
    timer: asyncio.TimerHandle | None = None


class RetainedTopics:
    """Keeps the broker's copy of a few topics equal to ours, at most one message a topic under way.

    Values set while another is under way, or faster than ``min_interval_s`` and not urgent, are coalesced:
    only the newest is sent.
    """

    def __init__(self, client: Publishing, min_interval_s: float = MIN_INTERVAL_S) -> None:
        self._client = client
        self._min_interval_s = min_interval_s
        self._loop = asyncio.get_running_loop()
        self._log = structlog.get_logger()
        self._slots: dict[str, _Slot] = {}
        self._refused: dict[str, Problem] = {}
        self._connected = False
        self._shut = False
        self._on_settled: Callable[[], None] | None = None

    def set(
        self, topic: str, payload: bytes, *, urgent: bool = True, content_type: str = JSON, always: bool = False
    ) -> None:
        """Makes ``payload`` the topic's value. An equal value that the broker has already is not sent again.

        ``always``: it is sent while the topics are shut, too.
        """
        slot = self._slots.get(topic)
        if slot is None:
            slot = self._slots[topic] = _Slot(payload, content_type, always)
        elif slot.payload == payload:
            if slot.dirty and urgent:
                slot.not_before_s = 0.0
                self._pump(topic)
            return
        slot.payload, slot.dirty = payload, True
        if urgent:
            slot.not_before_s = 0.0
        self._pump(topic)

    def repeat(self, topic: str) -> None:
        """Sends the topic's value once more, not faster than the interval: somebody overwrote it."""
        slot = self._slots.get(topic)
        if slot is not None:
            slot.dirty = True
            self._pump(topic)

    def forget(self, topic: str) -> None:
        """Keeps the topic no longer; what the broker has stays there."""
        slot = self._slots.pop(topic, None)
        self._refused.pop(topic, None)
        if slot is not None and slot.timer is not None:
            slot.timer.cancel()

    async def leave(self, topic: str, payload: bytes, what: str) -> None:
        """Makes ``payload`` the topic's last word, and keeps the topic no longer. What the broker does not take within
        ``GOODBYE_TIMEOUT_S`` is logged as ``what`` that was not delivered."""
        self.forget(topic)
        try:
            async with asyncio.timeout(GOODBYE_TIMEOUT_S):
                await self._client.publish(Outgoing(topic, payload, retain=True))
        except (MqttError, TimeoutError) as error:
            self._log.info(f"{what} not delivered", topic=topic, detail=str(error) or "no acknowledgement")

    def shut(self) -> None:
        """Sends nothing from now on but what is for ``always``: another's word may stand there."""
        self._shut = True

    def open(self) -> None:
        """Sends all again that waited."""
        if self._shut:
            self._shut = False
            for topic in self._slots:
                self._pump(topic)

    def connected(self) -> None:
        """A session began: all values are sent, for the broker may have lost what it had."""
        self._connected = True
        for topic, slot in self._slots.items():
            slot.not_before_s = 0.0
            self._pump(topic)

    def disconnected(self) -> None:
        """Nothing can be sent until ``connected``, and everything must be then."""
        self._connected = False
        for slot in self._slots.values():
            slot.dirty, slot.in_flight = True, False
        self._settled()

    @property
    def settled(self) -> bool:
        """Whether nothing is under way or could be sent now."""
        now_s = self._loop.time()
        return not self._connected or not any(
            slot.in_flight or (slot.dirty and slot.not_before_s <= now_s and (slot.always or not self._shut))
            for slot in self._slots.values()
        )

    def on_settled(self, callback: Callable[[], None]) -> None:
        """``callback()`` whenever a value was acknowledged, refused or dropped."""
        self._on_settled = callback

    @property
    def problems(self) -> list[Problem]:
        """The topics that the broker does not take from us."""
        return list(self._refused.values())

    def close(self) -> None:
        """Ends all waiting."""
        for topic in list(self._slots):
            self.forget(topic)

    def _pump(self, topic: str) -> None:
        slot = self._slots.get(topic)
        if slot is None or not self._connected or slot.in_flight or not slot.dirty:
            return
        if self._shut and not slot.always:
            return
        if slot.timer is not None:
            slot.timer.cancel()
            slot.timer = None
        now_s = self._loop.time()
        if slot.not_before_s > now_s:
            slot.timer = self._loop.call_at(slot.not_before_s, self._pump, topic)
            return
        slot.dirty, slot.in_flight = False, True
        slot.not_before_s = now_s + self._min_interval_s
        try:
            message = Outgoing(topic, slot.payload, retain=True, content_type=slot.content_type)
            future = self._client.publish(message)
        except NotConnected:
            slot.dirty, slot.in_flight = True, False
        except PublishFailed as failure:
            slot.in_flight = False
            self._refuse(topic, slot, failure)
        else:
            future.add_done_callback(lambda done: self._answered(topic, slot, done))

    def _answered(self, topic: str, slot: _Slot, done: asyncio.Future[None]) -> None:
        error = done.exception()
        if self._slots.get(topic) is slot:
            if error is None:
                slot.in_flight = False
                self._refused.pop(topic, None)
                self._pump(topic)
            elif isinstance(error, PublishFailed):
                slot.in_flight = False
                self._refuse(topic, slot, error)
            # Otherwise the connection dropped: ``disconnected`` and ``connected`` follow.
        self._settled()

    def _refuse(self, topic: str, slot: _Slot, failure: PublishFailed) -> None:
        problem = Problem("mqtt_retained_refused", f"{topic}: {failure}; allow it in the broker's access list")
        if self._refused.get(topic) != problem:
            self._log.warning("mqtt retained value refused", topic=topic, detail=str(failure))
        self._refused[topic] = problem
        slot.dirty = True
        slot.not_before_s = self._loop.time() + RETRY_S
        self._pump(topic)

    def _settled(self) -> None:
        if self._on_settled is not None:
            self._on_settled()

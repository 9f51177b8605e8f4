"""Somebody else at the broker: a plain paho client of either version, that publishes, reads and is refused."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

V5, V311 = MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311
_names = itertools.count(1)


class Person:
    """See the module. An asynchronous context: connected within, gone after it."""

    def __init__(
        self,
        port: int,
        *topics: str,
        user: str | None = None,
        password: str = "",
        version: MQTTProtocolVersion = V5,
        prepare: Callable[[paho.Client], None] = lambda _client: None,
    ) -> None:
        name = f"{user or 'somebody'}-{next(_names)}"
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=version)
        if user is not None:
            self._client.username_pw_set(user, password)
        prepare(self._client)
        self._client.on_connect = lambda _c, _d, _f, reason, _p: self._connected.set_result(reason)
        self._client.on_message = lambda _c, _d, message: self.messages.append(message)
        self._client.on_publish = lambda _c, _d, mid, reason, _p: self._published.__setitem__(mid, reason)
        self._client.on_subscribe = lambda _c, _d, mid, reasons, _p: self._subscribed.__setitem__(mid, reasons)
        self._port, self._topics = port, topics
        self.messages: list[paho.MQTTMessage] = []
        self._published: dict[int, Any] = {}
        self._subscribed: dict[int, Any] = {}

    async def __aenter__(self) -> Self:
        self._connected: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._client.connect("127.0.0.1", self._port)
        self._task = asyncio.create_task(self._run(), name="person")
        async with asyncio.timeout(10):
            reason = await self._connected
        if reason.is_failure:
            await self.__aexit__()
            raise PermissionError(str(reason))
        for topic in self._topics:
            assert not await self.subscribe(topic), f"{topic} was refused"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop(0)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        while True:
            self._client.loop(0)
            await asyncio.sleep(0.002)

    async def publish(self, topic: str, body: bytes, *, retain: bool = False) -> bool:
        """Publishes with QoS 1 and waits for the acknowledgement; whether that says no (MQTT 5 alone can)."""
        sent = self._client.publish(topic, body, qos=1, retain=retain)
        reason = await self._answer(self._published, sent.mid)
        return bool(reason.is_failure)

    async def subscribe(self, topic_filter: str) -> bool:
        """Subscribes and waits for the answer; whether it was refused."""
        _, mid = self._client.subscribe(topic_filter, qos=1)
        assert mid is not None
        reasons = await self._answer(self._subscribed, mid)
        return any(reason.is_failure for reason in reasons)

    async def _answer(self, answers: dict[int, Any], mid: int) -> Any:
        async with asyncio.timeout(10):
            while mid not in answers:
                await asyncio.sleep(0.002)
        return answers.pop(mid)

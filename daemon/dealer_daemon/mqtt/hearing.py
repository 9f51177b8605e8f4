"""Whether the table still hears: a broker can keep a connection, take every message, and have lost the subscriptions.

An ejabberd node that comes back to its cluster does so. The station would go on publishing, deaf to commands and to
consumers that ask for what they miss.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import structlog

from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.retained import RetainedTopics

ECHO_EVERY_S = 15.0
"""How often the birth is published again and must have come back: a deaf table is found out in two of these."""
RENEWALS = 3
"""New connections in a row that may be of no help: after that a person must let us read."""


class Renewing(Protocol):
    """What is needed of the client."""

    def renew(self, reason: str) -> None:
        """See ``MqttClient.renew``."""
        ...


class Hearing:
    """Publishes the birth again and again while connected, and makes the connection anew when it does not come back."""

    def __init__(self, link: Renewing, retained: RetainedTopics, presence_topic: str) -> None:
        self._link = link
        self._retained = retained
        self._topic = presence_topic
        self._log = structlog.get_logger()
        self._heard = False
        self._renewals = 0
        self._timer: asyncio.TimerHandle | None = None
        self.problem: Problem | None = None

    def connected(self) -> None:
        """A session began; the birth is on its way."""
        self._heard = False
        self._wait()

    def disconnected(self) -> None:
        """Nothing is to be heard now."""
        self.close()

    def received(self, _message: Incoming) -> None:
        """Something came on the presence topic."""
        self._heard = True
        self._renewals = 0
        self.problem = None

    def close(self) -> None:
        """Ends all waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        self.close()
        self._timer = asyncio.get_running_loop().call_later(ECHO_EVERY_S, self._due)

    def _due(self) -> None:
        if self._heard:
            self._heard = False
            self._retained.repeat(self._topic)
            self._wait()
            return
        detail = (
            f"nothing comes back on {self._topic}, so commands and acknowledgements do not reach this table either; "
            "let it read that topic in the broker's access list, and look at the broker's log"
        )
        if self.problem is None:
            self._log.warning("mqtt deaf", topic=self._topic)
        self.problem = Problem("mqtt_deaf", detail)
        self._wait()
        if self._renewals < RENEWALS:
            self._renewals += 1
            self._link.renew("the broker delivers nothing that we subscribed to")

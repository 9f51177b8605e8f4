"""A retained value that follows the events it is made of: never before the broker has them."""

from __future__ import annotations

from dealer_daemon.mqtt.retained import RetainedTopics


class Behind:
    """One topic's value, kept back until everything up to its sequence is published. The newest takes the place of one
    that still waits."""

    def __init__(self, retained: RetainedTopics, topic: str, published: int) -> None:
        """Everything up to ``published`` is out."""
        self._retained = retained
        self._topic = topic
        self._published = published
        self._waiting: tuple[int, bytes] | None = None

    def set(self, sequence: int, payload: bytes) -> None:
        """The value as of event ``sequence``."""
        self._waiting = (sequence, payload)
        self._pass_on()

    def reached(self, published: int) -> None:
        """Everything up to ``published`` is out, and no more: after a broker's loss events are sent again."""
        self._published = published
        self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting is not None and self._waiting[0] <= self._published:
            self._retained.set(self._topic, self._waiting[1])
            self._waiting = None

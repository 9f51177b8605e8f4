"""A retained value that follows the events it is made of: never before the broker has them."""

from __future__ import annotations

from dealer_daemon.mqtt.retained import RetainedTopics


class Behind:
    """One topic's value, kept back until everything up to its sequence is published. The newest takes the place of one
    that still waits."""

    def __init__(self, retained: RetainedTopics, topic: str) -> None:
        self._retained = retained
        self._topic = topic
        self._waiting: tuple[int, bytes] | None = None

    def set(self, sequence: int, payload: bytes, published: int) -> None:
        """The value as of event ``sequence``; everything up to ``published`` is out."""
        self._waiting = (sequence, payload)
        self.reached(published)

    def reached(self, published: int) -> None:
        """Everything up to ``published`` is out."""
        if self._waiting is not None and self._waiting[0] <= published:
            self._retained.set(self._topic, self._waiting[1])
            self._waiting = None

"""How far each consumer has come, from the retained ``acks`` topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import structlog

from dealer_daemon.bodies import AckBody
from dealer_daemon.mqtt.messages import Incoming
from dealer_daemon.mqtt.outbox import Positions
from dealer_daemon.mqtt.topics import Topics
from dealer_drivers.json_text import decode_json

ACK_CURSOR = "ack/"
"""Prefix of the names under which acknowledgements are kept in the journal's cursors."""
MAX_CONSUMERS = 256


class Consumers:
    """The consumers known by their acknowledgements, kept over restarts of the station and of the broker."""

    def __init__(self, topics: Topics, positions: Positions, last_sequence: Callable[[], int]) -> None:
        self._topics = topics
        self._positions = positions
        self._last_sequence = last_sequence
        self._log = structlog.get_logger().bind(table=topics.table)
        self._bad: set[str] = set()
        self._acks = {
            name.removeprefix(ACK_CURSOR): positions[name] for name in positions.names() if name.startswith(ACK_CURSOR)
        }

    @property
    def acks(self) -> Mapping[str, int]:
        """The highest contiguous sequence that each consumer says it handled."""
        return dict(self._acks)

    def received(self, message: Incoming) -> None:
        """An acknowledgement came: ``{"sequence": n}``. An empty body means that the consumer is no more.

        What cannot be (no number, a sequence that does not exist yet) is said once and changes nothing.
        """
        consumer = self._topics.consumer_of(message.topic)
        if consumer is None:
            return
        if not message.payload:
            if self._acks.pop(consumer, None) is not None:
                # A cursor cannot be taken away; at the end it holds nothing back.
                self._positions[ACK_CURSOR + consumer] = self._last_sequence()
                self._log.info("consumer left", consumer=consumer)
            return
        try:
            sequence = decode_json(message.payload, AckBody).sequence
        except (msgspec.MsgspecError, RecursionError) as error:
            self._refuse(consumer, str(error))
            return
        last = self._last_sequence()
        if not 0 <= sequence <= last:
            self._refuse(consumer, f"it says {sequence}, and the table's last sequence is {last}")
            return
        if consumer not in self._acks:
            if len(self._acks) >= MAX_CONSUMERS:
                self._refuse(consumer, f"there are {MAX_CONSUMERS} consumers already")
                return
            self._log.info("consumer known", consumer=consumer, sequence=sequence)
        self._bad.discard(consumer)
        self._acks[consumer] = sequence
        self._positions[ACK_CURSOR + consumer] = sequence

    def _refuse(self, consumer: str, reason: str) -> None:
        if consumer not in self._bad and len(self._bad) < MAX_CONSUMERS:
            self._bad.add(consumer)
            self._log.warning("acknowledgement not understood", consumer=consumer, reason=reason)

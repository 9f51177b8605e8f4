"""Which protocol version to try next and how long to wait before. Pure: endings in, waits out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_daemon.mqtt.errors import Ending
from dealer_daemon.mqtt.settings import Protocol

STEADY_AFTER_S = 5.0
"""A session that lasted this long was a real one; shorter ones do not reset the back-off."""
KICKS = 3
"""Sessions in a row that broke at once: another client with our id, or a broker that will not have us."""
PROVEN_STRIKES = 3
"""Unanswered attempts before a version that once worked is doubted: a frozen broker is no older broker."""


class MqttVersion(StrEnum):
    """The two versions spoken, best first."""

    V5 = "5"
    V311 = "3.1.1"


@dataclass(frozen=True, slots=True)
class Next:
    """What to do after an ending: wait this long, and whether the sessions look kicked."""

    wait_s: float
    kicked: bool = False


class ReconnectPolicy:
    """Version and back-off over a client's life.

    With protocol ``auto`` MQTT 5 is tried first. When the port is open and the version is refused or CONNECT
    stays unanswered, 3.1.1 follows at once; what worked is remembered; while nothing works both alternate.
    """

    def __init__(self, protocol: Protocol, backoff_min_s: float, backoff_max_s: float, refused_wait_s: float) -> None:
        self._auto = protocol == "auto"
        self.version = MqttVersion.V311 if protocol == "3.1.1" else MqttVersion.V5
        self._min_s = backoff_min_s
        self._max_s = backoff_max_s
        self._refused_wait_s = refused_wait_s
        self._backoff_s = backoff_min_s
        self._proven = False
        self._strikes = 0
        self._tried: set[MqttVersion] = set()
        self._kicks = 0

    def connected(self) -> None:
        """The version in use was accepted."""
        self._proven = True
        self._strikes = 0
        self._tried.clear()

    def failed(self, ending: Ending) -> Next:
        """No session came about."""
        if ending is Ending.UNREACHABLE:
            self._kicks = 0  # nobody listens: the broker was gone, which is another story than being kicked
        if ending in (Ending.REFUSED, Ending.CREDENTIALS, Ending.TLS):
            return Next(max(self._refused_wait_s, self._grown()))
        if ending not in (Ending.NO_ANSWER, Ending.VERSION_REFUSED) or not self._auto:
            return Next(self._grown())
        self._strikes += 1
        if self._proven and ending is Ending.NO_ANSWER and self._strikes < PROVEN_STRIKES:
            return Next(self._grown())
        self._proven = False
        self._strikes = 0
        self._tried.add(self.version)
        self.version = MqttVersion.V311 if self.version is MqttVersion.V5 else MqttVersion.V5
        if self.version not in self._tried:
            return Next(0.0)
        self._tried.clear()
        return Next(self._grown())

    def ended(self, ending: Ending, lasted_s: float) -> Next:
        """A session broke after ``lasted_s``."""
        if ending is Ending.TAKEN_OVER:
            return Next(max(self._refused_wait_s, self._grown()), kicked=True)
        if lasted_s >= STEADY_AFTER_S:
            self._kicks = 0
            self._backoff_s = self._min_s
            return Next(self._grown())
        if ending is Ending.SENT_AWAY:
            return Next(self._grown())  # it gave another reason than a second client with our id
        self._kicks += 1
        if self._kicks >= KICKS:
            return Next(max(self._refused_wait_s, self._grown()), kicked=True)
        return Next(self._grown())

    def _grown(self) -> float:
        """The wait that is due; the next one is twice as long, up to the cap."""
        wait_s = self._backoff_s
        self._backoff_s = min(self._max_s, self._backoff_s * 2)
        return wait_s

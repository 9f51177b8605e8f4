"""What can go wrong on the way to the broker, by the reaction it calls for.

::

    MqttError
    ├── NotConnected        nothing was sent: publish again after the next connect
    ├── ConnectionDropped   it was sent and not acknowledged: publish again, the receiver knows repeats by their id
    ├── PublishFailed       the broker said no: the code says why, and who must act
    ├── ConnectFailed       no session came about; ``ending`` decides what is tried next
    └── Contested           another station speaks for the table: a person decides which

A ``Problem`` is the same for people: a word and a sentence, shown until it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MqttError(Exception):
    """Base of all. The text is a sentence for a person."""


class NotConnected(MqttError):  # noqa: N818
    """There is no session with the broker now; the message was not taken."""


class ConnectionDropped(MqttError):  # noqa: N818
    """The connection ended before the broker acknowledged the message; it may or may not have arrived."""


class PublishFailed(MqttError):  # noqa: N818
    """The broker refused a message. ``code`` is the MQTT 5 reason code, 0x80 or above."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the broker refused the message: {reason} (0x{code:02X})")
        self.code = code
        self.reason = reason


class Ending(StrEnum):
    """How an attempt to connect, or a session, ended."""

    UNREACHABLE = "unreachable"
    """Nobody listens, no route, no such host."""
    TLS = "tls"
    """The certificate or the TLS settings are not accepted, by us or by the broker."""
    CREDENTIALS = "credentials"
    """A file of the credentials cannot be read."""
    NO_ANSWER = "no_answer"
    """The port is open and no answer came to our CONNECT, or it was closed: perhaps the wrong protocol version."""
    VERSION_REFUSED = "version_refused"
    REFUSED = "refused"
    """The broker refuses us for another reason: credentials, client id, quota, or it lacks what we need."""
    TAKEN_OVER = "taken_over"
    """Another client connected with our client id."""
    SENT_AWAY = "sent_away"
    """The broker ended the session and said why (MQTT 5): it stops, or its cluster is changing."""
    UNSEEN = "unseen"
    """The broker does not show whether another station is there."""
    LOST = "lost"
    """The session broke: broker gone, network gone, no acknowledgement in time."""


class ConnectFailed(MqttError):  # noqa: N818
    """No session came about."""

    def __init__(self, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.ending = ending
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stops or endangers publishing. ``detail`` says what to do next."""

    code: str
    detail: str

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class Contested(MqttError):  # noqa: N818
    """Another station speaks for the table, and lives. ``problem`` says which, and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem

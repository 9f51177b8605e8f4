"""A session together with what its link has to say: one stream of readings tells all. Pure, like a session."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dealer_drivers.driver import DeviceAction, Output, Session, TimesQuestions
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading

FRAMELESS_BYTES = 40
"""With no valid frame among them: more than any one frame that is torn at connect."""
FRAMELESS_S = 3.0
"""From the first to the last of those bytes: six status lines of a wheel (``devices.md`` §1)."""


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """Counts and times of a link since the station started; they go on over reconnects.

    ``rejected_bytes`` were part of no frame. ``last_reading`` is the newest reading that came from bytes.
    """

    bytes_in: int = 0
    bytes_out: int = 0
    valid_frames: int = 0
    rejected_bytes: int = 0
    opens: int = 0
    last_byte: Instant | None = None
    last_frame: Instant | None = None
    last_reading: Instant | None = None


class SupervisedSession:
    """Wraps ``session``: the same calls, and the faults ``LINK_REFUSED``, ``LINK_LOST`` and ``NO_VALID_FRAME`` added.

    Each fault is given once when it begins and once, ``cleared``, when it ends. ``name`` is the port, for messages;
    ``hint`` the question to ask when bytes come and none is a frame.
    """

    def __init__(self, session: Session, name: str, hint: str) -> None:
        self._session = session
        self._name = name
        self._hint = hint
        self._standing: dict[Fault, DeviceFault] = {}
        self._frameless_bytes = 0
        self._frameless_since: Instant | None = None
        self._up = False
        self.health = LinkHealth()

    def opened(self, at: Instant) -> Output:
        """The link is up. Ends the faults of the link."""
        self._up = True
        self._frameless_bytes, self._frameless_since = 0, None
        self.health = replace(self.health, opens=self.health.opens + 1)
        cleared = self._clear(at, Fault.LINK_REFUSED, Fault.LINK_LOST)
        return self._counted(_after(cleared, self._session.opened(at)), at)

    def received(self, data: bytes, at: Instant) -> Output:
        """Bytes arrived."""
        self.health = replace(self.health, bytes_in=self.health.bytes_in + len(data), last_byte=at)
        answer = self._session.feed(data, at)
        if answer.readings:
            self.health = replace(self.health, last_reading=at)
        return self._counted(_after(self._judge_frames(data, answer.frames, at), answer), at)

    def tick(self, at: Instant) -> Output:
        """Time passed."""
        return self._counted(self._session.tick(at), at)

    def request(self, action: DeviceAction, at: Instant) -> Output:
        """The station asks something of the device."""
        return self._counted(self._session.request(action, at), at)

    def lost(self, at: Instant, reason: str, *, on_purpose: bool = False) -> Output:
        """The link is down. ``on_purpose``: the station closed it for a while, and no plug need be looked at."""
        self._up = False
        detail = (
            reason if on_purpose else f"{reason}. Check plug, cable and power; the station connects again by itself"
        )
        faults = self._begin(Fault.LINK_LOST, detail, at) + self._clear(at, Fault.NO_VALID_FRAME)
        return self._counted(_after(faults, self._session.lost(at, reason)), at)

    def refused(self, at: Instant, reason: str, *, absent: bool = False) -> Output:
        """The link could not be opened. ``absent``: the port is not there, which a standing ``LINK_LOST`` says too."""
        if absent and Fault.LINK_LOST in self._standing:
            return Output()
        return Output(readings=self._begin(Fault.LINK_REFUSED, reason, at))

    def sent(self, size: int, at: Instant) -> None:
        """``size`` bytes went to the device."""
        self.health = replace(self.health, bytes_out=self.health.bytes_out + size)
        if isinstance(self._session, TimesQuestions):
            self._session.sent(at)

    def deadline_ns(self) -> int | None:
        """The session's next ``tick`` while the link is up, else ``None``."""
        return self._session.deadline_ns() if self._up else None

    def _judge_frames(self, data: bytes, frames: int, at: Instant) -> tuple[Reading, ...]:
        if frames:
            self._frameless_bytes, self._frameless_since = 0, None
            return self._clear(at, Fault.NO_VALID_FRAME)
        self._frameless_bytes += len(data)
        self._frameless_since = self._frameless_since or at
        if self._frameless_bytes < FRAMELESS_BYTES or at.since_s(self._frameless_since) < FRAMELESS_S:
            return ()
        detail = f"no valid frame in {self._frameless_bytes} bytes from {self._name}: {self._hint}"
        return self._begin(Fault.NO_VALID_FRAME, detail, at)

    def _begin(self, fault: Fault, detail: str, at: Instant) -> tuple[Reading, ...]:
        if fault in self._standing:
            return ()
        self._standing[fault] = DeviceFault(at=at, raw=b"", fault=fault, detail=detail)
        return (self._standing[fault],)

    def _clear(self, at: Instant, *faults: Fault) -> tuple[Reading, ...]:
        ended = [self._standing.pop(fault) for fault in faults if fault in self._standing]
        return tuple(replace(fault, at=at, cleared=True) for fault in ended)

    def _counted(self, output: Output, at: Instant) -> Output:
        health = self.health
        self.health = replace(
            health,
            valid_frames=health.valid_frames + output.frames,
            rejected_bytes=health.rejected_bytes + output.rejected,
            last_frame=at if output.frames else health.last_frame,
        )
        return output


def _after(readings: tuple[Reading, ...], output: Output) -> Output:
    return replace(output, readings=readings + output.readings) if readings else output

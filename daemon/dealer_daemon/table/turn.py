"""One step of a table: what came in, the events it led to, and the state after them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dealer_daemon.commands import CommandRecord
from dealer_daemon.events import Event, EventData
from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.evidence import Evidence, EvidenceFrame, picture_of, recording_of
from dealer_daemon.round import TableState, apply
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading

BEFORE_ATTEMPT_S = 12.0
"""Kept of the time before an attempt: 24 frames of a roulette wheel, enough to see what it began from."""
MOST_FRAMES = 16_384
"""Five minutes of an encoder at 50 Hz, hours of anything else: no attempt is longer, and memory stays bounded."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a step led to. Nothing of it is true before the journal has it; ``actions`` come after that."""

    events: tuple[Event, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    command: CommandRecord | None = None
    actions: tuple[tuple[str, DeviceAction], ...] = ()


class FrameLog:
    """The frames that the next verdict rests on, by device."""

    def __init__(self, drivers: Iterable[tuple[str, str]]) -> None:
        self._drivers = dict(drivers)
        self._frames: dict[str, deque[EvidenceFrame]] = {
            name: deque(maxlen=MOST_FRAMES) for name in sorted(self._drivers)
        }

    def add(self, device: str, readings: Iterable[Reading]) -> None:
        """Keep the readings' frames; several readings of one frame keep it once."""
        frames = self._frames[device]
        for reading in readings:
            if reading.raw and not (frames and frames[-1].raw is reading.raw):
                frames.append(EvidenceFrame(device, reading.at, reading.raw, reading.pictures))

    def shorten(self) -> None:
        """No attempt is under way: only what just happened can matter to the next."""
        newest = max((frames[-1].at for frames in self._frames.values() if frames), default=None)
        if newest is None:
            return
        for frames in self._frames.values():
            while frames and newest.since_s(frames[0].at) > BEFORE_ATTEMPT_S:
                frames.popleft()

    def take_back(self, device: str) -> Evidence | None:
        """The newest frame of the device, which belongs to no attempt: a recording of it alone."""
        frames = self._frames[device]
        return recording_of(self._drivers[device], device, (frames.pop(),)) if frames else None

    def clear(self) -> None:
        """The attempt is judged."""
        for frames in self._frames.values():
            frames.clear()

    def take(self, device: str) -> list[Evidence]:
        """The recording of one device, whose frames are then no evidence of anything else."""
        frames = self._frames[device]
        taken = [recording_of(self._drivers[device], device, tuple(frames))] if frames else []
        frames.clear()
        return taken

    def evidence(self) -> list[Evidence]:
        """One recording a device that said anything, and the pictures that its frames name."""
        recordings = [
            recording_of(self._drivers[name], name, tuple(frames)) for name, frames in self._frames.items() if frames
        ]
        pictures = {
            picture.sha256: picture_of(picture)
            for frames in self._frames.values()
            for frame in frames
            for picture in frame.pictures
        }
        return [*recordings, *pictures.values()]


class Turn:
    """Collects the events of one step; each is folded at once, so later ones stand on it."""

    def __init__(
        self,
        state: TableState,
        boot: str,
        at: Instant,
        frames: FrameLog,
        calibrations: Mapping[str, CalibrationRef] = MappingProxyType({}),
        round_ended: Callable[[Turn, EventData], None] | None = None,
    ) -> None:
        self.state = state
        self.before = state
        """The state that the step began with."""
        self.calibrations = calibrations
        self.at = at
        self._round_ended = round_ended
        """Called with the event by which a round is over, before the next one can be opened."""
        self._boot = boot
        self._frames = frames
        self._events: list[Event] = []
        self._evidence: dict[str, Evidence] = {}
        self._actions: list[tuple[str, DeviceAction]] = []

    def emit(self, data: EventData, subject: str | None = None, *, in_round: bool = True) -> None:
        """This happened. ``subject`` defaults to the open round; with ``in_round`` false it belongs to none."""
        if subject is None and in_round and self.state.round is not None:
            subject = self.state.round.id
        event = Event(
            table=self.state.table,
            sequence=self.state.sequence + 1,
            subject=subject,
            wall_ns=self.at.wall_ns,
            mono_ns=self.at.mono_ns,
            boot=self._boot,
            data=data,
        )
        in_play = self.state.round is not None
        self.state = apply(self.state, event)
        self._events.append(event)
        if in_play and self.state.round is None and self._round_ended is not None:
            self._round_ended(self, data)

    def evidence(self) -> list[str]:
        """Hashes of the frames so far; the blobs are committed with this step."""
        pieces = self._frames.evidence()
        self._evidence.update((piece.hash, piece) for piece in pieces)
        return [piece.hash for piece in pieces]

    def evidence_of(self, device: str) -> list[str]:
        """The same of one device alone, whose frames are then taken."""
        pieces = self._frames.take(device)
        self._evidence.update((piece.hash, piece) for piece in pieces)
        return [piece.hash for piece in pieces]

    def evidence_of_newest(self, device: str) -> list[str]:
        """The hash of the device's newest frame, which is taken out of what the next verdict rests on."""
        piece = self._frames.take_back(device)
        if piece is None:
            return []
        self._evidence[piece.hash] = piece
        return [piece.hash]

    def ask(self, device: str, action: DeviceAction) -> None:
        """Ask the device for something once the events are committed."""
        self._actions.append((device, action))

    def decision(self, command: CommandRecord | None = None) -> Decision:
        """All of it."""
        return Decision(tuple(self._events), tuple(self._evidence.values()), command, tuple(self._actions))

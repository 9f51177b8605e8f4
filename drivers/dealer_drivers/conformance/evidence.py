"""Whether values are backed: each by bytes that arrived, as often as they did, and saying what those bytes say."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TypeAlias

from dealer_drivers.conformance.check import Broken, brief
from dealer_drivers.conformance.player import START, Player
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading

OTHER = frozenset({"at", "raw", "pictures"})
Key: TypeAlias = tuple[type[Reading], bytes]


def without_end(raw: bytes) -> bytes:
    """A line end that is lost or gained changes nothing that a check value covers."""
    return raw.rstrip(b"\r\n") or raw


def key_of(reading: Reading) -> Key:
    """Readings of one kind from the same bytes."""
    return type(reading), without_end(reading.raw)


@dataclass
class _Arrived:
    """Where a frame's bytes begin in what was fed, found as it grows."""

    begins: list[int] = field(default_factory=list)
    looked: int = 0

    def look(self, raw: bytes, fed: bytearray) -> None:
        while (place := fed.find(raw, self.looked)) >= 0:
            self.begins.append(place)
            self.looked = place + len(raw)
        self.looked = max(self.looked, len(fed) - len(raw) + 1)


@dataclass(frozen=True)
class Evidence:
    """What the good stream gives: what each frame may say, and how many values of one kind."""

    said: dict[Key, list[dict[str, object]]]
    a_frame: dict[Key, int]


def evidence(subject: Subject) -> Evidence:
    """Of the example, and of each thing that arrives in it alone, to a new session; counted in the example twice
    over."""
    player = subject.player().play(2)
    player.wait(1.0)
    said: dict[Key, list[dict[str, object]]] = {}
    told: dict[Key, int] = {}
    for reading in player.readings():
        if reading.raw:
            told[key_of(reading)] = told.get(key_of(reading), 0) + 1
    fed = bytearray(b"".join(call.data for call in player.calls if call.name == "feed"))
    a_frame = {key: -(-count // max(1, fed.count(key[1]))) for key, count in told.items()}
    readings = subject.clean.readings()  # once: what the first play changes in the second is not stated by it
    for chunk in dict.fromkeys(subject.chunks):
        alone = subject.player()
        alone.open()
        alone.feed(chunk)
        alone.wait(1.0, answering=False)
        readings += alone.readings()
    for reading in readings:
        if reading.raw and (what := content(reading)) not in said.setdefault(key_of(reading), []):
            said[key_of(reading)].append(what)
    return Evidence(said, a_frame)


def content(reading: Reading) -> dict[str, object]:
    """What it says, but for when."""
    return {
        name: value
        for name in type(reading).__dataclass_fields__
        if name not in OTHER and not isinstance(value := getattr(reading, name), Instant)
    }


def _fits(told: dict[str, object], known: list[dict[str, object]], free: tuple[str, ...]) -> bool:
    """Whether it says what a good one says, or less of it: what is not known is ``None``."""
    return any(
        all(value is None or name in free or value == one.get(name) for name, value in told.items()) for one in known
    )


def _picked(raw: bytes, fed: bytearray) -> bool:
    ahead = iter(fed)
    return all(byte in ahead for byte in raw)


def demand_backed(subject: Subject, player: Player, known: Evidence, *, nothing_new: bool) -> None:
    """Raises ``Broken`` for the first value that is not backed by what arrived.

    Its raw bytes arrived in one piece, and not less often than it is told; its moment lies between their first byte and
    now; it says what the driver says of that frame in the good stream, or alone. ``nothing_new``: values of frames that
    the good stream does not have are not allowed either.
    """
    example = subject.example
    fed = bytearray()
    offsets: list[int] = []
    moments: list[Instant] = []
    arrived: dict[bytes, _Arrived] = {}
    told: dict[Key, int] = {}
    for call in player.calls:
        if call.name == "feed":
            offsets.append(len(fed))
            moments.append(call.at)
            fed += call.data
        for reading in call.output.readings:
            if not example.is_value(reading) or not reading.raw:
                continue
            if not (_picked(reading.raw, fed) if example.picks else reading.raw in fed):
                raise Broken(f"{brief(reading)}: these raw bytes never arrived; the stream {player.stream()}")
            key = key_of(reading)
            if isinstance(reading, example.gathers):
                if nothing_new and key not in known.said and reading.raw not in subject.stream:
                    raise Broken(f"it reads {brief(reading)}, which nobody sent")
                continue
            if nothing_new and key not in known.said:
                raise Broken(f"it reads {brief(reading)}, which nobody sent")
            if key in known.said and not _fits(content(reading), known.said[key], example.counted):
                raise Broken(f"{brief(reading)} is not what these bytes say in the good stream, nor alone")
            if example.picks:
                continue
            places = arrived.setdefault(key[1], _Arrived())
            places.look(key[1], fed)
            told[key] = told.get(key, 0) + 1
            number = -(-told[key] // known.a_frame.get(key, 1))
            if number > len(places.begins):
                times = f"{told[key]} times, and its bytes arrived {len(places.begins)} times"
                raise Broken(f"{brief(reading)} is told {times}: an old value is told again")
            first = moments[bisect_right(offsets, places.begins[number - 1]) - 1]
            if reading.at.mono_ns < first.mono_ns or reading.at.wall_ns < first.wall_ns:
                raise Broken(
                    f"{brief(reading)} is of {reading.at.since_s(START):.3f} s; the first of its bytes arrived at "
                    f"{first.since_s(START):.3f} s"
                )

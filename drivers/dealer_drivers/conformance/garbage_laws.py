"""Laws about values that nobody sent: no value comes from noise, none from a damaged frame that can be told."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from dealer_drivers.conformance.check import Broken, brief, shown
from dealer_drivers.conformance.noise import burst, dirtied, single
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.readings import Reading

SURE_BITS = 16
"""A check value of so many bits lets nothing through in as few cases as these."""


def noise_gives_no_value(subject: Subject) -> None:
    """Random bytes, to a new session and in the middle of an example, give no value."""
    for case, rng in subject.rngs("noise"):
        player = subject.player()
        player.open()
        if rng.random() < 0.5:
            player.play()
        before = len(player.values())
        data = rng.randbytes(2048)
        for begin in range(0, len(data), 256):
            player.feed(data[begin : begin + 256])
            player.wait(0.1, answering=False)
        player.wait(1.0, answering=False)
        known = _evidence(subject)
        found = [reading for reading in player.values()[before:] if not _is_backed(subject, reading, known)]
        if found:
            raise Broken(f"{case}: of random bytes is read {brief(found[0])}")


def damage_gives_no_value(subject: Subject) -> None:
    """Every value of a damaged stream has a frame of the good stream as its evidence."""
    example = subject.example
    known = _evidence(subject)
    wrong = tried = 0
    last = ""
    for case, rng in subject.rngs("damage"):
        if example.check_bits:
            _no_value_but(subject, known, case, rng, lambda data, rng=rng: single(data, rng))  # type: ignore[misc]
            tried += 1
            try:
                _no_value_but(subject, known, case, rng, lambda data, rng=rng: burst(data, rng))  # type: ignore[misc]
            except Broken as broken:
                wrong += 1
                last = str(broken)
        else:
            _no_value_but(
                subject,
                known,
                case,
                rng,
                lambda data, rng=rng: dirtied(data, example.foreign, rng),  # type: ignore[misc]
            )
    allowed = 0 if example.check_bits >= SURE_BITS else math.ceil(tried / 2**example.check_bits) + 2
    if wrong > allowed:
        raise Broken(
            f"of {tried} streams with a burst of damage {wrong} gave values that nobody sent; a check value of "
            f"{example.check_bits} bits explains {allowed}. {last}"
        )


def _no_value_but(
    subject: Subject, known: frozenset[bytes], case: str, rng: Random, damage: Callable[[bytes], bytes]
) -> None:
    chunks = [n for n, chunk in enumerate(subject.chunks) if chunk]
    if not chunks:
        return
    spoilt = set(rng.sample(chunks, min(len(chunks), rng.randrange(1, 4))))
    done: dict[int, tuple[bytes, bytes]] = {}

    def mangle(n: int, data: bytes) -> list[bytes]:
        if n not in spoilt or not data:
            return [data]
        done[n] = (data, damage(data))
        return [done[n][1]]

    player = subject.player(mangle).play()
    player.wait(1.0)
    found = [reading for reading in player.values() if not _is_backed(subject, reading, known)]
    if found:
        said = "; ".join(f"{shown(good)} became {shown(bad)}" for good, bad in done.values())
        raise Broken(f"{case}: {said}; and is read as {brief(found[0])}, which nobody sent")


def _is_backed(subject: Subject, reading: Reading, known: frozenset[bytes]) -> bool:
    """Whether a frame of the good stream is its evidence. One that gathers may come with any of them."""
    gathers = isinstance(reading, subject.example.gathers)
    return _without_end(reading.raw) in known or (gathers and reading.raw in subject.stream)


def _evidence(subject: Subject) -> frozenset[bytes]:
    """The raw bytes, without line ends, of all that the good stream gives, twice over."""
    player = subject.player().play(2)
    player.wait(1.0)
    readings: list[Reading] = player.readings()
    return frozenset(_without_end(reading.raw) for reading in readings if reading.raw)


def _without_end(raw: bytes) -> bytes:
    """A line end that is lost or gained changes nothing that a check value covers."""
    return raw.rstrip(b"\r\n")

"""Laws about values that nobody sent: no value comes from noise, none from a damaged frame that can be told."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from random import Random

from dealer_drivers.conformance.check import Broken, shown
from dealer_drivers.conformance.evidence import Evidence, demand_backed, evidence
from dealer_drivers.conformance.noise import burst, dirtied, single
from dealer_drivers.conformance.subject import Subject

SURE_BITS = 16
"""A check value of so many bits lets nothing through in as few cases as these."""
CHECKED_FRAMES = 8
HEXADECIMAL = re.compile(rb"[0-9A-Fa-f]+")


def noise_gives_no_value(subject: Subject) -> None:
    """Random bytes, to a new session and in the middle of an example, give no value."""
    known = evidence(subject)
    for case, rng in subject.rngs("noise"):
        player = subject.player()
        player.open()
        if rng.random() < 0.5:
            player.play()
        data = rng.randbytes(2048)
        for begin in range(0, len(data), 256):
            player.feed(data[begin : begin + 256])
            player.wait(0.1, answering=False)
        player.wait(1.0, answering=False)
        try:
            demand_backed(subject, player, known, nothing_new=True)
        except Broken as broken:
            raise Broken(f"{case}: of random bytes: {broken}") from broken


def damage_gives_no_value(subject: Subject) -> None:
    """Every value of a damaged stream has a frame of the good stream as its evidence."""
    example = subject.example
    known = evidence(subject)
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


def _no_value_but(subject: Subject, known: Evidence, case: str, rng: Random, damage: Callable[[bytes], bytes]) -> None:
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
    try:
        demand_backed(subject, player, known, nothing_new=True)
    except Broken as broken:
        said = "; ".join(f"{shown(good)} became {shown(bad)}" for good, bad in done.values())
        raise Broken(f"{case}: {said}; and {broken}") from broken


def check_values_are_looked_at(subject: Subject) -> None:
    """A frame whose check value is another is refused: also one that is all zeros, all ones, or hardly changed."""
    known = evidence(subject)
    frames = [
        (n, chunk, raw)
        for n, chunk in enumerate(subject.chunks)
        for raw in dict.fromkeys(raw for _, raw in known.said if raw in chunk)
    ]
    seen: set[bytes] = set()
    for n, chunk, raw in frames:
        if raw in seen or len(seen) >= CHECKED_FRAMES:
            continue
        seen.add(raw)
        for wrong in _other_checks(raw, subject.example.check_bits):
            bad = chunk.replace(raw, wrong, 1)
            player = subject.player(lambda m, data, n=n, bad=bad: [bad if m == n else data])  # type: ignore[misc]
            player.play()
            player.wait(1.0)
            try:
                demand_backed(subject, player, known, nothing_new=True)
            except Broken as broken:
                raise Broken(f"with another check value {shown(raw)} is {shown(wrong)}: {broken}") from broken


def _other_checks(raw: bytes, bits: int) -> list[bytes]:
    """The frame with other check values at its end: in bytes or in hexadecimal."""
    found = []
    for size, values in ((bits // 4, b"0fF"), (bits // 8, b"\x00\xff")):
        head, old = raw[:-size], raw[-size:]
        text = size == bits // 4
        if text and not HEXADECIMAL.fullmatch(old):
            continue
        new = {bytes([value]) * size for value in values}
        if text:
            new |= {b"%0*X" % (size, int(old, 16) ^ 1 << bit) for bit in range(bits)}
            found += [head + one for one in new if one.upper() != old.upper()]
            break  # text: its last bytes are digits, and no check value in bytes
        new |= {
            old[:place] + bytes([old[place] ^ 1 << bit]) + old[place + 1 :] for place in range(size) for bit in range(8)
        }
        found += [head + one for one in new if one != old]
    return found

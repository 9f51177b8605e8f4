"""Laws about what whole frames may say, and about what is left of connections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from dealer_drivers.conformance.check import Broken, listed, shown
from dealer_drivers.conformance.examples import KIB
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.conformance.weight import weight
from dealer_drivers.readings import Reading

FRAMES_A_CASE = 100
"""Changed frames that are fed for each random case of other laws, of all that could be."""
CONNECTIONS = 300
LEFT_BYTES = 32 * KIB


def no_content_raises(subject: Subject) -> None:
    """Frames of the example with every other digit, every other pair of digits and every other bit are answered, with
    the right check value where ``sealed`` makes it."""
    changed = _changed(subject)
    rng = Random(f"{subject.seed}/content")
    most = FRAMES_A_CASE * subject.cases
    if len(changed) > most:
        changed = rng.sample(changed, most)
    player = subject.player().play()
    usual = _repeats(call.output.readings for call in subject.clean.calls)
    sealed = subject.example.sealed
    for frame in changed:
        data = frame if sealed is None else sealed(frame)
        try:
            told = player.feed(data).readings
            player.wait(0.01, answering=False)
            _told_once(subject, told, usual)
        except Broken as broken:
            raise Broken(f"{shown(data)}: {broken}") from broken
        except Exception as error:
            raise Broken(f"{shown(data)} raises {type(error).__name__}: {error}") from error
        player.calls.clear()


def _told_once(subject: Subject, told: Sequence[Reading], usual: int) -> None:
    """Where no frame of the example says a thing twice, a changed one does not either."""
    values = subject.example.values(told)
    if _repeats([values]) > usual:
        raise Broken(f"one value is told more than once:{listed(values)}")


def _repeats(outputs: Iterable[Sequence[Reading]]) -> int:
    """The most often that an answer says the same thing."""
    return max((told.count(one) for told in map(list, outputs) for one in told), default=1)


def _changed(subject: Subject) -> list[bytes]:
    kinds: dict[bytes, bytes] = {}
    for chunk in subject.chunks:
        kinds.setdefault(bytes(ord("0") if 0x30 <= byte <= 0x39 else byte for byte in chunk), chunk)
    found: dict[bytes, None] = {}
    for chunk in kinds.values():
        for place in range(len(chunk)):
            pair = chunk[place : place + 2]
            if pair.strip().isdigit() and len(pair) == 2:
                found |= dict.fromkeys(chunk[:place] + b"%02d" % value + chunk[place + 2 :] for value in range(100))
            elif pair[:1].isdigit():
                found |= dict.fromkeys(chunk[:place] + b"%d" % value + chunk[place + 1 :] for value in range(10))
            bits = [bytes([chunk[place] ^ 1 << bit]) for bit in range(8)]
            found |= dict.fromkeys(chunk[:place] + one + chunk[place + 1 :] for one in bits)
    return list(found)


def connections_leave_nothing(subject: Subject) -> None:
    """However often the link is lost and opened, in the middle of a frame too, a session holds no more."""
    rng = Random(f"{subject.seed}/connections")
    player = subject.player().play()
    player.lose()
    before = weight(player.session)
    most = min(LEFT_BYTES, subject.example.memory_bytes)
    for _ in range(CONNECTIONS):
        player.open()
        chunk = rng.choice(subject.chunks) if subject.chunks else b""
        player.feed(chunk[: rng.randrange(len(chunk) + 1)])
        player.wait(0.01)
        player.lose()
        player.calls.clear()
    grown = weight(player.session) - before
    if grown > most:
        raise Broken(f"after {CONNECTIONS} connections it holds {grown} bytes more")

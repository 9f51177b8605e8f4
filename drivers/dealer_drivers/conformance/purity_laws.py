"""Laws about what a session is: it says the same again, two of them do not mix, and nothing outside is looked at."""

from __future__ import annotations

import builtins
import io
import os
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from dealer_drivers.conformance.check import Broken, brief
from dealer_drivers.conformance.evidence import demand_backed, evidence
from dealer_drivers.conformance.outside import watched
from dealer_drivers.conformance.player import Call, Player
from dealer_drivers.conformance.stream_laws import compare
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.driver import Output
from dealer_drivers.readings import DeviceFault, Reading

OUTSIDE: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (
        time,
        ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep"),
    ),
    (random, ("random", "randint", "randrange", "choice", "uniform", "shuffle", "sample", "getrandbits", "randbytes")),
    (secrets, ("token_bytes", "token_hex", "randbelow", "choice")),
    (os, ("urandom", "open", "system")),
    (io, ("open",)),
    (builtins, ("open", "print", "input")),
    (socket, ("socket", "create_connection", "getaddrinfo")),
    (subprocess, ("Popen",)),
    (threading, ("Thread",)),
)
UNREADABLE_BYTES = 256


def says_the_same_again(subject: Subject) -> None:
    """The same calls give the same answers."""
    again = subject.player().play()
    compare(subject.clean.said(), again.said(), "the same calls are answered differently the second time", again)


def two_do_not_mix(subject: Subject) -> None:
    """Two sessions of one driver share nothing: played in turns, whole frames and halves of them, each says what it
    says alone."""
    for halves in (False, True):
        other = subject.player()

        def in_turns(n: int, data: bytes, other: Player = other, halves: bool = halves) -> Iterator[bytes]:
            theirs = subject.chunks[-1 - n] if n < len(subject.chunks) else b""
            cut, their_cut = (len(data) // 2, len(theirs) // 2) if halves else (0, len(theirs))
            yield data[:cut]
            other.feed(theirs[:their_cut])
            yield data[cut:]
            other.feed(theirs[their_cut:])
            other.wait(0.01)

        other.open()
        player = subject.player(in_turns).play()
        compare(subject.clean.said(), player.said(), "another session at work changes what this one says", player)


def nothing_outside(subject: Subject) -> None:
    """No clock, no chance, no file, no network, no process and no thread: time and bytes are all that it knows."""
    first = subject.player()
    _busy(subject, first)  # what is imported late is imported now
    with _shut_off(type(first.session).__module__.partition(".")[0]), watched() as called:
        _busy(subject, subject.player())
    if called:
        raise Broken(f"the session calls {called[0]}: time and bytes are all that it may know")


def _busy(subject: Subject, player: Player) -> None:
    player.play()
    player.feed(b"\xff\x00 no frame \r\n")
    player.wait(3 * subject.offline_s)
    player.lose()
    player.play()


@contextmanager
def _shut_off(package: str) -> Iterator[None]:
    """Whoever calls one of ``OUTSIDE`` in the meantime is told off; also by a name that ``package`` or a driver of ours
    imported it under."""
    put_back: list[tuple[dict[str, Any], str, Any]] = []
    kept: dict[int, tuple[Any, Callable[..., NoReturn]]] = {}
    for module, names in OUTSIDE:
        for name in names:
            real = getattr(module, name)
            kept[id(real)] = (real, _told_off(f"{module.__name__}.{name}"))
            put_back.append((vars(module), name, real))
    for name, loaded in list(sys.modules.items()):
        if name.partition(".")[0] in (package, "dealer_drivers") and not name.startswith(__package__):
            put_back += [(vars(loaded), key, value) for key, value in vars(loaded).items() if _is_kept(value, kept)]
    try:
        for space, key, real in put_back:
            space[key] = kept[id(real)][1]
        yield
    finally:
        for space, key, real in put_back:
            space[key] = real


def _is_kept(value: object, kept: dict[int, tuple[Any, Callable[..., NoReturn]]]) -> bool:
    return id(value) in kept and kept[id(value)][0] is value


def _told_off(what: str) -> Callable[..., NoReturn]:
    def told_off(*_args: object, **_more: object) -> NoReturn:
        raise Broken(f"the session calls {what}: time and bytes are all that it may know")

    return told_off


def readings_are_sound(subject: Subject) -> None:
    """Readings say what can be, are never of the future, values carry their evidence, faults begin and end in turn and
    say what to do, and what is unreadable is given in short."""
    quiet = subject.player().play()
    quiet.wait(3 * subject.offline_s, answering=False)
    quiet.play()
    quiet.lose()
    _sound(subject, quiet)
    known = evidence(subject)
    demand_backed(subject, quiet, known, nothing_new=False)
    for _, rng in subject.rngs("sound"):
        noisy = subject.player(lambda _, data, rng=rng: [data, rng.randbytes(400), data])  # type: ignore[misc]
        noisy.play()
        noisy.wait(rng.uniform(0, 3 * subject.offline_s), answering=False)
        noisy.lose()
        noisy.play()
        _sound(subject, noisy)
        demand_backed(subject, noisy, known, nothing_new=False)


def _sound(subject: Subject, player: Player) -> None:
    standing: set[str] = set()
    for call in player.calls:
        if not isinstance(call.output, Output):
            raise Broken(f"{call.name} answers {call.output!r} instead of an Output")
        for reading in call.output.readings:
            _one_sound(subject, call, reading)
            if isinstance(reading, DeviceFault):
                if (reading.fault in standing) is not reading.cleared:
                    state = "ends without having begun" if reading.cleared else "begins twice"
                    raise Broken(f"a fault {state}: {brief(reading)}; stream {player.stream()}")
                standing.symmetric_difference_update({reading.fault})


def _one_sound(subject: Subject, call: Call, reading: Reading) -> None:
    if (why := reading.impossible()) is not None:
        raise Broken(f"no device can have seen this: {why}; it is read as {brief(reading)}")
    if reading.at.mono_ns > call.at.mono_ns or reading.at.wall_ns > call.at.wall_ns:
        raise Broken(f"a reading of the future: {brief(reading)} at {reading.at}, said at {call.at}")
    if subject.example.is_value(reading) and not reading.raw:
        raise Broken(f"a value without the bytes it came from: {brief(reading)}")
    if type(reading).__name__ == "Unreadable" and len(reading.raw) > UNREADABLE_BYTES:
        raise Broken(f"{len(reading.raw)} bytes in an Unreadable; it keeps at most the first {UNREADABLE_BYTES}")
    if isinstance(reading, DeviceFault) and not reading.cleared and " " not in reading.detail.strip():
        raise Broken(f"a fault without a sentence that says what to do: {brief(reading)}")

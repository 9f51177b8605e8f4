"""Laws about time and the link: silence, unplugging, connecting again, ticks, and what may be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from dealer_drivers.conformance.check import Broken, brief, listed, shown
from dealer_drivers.conformance.player import START, Player, Said
from dealer_drivers.conformance.stream_laws import compare
from dealer_drivers.conformance.subject import Subject
from dealer_drivers.driver import NOTHING, DeviceAction, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.supervised import SupervisedSession

LATE_S = 0.001
STEP_S = 0.25
NOISE_S = 15.0
HEALTHY_S = 8.0
"""Longer than the link bears bytes without a frame."""
HOUR_S = 3600.0
DAY_S, MONTH_S = 24 * HOUR_S, 60 * 24 * HOUR_S
"""A host that slept: a day, and longer than a count of milliseconds in 32 bits."""
HOUR_NS, DAY_NS = 3600 * NS_PER_S, 24 * 3600 * NS_PER_S
LONG_BYTES = 2000
PLAYED = 0.2
LINK_FAULTS = (Fault.SILENT, Fault.NO_VALID_FRAME, Fault.LINK_LOST, Fault.LINK_REFUSED)


def _silences(player: Player) -> Iterator[tuple[float, DeviceFault]]:
    for call in player.calls:
        for reading in call.output.readings:
            if isinstance(reading, DeviceFault) and reading.fault == Fault.SILENT:
                yield call.at.since_s(START), reading


def silence_is_reported(subject: Subject) -> None:
    """A device that says nothing, or nothing more, is reported once and within ``offline_after_s``; when it speaks
    again, that is said once."""
    limit_s = subject.offline_s
    for began in ("after the example", "from the beginning"):
        player = subject.player()
        player.open()
        if began == "after the example":
            player.play()
        spoke_s = player.at.since_s(START)
        if list(_silences(player)):
            raise Broken("the example itself is reported as silent: its pauses are longer than the driver's own limit")
        player.wait(10 * limit_s, answering=False)
        told = list(_silences(player))
        if not told or told[0][0] > spoke_s + limit_s + LATE_S:
            when = f"after {told[0][0] - spoke_s:.3f} s" if told else "never"
            raise Broken(f"silence {began} is reported {when}; the driver states offline_after_s = {limit_s:g}")
        if len(told) > 1:
            raise Broken(f"silence {began} is reported {len(told)} times")
        player.play()
        _ended_once(list(_silences(player)))


def _ended_once(told: Sequence[tuple[float, DeviceFault]]) -> None:
    if [fault.cleared for _, fault in told] != [False, True]:
        raise Broken("once the device speaks again, the fault silent must be given once more, with cleared = True")


def silence_is_not_reported(subject: Subject) -> None:
    """A device that may be silent for ever is never reported as silent."""
    player = subject.player().play()
    player.wait(100 * subject.offline_s, answering=False)
    if told := list(_silences(player)):
        raise Broken(f"the example states that silence means nothing, and it is reported after {told[0][0]:.3f} s")


def a_healthy_link_has_no_fault(subject: Subject) -> None:
    """The example through the link's own watch: no fault of the link while it runs; unplugged, one at once; plugged
    in again, its end."""
    player = subject.player()
    watched = SupervisedSession(player.session, "port", "is it the right device?")
    player.session = _Watched(watched)
    while player.at.since_s(START) < HEALTHY_S:
        before_s = player.at.since_s(START)
        player.play()
        player.wait(STEP_S if player.at.since_s(START) == before_s else 0.0)
    if found := [fault for fault in _faults(player) if fault.fault in LINK_FAULTS]:
        raise Broken(f"a healthy device is reported as {brief(found[0])}")
    before = len(player.calls)
    player.lose()
    player.wait(1.0)
    player.open()
    told = [(fault.fault, fault.cleared) for fault in _faults(player, before) if fault.fault == Fault.LINK_LOST]
    if told != [(Fault.LINK_LOST, False), (Fault.LINK_LOST, True)]:
        raise Broken(f"unplugged and plugged in again, the link says {told}")


def a_wrong_device_is_noticed(subject: Subject) -> None:
    """Noise is no sign of life: what counts as a frame in ``Output.frames`` does not keep the link from saying that
    no frame is valid, or that the device is silent."""
    player = subject.player()
    player.session = _Watched(SupervisedSession(player.session, "port", "is it the right device?"))
    player.open()
    rng = Random(f"{subject.seed}/wrong")
    for _ in range(round(NOISE_S / STEP_S)):
        player.feed(rng.randbytes(64))
        player.wait(STEP_S, answering=False)
    told = {fault.fault for fault in _faults(player) if not fault.cleared}
    if not told & {Fault.NO_VALID_FRAME, Fault.SILENT}:
        frames = sum(call.output.frames for call in player.calls)
        raise Broken(f"{NOISE_S:g} s of random bytes, {frames} frames counted in them, and no fault of the link")


class _Watched:
    """A supervised session in the place of a session."""

    def __init__(self, watched: SupervisedSession) -> None:
        self.opened, self.feed, self.lost = watched.opened, watched.received, watched.lost
        self.tick, self.deadline_ns, self.request = watched.tick, watched.deadline_ns, watched.request


def _faults(player: Player, first: int = 0) -> list[DeviceFault]:
    return [
        reading for call in player.calls[first:] for reading in call.output.readings if isinstance(reading, DeviceFault)
    ]


def connects_again(subject: Subject) -> None:
    """Lost in the middle of a frame and opened again, the example gives the values that it gives a new session."""
    fresh = _kinds(subject, subject.clean.values())
    for case, rng in subject.rngs("again"):
        player = subject.player().play()
        chunk = rng.choice(subject.chunks) if subject.chunks else b""
        player.feed(chunk[: rng.randrange(len(chunk) + 1) // 2])
        player.lose()
        player.wait(rng.choice([0.0, 0.5, 30.0]))
        before = len(player.values())
        player.play()
        again = _kinds(subject, player.values()[before:])
        if again != fresh:
            number = next((n for n, pair in enumerate(zip(fresh, again, strict=False)) if pair[0] != pair[1]), -1)
            got = player.values()[before:]
            raise Broken(
                f"{case}: lost in mid-frame and opened again it reads {len(again)} values instead of {len(fresh)}, "
                f"the first difference at {number}; it reads:{listed(got)}"
            )


def joins_in_mid_frame(subject: Subject) -> None:
    """Lost in mid-frame, and the new connection begins with the rest of it: that says what it says to a new session."""
    for case, rng in subject.rngs("joins"):
        chunk = rng.choice(subject.chunks) if subject.chunks else b""
        if len(chunk) < 2:
            continue
        half = rng.randrange(1, len(chunk))
        player = subject.player().play()
        player.feed(chunk[:half])
        player.lose()
        fresh = subject.player()
        before = len(player.values())
        for one in (fresh, player):
            one.open()
            one.feed(chunk[half:])
            one.wait(0.5, answering=False)
        got = player.values()[before:]
        if [reading.raw for reading in got] != [reading.raw for reading in fresh.values()]:
            raise Broken(
                f"{case}: lost after {shown(chunk[:half])} and opened again before {shown(chunk[half:])}, it reads:"
                f"{listed(got)}\n  and a new session reads:{listed(fresh.values())}"
            )


def _kinds(subject: Subject, readings: Sequence[Reading]) -> list[tuple[type[Reading], bytes]]:
    """Counts of a session's own (lives, cycles, questions) may go on; what was seen may not differ."""
    return [(type(reading), b"" if subject.example.answer else reading.raw) for reading in readings]


def lost_twice_is_lost_once(subject: Subject) -> None:
    """``lost`` a second time says nothing, and while the link is down time says and sends nothing."""
    player = subject.player().play()
    player.feed(subject.stream[: len(subject.stream) // 2])
    player.lose()
    before = len(player.calls)
    player.lose()
    player.wait(1.0)
    deadline_ns = player.session.deadline_ns()
    for _ in range(3):
        player.wait(2 * subject.offline_s)
        player.call("tick", b"", player.session.tick(player.at))
    for call in player.calls[before:]:
        if call.output.readings or call.output.send:
            raise Broken(f"{call.name} after lost says {call.output}; deadline {deadline_ns}")


def early_ticks_change_nothing(subject: Subject) -> None:
    """Ticks before their time say nothing and move nothing."""
    for case, rng in subject.rngs("ticks"):
        nervous = subject.player(nervous=rng).play()
        compare(subject.clean.said(), nervous.said(), f"{case}: ticks before their time change what is said", nervous)


def only_stated_actions_do_something(subject: Subject) -> None:
    """An action that the options do not allow changes nothing, asked at any point of the example; one that they allow
    sends something."""
    stated = subject.driver.actions(subject.options)
    usual = {sent for call in subject.clean.calls for sent in call.output.send}
    for action in DeviceAction:
        player, asked = _asked_everywhere(subject, action)
        sent = {sent for call in player.calls for sent in call.output.send} - usual
        if action in stated:
            if not sent and not any(output.send for output in asked):
                raise Broken(f"{action} is among the driver's actions, and sends nothing at any point of the example")
        elif answered := [output for output in asked if output != NOTHING]:
            raise Broken(
                f"{action} is not among the driver's actions with these options, and is answered {answered[0]}"
            )
        else:
            what = f"{action} is not among the driver's actions with these options, and asking for it changes something"
            compare(subject.clean.said(), player.said(), what, player)


def _asked_everywhere(subject: Subject, action: DeviceAction) -> tuple[Player, list[Output]]:
    """The example, with the question before everything that arrives, and the answers to it."""
    outputs: list[Output] = []

    def ask_first(_: int, data: bytes) -> list[bytes]:
        outputs.append(player.request(action))
        return [data]

    player = subject.player(ask_first)
    return player.play(), outputs


def read_only_sends_nothing(subject: Subject) -> None:
    """Not a byte is sent, whatever comes and whatever is asked, also after hours."""
    if stated := subject.driver.actions(subject.options):
        raise Broken(f"the example states read_only, and these actions are allowed: {', '.join(sorted(stated))}")
    for case, call, sent in _sent(subject):
        raise Broken(f"{case}: {call} sends {sent!r}")


def sends_only_what_is_stated(subject: Subject) -> None:
    """Whatever comes and whatever is asked, also after hours, only what matches ``sends`` is sent."""
    patterns = [re.compile(pattern, re.DOTALL) for pattern in subject.example.sends or ()]
    for case, call, sent in _sent(subject):
        if not any(pattern.fullmatch(sent) for pattern in patterns):
            raise Broken(f"{case}: {call} sends {sent!r}, which the example does not state")


def _sent(subject: Subject) -> Iterator[tuple[str, str, bytes]]:
    """All that is sent in hours with everything in them, with what was called."""
    player = subject.player()
    for case, rng in subject.rngs("sends"):
        for action in DeviceAction:
            player.play() if rng.random() < PLAYED else player.wait(STEP_S)
            player.request(action) if player.up else player.open()
        player.feed(rng.randbytes(200) + b"\r\n")
        player.wait(STEP_S)
        yield from _drained(player, case)
        player.wait(HOUR_S if player.session.deadline_ns() is None else min(HOUR_S, 20 * subject.offline_s))
        player.at = player.at.plus_s(rng.choice([HOUR_S, DAY_S, MONTH_S]))  # a host that slept
        player.play()
        yield from _drained(player, case)
        player.lose()


def _drained(player: Player, case: str) -> Iterator[tuple[str, str, bytes]]:
    calls, player.calls = player.calls, []
    yield from ((case, call.name, sent) for call in calls for sent in call.output.send)


def the_wall_clock_means_nothing(subject: Subject) -> None:
    """At any hour of the day, and with a clock that is set again and again, the same is said."""
    straight = _waited(subject, lambda wall_ns: wall_ns)
    said = _timeless(straight.said())
    hours = range(1, 25) if len(subject.stream) < LONG_BYTES else range(1, 25, 8)
    shifts: list[tuple[str, Callable[[int], int]]] = [
        (f"{25 * hour} hours on", lambda wall_ns, hour=hour: wall_ns + 25 * hour * HOUR_NS)  # type: ignore[misc]
        for hour in hours
    ]
    for case, rng in subject.rngs("wall"):
        shifts.append(
            (f"{case}, set again and again", lambda wall_ns, rng=rng: wall_ns + rng.randrange(-DAY_NS, DAY_NS))  # type: ignore[misc]
        )
    for name, shift in shifts:
        player = _waited(subject, shift)
        compare(said, _timeless(player.said()), f"with the wall clock {name} something else is said", player)


def _waited(subject: Subject, wall: Callable[[int], int]) -> Player:
    player = subject.player()
    player.wall = wall
    player.play()
    player.wait(3 * subject.offline_s, answering=False)
    return player.play()


def _timeless(said: Sequence[Said]) -> list[Said]:
    """Without the wall clock."""
    return [
        replace(one, at=_no_wall(one.at), readings=tuple(_no_walls(reading) for reading in one.readings))
        for one in said
    ]


def _no_walls(reading: Reading) -> Reading:
    moments: dict[str, Any] = {
        name: _no_wall(value)
        for name in type(reading).__dataclass_fields__
        if isinstance(value := getattr(reading, name), Instant)
    }
    return replace(reading, **moments)


def _no_wall(at: Instant) -> Instant:
    return Instant(at.mono_ns, 0)

"""Every driver's session, as the station has it: damaged conversations in any cuts, jumps of time and lost links."""

from __future__ import annotations

from functools import cached_property
from random import Random

from dealer_drivers.conformance import Example
from dealer_drivers.conformance.noise import pieces
from dealer_drivers.driver import DeviceAction, Driver, Output, load_driver
from dealer_drivers.instant import Instant
from dealer_drivers.supervised import SupervisedSession
from fuzz.folder import described, examples
from fuzz.kind import Case, Kind, Wrong, data, text
from fuzz.noise import damaged

START = Instant(10_000_000_000, 1_767_225_600_000_000_000)
MOST_TICKS = 12
JUMPS_S = (0.0, 0.001, 0.02, 0.1, 0.5, 2.0, 7.0, 60.0, 4000.0, 1e7)


class Device:
    """A session, what its device would answer, and time; ``answer`` may be told to keep silent."""

    def __init__(self, driver: Driver, example: Example, options: object = None) -> None:
        chosen = driver.parse_options(example.options) if options is None else options
        self.session = SupervisedSession(driver.session(chosen), "port", "is this its port?")
        self.up = False
        self._example = example

    def replies(self, output: Output) -> list[bytes]:
        """What it says to what it was sent."""
        answer = self._example.answer
        return [] if answer is None else [reply for sent in output.send if (reply := answer(sent))]

    def due(self, until: Instant) -> int | None:
        """The next moment at which it wants a tick, up to ``until``."""
        due_ns = self.session.deadline_ns()
        return due_ns if due_ns is not None and due_ns <= until.mono_ns else None


class Sessions:
    """One driver."""

    share = 4.0

    def __init__(self, driver: str) -> None:
        self.name = f"driver/{driver}"
        self._driver_name = driver

    @cached_property
    def driver(self) -> Driver:
        return load_driver(self._driver_name)

    @cached_property
    def plays(self) -> tuple[Example, ...]:
        """Its examples; recordings of real devices, where there are some, are too long."""
        return tuple(play for play in examples(self._driver_name).plays if not play.recorded)

    @cached_property
    def good(self) -> list[bytes]:
        """What its device says, and what the reader of a line could take for it."""
        return good_chunks(self.plays)

    def draw(self, rng: Random) -> Case:
        number = rng.randrange(len(self.plays))
        steps: list[list[object]] = [["open"]]
        for _ in range(rng.randrange(1, 9)):
            steps += stream(self.good, self.plays[number], rng)
        return {"play": number, "steps": steps}

    def play(self, case: Case) -> int:
        example = self.plays[case["play"]]
        device, at, fed = Device(self.driver, example), START, 0
        for step in case["steps"]:
            match step:
                case ["open"] if not device.up:
                    device.up = True
                    said = device.session.opened(at)
                case ["lost"] if device.up:
                    device.up = False
                    said = device.session.lost(at, "unplugged")
                case ["rx", sent] if device.up:
                    said, fed = device.session.received(data(sent), at), fed + 1
                case ["ask", action]:
                    said = device.session.request(DeviceAction(action), at)
                case ["wall", seconds]:
                    at = Instant(at.mono_ns, at.wall_ns + round(seconds * 1e9))
                    continue
                case ["wait", seconds]:
                    at = self._wait(device, at, at.plus_s(seconds))
                    continue
                case _:
                    continue
            self._look(device, said, at)
        return max(1, fed)

    def _wait(self, device: Device, at: Instant, end: Instant) -> Instant:
        for _ in range(MOST_TICKS):
            due_ns = device.due(end)
            if due_ns is None:
                break
            at = at.plus_s(max(0, due_ns - at.mono_ns) / 1e9)
            self._look(device, device.session.tick(at), at)
        return max(at, end)

    def _look(self, device: Device, said: Output, at: Instant) -> None:
        for reading in said.readings:
            if type(reading.raw) is not bytes:  # it goes into evidence as it is
                raise Wrong(f"{reading!r} has no frame")
        for reply in device.replies(said):
            device.session.received(reply, at)


def good_chunks(plays: tuple[Example, ...]) -> list[bytes]:
    """What healthy devices say in these examples, their answers too."""
    said = [step.data for play in plays for step in play.steps if step.data]
    for play in plays:
        if play.answer is not None:
            for request in (b"", *(step.data for step in play.steps)):
                try:
                    said.append(play.answer(request))
                except (ValueError, LookupError):  # it answers questions, and this is none
                    continue
    return list(dict.fromkeys(one for one in said if one)) or [b"\r\n"]


def stream(good: list[bytes], example: Example, rng: Random) -> list[list[object]]:
    """What arrives in a while: good frames with damage among them, in any cuts; or something that happens to a link."""
    match rng.randrange(12):
        case 0:
            return [["lost"], ["wait", rng.choice(JUMPS_S)], ["open"]]
        case 1:
            return [["ask", rng.choice(list(DeviceAction)).value]]
        case 2:
            return [["wall", rng.choice((-1e6, -3.0, 0.5, 86_400.0, 1e9))], ["wait", rng.choice(JUMPS_S)]]
        case 3:
            return [["rx", text(rng.randbytes(rng.choice((1, 9, 200, 5000))))]]
    begin = rng.randrange(len(good))
    said = list(good[begin : begin + rng.choice((1, 3, 8))])
    for n, chunk in enumerate(said):
        if rng.random() < 0.4:
            said[n] = damaged(chunk, rng, good)
            if example.sealed is not None and rng.random() < 0.6:
                said[n] = example.sealed(said[n])
    gap_s = rng.choice(JUMPS_S[:6])
    cuts = (lambda chunk: pieces(chunk, rng)) if rng.random() < 0.3 else (lambda chunk: [chunk])
    steps: list[list[object]] = []
    for chunk in said:
        steps += [["rx", text(piece)] for piece in cuts(chunk) if piece]
        steps.append(["wait", gap_s])
    return steps


def kinds() -> list[Kind]:
    """One for each driver of ours that has examples."""
    return [Sessions(name) for name in described()]

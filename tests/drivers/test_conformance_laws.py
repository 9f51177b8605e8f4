"""Each law of the conformance suite catches the driver that breaks it: the example driver, spoilt in one place."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import pytest

from dealer_drivers.conformance import Example, Examples, checks, passed, received, recorded, seen
from dealer_drivers.conformance.noise import burst, dirtied, junk, pieces, single
from dealer_drivers.conformance.weight import weight
from dealer_drivers.driver import DeviceAction, DriverOptions, Maturity, Observes, Output
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault
from dealer_drivers.readings.roulette import BallRested
from dealer_drivers.recording import RecordingError
from support.spoilt import Spoilt, broken, example_driver, good, rested


@pytest.fixture(scope="module", autouse=True)
def _example_driver() -> Iterator[None]:
    with example_driver():
        yield


def test_the_example_driver_keeps_every_law() -> None:
    assert broken(*good()) == {}


class ForgetsHalves(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        self.inner._codec.reset()
        return super().feed(data, at)


class DecodesStrictly(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        data.decode("ascii")
        return super().feed(data, at)


class KeepsAll(Spoilt):
    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self.kept: list[bytes] = []

    def feed(self, data: bytes, at: Instant) -> Output:
        self.kept.append(bytes(data))
        return super().feed(data, at)


class GivesUpAfterJunk(Spoilt):
    spoilt = False

    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        self.spoilt = self.spoilt or output.rejected > 0
        return Output() if self.spoilt else output


class ReadsLineEnds(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        return replace(output, readings=(*output.readings, *[rested(at, b"\n")] * (b"\n" in data and b"$" not in data)))


class IgnoresCheckValues(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        output = super().feed(data, at)
        wrong = [one for one in output.readings if getattr(one, "reason", "") == "its check value is wrong"]
        return replace(output, readings=(*output.readings, *(rested(at, one.raw) for one in wrong)))


class CountsNoise(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        return replace(super().feed(data, at), frames=1, readings=())

    def deadline_ns(self) -> int | None:
        return None


def slow(seconds: float, calls: int) -> type[Spoilt]:
    """So many calls with bytes take so long."""

    class Slow(Spoilt):
        left = calls

        def feed(self, data: bytes, at: Instant) -> Output:
            until = time.process_time() + seconds * (self.left > 0)
            self.left -= 1
            while time.process_time() < until:
                pass
            return super().feed(data, at)

    return Slow


class CountsNothing(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        return replace(super().feed(data, at), frames=0)


class NeverSilent(Spoilt):
    def deadline_ns(self) -> int | None:
        return None


class SilentAgainAndAgain(Spoilt):
    def tick(self, at: Instant) -> Output:
        output = super().tick(at)
        if output.readings:
            self.inner._silent, self.inner._heard = False, at
        return output


class LateSilent(Spoilt):
    def deadline_ns(self) -> int | None:
        due_ns = super().deadline_ns()
        return None if due_ns is None else due_ns + 2_000_000_000


class TicksWithoutLooking(Spoilt):
    def tick(self, at: Instant) -> Output:
        notice = DeviceNotice(at=at, raw=b"", notice="tick", detail="time passed")
        return replace(super().tick(at), readings=(notice,))


class StuckDeadline(Spoilt):
    def tick(self, at: Instant) -> Output:  # noqa: ARG002
        return Output()


class StaysLost(Spoilt):
    was_lost = False

    def lost(self, at: Instant, reason: str) -> Output:
        self.was_lost = True
        return super().lost(at, reason)

    def feed(self, data: bytes, at: Instant) -> Output:
        return Output() if self.was_lost else super().feed(data, at)


class SaysLostAgain(Spoilt):
    def lost(self, at: Instant, reason: str) -> Output:
        notice = DeviceNotice(at=at, raw=b"", notice="lost", detail=reason)
        return replace(super().lost(at, reason), readings=(notice,))


class AnswersAnything(Spoilt):
    def request(self, action: DeviceAction, at: Instant) -> Output:  # noqa: ARG002
        return Output(send=(b"$A*41\r\n",))


class SendsAtConnect(Spoilt):
    def opened(self, at: Instant) -> Output:
        return replace(super().opened(at), send=(b"$V*56\r\n",))


class Chances(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        return replace(super().feed(data, at), rejected=random.getrandbits(40))


class LooksAtAnImportedClock(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        perf_counter()
        return super().feed(data, at)


class LooksAtTheClock(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        time.monotonic()
        return super().feed(data, at)


class Shares(Spoilt):
    shared: ClassVar[list[int]] = []

    def feed(self, data: bytes, at: Instant) -> Output:
        self.shared.append(id(self))
        mixed = self.shared[-2:] not in ([id(self)], [id(self)] * 2)
        return replace(super().feed(data, at), rejected=int(mixed and len(self.shared) > 1 and self.shared[-2] in LIVE))

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        LIVE.add(id(self))

    def __del__(self) -> None:
        LIVE.discard(id(self))


LIVE: set[int] = set()


def reading_as(**changes: Any) -> type[Spoilt]:
    class Changed(Spoilt):
        def feed(self, data: bytes, at: Instant) -> Output:
            output = super().feed(data, at)
            later = {key: at.plus_s(1.0) if key == "at" else value for key, value in changes.items()}
            return replace(output, readings=tuple(replace(one, **later) for one in output.readings))

    return Changed


class FaultsTwice(Spoilt):
    def feed(self, data: bytes, at: Instant) -> Output:
        fault = DeviceFault(at=at, raw=data, fault="hot", detail="it is hot: let it cool")
        return replace(super().feed(data, at), readings=(fault,))


class FaultsWithoutAdvice(Spoilt):
    def tick(self, at: Instant) -> Output:
        output = super().tick(at)
        return replace(output, readings=tuple(replace(one, detail="silent") for one in output.readings))


SPOILT: list[tuple[type[Spoilt], str, str]] = [
    (ForgetsHalves, "cuts change nothing", "cut into other pieces"),
    (DecodesStrictly, "nothing raises", "UnicodeDecodeError"),
    (KeepsAll, "memory is bounded", "bytes more"),
    (GivesUpAfterJunk, "finds the next frame", "is not read"),
    (ReadsLineEnds, "noise gives no value", "BallRested"),
    (IgnoresCheckValues, "damage gives no value", "which nobody sent"),
    (CountsNoise, "a wrong device is noticed", "no fault of the link"),
    (CountsNothing, "a healthy link has no fault", "no_valid_frame"),
    (CountsNothing, "reads what is stated", "no valid frame is counted"),
    (NeverSilent, "silence is reported", "never"),
    (LateSilent, "silence is reported", "after 5.0"),
    (SilentAgainAndAgain, "silence is reported", "times"),
    (TicksWithoutLooking, "early ticks change nothing", "before the deadline"),
    (StuckDeadline, "silence is reported", "the host spins"),
    (StuckDeadline, "nothing raises", "the host spins"),
    (StaysLost, "connects again", "instead of"),
    (SaysLostAgain, "lost twice is lost once", "says"),
    (AnswersAnything, "only stated actions", "is not among the driver's actions"),
    (SendsAtConnect, "read-only sends nothing", "opened sends"),
    (AnswersAnything, "read-only sends nothing", "request sends"),
    (Chances, "says the same again", "differently the second time"),
    (Chances, "nothing outside", "random.getrandbits"),
    (LooksAtAnImportedClock, "nothing outside", "time.perf_counter"),
    (LooksAtTheClock, "nothing outside", "time.monotonic"),
    (Shares, "two do not mix", "another session"),
    (reading_as(at=None), "readings are sound", "of the future"),
    (reading_as(raw=b""), "readings are sound", "without the bytes"),
    (FaultsTwice, "readings are sound", "begins twice"),
    (slow(0.12, 1), "keeps up", "one call takes 0.1"),
    (slow(0.09, 9), "keeps up", "a tenth of it is the most"),
    (FaultsWithoutAdvice, "readings are sound", "what to do"),
]


@pytest.mark.parametrize(("session", "law", "words"), SPOILT, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_spoilt_session_is_caught(session: type[Spoilt], law: str, words: str) -> None:
    driver, examples = good()
    spoilt = replace(driver, session=lambda options: session(driver.session(options)))
    assert words in broken(spoilt, examples, law).get(law, "nothing broken")


class Undescribed(DriverOptions, frozen=True, kw_only=True):
    baud: int = 19200
    zeros: int = 1
    control: bool = False


class Unbounded(Undescribed, frozen=True, kw_only=True):
    """Takes any number."""

    pause_s: float = 1.0
    """Any."""


class Lenient(Undescribed, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """Takes unknown keys."""


class Anything(Undescribed, frozen=True, kw_only=True):
    control: Any = False


class Nameless(Undescribed, frozen=True, kw_only=True):
    def problems(self) -> list[OptionError]:
        return [] if self.baud == 19200 else [OptionError("options", "something is wrong")]


class Raising(Undescribed, frozen=True, kw_only=True):
    def problems(self) -> list[OptionError]:
        return [] if 100 / self.baud > 0 else [OptionError("baud", "is below 0")]


MANIFESTS: list[tuple[Mapping[str, Any], str, str]] = [
    ({"name": "Acme Wheel"}, "says what it is", "name"),
    ({"provenance": ""}, "says what it is", "provenance"),
    ({"maturity": "perfect"}, "says what it is", "maturity"),
    ({"offline_after_s": float("inf")}, "says what it is", "offline_after_s"),
    ({"transports": frozenset({"serial", "smoke"})}, "says what it is", "smoke"),
    ({"transports": frozenset({"serial"})}, "says what it is", "recording"),
    ({"maturity": Maturity.RECORDED}, "recordings back it", "recording of a real device"),
    ({"observes": lambda _: frozenset({Observes.PHASE, Observes.NUMBER})}, "observes what it says", "BallLaps"),
    ({"observes": lambda _: frozenset(Observes)}, "observes what it says", "no example shows"),
    ({"observes": lambda _: frozenset()}, "options shape it", "observes"),
    ({"serial": lambda _: None}, "options shape it", "serial"),
    ({"actions": lambda _: {"dance"}}, "options shape it", "dance"),
    ({"actions": lambda _: frozenset(DeviceAction)}, "only stated actions", "sends nothing"),
    ({"options": Undescribed}, "options are described", "zeros, control"),
    ({"options": Lenient}, "unknown options are refused", "is taken"),
    ({"options": Anything}, "wrong types are refused", "control"),
    ({"options": Unbounded}, "numbers have bounds", "baud"),
    ({"options": Undescribed}, "stated values are refused", "baud = 0 is taken"),
    ({"options": Nameless}, "stated values are refused", "not named"),
    ({"options": Raising}, "stated values are refused", "ZeroDivisionError"),
]


@pytest.mark.parametrize(
    ("changes", "law", "words"), MANIFESTS, ids=lambda value: value if isinstance(value, str) else next(iter(value))
)
def test_a_spoilt_manifest_is_caught(changes: Mapping[str, Any], law: str, words: str) -> None:
    driver, examples = good()
    assert words in broken(replace(driver, **changes), examples, law).get(law, "nothing broken")


def with_example(examples: Examples, **changes: Any) -> Examples:
    return replace(examples, plays=(replace(examples.plays[0], **changes), *examples.plays[1:]))


@pytest.mark.parametrize(
    ("changes", "law", "words"),
    [
        ({"expect": (seen(BallRested, number="8"),)}, "reads what is stated", "reading 1 must be BallRested"),
        ({"expect": ()}, "reads what is stated", "after the 0 readings that are stated"),
        ({"resync_bytes": 10_000}, "finds the next frame", "smaller resync_bytes"),
        ({"silent_for_ever": "it says nothing"}, "silence is not reported", "silence means nothing"),
        ({"options": {"no_such": 1}}, "observes what it says", "OptionError"),
        ({"options": {"control": True}}, "read-only sends nothing", "actions are allowed"),
    ],
)
def test_an_example_that_says_too_much_is_caught(changes: Mapping[str, Any], law: str, words: str) -> None:
    driver, examples = good()
    assert words in broken(driver, with_example(examples, **changes), law).get(law, "nothing broken")


def test_what_an_example_waives_is_not_tried() -> None:
    driver, examples = good()
    told = with_example(examples, undamaged="it comes through a pipe", check_bits=0)
    waived = {check.law: check.waived for check in checks(driver, told) if check.about == "two spins" and check.waived}
    assert waived["damage gives no value"] == "it comes through a pipe"
    assert set(waived) == {
        "noise gives no value",
        "damage gives no value",
        "check values are looked at",
        "sends only what is stated",
        "a wrong device is noticed",
        "silence is not reported",
    }


def test_examples_have_names_of_their_own() -> None:
    driver, examples = good()
    with pytest.raises(ValueError, match="name of its own"):
        checks(driver, (examples.plays[0], examples.plays[0]))
    with pytest.raises(ValueError, match="one or more"):
        checks(driver, ())


@pytest.mark.parametrize("few", [{"cases": 0}, {"cases": -3}, {"junk_bytes": 0}])
def test_no_cases_are_no_check(few: Mapping[str, int]) -> None:
    driver, examples = good()
    with pytest.raises(ValueError, match="1 or more"):
        checks(driver, examples, **few)


def test_a_reading_has_only_the_fields_that_it_has() -> None:
    with pytest.raises(TypeError, match="colour"):
        seen(BallRested, colour="red")


@pytest.mark.parametrize("change", [single, burst, lambda data, rng: dirtied(data, b"\xff", rng), junk])
def test_the_same_seed_gives_the_same_damage(change: Callable[[bytes, random.Random], bytes]) -> None:
    made = [change(b"$W,017, 7,09*53\r\n", random.Random(5)) for _ in range(2)]
    assert made[0] == made[1]
    assert len({change(b"$W,017, 7,09*53\r\n", random.Random(seed)) for seed in range(20)}) > 5


def test_pieces_are_the_whole() -> None:
    for seed in range(50):
        data = bytes(range(40))
        assert b"".join(pieces(data, random.Random(seed))) == data
    assert b"".join(pieces(b"", random.Random(1))) == b""


def test_weight_counts_what_is_held_wherever_it_is() -> None:
    class Slotted:
        __slots__ = ("held",)

        def __init__(self, held: object) -> None:
            self.held = held

    big = 100_000
    closure = (lambda held: lambda: held)(bytes(big))
    for thing in ({"a": [bytes(big)]}, Slotted(bytearray(big)), closure, Slotted(Slotted((bytes(big),)).__init__)):
        assert weight(thing) >= big
    shared = bytes(big)
    assert weight([shared, shared]) < 2 * big


def test_a_recording_is_steps(tmp_path: Path) -> None:
    path = tmp_path / "a.rec.jsonl"
    lines = (
        '{"recording": 1, "driver": "acme-wheel", "device": "wheel", "serial": "A7"}',
        '{"t": 0, "ev": "open"}',
        '{"t": 1.0, "tx": "?"}',
        '{"t": 2.0, "rx": "ab"}',
        '{"t": 3.0, "ev": "close"}',
        '{"t": 4.0, "ev": "error", "reason": "gone"}',
        '{"t": 5.0, "rx": "cd"}',
        '{"t": 4.5, "rxh": "ff"}',
        '{"t": 9.0, "ev": "close"}',
    )
    path.write_text("\n".join(lines) + "\n")
    steps, about = recorded(path)
    assert [(step.at_s, step.kind, step.data) for step in steps] == [
        (1.0, "asked", b""),
        (2.0, "rx", b"ab"),
        (3.0, "lost", b""),
        (5.0, "opened", b""),
        (5.0, "rx", b"cd"),
        (5.0, "rx", b"\xff"),
    ]
    assert "serial: A7" in about
    assert [step.data for step in recorded(path, first_s=4.8)[0]] == [b"cd"]
    path.write_text(lines[0] + "\n")
    with pytest.raises(RecordingError, match="nothing that was received"):
        recorded(path)


def test_silence_that_an_example_has_in_itself_is_said_so() -> None:
    driver, examples = good()
    paused = (*examples.plays[0].steps, *passed(20.0), *received(21.0, b"$B,018, 7,00*40\r\n"))
    found = broken(driver, with_example(examples, steps=paused, expect=None), "silence is reported")
    assert "longer than the driver's own limit" in found["silence is reported"]
    healthy = broken(driver, with_example(examples, steps=paused, expect=None), "a healthy link has no fault")
    assert str(Fault.SILENT) in healthy["a healthy link has no fault"]


def test_an_example_is_played_at_its_times() -> None:
    driver, _ = good()
    example = Example(name="x", steps=(*received(0.5, b"ab", b"cd", every_s=1.0), *passed(2.0)))
    assert checks(driver, [example])
    assert [step.at_s for step in example.steps] == [0.5, 1.5, 2.0]

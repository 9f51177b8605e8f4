"""A session of a shaker under a clock in the test's hand: lines in, readings and commands out."""

from __future__ import annotations

from dealer_drivers.driver import DeviceAction, Output, Session
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Reading, Unreadable
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking, ShakerTaken
from dealer_drivers.transports.mqtt_lines import received_line

START = Instant(10 * NS_PER_S, 1_767_225_600_000_000_000)


def word(reading: Reading) -> str:
    """A reading in a word: ``idle:1``, ``fault:silent``, ``over:silent``."""
    match reading:
        case ShakerIdle():
            return f"idle:{reading.cycle}"
        case ShakerTaken():
            return f"taken:{reading.cycle}"
        case ShakerShaking():
            told = "" if reading.told_s is None else f":{reading.told_s:g}s"
            return f"shaking:{reading.cycle}{told}"
        case ShakerFaulted():
            return f"faulted:{reading.cycle}"
        case DeviceFault():
            return f"{'over' if reading.cleared else 'fault'}:{reading.fault}"
        case DeviceNotice():
            return f"notice:{reading.notice}"
        case Unreadable():
            return "unreadable"
    return type(reading).__name__


class Bench:
    """Keeps the session's time: deadlines on the way are kept at their moment."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.at = START
        self.words: list[str] = []
        self.sent: list[tuple[float, bytes]] = []
        """When, in seconds from the start, and what."""
        self.rejected = 0

    def open(self) -> Bench:
        return self.take(self.session.opened(self.at))

    def lose(self) -> Bench:
        return self.take(self.session.lost(self.at, "gone"))

    def start(self) -> bool:
        """Asks for a shake; whether anything was sent for it."""
        output = self.session.request(DeviceAction.START_SHAKE, self.at)
        self.take(output)
        return bool(output.send)

    def bytes(self, data: bytes) -> Bench:
        return self.take(self.session.feed(data, self.at))

    def state(self, text: str, *, kept: bool = False) -> Bench:
        return self.bytes(received_line("state", text.encode(), kept=kept))

    def wait(self, seconds: float) -> Bench:
        end = self.at.plus_s(seconds)
        for _ in range(10_000):
            deadline_ns = self.session.deadline_ns()
            if deadline_ns is None or deadline_ns > end.mono_ns:
                break
            self.at = max(self.at, self.at.plus_s((deadline_ns - self.at.mono_ns) / NS_PER_S))
            self.take(self.session.tick(self.at))
        else:
            raise AssertionError("the session wants to be called again and again")
        self.at = end
        return self

    def take(self, output: Output) -> Bench:
        self.words += map(word, output.readings)
        self.sent += [(round(self.at.since_s(START), 3), data) for data in output.send]
        self.rejected += output.rejected
        return self

    def new(self) -> list[str]:
        """The words since the last call."""
        words, self.words = self.words, []
        return words

    def asked(self) -> list[float]:
        """When things were sent since the last call."""
        sent, self.sent = self.sent, []
        return [at for at, _ in sent]

"""A device played without ports or clocks, for every test of what a wheel sends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from hw_sim.device import Bytes, Plug
from hw_sim.roulette.device import WheelDevice
from hw_sim.roulette.options import M360Options, Ss2Options
from hw_sim.truth import TruthLog

# Written from devices.md §1, and on purpose not from anything in the code.
ADVANCED = re.compile(
    rb"\*X;(?P<S>[1-7]);(?P<GGG>\d{3});(?P<WW>  | \d|[1-3]\d|00);(?P<F>[0-9A-F]);(?P<RRR>\d{3});(?P<D>[01])"
    rb"(?P<ext>;(?P<EEEE>[0-9A-F]{4});(?P<BB>[0-9A-F]{2});(?P<d>[01?]);(?P<TTTTT>[0-9A-F]{5}|\?{5})"
    rb";(?P<PP> \d|[1-3]\d|\?\?))?;?\r\n"
)
BARE = re.compile(rb"( \d|[1-3]\d)\r\n")


@dataclass
class Played:
    """What came out of a device: every piece with its moment, and the truth."""

    device: WheelDevice
    log: TruthLog
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    plugs: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def truth(self) -> list[dict[str, Any]]:
        return self.log.records

    @property
    def stream(self) -> bytes:
        return b"".join(data for _, data in self.sent)

    def frames(self) -> list[tuple[float, dict[str, bytes]]]:
        """Status frames only."""
        return [(at_s, match.groupdict()) for at_s, data in self.sent if (match := ADVANCED.fullmatch(data))]

    def states(self) -> list[int]:
        """The states in their order, each once."""
        states: list[int] = []
        for _, frame in self.frames():
            if not states or states[-1] != int(frame["S"]):
                states.append(int(frame["S"]))
        return states

    def during(self, record: dict[str, Any], state: int | None = None) -> list[dict[str, bytes]]:
        """The frames sent while a throw's record was open, perhaps of one state only."""
        begin_s, end_s = record["times_s"]["opened"] - 1e-3, record["times_s"]["ended"] - 1e-3  # times are rounded
        frames = [frame for at_s, frame in self.frames() if begin_s <= at_s < end_s]
        return [frame for frame in frames if state is None or int(frame["S"]) == state]

    def go_on(self, seconds: float) -> Played:
        end_s = self.device.now_s + seconds
        while self.device.now_s < end_s:
            for action in self.device.advance(min(self.device.next_s(), end_s)):
                if isinstance(action, Bytes):
                    self.sent.append((self.device.now_s, action.data))
                else:
                    assert isinstance(action, Plug)
                    self.plugs.append((self.device.now_s, action.inserted))
        return self

    def until_truth(self, count: int, limit_s: float = 2000) -> Played:
        end_s = self.device.now_s + limit_s
        while len(self.truth) < count:
            assert self.device.now_s < end_s, f"{len(self.truth)} of {count} records in {limit_s} s"
            self.go_on(1.0)
        return self

    def say(self, text: str) -> list[bytes]:
        """Sends a command; the answer lines."""
        answers = self.device.receive(text.encode() + b"\r\n")
        assert all(isinstance(answer, Bytes) for answer in answers)
        return [answer.data for answer in answers if isinstance(answer, Bytes)]


Play = Callable[..., Played]


@pytest.fixture
def ss2() -> Play:
    def play(seed: int = 1, **options: Any) -> Played:
        log = TruthLog()
        return Played(WheelDevice(Ss2Options(name="wheel", **options), seed, log), log)

    return play


@pytest.fixture
def m360() -> Play:
    def play(seed: int = 1, **options: Any) -> Played:
        log = TruthLog()
        return Played(WheelDevice(M360Options(name="wheel", **options), seed, log), log)

    return play

"""A shaker played without ports or clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hw_sim.device import Bytes, Plug
from hw_sim.dice.networked import NetworkedShaker
from hw_sim.dice.options import NetworkedOptions, RelayOptions
from hw_sim.dice.relay import RelayShaker
from hw_sim.dice.thrower import Thrower
from hw_sim.truth import TruthLog

CYCLE = b"/cycle/?pattern=1&parameter1=10&parameter2=20&amplitude=60&duration=3000"


@dataclass
class Shaken:
    """What came out of a shaker: every piece with its moment, and the truth."""

    device: Thrower
    log: TruthLog
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    plugs: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def truth(self) -> list[dict[str, Any]]:
        return self.log.records

    def go_on(self, seconds: float) -> list[bytes]:
        """Lets time pass; what was sent in it."""
        end_s, before = self.device.now_s + seconds, len(self.sent)
        while self.device.now_s < end_s:
            for action in self.device.advance(min(self.device.next_s(), end_s)):
                self._take(action)
        return [data for _, data in self.sent[before:]]

    def say(self, data: bytes) -> None:
        for action in self.device.receive(data):
            self._take(action)

    def _take(self, action: object) -> None:
        if isinstance(action, Bytes):
            self.sent.append((self.device.now_s, action.data))
        else:
            assert isinstance(action, Plug)
            self.plugs.append((self.device.now_s, action.inserted))

    def times(self, data: bytes) -> list[float]:
        return [at_s for at_s, sent in self.sent if sent == data]


def networked(seed: int = 1, **options: Any) -> Shaken:
    log = TruthLog()
    return Shaken(NetworkedShaker(NetworkedOptions(name="shaker", **options), seed, log), log)


def relay(seed: int = 1, **options: Any) -> Shaken:
    log = TruthLog()
    return Shaken(RelayShaker(RelayOptions(name="shaker", **options), seed, log), log)

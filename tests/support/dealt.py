"""A card table played without ports or clocks, and what its bytes say, read by the pages and not by any code."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Any

from hw_sim.device import Bytes, Plug
from hw_sim.scenario import build_device, parse_scenario
from hw_sim.shoe.device import CardDevice
from hw_sim.truth import TruthLog

# Written from devices.md §2, and on purpose not from anything in the code.
TELEGRAM = re.compile(rb"\x05(?P<seq>[0-9A-F])(?P<code>[A-Za-z])(?P<payload>[\x80-\xff]*)\x03(?P<bcc>[0-9A-F]{2})")
SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
PLACES = {0: "player", 1: "banker", 2: "burn", 4: "first_burn", 5: "burn_count"}


def words_of(stream: bytes) -> list[tuple[str, str]]:
    """Every telegram as (sequence, what it says): ``D player.1 8S``, ``E1`` (``E1!`` when stopped), ``G banker``."""
    words = []
    for found in TELEGRAM.finditer(stream):
        if b"%02X" % reduce(xor, found[0][1:-2], 0) != found["bcc"]:
            words.append((found["seq"].decode(), "damaged"))
            continue
        code, payload = found["code"].decode(), found["payload"]
        match code:
            case "D" | "d" | "R":
                card = "?A23456789TJQK"[payload[1] & 15] + SUITS[payload[1] >> 4 & 7]
                place = f"{PLACES.get(payload[0] >> 4 & 7)}.{payload[0] & 15}" if code != "d" else ""
                word = " ".join(part for part in (code, place, card) if part)
            case "E" | "e":
                word = f"{code}{payload[0] & 63}{'!' if payload[0] & 64 else ''}"
            case "G":
                winner = {1: "player", 2: "tie", 4: "banker", 7: "force quit"}[payload[0] >> 4 & 7]
                pairs = [name for bit, name in ((1, "player pair"), (2, "banker pair")) if payload[0] & bit]
                word = ", ".join([f"G {winner}", *pairs])
            case "L":
                word = f"L {payload[0] & 1}"
            case _:
                word = code
        words.append((found["seq"].decode(), word))
    return words


@dataclass
class Dealt:
    """What came out of a table, piece by piece, and the truth."""

    device: CardDevice
    log: TruthLog
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    plugs: list[tuple[float, bool]] = field(default_factory=list)
    answer: Callable[[bytes], bytes] = lambda data: b""  # noqa: ARG005
    """What the host says to each piece that it gets."""

    @property
    def truth(self) -> list[dict[str, Any]]:
        return self.log.records

    @property
    def stream(self) -> bytes:
        return b"".join(data for _, data in self.sent)

    def go_on(self, seconds: float) -> Dealt:
        end_s = self.device.now_s + seconds
        while self.device.now_s < end_s:
            self.keep(self.device.advance(min(self.device.next_s(), end_s)))
        return self

    def keep(self, actions: list[Any]) -> None:
        for action in actions:
            if isinstance(action, Bytes):
                self.sent.append((self.device.now_s, action.data))
                if said := self.answer(action.data):
                    self.keep(self.device.receive(said))
            else:
                assert isinstance(action, Plug)
                self.plugs.append((self.device.now_s, action.inserted))

    def hands(self, count: int, limit_s: float = 5000) -> Dealt:
        end_s = self.device.now_s + limit_s
        while len(self.truth) < count:
            assert self.device.now_s < end_s, f"{len(self.truth)} of {count} hands in {limit_s} s"
            self.go_on(0.5)
        return self

    def until(self, condition: Callable[[], bool], limit_s: float = 500) -> Dealt:
        end_s = self.device.now_s + limit_s
        while not condition():
            assert self.device.now_s < end_s, "it never came"
            self.go_on(0.1)
        return self

    def words(self, *, copies: bool = False) -> list[str]:
        """What a shoe said; copies of a message once, unless asked for."""
        told = words_of(self.stream)
        return [word for at, (seq, word) in enumerate(told) if copies or at == 0 or told[at - 1] != (seq, word)]

    def texts(self, end: bytes = b"\r\n") -> list[str]:
        """What a scanner said."""
        return [text.decode("ascii") for text in self.stream.split(end) if text]

    def tell(self, word: str) -> None:
        self.device.tell(word)


Deal = Callable[..., Dealt]


def dealt(seed: int, **options: Any) -> Dealt:
    lines = "".join(f"{key} = {_toml(value)}\n" for key, value in options.items())
    log = TruthLog()
    (built,) = parse_scenario(f'title = "test"\n[[devices]]\n{lines}', "test.toml").devices
    device = build_device(built, seed, log)
    assert isinstance(device, CardDevice)
    return Dealt(device, log)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)

"""A shoe's telegrams from its own description, not from the codec's encoder; readings without their time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import strategies as st

from dealer_drivers.driver import Output, Session
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading

T0 = Instant(0, 0)


@pytest.fixture(scope="session")
def telegram() -> Callable[..., bytes]:
    """``telegram("1", "D", 0x81, 0xB8)``: ENQ, sequence, code, payload, ETX and the right BCC."""

    def build(sequence: str, code: str, *payload: int, wrong_bcc: bool = False) -> bytes:
        body = sequence.encode() + code.encode() + bytes(payload) + b"\x03"
        check = 0
        for byte in body:
            check ^= byte
        return b"\x05" + body + f"{check ^ wrong_bcc:02X}".encode()

    return build


@pytest.fixture(scope="session")
def told() -> Callable[[Iterable[Output]], tuple[Any, ...]]:
    """What a run of outputs says in all, whenever it said it."""

    def total(outputs: Iterable[Output]) -> tuple[Any, ...]:
        readings: list[Reading] = []
        send: list[bytes] = []
        frames = rejected = 0
        for output in outputs:
            readings += [replace(reading, at=T0) for reading in output.readings]
            send += output.send
            frames += output.frames
            rejected += output.rejected
        return readings, send, frames, rejected

    return total


@pytest.fixture(scope="session")
def feed_cut() -> Callable[[Session, bytes, Sequence[int]], list[Output]]:
    """Feeds ``data`` cut at the given places, all at one moment."""

    def feed(session: Session, data: bytes, cuts: Sequence[int]) -> list[Output]:
        edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
        return [session.feed(data[start:end], T0) for start, end in pairwise(edges)]

    return feed


@pytest.fixture(scope="session")
def cuts() -> st.SearchStrategy[list[int]]:
    """Places to cut a stream at."""
    return st.lists(st.integers(0, 400), max_size=12)

"""``shaker-networked``: states over MQTT, as lines of its transport."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen, wanted
from dealer_drivers.driver import DeviceAction
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking, ShakerTaken


def state(word: bytes, how: bytes = b"live") -> bytes:
    """A state that came."""
    return how + b" state " + word + b"\n"


def answer(sent: bytes) -> bytes:
    """A shaker that stands when it is asked, and takes every command."""
    if sent == b"command /state\n":
        return state(b"S0")
    return state(b"S2") if b"/cycle/" in sent else b""


def examples(folder: Path) -> Examples:  # noqa: ARG001
    button = Example(
        name="the dealer's button",
        options={"ask": False},
        counted=("cycle",),
        steps=(
            *received(0.5, state(b"S0", b"kept")),
            *received(1.0, state(b"S1"), state(b"S0"), state(b"S2"), state(b"S90"), every_s=2.0),
        ),
        expect=(seen(ShakerShaking), seen(ShakerIdle), seen(ShakerTaken), seen(ShakerFaulted)),
        silent_for_ever="another host asks, and the shaker says its changes only",
        resync_bytes=64,
        read_only=True,
    )
    asked = Example(
        name="asked",
        sends=(rb"command /state\n",),
        counted=("cycle",),
        steps=(*received(6.0, state(b"S1")), *passed(20.0)),
        answer=answer,
        resync_bytes=64,
    )
    started = Example(
        name="started",
        counted=("cycle",),
        sends=(rb"command /(state|cycle/\?[a-z0-9=&]+)\n",),
        options={"control": True, "poll_s": 2.0},
        steps=(*wanted(1.0, DeviceAction.START_SHAKE), *received(1.3, state(b"S1")), *passed(9.0)),
        answer=answer,
        expect=(
            seen(ShakerIdle, cycle=0),
            seen(ShakerTaken, cycle=1),
            seen(ShakerShaking, cycle=1, told_s=4.0),
            *(seen(ShakerIdle, cycle=1),) * 4,
        ),
        resync_bytes=64,
    )
    return Examples(
        plays=(button, asked, started),
        refused={
            "pattern": (0, 10),
            "amplitude": (0, 101),
            "duration_ms": (0, 60_000),
            "poll_s": (0.0, 61.0),
            "control": ("yes",),
        },
    )

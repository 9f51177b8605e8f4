"""``cammegh-m360``: the documented spin, with and without laps."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, passed, received, seen
from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberWitness, WheelPhase, WheelStatus
from support.cammegh import extra, status
from support.driver_examples.cammegh_ss2 import several_spins

SPIN = (
    *[status(2, 10, "22", more=extra(0, events=0x00A2))] * 4,
    *[b"*X;3;010;22;0;219;1;0022;08;0;0B099;??\r\n"] * 3,
    b"*X;4;010;22;0;217;1;0022;08;0;0BC29;??\r\n",
    b"*X;4;010;22;0;215;1;0022;08;0;0C9A2;??\r\n",
    b"35\r\n",
    *[b"*X;5;010;35;0;214;1;0122;00;0;162B4;35\r\n"] * 3,
    *[status(2, 11, "35", more=extra(0, events=0x00A2))] * 4,
)
PLAIN = tuple(line[:19] + b"\r\n" if line.startswith(b"*X;") else line for line in SPIN)


def answer(sent: bytes) -> bytes:
    """Identity, game mode, and the switch to extended frames."""
    return {b"*V\r\n": b"*V M360 3.1\r\n", b"*G?\r\n": b"*G 01\r\n", b"*m 2\r\n": b"*m OK\r\n"}.get(sent, b"")


def examples(folder: Path) -> Examples:  # noqa: ARG001
    bare = seen(BallRested, number="35", witness=NumberWitness.BARE, spin=10)
    framed = seen(BallRested, number="35", witness=NumberWitness.FRAME, spin=10)
    phases = [WheelPhase.BETTING] * 4 + [WheelPhase.RIM] * 3 + [WheelPhase.NO_MORE_BETS] * 2
    return Examples(
        plays=(
            Example(
                name="a spin",
                sends=(rb"\*(V|G\?)\r\n",),
                steps=received(0.3, *PLAIN, every_s=0.5),
                answer=answer,
                expect=(
                    *(seen(WheelStatus, phase=phase, spin=10, number_shown="22") for phase in phases),
                    bare,
                    *(seen(WheelStatus, phase=WheelPhase.RESULT, number_shown="35"), framed) * 3,
                    *(seen(WheelStatus, phase=WheelPhase.BETTING, spin=11),) * 4,
                ),
            ),
            Example(
                name="laps",
                sends=(rb"\*(V|G\?|m 2|R|F)\r\n",),
                options={"extended": True, "control": True},
                steps=(*received(0.3, *SPIN, every_s=0.5), *passed(12.0)),
                answer=answer,
                gathers=(BallLaps,),
            ),
            Example(
                name="another host asks",
                options={"ask": False},
                steps=received(0.3, *PLAIN, every_s=0.5),
                read_only=True,
            ),
            several_spins(),
        ),
        refused={"zeros": (0, 5), "extended": ("yes",)},
    )

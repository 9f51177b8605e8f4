"""``cammegh-ss2``: a spin of its own making, and recordings of real wheels where this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

from dealer_drivers.conformance import Example, Examples, Expected, passed, received, recorded, seen
from dealer_drivers.readings.roulette import BallLaps, BallRested, NumberWitness, WheelPhase, WheelStatus
from support.cammegh import status

CADENCE_S = 0.5
LAP = (b"*bs 1\r\n", b"*bs 2\r\n", b"*bs 3\r\n")
LINES = (
    b"1\r\n",
    *[status(2, 10, "31")] * 4,
    *[status(3, 10, "31")] * 4,
    *[status(4, 10, "31")] * 4,
    b"17\r\n",
    *[status(5, 10, "17")] * 3,
    *[status(2, 11, "17")] * 4,
)
PHASES = {2: WheelPhase.BETTING, 3: WheelPhase.RIM, 4: WheelPhase.NO_MORE_BETS, 5: WheelPhase.RESULT}


def identity(sent: bytes) -> bytes:
    """The answer to ``*V``."""
    return b"*V SS2 V2.50\r\n" if sent == b"*V\r\n" else b""


def spoken(lines: tuple[bytes, ...]) -> tuple[object, ...]:
    """The values of these lines."""
    found = []
    for line in lines:
        if line.startswith(b"*X;"):
            found.append(seen(WheelStatus, phase=PHASES[int(line[3:4])], number_shown=line[9:11].decode().strip()))
            if line[3:4] == b"5":
                found.append(seen(BallRested, number="17", witness=NumberWitness.FRAME, spin=10))
        elif line == b"17\r\n":
            found.append(seen(BallRested, number="17", witness=NumberWitness.BARE, spin=10))
    return tuple(found)


def spins(*results: str) -> tuple[bytes, ...]:
    """Plain spins from the 10th on, one for each number; the wheel showed 31 before."""
    lines: list[bytes] = []
    before = "31"
    for spin, number in enumerate(results, 10):
        lines += [status(state, spin, before) for state in (2, 2, 3, 3, 4, 4)]
        lines += [f"{number:>2}\r\n".encode(), *[status(5, spin, number)] * 2]
        before = number
    return (*lines, status(2, 10 + len(results), before))


def spins_read(*results: str) -> tuple[Expected, ...]:
    """What is read of them."""
    found: list[Expected] = []
    before = "31"
    for spin, number in enumerate(results, 10):
        found += [
            seen(WheelStatus, phase=PHASES[state], number_shown=before, spin=spin) for state in (2, 2, 3, 3, 4, 4)
        ]
        found += [seen(BallRested, number=number, witness=NumberWitness.BARE, spin=spin)]
        found += [
            seen(WheelStatus, phase=PHASES[5], number_shown=number, spin=spin),
            seen(BallRested, number=number, witness=NumberWitness.FRAME, spin=spin),
        ] * 2
        before = number
    return (*found, seen(WheelStatus, phase=PHASES[2], spin=10 + len(results)))


def several_spins() -> Example:
    """Of a wheel with two zeros."""
    results = ("32", "0", "00", "7")
    return Example(
        name="several spins",
        options={"ask": False, "zeros": 2},
        steps=received(0.3, *spins(*results), every_s=CADENCE_S),
        expect=spins_read(*results),
        read_only=True,
    )


def examples(folder: Path) -> Examples:  # noqa: ARG001
    spin = received(0.3, *LINES, every_s=CADENCE_S)
    ball = tuple(step for lap in range(8) for step in received(2.65 + 0.25 * lap, *LAP, every_s=0.08))
    plays = [
        Example(name="a spin", sends=(rb"\*V\r\n",), steps=spin, answer=identity, expect=spoken(LINES)),  # type: ignore[arg-type]
        Example(
            name="laps",
            sends=(rb"\*(V|I 4|R|F)\r\n",),
            options={"control": True, "lap_events": True},
            steps=tuple(sorted((*spin, *ball), key=lambda step: step.at_s)),
            answer=identity,
            gathers=(BallLaps,),
        ),
        Example(name="another host asks", options={"ask": False}, steps=spin, read_only=True),
        several_spins(),
        Example(
            name="parameters",
            sends=(rb"\*(V|T [Mm])\r\n",),
            options={"expected_parameters": {"m": "2.0"}},
            steps=(*spin, *passed(15.0)),
            answer=lambda sent: b"*T m 2.0\r\n" if sent == b"*T m\r\n" else identity(sent),
        ),
    ]
    data = os.environ.get("DEALER_REAL_DATA")
    if data:
        steps, about = recorded(
            Path(data) / "cammegh_ss2/speed-table-a.rec.jsonl", last_s=150.0, about="a Slingshot 2 in a casino"
        )
        plays.append(Example(name="a real wheel", steps=steps, recorded=about))
    return Examples(plays=tuple(plays), refused={"rim_sensors": (0, 10), "zeros": (0, 5), "control": ("yes",)})

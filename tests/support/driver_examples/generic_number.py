"""``generic-number``: the wheel of the how-to, and one that prints a number when it has one."""

from __future__ import annotations

from pathlib import Path

from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.roulette import BallLaps, BallRested, WheelPhase, WheelStatus

STATES = {"1": "idle", "2": "betting", "3": "rim", "4": "no_more_bets", "5": "result", "6": "closed"}


def examples(folder: Path) -> Examples:  # noqa: ARG001
    spin = ((2, 0), (2, 0), (3, 4), (4, 9), (5, 9), (1, 0))
    lines = [f"S={state} N=17 L=0{laps}\r\n".encode() for state, laps in spin]
    rested = seen(BallRested, number="17")
    expect = [
        (seen(WheelStatus, phase=WheelPhase(phase)), seen(BallLaps, laps=laps))
        for phase, laps in (("betting", 0), ("rim", 4), ("no_more_bets", 9), ("result", 9), ("idle", 0))
    ]
    numbers = [b"-\n", b"No 7.\n", b"No 36.\n", b"No 0.\n"]
    return Examples(
        plays=(
            Example(
                name="states and laps",
                options={
                    "pattern": "S=(?P<state>[1-6]) N=(?P<number>[0-9]{1,2}) L=(?P<laps>[0-9]{2})",
                    "states": STATES,
                    "periodic": True,
                    "silent_after_s": 5.0,
                },
                steps=received(0.5, *lines, every_s=0.5),
                # The first line may be the end of one.
                expect=(*expect[0], *expect[1], *expect[2], *expect[3], rested, *expect[4]),
                resync_bytes=40,
                read_only=True,
            ),
            Example(
                name="numbers alone",
                options={"pattern": r"No (?P<number>[0-9]{1,2})\.", "terminator": "\n"},
                steps=received(0.5, *numbers, every_s=20.0),
                expect=tuple(seen(BallRested, number=number) for number in ("7", "36", "0")),
                silent_for_ever="it prints a number when there is one, so the option silent_after_s is off",
                resync_bytes=16,
                read_only=True,
            ),
            Example(
                name="two zeros",
                options={"pattern": "No (?P<number>[0-9]{1,2})", "terminator": "\n", "zeros": 2},
                steps=received(0.5, b"-\n", b"No 00\n", b"No 0\n", b"No 00\n", every_s=20.0),
                expect=tuple(seen(BallRested, number=number) for number in ("00", "0", "00")),
                silent_for_ever="it prints a number when there is one, so the option silent_after_s is off",
                resync_bytes=16,
                read_only=True,
            ),
        ),
        refused={
            "pattern": ("(", "[0-9]+", "(?P<number>[0-9])(?P<what>x)", "(?P<number>(a+)+)"),
            "baud": (110,),
            "terminator": ("12345", "é"),
            "zeros": (0, 5),
            "silent_after_s": (-1.0,),
            "states": ({"1": "spinning"}, {}),
        },
    )

"""What the wheel says, and what must be read of it: for the conformance suite."""

from __future__ import annotations

from acme_wheel.codec import checked
from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.roulette import BallLaps, BallRested, WheelPhase, WheelStatus

SPIN = received(
    0.2,
    b"$B,017,32,00*59\r\n",
    b"$R,017,32,02*4B\r\n",
    b"$R,017,32,05*4C\r\n",
    b"$N,017,32,09*5C\r\n",
    b"$W,017, 7,09*53\r\n",
    b"$B,018, 7,00*40\r\n",
    every_s=0.5,
)
READ = (
    seen(WheelStatus, phase=WheelPhase.BETTING, spin=17, number_shown="32"),
    seen(WheelStatus, phase=WheelPhase.RIM),
    seen(BallLaps, laps=2),
    seen(WheelStatus, phase=WheelPhase.RIM),
    seen(BallLaps, laps=5),
    seen(WheelStatus, phase=WheelPhase.NO_MORE_BETS),
    seen(BallLaps, laps=9),
    seen(WheelStatus, phase=WheelPhase.RESULT, number_shown="7"),
    seen(BallRested, number="7", spin=17),
    seen(WheelStatus, phase=WheelPhase.BETTING, spin=18),
)


def sealed(frame: bytes) -> bytes:
    """A changed line with the right check value."""
    return checked(frame[1:].rpartition(b"*")[0])


EXAMPLES = Examples(
    plays=(
        Example(
            name="one spin",
            steps=SPIN,
            expect=READ,
            check_bits=8,
            sealed=sealed,
            resync_bytes=32,
            read_only=True,
        ),
        Example(
            name="with control",
            options={"control": True},
            steps=SPIN,
            check_bits=8,
            sealed=sealed,
            resync_bytes=32,
            sends=(rb"\$A\*41\r\n",),
        ),
    ),
    refused={"baud": (0, 4800), "zeros": (0, 3)},
)

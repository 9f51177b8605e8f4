"""What the wheel says, and what must be read of it: for the conformance suite."""

from __future__ import annotations

from acme_wheel.codec import checked
from dealer_drivers.conformance import Example, Examples, received, seen
from dealer_drivers.readings.roulette import BallLaps, BallRested, WheelPhase, WheelStatus

SPINS = received(
    0.2,
    b"$B,017,32,00*59\r\n",
    b"$R,017,32,02*4B\r\n",
    b"$R,017,32,05*4C\r\n",
    b"$N,017,32,09*5C\r\n",
    b"$W,017, 7,09*53\r\n",
    b"$B,018, 7,00*40\r\n",
    b"$R,018, 7,03*53\r\n",
    b"$N,018, 7,06*4A\r\n",
    b"$W,018,32,06*45\r\n",
    b"$B,019,32,00*57\r\n",
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
    seen(WheelStatus, phase=WheelPhase.RIM),
    seen(BallLaps, laps=3),
    seen(WheelStatus, phase=WheelPhase.NO_MORE_BETS),
    seen(BallLaps, laps=6),
    seen(WheelStatus, phase=WheelPhase.RESULT, number_shown="32"),
    seen(BallRested, number="32", spin=18),
    seen(WheelStatus, phase=WheelPhase.BETTING, spin=19),
)
ZEROS = received(
    0.2,
    b"$B,019,32,00*57\r\n",
    b"$N,019,32,12*58\r\n",
    b"$W,019,00,12*40\r\n",
    b"$B,020,00,00*5C\r\n",
    b"$N,020,00,10*51\r\n",
    b"$W,020, 0,10*58\r\n",
    b"$B,021, 0,00*4D\r\n",
    every_s=0.5,
)
ZEROS_READ = (
    seen(WheelStatus, phase=WheelPhase.BETTING, number_shown="32"),
    seen(WheelStatus, phase=WheelPhase.NO_MORE_BETS),
    seen(BallLaps, laps=12),
    seen(WheelStatus, phase=WheelPhase.RESULT, number_shown="00"),
    seen(BallRested, number="00", spin=19),
    seen(WheelStatus, phase=WheelPhase.BETTING, number_shown="00"),
    seen(WheelStatus, phase=WheelPhase.NO_MORE_BETS),
    seen(BallLaps, laps=10),
    seen(WheelStatus, phase=WheelPhase.RESULT, number_shown="0"),
    seen(BallRested, number="0", spin=20),
    seen(WheelStatus, phase=WheelPhase.BETTING, spin=21),
)


def sealed(frame: bytes) -> bytes:
    """A changed line with the right check value."""
    return checked(frame[1:].rpartition(b"*")[0])


EXAMPLES = Examples(
    plays=(
        Example(
            name="two spins",
            steps=SPINS,
            expect=READ,
            check_bits=8,
            sealed=sealed,
            resync_bytes=32,
            read_only=True,
        ),
        Example(
            name="two zeros",
            options={"zeros": 2},
            steps=ZEROS,
            expect=ZEROS_READ,
            check_bits=8,
            sealed=sealed,
            resync_bytes=32,
        ),
        Example(
            name="with control",
            options={"control": True},
            steps=SPINS,
            check_bits=8,
            sealed=sealed,
            resync_bytes=32,
            sends=(rb"\$A\*41\r\n",),
        ),
    ),
    refused={"baud": (0, 4800), "zeros": (0, 3)},
)

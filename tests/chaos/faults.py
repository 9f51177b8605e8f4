"""What goes wrong, when, and for how long: a plan, drawn from a seed before anything runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Fault(StrEnum):
    """One kind of fault."""

    KILL_STATION = "station killed"
    STOP_STATION = "station told to stop"
    FREEZE_STATION = "station frozen"
    KILL_BROKER = "broker killed"
    FREEZE_BROKER = "broker frozen"
    REFUSE = "events refused by the broker"
    KILL_CONSUMER = "consumer killed"

    CUT = "cut"
    RESET = "reset"
    HALF_OPEN = "half open"
    HALF_OPEN_UP = "half open, up"
    HALF_OPEN_DOWN = "half open, down"
    DELAY = "delayed"
    THROTTLE = "throttled"
    PIECES = "in pieces"

    DISK_FULL = "disk full"
    FILES_FULL = "files may not grow"
    DISK_READ_ONLY = "disk read-only at a start"

    UNPLUG = "unplugged"
    POWER_CYCLE = "power cycled"
    HANG = "device hangs"
    FLOOD = "device floods"
    LINE_CUT = "serial server cut"
    LINE_HALF_OPEN = "serial server half open"

    CLOCK_FORWARD = "clock put forward"
    CLOCK_BACK = "clock put back"

    REPEATED = "command repeated"
    REORDERED = "commands reordered"
    FORGED_ROLE = "command with a role that there is not"
    WRONG_ROLE = "command that the role may not give"
    ID_REUSED = "command under a used id"
    OTHER_TABLE = "command for another table"
    ENDED_ROUND = "command for a round that ended"
    NO_COMMAND = "bytes that are no command"


NETWORK = (
    Fault.CUT,
    Fault.RESET,
    Fault.HALF_OPEN,
    Fault.HALF_OPEN_UP,
    Fault.HALF_OPEN_DOWN,
    Fault.DELAY,
    Fault.THROTTLE,
    Fault.PIECES,
)


@dataclass(frozen=True, slots=True)
class Lane:
    """Faults that come one after the other; lanes run beside each other. Seconds between them and during each."""

    faults: Sequence[Fault]
    gap_s: tuple[float, float]
    for_s: tuple[float, float]


LANES: Mapping[str, Lane] = {
    "station": Lane(
        (Fault.KILL_STATION, Fault.KILL_STATION, Fault.STOP_STATION, Fault.FREEZE_STATION), (4, 9), (0.5, 3)
    ),
    "broker": Lane((Fault.KILL_BROKER, Fault.KILL_BROKER, Fault.FREEZE_BROKER, Fault.REFUSE), (5, 12), (0.3, 3)),
    "uplink": Lane(NETWORK, (2, 6), (0.5, 3)),
    "downlink": Lane((*NETWORK, Fault.KILL_CONSUMER), (2, 6), (0.5, 3)),
    "disk": Lane((Fault.DISK_FULL, Fault.FILES_FULL, Fault.DISK_FULL, Fault.DISK_READ_ONLY), (6, 14), (1, 4)),
    "devices": Lane(
        (Fault.UNPLUG, Fault.POWER_CYCLE, Fault.HANG, Fault.FLOOD, Fault.LINE_CUT, Fault.LINE_HALF_OPEN),
        (1, 4),
        (0.2, 2),
    ),
    "clock": Lane((Fault.CLOCK_FORWARD, Fault.CLOCK_BACK), (4, 10), (0, 0)),
    "commands": Lane(
        (
            Fault.REPEATED,
            Fault.REORDERED,
            Fault.FORGED_ROLE,
            Fault.WRONG_ROLE,
            Fault.ID_REUSED,
            Fault.OTHER_TABLE,
            Fault.ENDED_ROUND,
            Fault.NO_COMMAND,
        ),
        (0.5, 2),
        (0, 0),
    ),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One fault of a plan. ``chance`` (0 to 1) chooses what the plan does not know: which device, how far."""

    at_s: float
    lane: str
    fault: Fault
    for_s: float
    chance: float

    @property
    def end_s(self) -> float:
        """When it is over."""
        return self.at_s + self.for_s


def plan(seed: int, seconds: float, lanes: Mapping[str, Lane] = LANES) -> list[Step]:
    """Faults for so many seconds, in order; all are over by then. The same arguments give the same plan.

    Within a lane every kind comes before one comes again (as far as it has one entry), so that a short run has all.
    """
    steps: list[Step] = []
    for name, lane in lanes.items():
        chance = Random(f"{seed}/{name}")
        at_s = chance.uniform(0, lane.gap_s[1])
        for fault in _bag(lane.faults, chance):
            for_s = chance.uniform(*lane.for_s)
            if at_s + for_s > seconds:
                break
            steps.append(Step(at_s, name, fault, for_s, chance.random()))
            at_s += for_s + chance.uniform(*lane.gap_s)
    return sorted(steps, key=lambda step: step.at_s)


def _bag(faults: Sequence[Fault], chance: Random) -> Iterator[Fault]:
    while True:
        yield from chance.sample(list(faults), len(faults))

"""Readings of a shaker and of the camera over it, written as a short script to a judge of dice."""

from __future__ import annotations

from collections.abc import Sequence

from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.signals import (
    Ask,
    Contradicted,
    Judged,
    NotJudged,
    Ready,
    Signal,
    Started,
    Unseen,
)
from dealer_daemon.verdicts import Refused
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceFault, Reading
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear, Face
from dealer_drivers.readings.shaker import ShakerFaulted, ShakerIdle, ShakerShaking, ShakerTaken

START = Instant(10 * NS_PER_S, 1_767_225_600_000_000_000)


def face(value: int, x: float, y: float) -> Face:
    return Face(value, x, y, size_px=90.0, turn_deg=10.0, dark_pips=True, score=0.9)


LAY: tuple[Face, ...] | None = tuple(face(1, 500.0, y) for y in (60.0, 200.0, 330.0))


class Hall:
    """A table's shaker and camera before ``judge``. ``at`` is now; the camera answers only when told to, but for one
    question: under a dome it says at once what lies there before a throw, ``lies``, and of that nothing is said here.
    ``lies = None``: it does not.

    ``said`` gathers signals as words: ``ready``, ``started``, ``start`` and ``look`` (what is asked of devices), the
    dice of an outcome as ``2-3-6``, ``refused:why``, ``held:why``, ``unseen:why``, ``contradicted``.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.at = START
        self.said: list[str] = []
        self.signals: list[Signal] = []
        self.cycle = 0
        self.ask = 0
        self.asked_at = START
        self._spot = 0.0
        self.lies = LAY if isinstance(judge, DiceJudge) else None

    # -- time and signals -----------------------------------------------------------------------------------

    def wait(self, seconds: float) -> Hall:
        """Time passes; deadlines on the way are kept at their moment."""
        end = self.at.plus_s(seconds)
        for _ in range(1000):
            deadline_ns = self.judge.deadline_ns()
            if deadline_ns is None or deadline_ns > end.mono_ns:
                self.at = end
                return self
            self.at = self.at.plus_s(max(0, deadline_ns - self.at.mono_ns) / NS_PER_S)
            self.take(self.judge.tick(self.at))
        raise AssertionError("the judge wants to be called again and again")

    def take(self, signals: Sequence[Signal]) -> Hall:
        self.signals += signals
        for signal in signals:
            match signal:
                case Ask(action=DeviceAction.LOOK):
                    self._asked(outside=not self.judge.underway())
                case Ask(action=DeviceAction.START_SHAKE):
                    self.said.append("start")
                case Ready():
                    self.said.append("ready")
                case Started():
                    self.said.append("started")
                case Judged(value=value):
                    dice = value.facts["dice"]
                    assert isinstance(dice, list)
                    self.said.append("-".join(map(str, dice)))
                case NotJudged(verdict=verdict):
                    kind = "refused" if isinstance(verdict, Refused) else "held"
                    self.said.append(f"{kind}:{verdict.reason}")
                case Unseen(verdict=verdict):
                    self.said.append(f"unseen:{verdict.reason}")
                case Contradicted():
                    self.said.append("contradicted")
                case _:
                    pass
        return self

    def _asked(self, *, outside: bool) -> None:
        self.ask, self.asked_at = self.ask + 1, self.at
        if outside and self.lies is not None:
            self.read(self._look(self.lies, self.ask, self.at, self.at))
        else:
            self.said.append("look")

    def new(self) -> list[str]:
        """The words since the last call."""
        said, self.said = self.said, []
        return said

    def read(self, reading: Reading, device: str = "camera") -> Hall:
        return self.take(self.judge.feed(device, reading))

    def due(self) -> Hall:
        return self.take(self.judge.due(self.at))

    # -- the shaker -----------------------------------------------------------------------------------------

    def idle(self, cycle: int | None = None) -> Hall:
        told = self.cycle if cycle is None else cycle
        return self.read(ShakerIdle(at=self.at, raw=b"S0", cycle=told), "shaker")

    def taken(self) -> Hall:
        return self.read(ShakerTaken(at=self.at, raw=b"S2", cycle=self.cycle + 1), "shaker")

    def shaking(self, told_s: float | None = None, *, new: bool = True) -> Hall:
        self.cycle += new
        return self.read(ShakerShaking(at=self.at, raw=b"S1", cycle=self.cycle, told_s=told_s), "shaker")

    def faulted(self) -> Hall:
        return self.read(ShakerFaulted(at=self.at, raw=b"S90", cycle=self.cycle), "shaker")

    def fault(self, device: str, fault: str, *, cleared: bool = False) -> Hall:
        return self.read(DeviceFault(at=self.at, raw=b"", fault=fault, detail="gone", cleared=cleared), device)

    # -- the camera -----------------------------------------------------------------------------------------

    def moves(self, ago_s: float = 0.05) -> Hall:
        return self.read(SceneMoved(at=self.at, raw=b"moves", taken=self.at.plus_s(-ago_s)))

    def still(self, for_s: float = 0.5) -> Hall:
        return self.read(SceneStill(at=self.at, raw=b"still", since=self.at.plus_s(-for_s)))

    def faces(self, *values: int, moved: bool = True) -> tuple[Face, ...]:
        """Dice that lie elsewhere than before, unless they did not move."""
        self._spot = (self._spot + 37.0) % 400 if moved else self._spot
        spots = ((60 + self._spot, 80.0), (200.0, 60 + self._spot), (330.0, 190.0 + self._spot / 2))
        return tuple(face(value, *spots[i % 3]) for i, value in enumerate(sorted(values)))

    def seen(
        self,
        *values: int,
        ask: int | None = None,
        first: Instant | None = None,
        last: Instant | None = None,
        moved: bool = True,
    ) -> Hall:
        """The camera answers its newest question from five pictures, the last of them just taken."""
        first = first or self.asked_at.plus_s(0.05)
        faces = self.faces(*values, moved=moved)
        if self.lies is not None:
            self.lies = faces
        last = last or max(first, self.at.plus_s(-0.03))
        return self.read(self._look(faces, self.ask if ask is None else ask, first, last))

    def _look(self, faces: tuple[Face, ...], ask: int, first: Instant, last: Instant) -> DiceSeen:
        return DiceSeen(at=self.at, raw=b"look", ask=ask, first=first, last=last, frames=5, faces=faces)

    def unclear(self, *reasons: str, ask: int | None = None, first: Instant | None = None) -> Hall:
        look = DiceUnclear(
            at=self.at,
            raw=b"look",
            ask=self.ask if ask is None else ask,
            first=first or self.asked_at.plus_s(0.05),
            last=self.at,
            frames=12,
            reasons=reasons,
            detail="so it is",
        )
        return self.read(look)

    # -- whole stretches ------------------------------------------------------------------------------------

    def rest(self) -> Hall:
        """The shaker stands and the camera has begun to look: something moves, then nothing."""
        return self.idle().moves().wait(0.5).still()

    def shake(self, seconds: float = 4.0, told_s: float | None = None) -> Hall:
        """Shaken and come to rest, up to the question what lies there."""
        self.shaking(told_s).wait(0.2).moves().wait(seconds - 0.2)
        return self.idle().wait(0.8).still().wait(0.4)

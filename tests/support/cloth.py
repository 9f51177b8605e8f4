"""A judge of fan-tan layouts below a camera that sees and says what the test tells it."""

from __future__ import annotations

from dealer_daemon.games.fan_tan import layout_facts
from dealer_daemon.validation.beans import BeansJudge
from dealer_daemon.validation.beans_rules import BeansRules
from dealer_daemon.validation.signals import Ask, BettingOver, Signal, Started
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault
from dealer_drivers.readings.beans import BeansSeen, BeansUnclear

LOOK = Ask("cam", DeviceAction.LOOK)


def at(seconds: float) -> Instant:
    return Instant(round(seconds * 1e9), round(seconds * 1e9))


class Cloth:
    """A camera over a cloth and its judge; time runs in seconds. Looks are answered only when the test says so."""

    def __init__(self, **rules: object) -> None:
        chosen = {"confirm": "uncovered"} | rules
        self.judge = BeansJudge(BeansRules(**chosen), layout_facts, camera="cam")  # type: ignore[arg-type]
        self.now_s = 0.0
        self.ask = 0
        self.said: list[Signal] = []

    def _take(self, signals: list[Signal]) -> list[Signal]:
        self.ask += signals.count(LOOK)
        self.said += signals
        return signals

    def wait(self, seconds: float) -> list[Signal]:
        """Time passes; the judge is called whenever it asked to be."""
        end_s, told = self.now_s + seconds, []
        while (due := self.judge.deadline_ns()) is not None and due / 1e9 <= end_s:
            self.now_s = max(self.now_s, due / 1e9)
            told += self._take(self.judge.tick(at(self.now_s)))
        self.now_s = end_s
        return told

    def due(self) -> list[Signal]:
        return self._take(self.judge.due(at(self.now_s)))

    def moves(self) -> list[Signal]:
        return self._take(self.judge.feed("cam", SceneMoved(at=at(self.now_s), raw=b"m", taken=at(self.now_s))))

    def rests(self) -> list[Signal]:
        still = SceneStill(at=at(self.now_s), raw=b"s", since=at(self.now_s - 0.5))
        return self._take(self.judge.feed("cam", still))

    def sees(self, beans: int, *, ask: int | None = None, first_s: float | None = None) -> list[Signal]:
        first_s = self.now_s + 0.1 if first_s is None else first_s
        self.wait(0.4)
        look = BeansSeen(
            at=at(self.now_s), raw=b"l", ask=ask or self.ask, first=at(first_s), last=at(self.now_s - 0.05), frames=5,
            beans=beans, groups=-(-beans // 4), remainder=(beans - 1) % 4 + 1,
        )  # fmt: skip
        return self._take(self.judge.feed("cam", look))

    def doubts(self, *reasons: str) -> list[Signal]:
        first_s = self.now_s + 0.1
        self.wait(0.4)
        look = BeansUnclear(
            at=at(self.now_s), raw=b"u", ask=self.ask, first=at(first_s), last=at(self.now_s - 0.05), frames=12,
            reasons=reasons, detail="what is wrong",
        )  # fmt: skip
        return self._take(self.judge.feed("cam", look))

    def fails(self) -> list[Signal]:
        fault = DeviceFault(at=at(self.now_s), raw=b"", fault="link_lost", detail="plug it in")
        return self._take(self.judge.feed("cam", fault))

    def mends(self) -> list[Signal]:
        fault = DeviceFault(at=at(self.now_s), raw=b"", fault="link_lost", detail="", cleared=True)
        return self._take(self.judge.feed("cam", fault))

    def covered(self) -> None:
        """The bowl lies on the cloth, and the round waits for the layout."""
        self.moves()
        self.wait(1)
        assert self.rests() == [LOOK]
        self.doubts("covered")
        self.due()
        self.wait(5)

    def laid_out(self) -> None:
        """The bowl is lifted and the beans are laid out; then nothing moves."""
        assert self.moves() == [Started(), BettingOver()]
        self.wait(40)
        assert self.rests() == [LOOK]

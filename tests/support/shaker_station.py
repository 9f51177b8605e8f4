"""The station's driver and judge on a simulated shaker and a camera that sees what lies there; no ports, no clocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.validation.dice import DiceJudge
from dealer_daemon.validation.dice_rules import ShakeRules
from dealer_daemon.validation.signals import Ask, Contradicted, Judged, NotJudged, Ready, Signal, Started, Unseen
from dealer_drivers.camera.readings import SceneMoved, SceneStill
from dealer_drivers.driver import DeviceAction, Driver, Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import Reading
from dealer_drivers.readings.dice import DiceSeen, DiceUnclear, Face
from dealer_drivers.shaker.networked import DRIVER as NETWORKED
from dealer_drivers.shaker.relay import DRIVER as RELAY
from dealer_drivers.supervised import SupervisedSession
from dealer_drivers.transports.mqtt_lines import read_sent_line, received_line
from hw_sim.device import Action, Plug
from hw_sim.dice.networked import NetworkedShaker
from hw_sim.dice.options import NetworkedOptions, RelayOptions
from hw_sim.dice.relay import RelayShaker
from hw_sim.dice.words import REASON
from hw_sim.truth import TruthLog

STEP_S = 0.01
PICTURE_S = 0.05
QUIET_S = 0.5
LOOK_PICTURES = 5
TELL_S = 0.06
"""From a picture to the station's knowledge of it."""


@dataclass(slots=True)
class Ended:
    """How one attempt ended."""

    word: str
    """``2-3-6``, ``refused:why``, ``held:why``, ``unseen:why``, ``contradicted``."""
    at_s: float
    shakes: int
    """Shakes that had begun by then."""


class Station:
    """One table. ``play`` runs a number of rounds; ``ends`` are the attempts' ends in order."""

    def __init__(
        self,
        model: str,
        *,
        seed: int = 1,
        shakes: tuple[str, ...] = (),
        rates: dict[str, float] | None = None,
        button: bool = False,
        ask: bool = True,
    ) -> None:
        self.truth = TruthLog()
        told = {"name": "shaker", "shakes": shakes, "rates": rates or {}, "starts": "told"}
        if model == "networked":
            self.device: NetworkedShaker | RelayShaker = NetworkedShaker(
                NetworkedOptions(**told),
                seed,
                self.truth,  # type: ignore[arg-type]
            )
            driver: Driver = NETWORKED
            values: dict[str, object] = {"control": not button, "ask": ask}
        else:
            self.device = RelayShaker(RelayOptions(**told), seed, self.truth)  # type: ignore[arg-type]
            driver, values = RELAY, {"control": not button}
        self.mqtt = model == "networked"
        self.button = button
        self.session = SupervisedSession(driver.session(driver.parse_options(values)), "port", "hint")
        rules = ShakeRules(start="button" if button else "station")
        self.judge = DiceJudge(rules, dice_facts, shaker="shaker", camera="camera")
        self.ends: list[Ended] = []
        self.ready = False
        self.faults: list[str] = []
        self._camera = _Camera(self)
        self.take(self.session.opened(self.at))
        self.device.attached()

    @property
    def at(self) -> Instant:
        ns = round(self.device.now_s * NS_PER_S)
        return Instant(100 * NS_PER_S + ns, 1_767_225_600_000_000_000 + ns)

    def run(self, seconds: float) -> None:
        """Lets time pass."""
        for _ in range(round(seconds / STEP_S)):
            self._arrive(self.device.advance(self.device.now_s + STEP_S))
            deadline_ns = self.session.deadline_ns()
            if deadline_ns is not None and self.at.mono_ns >= deadline_ns:
                self.take(self.session.tick(self.at))
            deadline_ns = self.judge.deadline_ns()
            if deadline_ns is not None and self.at.mono_ns >= deadline_ns:
                self.hear(self.judge.tick(self.at))
            self._camera.step()

    def play(self, rounds: int, *, most_s: float = 60.0) -> None:
        """So many rounds, one attempt each."""
        for _ in range(rounds):
            for _ in range(round(most_s)):
                if self.judge.waiting():
                    break
                self.run(1.0)
            assert self.judge.waiting(), f"never ready again after {self.ends[-1:]}"
            ended = len(self.ends)
            self.hear(self.judge.due(self.at))
            if self.button:
                self.device.press()
            for _ in range(round(most_s)):
                self.run(1.0)
                if len(self.ends) > ended:
                    break
            else:
                raise AssertionError("the attempt never ended")

    def words(self) -> list[str]:
        return [end.word for end in self.ends]

    def take(self, output: Output) -> None:
        for reading in output.readings:
            self.hear(self.judge.feed("shaker", reading))
            if type(reading).__name__ == "DeviceFault" and not reading.cleared:  # type: ignore[attr-defined]
                self.faults.append(reading.fault)  # type: ignore[attr-defined]
        for data in output.send:
            for line in data.splitlines() if self.mqtt else [data]:
                self._arrive(self.device.receive(read_sent_line(line)[1] if self.mqtt else line))

    def see(self, reading: Reading) -> None:
        self.hear(self.judge.feed("camera", reading))

    def hear(self, signals: list[Signal]) -> None:
        for signal in signals:
            match signal:
                case Ask(action=DeviceAction.LOOK):
                    self._camera.asked()
                case Ask(action=DeviceAction.START_SHAKE):
                    self.take(self.session.request(DeviceAction.START_SHAKE, self.at))
                case Judged(value=value):
                    dice = value.facts["dice"]
                    assert isinstance(dice, list)
                    self._ended("-".join(map(str, dice)))
                case NotJudged(verdict=verdict):
                    self._ended(f"{type(verdict).__name__.lower()}:{verdict.reason}")
                case Unseen(verdict=verdict):
                    self._ended(f"unseen:{verdict.reason}")
                case Contradicted():
                    self._ended("contradicted")
                case Started() | Ready():
                    pass

    def lies(self) -> str:
        """The dice that lie there."""
        return "-".join(map(str, sorted(die.value for die in self.device.dome.lies())))

    def _ended(self, word: str) -> None:
        self.ends.append(Ended(word, self.device.now_s, self.device._shakes))

    def _arrive(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Plug):
                # The shaker's own connection to the broker: ours stands. Back again, it says its state.
                if action.inserted:
                    self.device.attached()
                continue
            data = received_line("state", action.data, kept=False) if self.mqtt else action.data
            self.take(self.session.received(data, self.at))


class _Camera:
    """Sees truly, twenty times a second, and says so a little later."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._picture_s = 0.0
        self._still: bool | None = None
        self._moved_s = 0.0
        self._ask = 0
        self._asked_s = math.inf
        self._frames: list[float] = []
        self._later: list[tuple[float, Reading]] = []

    def asked(self) -> None:
        self._ask += 1
        self._asked_s, self._frames = self._station.device.now_s, []

    def step(self) -> None:
        now_s = self._station.device.now_s
        while self._later and self._later[0][0] <= now_s:
            self._station.see(self._later.pop(0)[1])
        if now_s < self._picture_s:
            return
        self._picture_s = now_s + PICTURE_S
        moving = self._station.device.dome.rest_s > now_s
        if moving or self._still is None:
            self._moved_s = now_s
            self._frames = []
            if self._still is not False:
                self._still = False
                self._say(SceneMoved(at=self._when(TELL_S), raw=b"m", taken=self._when()))
        elif not self._still and now_s - self._moved_s >= QUIET_S:
            self._still = True
            self._say(SceneStill(at=self._when(TELL_S), raw=b"s", since=self._when(self._moved_s - now_s + PICTURE_S)))
        if self._still and now_s > self._asked_s:
            self._frames.append(now_s)
            if len(self._frames) == LOOK_PICTURES:
                self._say(self._look())
                self._asked_s = math.inf

    def _say(self, reading: Reading) -> None:
        self._later.append((self._station.device.now_s + TELL_S, reading))

    def _look(self) -> Reading:
        now_s = self._station.device.now_s
        pose = self._station.device.dome._scene.pose
        first, last = self._when(self._frames[0] - now_s), self._when()
        if REASON[pose] is not None:
            return DiceUnclear(
                at=self._when(TELL_S), raw=b"l", ask=self._ask, first=first, last=last, frames=LOOK_PICTURES,
                reasons=(str(REASON[pose]),), detail="",
            )  # fmt: skip
        faces = tuple(
            Face(die.value, die.x_px, die.y_px, die.size_px, die.turn_deg, True, 1.0)
            for die in self._station.device.dome.lies()
        )
        return DiceSeen(
            at=self._when(TELL_S), raw=b"l", ask=self._ask, first=first, last=last, frames=LOOK_PICTURES, faces=faces
        )

    def _when(self, later_s: float = 0.0) -> Instant:
        return self._station.at.plus_s(later_s)

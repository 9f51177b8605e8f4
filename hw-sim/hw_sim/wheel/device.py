"""A colour wheel with its encoder's line and its plug: a ``SimDevice``. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from hw_sim.device import Action, Bytes, Plug, UnknownWord
from hw_sim.faults import Fault, UnknownFault
from hw_sim.truth import TruthLog
from hw_sim.wheel.faults import TurnDesk, TurnFault, parse_turn
from hw_sim.wheel.layout import wheel_file
from hw_sim.wheel.options import ColourWheelOptions, WheelCounterOptions, WheelModbusOptions
from hw_sim.wheel.physics import SEGMENT_DEG
from hw_sim.wheel.truth import Turn
from hw_sim.wheel.turntable import Turntable, is_word
from hw_sim.wheel.wire import (
    BUSY,
    COUNT_REGISTER,
    REFERENCE_REGISTER,
    TURNAROUND_S,
    Question,
    Slave,
    commands,
    flipped,
    line_s,
    reply,
    report,
    two_words,
)

UNPLUGGED_S = (2.0, 6.0)
DARK_S = (0.4, 1.2)
"""Without power."""
LATE_S = (0.12, 0.4)
MISREAD_S = 0.8
ROLL_BACK_MARGIN_DEG = 30
SPOILT_FRAMES = (1, 3)
WORDS = {
    "spin": "the wheel is spun",
    "step": "it is turned on by a segment; `step N`: by so many",
    "back": "it is turned back by a segment; `back N`: by so many",
    "segment N": "it is turned so that the pointer is in segment N",
    "walk": "it is turned on by a segment again and again, 51 times, with a rest in each",
    "boundary N": "it is turned so that the pointer is on the peg where segment N begins",
    "slip": "the encoder slips on its shaft",
}
ZERO, ZERO_ANSWER = 6, 8
"""The function that sets zero, and the bytes of an answer that says so."""


class ColourWheel:
    """One wheel of a scenario. The same options, seed and calls give the same bytes."""

    def __init__(self, options: ColourWheelOptions, seed: int, truth: TruthLog) -> None:
        self.name = options.name
        self.options = options
        self.driver = self.model = options.driver
        # A stream of chance for each part, so that a fault of one changes nothing of the others.
        self._desk = TurnDesk(
            Random(f"{seed}/{options.name}/faults"),
            options.rates,
            [parse_turn(entry, options.faults()) for entry in options.script],
        )
        self._rng = Random(f"{seed}/{options.name}/wire")
        self._truth = truth
        self._struck: list[TurnFault] = []
        self.table = Turntable(
            options, Random(f"{seed}/{options.name}/wheel"), self._desk, self._finished, self._struck.append
        )
        self._spoil: list[TurnFault] = []
        """Faults of the frames to come, the next one's last."""
        self._dark_until_s = -math.inf
        self._replug_s = math.inf
        self._in = True

    def _finished(self, turn: Turn) -> None:
        self._truth.add(turn)

    @property
    def now_s(self) -> float:
        """The wheel's present moment."""
        return self.table.now_s

    def next_s(self) -> float:
        """When something happens next."""
        return min(self.table.next_s(), self._line_s(), self._replug_s)

    def advance(self, to_s: float) -> list[Action]:
        """Goes on to a moment; what reached the port until then, in order."""
        actions: list[Action] = []
        while True:
            at_s = min(self.next_s(), to_s)
            self.table.advance(at_s)
            while self._struck:
                self._strike(self._struck.pop(0), actions)
            while self._line_s() <= at_s:
                self._speak(actions)
            if at_s >= self._replug_s:
                self._replug_s, self._in = math.inf, True
                actions.append(Plug(inserted=True))
            if self.next_s() > to_s and at_s >= to_s:
                return actions

    def _strike(self, fault: TurnFault, actions: list[Action]) -> None:
        if fault is TurnFault.UNPLUG:
            self._replug_s, self._in = self.now_s + self._rng.uniform(*UNPLUGGED_S), False
            self._unplugged()
            actions.append(Plug(inserted=False))
        elif fault is TurnFault.POWER_CYCLE:
            self._power_lost()
        elif fault is not TurnFault.COUNTS_LOST:
            self._spoil += [fault] * self._rng.randint(*SPOILT_FRAMES)

    def _send(self, frame: bytes, actions: list[Action]) -> None:
        """A frame goes over the line, perhaps spoilt."""
        fault = self._spoil.pop() if self._spoil and self._spoil[-1] in _LINE else None
        if fault is TurnFault.GARBLED:
            frame = flipped(frame, self._rng)
        if fault is not TurnFault.LOST_FRAMES and self._in:
            actions.append(Bytes(frame))

    def _line_s(self) -> float:
        """When the line speaks next."""
        raise NotImplementedError

    def _speak(self, actions: list[Action]) -> None:
        """It does."""
        raise NotImplementedError

    def receive(self, data: bytes) -> list[Action]:
        """The host sent bytes, now."""
        raise NotImplementedError

    def _unplugged(self) -> None:
        """What was on its way is lost."""

    def _power_lost(self) -> None:
        self._dark_until_s = self.now_s + self._rng.uniform(*DARK_S)
        self._unplugged()

    def attached(self) -> None:
        """A host opened the port: encoders do not notice."""

    def inject(self, fault: str) -> None:
        """The next turn gets this fault. Raises ``UnknownFault``."""
        known = {each.value: each for each in self.options.faults()}
        if fault not in known:
            raise UnknownFault(f"a {self.model} has no fault {str(fault)!r}; it has: {', '.join(sorted(known))}")
        self._desk.inject(known[fault])

    def note(self, fault: Fault) -> None:
        """Something was done from outside: a wheel whose time stands loses nothing."""

    def plugged(self, inserted: bool) -> None:
        """The plug was pulled or put in from outside, now."""
        self._in = inserted
        if not inserted:
            self._unplugged()
            if self.table.turn is not None:
                self.table.turn.faults.add(TurnFault.UNPLUG)

    def power_cycle(self) -> None:
        """Power fails and comes back, now."""
        if self.table.turn is not None:
            self.table.turn.faults.add(TurnFault.POWER_CYCLE)
        self._power_lost()

    def tell(self, word: str) -> None:
        """Somebody says something to the dealer. Raises ``UnknownWord``."""
        if not is_word(word):
            raise UnknownWord(f"nobody at the wheel knows {word!r}; there are: {', '.join(WORDS)}")
        self.table.tell(word)

    def words(self) -> Mapping[str, str]:
        """What may be said."""
        return WORDS if self.options.starts == "told" else {}

    def look(self) -> Mapping[str, str]:
        """Whether it moves; the segment under the pointer and its colour."""
        segment = int(self.table.angle() % 360 / SEGMENT_DEG)
        moving = "yes" if self.table.moving else "no"
        return {"moving": moving, "segment": str(segment), "color": self.table.segments[segment]}

    def answers(self) -> str:
        """The colours of a walk that begins in segment 0."""
        if self.options.starts != "told":
            return ""
        return "".join(f"segment.{number}={color}\n" for number, color in enumerate(self.table.segments))

    def files(self) -> Mapping[str, str]:
        """The wheel's calibration file."""
        table, encoder = self.table, self.table.encoder
        home_deg = self._home_deg()
        return {
            f"{self.name}.wheel.toml": wheel_file(
                name=self.name,
                segments=table.segments,
                direction="up" if encoder.sign > 0 else "down",
                offset_deg=encoder.sign * (encoder.zero_deg + home_deg),
                reference_deg=encoder.mark_angle() - home_deg,
                correction_deg=encoder.corrections(home_deg),
                slowing=table.dynamics.slowing(),
                roll_back_deg=min(350, table.dynamics.roll_back_deg() + ROLL_BACK_MARGIN_DEG),
            )
        }

    def _home_deg(self) -> float:
        """The encoder's own angle at what the station takes for its zero."""
        return 0.0

    def in_play(self) -> dict[str, Any] | None:
        """The unfinished record of the turn in play."""
        return None if self.table.turn is None else self.table.turn.as_json()


_LINE = frozenset({TurnFault.GARBLED, TurnFault.LOST_FRAMES})


class ModbusWheel(ColourWheel):
    """An absolute encoder: it answers, and keeps its place without power."""

    options: WheelModbusOptions

    def __init__(self, options: WheelModbusOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._slave = Slave(options.slave)
        self._asked: list[tuple[float, Question]] = []
        """When the encoder looks, and what was asked."""
        self._answers: list[tuple[float, bytes]] = []
        self._misread_until_s = -math.inf

    def _line_s(self) -> float:
        asked_s = self._asked[0][0] if self._asked else math.inf
        answered_s = self._answers[0][0] if self._answers else math.inf
        return min(asked_s, answered_s)

    def receive(self, data: bytes) -> list[Action]:
        """A question arrived; the answer follows when it has gone over the line."""
        if self.now_s >= self._dark_until_s and self._in:
            for question in self._slave.receive(data):
                at_s = self.now_s + line_s(8) + self._rng.uniform(*TURNAROUND_S)
                self._asked.append((at_s, question))
        return []

    def _speak(self, actions: list[Action]) -> None:
        if self._answers and (not self._asked or self._answers[0][0] <= self._asked[0][0]):
            self._send(self._answers.pop(0)[1], actions)
            return
        at_s, question = self._asked.pop(0)
        frame = self._slave.answer(question, self._words)
        if question.function == ZERO and len(frame) == ZERO_ANSWER:
            self.table.encoder.zero_deg += self.table.encoder.angle(self.table.angle())
        late_s = 0.0
        fault = self._spoil[-1] if self._spoil else None
        if fault is TurnFault.BUSY:
            self._spoil.pop()
            frame = self._slave.exception(question, BUSY)
        elif fault is TurnFault.LATE_ANSWERS:
            self._spoil.pop()
            late_s = self._rng.uniform(*LATE_S)
        self._answers.append((at_s + line_s(len(frame)) + late_s, frame))
        self._answers.sort(key=lambda answer: answer[0])

    def _strike(self, fault: TurnFault, actions: list[Action]) -> None:
        if fault is TurnFault.MISREAD_LONG:
            self._misread_until_s = self.now_s + MISREAD_S
        else:
            super()._strike(fault, actions)

    def _words(self, register: int) -> list[int] | None:
        encoder = self.table.encoder
        if register == COUNT_REGISTER:
            words = two_words(self.table.count(), encoder.per_turn)
            if self.now_s < self._misread_until_s:
                return [0xFFFF, 0xFFFF]
            if self._spoil and self._spoil[-1] is TurnFault.MISREAD:
                self._spoil.pop()
                # Both words, or the low one alone, which is a count like any other.
                return self._rng.choice(([0xFFFF, 0xFFFF], [words[0], 0xFFFF]))
            return words
        if register == REFERENCE_REGISTER and self.options.reference:
            self.table.count()
            latch = encoder.counts(encoder.latch_deg or 0.0)
            return [encoder.passes % 65536, *two_words(latch, encoder.per_turn)]
        return None

    def _unplugged(self) -> None:
        self._asked.clear()
        self._answers.clear()
        self._slave.forget()


class CounterWheel(ColourWheel):
    """A quadrature counter: it reports by itself, and without power it forgets its count."""

    options: WheelCounterOptions

    def __init__(self, options: WheelCounterOptions, seed: int, truth: TruthLog) -> None:
        super().__init__(options, seed, truth)
        self._tick_s = 0.0
        self._born_s = 0.0
        self._base = self.table.count()
        # Somebody turned the wheel past its mark before all this began.
        self.table.encoder.pass_mark()
        self._latches_from = 0
        self._flags = 4
        self._held = bytearray()
        self._lost = False

    def _home_deg(self) -> float:
        return self.table.encoder.mark_angle()

    def _line_s(self) -> float:
        return max(self._tick_s, self._dark_until_s)

    def _speak(self, actions: list[Action]) -> None:
        # Its crystal is not the host's.
        self._tick_s = max(self.now_s, self._tick_s) + 1 / self.options.hertz
        encoder = self.table.encoder
        count = self.table.count()
        latch = None
        if encoder.latch_deg is not None and encoder.passes > self._latches_from:
            latch = encoder.counts(encoder.latch_deg) - self._base
        millis = round((self.now_s - self._born_s) * 1000)
        frame = report(
            millis, count - self._base, encoder.passes - self._latches_from, latch, self._flags | 2 * self._lost
        )
        self._flags, self._lost = 0, False
        self._send(frame, actions)

    def _strike(self, fault: TurnFault, actions: list[Action]) -> None:
        if fault is TurnFault.COUNTS_LOST:
            self._lost = True
        super()._strike(fault, actions)

    def receive(self, data: bytes) -> list[Action]:
        """A command: the only one sets zero."""
        self._held += data
        actions: list[Action] = []
        for command in commands(self._held):
            if command == "Z":
                self._base = self.table.count()
                self._latches_from = self.table.encoder.passes
            self._send(reply(command[:1], "OK" if command == "Z" else "NO"), actions)
        return actions

    def _power_lost(self) -> None:
        super()._power_lost()
        self._tick_s = self._born_s = self._dark_until_s
        self._base = self.table.count()
        self._latches_from = self.table.encoder.passes
        self._flags = 4


def colour_wheel(options: WheelModbusOptions | WheelCounterOptions, seed: int, truth: TruthLog) -> ColourWheel:
    """The wheel that the options describe."""
    if isinstance(options, WheelModbusOptions):
        return ModbusWheel(options, seed, truth)
    return CounterWheel(options, seed, truth)

"""Two readers that miss and misread, and people, servers and restarts at bad times: no hand has another card.

A dealer passes each card over both readers until it counts, and a manager who looks at the video decides, voids and
resumes. Every outcome must be that of the cards that lie there.
"""

from __future__ import annotations

import random

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import RoundOutcome, Violation
from dealer_daemon.games.cards.card import DECK, Card
from dealer_daemon.games.cards.procedure import CardDue, CardStep, Complete, GateDue, GateStep, History
from dealer_drivers.readings.shoe import CardRead, CardUnit
from support.two_readers import TwoReaders

LIES_S = 2.2
"""A dealer looks at the screen before the card is passed again: longer than the second reader is waited for."""
WORDS = ["rescan", "break", "restart", "close", "gate"]
"""What comes while a card is before the readers."""
_MANAGER, _DEALER = Role.MANAGER, Role.DEALER


class Studio:
    """Hands with trouble. ``units``: every code is another."""

    def __init__(self, seed: int, *, units: bool) -> None:
        self.rng = random.Random(seed)
        self.table = TwoReaders(gates=["first_four", "player_third"])
        self.units = units
        self.shoe = [(card, number) for number, card in enumerate(DECK * 8)]
        self.rng.shuffle(self.shoe)
        self.looked: dict[str, tuple[str, int]] = {}
        self.right = 0

    def passes(self, card: Card, number: int) -> None:
        """One card over both readers; a word may come meanwhile."""
        looks: list[tuple[float, str, str]] = []
        for device in ("first", "second"):
            chance, begins_s = self.rng.random(), self.rng.uniform(0, 0.6)
            text = str(self.rng.choice(DECK)) if chance > 0.97 else str(card)
            if chance > 0.03:
                looks += [(begins_s + 0.4 * look, device, text) for look in range(self.rng.choice([1, 1, 2, 3]))]
        if self.rng.random() < 0.3:
            looks.append(
                (self.rng.uniform(0, 1.2), "", self.rng.choice(["rescan", "break", "restart", "close", "gate"]))
            )
        passed_s = 0.0
        for after_s, device, what in sorted(looks):
            self.table.wait(after_s - passed_s)
            passed_s = after_s
            if device:
                self.reads(device, what, number if what == str(card) else 999)
            else:
                self.meanwhile(what)
        self.table.wait(LIES_S)

    def reads(self, device: str, text: str, number: int) -> None:
        code = f"{text}{number}" if self.units else text
        before, at = self.looked.get(device), self.table.at
        repeated = before is not None and before[0] == code and at.mono_ns - before[1] < 1_000_000_000
        self.looked[device] = (code, at.mono_ns)
        unit = CardUnit("red", "1", str(number)) if self.units else None
        reading = CardRead(at=at, raw=code.encode(), card=text, code=code, unit=unit, repeated=repeated)
        self.table.see(device, reading)

    def meanwhile(self, what: str) -> None:
        current = self.table.state.round
        match what:
            case "rescan":
                self.table.ask(CommandName.ATTEMPT_REFUSE, _DEALER)
            case "break":
                self.table.ask(CommandName.TABLE_PAUSE, _DEALER)
                self.table.ask(CommandName.TABLE_RESUME, _MANAGER)
            case "restart":
                self.looked.clear()
                self.table.at = self.table.at.plus_s(1)
                self.table.start()
            case "close":
                self.table.ask(CommandName.BETTING_CLOSE)
            case "gate" if current is not None and current.gate is not None:
                self.table.ask(CommandName.GATE_OPEN, gate=current.gate)

    def hand(self) -> None:
        """One hand, to its outcome or void. Some are dealt before betting is closed."""
        table, before = self.table, len(self.table.events)
        table.say(CommandName.ROUND_OPEN)
        if self.rng.random() > 0.1:
            table.say(CommandName.BETTING_CLOSE)
        truth: History = ()
        card = self.shoe.pop()
        for _ in range(80):
            current, wanted = table.state.round, self.table.procedure.due(truth)
            told = [event.data for event in table.events[before:]]
            if current is None:
                self.look(truth, [data for data in told if isinstance(data, RoundOutcome)])
                return
            if table.state.paused is not None:
                broken = any(isinstance(data, Violation) and data.reason != "card_while_paused" for data in told)
                if broken:  # the cards are taken away
                    table.say(CommandName.ROUND_VOID, _MANAGER)
                    truth = ()
                if table.state.paused is not None:
                    table.say(CommandName.TABLE_RESUME, _MANAGER)
            elif current.phase == "held":
                lies = {"position": wanted.position, "card": str(card[0])} if isinstance(wanted, CardDue) else {}
                if not table.ask(CommandName.ATTEMPT_DECIDE, _MANAGER, **lies).ok:
                    table.say(CommandName.ROUND_VOID, _MANAGER)
            elif isinstance(wanted, CardDue):
                if not any(step.position == wanted.position for step in current.steps):
                    self.passes(*card)
                after = table.state.round
                steps = table.state.previous if after is None else after.steps
                if any((step.position, step.card) == (wanted.position, str(card[0])) for step in steps):
                    truth, card = (*truth, CardStep(wanted.position, card[0])), self.shoe.pop()
                elif after is not None and after.betting == "open":
                    table.ask(CommandName.BETTING_CLOSE)
            elif isinstance(wanted, GateDue):
                table.ask(CommandName.GATE_OPEN, gate=wanted.gate)
                truth = (*truth, GateStep(wanted.gate))
            else:
                assert isinstance(wanted, Complete)
                table.wait(LIES_S)
        raise AssertionError("the table stands and does not say why")

    def look(self, truth: History, outcomes: list[RoundOutcome]) -> None:
        while isinstance(wanted := self.table.procedure.due(truth), GateDue):
            truth = (*truth, GateStep(wanted.gate))  # opened while a card was before the readers
        for outcome in outcomes:
            assert outcome.facts == self.table.procedure.facts(truth)
            self.right += 1
        self.table.wait(3)
        self.looked.clear()


@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_every_outcome_is_that_of_the_cards(seed: int, units: bool) -> None:
    studio = Studio(seed, units=units)
    for _ in range(12):
        studio.hand()
    assert studio.right >= 6

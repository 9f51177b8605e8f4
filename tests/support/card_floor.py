"""A card table with its people, in process and on simulated time: dealer, server and service manager.

The simulator's bytes go straight through the device's driver to the core of the table. The people see the table's
events and nothing else of it; the manager knows the truth, as one who looks at the video does.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.config import TableConfig, parse_config
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    CardDrawn,
    Event,
    RoundOpened,
    RoundOutcome,
    TablePaused,
)
from dealer_daemon.round import OpenRound, TableState, fold
from dealer_daemon.station.setup import table_setup
from dealer_daemon.table import Decision, Table
from dealer_drivers.driver import Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.supervised import SupervisedSession
from hw_sim.device import Bytes
from hw_sim.scenario import build_device, parse_scenario
from hw_sim.shoe.device import CardDevice
from hw_sim.shoe.truth import Hand
from hw_sim.truth import TruthLog

EPOCH = Instant(NS_PER_S, 0)
STUCK_S = 5.0
"""A hand lies there complete and the table shows no result for so long: the dealer calls the manager."""


def table_config(text: str, folder: Path) -> TableConfig:
    """A table ``t`` from the lines of its section."""
    whole = f'[station]\nsite = "s"\nstate_dir = "state"\n[tables.t]\n{text}'
    return parse_config(whole, folder / "station.toml").tables["t"]


class Floor:
    """One table. ``server_rounds``: a server opens the rounds. ``attentive``: the dealer deals only when the table is
    ready for a hand."""

    def __init__(
        self, config: str, scenario: str, seed: int, folder: Path, *, server_rounds: bool, attentive: bool
    ) -> None:
        self.truth = TruthLog()
        starts = 'starts = "told"\n' if attentive else ""
        options = parse_scenario(f'title = "floor"\n[[devices]]\n{starts}{scenario}', "floor.toml").devices[0]
        device = build_device(options, seed, self.truth)
        assert isinstance(device, CardDevice)
        self.device = device
        for name, text in device.files().items():
            (folder / name).write_text(text)
        table = table_config(config.format(folder=folder), folder)
        self._table_device = table.devices[0]
        driver = self._table_device.driver
        self._session = SupervisedSession(driver.session(self._table_device.options), "the port", "the right speed?")
        self.table = Table(table_setup(table), TableState(table="t"), "boot")
        self.events: list[Event] = []
        self.hand_of: dict[str, Hand] = {}
        """By round, the hand that was dealt when it was opened."""
        self.hands: dict[int, Hand] = {}
        self.replies: list[tuple[CommandName, Reply]] = []
        self.shoe_changes: list[str] = []
        self.watches_video = True
        """Whether the manager notices by himself that the table shows another card than lies there."""
        self._rng = Random(f"floor {seed}")
        self._server_rounds, self.attentive = server_rounds, attentive
        self._people: list[tuple[float, int, Callable[[], None]]] = []
        self._ids = count(1)
        self._now_s = 0.0
        self._plugged = True
        self._dealt = self._looked_after = 0
        self._called = False
        self._deciding: str | None = None
        self._held_for = ""
        self._put_in = 0
        self._relayed = (0, 0)

    # --- time

    def run(self, hands: int) -> None:
        """Until so many hands are over, and what follows them."""
        self._take(self.table.start(self._at()))
        self._readings(self._session.opened(self._at()))
        while len(self.truth.records) < hands:
            self._step(math.inf)
        until_s = self._now_s + 3 * STUCK_S
        self._tell("stop")
        while self._step(until_s):
            pass
        assert fold(TableState(table="t"), self.events) == self.table.state

    def _at(self) -> Instant:
        return EPOCH.plus_s(self._now_s)

    def _step(self, until_s: float) -> bool:
        """The next thing that happens, to anybody; whether something did."""
        due = {
            "people": self._people[0][0] if self._people else math.inf,
            "device": self.device.next_s(),
            "session": _seconds(self._session.deadline_ns()),
            "table": _seconds(self.table.deadline_ns()),
        }
        who = min(due, key=lambda name: due[name])
        if due[who] > until_s:
            return False
        assert due[who] < math.inf, "nothing will ever happen again at this table"
        self._now_s = max(self._now_s, due[who])
        if who == "people":
            heapq.heappop(self._people)[2]()
        elif who == "session":
            self._readings(self._session.tick(self._at()))
        elif who == "table":
            self._take(self.table.tick(self._at()))
        self._device()
        self._watch()
        return True

    def _device(self) -> None:
        for action in self.device.advance(self._now_s):
            if isinstance(action, Bytes):
                if self._plugged:
                    output = self._session.received(action.data, self._at())
                    self._readings(output)
            elif action.inserted:
                self._plugged = True
                self._readings(self._session.opened(self._at()))
            else:
                self._plugged = False
                self._readings(self._session.lost(self._at(), "the plug was pulled"))

    def _readings(self, output: Output) -> None:
        for data in output.send:
            self.device.receive(data)
        if output.readings:
            self._take(self.table.readings(self._table_device.name, output.readings, self._at()))

    def _take(self, decision: Decision) -> None:
        self.events += decision.events
        for event in decision.events:
            self._see(event)

    # --- people

    def _tell(self, word: str) -> None:
        """Says it to the dealer, now."""
        self._device()
        self.device.tell(word)

    def _later(self, least_s: float, most_s: float, what: Callable[[], None]) -> None:
        heapq.heappush(self._people, (self._now_s + self._rng.uniform(least_s, most_s), next(self._ids), what))

    def ask(self, name: CommandName, role: Role = Role.MANAGER, **args: Any) -> Reply:
        """One command."""
        command = Command(id=f"c{next(self._ids)}", name=name, client="floor", role=role, by=f"the {role}", args=args)
        decision = self.table.command(command, self._at(), self._event_at)
        assert decision.command is not None
        self.replies.append((name, decision.command.reply))
        self._take(decision)
        return decision.command.reply

    def _event_at(self, sequence: int) -> Event | None:
        return self.events[sequence - 1] if 1 <= sequence <= len(self.events) else None

    def _watch(self) -> None:
        """What people see without being told: the dealer who waits for a hand, who calls, or who is done."""
        dealer, state = self.device.dealer, self.table.state
        hand = dealer.hand
        if dealer.shoe != self._put_in:
            self._put_in = dealer.shoe
            self._new_shoe()
        if hand is not None:
            self.hands[hand.number] = hand
            self._relay(hand)
            ready = state.round is None and state.paused is None
            if self.attentive and ready and hand.number != self._dealt and not hand.cards:
                self._dealt = hand.number
                self._deal()
        if dealer.calls is not None and not self._called:
            self._called = True
            self._later(3, 6, self._shoe_is_empty)
        for record in self.truth.records[self._looked_after :]:
            self._looked_after += 1
            self._later(STUCK_S, STUCK_S + 1, lambda number=record["hand"]: self._done(number))  # type: ignore[misc]

    def _deal(self) -> None:
        if self._server_rounds:
            assert self.ask(CommandName.ROUND_OPEN, Role.SERVER).ok
            self._later(0.5, 1.5, self._close)
        else:
            self._tell("deal")

    def _close(self) -> None:
        assert self.ask(CommandName.BETTING_CLOSE, Role.SERVER).ok
        self._tell("deal")

    def _relay(self, hand: Hand) -> None:
        """The players' server tells the table what they decided; then the dealer deals on."""
        said = len(hand.said)
        if (hand.number, said) == self._relayed or not said or hand.swept:
            return
        before = self._relayed[1] if self._relayed[0] == hand.number else 0
        self._relayed = (hand.number, said)
        for action in hand.said[before:]:
            self._later(0.5, 1.0, lambda action=action: self._expect(hand, action))  # type: ignore[misc]

    def _expect(self, hand: Hand, action: dict[str, Any]) -> None:
        """Said again until the table takes it: it may be paused, and it may wait for a card that is scanned again."""
        if hand.swept or self.device.dealer.hand is not hand:
            return
        if self.ask(CommandName.CARD_EXPECT, Role.SERVER, **action).ok:
            self._tell("expected")
        else:
            self._later(1.0, 2.0, lambda: self._expect(hand, action))

    def _new_shoe(self) -> None:
        """Other cards are in the shoe; where the table does not know it yet, the manager says so."""
        state = self.table.state
        if state.shoe is not None and state.shoe.hands > 0 and state.round is None:
            reply = self.ask(CommandName.SHOE_CHANGE, reason="a new shoe is in")
            assert reply.ok, reply
            self.shoe_changes.append(state.shoe.id)

    def _shoe_is_empty(self) -> None:
        self._called = False
        self._tell("void")
        self._void_later()

    def _see(self, event: Event) -> None:
        match event.data:
            case RoundOpened():
                hand = self.device.dealer.hand
                assert hand is not None, "a round without a hand"
                assert event.subject is not None
                self.hand_of[event.subject] = hand
            case AttemptRefused():
                self._later(0.8, 1.5, lambda: self._tell("rescan"))
            case AttemptHeld() as data:
                self._held_for = data.reason
                self._later(0, 0, lambda: self._tell("stop"))
                self._later(3, 6, self._held)
            case TablePaused():
                self._later(0, 0, lambda: self._tell("stop"))
                self._later(3, 6, self._paused)
            case CardDrawn() as data if event.subject is not None and data.by is None:
                lies = self.hand_of[event.subject].cards.get(data.position)
                if self.watches_video and lies is not None and lies.text != data.card:
                    self._later(0.4, 1.5, lambda: self._misread(str(event.subject), data.position))
            case RoundOutcome():
                if self._deciding == event.subject:
                    self._deciding = None
            case _:
                pass

    def _done(self, number: int) -> None:
        """The hand lies there complete; the table should have its result by now."""
        current = self.table.state.round
        if current is None or self.hand_of[current.id].number != number:
            return
        if current.phase == "held" and self._deciding == current.id:
            self._decide_hand()
        elif current.phase != "held" and self.table.state.paused is None:
            self._void(current)

    def _held(self) -> None:
        current = self.table.state.round
        if current is None or current.phase != "held" or self._deciding == current.id:
            return
        hand = self.hand_of[current.id]
        due = next(
            (position for position in hand.cards if position not in [step.position for step in current.steps]), None
        )
        if self._held_for == "perhaps_repeated":
            self._tell_apart(due, hand)
            return
        if self._rng.random() < 0.1:
            self._give_up()
            return
        if self._held_for == "card_skipped" and due is not None and self._rng.random() < 0.7:
            card = hand.cards[due].text
            if self.ask(CommandName.ATTEMPT_DECIDE, position=due, card=card, reason="by the video").ok:
                self._tell("go_on")
                return
        if hand.finished:
            self._decide_hand()
        else:
            self._deciding = current.id
            self._tell("finish")

    def _tell_apart(self, due: str | None, hand: Hand) -> None:
        """The video shows whether the newest card passed once more, or another that looks like it."""
        if due is None:
            reply = self.ask(CommandName.ATTEMPT_REFUSE)
        else:
            reply = self.ask(CommandName.ATTEMPT_DECIDE, position=due, card=hand.cards[due].text, reason="by the video")
        assert reply.ok, reply
        self._tell("go_on")

    def _decide_hand(self) -> None:
        current = self.table.state.round
        assert current is not None
        hand = self.hand_of[current.id]
        if self.table.state.paused is not None:
            self._resume()
        if hand.swept or not hand.complete:
            self._void(current)
        else:
            cards = {position: card.text for position, card in hand.cards.items()}
            reply = self.ask(CommandName.ATTEMPT_DECIDE, cards=cards, expects=hand.said, reason="by the video")
            assert reply.ok, reply
        self._deciding = None
        self._tell("go_on")

    def _give_up(self) -> None:
        """The dealer takes the cards away and ends the hand at the shoe, then the manager voids the round."""
        current = self.table.state.round
        if current is not None and self.device.dealer.hand is self.hand_of[current.id]:
            self._tell("void")
        else:
            self._tell("go_on")
        self._void_later()

    def _void_later(self) -> None:
        meant = self.table.state.round
        self._later(1, 2, lambda: self._void(meant))

    def _void(self, meant: OpenRound | None) -> None:
        """The round that is meant: the next one may have begun by then."""
        self._deciding = None
        now = self.table.state.round
        if now is not None and meant is not None and now.id == meant.id:
            reply = self.ask(CommandName.ROUND_VOID, round=meant.id, reason="the cards cannot be told")
            assert reply.ok, reply
        if self.table.state.paused is not None:
            self._resume()
        self._tell("go_on")

    def _paused(self) -> None:
        state = self.table.state
        if state.paused is None:
            return
        if state.paused == "integrity" and state.round is not None and not self.device.reader.redraws:
            self._give_up()
            return
        self._resume()
        if state.round is not None and state.round.phase == "held":
            self._later(1, 2, self._held)
        else:
            self._tell("go_on")
            self._tell("rescan")

    def _resume(self) -> None:
        reply = self.ask(CommandName.TABLE_RESUME, reason="put right", pause=self.table.state.paused_at)
        assert reply.ok, reply

    def _misread(self, round_id: str, position: str) -> None:
        """The video shows another card than the table."""
        current, hand = self.table.state.round, self.hand_of[round_id]
        if current is not None and current.id == round_id:
            if self.table.state.paused is None and current.phase != "held":
                card = hand.cards[position].text
                self.ask(CommandName.CARD_CORRECT, position=position, card=card, reason="by the video")
            now = self.table.state.round
            if now is not None and any(step.position == position and step.by is None for step in now.steps):
                self._later(1, 2, lambda: self._misread(round_id, position))
            return
        newest = self.table.state.outcome
        if newest is not None and newest.round == round_id:
            cards = {at: card.text for at, card in hand.cards.items()}
            hand_as_it_was = {"cards": cards, "expects": hand.said}
            reply = self.ask(
                CommandName.OUTCOME_CORRECT, replaces=newest.sequence, reason="by the video", **hand_as_it_was
            )
            assert reply.ok, reply


def _seconds(ns: int | None) -> float:
    return math.inf if ns is None else (ns - EPOCH.mono_ns) / NS_PER_S

"""What every card game is to the table: pure functions over the history of one round.

A history is the tuple of steps that happened, in order: a card lay on a position, a gate opened, the server said
what comes next. ``due`` says what must come now, ``facts`` what followed. The same history always gives the same
answers. Histories are built with ``advance``, which takes only the step that is due; the other functions
trust what they are given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from dealer_daemon.games.cards.card import Card, texts

Facts: TypeAlias = dict[str, Any]
"""Plain JSON: cards as ``"8S"``."""


class Early(StrEnum):
    """What becomes of a card that is read while betting is open (``games.md`` §2.3)."""

    FORBID = "forbid"
    """A procedure violation."""
    WITHHOLD = "withhold"
    """Kept, but neither published, shown, logged nor counted until betting closes."""
    ALLOW = "allow"
    """Published at once: it decides nothing that can still be bet on."""


@dataclass(frozen=True, slots=True)
class CardStep:
    """``card`` lies on ``position``."""

    position: str
    card: Card


@dataclass(frozen=True, slots=True)
class GateStep:
    """The server let the round go on past ``gate``."""

    gate: str


@dataclass(frozen=True, slots=True)
class ExpectStep:
    """The server said what comes next; ``args`` as ``expect`` accepted them (plain JSON)."""

    args: Mapping[str, Any]


Step: TypeAlias = CardStep | GateStep | ExpectStep
History: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CardDue:
    """The next card belongs to ``position``.

    ``reveal_gate``: the card may be read now but must not leave the station before that gate is open.
    """

    position: str
    early: Early = Early.FORBID
    reveal_gate: str | None = None


@dataclass(frozen=True, slots=True)
class GateDue:
    """No card is due until the server opens ``gate``."""

    gate: str


@dataclass(frozen=True, slots=True)
class ExpectDue:
    """No card is due until the server says what comes next. ``actions`` are the words that it may use."""

    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Complete:
    """The round is decided; ``facts`` may be asked."""


Due: TypeAlias = CardDue | GateDue | ExpectDue | Complete

COMPLETE = Complete()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The step is not possible. ``reason`` is one word of the game's list, ``message`` says what would be."""

    reason: str
    message: str


class NotCompleteError(ValueError):
    """Facts were asked of a round that is not decided. A fault of the caller: ask ``due`` first."""


class CardSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every card table may set. ``gates_open``: nobody waits at gates (``round_source = "device"``)."""

    gates_open: bool = False


class DealtSettings(CardSettings, frozen=True, kw_only=True):
    """Of games whose cards may be dealt while betting is open.

    ``early``: what becomes of a dealt card read then; ``withhold`` where they are dealt face down over a reading shoe.
    """

    early: Literal["forbid", "withhold"] = "forbid"


class Procedure(ABC):
    """One card game at one table. Immutable; every answer follows from the history alone."""

    game: ClassVar[str]
    decks: int = 1
    """Decks in play where the table does not say."""
    composition: Literal["shoe", "round"] = "round"
    """Whether copies of a card are used up over the shoe or within one round."""
    gates: tuple[str, ...] = ()
    """The gates that a round of this table may wait at."""
    longest: int = 0
    """Cards of the longest round, in a game that may need nearly its whole deck."""

    @abstractmethod
    def due(self, history: History) -> Due:
        """What must come next."""

    @abstractmethod
    def seen(self, history: History) -> Facts:
        """The facts so far, in the shape of ``facts`` as far as they are known.

        Says all that the history holds: leave out the steps of cards that are still withheld.
        """

    @abstractmethod
    def _facts(self, history: History) -> Facts:
        """The facts of a complete history."""

    def facts(self, history: History) -> Facts:
        """What a game server settles every bet on (``interfaces.md``). Raises ``NotCompleteError``."""
        due = self.due(history)
        if not isinstance(due, Complete):
            raise NotCompleteError(f"the round is not complete: {describe(due)}")
        return self._facts(history)

    def expect(self, history: History, args: Mapping[str, Any]) -> ExpectStep | Refusal:  # noqa: ARG002
        """The step for what the server says comes next. Only blackjack asks; the other games refuse."""
        return Refusal("not_expected", f"{self.game} knows by itself which card is next: {describe(self.due(history))}")

    def advance(self, history: History, step: Step) -> History | Refusal:
        """The history with ``step``, if that is what is due. Reasons: ``card_not_due``, ``gate_not_waiting``, those
        of ``expect``."""
        due = self.due(history)
        match step:
            case CardStep(position=position):
                if not (isinstance(due, CardDue) and due.position == position):
                    return Refusal("card_not_due", f"no card is due at {position}: {describe(due)}")
            case GateStep(gate=gate):
                if not (isinstance(due, GateDue) and due.gate == gate):
                    return Refusal("gate_not_waiting", f"the round does not wait at {gate}: {describe(due)}")
            case ExpectStep(args=args):
                answer = self.expect(history, args)
                if isinstance(answer, Refusal):
                    return answer
                step = answer
        return (*history, step)

    def replace(
        self, history: History, position: str, card: Card, also: Mapping[str, Card] = MappingProxyType({})
    ) -> History | Refusal:
        """The history with another card on ``position`` (a manager corrects it by the video), and those of ``also`` on
        theirs in the same moment, as where two cards were swapped.

        Everything after them is played again: where the new cards mean that a later step would not have been due,
        the correction is refused, since it would take more than these to put right.
        Reasons: ``unknown_position``, ``copies_used_up``, ``later_step_not_due``.
        """
        cards = {**also, position: card}
        lie = {step.position for step in history if isinstance(step, CardStep)}
        for named in cards:
            if named not in lie:
                return Refusal("unknown_position", f"no card of this round lies on {named}")
        left = [step.card for step in history if isinstance(step, CardStep) and step.position not in cards]
        for wanted, count in Counter(cards.values()).items():
            if count + left.count(wanted) > self.decks:
                return Refusal("copies_used_up", f"all {self.decks} of {wanted} lie elsewhere in this round")
        replayed: History = ()
        for step in history:
            anew = CardStep(step.position, cards.get(step.position, step.card)) if isinstance(step, CardStep) else step
            answer = self.advance(replayed, anew)
            if isinstance(answer, Refusal):
                return Refusal("later_step_not_due", f"with {card} on {position}, {answer.message}")
            replayed = answer
        return replayed


class PlannedProcedure(Procedure):
    """A game whose steps, as far as the cards seen determine them, are a list."""

    @abstractmethod
    def plan(self, history: History) -> Sequence[CardDue | GateDue]:
        """Every step of the round from its beginning, as far as ``history`` determines it."""

    def due(self, history: History) -> Due:
        plan = self.plan(history)
        return plan[len(history)] if len(history) < len(plan) else COMPLETE


def describe(due: Due) -> str:
    """What is due, in a sentence for a person."""
    match due:
        case CardDue(position=position):
            return f"the card for {position} is due"
        case GateDue(gate=gate):
            return f"the server must open the gate {gate} first"
        case ExpectDue(actions=actions):
            return f"the server must say what comes next ({', '.join(actions)})"
        case Complete():
            return "the round is complete"


def cards_of(history: History, hand: str) -> list[Card]:
    """The cards on the positions ``{hand}.1``, ``{hand}.2`` … in the order in which they came."""
    prefix = hand + "."
    return [step.card for step in history if isinstance(step, CardStep) and step.position.startswith(prefix)]


def card_at(history: History, position: str) -> Card | None:
    """The card on ``position``, if there is one yet."""
    return next((s.card for s in history if isinstance(s, CardStep) and s.position == position), None)


def text_at(history: History, position: str) -> str | None:
    """As ``card_at``, as messages write it."""
    card = card_at(history, position)
    return None if card is None else str(card)


def texts_of(history: History, hand: str) -> list[str]:
    """As ``cards_of``, as messages write them."""
    return texts(cards_of(history, hand))


def hand_positions(hand: str, count: int, early: Early = Early.FORBID) -> list[CardDue]:
    """``count`` cards to one hand."""
    return [CardDue(f"{hand}.{n}", early) for n in range(1, count + 1)]

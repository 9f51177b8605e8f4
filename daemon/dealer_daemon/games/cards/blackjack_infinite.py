"""Infinite blackjack (001): one start shared by all players, then one line of community cards.

A player's hand is the server's sum of the line; the fact is the line and the decision window of each card. A window
has one card, or more where somebody may have split the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from dealer_daemon.games.cards.blackjack_hands import Action, Done, Hand, dealer_facts
from dealer_daemon.games.cards.blackjack_rules import (
    RULES,
    Rules,
    Settings,
    dealer_draws,
    may_split_cards,
    three_class,
    total,
)
from dealer_daemon.games.cards.card import Card, pair_kind
from dealer_daemon.games.cards.procedure import (
    COMPLETE,
    CardDue,
    CardStep,
    Due,
    ExpectDue,
    ExpectStep,
    Facts,
    History,
    Procedure,
    Refusal,
    describe,
)

_START = ("player.1", "dealer.1", "player.2")


class Community(Action, frozen=True, kw_only=True):
    """The next card of the line belongs to decision ``window``, 1 for the first; windows never go back."""

    window: int


LineAction = Community | Done


@dataclass(slots=True)
class Line:
    """The cards on the cloth."""

    player: list[Card] = field(default_factory=list)
    dealer: list[Card] = field(default_factory=list)
    community: list[Card] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    """The window of each community card, the one that is due included."""
    done: bool = False

    @property
    def window(self) -> int:
        return self.windows[-1] if self.windows else 0

    def hitting(self) -> list[Card]:
        """The hand that took a card in every window and never split: the longest there is without a split."""
        first_of_each = [c for i, c in enumerate(self.community) if i == 0 or self.windows[i] != self.windows[i - 1]]
        return [*self.player, *first_of_each]


class InfiniteBlackjack(Procedure):
    """Positions ``player.1``, ``player.2`` (the shared start), ``community.1`` …, ``dealer.1`` …."""

    game = "blackjack"

    def __init__(self, settings: Settings) -> None:
        self._name = settings.rules
        self._rules: Rules = RULES[settings.rules]
        assert self._rules.most_cards is not None
        self._most = self._rules.most_cards
        self.decks = self._rules.decks
        self.composition = self._rules.composition

    def due(self, history: History) -> Due:
        if len(history) < len(_START):
            return CardDue(_START[len(history)])
        line = _line(history)
        if len(line.community) < len(line.windows):
            return CardDue(f"community.{len(line.windows)}")
        if not line.done:
            return ExpectDue(("community", "done"))
        if len(line.dealer) == 1 or dealer_draws(self._rules, line.dealer):
            return CardDue(f"dealer.{len(line.dealer) + 1}")
        return COMPLETE

    def expect(self, history: History, args: Mapping[str, Any]) -> ExpectStep | Refusal:
        """Reasons: ``bad_argument``, ``not_expected``, ``window_order``, ``nobody_draws``."""
        try:
            action = msgspec.convert(dict(args), type=LineAction)
        except msgspec.ValidationError as error:
            return Refusal("bad_argument", f"card.expect is not understood: {error}")
        due = self.due(history)
        if not isinstance(due, ExpectDue):
            return Refusal("not_expected", f"nothing is to be said now: {describe(due)}")
        if isinstance(action, Community):
            refusal = self._judge(_line(history), action.window)
            if refusal is not None:
                return refusal
        return ExpectStep(msgspec.to_builtins(action))

    def _judge(self, line: Line, window: int) -> Refusal | None:
        """Whether some hand that the start and the line can make takes a card in ``window``."""
        current, may_split = line.window, may_split_cards(self._rules, *line.player)
        allowed = (current, current + 1) if current and may_split else (current + 1,)
        if window not in allowed:
            choice = " or ".join(map(str, allowed))
            return Refusal("window_order", f"the next card cannot belong to window {window}, only to {choice}")
        hitting = line.hitting()
        # Any first two cards may be doubled, 21 too.
        first_card = not line.community
        somebody_hits = first_card or (total(hitting)[0] < 21 and len(hitting) < self._most)
        if not somebody_hits and len(line.community) >= self._room_for_splits(line):
            return Refusal("nobody_draws", "no hand that can be made of the start and the line takes another card")
        return None

    def _room_for_splits(self, line: Line) -> int:
        """The most community cards that two split hands can take together, whatever they are."""
        if not may_split_cards(self._rules, *line.player):
            return 0
        if line.player[0].rank == "A" and self._rules.split_aces_one_card:
            return 2
        return 2 * (self._most - 1)

    def seen(self, history: History) -> Facts:
        line = _line(history)
        positions = [f"player.{n}" for n in range(1, len(line.player) + 1)]
        start = Hand(seat=0, number=1, root=1, cards=line.player, positions=positions)
        whole = len(line.player) == 2
        community = zip(line.community, line.windows, strict=False)
        return {
            "rules": self._name,
            "dealer": dealer_facts(line.dealer),
            "hands": [{**start.facts(), "seat": None}],
            "sides": [
                {
                    "seat": None,
                    "pair": pair_kind(*line.player) if whole else None,
                    "three": three_class([*line.player, line.dealer[0]]) if whole else None,
                    "four": None,
                }
            ],
            "community": [{"card": str(card), "window": window} for card, window in community],
        }

    def _facts(self, history: History) -> Facts:
        return self.seen(history)


def _line(history: History) -> Line:
    line = Line()
    for step in history:
        if isinstance(step, ExpectStep):
            action = msgspec.convert(step.args, type=LineAction)
            if isinstance(action, Community):
                line.windows.append(action.window)
            else:
                line.done = True
        elif isinstance(step, CardStep):
            hands = {"player": line.player, "dealer": line.dealer, "community": line.community}
            hands[step.position.partition(".")[0]].append(step.card)
    return line

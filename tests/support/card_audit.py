"""What a card table published against what really happened, hand by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    CardCorrected,
    CardRepeated,
    DeviceFaulted,
    DeviceRecovered,
    Event,
    EventData,
    HandSkipped,
    OutcomeCorrected,
    RoundOutcome,
    RoundVoided,
    ShoeCutCard,
    TablePaused,
    Violation,
)
from hw_sim.shoe.blackjack import points
from hw_sim.shoe.faults import CardFault, Expect
from hw_sim.shoe.truth import Hand, Struck
from support.card_floor import EPOCH, Floor

Told = Sequence[Event]

TROUBLE = (AttemptRefused, AttemptHeld, CardRepeated, DeviceFaulted, HandSkipped, TablePaused, Violation)
MAY_FOLLOW: dict[Expect, tuple[type[EventData], ...]] = {
    Expect.ACCEPT: (),
    Expect.LAST_HAND: (),
    Expect.PERSON: (AttemptHeld,),
    Expect.IGNORE: (CardRepeated,),
    Expect.LINK: (DeviceFaulted, AttemptHeld, TablePaused),
    Expect.RESCAN: (AttemptRefused, DeviceFaulted),
    Expect.TRIES: (AttemptRefused, DeviceFaulted, TablePaused),
    Expect.VIOLATION: (Violation, TablePaused, CardRepeated, DeviceFaulted),
    Expect.INTEGRITY: (Violation, TablePaused, AttemptHeld, HandSkipped),
    Expect.CORRECT: (AttemptHeld,),
}
"""Which trouble a fault explains; those that are not here explain any."""
MAY_LOSE = frozenset({Expect.HOLD, Expect.INTEGRITY, Expect.UNSEEN, Expect.EITHER, Expect.PERSON})
"""What may leave a hand without an outcome."""


def facts_of(hand: Hand) -> dict[str, Any]:
    """The facts of a baccarat, dragon tiger or blackjack hand that say which card lies where, and who won."""
    texts = {position: card.text for position, card in hand.cards.items()}
    winner = hand.rules.winner(hand.cards)
    if hand.rules.game == "blackjack":
        dealer = [card for position, card in hand.cards.items() if position.startswith("dealer")]
        return {"cards": texts, "dealer": points(dealer)[0], "won": winner}
    if hand.rules.game == "dragon-tiger":
        return {"dragon": texts["dragon.1"], "tiger": texts["tiger.1"], "winner": winner}
    sides = {
        side: [text for position, text in texts.items() if position.startswith(side)] for side in ("player", "banker")
    }
    return {**sides, "winner": winner}


def published(facts: dict[str, Any]) -> dict[str, Any]:
    """The same of an outcome; at blackjack a server says who won, by the totals."""
    if "hands" in facts:
        cards = {at: card for hand in facts["hands"] for at, card in zip(hand["positions"], hand["cards"], strict=True)}
        cards |= {f"dealer.{n}": card for n, card in enumerate(facts["dealer"]["cards"], 1)}
        cards |= {f"community.{n}": entry["card"] for n, entry in enumerate(facts.get("community", []), 1)}
        won = {f"seat{hand['seat']}.h{hand['hand']}": _won(hand, facts) for hand in facts["hands"] if hand["seat"]}
        return {"cards": cards, "dealer": facts["dealer"]["total"], "won": won}
    if "dragon" in facts:
        return {key: facts[key] for key in ("dragon", "tiger", "winner")}
    return {"player": facts["player"]["cards"], "banker": facts["banker"]["cards"], "winner": facts["winner"]}


def _won(hand: dict[str, Any], facts: dict[str, Any]) -> str:
    dealer = facts["dealer"]
    if hand["bust"]:
        return "dealer"
    if hand["blackjack"] != dealer["blackjack"]:
        return "player" if hand["blackjack"] else "dealer"
    if dealer["bust"]:
        return "push" if dealer["total"] == 22 and facts["rules"] in ("free-bet-001", "switch-001") else "player"
    return "push" if hand["total"] == dealer["total"] else "player" if hand["total"] > dealer["total"] else "dealer"


def at_s(event: Event) -> float:
    return (event.mono_ns - EPOCH.mono_ns) / 1e9


class Audit:
    """All that is wrong, as sentences by kind; nothing is, when all lists are empty."""

    def __init__(self, floor: Floor) -> None:
        self.wrong: list[str] = []
        """Outcomes that are not what the cards were."""
        self.invented: list[str] = []
        """Rounds without a hand of their own."""
        self.lost: list[str] = []
        """Hands without an outcome that nothing explains."""
        self.unanswered: list[str] = []
        """Faults that did not lead to what the station should do."""
        self.false_alarms: list[str] = []
        """Trouble that nothing explains."""
        self.miscounted: list[str] = []
        """Alarms over the copies of a card in a shoe of which a card was misread and put right, where no card came too
        often: what was put right is not counted as it is."""
        self._read_wrong: set[int] = set()
        self.ends: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self._attentive = floor.attentive
        self._hands = [floor.hands[record["hand"]] for record in floor.truth.records]
        rounds: dict[int, list[str]] = defaultdict(list)
        for round_id, hand in floor.hand_of.items():
            rounds[hand.number].append(round_id)
        of_round: dict[str, list[Event]] = defaultdict(list)
        for event in floor.events:
            if event.subject is not None:
                of_round[event.subject].append(event)
        events = iter(floor.events)
        event = next(events, None)
        begins = [hand.times_s.get("first_card", hand.times_s["ended"]) for hand in self._hands]
        for index, hand in enumerate(self._hands):
            until_s = begins[index + 1] if index + 1 < len(begins) else float("inf")
            meanwhile: list[Event] = []
            while event is not None and at_s(event) < until_s - 1e-6:  # events are of whole nanoseconds
                meanwhile.append(event)
                event = next(events, None)
            self._hand(index, hand, [of_round[name] for name in rounds[hand.number]], meanwhile)

    def figures(self) -> dict[str, Any]:
        """What was counted, and how much is wrong."""
        problems = ("wrong", "invented", "lost", "unanswered", "false_alarms", "miscounted")
        counts = {"hands": len(self._hands), "struck": sum(self.faults.values()), "ends": dict(self.ends)}
        return counts | {kind: len(getattr(self, kind)) for kind in problems} | {"faults": dict(self.faults)}

    def _hand(self, index: int, hand: Hand, rounds: list[list[Event]], meanwhile: Told) -> None:
        name = f"hand {hand.number} ({', '.join(struck.fault for struck in hand.struck) or 'good'})"
        before = [] if self._attentive or index == 0 else self._hands[index - 1].struck
        expects = {struck.expect for struck in (*hand.struck, *before)}
        told = [event for round_ in rounds for event in round_]
        if hand.read_as:
            self._read_wrong.add(hand.shoe)
        too_often = Expect.INTEGRITY in expects
        if hand.shoe in self._read_wrong and not too_often and _any(meanwhile, Violation, reason="copies_used_up"):
            self.miscounted.append(name)
        if len(rounds) > 1 and Expect.EITHER not in expects:
            self.invented.append(f"{name}: {len(rounds)} rounds")
        self._result(name, hand, told, expects)
        self._alarms(name, meanwhile, expects)
        for struck in hand.struck:
            self.faults[f"{struck.fault}:{struck.expect}"] += 1
            if Expect.EITHER not in expects and not ANSWERED[struck.expect](hand, struck, told, meanwhile):
                self.unanswered.append(f"{name}: {struck} was not followed by what it should")

    def _result(self, name: str, hand: Hand, told: Told, expects: set[Expect]) -> None:
        outcomes = [event for event in told if isinstance(event.data, RoundOutcome)]
        corrections = [event for event in told if isinstance(event.data, OutcomeCorrected)]
        voided = any(isinstance(event.data, RoundVoided) for event in told)
        if not outcomes:
            self.ends["void" if voided else "not seen"] += 1
            decided = Expect.CORRECT in expects and _any(told, AttemptHeld)
            if not expects & MAY_LOSE and not decided:
                self.lost.append(f"{name}: {'voided' if voided else 'no round'}")
            return
        first = outcomes[0].data
        assert isinstance(first, RoundOutcome)
        self.ends[f"outcome by {first.source}"] += 1
        if hand.swept or not hand.complete:
            self.wrong.append(f"{name}: an outcome of a hand that was taken away")
            return
        right = facts_of(hand)
        final = corrections[-1].data if corrections else first
        assert isinstance(final, RoundOutcome | OutcomeCorrected)
        if published(final.facts) != right:
            self.wrong.append(f"{name}: {published(final.facts)}, and the cards were {right}")
        if published(first.facts) != right and not hand.read_as:
            self.wrong.append(f"{name}: at first {published(first.facts)}, and the cards were {right}")
        if not expects & MAY_LOSE and first.last_hand != hand.last_hand:
            self.wrong.append(f"{name}: last_hand is {first.last_hand}")
        if not expects - {Expect.ACCEPT} and first.source != "device":
            self.false_alarms.append(f"{name}: decided by a person")

    def _alarms(self, name: str, meanwhile: Told, expects: set[Expect]) -> None:
        if any(expect not in MAY_FOLLOW for expect in expects):
            return
        explained = tuple(kind for expect in expects for kind in MAY_FOLLOW[expect])
        for event in meanwhile:
            if isinstance(event.data, TROUBLE) and not isinstance(event.data, explained):
                self.false_alarms.append(f"{name}: {event.data}")


def _any(events: Told, kind: type[EventData], **values: Any) -> bool:
    return any(
        isinstance(event.data, kind) and all(getattr(event.data, key) == value for key, value in values.items())
        for event in events
    )


def _rescanned(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:
    """Asked for on the right position. A shoe that cannot read a hand's first card only says so: no round is open."""
    if _any(told, AttemptRefused, remedy="rescan", position=struck.position):
        return True
    return _at_first_card(hand, struck) and (struck.fault is CardFault.WRONG_CHECKSUM or _shoe_says(meanwhile))


def _at_first_card(hand: Hand, struck: Struck) -> bool:
    return struck.position == next(iter(hand.cards), struck.position)


def _shoe_says(meanwhile: Told) -> bool:
    return any(isinstance(event.data, DeviceFaulted) and event.data.fault.startswith("shoe_") for event in meanwhile)


def _tried(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:
    if not _rescanned(hand, struck, told, meanwhile):
        return False
    return _any(meanwhile, TablePaused, reason="tries_exhausted") or (
        _at_first_card(hand, struck) and _shoe_says(meanwhile)
    )


def _held(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:  # noqa: ARG001
    """A person decided or voided; at the latest when the dealer saw that no result came."""
    return _any(told, AttemptHeld) or _any(told, RoundVoided) or _any(meanwhile, AttemptHeld) or not told or hand.swept


def _shown(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:  # noqa: ARG001
    """The device's trouble began and ended."""
    began = sum(isinstance(event.data, DeviceFaulted) for event in meanwhile)
    return 0 < began == sum(isinstance(event.data, DeviceRecovered) for event in meanwhile)


def _last(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:  # noqa: ARG001
    return _any(meanwhile, ShoeCutCard)


def _corrected(hand: Hand, struck: Struck, told: Told, meanwhile: Told) -> bool:  # noqa: ARG001
    return any(isinstance(event.data, CardCorrected | OutcomeCorrected | AttemptHeld) for event in told)


ANSWERED: dict[Expect, Callable[[Hand, Struck, Told, Told], bool]] = {
    Expect.ACCEPT: lambda hand, struck, told, meanwhile: True,  # noqa: ARG005
    Expect.EITHER: lambda hand, struck, told, meanwhile: True,  # noqa: ARG005
    Expect.IGNORE: lambda hand, struck, told, meanwhile: _any(meanwhile, CardRepeated),  # noqa: ARG005
    Expect.RESCAN: _rescanned,
    Expect.TRIES: _tried,
    Expect.HOLD: _held,
    Expect.VIOLATION: lambda hand, struck, told, meanwhile: (  # noqa: ARG005
        _any(meanwhile, Violation) and _any(meanwhile, TablePaused, reason="violation")
    ),
    Expect.INTEGRITY: lambda hand, struck, told, meanwhile: _any(meanwhile, TablePaused, reason="integrity"),  # noqa: ARG005
    Expect.LAST_HAND: _last,
    Expect.LINK: _shown,
    Expect.UNSEEN: lambda hand, struck, told, meanwhile: not told,  # noqa: ARG005
    Expect.CORRECT: _corrected,
    Expect.PERSON: lambda hand, struck, told, meanwhile: not _any(told, RoundOutcome),  # noqa: ARG005
}
"""What must have happened after a fault: in the hand's own round (``told``) or at the table meanwhile."""

"""What the service manager's page shows: what the dealer sees, the acts that are possible now, and what may be gone
back to. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from dealer_daemon.screen.build import view
from dealer_daemon.screen.buttons import keys_of
from dealer_daemon.screen.felt import settled_felt
from dealer_daemon.screen.memory import Ended, Memory, may_be_seen
from dealer_daemon.screen.sight import Sight
from dealer_daemon.screen.texts import Text, plain, position_name, say
from dealer_daemon.screen.view import Beans, Cards, Dice, Due, Felt, Line, Number, Refusal, Segment
from dealer_daemon.table.common import gives_way

SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    """A result of this game as it is keyed in: ``count`` of ``choices``."""

    field: str
    count: int
    choices: list[str]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A position of a hand, and the card that is known to lie there."""

    position: str
    name: Text
    card: str | None = None


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a manager may do now. ``about`` goes back with it. While an offer is the same, its form may stay
    open: ``asked`` is another when the table asks anew."""

    act: str
    title: Text
    about: dict[str, Any]
    round: str = ""
    """Whose pictures are at hand."""
    keys: Keys | None = None
    """A result is to be keyed in."""
    places: list[Place] | None = None
    """One card of these, or (``whole``) all of them."""
    whole: bool = False
    expects: list[dict[str, Any]] = []
    """Goes back with a whole hand: what the server said."""
    stands: Text | None = None
    """What the act puts something else in the place of."""
    deck_sets: list[str] | None = None
    """One of these may be named."""
    asked: str = ""
    weight: str = "plain"


class EndedRound(msgspec.Struct, frozen=True, kw_only=True):
    """An outcome that can be corrected."""

    round: str
    sequence: int
    result: Text
    at_ms: int
    """Unix ms, for the page's own clock."""
    corrected: bool
    offer: Offer | None
    """``None`` for one of another game than the table plays now."""


class ManagerView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page."""

    boot: str
    table: str
    language: str
    game: Text
    phase: str
    phase_text: Text
    names: list[Text]
    due: Due
    refusal: Refusal | None
    marks: list[Line]
    alarms: list[Line]
    lies: Text | None
    """What was read, or the last result."""
    paused_for: str
    """The sentence of the pause."""
    offers: list[Offer]
    ended: list[EndedRound]
    evidence: dict[str, str]
    """What may be looked at, and of which round it is."""
    sequence: int


def manager_view(sight: Sight, memory: Memory) -> ManagerView:
    """See the module."""
    seen = view(sight)
    return ManagerView(
        boot=seen.boot,
        table=seen.table,
        language=seen.language,
        game=seen.game,
        phase=seen.phase,
        phase_text=seen.phase_text,
        names=seen.names,
        due=seen.due,
        refusal=seen.refusal,
        marks=seen.marks,
        alarms=seen.alarms,
        lies=None if seen.felt is None else said_of(seen.felt),
        paused_for=sight.recall.paused_for,
        offers=list(offers_of(sight, memory)),
        ended=[_ended(sight, one) for one in memory.ended],
        evidence=may_be_seen(sight, memory),
        sequence=seen.sequence,
    )


def offers_of(sight: Sight, memory: Memory) -> Iterator[Offer]:
    """What may be done now, what the table waits for first. The table itself judges whatever is sent."""
    state, current = sight.state, sight.state.round
    if state.paused is not None:
        yield Offer(act="resume", title=say("manager", "resume"), about={"pause": state.paused_at}, weight="main")
    if current is not None:
        about, asked = {"round": current.id}, f"{current.attempt} {current.phase} {current.asked_ns}"
        held = current.phase == "held"
        if held and current.betting == "closed":
            yield from _decisions(sight, memory, about, asked)
        if held and state.paused is None:
            yield Offer(act="refuse", title=say("manager", "refuse"), about=about, asked=asked)
        if sight.face.procedure is not None and memory.cards:
            places = [_place(position, card) for position, card in memory.cards.items()]
            yield Offer(act="card", title=say("manager", "card"), about=about, places=places, asked=asked)
        if sight.face.entry_device is not None and not sight.face.by_hand and not current.by_hand:
            yield Offer(act="allow_entry", title=say("manager", "allow_entry"), about=about)
        yield Offer(act="void", title=say("manager", "void"), about=about, weight="alarm")
    if sight.face.procedure is not None and (current is None or state.paused is not None):
        sets = list(sight.face.config.settings.shoe.deck_sets)
        yield Offer(act="shoe", title=say("manager", "shoe"), about={}, deck_sets=sets)
    if state.paused is None or gives_way(state):
        yield Offer(act="pause", title=say("manager", "pause"), about={}, weight="alarm")


def _decisions(sight: Sight, memory: Memory, about: dict[str, Any], asked: str) -> Iterator[Offer]:
    of = about["round"]
    if sight.face.procedure is None:
        title, keys = say("manager", "decide"), _keys(sight)
        yield Offer(act="decide", title=title, about=about, round=of, keys=keys, asked=asked, weight="main")
        return
    places = _places(sight, memory.cards)
    title = say("manager", "decide_card")
    yield Offer(act="decide_card", title=title, about=about, round=of, places=places, asked=asked, weight="main")
    yield Offer(
        act="decide_hand",
        title=say("manager", "decide_hand"),
        about=about,
        round=of,
        places=places,
        whole=True,
        expects=list(memory.expects),
        asked=asked,
    )


def _keys(sight: Sight) -> Keys | None:
    found = keys_of(sight.face.game.name)
    if found is None:
        return None
    field, count, choices = found
    return Keys(field=field, count=count, choices=choices)


def _place(position: str, card: str | None) -> Place:
    return Place(position=position, name=position_name(position), card=card)


def _places(sight: Sight, cards: Mapping[str, str]) -> list[Place]:
    """Where cards lie or may come to lie in the round in play. A card that is withheld is not among them."""
    felt = view(sight).felt
    slots = [slot.position for hand in felt.hands for slot in hand.slots] if isinstance(felt, Cards) else []
    return [_place(position, cards.get(position)) for position in dict.fromkeys((*cards, *slots))]


def _ended(sight: Sight, one: Ended) -> EndedRound:
    felt = settled_felt(one.game, one.facts)
    result = plain("?") if felt is None else said_of(felt)
    offer = None
    if one.game == sight.face.game.name:
        hand = sight.face.procedure is not None
        offer = Offer(
            act="correct",
            title=say("manager", "correct"),
            round=one.round,
            about={"replaces": one.sequence},
            keys=None if hand else _keys(sight),
            places=[_place(position, card) for position, card in one.cards.items()] if hand else None,
            whole=hand,
            stands=result,
            expects=list(one.expects),
        )
    return EndedRound(
        round=one.round,
        sequence=one.sequence,
        result=result,
        at_ms=one.wall_ns // 1_000_000,
        corrected=one.corrected,
        offer=offer,
    )


def said_of(felt: Felt) -> Text:
    """A result in one line."""
    match felt:
        case Number():
            return say("manager", "number_is", number=felt.number, colour=say("colour", felt.colour))
        case Dice():
            return plain(" · ".join(str(one) for one in felt.dice) + f" = {sum(felt.dice)}")
        case Segment():
            return felt.name if felt.segment is None else say("manager", "segment_is", n=felt.segment, name=felt.name)
        case Beans():
            return plain(str(felt.remainder))
        case Cards():
            return _line([_hand_text(hand.name, hand.slots) for hand in felt.hands], felt.result)


def _hand_text(name: Text, slots: list[Any]) -> Text:
    cards = " ".join(
        _card(slot.card) if slot.state == "lies" else "▮" for slot in slots if slot.state in ("lies", "hidden")
    )
    return say("manager", "hand_is", hand=name, cards=cards or "–")


def _card(card: str) -> str:
    return card[:-1].replace("T", "10") + SUITS.get(card[-1], card[-1])


def _line(hands: list[Text], result: Text | None) -> Text:
    parts = hands if result is None else [result, *hands]
    return Text(
        code="",
        english="   ".join(part.english for part in parts),
        simplified="   ".join(part.simplified for part in parts),
        traditional="   ".join(part.traditional for part in parts),
    )

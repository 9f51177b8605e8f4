"""Nothing that nobody may know is in a byte of the feed: of withheld cards not even what follows from them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_daemon.events import EVENT_TYPES, BettingClosed, CardDrawn, CardWithheld, RoundOpened, encode_data
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.games.cards.procedure import CardDue, Early, GateDue
from dealer_daemon.round import FoldError
from dealer_daemon.screen.view import View
from dealer_daemon.table.cards.hand import history_of, must_withhold
from support.screen_play import ScreenPlay, table_config

MARK = "7D-unit-of-nobody"
WITHHOLDING = ("baccarat", "dragon-tiger", "niu-niu", "three-cards", "holdem", "san-gong", "koi", "brawl")


def sent(view: View) -> bytes:
    return msgspec.json.encode(view)


def deal(game: str, cards: list[str]) -> list[tuple[bytes, list[str]]]:
    """What is sent after each card of a round while betting is open, and the cards that nobody may know by then."""
    table = ScreenPlay(table_config(game, early="withhold")).shoe(1).open()
    procedure = table.sight.face.procedure
    assert procedure is not None
    found, hidden = [(sent(table.view()), [])], []
    for card in cards:
        current = table.sight.state.round
        assert current is not None
        due = procedure.due(history_of(current.steps))
        if not isinstance(due, CardDue) or due.early is Early.FORBID:
            break
        if must_withhold(current, due):
            hidden = [*hidden, card]
            table.say(CardWithheld(position=due.position, card=card, unit=MARK, evidence=[MARK]))
        else:
            table.say(CardDrawn(card=card, position=due.position))
        found.append((sent(table.view()), hidden))
    return found


DECKS = st.permutations([str(card) for card in DECK])


@pytest.mark.parametrize("game", WITHHOLDING)
@settings(max_examples=30, deadline=None)
@given(cards=DECKS)
def test_no_withheld_card_is_in_a_byte(game: str, cards: list[str]) -> None:
    runs = deal(game, cards)
    assert runs[-1][1], "something was withheld"
    for body, hidden in runs:
        assert MARK.encode() not in body
        for card in hidden:
            assert f'"{card}"'.encode() not in body


@pytest.mark.parametrize("game", WITHHOLDING)
@settings(max_examples=30, deadline=None)
@given(one=DECKS, other=DECKS)
def test_what_is_sent_does_not_depend_on_cards_that_are_withheld(game: str, one: list[str], other: list[str]) -> None:
    if game == "niu-niu":  # its head card is known to all, and says who is dealt to first
        other = [one[0], *(card for card in other if card != one[0])]
    assert [body for body, _ in deal(game, one)] == [body for body, _ in deal(game, other)]


@settings(max_examples=30, deadline=None)
@given(cards=DECKS)
def test_a_card_behind_a_gate_stays_unknown_after_betting_closed(cards: list[str]) -> None:
    table = ScreenPlay(table_config("holdem", order="deal")).shoe(1).open().close()
    procedure = table.sight.face.procedure
    assert procedure is not None
    hidden = []
    for card in cards:
        current = table.sight.state.round
        assert current is not None
        due = procedure.due(history_of(current.steps))
        if isinstance(due, GateDue):
            break
        assert isinstance(due, CardDue)
        if must_withhold(current, due):
            hidden.append(card)
            table.say(CardWithheld(position=due.position, card=card))
        else:
            table.say(CardDrawn(card=card, position=due.position))
        body = sent(table.view())
        assert not [one for one in hidden if f'"{one}"'.encode() in body]
    assert len(hidden) == 4


SECRET = sorted(name for name, cls in EVENT_TYPES.items() if cls.secret)
FILLED: dict[str, Any] = {
    "reason": "x",
    "detail": "d",
    "position": "player.1",
    "card": "2C",
    "attempt": 1,
    "remedy": "rescan",
    "by": "m",
    "seen": {},
    "facts": {"number": "1", "color": "red"},
    "evidence": [],
    "game": "another",
    "attempts": 1,
    "source": "device",
}


@pytest.mark.parametrize("name", SECRET)
@pytest.mark.parametrize("closed", [False, True])
def test_no_secret_field_of_an_event_is_in_a_byte(name: str, closed: bool) -> None:
    cls = EVENT_TYPES[name]
    values = {field: FILLED[field] for field in cls.__struct_fields__ if field in FILLED and field not in cls.secret}
    for field in cls.secret - {"position", "card", "rest_left"}:
        values[field] = [MARK] if field in ("kept", "evidence") else True if field.endswith("_pair") else MARK
    if name != "card.drawn":
        values |= {"card": "7D"} if "card" in cls.secret else {}
    event = msgspec.convert(values, cls)
    assert b"7D" in encode_data(event) or MARK.encode() in encode_data(event) or cls.secret == {"rest_left"}
    table = ScreenPlay(table_config("baccarat")).shoe().say(RoundOpened(game="baccarat", source="server"))
    if closed:
        table.say(BettingClosed(game="baccarat", source="server"))
    try:
        table.say(event)
    except FoldError:
        pytest.fail(f"{name} cannot be folded here")
    body = sent(table.view())
    assert MARK.encode() not in body
    assert b"7D" not in body

"""What each message of an Angel Eye II-EX says, as readings (``devices.md`` §2, table of codes).

Total: a message that is not in the table, or says what cannot be, becomes an ``Unreadable`` with the reason;
a message that announces a card and names none that there is becomes a ``CardUnreadable``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dealer_drivers.cards import RANKS
from dealer_drivers.instant import Instant
from dealer_drivers.readings import Reading, Unreadable
from dealer_drivers.readings.shoe import (
    CardAnnouncedAgain,
    CardOutsideGame,
    CardRead,
    CardTrouble,
    CardUnreadable,
    CutCard,
    OutsideCause,
    PositionHint,
    PresetChanged,
    ShoeError,
    ShoeLocked,
    ShoeProblem,
    ShoeResult,
    ShoeSlot,
    ShoeStandBy,
    ShoeStarted,
    ShoeWinner,
)
from dealer_drivers.shoe.angel_eye_codec import Telegram

CARD_CODE = "D"

SLOTS: Mapping[int, ShoeSlot] = {
    0: ShoeSlot.PLAYER,
    1: ShoeSlot.BANKER,
    2: ShoeSlot.BURN,
    4: ShoeSlot.FIRST_BURN,
    5: ShoeSlot.BURN_COUNT,
}
SUITS: Mapping[int, str] = {1: "D", 2: "C", 3: "S", 4: "H"}
CAUSES: Mapping[int, OutsideCause] = {0: OutsideCause.LOCK, 1: OutsideCause.ERROR, 2: OutsideCause.SETTING_MODE}
WINNERS: Mapping[int, ShoeWinner] = {
    1: ShoeWinner.PLAYER,
    2: ShoeWinner.TIE,
    4: ShoeWinner.BANKER,
    7: ShoeWinner.FORCE_QUIT,
}
PROBLEMS: Mapping[int, ShoeProblem] = {
    1: ShoeProblem.CANNOT_READ,
    2: ShoeProblem.OVERDRAW,
    3: ShoeProblem.WRONG_BUTTON,
    4: ShoeProblem.BACKWARDS_AT_EXIT,
    5: ShoeProblem.BACKWARDS_MIDWAY,
    6: ShoeProblem.WRONG_CARD_CODE,
    7: ShoeProblem.DRAW_TOO_LONG,
}


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Something a payload says and cannot mean."""

    trouble: CardTrouble
    detail: str


def reading_of(telegram: Telegram, at: Instant) -> Reading:
    """What the telegram says."""
    known = _MESSAGES.get(telegram.code)
    if known is None:
        return _unreadable(
            telegram, at, f"the shoe sent a message {telegram.code!r}, which is not in the published list"
        )
    length, decode = known
    if len(telegram.payload) != length:
        got = len(telegram.payload)
        return _unreadable(telegram, at, f"message {telegram.code!r} with {got} payload bytes instead of {length}")
    if any(byte < 0x80 for byte in telegram.payload):
        return _unreadable(telegram, at, f"message {telegram.code!r} with a payload byte whose bit 7 is not set")
    return decode(telegram, at)


def _unreadable(telegram: Telegram, at: Instant, reason: str) -> Unreadable:
    if telegram.code == CARD_CODE:
        return CardUnreadable(at=at, raw=telegram.raw, reason=CardTrouble.MALFORMED, detail=reason)
    return Unreadable(at=at, raw=telegram.raw, reason=reason)


def _card(byte: int) -> str | _Wrong:
    """``1sss rrrr``: suit 1-4, rank 1 (ace) to 13 (king)."""
    suit, rank = byte >> 4 & 7, byte & 15
    if suit not in SUITS:
        return _Wrong(CardTrouble.SUIT, f"the shoe named suit {suit}; there are 1 to 4")
    if not 1 <= rank <= len(RANKS):
        return _Wrong(CardTrouble.RANK, f"the shoe named rank {rank}; there are 1 to 13")
    return RANKS[rank - 1] + SUITS[suit]


def _hint(byte: int) -> PositionHint | _Wrong:
    """``1ttt iiii``: where the card goes, and its number there from 1."""
    slot, index = byte >> 4 & 7, byte & 15
    if slot not in SLOTS:
        return _Wrong(CardTrouble.SLOT, f"the shoe named place {slot}, which is not in the published list")
    if index == 0:
        return _Wrong(CardTrouble.INDEX, "the shoe counted the card as number 0; it counts from 1")
    return PositionHint(SLOTS[slot], index)


def _drawn(telegram: Telegram, at: Instant) -> Reading:
    hint, card = _hint(telegram.payload[0]), _card(telegram.payload[1])
    known_hint = hint if isinstance(hint, PositionHint) else None
    for part in (hint, card):
        if isinstance(part, _Wrong):
            return CardUnreadable(at=at, raw=telegram.raw, reason=part.trouble, detail=part.detail, hint=known_hint)
    assert known_hint is not None
    assert isinstance(card, str)
    return CardRead(at=at, raw=telegram.raw, card=card, hint=known_hint, sequence=telegram.sequence)


def _announced_again(telegram: Telegram, at: Instant) -> Reading:
    hint, card = _hint(telegram.payload[0]), _card(telegram.payload[1])
    if isinstance(hint, _Wrong):
        return _unreadable(telegram, at, hint.detail)
    if isinstance(card, _Wrong):
        return _unreadable(telegram, at, card.detail)
    return CardAnnouncedAgain(at=at, raw=telegram.raw, card=card, hint=hint)


def _outside(telegram: Telegram, at: Instant) -> Reading:
    cause, card = CAUSES.get(telegram.payload[0] >> 4 & 7), _card(telegram.payload[1])
    if cause is None:
        return _unreadable(telegram, at, "a card outside a game, for a cause that is not in the published list")
    if isinstance(card, _Wrong):
        return _unreadable(telegram, at, f"a card outside a game: {card.detail}")
    return CardOutsideGame(at=at, raw=telegram.raw, card=card, cause=cause)


def _result(telegram: Telegram, at: Instant) -> Reading:
    """``1rrr 00pp``: bit 0 player pair, bit 1 banker pair."""
    byte = telegram.payload[0]
    winner = WINNERS.get(byte >> 4 & 7)
    if winner is None or byte & 0b1100:
        return _unreadable(telegram, at, f"the shoe's own result is {byte:02X}, which is not in the published list")
    return ShoeResult(at=at, raw=telegram.raw, winner=winner, player_pair=bool(byte & 1), banker_pair=bool(byte & 2))


def _error(telegram: Telegram, at: Instant) -> Reading:
    """``1m cccccc``: m = the shoe is stopped now."""
    code = telegram.payload[0] & 0x3F
    return ShoeError(
        at=at,
        raw=telegram.raw,
        problem=PROBLEMS.get(code, ShoeProblem.UNKNOWN),
        code=code,
        stopped=bool(telegram.payload[0] & 0x40),
        cleared=telegram.code == "e",
    )


def _locked(telegram: Telegram, at: Instant) -> Reading:
    return ShoeLocked(at=at, raw=telegram.raw, locked=bool(telegram.payload[0] & 1))


def _preset(telegram: Telegram, at: Instant) -> Reading:
    address, value = (byte & 0x7F for byte in telegram.payload)
    return PresetChanged(at=at, raw=telegram.raw, address=address, value=value)


def _started(telegram: Telegram, at: Instant) -> Reading:
    return ShoeStarted(at=at, raw=telegram.raw)


def _stand_by(telegram: Telegram, at: Instant) -> Reading:
    return ShoeStandBy(at=at, raw=telegram.raw)


def _cut(telegram: Telegram, at: Instant) -> Reading:
    return CutCard(at=at, raw=telegram.raw)


_MESSAGES: Mapping[str, tuple[int, Callable[[Telegram, Instant], Reading]]] = {
    "S": (0, _started),
    "P": (0, _stand_by),
    CARD_CODE: (2, _drawn),
    "d": (2, _outside),
    "R": (2, _announced_again),
    "C": (0, _cut),
    "G": (1, _result),
    "E": (1, _error),
    "e": (1, _error),
    "L": (1, _locked),
    "M": (2, _preset),
}
"""Message code: how many payload bytes it has, and what they say."""

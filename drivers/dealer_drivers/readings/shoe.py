"""Readings of a card shoe or scanner, the same for every make: what was seen, never what it means for the game.

No reading here opens a round. A shoe that starts, stands by or is connected has dealt nothing; a round
begins with a card, and which card that is the game says (``devices.md`` §2).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dealer_drivers.cards import DECK, RANKS, SUITS
from dealer_drivers.readings import Reading, Unreadable


def _no_card(card: str) -> str | None:
    known = f"rank, one of {RANKS}, then suit, one of {SUITS}; another is a CardUnreadable or a CardForeign"
    return None if card in DECK else f"card {card!r}: {known}"


class ShoeSlot(StrEnum):
    """Where the shoe itself says that a card goes."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    FIRST_BURN = "first_burn"
    """The first burn card: it sets how many more are burnt."""
    BURN_COUNT = "burn_count"
    """A card burnt because the first burn card said so."""


@dataclass(frozen=True, slots=True)
class PositionHint:
    """The place that the device reports with a card, ``index`` counted from 1. A hint: the game decides."""

    slot: ShoeSlot
    index: int


@dataclass(frozen=True, slots=True)
class CardUnit:
    """One physical card, known by its unit-coded code. Equal units are the same piece of plastic or paper."""

    deck_set: str
    deck: str
    serial: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRead(Reading):
    """A card, read with certainty.

    ``code`` is the text the scanner gave, ``None`` for a shoe that names the card itself. ``unit`` is ``None``
    where two equal cards look alike. ``repeated``: the same code was seen less than the repeat window ago, so
    this may be the same pass again; it is said, not dropped, because only the game knows whether it is.
    ``unsure`` (of a repeated one): nobody looked in between, for the scanner was away. The card may lie there still, or
    be another one that looks alike. ``sequence``: the shoe's own number of the telegram.
    """

    card: str
    code: str | None = None
    hint: PositionHint | None = None
    unit: CardUnit | None = None
    repeated: bool = False
    unsure: bool = False
    sequence: str | None = None

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return _no_card(self.card)


class CardTrouble(StrEnum):
    """Why a card that passed could not be told: the ``reason`` of ``CardUnreadable``."""

    NO_READ = "no_read"
    """The scanner says that it saw a card and read no code."""
    EMPTY = "empty"
    """A code of no characters."""
    NOT_TEXT = "not_text"
    """Characters that no code has: noise, or the wrong speed."""
    TOO_LONG = "too_long"
    """More characters without an end than any code has."""
    PARTIAL = "partial"
    """A piece of a code."""
    LENGTH = "length"
    """Not the length that the codes of this table have."""
    FRAMING = "framing"
    """The text before or after the code that the scanner is set to send is missing."""
    SYMBOLOGY = "symbology"
    """A kind of bar code that this table does not allow, or one that does not say its kind."""
    CHECK_CHARACTER = "check_character"
    """The code's own check character does not fit: misread."""
    TWO_CODES = "two_codes"
    """More than one code in one frame."""
    CHECKSUM = "checksum"
    """The telegram of a card came damaged."""
    TORN = "torn"
    """The telegram or text of a card broke off."""
    MALFORMED = "malformed"
    """The telegram of a card came whole and has another shape than the published one."""
    SLOT = "slot"
    """The shoe names a place that it does not have."""
    INDEX = "index"
    """The shoe counts the card as number 0."""
    SUIT = "suit"
    """The shoe names a suit that there is not."""
    RANK = "rank"
    """The shoe names a rank that there is not."""
    READERS_DISAGREE = "readers_disagree"
    """At a table whose cards need two readers: they do not read the same."""
    ONE_READER = "one_reader"
    """At such a table: one reader alone saw the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardUnreadable(Unreadable):
    """A card passed and cannot be told: scan it again. ``reason`` is a word of ``CardTrouble``.

    It is an ``Unreadable`` too, so match this one first. ``repeated`` as in ``CardRead``, for the same text.
    """

    detail: str
    hint: PositionHint | None = None
    repeated: bool = False


class ScannerFault(StrEnum):
    """What can be wrong with a scanner alone: ``fault`` of a ``DeviceFault``."""

    KEYS_LOST = "keys_lost"
    """Key events of a scanner that types were thrown away unread: any number of cards may have been among them."""


class ForeignKind(StrEnum):
    """What a code that is no card of the deck set belongs to."""

    UNKNOWN = "unknown"
    JOKER = "joker"
    ADVERT = "advert"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardForeign(Reading):
    """A whole and sound code that is no card of the deck set in use."""

    code: str
    kind: ForeignKind
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCard(Reading):
    """The cut card was seen. ``code`` is the scanner's text, ``None`` for a shoe that knows it by itself."""

    code: str | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardAnnouncedAgain(Reading):
    """The shoe announces a card again: overdrawn, it belongs to the next round. Sources differ on this message,
    so it is kept as that, and is neither a fresh card nor the start of a round."""

    card: str
    hint: PositionHint

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return _no_card(self.card)


class OutsideCause(StrEnum):
    """Why the shoe was not in a game when a card passed."""

    LOCK = "lock"
    ERROR = "error"
    SETTING_MODE = "setting_mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOutsideGame(Reading):
    """A card left the shoe while it was locked, in error or being set up."""

    card: str
    cause: OutsideCause

    def impossible(self) -> str | None:
        """See ``Reading``."""
        return _no_card(self.card)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeStarted(Reading):
    """The shoe started its communication. After a cut card this is a new shoe; alone it may be a power cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeStandBy(Reading):
    """The shoe says that it waits between rounds."""


class ShoeWinner(StrEnum):
    """The shoe's own verdict on the hand."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    FORCE_QUIT = "force_quit"
    """A person ended the hand at the shoe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeResult(Reading):
    """The shoe's own result of the hand: a witness. Where it disagrees with the cards, a person must look."""

    winner: ShoeWinner
    player_pair: bool
    banker_pair: bool


class ShoeProblem(StrEnum):
    """What the shoe says is wrong."""

    CANNOT_READ = "cannot_read"
    OVERDRAW = "overdraw"
    WRONG_BUTTON = "wrong_button"
    BACKWARDS_AT_EXIT = "backwards_at_exit"
    BACKWARDS_MIDWAY = "backwards_midway"
    WRONG_CARD_CODE = "wrong_card_code"
    DRAW_TOO_LONG = "draw_too_long"
    UNKNOWN = "unknown"
    """A code outside the published list; the number is in ``code``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeError(Reading):
    """The shoe reports an error, or with ``cleared`` its end. ``stopped``: the shoe gives no more cards now."""

    problem: ShoeProblem
    code: int
    stopped: bool
    cleared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeLocked(Reading):
    """The shoe was locked, or unlocked."""

    locked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetChanged(Reading):
    """Somebody changed a setting of the shoe. Both are the seven bits of the byte as sent."""

    address: int
    value: int

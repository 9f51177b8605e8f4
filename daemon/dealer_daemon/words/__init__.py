"""Every word of a message that a person reads, in the languages of the pits: English, 简体中文, 繁體中文.

Messages and the journal carry the words; screens and reports show the texts. The trade's Chinese terms are those of
the rule books (``games.md`` §1, §5). ``docs/reference/reasons.md`` is written from here.
"""

from __future__ import annotations

from dealer_daemon.words.beans import BEANS
from dealer_daemon.words.cards import CARDS
from dealer_daemon.words.decks import DECKS
from dealer_daemon.words.devices import DEVICES
from dealer_daemon.words.dice import DICE
from dealer_daemon.words.journal import JOURNAL
from dealer_daemon.words.looks import LOOKS
from dealer_daemon.words.page import reasons_page
from dealer_daemon.words.remedies import REMEDIES
from dealer_daemon.words.rounds import ROUNDS
from dealer_daemon.words.spins import SPINS
from dealer_daemon.words.turns import TURNS
from dealer_daemon.words.word import Kind, Language, Word

__all__ = ["FAMILIES", "WORDS", "Kind", "Language", "UnknownWord", "Word", "reference", "text", "words_of"]

FAMILIES: tuple[dict[str, Word], ...] = (
    SPINS,
    CARDS,
    DECKS,
    LOOKS,
    DICE,
    BEANS,
    TURNS,
    ROUNDS,
    REMEDIES,
    DEVICES,
    JOURNAL,
)
"""No word is in two of them."""

WORDS: dict[str, Word] = {name: word for family in FAMILIES for name, word in family.items()}


class UnknownWord(LookupError):  # noqa: N818
    """A word that the catalogue does not have."""


def text(word: str, language: Language | str) -> str:
    """The word for a person. Raises ``UnknownWord``, and ``ValueError`` for a language that there is not."""
    entry = WORDS.get(word)
    if entry is None:
        raise UnknownWord(f"no text for {word!r}: add it to dealer_daemon.words")
    match Language(language):
        case Language.ENGLISH:
            return entry.english
        case Language.SIMPLIFIED:
            return entry.simplified
        case Language.TRADITIONAL:
            return entry.traditional


def words_of(kind: Kind) -> dict[str, Word]:
    """The words that may stand in one place, in the order of the reference."""
    return {name: word for name, word in WORDS.items() if kind in word.kinds}


def reference() -> str:
    """``docs/reference/reasons.md``."""
    return reasons_page(WORDS)

"""What a code book must be before a card may be read by it; every problem is listed, not the first alone.

A unit-coded book holds each of the 52 cards once in every deck; a rank-suit book holds each once. Beyond
that no two codes may be mistaken for each other: not doubled, not equal but for upper and lower case, and
none the head or tail of another, so that a torn code is never a different card.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dealer_drivers.cards import DECK
from dealer_drivers.shoe.aim import split_aim
from dealer_drivers.shoe.check_character import is_checked
from dealer_drivers.shoe.codebook import BookKind

MAX_CODE = 48
"""Characters: more than any code that fits on a card, and less than a HID-POS report carries."""
MAX_DECKS = 16


@dataclass(frozen=True, slots=True)
class CardRow:
    """One card's entry. ``deck`` and ``serial`` are empty in rank-suit books."""

    code: str
    card: str
    deck: str = ""
    serial: str = ""


def book_problems(
    kind: BookKind, decks: int | None, cards: Sequence[CardRow], others: Sequence[str], *, checked: bool
) -> list[str]:
    """All that is wrong with these entries, a sentence each; empty when the book may be used."""
    codes = [*(row.code for row in cards), *others]
    problems = [problem for code in sorted(set(codes)) if (problem := code_problem(code))]
    problems += [f"code {code} stands {count} times" for code, count in Counter(codes).items() if count > 1]
    problems += _alike(codes)
    problems += [f"{row.card!r} of code {row.code} is no card" for row in cards if row.card not in DECK]
    if kind is BookKind.UNIT_CODED:
        problems += _deck_problems(decks, cards)
    else:
        problems += _set_problems("the book", [row.card for row in cards])
    if checked:
        problems += [f"code {code} has a wrong check character" for code in codes if not is_checked(code)]
        if len(set(map(len, codes))) > 1:
            problems.append("codes with check characters must all have one length")
    return problems


def code_problem(code: str) -> str | None:
    """Why no card may carry this code, if so."""
    if not code or len(code) > MAX_CODE or not all("!" <= character <= "~" for character in code):
        return f"code {code!r} must be 1 to {MAX_CODE} printable ASCII characters without spaces"
    if split_aim(code)[0] is not None:
        return f"code {code} begins like an AIM identifier, which scanners put before a code"
    return None


def _alike(codes: Sequence[str]) -> list[str]:
    known = set(codes)
    problems = []
    by_fold: Mapping[str, set[str]] = defaultdict(set)
    for code in sorted(known):
        by_fold[code.casefold()].add(code)
        for cut in range(1, len(code)):
            if code[:cut] in known:
                problems.append(f"code {code[:cut]} is the head of {code}: a torn {code} would be taken for it")
            if code[cut:] in known:
                problems.append(f"code {code[cut:]} is the tail of {code}: a torn {code} would be taken for it")
    problems += [
        f"codes {' and '.join(sorted(twins))} differ only in upper and lower case"
        for twins in by_fold.values()
        if len(twins) > 1
    ]
    return problems


def _deck_problems(decks: int | None, cards: Sequence[CardRow]) -> list[str]:
    if decks is None or not 1 <= decks <= MAX_DECKS:
        return [f"decks must be 1 to {MAX_DECKS}"]
    problems = []
    by_deck: Mapping[str, list[str]] = defaultdict(list)
    for row in cards:
        if not row.deck or not row.serial:
            problems.append(f"code {row.code} has no deck or no serial")
        by_deck[row.deck].append(row.card)
    units = Counter((row.deck, row.serial) for row in cards)
    problems += [
        f"deck {deck} serial {serial} is given to {count} cards" for (deck, serial), count in units.items() if count > 1
    ]
    if len(by_deck) != decks:
        problems.append(f"decks = {decks}, and the cards are of {len(by_deck)}: {', '.join(sorted(by_deck))}")
    for deck, members in sorted(by_deck.items()):
        problems += _set_problems(f"deck {deck}", members)
    if len(cards) != len(DECK) * decks:
        problems.append(f"{len(cards)} cards; {decks} decks have {len(DECK) * decks}")
    return problems


def _set_problems(whose: str, members: Sequence[str]) -> list[str]:
    count = Counter(members)
    missing = [card for card in DECK if card not in count]
    doubled = [card for card in DECK if count[card] > 1]
    problems = []
    if missing:
        problems.append(f"{whose} lacks {', '.join(missing)}")
    if doubled:
        problems.append(f"{whose} has more than once {', '.join(doubled)}")
    return problems

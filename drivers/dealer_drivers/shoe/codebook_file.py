"""Code books in files, TOML::

codebook = 1
kind = "unit-coded"                    # or "rank-suit"
deck_set = "blue-7"
decks = 8                              # unit-coded only
check = "weighted-31"                  # only where every code ends with this check character
cards = [
  ["B7K3M9QX", "8S", "1", "017"],      # code, card, deck, serial; rank-suit: code, card
]
others = [
  ["B7ZZ4T2H", "cut"],                 # cut, joker, advert
]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dealer_drivers.errors import FixConfigError
from dealer_drivers.readings.shoe import CardUnit, ForeignKind
from dealer_drivers.shoe.codebook import RANK_SUIT, BookKind, CodeBook, Foreign, KnownCard, KnownCut
from dealer_drivers.shoe.codebook_check import CardRow, book_problems

CHECK = "weighted-31"
KEYS = {"codebook", "kind", "deck_set", "decks", "check", "cards", "others"}
OTHERS: Mapping[str, KnownCut | Foreign] = {
    "cut": KnownCut(),
    "joker": Foreign(ForeignKind.JOKER),
    "advert": Foreign(ForeignKind.ADVERT),
}


class CodeBookError(FixConfigError):
    """A code book cannot be used. ``problems`` lists everything that is wrong with the file at ``path``."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        super().__init__(f"code book {path}: {'; '.join(problems)}")
        self.path = path
        self.problems = problems


def find_codebook(name: str) -> CodeBook:
    """The built-in book ``rank-suit``, or the one in the file of that path. Raises ``CodeBookError``."""
    return RANK_SUIT if name == RANK_SUIT.deck_set else load_codebook(Path(name))


def load_codebook(path: Path) -> CodeBook:
    """The book in the file, checked. Raises ``CodeBookError`` with every problem at once."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CodeBookError(path, ["there is no such file"]) from None
    except OSError as error:
        raise CodeBookError(path, [f"cannot be read: {error.strerror}"]) from error
    except (ValueError, RecursionError) as error:  # what UTF-8 and TOML decoding raise
        raise CodeBookError(path, [f"is no TOML: {error}"]) from error
    return _book(path, content)


def dump_codebook(book: CodeBook) -> str:
    """The text of the book's file: ``load_codebook`` of it gives the book again."""
    lines = ["codebook = 1", f"kind = {_quoted(book.kind)}", f"deck_set = {_quoted(book.deck_set)}"]
    if book.decks is not None:
        lines.append(f"decks = {book.decks}")
    if book.checked:
        lines.append(f"check = {_quoted(CHECK)}")
    lines.append("cards = [")
    for code, known in book.cards.items():
        row = [code, known.card, *((known.unit.deck, known.unit.serial) if known.unit else ())]
        lines.append(f"  [{', '.join(map(_quoted, row))}],")
    lines += ["]", "others = ["]
    names = {other: name for name, other in OTHERS.items()}
    lines += [f"  [{_quoted(code)}, {_quoted(names[other])}]," for code, other in book.others.items()]
    return "\n".join([*lines, "]", ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _book(path: Path, content: Mapping[str, Any]) -> CodeBook:
    problems = [f"key {key!r} is not known" for key in sorted(content.keys() - KEYS)]
    version = content.get("codebook")
    if version != 1 or isinstance(version, bool):  # to Python, true is 1
        problems.append("codebook must be 1, the version of this format")
    deck_set, decks, check = content.get("deck_set"), content.get("decks"), content.get("check")
    if not isinstance(deck_set, str) or not deck_set or not deck_set.isprintable():
        problems.append("deck_set must name the deck set")
    if check not in (None, CHECK):
        problems.append(f"check must be {CHECK!r}, or left out")
    if content.get("kind") not in list(BookKind):
        raise CodeBookError(path, [*problems, f"kind must be one of {', '.join(BookKind)}"])
    kind = BookKind(content["kind"])
    if kind is BookKind.RANK_SUIT and decks is not None:
        problems.append("a rank-suit book has no decks: its codes are the same in every one")
    rows = _rows(content, "cards", 4 if kind is BookKind.UNIT_CODED else 2, problems)
    others = _rows(content, "others", 2, problems) if "others" in content else []
    problems += [
        f"others: {name!r} of code {code} must be one of {', '.join(OTHERS)}"
        for code, name in others
        if name not in OTHERS
    ]
    cards = [CardRow(*row) for row in rows]
    count = decks if isinstance(decks, int) and not isinstance(decks, bool) else None
    problems += book_problems(kind, count, cards, [code for code, _ in others], checked=check == CHECK)
    if problems:
        raise CodeBookError(path, problems)
    name = str(deck_set)
    return CodeBook(
        kind=kind,
        deck_set=name,
        decks=count,
        cards={
            row.code: KnownCard(row.card, CardUnit(name, row.deck, row.serial) if row.deck else None) for row in cards
        },
        others={code: OTHERS[other] for code, other in others},
        checked=check == CHECK,
    )


def _rows(content: Mapping[str, Any], key: str, width: int, problems: list[str]) -> list[list[str]]:
    """The well-formed rows; the others become problems that name them by number, from 1."""
    rows = content.get(key)
    if not isinstance(rows, list):
        problems.append(f"{key} must be a list of rows")
        return []
    good = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, list) and len(row) == width and all(isinstance(cell, str) for cell in row):
            good.append(row)
        else:
            problems.append(f"{key}, row {number} must be {width} strings, not {row!r}")
    return good

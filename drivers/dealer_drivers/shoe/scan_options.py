"""The options that every bar code scanner has, however it is attached (``devices.md`` §3)."""

from __future__ import annotations

from collections.abc import Iterable

from dealer_drivers.driver import DriverOptions
from dealer_drivers.errors import OptionError
from dealer_drivers.shoe.aim import is_aim_pattern
from dealer_drivers.shoe.barcode_codec import MAX_FRAME
from dealer_drivers.shoe.card_text import TextRules
from dealer_drivers.shoe.codebook import BookKind, CodeBook
from dealer_drivers.shoe.codebook_file import CodeBookError, find_codebook


class ScanOptions(DriverOptions, frozen=True, kw_only=True):
    """Options of a scanner."""

    codebook: str
    """``rank-suit``, or the path of a code book file."""
    aim_ids: tuple[str, ...] = ()
    """Symbologies that a card may have, ``]C`` or ``]C0``; the scanner must then send AIM identifiers."""
    code_length: int | None = None
    """Characters of every code; none: any length that is in the code book."""
    no_read: tuple[str, ...] = ("NR",)
    """What the scanner sends when it saw a card and read no code, without identifier."""
    repeat_window_ms: int = 1000
    """The same code within this time of the last may be the same pass. Ours: longer than scanners wait before
    they read the same code again, shorter than the time between two cards by hand. 0 only with a unit-coded book."""
    idle_gap_ms: int = 200
    """A rest of this length ends a text that has no end."""

    def load_book(self) -> CodeBook:
        """The code book. Raises ``OptionError`` that names the file and all that is wrong with it."""
        try:
            return find_codebook(self.codebook)
        except CodeBookError as error:
            raise OptionError("codebook", str(error)) from error

    def card_decks(self) -> int | None:
        """The decks of a unit-coded book; ``None`` for one that counts none."""
        return self.load_book().decks

    def rules(self, prefix: str = "") -> TextRules:
        """How texts are judged. Raises as ``load_book``."""
        return TextRules(
            book=self.load_book(),
            aim_ids=self.aim_ids,
            prefix=prefix,
            code_length=self.code_length,
            no_read=self.no_read,
            repeat_window_ms=self.repeat_window_ms,
        )

    def problems(self) -> list[OptionError]:
        """Figures out of range, identifiers that are none, and whatever is wrong with the code book."""
        problems = [*self._range_problems()]
        problems += [
            OptionError("aim_ids", f"{text!r} is no AIM identifier; write for example ']C' or ']C0'")
            for text in self.aim_ids
            if not is_aim_pattern(text)
        ]
        try:
            book = self.load_book()
        except OptionError as error:
            return [*problems, error]
        problems += [
            OptionError("no_read", f"{text!r} is a code of the code book {book.deck_set}")
            for text in self.no_read
            if text in book.codes()
        ]
        problems += repeat_problems(self.repeat_window_ms, book)
        if self.code_length is not None and not any(len(code) == self.code_length for code in book.cards):
            problems.append(OptionError("code_length", f"no card of code book {book.deck_set} has this length"))
        return problems

    def _range_problems(self) -> Iterable[OptionError]:
        for key, value, low, high in (
            ("idle_gap_ms", self.idle_gap_ms, 5, 5_000),
            ("repeat_window_ms", self.repeat_window_ms, 0, 60_000),
            ("code_length", 1 if self.code_length is None else self.code_length, 1, MAX_FRAME),
        ):
            if not low <= value <= high:
                yield OptionError(key, f"{value} is out of range; it must be {low} to {high}")


def trigger_problems(on: str, off: str) -> list[OptionError]:
    """A scanner that is stopped and never started again would read no card any more."""
    if not off or on:
        return []
    return [OptionError("trigger_on", "is needed beside trigger_off: what stops scanning is to be started again")]


def repeat_problems(window_ms: int, book: CodeBook) -> list[OptionError]:
    """Where equal cards look alike, nothing but the window tells a card that lies before the reader from the next."""
    if window_ms or book.kind is not BookKind.RANK_SUIT:
        return []
    detail = "must be more than 0 with a rank-suit book: a card that lies there would count each time that it is read"
    return [OptionError("repeat_window_ms", detail)]

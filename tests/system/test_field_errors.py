"""Six errors that other systems made at card tables, each from the reader's bytes to the outcome.

Real drivers, validation and tables; only ports and clock are left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.events import AttemptHeld, AttemptRefused, CardDrawn, CardRepeated, Event, RoundOpened, RoundOutcome
from dealer_daemon.round import TableState
from dealer_daemon.station.setup import table_setup
from dealer_daemon.table import Table
from dealer_drivers.instant import NS_PER_S, Instant
from hw_sim.shoe.telegrams import TO_BANKER, TO_PLAYER, card_bytes, telegram
from support.card_floor import table_config
from support.keys import ENTER, events, press, typed

RANKS = "?A23456789TJQK"
TABLE = """
game = "{game}"
round_source = "device"
[tables.t.shoe]
decks = {decks}
require_verified = false
[[tables.t.devices]]
name = "reader"
driver = "{driver}"
port = "{port}"
"""


class Reader:
    """One table and its reader's line."""

    def __init__(self, driver: str, *, game: str = "baccarat", decks: int = 8) -> None:
        port = "/dev/input/by-id/reader-event-kbd" if driver == "barcode-keyboard" else "/dev/dealer/reader"
        book = "" if driver == "angel-eye" else 'codebook = "rank-suit"\n'
        config = table_config(TABLE.format(game=game, decks=decks, driver=driver, port=port) + book, Path())
        self._device = config.devices[0]
        self._session = self._device.driver.session(self._device.options)
        self._table = Table(table_setup(config), TableState(table="t"), "boot")
        self._at = Instant(NS_PER_S, 0)
        self.events: list[Event] = list(self._table.start(self._at).events)
        self._take(self._session.opened(self._at).readings)

    def _take(self, readings: object) -> None:
        self.events += self._table.readings(self._device.name, readings, self._at).events  # type: ignore[arg-type]

    def hear(self, data: bytes, after_s: float = 2.0) -> None:
        """Bytes arrive, and then it is quiet for a moment."""
        self.wait(after_s)
        self._take(self._session.feed(data, self._at).readings)
        self.wait(0.5)

    def wait(self, seconds: float) -> None:
        """Time passes, and whoever asked to be called is."""
        end = self._at.plus_s(seconds)
        while True:
            due = [ns for ns in (self._session.deadline_ns(), self._table.deadline_ns()) if ns is not None]
            if not due or min(due) > end.mono_ns:
                break
            self._at = Instant(max(min(due), self._at.mono_ns), 0)
            self._take(self._session.tick(self._at).readings)
            self.events += self._table.tick(self._at).events
        self._at = end

    def scan(self, cards: str) -> None:
        for card in cards.split():
            self.hear(f"{card}\r\n".encode("ascii"))

    def cards(self) -> list[str]:
        return [event.data.card for event in self.events if isinstance(event.data, CardDrawn)]

    def of(self, kind: type) -> list[Event]:
        return [event for event in self.events if isinstance(event.data, kind)]


def card(sequence: str, place: str, text: str) -> bytes:
    """A shoe's telegram of a card, ``P1`` or ``B2``."""
    side = TO_PLAYER if place[0] == "P" else TO_BANKER
    return telegram(sequence, "D", card_bytes(side, int(place[1]), RANKS.index(text[0]), text[1]))


def test_keys_doubled() -> None:
    """A key counts once, not at press and at release; and a text whose keys came twice is no card."""
    reader = Reader("barcode-keyboard")
    for text in ("8S", "55CC", "5C", "AD", "3H"):
        reader.hear(events([*typed(text), *press(ENTER)]))
    assert reader.cards() == ["8S", "5C", "AD", "3H"]
    assert len(reader.of(RoundOutcome)) == 1


def test_shift_ignored() -> None:
    """``8S`` and ``8s`` are two texts: the one typed with SHIFT is a card, the other none."""
    reader = Reader("barcode-keyboard")
    for text in ("8s", "8S", "5C", "aD", "AD", "3H"):
        reader.hear(events([*typed(text), *press(ENTER)]))
    assert reader.cards() == ["8S", "5C", "AD", "3H"]
    assert len(reader.of(RoundOutcome)) == 1


def test_second_identical_card_dropped() -> None:
    """Eight decks hold eight of each: the same code from the next card is the next card."""
    for driver in ("barcode-serial", "angel-eye"):
        reader = Reader(driver)
        if driver == "angel-eye":
            for sequence, (place, text) in enumerate((("P1", "8S"), ("B1", "8S"), ("P2", "AD"), ("B2", "KH")), 1):
                reader.hear(card(str(sequence), place, text))
            reader.wait(30)
        else:
            reader.scan("8S 8S AD KH")
        assert reader.cards() == ["8S", "8S", "AD", "KH"]
        assert reader.of(CardRepeated) == []
        assert len(reader.of(RoundOutcome)) == 1


def test_five_card_hand_waiting_for_a_sixth() -> None:
    """The player draws, the banker stands: the outcome comes with the fifth card, and the next card is of the next."""
    reader = Reader("barcode-serial")
    reader.scan("2S 7C 3D KH 8H")
    (outcome,) = [event.data for event in reader.of(RoundOutcome)]
    assert isinstance(outcome, RoundOutcome)
    assert outcome.facts["cards_total"] == 5
    reader.scan("9C")
    assert len(reader.of(RoundOpened)) == 2


@pytest.mark.parametrize("noise", [b"\x00\xff\r\n", b"\x07\r", b"\r\n", b"]C0\r\n"])
def test_a_line_that_says_nothing_is_a_card_that_passed(noise: bytes) -> None:
    """What was swallowed once: the next card took its place, and every later one that of the card before it."""
    reader = Reader("barcode-serial", game="dragon-tiger")
    reader.scan("8S")
    reader.hear(noise)
    (refused,) = [event.data for event in reader.of(AttemptRefused)]
    assert isinstance(refused, AttemptRefused)
    assert (refused.remedy, refused.position) == ("rescan", "tiger.1")
    reader.scan("5C")
    assert reader.cards() == ["8S", "5C"]


def test_phantom_round_from_a_timer() -> None:
    """Rounds begin with a card and never with time, a connection, a start or a stand-by."""
    reader = Reader("angel-eye")
    reader.hear(telegram("1", "S"))
    reader.hear(telegram("2", "P"))
    reader.wait(7200)
    assert reader.of(RoundOpened) == []
    for sequence, (place, text) in enumerate((("P1", "8S"), ("B1", "5C"), ("P2", "AD"), ("B2", "3H")), 3):
        reader.hear(card(str(sequence), place, text))
    reader.wait(7200)
    reader.hear(telegram("7", "P"))
    reader.wait(7200)
    assert len(reader.of(RoundOpened)) == len(reader.of(RoundOutcome)) == 1


def test_overwritten_slot() -> None:
    """A second card for a place that has one: the first stands, and a person decides."""
    reader = Reader("angel-eye")
    for sequence, (place, text) in enumerate((("P1", "8S"), ("B1", "5C"), ("B1", "6C"), ("P2", "AD"), ("B2", "3H")), 1):
        reader.hear(card(str(sequence), place, text))
    reader.wait(60)
    assert reader.cards() == ["8S", "5C"]
    (held,) = [event.data for event in reader.of(AttemptHeld)]
    assert isinstance(held, AttemptHeld)
    assert held.reason == "slot_overwritten"
    assert reader.of(RoundOutcome) == []

"""Two readers for every card (``games.md`` §3: two readers disagree)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dealer_daemon.commands import Command, CommandName, Role
from dealer_daemon.config import ConfigErrors, parse_config
from dealer_daemon.events import AttemptRefused, RoundOutcome
from dealer_daemon.round import TableState
from dealer_daemon.station.setup import table_setup
from dealer_daemon.table import Table
from dealer_daemon.table.cards.pairs import Pairs
from dealer_drivers.cards import DECK
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.shoe import (
    CardForeign,
    CardRead,
    CardTrouble,
    CardUnit,
    CardUnreadable,
    CutCard,
    ForeignKind,
    PositionHint,
    ShoeResult,
    ShoeSlot,
    ShoeWinner,
)
from support.card_tables import word

NOW = Instant(10**12, 10**18)
SECOND = """
[[tables.b1.devices]]
name = "second"
driver = "barcode-serial"
port = "/dev/dealer/second"
codebook = "rank-suit"
role = "witness"
"""
TWO_SCANNERS = (
    """
[station]
site = "studio-1"
state_dir = "state"
[tables.b1]
game = "baccarat"
round_source = "device"
witness_wait_s = 1.5
[tables.b1.shoe]
decks = 8
require_verified = false
[[tables.b1.devices]]
name = "first"
driver = "barcode-serial"
port = "/dev/dealer/first"
codebook = "rank-suit"
"""
    + SECOND
)


def card(text: str, after_s: float = 0.0, unit: int | None = None) -> CardRead:
    at = NOW.plus_s(after_s)
    known = None if unit is None else CardUnit("red", "1", str(unit))
    return CardRead(at=at, raw=text.encode(), card=text, code=text, unit=known)


def told(readings: list[Reading]) -> list[str]:
    return [reading.card if isinstance(reading, CardRead) else getattr(reading, "reason", "?") for reading in readings]


def pairs() -> Pairs:
    return Pairs("second", 1.0)


def test_a_card_counts_when_both_have_read_it_whoever_is_first() -> None:
    one = pairs()
    assert one.feed("first", card("8S")) == []
    assert told(one.feed("second", card("8S", 0.3))) == ["8S"]
    assert one.feed("second", card("5C", 2)) == []
    (agreed,) = one.feed("first", card("5C", 2.4))
    assert (told([agreed]), agreed.at) == (["5C"], NOW.plus_s(2)), "it was drawn when one of them first saw it"
    assert one.deadline_ns() is None


def test_rows_of_cards_are_put_side_by_side() -> None:
    one = pairs()
    assert one.feed("first", card("8S")) == []
    assert one.feed("first", card("5C", 0.5)) == []
    assert told(one.feed("second", card("8S", 0.6))) == ["8S"]
    assert told(one.feed("second", card("5C", 0.9))) == ["5C"]


def test_readers_that_disagree_mean_another_scan() -> None:
    for theirs in (
        card("8H"),
        CardUnreadable(at=NOW, raw=b"NR", reason=CardTrouble.NO_READ, detail=""),
        CardForeign(at=NOW, raw=b"x", code="x", kind=ForeignKind.UNKNOWN),
    ):
        one = pairs()
        one.feed("first", card("8S"))
        (unread,) = one.feed("second", theirs)
        assert isinstance(unread, CardUnreadable)
        assert unread.reason == CardTrouble.READERS_DISAGREE
    one = pairs()
    one.feed("first", card("8S", unit=7))
    assert told(one.feed("second", card("8S", unit=8))) == ["readers_disagree"], "another physical card"
    one.feed("first", card("8S", unit=7))
    assert told(one.feed("second", card("8S"))) == ["8S"], "a plain code tells no unit"


def test_what_the_main_reader_could_not_read_stays_so() -> None:
    one = pairs()
    unread = CardUnreadable(at=NOW, raw=b"NR", reason=CardTrouble.NO_READ, detail="")
    one.feed("first", unread)
    assert one.feed("second", card("8S")) == [unread]


def test_a_card_that_one_reader_alone_saw_is_no_card() -> None:
    for device in ("first", "second"):
        one = pairs()
        one.feed(device, card("8S"))
        assert one.deadline_ns() == NOW.plus_s(1).mono_ns
        assert one.tick(NOW.plus_s(0.9)) == []
        (alone,) = one.tick(NOW.plus_s(1))
        assert (told([alone]), alone.at) == (["one_reader"], NOW)
        assert one.deadline_ns() is None


def test_after_a_missed_card_nothing_is_put_side_by_side_wrongly() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    one.feed("first", card("8S", 0.9))
    # The second reader missed the first of two equal cards.
    assert told(one.feed("second", card("8S", 0.95))) == ["8S"]
    assert told(one.tick(NOW.plus_s(1.9))) == ["one_reader"], "one of them was not seen by both"


def test_a_second_reader_that_is_gone_keeps_no_card_waiting() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    fault = DeviceFault(at=NOW, raw=b"", fault=Fault.LINK_LOST, detail="")
    assert told(one.feed("second", fault)) == ["one_reader"]


def again(text: str, after_s: float = 0.0) -> CardRead:
    """The card lies there still."""
    return replace(card(text, after_s), repeated=True)


def test_a_reader_that_looks_again_has_seen_no_other_card() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    assert one.feed("first", again("8S", 0.1)) == [], "the card waits still"
    assert told(one.feed("second", card("8S", 0.2))) == ["8S"]
    assert one.feed("second", again("8S", 0.6)) == []
    repeat = again("8S", 0.7)
    assert one.feed("first", repeat) == [repeat], "the table may record it"
    # The main reader misreads the next card as the one before.
    one.feed("first", card("8S", 3))
    assert told(one.feed("second", card("5C", 3.1))) == ["readers_disagree"]
    assert one.deadline_ns() is None


@pytest.mark.parametrize("wait_s", [1.5, 10])
@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 3), (3, 1), (3, 3)])
def test_however_often_each_of_two_good_readers_looks_every_card_counts_once(
    wait_s: float, first: int, second: int
) -> None:
    one = Pairs("second", wait_s)
    dealt = [str(card) for card in DECK] + ["8S", "8S", "5C", "5C", "5C", "AD", "AD", "3H"]
    out: list[Reading] = []
    for number, text in enumerate(dealt):
        looks = [(0.4 * look, "first", look) for look in range(first)]
        looks += [(0.4 * look + 0.15, "second", look) for look in range(second)]
        for after_s, device, look in sorted(looks):
            at_s = 2.0 * number + after_s
            out += one.tick(NOW.plus_s(at_s))
            out += one.feed(device, again(text, at_s) if look else card(text, at_s))
    out += one.tick(NOW.plus_s(10_000))
    assert [reading.card for reading in out if isinstance(reading, CardRead) and not reading.repeated] == dealt
    assert all(isinstance(reading, CardRead) for reading in out)


def test_what_comes_after_a_card_does_not_overtake_it() -> None:
    one = pairs()
    cut, result = (
        CutCard(at=NOW, raw=b"C"),
        ShoeResult(at=NOW, raw=b"G", winner=ShoeWinner.PLAYER, player_pair=False, banker_pair=False),
    )
    eight = card("8S")
    one.feed("first", eight)
    assert one.feed("first", result) == one.feed("first", cut) == []
    assert one.feed("second", card("8S", 0.3)) == [eight, result, cut]
    one.feed("first", card("5C", 2))
    one.feed("first", cut)
    assert one.tick(NOW.plus_s(3))[1:] == [cut], "it is said though the card did not count"


def test_after_a_failure_what_waits_behind_it_is_scanned_again_too() -> None:
    one = pairs()
    for number, text in enumerate(["8S", "5C", "AD"]):
        one.feed("first", card(text, 0.1 * number))
    assert told(one.feed("second", card("8H", 0.5))) == ["readers_disagree"], "5C may not take the place of 8S"
    assert told(one.feed("second", card("5C", 0.6))) == [], "its look at the card behind is left over"
    assert told(one.feed("first", card("8S", 0.9))) == ["readers_disagree"], "and fits no card that is scanned again"
    one.feed("second", card("8S", 1.0))
    assert told(one.feed("first", card("8S", 1.9))) == ["8S"]


def test_a_late_look_at_a_card_that_took_several_is_no_card() -> None:
    """The main reader could not read it, then could; the second one read it at once, and when it was scanned again."""
    one = pairs()
    one.feed("first", CardUnreadable(at=NOW, raw=b"NR", reason=CardTrouble.NO_READ, detail=""))
    assert told(one.feed("second", card("8S", 0.1))) == ["no_read"]
    one.feed("first", card("8S", 0.3))
    assert told(one.feed("second", card("8S", 1.2))) == ["8S"]
    assert told(one.feed("first", card("8S", 1.5))) == [], "the rest of the second scan"
    one.feed("first", card("5C", 2.0))
    out = one.feed("second", card("5C", 2.1))
    assert [(reading.card, reading.repeated) for reading in out if isinstance(reading, CardRead)] == [("5C", False)]
    assert one.deadline_ns() is None


def test_both_reading_such_a_card_once_more_may_be_another_that_looks_alike() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    one.feed("second", card("8H", 0.1))
    one.feed("first", card("8S", 1.1))
    assert told(one.feed("second", card("8S", 1.2))) == ["8S"]
    one.feed("first", card("8S", 1.5))
    (doubtful,) = one.feed("second", card("8S", 1.6))
    assert isinstance(doubtful, CardRead)
    assert doubtful.unsure


def test_a_late_look_does_not_make_a_misread_card_true() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    one.feed("second", card("8H", 0.1))
    one.feed("first", card("8S", 1.1))
    assert told(one.feed("second", card("8S", 1.2))) == ["8S"]
    one.feed("second", again("8S", 1.6))
    one.feed("first", card("8S", 2.3))  # the next card, misread
    assert told(one.feed("second", card("5C", 2.4))) == ["readers_disagree"], "a repeat is no late look"
    one.feed("first", card("8S", 5))
    assert told(one.feed("second", card("8S", 5.1))) == ["8S"]
    one.feed("second", card("8S", 6.0))
    (doubtful,) = one.feed("first", card("8S", 6.2))  # the next card, misread, when no look is expected any more
    assert isinstance(doubtful, CardRead)
    assert doubtful.unsure


def test_a_reader_that_was_away_is_believed_with_one_that_was_not() -> None:
    one = pairs()
    one.feed("first", replace(again("8S"), unsure=True))
    (sure,) = one.feed("second", card("8S", 0.2))
    assert isinstance(sure, CardRead)
    assert (sure.repeated, sure.unsure) == (False, False)
    one.feed("first", replace(again("8S", 3), unsure=True))
    assert [getattr(reading, "repeated", None) for reading in one.tick(NOW.plus_s(4))] == [True], "it lay there still"


def test_all_else_of_the_main_reader_passes() -> None:
    one = pairs()
    cut = CutCard(at=NOW, raw=b"C")
    assert one.feed("first", cut) == [cut]
    assert one.feed("second", cut) == []
    one.feed("first", card("8S"))
    one.reset()
    assert one.tick(NOW.plus_s(5)) == []


def test_a_hand_through_two_scanners(tmp_path: Path) -> None:
    config = parse_config(TWO_SCANNERS, tmp_path / "station.toml").tables["b1"]
    table = Table(table_setup(config), TableState(table="b1"), boot="boot")
    at = NOW
    events = list(table.start(at).events)
    for first, second in (("8S", "8S"), ("5C", "5H"), ("5C", "5C"), ("AD", "AD"), ("3H", "3H")):
        at = at.plus_s(3)
        events += table.readings("first", [card(first, NOW.since_s(at) * -1)], at).events
        at = at.plus_s(0.3)
        events += table.readings("second", [card(second, NOW.since_s(at) * -1)], at).events
    words = [event.data.type for event in events]
    assert words.count("card.drawn") == 4
    (refused,) = [event.data for event in events if isinstance(event.data, AttemptRefused)]
    assert (refused.reason, refused.remedy, refused.position) == ("readers_disagree", "rescan", "banker.1")
    outcome = events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.facts["player"]["cards"] == ["8S", "AD"]
    assert outcome.facts["banker"]["cards"] == ["5C", "3H"]


def test_a_card_table_has_one_witness_and_it_reads_cards(tmp_path: Path) -> None:
    third = TWO_SCANNERS + SECOND.replace("second", "third")
    for text, said in (
        (third, "one witness"),
        (TWO_SCANNERS.replace('role = "witness"', 'role = "fallback"'), "no fallback"),
        (TWO_SCANNERS.replace('role = "witness"', 'role = "x"'), "role"),
    ):
        with pytest.raises(ConfigErrors, match=said):
            parse_config(text, tmp_path / "station.toml")


# -- at a table -----------------------------------------------------------------------------------------------------

SHOE_AND_SCANNER = TWO_SCANNERS.replace(
    'driver = "barcode-serial"\nport = "/dev/dealer/first"\ncodebook = "rank-suit"',
    'driver = "angel-eye"\nport = "/dev/dealer/first"',
)


class TwoReaders:
    """A table with two readers. ``draw``: the shoe's place, its card, and after how long the second one reads it."""

    def __init__(self, text: str, folder: Path) -> None:
        config = parse_config(text, folder / "station.toml").tables["b1"]
        self.table = Table(table_setup(config), TableState(table="b1"), boot="boot")
        self.at = NOW
        self.events = list(self.table.start(self.at).events)

    def see(self, device: str, reading: Reading) -> None:
        self.events += self.table.readings(device, [reading], reading.at).events

    def first(self, place: str, text: str) -> None:
        self.at = self.at.plus_s(2)
        slot = {"P": ShoeSlot.PLAYER, "B": ShoeSlot.BANKER}[place[0]]
        self.see("first", replace(card(text), at=self.at, hint=PositionHint(slot, int(place[1]))))

    def second(self, text: str) -> None:
        self.at = self.at.plus_s(0.3)
        self.see("second", replace(card(text), at=self.at))

    def words(self) -> list[str]:
        return [word(event.data) for event in self.events]


def test_the_shoes_own_result_waits_for_the_card_before_it(tmp_path: Path) -> None:
    table = TwoReaders(SHOE_AND_SCANNER, tmp_path)
    for place, text in (("P1", "8S"), ("B1", "5C"), ("P2", "AD"), ("B2", "3H")):
        table.first(place, text)
        if place == "B2":
            result = ShoeResult(at=table.at, raw=b"G", winner=ShoeWinner.PLAYER, player_pair=False, banker_pair=False)
            table.see("first", result)
        table.second(text)
    outcome = table.events[-1].data
    assert isinstance(outcome, RoundOutcome)
    assert outcome.witnesses == ["cards", "shoe_result"]


def test_an_equal_card_on_another_place_is_no_late_look_at_the_one_before(tmp_path: Path) -> None:
    table = TwoReaders(SHOE_AND_SCANNER, tmp_path)
    table.first("P1", "8S")
    table.second("8H")
    assert table.words()[-1] == "attempt.refused:player.1:readers_disagree"
    table.first("P1", "8S")
    table.second("8S")
    table.first("B1", "8S")
    table.second("8S")
    assert table.words()[-2:] == ["card.drawn:player.1:8S", "card.drawn:banker.1:8S"]


def test_what_waited_in_a_voided_hand_is_of_no_later_one(tmp_path: Path) -> None:
    table = TwoReaders(SHOE_AND_SCANNER, tmp_path)
    table.first("P1", "8S")
    table.second("8S")
    table.first("B1", "5C")
    command = Command(
        id="c1", name=CommandName.ROUND_VOID, client="x", role=Role.MANAGER, by="m", args={"reason": "video"}
    )
    table.events += table.table.command(command, table.at, lambda _: None).events
    table.second("5C")
    table.at = table.at.plus_s(30)
    table.events += table.table.tick(table.at).events
    table.first("P1", "9S")
    table.second("9S")
    assert table.words()[-1] == "card.drawn:player.1:9S"
    assert "card.drawn:banker.1:5C" not in table.words()


def scan(table: TwoReaders, device: str, text: str, after_s: float) -> None:
    """A scanner reads the card ``after_s`` after the newest event; the table is called when it asked to be."""
    table.at = table.at.plus_s(after_s)
    wait(table)
    table.see(device, replace(card(text), at=table.at))


def wait(table: TwoReaders) -> None:
    while (deadline_ns := table.table.deadline_ns()) is not None and deadline_ns <= table.at.mono_ns:
        table.events += table.table.tick(NOW.plus_s((deadline_ns - NOW.mono_ns) / 1e9 + 1e-6)).events


def ask_for_rescan(table: TwoReaders) -> None:
    table.at = table.at.plus_s(0.2)
    command = Command(id="c1", name=CommandName.ATTEMPT_REFUSE, client="x", role=Role.DEALER, by="d", args={})
    decision = table.table.command(command, table.at, lambda _: None)
    assert decision.command is not None
    assert decision.command.reply.ok, decision.command.reply
    table.events += decision.events


@pytest.mark.parametrize("reader", ["first", "second"])
@pytest.mark.parametrize("rest_s", [None, 0.5])
@pytest.mark.parametrize("again_s", [0.3, 1.0, 3.0])
def test_a_card_that_the_dealer_asked_to_scan_again_counts_once(
    tmp_path: Path, reader: str, rest_s: float | None, again_s: float
) -> None:
    """One reader had it; ``rest_s`` after the dealer asked the other one has it too, or never."""
    other = "second" if reader == "first" else "first"
    table = TwoReaders(TWO_SCANNERS, tmp_path)
    scan(table, "first", "8S", 2)
    scan(table, "second", "8S", 0.2)
    scan(table, reader, "5C", 3)
    ask_for_rescan(table)
    assert table.words()[-1] == "attempt.refused:banker.1:dealer_rescan"
    if rest_s is not None:
        scan(table, other, "5C", rest_s)
        assert table.words()[-1] == "attempt.refused:banker.1:dealer_rescan", "the card waits for the scan asked for"
    scan(table, "first", "5C", again_s)
    scan(table, "second", "5C", 0.2)
    table.at = table.at.plus_s(5)
    wait(table)
    scan(table, "first", "AD", 0)
    scan(table, "second", "AD", 0.2)
    drawn = [text for text in table.words() if text.startswith("card.drawn")]
    assert drawn == ["card.drawn:player.1:8S", "card.drawn:banker.1:5C", "card.drawn:player.2:AD"]
    since = table.words()[table.words().index(drawn[1]) :]
    assert not [text for text in since if text.startswith("attempt.refused")], "a card that lies is not asked for again"


def test_another_card_scanned_after_the_dealer_asked_lies_where_it_was_asked_for(tmp_path: Path) -> None:
    table = TwoReaders(TWO_SCANNERS, tmp_path)
    scan(table, "first", "8S", 2)
    scan(table, "second", "8S", 0.2)
    scan(table, "first", "5H", 3)  # misread
    ask_for_rescan(table)
    scan(table, "first", "5C", 0.3)
    scan(table, "second", "5C", 0.1)
    assert table.words()[-1] == "card.drawn:banker.1:5C"


def test_a_cut_card_behind_a_card_that_is_scanned_again_is_said(tmp_path: Path) -> None:
    table = TwoReaders(TWO_SCANNERS, tmp_path)
    scan(table, "first", "8S", 2)
    table.see("first", CutCard(at=table.at, raw=b"C"))
    assert "shoe.cut_card" not in table.words()
    scan(table, "second", "8S", 0.2)
    assert "shoe.cut_card" in table.words()
    other = TwoReaders(TWO_SCANNERS, tmp_path)
    scan(other, "first", "8S", 2)
    scan(other, "second", "8S", 0.2)
    scan(other, "first", "5C", 2)
    other.see("first", CutCard(at=other.at, raw=b"C"))
    ask_for_rescan(other)
    assert "shoe.cut_card" in other.words()

"""Two readers for every card (``games.md`` §3: two readers disagree)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, parse_config
from dealer_daemon.events import AttemptRefused, RoundOutcome
from dealer_daemon.round import TableState
from dealer_daemon.station.setup import table_setup
from dealer_daemon.table import Table
from dealer_daemon.table.cards.pairs import Pairs
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.shoe.readings import (
    CardForeign,
    CardRead,
    CardTrouble,
    CardUnit,
    CardUnreadable,
    CutCard,
    ForeignKind,
)

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
    assert (told([agreed]), agreed.at) == (["5C"], NOW.plus_s(2.4)), "what is said is the main reader's"
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
        assert told(one.tick(NOW.plus_s(1))) == ["one_reader"]
        assert one.deadline_ns() is None


def test_after_a_missed_card_nothing_is_put_side_by_side_wrongly() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    one.feed("first", card("8S", 0.9))
    # The second reader missed the first of two equal cards.
    assert told(one.feed("second", card("8S", 0.95))) == ["8S"]
    assert told(one.tick(NOW.plus_s(1.9))) == ["one_reader"], (
        "one of them was not seen by both"
    )


def test_a_second_reader_that_is_gone_keeps_no_card_waiting() -> None:
    one = pairs()
    one.feed("first", card("8S"))
    fault = DeviceFault(at=NOW, raw=b"", fault=Fault.LINK_LOST, detail="")
    assert told(one.feed("second", fault)) == ["one_reader"]


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

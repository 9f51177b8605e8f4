"""Which fault strikes which hand, and at which card."""

from __future__ import annotations

from random import Random

import pytest

from hw_sim.faults import UnknownFault
from hw_sim.shoe.angel_eye import AngelEye
from hw_sim.shoe.codes import Codes
from hw_sim.shoe.faults import AFTER_HAND, SCANNER_FAULTS, SHOE_FAULTS, CardFault, Expect, HandDesk, parse_strikes
from hw_sim.shoe.scanner import Scanner


def test_entries() -> None:
    assert parse_strikes("good", SHOE_FAULTS, 4) == {}
    assert parse_strikes("unreadable@2+lost_result", SHOE_FAULTS, 4) == {
        CardFault.UNREADABLE: 1,
        CardFault.LOST_RESULT: None,
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("wobble", "unreadable"),
        ("", "good"),
        ("double_scan", "no fault 'double_scan'"),
        ("unreadable@0", "from 1 to 4"),
        ("unreadable@5", "from 1 to 4"),
        ("unreadable@x", "from 1 to 4"),
        ("restart@1", "from 2 to 4"),
        ("good+unreadable", "no fault 'good'"),
    ],
)
def test_what_is_no_entry(text: str, says: str) -> None:
    with pytest.raises(UnknownFault, match=says):
        parse_strikes(text, SHOE_FAULTS, 4)


def test_the_list_comes_first_then_nothing_and_injected_faults_join() -> None:
    desk = HandDesk(Random(1), {}, [{CardFault.UNREADABLE: 2}, {}], 4)
    desk.inject(CardFault.RESTART)
    first = desk.next_hand()
    assert first.pop(CardFault.RESTART) in (1, 2, 3)
    assert first == {CardFault.UNREADABLE: 2}
    assert [desk.next_hand() for _ in range(3)] == [{}, {}, {}]


def test_rates_are_kept_and_faults_do_not_pile_up() -> None:
    desk = HandDesk(Random(1), {CardFault.UNREADABLE: 0.2, CardFault.RESTART: 0.1}, [], 4)
    hands = [desk.next_hand() for _ in range(5000)]
    assert all(len(strikes) <= 1 for strikes in hands)
    assert 0.17 < sum(CardFault.UNREADABLE in strikes for strikes in hands) / 5000 < 0.21
    assert {strikes[CardFault.UNREADABLE] for strikes in hands if CardFault.UNREADABLE in strikes} == {0, 1, 2, 3}
    assert {strikes[CardFault.RESTART] for strikes in hands if CardFault.RESTART in strikes} == {1, 2, 3}


def test_every_fault_but_the_power_belongs_to_some_reader_and_has_its_word() -> None:
    assert set(CardFault) - {CardFault.POWER_CYCLE} == SHOE_FAULTS | SCANNER_FAULTS
    assert AFTER_HAND < SHOE_FAULTS
    shoe = AngelEye(Random(1), sends=3, gap_s=0.3, stx_in_bcc=False)
    codes = Codes("unit", "blue-1", 1)
    scanner = Scanner(Random(1), codes, suffix="CR", prefix="", aim="", no_read="NR", book_name="b")
    harmless = {
        *("equal_cards", "repeated_telegram", "lost_telegram", "lost_result", "shoe_empty", "cut_card", "unplug"),
    }
    for reader, faults in ((shoe, SHOE_FAULTS), (scanner, SCANNER_FAULTS)):
        accepted = {fault.value for fault in faults if reader.expects(fault) is Expect.ACCEPT}
        assert accepted <= harmless | ({"skipped_card"} if reader is scanner else set())

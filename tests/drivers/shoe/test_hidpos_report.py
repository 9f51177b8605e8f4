"""HID-POS reports: one text out of one or several, and nothing out of anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.shoe.hidpos_report import MAX_REPORTS, HidJunk, HidPosAssembler, HidScan


def report(data: bytes, aim: bytes = b"]C0", *, more: bool = False, length: int | None = None) -> bytes:
    body = bytes([2, len(data) if length is None else length]) + aim + data.ljust(56, b"\0") + b"j\0"
    return body + bytes([1 if more else 0])


def test_one_report() -> None:
    raw = report(b"8S-D01-0007")
    assert HidPosAssembler().take(raw) == HidScan(raw, b"8S-D01-0007", "]C0", ord("j"))


def test_a_report_without_identifier() -> None:
    scan = HidPosAssembler().take(report(b"8S", aim=b"\0\0\0"))
    assert isinstance(scan, HidScan)
    assert scan.aim is None


def test_what_stands_after_the_length_is_no_data() -> None:
    scan = HidPosAssembler().take(report(b"8SKD", length=2))
    assert isinstance(scan, HidScan)
    assert scan.data == b"8S"


def test_a_text_spans_reports() -> None:
    one = HidPosAssembler()
    text = bytes(range(0x21, 0x7F)) + b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert one.take(report(text[:56], more=True)) is None
    assert one.pending
    assert one.take(report(text[56:112], more=True)) is None
    scan = one.take(report(text[112:]))
    assert isinstance(scan, HidScan)
    assert scan.data == text
    assert len(scan.raw) == 3 * 64
    assert not one.pending


def test_no_read_keeps_its_identifier_apart() -> None:
    scan = HidPosAssembler().take(report(b"NR", aim=b"]A0"))
    assert isinstance(scan, HidScan)
    assert (scan.aim, scan.data) == ("]A0", b"NR")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (report(b"8S")[:63], "63 bytes"),
        (report(b"8S") + b"\0", "65 bytes"),
        (b"", "0 bytes"),
        (b"\x01" + report(b"8S")[1:], "id 1"),
        (report(b"8S", length=57), "57 bytes of data"),
        (report(b"8S", aim=b"C0]"), "AIM identifier"),
        (report(b"8S", aim=b"]C\0"), "AIM identifier"),
        (report(b"8S", more=True), "more follows"),
    ],
)
def test_malformed_reports_are_refused_with_a_reason(raw: bytes, says: str) -> None:
    one = HidPosAssembler()
    junk = one.take(raw)
    assert isinstance(junk, HidJunk)
    assert says in junk.reason
    good = report(b"KD")
    assert one.take(good) == HidScan(good, b"KD", "]C0", ord("j"))


def test_a_text_that_breaks_off_is_torn_and_forgotten() -> None:
    one = HidPosAssembler()
    one.take(report(b"x" * 56, more=True))
    junk = one.rest()
    assert isinstance(junk, HidJunk)
    assert "broke off" in junk.reason
    assert one.rest() is None
    scan = one.take(report(b"8S"))
    assert isinstance(scan, HidScan)
    assert scan.data == b"8S"


def test_the_end_of_a_spoiled_text_is_no_card() -> None:
    """``8S`` at the end of a long text whose middle was bad must not pass as the card."""
    for bad in (b"\x02", report(b"y" * 56, length=99, more=True)):
        one = HidPosAssembler()
        assert one.take(report(b"x" * 56, more=True)) is None
        assert isinstance(one.take(bad), HidJunk)
        assert one.pending
        assert isinstance(one.take(report(b"8S")), HidJunk)
        fresh = one.take(report(b"KD"))
        assert isinstance(fresh, HidScan)
        assert fresh.data == b"KD"


def test_parts_of_two_symbologies_are_no_text() -> None:
    one = HidPosAssembler()
    one.take(report(b"x" * 56, more=True))
    assert isinstance(one.take(report(b"8S", aim=b"]d1")), HidJunk)
    assert isinstance(one.take(report(b"KD")), HidScan)


def test_an_endless_text_is_given_up_with_its_end() -> None:
    one = HidPosAssembler()
    answers = [one.take(report(b"x" * 56, more=True)) for _ in range(MAX_REPORTS + 3)]
    assert answers[:MAX_REPORTS] == [None] * MAX_REPORTS
    assert all(isinstance(answer, HidJunk) for answer in answers[MAX_REPORTS:])
    assert isinstance(one.take(report(b"8S")), HidJunk)
    assert isinstance(one.take(report(b"8S")), HidScan)


def test_a_rest_ends_what_was_being_skipped() -> None:
    one = HidPosAssembler()
    one.take(report(b"x" * 56, more=True))
    one.take(b"bad")
    assert one.rest() is None
    assert isinstance(one.take(report(b"8S")), HidScan)


@given(
    reports=st.lists(st.one_of(st.binary(max_size=70), st.builds(report, st.binary(max_size=56), more=st.booleans())))
)
def test_total_and_bounded(reports: list[bytes]) -> None:
    one = HidPosAssembler()
    for raw in reports:
        answer = one.take(raw)
        if isinstance(answer, HidScan):
            assert len(answer.data) <= 56 * MAX_REPORTS
        elif isinstance(answer, HidJunk):
            assert len(answer.raw) <= 256
            assert answer.reason
    one.rest()
    assert not one.pending

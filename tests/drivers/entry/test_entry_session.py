"""Results keyed in twice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.driver import Output, load_driver
from dealer_drivers.entry.session import MAX_LINE, MOST_WAITING, EntrySession
from dealer_drivers.errors import OptionError
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault
from dealer_drivers.readings.entry import EntryFault, ResultEntered
from dealer_drivers.transports.factory import device_transport

NOW = Instant(10**12, 10**18)


def line(number: str = "17", by: str = "D. Li", round_id: str | None = "r1-4", screen: str = "") -> bytes:
    said = {"id": screen} if screen else {}
    return msgspec.json.encode(said | {"by": by, "round": round_id, "result": {"number": number}}) + b"\n"


def answers(output: Output) -> list[str]:
    return [msgspec.json.decode(send)["state"] for send in output.send]


def test_the_same_twice_is_a_result() -> None:
    session = EntrySession(60)
    assert answers(session.feed(line(), NOW)) == ["again"]
    output = session.feed(line(), NOW.plus_s(5))
    assert answers(output) == ["entered"]
    (entered,) = output.readings
    assert isinstance(entered, ResultEntered)
    assert (entered.by, entered.round, entered.result) == ("D. Li", "r1-4", {"number": "17"})
    assert entered.raw == line() + line()
    assert answers(session.feed(line(), NOW.plus_s(6))) == ["again"], "a third entry begins anew"


def test_a_first_line_that_is_sent_again_is_no_second_entry() -> None:
    """The screen lost the answer and sends it again by itself: a person keyed in one result, perhaps a wrong one."""

    def nth(which: int, number: str = "17") -> bytes:
        return msgspec.json.encode(msgspec.json.decode(line(number, screen="a")) | {"nth": which}) + b"\n"

    session = EntrySession(60)
    for _ in range(3):
        output = session.feed(nth(1), NOW)
        assert answers(output) == ["again"]
        assert output.readings == ()
    assert answers(session.feed(nth(1, "18"), NOW)) == ["differ"]
    output = session.feed(nth(2, "18"), NOW)
    assert answers(output) == ["refused"], "its first line was forgotten"
    assert output.readings == ()
    assert answers(session.feed(nth(1), NOW)) == ["again"]
    output = session.feed(nth(2), NOW)
    assert answers(output) == ["entered"]
    assert isinstance(output.readings[-1], ResultEntered)
    again = session.feed(nth(1) + nth(2), NOW)
    assert answers(again) == ["entered", "entered"]
    assert again.readings == (), "and both sent again enter nothing"


@pytest.mark.parametrize("nth", [0, 3, "1", True])
def test_there_are_two_entries(nth: object) -> None:
    text = msgspec.json.encode(msgspec.json.decode(line()) | {"nth": nth}) + b"\n"
    assert answers(EntrySession(60).feed(text, NOW)) == ["refused"]


@pytest.mark.parametrize("second", [line("18"), line(round_id="r1-5"), line(round_id=None)])
def test_anything_else_the_second_time_forgets_both(second: bytes) -> None:
    session = EntrySession(60)
    session.feed(line(), NOW)
    output = session.feed(second, NOW)
    assert answers(output) == ["differ"]
    (fault,) = output.readings
    assert isinstance(fault, DeviceFault)
    assert fault.fault == EntryFault.ENTRIES_DIFFER
    # Neither of the two is still there to be matched.
    assert answers(session.feed(second, NOW)) == ["again"]
    cleared, entered = session.feed(second, NOW).readings
    assert isinstance(cleared, DeviceFault)
    assert cleared.cleared
    assert isinstance(entered, ResultEntered)


def test_a_first_entry_does_not_wait_for_ever() -> None:
    session = EntrySession(60)
    session.feed(line(), NOW)
    assert session.deadline_ns() == NOW.plus_s(60).mono_ns
    assert answers(session.tick(NOW.plus_s(59.9))) == []
    assert answers(session.tick(NOW.plus_s(60))) == ["expired"]
    assert answers(session.feed(line(), NOW.plus_s(61))) == ["again"]
    # Late bytes without a tick in between: the same.
    assert answers(session.feed(line(), NOW.plus_s(121))) == ["expired", "again"]


def test_a_screen_that_went_away_left_nothing_behind() -> None:
    session = EntrySession(60)
    session.feed(line() + line()[:20], NOW)
    session.lost(NOW, "closed")
    assert answers(session.feed(line(), NOW)) == ["again"]


@pytest.mark.parametrize(
    "bad",
    [
        b"17\n", b"{}\n", b"\n", b'{"by":"a","round":"r","result":{"number":"1"},"more":1}\n', b"\xff\xfe\n",
        b'{"by":" ","round":null,"result":{"number":"1"}}\n', b'{"by":"a","round":null,"result":{}}\n',
        b'{"id":"","by":"a","round":null,"result":{"a":1}}\n',
        b"x" * (MAX_LINE + 10) + b"\n", b'{"by":"a","round":null,"result":{"a":' + b"[" * 1900 + b"\n",
    ],
)  # fmt: skip
def test_what_is_no_entry_is_refused_and_changes_nothing(bad: bytes) -> None:
    session = EntrySession(60)
    session.feed(line(), NOW)
    assert answers(session.feed(bad, NOW)) == ["refused"]
    assert answers(session.feed(line(), NOW)) == ["entered"]


@given(
    st.lists(st.sampled_from([line(), line("3"), b"{", b"\n", b"\xff", b"x" * (MAX_LINE + 10)]), max_size=8), st.data()
)
def test_the_answer_does_not_depend_on_how_lines_are_cut(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    whole = EntrySession(60).feed(stream, NOW)
    session = EntrySession(60)
    readings: list[Any] = []
    sent: list[bytes] = []
    # Cuts in one draw: long lines cut byte by byte are slow to make, and tell no more.
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=40)))
    for begin, end in pairwise([0, *cuts, len(stream)]):
        output = session.feed(stream[begin:end], NOW)
        readings += output.readings
        sent += output.send
    assert (tuple(readings), tuple(sent)) == (whole.readings, whole.send)


def told(output: Output) -> list[tuple[str, str]]:
    """Every answer: to which screen, and what."""
    return [(said["id"], said["state"]) for said in map(msgspec.json.decode, output.send)]


def test_two_screens_at_one_socket_never_make_one_double_entry() -> None:
    session = EntrySession(60)
    assert told(session.feed(line(screen="a"), NOW)) == [("a", "again")]
    output = session.feed(line(screen="b"), NOW)
    assert (told(output), output.readings) == ([("b", "again")], ()), "the same person, even, at another screen"
    output = session.feed(line(screen="b"), NOW)
    assert told(output) == [("b", "entered"), ("a", "expired")]
    assert len(output.readings) == 1


def test_two_screens_that_mean_different_results_of_a_round_make_none() -> None:
    session = EntrySession(60)
    session.feed(line("17", screen="a"), NOW)
    output = session.feed(line("18", by="Q. Ho", screen="b"), NOW)
    assert told(output) == [("a", "differ"), ("b", "differ")]
    (fault,) = output.readings
    assert isinstance(fault, DeviceFault)
    assert (fault.fault, fault.raw) == (
        EntryFault.ENTRIES_DIFFER,
        line("17", screen="a") + line("18", by="Q. Ho", screen="b"),
    )
    assert told(session.feed(line("17", screen="a"), NOW)) == [("a", "again")], "both begin anew"


def test_screens_of_different_rounds_do_not_disturb_each_other() -> None:
    session = EntrySession(60)
    session.feed(line("17", screen="a"), NOW)
    assert told(session.feed(line("18", round_id="r1-5", screen="b"), NOW.plus_s(1))) == [("b", "again")]
    assert session.deadline_ns() == NOW.plus_s(60).mono_ns
    assert told(session.tick(NOW.plus_s(60))) == [("a", "expired")]
    assert told(session.feed(line("18", round_id="r1-5", screen="b"), NOW.plus_s(60.5))) == [("b", "entered")]


def test_lines_without_an_id_are_told_apart_by_the_person() -> None:
    session = EntrySession(60)
    assert answers(session.feed(line(by="D. Li"), NOW)) == ["again"]
    assert answers(session.feed(line(by="Q. Ho"), NOW)) == ["again"]
    assert answers(session.feed(line("18", by="Q. Ho"), NOW)) == ["differ"], "and not the other's"
    assert answers(session.feed(line(by="D. Li"), NOW)) == ["entered"]


def test_so_many_screens_wait_and_no_more() -> None:
    session = EntrySession(60)
    for number in range(MOST_WAITING):
        session.feed(line(screen=f"s{number}"), NOW)
    assert told(session.feed(line(screen="more"), NOW)) == [("more", "again"), ("s0", "expired")]


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["3", "17"]), st.sampled_from(["Li", "Ho"])))
)
def test_a_result_is_two_lines_of_one_screen(typed: list[tuple[str, str, str]]) -> None:
    session = EntrySession(60)
    before: dict[tuple[str, str], list[bytes]] = {}
    for screen, number, by in typed:
        text, who = line(number, by, screen=screen), (screen, "" if screen else by)
        readings = session.feed(text, NOW).readings
        for entered in readings:
            if isinstance(entered, ResultEntered):
                assert entered.raw == text + text
                assert before[who][-1] == text
        before.setdefault(who, []).append(text)


def test_the_driver_and_its_port() -> None:
    driver = load_driver("manual-entry")
    options = driver.parse_options({})
    assert device_transport(driver, "unix:/run/x/r1.sock", options).name == "unix:/run/x/r1.sock"
    with pytest.raises(OptionError, match="whole path"):
        device_transport(driver, "unix:r1.sock", options)
    with pytest.raises(OptionError, match="1 to 600"):
        driver.parse_options({"again_s": 0})

"""What the service manager is told, when its watchdog is fed, and how long a failing station waits."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.service.line import TableSays, status_line
from dealer_daemon.service.notify import LONGEST_STATUS, Notifier
from dealer_daemon.service.starts import LONGEST_WAIT_S, Starts, wait_s
from dealer_daemon.service.watchdog import LATE_S, STUCK_S, UNTICKED_S, UNTRIED_S, Signs, feed_every_s, withheld
from support.notify_socket import notify_socket


@pytest.mark.parametrize("abstract", [False, True])
def test_each_word_is_one_datagram_of_the_protocol(tmp_path: Path, abstract: bool) -> None:
    with notify_socket(tmp_path, abstract=abstract) as manager:
        notifier = Notifier.from_environment(manager.environment(3))
        assert notifier.watchdog_s == 3.0
        before_us = time.monotonic_ns() // 1000
        assert notifier.ready()
        assert notifier.alive()
        assert notifier.reloading()
        assert notifier.stopping()
        said = [fields for _, fields in manager.said()]
    assert [next(iter(fields)) for fields in said] == ["READY", "WATCHDOG", "RELOADING", "STOPPING"]
    assert before_us <= int(said[2]["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000


def test_a_status_is_one_line_is_bounded_and_is_not_repeated(tmp_path: Path) -> None:
    with notify_socket(tmp_path) as manager:
        notifier = Notifier(manager.address)
        assert notifier.status("r1 stands:\nREADY=1\tX\x1b[31m")
        assert notifier.status("r1 stands:\nREADY=1\tX\x1b[31m")
        assert notifier.status("y" * 5000)
        assert manager.statuses == ["r1 stands: READY=1 X [31m", "y" * LONGEST_STATUS]
        assert manager.count("READY") == 0


def test_no_child_can_speak_for_the_station_and_a_watchdog_of_another_process_is_not_ours(tmp_path: Path) -> None:
    with notify_socket(tmp_path) as manager:
        environment = manager.environment(3)
        environment["WATCHDOG_PID"] = str(os.getpid() + 1)
        notifier = Notifier.from_environment(environment)
        assert not {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} & environment.keys()
        assert notifier.watchdog_s is None
        assert notifier.ready()


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1"}])
def test_without_a_service_manager_nothing_is_told_and_nothing_fails(environment: dict[str, str]) -> None:
    notifier = Notifier.from_environment(environment)
    assert not notifier.listened_to
    assert not notifier.ready()


def test_a_service_manager_that_is_gone_or_reads_nothing_holds_nobody_up(tmp_path: Path) -> None:
    assert not Notifier(str(tmp_path / "none")).ready()
    with notify_socket(tmp_path) as manager:
        notifier = Notifier(manager.address)
        began_s = time.monotonic()
        while notifier.alive():
            assert time.monotonic() - began_s < 60, "its queue never fills"
        assert not notifier.status("s")
        assert not notifier.ready()
        manager.said()
        assert notifier.status("s"), "what was not taken is said again"
        assert [next(iter(fields)) for _, fields in manager.said()[-2:]] == ["READY", "STATUS"]


@pytest.mark.parametrize(
    ("signs", "says"),
    [
        (Signs(late_s=LATE_S + 0.1), "event loop was 2.1 s late"),
        (Signs(unticked_s=UNTICKED_S + 1), "no time-out"),
        (Signs(untried_s={"r1": UNTRIED_S + 1}), "decisions of r1"),
        (Signs(busy_s={"b1/shoe": STUCK_S + 1}), "driver of b1/shoe is stuck"),
    ],
)
def test_each_sign_of_a_hang_withholds_and_is_said(signs: Signs, says: str) -> None:
    assert says in str(withheld(signs))


@given(
    late=st.floats(0, LATE_S),
    unticked=st.floats(0, UNTICKED_S),
    untried=st.dictionaries(st.sampled_from("ab"), st.floats(0, UNTRIED_S)),
    busy=st.dictionaries(st.sampled_from("ab"), st.floats(0, STUCK_S)),
)
def test_what_is_within_its_limits_is_fed(
    late: float, unticked: float, untried: dict[str, float], busy: dict[str, float]
) -> None:
    assert withheld(Signs(late, unticked, untried, busy)) is None


def test_it_is_fed_so_often_that_one_feed_may_be_missed() -> None:
    assert 3 * feed_every_s(20) < 20


def test_the_line_says_what_stands_first_and_counts_the_tables() -> None:
    tables = [
        TableSays("r1", None, connected=True),
        TableSays("b1", "journal: disk full", connected=False, faults=("shoe",)),
    ]
    line = status_line(tables, "the event loop was 3.0 s late", "reloaded")
    assert line == (
        "watchdog not fed: the event loop was 3.0 s late; b1 stands: journal: disk full; b1: fault of shoe; "
        "no broker: b1; 1 of 2 tables can play; reloaded"
    )


def test_failed_starts_wait_longer_and_longer_and_a_steady_run_forgets_them(tmp_path: Path) -> None:
    waits = [wait_s(Starts(tmp_path).begin()) for _ in range(9)]
    assert waits == [0, 2, 4, 8, 16, 32, 60, 60, 60]
    Starts(tmp_path).steady()
    assert Starts(tmp_path).begin() == 0


@given(st.integers(0, 10**6))
def test_no_number_of_failures_makes_it_wait_for_longer_than_a_minute(failed: int) -> None:
    assert 0 <= wait_s(failed) <= LONGEST_WAIT_S


@pytest.mark.parametrize("found", ["", "many", "-3", "9" * 5000, "\udcff"])
def test_a_count_that_cannot_be_read_counts_nothing(tmp_path: Path, found: str) -> None:
    (tmp_path / "failed-starts").write_bytes(found.encode("utf-8", "surrogateescape"))
    assert Starts(tmp_path).begin() in (0, 1000)
    assert Starts(None).begin() == Starts(tmp_path / "none").begin() == 0

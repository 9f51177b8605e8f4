"""Every alert is raised once when its condition has stood long enough, and cleared once when it is over: each through a
table on a real journal, by what devices, people, the disk or the broker do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.alerts import SPECS, AlertCode
from dealer_daemon.bodies import ConsumerBody, HeldBody
from dealer_daemon.commands import CommandName
from dealer_daemon.events import AlertCleared, AlertRaised, EventsExpired
from dealer_daemon.journal import Journal, JournalUnavailable, verify_file
from dealer_drivers.clock import ManualClock
from dealer_drivers.readings import Fault
from dealer_drivers.readings.shuffler import ShufflerTampered
from dealer_drivers.shuffler.generic import DRIVER as SHUFFLER
from hw_sim.shuffler import lines
from support.alert_table import BEGAN, ROULETTE, AlertTable
from support.wheel import Wheel

CARDS = """
[station]
site = "studio-1"
state_dir = "state"
[tables.r1]
game = "baccarat"
round_source = "device"
[tables.r1.shoe]
decks = 8
require_verified = true
deck_sets = ["red", "blue"]
[[tables.r1.devices]]
name = "shoe"
driver = "angel-eye"
port = "/dev/dealer/shoe"
[[tables.r1.devices]]
name = "shuffler"
driver = "generic-shuffler"
port = "/dev/dealer/shuffler"
"""
Act = Callable[[AlertTable], object]


@dataclass(frozen=True)
class Case:
    """What raises the alert and what ends it; ``device`` and ``about`` are what it must say."""

    begin: Act
    end: Act
    device: str | None = None
    about: str | None = None
    text: str = ROULETTE


def found(**changes: Any) -> Act:
    """What the station finds of the table's way to the broker."""

    def act(table: AlertTable) -> None:
        table.health = replace(table.health, **changes)

    return act


def wheel(**changes: Any) -> Act:
    return lambda table: table.device(**changes)


def host(**changes: Any) -> Act:
    def act(table: AlertTable) -> None:
        table.host_health = replace(table.host_health, **changes)

    return act


def open_betting_closed(table: AlertTable) -> Wheel:
    table.ask(CommandName.ROUND_OPEN)
    table.ask(CommandName.BETTING_CLOSE)
    return Wheel(at=table.clock.now())


def spin_confirmed_by_nobody(table: AlertTable) -> None:
    script = open_betting_closed(table).betting().good_spin("17")
    table.clock.advance_to(script.at.mono_ns)
    table.says(*script.take())
    assert table.host.committed.round is not None
    assert table.host.committed.round.phase == "unconfirmed"


def restarted_in_mid_spin(table: AlertTable) -> None:
    script = open_betting_closed(table).betting().rim()
    table.clock.advance_to(script.at.mono_ns)
    table.says(*script.take())
    table.restart("b2")


def too_many_tries(table: AlertTable) -> None:
    table.ask(CommandName.ROUND_OPEN)
    table.ask(CommandName.BETTING_CLOSE)
    for _ in range(3):
        script = Wheel(at=table.clock.now()).betting().rim()
        table.clock.advance_to(script.at.mono_ns)
        table.says(*script.take())
        table.ask(CommandName.ATTEMPT_REFUSE)


def shuffler(state: str, job: int, deck_set: str, **more: Any) -> Act:
    def act(table: AlertTable) -> None:
        table.clock.advance_s(1)
        session, at = SHUFFLER.session(SHUFFLER.parse_options({})), table.clock.now()
        session.opened(at)
        sequence = table.host.committed.sequence
        table.says(*session.feed(lines.status(sequence, state, job, deck_set, **more), at).readings, device="shuffler")

    return act


def tampered_with(table: AlertTable) -> None:
    reading = ShufflerTampered(at=table.clock.now(), raw=b"", detail="it came back at another address")
    table.says(reading, device="shuffler")


def shuffled_anew(table: AlertTable) -> None:
    for state, job in (("idle", 1), ("shuffling", 9), ("ready", 9)):
        more = {"counted": 416} if state == "ready" else {}
        shuffler(state, job, "red", **more)(table)


def disk_full(table: AlertTable) -> None:
    def full(*arguments: object) -> None:
        del arguments
        raise JournalUnavailable("the disk is full")

    table.journal.commit = full  # type: ignore[method-assign]
    table.fault(Fault.LINK_LOST)


def disk_free(table: AlertTable) -> None:
    del table.journal.commit  # type: ignore[method-assign]
    table.host._drain()


def expired(table: AlertTable) -> None:
    found(consumers={"dwh": consumer(0, behind=1)})(table)
    table.host.expired(EventsExpired(from_sequence=1, to_sequence=1, consumers=["dwh"], reason="consumer_behind"))


def consumer(sequence: int, *, behind: int, gone: bool = False) -> ConsumerBody:
    return ConsumerBody(sequence=sequence, behind=behind, heard="2026-01-31T20:15:00Z", gone=gone)


HELD = HeldBody(reason="journal_behind", detail="the broker has newer events")
CASES: dict[AlertCode, Case] = {
    AlertCode.TABLE_PAUSED: Case(
        too_many_tries, lambda table: table.ask(CommandName.TABLE_RESUME), about="tries_exhausted"
    ),
    AlertCode.TABLE_PAUSED_BY_PERSON: Case(
        lambda table: table.ask(CommandName.TABLE_PAUSE, reason="the wheel is cleaned"),
        lambda table: table.ask(CommandName.TABLE_RESUME),
    ),
    AlertCode.ATTEMPT_HELD: Case(
        restarted_in_mid_spin,
        lambda table: table.ask(CommandName.ATTEMPT_DECIDE, number="7"),
        about="station_restarted",
    ),
    AlertCode.RESULT_UNCONFIRMED: Case(spin_confirmed_by_nobody, lambda table: table.ask(CommandName.ATTEMPT_CONFIRM)),
    AlertCode.DECK_FAILED: Case(
        shuffler("mismatch", 1, "red", counted=415, missing=1), shuffled_anew, about="red", text=CARDS
    ),
    AlertCode.SHUFFLER_SUSPECT: Case(tampered_with, shuffled_anew, device="shuffler", text=CARDS),
    AlertCode.DEVICE_DOWN: Case(wheel(link="waiting", link_reason="no such port"), wheel(link="up"), device="wheel"),
    AlertCode.DEVICE_SILENT: Case(
        lambda table: table.fault(Fault.SILENT),
        lambda table: table.fault(Fault.SILENT, cleared=True),
        device="wheel",
        about="silent",
    ),
    AlertCode.DEVICE_FAULT: Case(
        lambda table: table.fault("parameter_changed"),
        lambda table: table.fault("parameter_changed", cleared=True),
        device="wheel",
        about="parameter_changed",
    ),
    AlertCode.DRIVER_GAVE_UP: Case(wheel(link="given_up", link_reason="the end"), wheel(link="up"), device="wheel"),
    AlertCode.CALIBRATION_OLD: Case(
        wheel(calibration_old="it is 200 days old"), wheel(calibration_old=None), device="wheel"
    ),
    AlertCode.CALIBRATION_DRIFT: Case(
        wheel(drifts={"rotor_rpm": "rotor_rpm is 19 rpm"}), wheel(drifts={}), device="wheel", about="rotor_rpm"
    ),
    AlertCode.RECORDER_NOT_WRITING: Case(wheel(recorder="the disk is full"), wheel(recorder=None), device="wheel"),
    AlertCode.BROKER_UNREACHABLE: Case(
        found(connected=False, broker_problem="nobody listens"), found(connected=True, broker_problem="")
    ),
    AlertCode.PUBLISHING_HINDERED: Case(
        found(problems={"event_refused": "event 7 is not accepted"}), found(problems={}), about="event_refused"
    ),
    AlertCode.STATION_HELD: Case(found(held=HELD), found(held=None), about="journal_behind"),
    AlertCode.OUTBOX_OLD: Case(found(oldest_waits_s=61.0), found(oldest_waits_s=59.0)),
    AlertCode.CONSUMER_GONE: Case(
        found(consumers={"dwh": consumer(1, behind=3, gone=True)}),
        found(consumers={"dwh": consumer(1, behind=3)}),
        about="dwh",
    ),
    AlertCode.EVENTS_UNFETCHED: Case(expired, found(consumers={"dwh": consumer(1, behind=0)}), about="dwh"),
    AlertCode.JOURNAL_REFUSED: Case(disk_full, disk_free),
    AlertCode.DISK_NEARLY_FULL: Case(host(free_bytes=900 << 20), host(free_bytes=2 << 30)),
    AlertCode.CLOCK_UNSYNCHRONISED: Case(host(clock_synchronised=False), host(clock_synchronised=True)),
    AlertCode.CLOCK_JUMPED: Case(host(clock_jump_s=-3.5), host(clock_jump_s=0.0)),
    AlertCode.EVENTS_UNSIGNED: Case(host(unsigned_away=True), host(unsigned_away=False)),
    AlertCode.MONITORING_UNSERVED: Case(host(monitoring_problem="the port is taken"), host(monitoring_problem=None)),
}


def test_every_code_has_a_case_and_a_way_to_behave() -> None:
    assert set(CASES) == set(AlertCode) == set(SPECS)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal.open(tmp_path / "state", boot="b", clock=ManualClock(BEGAN).now)) as opened:
        yield opened


@pytest.fixture
async def tables(journal: Journal) -> AsyncIterator[Callable[[str], AlertTable]]:
    made: list[AlertTable] = []

    def make(text: str = ROULETTE) -> AlertTable:
        made.append(AlertTable(journal, text))
        return made[-1]

    yield make
    for table in made:
        table.host.stop()


@pytest.mark.parametrize("code", AlertCode)
async def test_it_is_raised_once_and_cleared_once(
    tables: Callable[[str], AlertTable], journal: Journal, code: AlertCode
) -> None:
    case, spec, table = CASES[code], SPECS[code], tables(CASES[code].text)
    table.pass_s(2)
    assert not table.of(code)
    case.begin(table)
    table.pass_s(spec.raise_after_s - 1)
    assert code == AlertCode.JOURNAL_REFUSED or len(table.of(code)) == (spec.raise_after_s < 1), "not before its time"
    table.pass_s(30)
    if code == AlertCode.JOURNAL_REFUSED:
        assert [alert.code for alert in table.host.alerts.values() if alert.code == code], "shown before it is written"
        assert not table.of(code)
    else:
        assert table.of(code) == [(spec.severity, case.device, case.about)]
    case.end(table)
    table.pass_s(spec.clear_after_s + 2)
    said = table.of(code)
    assert said == [(spec.severity, case.device, case.about), ("resolved", case.device, case.about)]
    assert not [alert for alert in table.host.committed.alerts.values() if alert.code == code]
    table.pass_s(30)
    assert table.of(code) == said
    raised, cleared = (e for e in table.alerts() if e.data.code == code)  # type: ignore[attr-defined]
    assert isinstance(raised.data, AlertRaised)
    assert isinstance(cleared.data, AlertCleared)
    assert cleared.data.raised == raised.sequence
    assert raised.data.suggestion
    assert raised.data.runbook == f"docs/howto/runbook.md#{code}"
    assert verify_file(journal.path).problems == []


@pytest.mark.parametrize("code", sorted(set(AlertCode) - {AlertCode.JOURNAL_REFUSED}))
async def test_a_restart_neither_says_it_again_nor_forgets_it(tables: Callable[[str], AlertTable], code: str) -> None:
    """Nothing is known of devices, broker and clock right after a start; faults begin anew."""
    case, spec, table = CASES[AlertCode(code)], SPECS[code], tables(CASES[AlertCode(code)].text)
    case.begin(table)
    table.pass_s(spec.raise_after_s + 2)
    raised = table.of(code)
    assert len(raised) == 1
    after, after_host = table.health, table.host_health
    table.restart("b3")
    blind = {name: replace(one, link="opening", heard=False) for name, one in after.devices.items()}
    table.health = replace(after, devices=blind, connected=None)
    unknown = {"free_bytes": None, "clock_synchronised": None, "clock_jump_s": None}
    table.host_health = replace(after_host, settled=False, **unknown)
    table.pass_s(5)
    assert table.of(code) == raised, "not cleared while nothing is known"
    table.health, table.host_health = after, after_host
    table.pass_s(2)
    if code in (AlertCode.DEVICE_SILENT, AlertCode.DEVICE_FAULT):
        table.fault(case.about or "")
    table.pass_s(spec.raise_after_s + 10)
    assert table.of(code) == raised, "not said again"
    case.end(table)
    table.pass_s(spec.clear_after_s + 2)
    assert [severity for severity, _, _ in table.of(code)] == [spec.severity, "resolved"]

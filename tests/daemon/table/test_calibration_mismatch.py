"""A device that is read by another device's calibration: the table stands, and nothing that it says counts."""

from __future__ import annotations

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import RoundOutcome
from dealer_daemon.events.devices import CalibrationRef
from dealer_daemon.games import TableDevice
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading
from support.tables import WHEEL, Driven
from support.wheel import Wheel

REF = CalibrationRef(id="0001-20260114T120000Z", sha256="sha256:" + "a" * 64)


def mismatch(at: Instant, *, cleared: bool = False, fault: Fault = Fault.CALIBRATION_MISMATCH) -> DeviceFault:
    return DeviceFault(at=at, raw=b"", fault=fault, detail="made with another", cleared=cleared)


def spin(wheel: Wheel, number: str) -> list[Reading]:
    """A whole game, and the first frame of the next."""
    return wheel.good_spin(number).next_game().take()


def calibrated() -> Driven:
    wheel = TableDevice(name=WHEEL.name, driver=WHEEL.driver, observes=WHEEL.observes, calibration=REF)
    return Driven(devices=(wheel,))


def outcomes(table: Driven) -> list[RoundOutcome]:
    return [event.data for event in table.events if isinstance(event.data, RoundOutcome)]


def test_every_outcome_names_the_calibration() -> None:
    table, wheel = calibrated(), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    table.see(spin(wheel, "4"))
    assert [outcome.facts["number"] for outcome in outcomes(table)] == ["17", "4"]
    assert all(outcome.calibrations == {"wheel": REF} for outcome in outcomes(table))


def test_a_table_without_calibration_names_none() -> None:
    table, wheel = Driven(), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    assert outcomes(table)[0].calibrations == {}


def test_nothing_counts_until_the_right_device_is_back() -> None:
    table, wheel = calibrated(), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    table.see([mismatch(wheel.at)])
    assert table.words()[-2:] == ["device.fault", "table.paused:calibration_mismatch"]
    before = len(table.events)
    table.see([mismatch(wheel.at)])
    table.see(spin(wheel, "4"))
    assert len(table.events) == before, "nothing is taken of it, and nothing is said twice"
    reply = table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on")
    assert not reply.ok
    assert "wheel is another device's" in (reply.message or "")
    table.see([mismatch(wheel.at, cleared=True)])
    assert table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="put back").ok
    table.see(spin(wheel, "4"))
    table.see(spin(wheel, "5"))
    assert outcomes(table)[0].facts["number"] == "17"
    assert outcomes(table)[-1].facts["number"] == "5"


def test_a_withdrawn_calibration_lets_nobody_play_on() -> None:
    """Neither by a manager's word, nor by the server's next round, nor by the end of the round that stood."""
    table, wheel = Driven(source="server", tries=1), Wheel()
    table.start(wheel.at)
    assert table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    table.see(wheel.good_spin("17").take())
    assert table.table.state.paused == "violation", "the ball rolled before betting was closed"
    table.see([mismatch(wheel.at, fault=Fault.CALIBRATION_WITHDRAWN)])
    assert table.ask(CommandName.ROUND_VOID, wheel.at, Role.MANAGER, reason="a new one").ok
    assert table.table.state.paused == "violation"
    reply = table.ask(CommandName.TABLE_RESUME, wheel.at, Role.MANAGER, reason="go on")
    assert not reply.ok
    assert "restart the station" in (reply.message or "")
    assert not table.ask(CommandName.ROUND_OPEN, wheel.at).ok
    before = len(table.events)
    table.see(spin(wheel, "4"))
    assert len(table.events) == before


def test_an_attempt_under_way_does_not_count() -> None:
    table, wheel = calibrated(), Wheel()
    table.start(wheel.at)
    table.see(spin(wheel, "17"))
    frames = spin(wheel, "4")
    table.see(frames[: len(frames) // 2])
    table.see([mismatch(frames[len(frames) // 2].at)])
    table.see(frames[len(frames) // 2 :])
    table.tick(wheel.at)
    assert [outcome.facts["number"] for outcome in outcomes(table)] == ["17"]


def test_another_device_of_the_table_is_still_heard() -> None:
    table, wheel = calibrated(), Wheel()
    table.start(wheel.at)
    table.see([mismatch(wheel.at)])
    table.see([DeviceNotice(at=wheel.at, raw=b"x", notice="n", detail="d")])
    restarted = table.restart()
    restarted.start(wheel.at)
    assert restarted.table.state.faults == {}, "who it is, is asked again"
    assert restarted.table.state.paused == "calibration_mismatch"

"""How the station finds out how its tables, devices and computer are, as alerts and figures need it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from dealer_daemon.alerts import HostHealth
from dealer_daemon.bodies import ConsumerBody
from dealer_daemon.config import Config, TableConfig, parse_config
from dealer_daemon.events import Event, EventsLost
from dealer_daemon.journal import Journal
from dealer_daemon.monitoring import Histogram
from dealer_daemon.mqtt.client import LinkStatus
from dealer_daemon.mqtt.errors import Problem
from dealer_daemon.round import apply
from dealer_daemon.state import StandingAlert, TableState
from dealer_daemon.station.clock_watch import clock_state
from dealer_daemon.station.device import DeviceHost
from dealer_daemon.station.host import TableHost
from dealer_daemon.station.seeing import SETTLED_S, HostWatch, Parts, TableWatch
from dealer_drivers.calibration import CalibrationStore, Draft
from dealer_drivers.clock import ManualClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import NS_PER_S, Instant
from dealer_drivers.readings import DeviceNotice
from support.cammegh import status
from support.roulette_host import roulette_host

BEGAN = Instant(1_000_000_000, 1_769_890_500_000_000_000)
DAY_S = 86_400
CONFIG = """
[station]
site = "s"
state_dir = "{folder}"
{more}
[tables.r1]
game = "roulette"
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
{device}
"""


def config(folder: Path, more: str = "", device: str = "") -> Config:
    return parse_config(CONFIG.format(folder=folder, more=more, device=device), folder / "station.toml")


@dataclass
class Uplink:
    """As far as it is looked at."""

    status: LinkStatus = field(default_factory=lambda: LinkStatus(True, None, None))
    problems: list[Problem] = field(default_factory=list)
    published: int = 0
    consumers: dict[str, ConsumerBody] = field(default_factory=dict)


@dataclass
class Made:
    config: TableConfig
    host: TableHost
    uplink: Uplink
    devices: dict[str, DeviceHost]
    acknowledged: Histogram


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(BEGAN)


@pytest.fixture
def journal(tmp_path: Path, clock: ManualClock) -> Iterator[Journal]:
    with closing(Journal.open(tmp_path / "state", boot="b", clock=clock.now)) as opened:
        yield opened


def made(folder: Path, journal: Journal, clock: ManualClock) -> tuple[Made, TableWatch]:
    host = roulette_host(journal, clock)
    host.start()
    parts = Made(config(folder).tables["r1"], host, Uplink(), {}, Histogram((1.0,)))
    return parts, TableWatch(cast(Parts, parts), journal)


def device(folder: Path, clock: ManualClock, *, calibrated: bool = False) -> DeviceHost:
    if calibrated:
        values = {"points": [[5.0, 8.0], [12.0, 15.0]], "margin_laps": 1.0,
                  "expect": {"rotor_rpm": {"value": 14.0, "tolerance": 1.0}}}  # fmt: skip
        draft = Draft(kind="lap-curve", table="r1", device="wheel", driver="cammegh-ss2", serial="S-77",
                      by="technician", tool="test 1", values=values)  # fmt: skip
        store = CalibrationStore(folder / "calibration")
        store.save(draft, _moment(clock))
    one = config(folder, device='calibration = "current"' if calibrated else "").tables["r1"].devices[0]
    return DeviceHost(
        "r1", one, clock, folder / "recordings", 7, readings=lambda *_: None, changed=lambda _: None,
        calibration_max_age_days=180,
    )  # fmt: skip


def _moment(clock: ManualClock) -> dt.datetime:
    return dt.datetime.fromtimestamp(clock.now().wall_ns / NS_PER_S, dt.UTC)


async def test_the_oldest_event_that_waits_has_an_age(tmp_path: Path, journal: Journal, clock: ManualClock) -> None:
    parts, watch = made(tmp_path, journal, clock)
    clock.advance_s(90)
    assert watch.health(clock.now()).oldest_waits_s == 90
    assert watch.figures(clock.now()).oldest_waits_s == 90
    parts.uplink.published = 1
    assert watch.health(clock.now()).oldest_waits_s == 0
    parts.host.stop()


async def test_what_holds_the_table_is_told_once(tmp_path: Path, journal: Journal, clock: ManualClock) -> None:
    parts, watch = made(tmp_path, journal, clock)
    parts.uplink.problems = [Problem("journal_behind", "old"), Problem("event_refused", "no")]
    assert watch.health(clock.now()).problems == {"event_refused": "no"}
    parts.host.stop()


@pytest.mark.parametrize(
    ("link", "connected"),
    [
        (LinkStatus(True, None, Problem("mqtt_taken_over", "x")), True),
        (LinkStatus(False, None, None), None),
        (LinkStatus(False, None, Problem("mqtt_lost", "x")), False),
    ],
)
async def test_a_broker_that_was_not_tried_yet_is_not_away(
    tmp_path: Path, journal: Journal, clock: ManualClock, link: LinkStatus, connected: bool | None
) -> None:
    parts, watch = made(tmp_path, journal, clock)
    parts.uplink.status = link
    assert watch.health(clock.now()).connected is connected
    parts.host.stop()


async def test_commits_are_counted_and_timed(tmp_path: Path, journal: Journal, clock: ManualClock) -> None:
    parts, watch = made(tmp_path, journal, clock)
    figures = watch.figures(clock.now())
    assert (figures.tally.events, figures.commit.count, figures.taken_up) == (1, 1, True)
    parts.host.stop()


async def test_a_device_that_was_not_heard_is_known_for_one(tmp_path: Path, clock: ManualClock) -> None:
    wheel = device(tmp_path, clock)
    assert not wheel.health(clock.now()).heard
    wheel.link._session.opened(clock.now())
    output = wheel.link._session.received(status(1), clock.now())
    wheel._output(output, clock.now())
    clock.advance_s(3)
    assert wheel.health(clock.now()).heard
    figures = wheel.figures(["silent"], clock.now(), lent=False)
    assert (figures.since_byte_s, figures.since_frame_s, figures.since_reading_s) == (3, 3, 3)
    assert (figures.readings, figures.faults) == (len(output.readings), ["silent"])
    assert figures.readings > 0
    await wheel.stop()


async def test_a_recorder_that_keeps_nothing_is_seen(tmp_path: Path, clock: ManualClock) -> None:
    wheel = device(tmp_path, clock)
    assert wheel.recorder is not None
    assert wheel.health(clock.now()).recorder is None
    (tmp_path / "recordings").write_text("no folder")
    wheel.recorder.rx(b"x", clock.now())
    assert "keeps nothing" in str(wheel.health(clock.now()).recorder)
    assert wheel.figures([], clock.now(), lent=False).recorder_writes is False
    await wheel.stop()


async def test_a_calibration_grows_old(tmp_path: Path, clock: ManualClock) -> None:
    wheel = device(tmp_path, clock, calibrated=True)
    fresh = wheel.health(clock.now())
    assert (fresh.calibration_old, fresh.drifts, fresh.drift_known) == (None, {}, False)
    clock.advance_s(181.5 * DAY_S)
    wheel._output(Output(readings=(DeviceNotice(at=clock.now(), raw=b"", notice="x", detail="y"),)), clock.now())
    clock.advance_s(20)
    old = wheel.health(clock.now())
    assert "181 days old" in str(old.calibration_old)
    assert old.drifts == {}, "that it tells no serial number is no drift"
    await wheel.stop()


def test_events_that_leave_this_computer_without_a_key_are_known(tmp_path: Path) -> None:
    for url, key, away in (
        ("mqtt://127.0.0.1:1883", "", False),
        ("mqtts://broker.studio:8883", "", True),
        ("mqtts://broker.studio:8883", f'signing_key_file = "{tmp_path}/key"', False),
    ):
        watch = HostWatch(config(tmp_path, f'{key}\n[mqtt]\nurl = "{url}"'), BEGAN, boot="b", version="1")
        assert watch.health(BEGAN).unsigned_away is away


def test_the_computer_is_asked_and_what_it_says_is_shown(tmp_path: Path) -> None:
    watch = HostWatch(config(tmp_path), BEGAN, boot="b", version="1")
    assert watch.health(BEGAN) == HostHealth(settled=False), "nothing is known before it is asked"
    watch.look_at_computer()
    assert watch.status()["clock_synchronised"] == clock_state().synchronised
    fast = HostWatch(config(tmp_path), BEGAN, boot="b", version="1", speed=4.0)
    fast.look_at_computer()
    assert fast.health(BEGAN).clock_synchronised is None, "the station's clock is a simulated one"
    later = BEGAN.plus_s(SETTLED_S)
    health = watch.health(later)
    assert health.free_bytes is not None
    assert health.settled
    watch.look_at_clock(later)
    watch.look_at_clock(Instant(later.mono_ns + NS_PER_S, later.wall_ns + 5 * NS_PER_S))
    assert watch.health(later).clock_jump_s == 4
    status = watch.status()
    assert (status["clock_jumps"], status["disk_free_bytes"]) == (1, health.free_bytes)
    assert json.dumps(status)
    figures = watch.figures(0.0, tmp_path / "no-journal", {})
    assert (figures.journal_bytes, figures.clock_jumps, figures.free_bytes) == (None, 1, health.free_bytes)


def test_a_journal_that_was_given_up_keeps_what_needs_a_person() -> None:
    alert = StandingAlert(
        code="disk_nearly_full", severity="error", device=None, about=None, detail="", sequence=2, since_ns=1
    )
    state = TableState(table="r1", sequence=5, alerts={"disk_nearly_full//": alert}, paused="x")
    lost = EventsLost(from_sequence=1, to_sequence=9, reason="journal_adopted", by="m")
    event = Event(table="r1", sequence=10, subject=None, wall_ns=1, mono_ns=1, boot="b", data=lost)
    after = apply(state, event)
    assert after.alerts == state.alerts
    assert after.paused == "journal_adopted"

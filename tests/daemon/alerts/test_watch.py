"""Conditions that come and go, and the alerts that follow: whatever happens, raised and cleared take turns."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.alerts import SPECS, AlertCode, AlertWatch, conditions
from dealer_daemon.alerts.conditions import AlertId, Conditions
from dealer_daemon.alerts.health import DeviceHealth, HostHealth, TableHealth
from dealer_daemon.bodies import ConsumerBody, HeldBody
from dealer_daemon.events import AlertCleared, AlertRaised, Event
from dealer_daemon.round import apply
from dealer_daemon.state import OpenRound, StandingAlert, TableState
from dealer_drivers.instant import NS_PER_S, Instant

IDS = [AlertId("device_down", "wheel"), AlertId("device_down", "shoe"), AlertId("table_paused", None, "integrity")]
DOWN = IDS[0]


def at(seconds: float) -> Instant:
    return Instant(round(seconds * NS_PER_S), round(seconds * NS_PER_S))


def after(state: TableState, changes: list[AlertRaised | AlertCleared], now: Instant) -> TableState:
    for data in changes:
        event = Event(
            table="r1", sequence=state.sequence + 1, subject=None, wall_ns=now.wall_ns, mono_ns=now.mono_ns, boot="b",
            data=data,
        )  # fmt: skip
        state = apply(state, event)
    return state


LOOKS = st.lists(
    st.tuples(st.floats(0.1, 20), st.sets(st.sampled_from(IDS)), st.sets(st.sampled_from(IDS)), st.booleans()),
    max_size=40,
)


@given(LOOKS)
def test_raised_and_cleared_take_turns_and_never_before_their_time(
    looks: list[tuple[float, set[AlertId], set[AlertId], bool]],
) -> None:
    watch, state, now = AlertWatch(), TableState(table="r1"), 0.0
    said: dict[AlertId, list[str]] = defaultdict(list)
    since: dict[AlertId, float] = {}
    gone: dict[AlertId, float] = {}
    for step_s, stands, unknown, restart in looks:
        now += step_s
        if restart:
            watch, since, gone = AlertWatch(), {}, {}
        found = Conditions(dict.fromkeys(stands, ""), frozenset(unknown))
        kept = {alert: first for alert, first in since.items() if alert in unknown}
        since = kept | {alert: since.get(alert, now) for alert in stands}
        gone = {alert: gone.get(alert, now) for alert in IDS if alert not in stands | unknown}
        changes = watch.step(found, state.alerts, at(now))
        state = after(state, changes, at(now))
        for data in changes:
            alert = AlertId(data.code, data.device, data.about)
            said[alert].append(data.type)
            if isinstance(data, AlertRaised):
                assert now - since[alert] >= SPECS[data.code].raise_after_s - 1e-6
            else:
                assert now - gone[alert] >= SPECS[data.code].clear_after_s - 1e-6
    for alert, types in said.items():
        assert types == (["alert.raised", "alert.cleared"] * len(types))[: len(types)]
        assert (alert.key in state.alerts) == (types[-1] == "alert.raised")


def test_a_condition_that_goes_in_time_calls_nobody() -> None:
    watch = AlertWatch()
    for second in range(100):
        stands = {DOWN: ""} if second % 9 else {}
        assert watch.step(Conditions(stands), {}, at(second)) == []


def test_a_broker_that_is_lost_every_few_seconds_does_not_hide_that_events_wait() -> None:
    watch, alerts = AlertWatch(), {}
    lost = TableHealth(connected=False, broker_problem="it acknowledged nothing for 10 s", oldest_waits_s=90.0)
    for second in range(31):
        health = TableHealth(connected=True, oldest_waits_s=90.0) if second % 6 else lost
        found = conditions(TableState(table="r1"), health, HostHealth())
        raised = {data.code for data in watch.step(found, alerts, at(second))}
        assert raised <= {AlertCode.OUTBOX_OLD}, raised
        if second < 30:
            assert not raised
    found = conditions(TableState(table="r1"), TableHealth(connected=True, oldest_waits_s=99.0), HostHealth())
    assert [data.code for data in watch.step(found, alerts, at(31.5))] == [AlertCode.OUTBOX_OLD]


def test_what_was_over_before_it_was_known_again_begins_anew() -> None:
    watch = AlertWatch()
    unknown = Conditions({}, frozenset({DOWN}))
    looks = [(0, Conditions({DOWN: ""})), (5, unknown), (8, Conditions({})), (9, Conditions({DOWN: ""}))]
    for second, found in [*looks, (18, Conditions({DOWN: ""}))]:
        assert watch.step(found, {}, at(second)) == []
    assert [data.code for data in watch.step(Conditions({DOWN: ""}), {}, at(19))] == ["device_down"]
    for second in (30, 50):  # and of what is not known nothing is raised, however long it is
        watch.step(Conditions({DOWN: ""}), {}, at(second - 9))
        assert watch.step(unknown, {}, at(second + 5)) == []


def test_an_alert_of_a_code_that_is_no_more_is_cleared() -> None:
    old = StandingAlert(
        code="of_an_older_version", severity="error", device=None, about=None, detail="", sequence=4, since_ns=1
    )
    (cleared,) = AlertWatch().step(Conditions(), {"of_an_older_version//": old}, at(1))
    assert cleared == AlertCleared(code="of_an_older_version", raised=4)


def codes(state: TableState, table: TableHealth, host: HostHealth | None = None) -> set[str]:
    return {alert.code for alert in conditions(state, table, host or HostHealth()).stands}


def test_one_cause_is_one_alert() -> None:
    device = TableHealth(devices={"wheel": DeviceHealth(link="up")})
    noise = TableState(table="r1", faults={"wheel": ["no_valid_frame", "silent"]})
    assert {alert.about for alert in conditions(noise, device, HostHealth()).stands} == {"no_valid_frame"}
    silent = TableState(table="r1", faults={"wheel": ["silent"]})
    assert {alert.about for alert in conditions(silent, device, HostHealth()).stands} == {"silent"}

    stands = TableState(table="r1", paused="journal_behind", paused_by="station")
    held = TableHealth(held=HeldBody(reason="journal_behind", detail="an old copy"))
    assert codes(stands, held) == {"station_held"}
    assert codes(stands, TableHealth()) == {"table_paused"}  # and once that is over, a manager resumes the table
    left = TableHealth(connected=False, held=HeldBody(reason="station_contested", detail="another is there"))
    assert codes(TableState(table="r1", paused="station_contested", paused_by="station"), left) == {"station_held"}
    other = TableState(table="r1", paused="tries_exhausted", paused_by="station")
    assert codes(other, held) == {"station_held", "table_paused"}


def test_a_lent_device_needs_nobody() -> None:
    state = TableState(table="r1", lent={"wheel": "Li"}, faults={"wheel": ["link_lost", "silent"]})
    table = TableHealth(devices={"wheel": DeviceHealth(link="waiting")})
    assert codes(state, table) == set()
    assert not conditions(state, table, HostHealth()).is_over(DOWN)


def test_while_the_broker_is_away_its_other_troubles_say_nothing() -> None:
    away = TableHealth(
        connected=False,
        problems={"event_refused": "x"},
        oldest_waits_s=1e6,
        held=HeldBody(reason="journal_unchecked", detail="not seen"),
    )
    found = conditions(TableState(table="r1"), away, HostHealth())
    assert {alert.code for alert in found.stands} == {"broker_unreachable"}
    for code in ("publishing_hindered", "outbox_old", "station_held"):
        assert not found.is_over(AlertId(code))


def test_a_consumer_that_was_not_heard_since_the_start_is_neither_gone_nor_back() -> None:
    quiet = ConsumerBody(sequence=1, behind=2, heard=None, gone=False)
    other = ConsumerBody(sequence=3, behind=0, heard=None, gone=False)
    found = conditions(TableState(table="r1"), TableHealth(consumers={"a": quiet, "b": other}), HostHealth())
    assert not found.is_over(AlertId("consumer_gone", None, "a"))
    assert found.is_over(AlertId("consumer_gone", None, "b"))


def test_what_a_person_typed_is_no_word_of_the_alert() -> None:
    state = TableState(table="r1", paused="integrity", paused_by="manager-1", paused_at=3)
    (alert,) = conditions(state, TableHealth(), HostHealth()).stands
    assert alert == (AlertCode.TABLE_PAUSED_BY_PERSON, None, None)


def test_nothing_that_a_round_showed_is_in_an_alert() -> None:
    shown = {"number": "SECRET-17"}
    state = TableState(
        table="r1",
        round=OpenRound(id="r1-7", source="server", phase="held", held_for="witnesses_differ", seen=shown),
    )
    found = conditions(state, TableHealth(), HostHealth())
    assert AlertId("attempt_held", None, "witnesses_differ") in found.stands
    assert "SECRET" not in repr(found)


def test_a_disk_that_is_nearly_full_does_not_come_and_go() -> None:
    standing = StandingAlert(
        code="disk_nearly_full", severity="error", device=None, about=None, detail="", sequence=4, since_ns=1
    )
    state = TableState(table="r1", alerts={AlertId("disk_nearly_full").key: standing})
    just_over = HostHealth(free_bytes=(1 << 30) + 1)
    assert codes(TableState(table="r1"), TableHealth(), just_over) == set()
    assert codes(state, TableHealth(), just_over) == {"disk_nearly_full"}
    assert codes(state, TableHealth(), HostHealth(free_bytes=2 << 30)) == set()

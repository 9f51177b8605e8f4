"""Which conditions that need a person stand now. Pure: committed state and health in, conditions out.

Nothing here may say what a round showed: a detail is of a device, a line, a file or a number of events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dealer_daemon.alerts.codes import AlertCode
from dealer_daemon.alerts.health import DeviceHealth, HostHealth, TableHealth
from dealer_daemon.state import TableState, alert_key
from dealer_daemon.words import WORDS, Kind

STATION = "station"
"""Who a pause is by that the station itself made (``table.common``)."""
LOW_DISK_BYTES = 1 << 30
"""Days of journal at a table, and sixteen times what the flight recorders leave free for it."""
ENOUGH_DISK_BYTES = LOW_DISK_BYTES * 6 // 5
OLD_EVENT_S = 60.0
"""Far longer than an acknowledgement takes, and shorter than a game server waits for an outcome."""
UNCHECKED, CONTESTED = "journal_unchecked", "station_contested"
_LINK = frozenset({"link_lost", "link_refused"})
_SILENT = frozenset({"silent", "no_valid_frame"})


class AlertId(NamedTuple):
    """What makes an alert one: two of the same are never raised at once."""

    code: str
    device: str | None = None
    about: str | None = None

    @property
    def key(self) -> str:
        """As the state keeps it."""
        return alert_key(*self)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What ``stands``, with what is to be said of it; and of what nothing is known now. What is ``unknown`` about
    nothing is so about everything."""

    stands: dict[AlertId, str] = field(default_factory=dict)
    unknown: frozenset[AlertId] = frozenset()

    def is_over(self, alert: AlertId) -> bool:
        """The alert's condition does not stand, and would be known if it did."""
        return alert not in self.stands and not self._is_named(alert)

    def is_unknown(self, alert: AlertId) -> bool:
        """Nobody can say now whether the alert's condition stands."""
        return alert not in self.stands and self._is_named(alert)

    def _is_named(self, alert: AlertId) -> bool:
        return bool({alert, AlertId(alert.code, alert.device)} & self.unknown)


def conditions(state: TableState, table: TableHealth, host: HostHealth) -> Conditions:
    """All conditions of a table, by its committed ``state``."""
    found = _Found()
    _table(found, state, table)
    for name, device in table.devices.items():
        _device(found, state, name, device, host.settled)
    _uplink(found, state, table)
    _journal(found, state, table)
    _host(found, state, host)
    return Conditions(found.stands, frozenset(found.unknown))


class _Found:
    def __init__(self) -> None:
        self.stands: dict[AlertId, str] = {}
        self.unknown: set[AlertId] = set()

    def add(self, code: AlertCode, detail: str = "", *, device: str | None = None, about: str | None = None) -> None:
        self.stands[AlertId(code, device, about)] = detail

    def not_known(self, code: AlertCode, device: str | None = None, about: str | None = None) -> None:
        self.unknown.add(AlertId(code, device, about))


def _table(found: _Found, state: TableState, table: TableHealth) -> None:
    # What holds the station has an alert of its own; that one can be ended, and nobody resumes the table before.
    told = table.held is not None and table.held.reason == state.paused
    if state.paused is not None and not told:
        if state.paused_by == STATION:
            found.add(AlertCode.TABLE_PAUSED, about=_word(state.paused, Kind.PAUSE))
        else:
            found.add(AlertCode.TABLE_PAUSED_BY_PERSON, f"paused by {state.paused_by}: {state.paused}")
    if state.round is not None and state.round.phase == "held":
        about = _word(state.round.held_for, Kind.HELD)
        found.add(AlertCode.ATTEMPT_HELD, f"round {state.round.id}", about=about)
    if state.round is not None and state.round.phase == "unconfirmed":
        found.add(AlertCode.RESULT_UNCONFIRMED, f"round {state.round.id}")
    for name, deck_set in state.decks.sets.items():
        if deck_set.status == "failed":
            found.add(AlertCode.DECK_FAILED, deck_set.reason or "", about=name)
    for device in state.decks.suspect:
        found.add(AlertCode.SHUFFLER_SUSPECT, device=device)


def _word(reason: str | None, kind: Kind) -> str | None:
    """A word of ours; ``None`` for a person's own text."""
    word = WORDS.get(reason or "")
    return reason if word is not None and kind in word.kinds else None


def _device(found: _Found, state: TableState, name: str, device: DeviceHealth, settled: bool) -> None:
    codes = (AlertCode.DEVICE_DOWN, AlertCode.DRIVER_GAVE_UP, AlertCode.DEVICE_SILENT, AlertCode.DEVICE_FAULT)
    if name in state.lent or device.link == "stopped":
        for code in codes:  # in a technician's hands, or the station ends: neither is the device's
            found.not_known(code, name)
    else:
        _link(found, state, name, device)
        if device.link != "up" or not (device.heard or settled):
            found.not_known(AlertCode.DEVICE_SILENT, name)
            found.not_known(AlertCode.DEVICE_FAULT, name)
    if device.calibration_old is not None:
        found.add(AlertCode.CALIBRATION_OLD, device.calibration_old, device=name)
    for quantity, detail in device.drifts.items():
        found.add(AlertCode.CALIBRATION_DRIFT, detail, device=name, about=quantity)
    if not device.drift_known:
        found.not_known(AlertCode.CALIBRATION_DRIFT, name)
    if device.recorder is not None:
        found.add(AlertCode.RECORDER_NOT_WRITING, device.recorder, device=name)
    elif not (device.heard or settled):
        found.not_known(AlertCode.RECORDER_NOT_WRITING, name)


def _link(found: _Found, state: TableState, name: str, device: DeviceHealth) -> None:
    faults = frozenset(state.faults.get(name, ()))
    if device.link == "given_up":
        found.add(AlertCode.DRIVER_GAVE_UP, device.link_reason, device=name)
    elif device.link == "waiting" or (device.link == "up" and faults & _LINK):
        found.add(AlertCode.DEVICE_DOWN, device.link_reason, device=name)
    elif device.link == "opening":
        found.not_known(AlertCode.DEVICE_DOWN, name)
        found.not_known(AlertCode.DRIVER_GAVE_UP, name)
    # Of a device whose bytes are no frames one alert is enough, and that says more than that nothing valid comes.
    told = {"silent"} if "no_valid_frame" in faults else set()
    for fault in sorted(faults - _LINK - told):
        code = AlertCode.DEVICE_SILENT if fault in _SILENT else AlertCode.DEVICE_FAULT
        found.add(code, device=name, about=fault)


def _uplink(found: _Found, state: TableState, table: TableHealth) -> None:
    if table.connected is None or (table.held is not None and table.held.reason == CONTESTED):
        found.not_known(AlertCode.BROKER_UNREACHABLE)  # the station left it to the other one by itself
    elif not table.connected:
        found.add(AlertCode.BROKER_UNREACHABLE, table.broker_problem)
    if not table.connected:
        found.not_known(AlertCode.PUBLISHING_HINDERED)
        found.not_known(AlertCode.OUTBOX_OLD)
    for code, detail in table.problems.items() if table.connected else ():
        found.add(AlertCode.PUBLISHING_HINDERED, detail, about=code)
    held = table.held
    if held is not None and (held.reason != UNCHECKED or table.connected):
        found.add(AlertCode.STATION_HELD, held.detail, about=held.reason)
    if not table.connected or (held is not None and held.reason == UNCHECKED):
        found.not_known(AlertCode.STATION_HELD)  # what the broker keeps speaks for nobody before it was looked at
    if table.oldest_waits_s is None:
        found.not_known(AlertCode.OUTBOX_OLD)
    elif table.connected and table.oldest_waits_s > OLD_EVENT_S:
        waiting = state.sequence - table.published
        detail = f"{waiting} events wait, the oldest for {table.oldest_waits_s:.0f} s"
        found.add(AlertCode.OUTBOX_OLD, detail)
    for name, consumer in table.consumers.items():
        if consumer.gone:
            found.add(AlertCode.CONSUMER_GONE, f"{consumer.behind} events wait for it", about=name)
        elif consumer.heard is None and consumer.behind:
            found.not_known(AlertCode.CONSUMER_GONE, about=name)


def _journal(found: _Found, state: TableState, table: TableHealth) -> None:
    if table.stalled is not None:
        found.add(AlertCode.JOURNAL_REFUSED, table.stalled)
    expired = state.expired
    if expired is None:
        return
    behind = {name for name, consumer in table.consumers.items() if consumer.sequence < expired.to_sequence}
    missed = [name for name in expired.consumers if name in behind]
    for name in missed:
        found.add(AlertCode.EVENTS_UNFETCHED, f"up to event {expired.to_sequence}", about=name)
    if expired.reason == "never_published" and table.published < expired.to_sequence:
        found.add(AlertCode.EVENTS_UNFETCHED, f"no broker took them, up to event {expired.to_sequence}")


def _host(found: _Found, state: TableState, host: HostHealth) -> None:
    if host.free_bytes is None:
        found.not_known(AlertCode.DISK_NEARLY_FULL)
    else:
        limit = ENOUGH_DISK_BYTES if AlertId(AlertCode.DISK_NEARLY_FULL).key in state.alerts else LOW_DISK_BYTES
        if host.free_bytes < limit:
            found.add(AlertCode.DISK_NEARLY_FULL, f"{host.free_bytes // (1 << 20)} MiB are free")
    if host.clock_synchronised is None:
        found.not_known(AlertCode.CLOCK_UNSYNCHRONISED)
    elif not host.clock_synchronised:
        found.add(AlertCode.CLOCK_UNSYNCHRONISED)
    if host.clock_jump_s is None:
        found.not_known(AlertCode.CLOCK_JUMPED)
    elif host.clock_jump_s:
        found.add(AlertCode.CLOCK_JUMPED, f"by {host.clock_jump_s:+.1f} s")
    if host.unsigned_away:
        found.add(AlertCode.EVENTS_UNSIGNED)
    if host.monitoring_problem is not None:
        found.add(AlertCode.MONITORING_UNSERVED, host.monitoring_problem)

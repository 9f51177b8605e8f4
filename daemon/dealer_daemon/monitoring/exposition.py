"""The figures as Prometheus reads them. Every name here is in docs/reference/metrics.md.

A registry of our own and families made at each scrape: nothing is counted twice, and no library keeps threads or
values of its own. Labels are names of the configuration and words of the catalogue, so their number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from dealer_daemon.alerts import SPECS
from dealer_daemon.monitoring.figures import DeviceFigures, StationFigures, TableFigures
from dealer_daemon.monitoring.histogram import Histogram
from dealer_drivers.instant import NS_PER_S

CONTENT_TYPE = CONTENT_TYPE_LATEST
_Place = TypeVar("_Place", str, tuple[str, str])
"""A table, or a table and a device of it."""
LINKS = ("opening", "up", "waiting", "stopped", "given_up")
PHASES = ("idle", "betting", "waiting", "running", "held", "unconfirmed", "paused")


def exposition(figures: StationFigures) -> bytes:
    """The text of ``/metrics``."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(figures))
    return generate_latest(registry)


def families(figures: StationFigures) -> Iterator[Metric]:
    """Each family once, with all its values."""
    yield from _station(figures)
    yield from _tables(figures.tables)
    devices = {(table, name): one for table, each in figures.tables.items() for name, one in each.devices.items()}
    yield from _devices(devices)


@dataclass(frozen=True, slots=True, eq=False)
class _Collector:
    figures: StationFigures

    def collect(self) -> Iterable[Metric]:
        return families(self.figures)


def _station(of: StationFigures) -> Iterator[Metric]:
    info = GaugeMetricFamily("dealer_station_info", "The station.", labels=["site", "version"])
    info.add_metric([of.site, of.version], 1)
    yield info
    started = of.started_ns / NS_PER_S
    yield GaugeMetricFamily("dealer_station_start_time_seconds", "When it was started, Unix time.", value=started)
    late = HistogramMetricFamily("dealer_event_loop_late_seconds", "How late the station's clock work ran.", labels=[])
    late.add_metric([], of.late.buckets(), of.late.sum_s)
    yield late
    for name, text, value in (
        ("dealer_disk_free_bytes", "Free where the journal is.", of.free_bytes),
        ("dealer_disk_size_bytes", "Size of the file system where the journal is.", of.disk_bytes),
        ("dealer_journal_size_bytes", "Size of the journal's file.", of.journal_bytes),
        ("dealer_clock_synchronised", "Whether the kernel's clock is synchronised.", of.clock_synchronised),
        ("dealer_clock_error_seconds", "How far off the clock may be, by the kernel.", of.clock_error_s),
    ):
        if value is not None:  # what is not known is not said
            yield GaugeMetricFamily(name, text, value=float(value))
    yield CounterMetricFamily("dealer_clock_jumps", "Jumps of the wall clock.", value=of.clock_jumps)


def _tables(tables: Mapping[str, TableFigures]) -> Iterator[Metric]:
    info = GaugeMetricFamily("dealer_table_info", "The table.", labels=["table", "game", "shadow"])
    for name, table in tables.items():
        info.add_metric([name, table.game, str(table.shadow).lower()], 1)
    yield info
    phase = GaugeMetricFamily("dealer_table_phase", "1 for what the table is doing.", labels=["table", "phase"])
    for name, table in tables.items():
        for word in PHASES:
            phase.add_metric([name, word], float(word == table.phase))
    yield phase
    yield _gauge("dealer_table_paused", "Whether it stands.", {n: float(t.paused) for n, t in tables.items()})
    held = {n: float(t.held is not None) for n, t in tables.items()}
    yield _gauge("dealer_table_station_held", "Whether the station may not speak for it.", held)
    stalled = {n: float(t.stalled is not None) for n, t in tables.items()}
    yield _gauge("dealer_table_stalled", "Whether the journal refuses its events.", stalled)
    yield _counter("dealer_events", "Committed events.", {n: t.tally.events for n, t in tables.items()})
    yield _counter("dealer_rounds_opened", "Rounds opened.", {n: t.tally.rounds for n, t in tables.items()})
    yield _counter(
        "dealer_outcomes_corrected", "Outcomes corrected.", {n: t.tally.corrected for n, t in tables.items()}
    )
    for metric, text, label, counts in (
        ("dealer_outcomes", "Final outcomes.", "source", {n: t.tally.outcomes for n, t in tables.items()}),
        ("dealer_rounds_voided", "Rounds void.", "reason", {n: t.tally.voided for n, t in tables.items()}),
        (
            "dealer_attempts_refused",
            "Attempts that did not count by the rules.",
            "reason",
            {n: t.tally.refused for n, t in tables.items()},
        ),
        ("dealer_attempts_held", "Attempts held for a person.", "reason", {n: t.tally.held for n, t in tables.items()}),
        (
            "dealer_pauses",
            "Times that the table began to stand.",
            "reason",
            {n: t.tally.paused for n, t in tables.items()},
        ),
        (
            "dealer_violations",
            "Violations of the procedure.",
            "reason",
            {n: t.tally.violations for n, t in tables.items()},
        ),
    ):
        family = CounterMetricFamily(metric, text, labels=["table", label])
        for name, by_word in counts.items():
            for word, count in sorted(by_word.items()):
                family.add_metric([name, word], count)
        yield family
    at = {n: t.tally.last_outcome_ns / NS_PER_S for n, t in tables.items() if t.tally.last_outcome_ns is not None}
    yield _gauge("dealer_last_outcome_time_seconds", "When the newest outcome was decided, Unix time.", at)
    commits = {n: t.commit for n, t in tables.items()}
    yield _histogram("dealer_commit_seconds", "From a decision to the disk's word.", commits)
    acknowledged = {n: t.acknowledged for n, t in tables.items()}
    yield _histogram("dealer_broker_acknowledgement_seconds", "From a message to the broker's word.", acknowledged)
    yield _gauge(
        "dealer_broker_connected",
        "Whether the broker is connected.",
        {n: float(t.connected) for n, t in tables.items()},
    )
    depth = {n: float(max(0, t.last_sequence - t.published)) for n, t in tables.items()}
    yield _gauge("dealer_outbox_events", "Events that the broker has not acknowledged.", depth)
    oldest = {n: t.oldest_waits_s for n, t in tables.items() if t.oldest_waits_s is not None}
    yield _gauge("dealer_outbox_oldest_seconds", "Age of the oldest of them.", oldest)
    behind = GaugeMetricFamily(
        "dealer_consumer_behind_events", "Events that it has not handled.", labels=["table", "consumer"]
    )
    gone = GaugeMetricFamily(
        "dealer_consumer_gone", "Whether it says nothing while events wait.", labels=["table", "consumer"]
    )
    firing = GaugeMetricFamily("dealer_alerts", "Alerts that stand.", labels=["table", "code", "severity"])
    for name, table in tables.items():
        for consumer, body in table.consumers.items():
            behind.add_metric([name, consumer], body.behind)
            gone.add_metric([name, consumer], float(body.gone))
        for code, spec in SPECS.items():
            standing = sum(alert.code == code for alert in table.alerts)
            firing.add_metric([name, code, spec.severity], standing)
    yield from (behind, gone, firing)


def _devices(devices: Mapping[tuple[str, str], DeviceFigures]) -> Iterator[Metric]:
    names = ["table", "device"]
    info = GaugeMetricFamily("dealer_device_info", "The device.", labels=[*names, "driver", "maturity"])
    link = GaugeMetricFamily("dealer_device_link", "1 for the state of its link.", labels=[*names, "state"])
    fault = GaugeMetricFamily("dealer_device_fault", "1 for each standing fault.", labels=[*names, "fault"])
    for place, device in devices.items():
        info.add_metric([*place, device.driver, device.maturity], 1)
        for state in LINKS:
            link.add_metric([*place, state], float(state == device.link))
        for word in device.faults:
            fault.add_metric([*place, word], 1)
    yield from (info, link, fault)
    for name, text, counts in (
        ("dealer_device_received_bytes", "Bytes from it.", {p: d.health.bytes_in for p, d in devices.items()}),
        ("dealer_device_sent_bytes", "Bytes to it.", {p: d.health.bytes_out for p, d in devices.items()}),
        ("dealer_device_valid_frames", "Valid frames from it.", {p: d.health.valid_frames for p, d in devices.items()}),
        (
            "dealer_device_rejected_bytes",
            "Bytes from it that were part of no frame.",
            {p: d.health.rejected_bytes for p, d in devices.items()},
        ),
        ("dealer_device_opens", "Times it was opened.", {p: d.health.opens for p, d in devices.items()}),
        ("dealer_device_readings", "What was read of them.", {p: d.readings for p, d in devices.items()}),
    ):
        yield _counter(name, text, counts, names)
    for name, text, ages in (
        ("dealer_device_since_byte_seconds", "Since its newest byte.", {p: d.since_byte_s for p, d in devices.items()}),
        (
            "dealer_device_since_frame_seconds",
            "Since its newest valid frame.",
            {p: d.since_frame_s for p, d in devices.items()},
        ),
        (
            "dealer_device_since_reading_seconds",
            "Since its newest reading.",
            {p: d.since_reading_s for p, d in devices.items()},
        ),
    ):
        yield _gauge(name, text, {place: age for place, age in ages.items() if age is not None}, names)
    yield _gauge("dealer_device_lent", "Whether a bench has it.", {p: float(d.lent) for p, d in devices.items()}, names)
    writes = {p: float(d.recorder_writes) for p, d in devices.items() if d.recorder_writes is not None}
    yield _gauge("dealer_device_recorder_writes", "Whether its flight recorder keeps its bytes.", writes, names)


def _gauge(name: str, text: str, values: Mapping[_Place, float], labels: Iterable[str] = ("table",)) -> Metric:
    family = GaugeMetricFamily(name, text, labels=list(labels))
    for place, value in values.items():
        family.add_metric(_labels(place), value)
    return family


def _counter(name: str, text: str, values: Mapping[_Place, int], labels: Iterable[str] = ("table",)) -> Metric:
    family = CounterMetricFamily(name, text, labels=list(labels))
    for place, value in values.items():
        family.add_metric(_labels(place), value)
    return family


def _histogram(name: str, text: str, values: Mapping[str, Histogram]) -> Metric:
    family = HistogramMetricFamily(name, text, labels=["table"])
    for table, value in values.items():
        family.add_metric([table], value.buckets(), value.sum_s)
    return family


def _labels(place: str | tuple[str, str]) -> list[str]:
    return [place] if isinstance(place, str) else list(place)

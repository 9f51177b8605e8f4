"""The figures: what Prometheus reads of a station, what is left out, and that nothing of a round is in them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from dealer_daemon.alerts import SPECS
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    Event,
    EventData,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    TablePaused,
    Violation,
)
from dealer_daemon.monitoring import Histogram, StationFigures, Tally
from dealer_daemon.monitoring.exposition import exposition
from dealer_daemon.monitoring.ready import LIVE_S, why_not_live, why_not_ready
from dealer_daemon.schema.metrics import sample
from dealer_daemon.state import StandingAlert


def read(figures: StationFigures) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = exposition(figures).decode()
    found: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for family in text_string_to_metric_families(text):
        for each in family.samples:
            key = (each.name, frozenset(each.labels.items()))
            assert key not in found
            found[key] = each.value
    return found


def value(figures: StationFigures, name: str, **labels: str) -> float | None:
    return read(figures).get((name, frozenset(labels.items())))


def with_table(**changes: Any) -> StationFigures:
    made = sample()
    return replace(made, tables={"t": replace(made.tables["t"], **changes)})


def event(data: EventData, wall_ns: int = 1_500_000_000) -> Event:
    return Event(table="t", sequence=1, subject="t-1", wall_ns=wall_ns, mono_ns=1, boot="b", data=data)


def test_events_are_counted_by_their_words() -> None:
    tally = Tally()
    for data in (
        RoundOpened(game="g", source="device"),
        AttemptRefused(reason="too_few_laps", remedy="rethrow", attempt=1, detail="4 of 7", evidence=[]),
        AttemptHeld(reason="witnesses_differ", attempt=2, detail="", seen={"number": "17"}, evidence=[]),
        Violation(reason="spin_while_held", detail="", evidence=[]),
        TablePaused(reason="integrity", by="station"),
        TablePaused(reason="integrity", by="manager-1"),
        TablePaused(reason="coffee", by="manager-1"),
        RoundVoided(reason="the ball fell down", by="manager-1", seen={"number": "17"}),
        RoundOutcome(game="g", facts={"number": "17"}, attempts=1, evidence=[], source="device"),
        OutcomeCorrected(replaces=3, game="g", facts={"number": "18"}, reason="video", by="m"),
    ):
        tally.count(event(data))
    figures = with_table(tally=tally)
    assert value(figures, "dealer_rounds_opened_total", table="t") == 1
    assert value(figures, "dealer_attempts_refused_total", table="t", reason="too_few_laps") == 1
    assert value(figures, "dealer_attempts_held_total", table="t", reason="witnesses_differ") == 1
    assert value(figures, "dealer_violations_total", table="t", reason="spin_while_held") == 1
    assert value(figures, "dealer_pauses_total", table="t", reason="integrity") == 1
    assert value(figures, "dealer_pauses_total", table="t", reason="person") == 2
    assert value(figures, "dealer_rounds_voided_total", table="t", reason="person") == 1
    assert value(figures, "dealer_outcomes_total", table="t", source="device") == 1
    assert value(figures, "dealer_outcomes_corrected_total", table="t") == 1
    assert value(figures, "dealer_events_total", table="t") == 10
    assert value(figures, "dealer_last_outcome_time_seconds", table="t") == 1.5
    text = exposition(figures).decode()
    for secret in ('"17"', '"18"', "coffee", "the ball fell", "4 of 7", "manager"):
        assert secret not in text


def test_what_is_not_known_is_not_said() -> None:
    dark = replace(
        sample(), free_bytes=None, disk_bytes=None, journal_bytes=None, clock_synchronised=None, clock_error_s=None
    )
    names = {name for name, _ in read(dark)}
    assert not {name for name in names if "disk" in name or "synchronised" in name or "journal_size" in name}
    assert value(replace(dark, clock_synchronised=False), "dealer_clock_synchronised") == 0
    assert "dealer_outbox_oldest_seconds" not in {name for name, _ in read(with_table(oldest_waits_s=None))}


def test_every_alert_has_a_figure_and_those_that_stand_are_counted() -> None:
    standing = [
        StandingAlert(
            code="device_down", severity="error", device=device, about=None, detail="", sequence=n, since_ns=1
        )
        for n, device in enumerate(("wheel", "shoe"))
    ]
    found = read(with_table(alerts=standing))
    counts = {dict(labels)["code"]: count for (name, labels), count in found.items() if name == "dealer_alerts"}
    assert counts == dict.fromkeys(SPECS, 0.0) | {"device_down": 2.0}


def test_the_outbox_is_what_the_broker_has_not_acknowledged() -> None:
    assert value(with_table(last_sequence=12, published=9), "dealer_outbox_events", table="t") == 3
    assert value(with_table(last_sequence=12, published=12), "dealer_outbox_events", table="t") == 0


@given(st.lists(st.floats(0, 10)))
def test_a_histogram_counts_everything_once(seconds: list[float]) -> None:
    histogram = Histogram((0.01, 0.1, 1.0))
    for each in seconds:
        histogram.observe(each)
    buckets = histogram.buckets()
    assert [bound for bound, _ in buckets] == ["0.01", "0.1", "1.0", "+Inf"]
    assert [count for _, count in buckets] == [sum(s <= b for s in seconds) for b in (0.01, 0.1, 1.0, math.inf)]
    assert histogram.sum_s == pytest.approx(sum(seconds))
    p99 = histogram.at_most_s(0.99)
    assert p99 is None or sum(s <= p99 for s in seconds) >= 0.99 * len(seconds)
    assert (p99 is None) == (not seconds or sum(s <= 1.0 for s in seconds) < 0.99 * len(seconds))


def test_a_clock_that_was_set_back_takes_nothing_from_a_sum() -> None:
    histogram = Histogram((1.0,))
    histogram.observe(-5.0)
    assert (histogram.count, histogram.sum_s) == (1, 0.0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"taken_up": False}, "table t: not taken up yet"),
        ({"stalled": "the disk is full"}, "table t: the journal cannot be written: the disk is full"),
        ({"failed": True, "stalled": "it was cut off"}, "the station ends: it was cut off"),
    ],
)
def test_a_station_is_ready_when_every_table_is_taken_up_and_the_journal_writes(
    changes: dict[str, Any], why: str
) -> None:
    (reason,) = why_not_ready(with_table(**changes))
    assert why in reason
    assert why_not_ready(with_table(connected=False, paused=True)) == []
    assert why_not_ready(replace(sample(), tables={})) == ["no table is taken up yet"]


def test_a_loop_that_does_nothing_for_long_is_not_alive() -> None:
    assert why_not_live(replace(sample(), since_tick_s=LIVE_S)) == []
    assert why_not_live(replace(sample(), since_tick_s=LIVE_S + 0.1)) != []

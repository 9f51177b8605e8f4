"""``docs/reference/metrics.md``, from the exposition of a station made up for it."""

from __future__ import annotations

from dealer_daemon.bodies import ConsumerBody
from dealer_daemon.monitoring import DeviceFigures, Histogram, StationFigures, TableFigures, Tally
from dealer_daemon.monitoring.exposition import families
from dealer_drivers.supervised import LinkHealth

_HEAD = """# Metrics

<!-- Written by `make schema` from daemon/dealer_daemon/monitoring/exposition.py; change it there. -->

Where the configuration has `[monitoring] listen = "127.0.0.1:9464"`, the station serves there, on loopback unless it is
said otherwise in as many words:

| page | |
|---|---|
| `/metrics` | the figures below, in Prometheus' text format |
| `/livez` | 200 while the station's event loop does its work, 503 and why when it does not |
| `/readyz` | 200 once every table is taken up and the journal takes its events, else 503 and why |
| `/healthz` | what `dealer-daemon status --json` prints: every table, device and alert; always 200 |

A broker that is away makes no station unready: results wait in the journal.

Counters begin at 0 with each start of the station. A figure that is not known is not there: never is 0 said for it.
Nothing shows a card, a number or any other value of a round. Labels are names of the configuration, of consumers (at
most 256) and [words](reasons.md); a reason that a person typed counts as `person`.

Rules for Prometheus are in `systemd/prometheus/dealer-station.rules.yml`, a dashboard for Grafana in
`systemd/grafana/dealer-station.json`; [watch a station](../howto/watch-a-station.md) says how to use them."""


def metrics_page() -> str:
    """The page: a row a family."""
    lines = [_HEAD, "", "| name | type | labels | |", "|---|---|---|---|"]
    for family in families(sample()):
        suffix = "_total" if family.type == "counter" else ""
        names = {name for each in family.samples for name in each.labels} - {"le"}
        order = ["table", "device", *sorted(names - {"table", "device"})]
        labels = ", ".join(f"`{name}`" for name in order if name in names) or "-"
        lines.append(f"| `{family.name}{suffix}` | {family.type} | {labels} | {family.documentation} |")
    return "\n".join(lines) + "\n"


def sample() -> StationFigures:
    """A station with something in every family."""
    tally, histogram = Tally(), Histogram((1.0,))
    for counter in (tally.outcomes, tally.voided, tally.refused, tally.held, tally.paused, tally.violations):
        counter["word"] += 1
    tally.last_outcome_ns = 1
    device = DeviceFigures(
        driver="d", maturity="generic", link="up", health=LinkHealth(), readings=1, since_byte_s=1.0,
        since_frame_s=1.0, since_reading_s=1.0, faults=["silent"], lent=False, recorder_writes=True,
    )  # fmt: skip
    table = TableFigures(
        game="g", shadow=False, phase="idle", paused=False, held=None, stalled=None, failed=False, taken_up=True,
        last_sequence=1, tally=tally, commit=histogram, acknowledged=histogram, connected=True, published=1,
        oldest_waits_s=0.0, consumers={"c": ConsumerBody(sequence=1, behind=0, heard=None, gone=False)}, alerts=[],
        devices={"d": device},
    )  # fmt: skip
    return StationFigures(
        site="s", version="1", boot="b", started_ns=1, late=histogram, since_tick_s=0.0, free_bytes=1, disk_bytes=1,
        journal_bytes=1, clock_synchronised=True, clock_error_s=0.0, clock_jumps=0, tables={"t": table},
    )  # fmt: skip

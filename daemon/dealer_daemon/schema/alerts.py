"""``docs/reference/alerts.md``, from the codes and their texts."""

from __future__ import annotations

from dealer_daemon.alerts import SPECS
from dealer_daemon.words.alerts import ALERTS

_HEAD = """# Alerts

<!-- Written by `make schema` from daemon/dealer_daemon/alerts/codes.py and words/alerts.py; change it there. -->

Every condition that needs a person is raised once and cleared once, over restarts of the station too: as the events
`alert.raised` and `alert.cleared` of the table ([events](events.md)), in the table's retained state, in the log, in
`dealer-daemon status` and as the figure `dealer_alerts` ([metrics](metrics.md)). What makes an alert one is its `code`,
its `device` and what it is `about`. Conditions of the computer are raised at each of its tables. What to do, step by
step, is in the [runbook](../howto/runbook.md).

A condition must last for the time under *raised after* before anybody is called, and be gone for the time under
*cleared after* before the alert is over; `0` is the next look, at most a second and a quarter later. Where a condition
is not known, as that of a device right after a start, nothing is raised and nothing cleared. Within v1 codes are only
added: treat one that you do not know by its `severity`."""


def alerts_page() -> str:
    """The page: what the alerts are, then their texts in all languages."""
    lines = [_HEAD, "", "## Codes", ""]
    lines += ["| code | severity | raised after | cleared after | over when |", "|---|---|---|---|---|"]
    for code, spec in SPECS.items():
        link = f"[`{code}`](../howto/runbook.md#{code})"
        times = f"{spec.raise_after_s:g} s | {spec.clear_after_s:g} s"
        lines.append(f"| {link} | {spec.severity} | {times} | {ALERTS[code].ends} |")
    for title, choose in (("What it is", "what"), ("What to do", "todo")):
        lines += ["", f"## {title}", "", "| code | English | 简体中文 | 繁體中文 |", "|---|---|---|---|"]
        for code in SPECS:
            text = ALERTS[code]
            texts = [getattr(text, choose)(language) for language in ("en", "zh-Hans", "zh-Hant")]
            lines.append(f"| `{code}` | {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"

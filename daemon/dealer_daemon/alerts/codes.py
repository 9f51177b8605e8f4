"""Every alert that there is: how bad it is, and how long it must last before anybody is called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from dealer_daemon.words.alerts import ALERTS

Severity = Literal["warning", "error"]


class AlertCode(StrEnum):
    """What needs a person. Texts: ``words/alerts.py``; what to do: docs/howto/runbook.md, an anchor a code."""

    TABLE_PAUSED = "table_paused"
    TABLE_PAUSED_BY_PERSON = "table_paused_by_person"
    ATTEMPT_HELD = "attempt_held"
    RESULT_UNCONFIRMED = "result_unconfirmed"
    DECK_FAILED = "deck_failed"
    SHUFFLER_SUSPECT = "shuffler_suspect"
    DEVICE_DOWN = "device_down"
    DEVICE_SILENT = "device_silent"
    DEVICE_FAULT = "device_fault"
    DRIVER_GAVE_UP = "driver_gave_up"
    CALIBRATION_OLD = "calibration_old"
    CALIBRATION_DRIFT = "calibration_drift"
    RECORDER_NOT_WRITING = "recorder_not_writing"
    BROKER_UNREACHABLE = "broker_unreachable"
    PUBLISHING_HINDERED = "publishing_hindered"
    STATION_HELD = "station_held"
    OUTBOX_OLD = "outbox_old"
    CONSUMER_GONE = "consumer_gone"
    EVENTS_UNFETCHED = "events_unfetched"
    JOURNAL_REFUSED = "journal_refused"
    DISK_NEARLY_FULL = "disk_nearly_full"
    CLOCK_UNSYNCHRONISED = "clock_unsynchronised"
    CLOCK_JUMPED = "clock_jumped"
    EVENTS_UNSIGNED = "events_unsigned"
    MONITORING_UNSERVED = "monitoring_unserved"


@dataclass(frozen=True, slots=True)
class AlertSpec:
    """How an alert behaves: it is raised once its condition stood for ``raise_after_s``, and cleared once it was gone
    for ``clear_after_s``. Both are on the station's clock."""

    severity: Severity
    raise_after_s: float = 0.0
    clear_after_s: float = 0.0

    @property
    def level(self) -> int:
        """Greater is worse."""
        return 2 if self.severity == "error" else 1


SPECS: dict[str, AlertSpec] = {
    # A pause and a held attempt are told by events of their own in the same moment; these call whoever did not hear
    # it, and spare those that are ended at once.
    AlertCode.TABLE_PAUSED: AlertSpec("error", 3),
    AlertCode.TABLE_PAUSED_BY_PERSON: AlertSpec("warning", 900),
    AlertCode.ATTEMPT_HELD: AlertSpec("error", 3),
    AlertCode.RESULT_UNCONFIRMED: AlertSpec("warning", 60),
    AlertCode.DECK_FAILED: AlertSpec("error"),
    AlertCode.SHUFFLER_SUSPECT: AlertSpec("error"),
    # As long as the link's longest wait before it tries again: a plug that was put back needs nobody.
    AlertCode.DEVICE_DOWN: AlertSpec("error", 10, 5),
    AlertCode.DEVICE_SILENT: AlertSpec("error", 10, 5),
    AlertCode.DEVICE_FAULT: AlertSpec("warning", 10, 5),
    AlertCode.DRIVER_GAVE_UP: AlertSpec("error"),
    AlertCode.CALIBRATION_OLD: AlertSpec("warning"),
    AlertCode.CALIBRATION_DRIFT: AlertSpec("warning"),
    AlertCode.RECORDER_NOT_WRITING: AlertSpec("warning", 5, 5),
    # As long as the longest wait between two tries to connect (``mqtt.settings``).
    AlertCode.BROKER_UNREACHABLE: AlertSpec("error", 15, 10),
    AlertCode.PUBLISHING_HINDERED: AlertSpec("error", 10, 10),
    AlertCode.STATION_HELD: AlertSpec("error", 10, 5),
    AlertCode.OUTBOX_OLD: AlertSpec("error", 30, 10),
    AlertCode.CONSUMER_GONE: AlertSpec("warning"),
    AlertCode.EVENTS_UNFETCHED: AlertSpec("warning"),
    AlertCode.JOURNAL_REFUSED: AlertSpec("error", 2, 2),
    AlertCode.DISK_NEARLY_FULL: AlertSpec("error", 0, 60),
    # A computer that was just started has five minutes to find its time.
    AlertCode.CLOCK_UNSYNCHRONISED: AlertSpec("warning", 300, 60),
    AlertCode.CLOCK_JUMPED: AlertSpec("warning"),
    AlertCode.EVENTS_UNSIGNED: AlertSpec("warning"),
    AlertCode.MONITORING_UNSERVED: AlertSpec("warning", 30, 5),
}


def suggestion(code: str) -> str:
    """What to do, in English; nothing of a code that only an older version had."""
    text = ALERTS.get(code)
    return "" if text is None else text.english_do


def runbook(code: str) -> str:
    """Where the steps stand."""
    return f"docs/howto/runbook.md#{code}"

"""What every guided command stands on: the device of a table in the bench's hands, the talk with the technician, and
results that ``check`` and ``report`` gather."""

from __future__ import annotations

from dealer_calibration.bench.command import BenchCommand, run_bench
from dealer_calibration.bench.device import BenchDevice, BenchError, device_of, first_device_of
from dealer_calibration.bench.link import BenchLink, Seen
from dealer_calibration.bench.result import Finding, Result
from dealer_calibration.bench.results import keep_result, kept_results
from dealer_calibration.bench.taking import lent, taken
from dealer_calibration.bench.talk import Answers, NoAnswer, Talk

__all__ = [
    "Answers",
    "BenchCommand",
    "BenchDevice",
    "BenchError",
    "BenchLink",
    "Finding",
    "NoAnswer",
    "Result",
    "Seen",
    "Talk",
    "device_of",
    "first_device_of",
    "keep_result",
    "kept_results",
    "lent",
    "run_bench",
    "taken",
]

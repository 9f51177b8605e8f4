"""What really lies before a camera, typed beforehand: the file of ``--truth``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dealer_calibration.bench import BenchError

T = TypeVar("T")


def read_truth(path: Path, parse: Callable[[str], T]) -> T:
    """What ``parse`` makes of the file's text; ``ValueError`` of it says what is wrong. Raises ``BenchError``."""
    try:
        return parse(path.read_text("utf-8"))
    except OSError as error:
        raise BenchError(f"--truth {path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BenchError(f"--truth {path}: {error}") from error

"""Which code book a reader was proved with."""

from __future__ import annotations

from pathlib import Path

from dealer_calibration.bench import BenchDevice, BenchError
from dealer_drivers.calibration.form import sha256_of

BOOK = "codebook"
"""The hash of the code book's file, among a result's figures; a reader without such a file has none."""


def book_of(device: BenchDevice) -> str | None:
    """The hash of the device's code book, as it is now; ``None`` where its cards say themselves what they are. Raises
    ``BenchError``."""
    path = device.written.get("codebook")
    if path is None:
        return None
    from dealer_drivers.shoe.codebook import RANK_SUIT  # whose folder may be absent where no reader of cards is

    if not isinstance(path, str) or path == RANK_SUIT.deck_set:
        return None
    try:
        return sha256_of(Path(getattr(device.ready_options(), "codebook", path)).read_bytes())
    except OSError as error:
        raise BenchError(f"{path}: cannot be read: {error.strerror}") from error

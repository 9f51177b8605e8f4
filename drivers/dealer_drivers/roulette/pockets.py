"""Which pockets a wheel has, and what the two characters of a Cammegh number field name."""

from __future__ import annotations

import re

from dealer_drivers.readings.roulette import pocket_names

_FIELD = re.compile(r"[ 1-9][0-9]")
# Three- and four-zero pockets come as numbers beyond 36 (``devices.md`` §1, field WW).
_CODED_ZEROS = {"00": "00", "38": "000", "39": "0000"}


def pocket_of_field(field: str, zeros: int) -> str | None:
    """The pocket that a Cammegh field names, ``" 6"`` or ``"27"``; ``None`` when this wheel has no such pocket.

    Right-justified and space padded; ``00`` is double zero, never zero (``devices.md`` §1, field WW).
    """
    name = _CODED_ZEROS.get(field)
    if name is None and _FIELD.fullmatch(field):
        name = field.strip()
    return name if name in pocket_names(zeros) else None

"""Judges results that people keyed in, where a table has no sensor or may do without it (``games.md`` §9).

The device has seen that both entries were the same; here the game says whether there is such a result. The round that
it was entered for is compared by the table, which knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dealer_daemon.validation.signals import BettingOver, Judged, Ready, Signal, Started, Trouble, Value
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Reading
from dealer_drivers.readings.entry import EntryFault, ResultEntered

Stated = Callable[[Mapping[str, Any]], Mapping[str, Any] | str]
"""From what was keyed in to facts, or the reason why there is no such result."""


class EntryJudge:
    """See the module. An attempt is over when it is first heard of."""

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self._impossible = False

    def underway(self) -> bool:
        """Never."""
        return False

    def waiting(self) -> bool:
        """Never, as far as is known: nothing tells when what people will key in begins."""
        return False

    def discard(self) -> None:
        """Nothing is kept."""

    def due(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """People enter what they see."""
        return []

    def deadline_ns(self) -> int | None:
        """Time alone says nothing here."""
        return None

    def tick(self, at: Instant) -> list[Signal]:  # noqa: ARG002
        """Nothing."""
        return []

    def feed(self, device: str, reading: Reading) -> list[Signal]:
        """One reading."""
        match reading:
            case ResultEntered():
                return self._entered(device, reading)
            case DeviceFault():  # the table says it by itself
                return []
            case _:
                return []

    def _entered(self, device: str, reading: ResultEntered) -> list[Signal]:
        facts = self._stated(reading.result)
        if isinstance(facts, str):
            self._impossible = True
            return [Trouble(EntryFault.ENTRY_IMPOSSIBLE, f"{facts}; enter the result again, twice")]
        cleared: list[Signal] = []
        if self._impossible:
            self._impossible = False
            cleared = [Trouble(EntryFault.ENTRY_IMPOSSIBLE, "", cleared=True)]
        value = Value(facts, (device,), source="manual", by=reading.by)
        return [*cleared, Ready(None), Started(), BettingOver(), Judged(value)]

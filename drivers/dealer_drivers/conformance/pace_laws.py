"""Law about how long a session takes: all devices of a station share one event loop, and wait for the others."""

from __future__ import annotations

import time
from typing import Any

from dealer_drivers.conformance.check import Broken
from dealer_drivers.conformance.player import START
from dealer_drivers.conformance.subject import Subject

MOST_PART = 0.1
"""Of the time in which the example's bytes arrive."""
MOST_CALL_S = 0.1
"""A wheel's encoder reports fifty times a second, and its turn is held after a quarter of a second without a count."""
TRIES = 3
"""Whatever else the process does in the meantime: the quickest counts."""


class _Timed:
    """A session whose calls are timed, by the processor's time."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.total_s = self.longest_s = 0.0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._session, name)

        def timed(*args: Any) -> Any:
            began = time.process_time()
            try:
                return call(*args)
            finally:
                took_s = time.process_time() - began
                self.total_s += took_s
                self.longest_s = max(self.longest_s, took_s)

        return timed


def keeps_up(subject: Subject) -> None:
    """Playing the example takes a tenth of its own time at most, and no call of it a tenth of a second."""
    totals, longest = [], []
    for _ in range(TRIES):
        player = subject.player()
        player.session = timed = _Timed(player.session)
        player.play()
        lasts_s = max(1.0, player.at.since_s(START))
        totals.append(timed.total_s)
        longest.append(timed.longest_s)
        if timed.total_s <= MOST_PART * lasts_s and timed.longest_s <= MOST_CALL_S:
            return
    if min(longest) > MOST_CALL_S:
        raise Broken(
            f"one call takes {min(longest):.2f} s of the processor's time, and {MOST_CALL_S:g} is the most: meanwhile "
            "every other device of the station waits"
        )
    raise Broken(
        f"the example of {lasts_s:.1f} s takes {min(totals):.2f} s of the processor's time, and a tenth of it is the "
        "most: every device of the station shares one processor"
    )

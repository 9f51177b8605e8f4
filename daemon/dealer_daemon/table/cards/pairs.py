"""Two readers for every card: both must read the same, or the card is scanned again (``games.md`` §3).

The readers see the cards in the same order, one a little later than the other. Each card of the main reader waits for
the witness's up to ``wait_s``, and the other way round; what is said of the card is the main reader's own reading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import TableDevice
from dealer_daemon.table.cards.play import CardPlay
from dealer_daemon.table.common import Rules
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.shoe.readings import CardForeign, CardRead, CardTrouble, CardUnreadable

_CARDS = (CardRead, CardUnreadable, CardForeign)
_GONE = (Fault.LINK_LOST, Fault.LINK_REFUSED, Fault.SILENT)


class Pairs:
    """``witness`` names the second reader; every other device is the first. Pure: readings and time in and out."""

    def __init__(self, witness: str, wait_s: float) -> None:
        self._witness = witness
        self._wait_s = wait_s
        self._mine: deque[Reading] = deque()
        self._theirs: deque[Reading] = deque()

    def feed(self, device: str, reading: Reading) -> list[Reading]:
        """What the table may hear of it now; a fault of the witness is nothing that the cards wait for."""
        if not isinstance(reading, _CARDS):
            if device != self._witness:
                return [reading]
            return self._alone(reading.at) if isinstance(reading, DeviceFault) and reading.fault in _GONE else []
        (self._theirs if device == self._witness else self._mine).append(reading)
        out = []
        while self._mine and self._theirs:
            out.append(_agreed(self._mine.popleft(), self._theirs.popleft(), reading.at))
        return out

    def tick(self, at: Instant) -> list[Reading]:
        """Time passed: a card that one reader alone saw is no card."""
        deadline_ns = self.deadline_ns()
        return [] if deadline_ns is None or at.mono_ns < deadline_ns else self._alone(at)

    def deadline_ns(self) -> int | None:
        """When the oldest card will have waited long enough."""
        waiting = self._mine or self._theirs
        return waiting[0].at.plus_s(self._wait_s).mono_ns if waiting else None

    def reset(self) -> None:
        """Nothing that waits counts any more."""
        self._mine.clear()
        self._theirs.clear()

    def _alone(self, at: Instant) -> list[Reading]:
        """All that waits: after one card that a reader missed, the two rows cannot be put side by side any more."""
        out: list[Reading] = [_alone(reading, at) for reading in (*self._mine, *self._theirs)]
        self.reset()
        return out


class PairedCardPlay(CardPlay):
    """A card table whose cards need two readers."""

    def __init__(
        self,
        rules: Rules,
        procedure: Procedure,
        shoe: ShoeRules,
        frames: FrameLog,
        devices: Sequence[TableDevice],
        pairs: Pairs,
    ) -> None:
        super().__init__(rules, procedure, shoe, frames, devices)
        self.pairs = pairs

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading, in order."""
        for agreed in self.pairs.feed(device, reading):
            super().reading(turn, device, agreed)

    def tick(self, turn: Turn) -> None:
        """Time passed."""
        for reading in self.pairs.tick(turn.at):
            super().reading(turn, "", reading)
        super().tick(turn)

    def deadline_ns(self) -> int | None:
        """The earliest of what may matter."""
        times = (self.pairs.deadline_ns(), super().deadline_ns())
        return min((time for time in times if time is not None), default=None)

    def discard(self) -> None:
        """What waits for its second reader does not count either."""
        self.pairs.reset()
        super().discard()


def _agreed(mine: Reading, theirs: Reading, at: Instant) -> Reading:
    if isinstance(mine, CardRead) and isinstance(theirs, CardRead):
        if mine.card == theirs.card and (None in (mine.unit, theirs.unit) or mine.unit == theirs.unit):
            return mine
        return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the two readers do not read the same card")
    if not isinstance(mine, CardRead):
        return mine
    if isinstance(theirs, CardForeign):
        return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the second reader reads no card of this deck set")
    return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the second reader could not read the card")


def _alone(reading: Reading, at: Instant) -> Reading:
    if isinstance(reading, CardRead):
        return _unread(reading, at, CardTrouble.ONE_READER, "one of the two readers alone saw the card")
    return reading


def _unread(reading: CardRead, at: Instant, trouble: CardTrouble, detail: str) -> CardUnreadable:
    return CardUnreadable(
        at=at,
        raw=reading.raw,
        reason=trouble,
        detail=f"{detail}; scan it again",
        hint=reading.hint,
        repeated=reading.repeated,
    )

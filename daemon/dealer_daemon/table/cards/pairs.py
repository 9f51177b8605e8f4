"""Two readers for every card: both must read the same, or the card is scanned again (``games.md`` §3).

The readers see the cards in the same order, one a little later than the other. Each card of the main reader waits for
the witness's up to ``wait_s``, and the other way round; what is said of the card is the main reader's own reading, at
the time of whichever saw it first: then it was drawn.

A reader looks at a card that lies before it again and again: such repeats are no cards. Nor does a look that is left
over match a later card: when the two rows do not fit any more, both are given up, and a card that took several looks is
known when one of them comes late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import TableDevice
from dealer_daemon.table.cards.play import CardPlay
from dealer_daemon.table.common import Rules
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardTrouble, CardUnreadable, CutCard, ShoeStarted

_CARDS = (CardRead, CardUnreadable, CardForeign)
_GONE = (Fault.LINK_LOST, Fault.LINK_REFUSED, Fault.SILENT)


class Pairs:
    """``witness`` names the second reader; every other device is the first. Pure: readings and time in and out."""

    def __init__(self, witness: str, wait_s: float) -> None:
        self._witness = witness
        self._wait_s = wait_s
        self._mine: deque[Reading] = deque()
        """The main reader's cards, and what it said after them: the cut card, a shoe's own result."""
        self._theirs: deque[Reading] = deque()
        self._looks = False
        """The card that is to be scanned was looked at before: some of these looks may still come."""
        self._late: tuple[CardRead, int] | None = None
        """A card that took several looks, and until when more of them may come."""

    def feed(self, device: str, reading: Reading) -> list[Reading]:
        """What the table may hear of it now; a fault of the witness is nothing that the cards wait for."""
        mine = device != self._witness
        if isinstance(reading, DeviceFault):
            if mine:
                return [reading]
            return self._alone(reading.at) if reading.fault in _GONE and not reading.cleared else []
        if not isinstance(reading, _CARDS):
            if not mine:
                return []
            self._mine.append(reading)
            return self._side_by_side(reading.at)
        if isinstance(reading, CardRead) and not reading.repeated and self._is_late(reading):
            reading = replace(reading, repeated=True, unsure=True)
        if reading.repeated and not (isinstance(reading, CardRead) and reading.unsure):
            # Its card waits still, or counted: only then does the table hear of it.
            return [reading] if mine and not self._mine else []
        (self._mine if mine else self._theirs).append(reading)
        return self._side_by_side(reading.at)

    def tick(self, at: Instant) -> list[Reading]:
        """Time passed: a card that one reader alone saw is no card."""
        deadline_ns = self.deadline_ns()
        return [] if deadline_ns is None or at.mono_ns < deadline_ns else self._alone(at)

    def deadline_ns(self) -> int | None:
        """When the oldest card will have waited long enough."""
        oldest = min((row[0].at.mono_ns for row in (self._mine, self._theirs) if row), default=None)
        return None if oldest is None else Instant(oldest, 0).plus_s(self._wait_s).mono_ns

    def reset(self) -> list[Reading]:
        """Nothing that waits counts any more, nor what comes late of it. Back come those readings that are no cards."""
        others = self._emptied()
        self._looks, self._late = False, None
        return others

    def scan_again(self) -> list[Reading]:
        """A person asks for the card once more: no look at it so far counts, and some of them may still come. Back come
        those readings that are no cards."""
        if not any(isinstance(reading, _CARDS) for reading in (*self._mine, *self._theirs)):
            return []
        return self._emptied()

    def _is_late(self, reading: CardRead) -> bool:
        if self._late is None or reading.at.mono_ns >= self._late[1]:
            return False
        card = self._late[0]
        return _same(reading, card) and reading.hint in (None, card.hint)  # another place is another card

    def _side_by_side(self, at: Instant) -> list[Reading]:
        out: list[Reading] = []
        while self._mine:
            mine = self._mine[0]
            if not isinstance(mine, _CARDS):
                out.append(self._mine.popleft())
                continue
            if not self._theirs:
                break
            theirs = self._theirs[0]
            if not _same(mine, theirs) and (_is_unsure(mine) or _is_unsure(theirs)):
                # A look at the card before, that the other reader did not have: no card, and not a part of this one.
                out += self._drop_unsure()
                continue
            self._mine.popleft()
            self._theirs.popleft()
            if isinstance(mine, CardRead) and _same(mine, theirs):
                out.append(self._agreed(mine, theirs, at))
            else:
                out += self._broken(_disagreed(mine, theirs))
        return out

    def _drop_unsure(self) -> list[Reading]:
        out: list[Reading] = []
        if self._theirs and _is_unsure(self._theirs[0]):
            self._theirs.popleft()
        if self._mine and _is_unsure(self._mine[0]):
            dropped = self._mine.popleft()
            assert isinstance(dropped, CardRead)
            if not any(isinstance(waiting, _CARDS) for waiting in self._mine):
                out.append(replace(dropped, unsure=False))
        return out

    def _agreed(self, mine: CardRead, theirs: Reading, at: Instant) -> CardRead:
        # One reader that was away is believed with one that was not; a late look is believed with nothing.
        late = self._late is not None and _same(mine, self._late[0])
        doubts = (_is_unsure(mine), _is_unsure(theirs))
        unsure = any(doubts) if late else all(doubts)
        self._late = (mine, at.plus_s(self._wait_s).mono_ns) if self._looks else None
        self._looks = False
        for row in (self._mine, self._theirs):  # such looks may wait already
            for at_row, reading in enumerate(row):
                if isinstance(reading, CardRead) and not reading.repeated and self._is_late(reading):
                    row[at_row] = replace(reading, repeated=True, unsure=True)
        return replace(mine, at=_earlier(mine, theirs), repeated=unsure, unsure=unsure)

    def _broken(self, first: Reading) -> list[Reading]:
        """One card to be scanned again: the rows cannot be put side by side any more, so what waits behind it is to be
        scanned after it. What is no card is said all the same."""
        return [first, *self._emptied()]

    def _emptied(self) -> list[Reading]:
        others = [reading for reading in self._mine if not isinstance(reading, _CARDS)]
        self._mine.clear()
        self._theirs.clear()
        self._looks = True
        return others

    def _alone(self, at: Instant) -> list[Reading]:
        """What waits had only one reader; a look at the card before may be that, and is dropped."""
        out: list[Reading] = []
        while (self._mine and _is_unsure(self._mine[0])) or (self._theirs and _is_unsure(self._theirs[0])):
            out += self._drop_unsure()
            out += self._side_by_side(at)
        waiting = [reading for reading in (*self._mine, *self._theirs) if isinstance(reading, _CARDS)]
        if waiting:
            out += self._broken(_alone(waiting[0]))
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
        *,
        clock_speed: float = 1.0,
    ) -> None:
        super().__init__(rules, procedure, shoe, frames, devices, clock_speed=clock_speed)
        self.pairs = pairs
        self._left: list[Reading] = []
        """What is no card, and was heard behind cards that do not count."""

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
        self._left = self.pairs.reset()
        super().discard()

    def go_on(self, turn: Turn) -> None:
        """The cut card that was heard meanwhile was seen all the same."""
        left, self._left = self._left, []
        self._say(turn, left)
        super().go_on(turn)

    def refused(self, turn: Turn) -> None:
        """What waits for its second reader is the card that is scanned again, or behind it."""
        self._say(turn, self.pairs.scan_again())
        super().refused(turn)

    def give_up(self, turn: Turn) -> None:
        """What waits for its second reader is of the hand that ended."""
        self._say(turn, self.pairs.reset())
        super().give_up(turn)

    def _say(self, turn: Turn, left: Sequence[Reading]) -> None:
        """The shoe's own result is dismissed with the cards before it, and what it asked of one of them."""
        for reading in left:
            if isinstance(reading, CutCard | ShoeStarted):
                super().reading(turn, "", reading)


def _same(mine: Reading, theirs: Reading) -> bool:
    if not (isinstance(mine, CardRead) and isinstance(theirs, CardRead)):
        return False
    return mine.card == theirs.card and (None in (mine.unit, theirs.unit) or mine.unit == theirs.unit)


def _is_unsure(reading: Reading) -> bool:
    return isinstance(reading, CardRead) and reading.unsure


def _earlier(mine: Reading, theirs: Reading) -> Instant:
    return min(mine.at, theirs.at, key=lambda at: at.mono_ns)


def _disagreed(mine: Reading, theirs: Reading) -> Reading:
    at = _earlier(mine, theirs)
    if not isinstance(mine, CardRead):
        return replace(mine, at=at)
    if isinstance(theirs, CardRead):
        return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the two readers do not read the same card")
    if isinstance(theirs, CardForeign):
        return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the second reader reads no card of this deck set")
    return _unread(mine, at, CardTrouble.READERS_DISAGREE, "the second reader could not read the card")


def _alone(reading: Reading) -> Reading:
    if isinstance(reading, CardRead):
        return _unread(reading, reading.at, CardTrouble.ONE_READER, "one of the two readers alone saw the card")
    return reading


def _unread(reading: CardRead, at: Instant, trouble: CardTrouble, detail: str) -> CardUnreadable:
    return CardUnreadable(
        at=at,
        raw=reading.raw,
        reason=trouble,
        detail=detail,
        hint=reading.hint,
        repeated=reading.repeated,
    )

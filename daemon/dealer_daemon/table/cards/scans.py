"""A deck set is verified by hand: every card of it passes over the table's reader once (``games.md`` §10).

These cards are no hand, and the order in which they pass is kept nowhere: the journal gets counts and no frames, and
which cards are wrong is told once, sorted, at the end. Nor does a scan shuffle: that is done after it. A set that a
shuffler has meanwhile is not verified; the scan goes on to its end all the same, for its cards still pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import DeckFailed, DeckScanRefused, DeckScanStarted, DeckVerified
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.table.arguments import Refusal
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.decks import holder
from dealer_daemon.table.common import STATION
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.card import CardReason, unit_text
from dealer_daemon.validation.decks import NOTHING_FOUND, DeckReason, DeckScan, ScanResult
from dealer_drivers.readings import Reading
from dealer_drivers.readings.shoe import CardForeign, CardRead, CardUnreadable


class DeckScans:
    """See the module. ``decks``: how many a set has. A scan does not outlive the process: its cards are forgotten."""

    def __init__(self, rules: ShoeRules, decks: int, frames: FrameLog) -> None:
        self._rules = rules
        self._decks = decks
        self._frames = frames
        self._scan: DeckScan | None = None
        self._by = STATION
        self._began = False
        """A card of the scan was read: what is repeated now is one of it."""
        self._read_before: str | None = None
        """The card that is to be scanned again, for it may be one that was read before the scan, or before a gap."""

    @property
    def underway(self) -> bool:
        """Cards that pass belong to a scan."""
        return self._scan is not None

    def started(self, turn: Turn) -> None:
        """After a restart: a scan that was under way is to be made again."""
        if turn.state.decks.scan is not None:
            detail = "the station was restarted in the middle of the scan: scan the set again from its first card"
            self._fail(turn, turn.state.decks.scan, DeckReason.SCAN_INTERRUPTED, detail, STATION)

    def reading(self, turn: Turn, reading: Reading, *, before: bool = False) -> None:
        """A reading of the table's reader while a scan is under way. ``before``: it was made before the scan."""
        scan = self._scan
        assert scan is not None
        self._frames.clear()
        if before:
            if not isinstance(reading, CardRead):
                return
            reading = replace(reading, repeated=True, unsure=True)
        if isinstance(reading, CardRead) and reading.repeated and not self._counts_all_the_same(turn, scan, reading):
            return
        match reading:
            case CardRead():
                if not scan.card(reading.card, unit_text(reading.unit)):
                    detail = "a card is there more often than the set has it, or was passed twice; the end says which"
                    self._refuse(turn, scan, DeckReason.CARD_DOUBLED, detail)
                if scan.over:
                    self._end(turn, scan)
            case CardUnreadable(repeated=False):
                self._refuse(turn, scan, reading.reason, "a card could not be told: scan the same card again")
            case CardForeign(repeated=False):
                scan.foreign(reading.code)
                detail = (
                    f"a code that is no card of the set ({reading.kind}): take it out; the set has to be scanned anew"
                )
                self._refuse(turn, scan, CardReason.FOREIGN_CARD, detail)
            case _:
                return
        self._began = True

    def _counts_all_the_same(self, turn: Turn, scan: DeckScan, reading: CardRead) -> bool:
        """A repeat counts where its code names the physical card, and that did not come in this scan. Else it may be
        the card that was read last before the scan, or before a gap in it: scanned again once it was taken away."""
        unit = unit_text(reading.unit)
        if unit is not None:
            return not scan.has(unit)
        if (reading.unsure or not self._began) and self._read_before != reading.card:
            self._read_before = reading.card
            detail = "it may be the card that was read before: take it away; is it one of the set, scan it again"
            self._refuse(turn, scan, DeckReason.CARD_READ_BEFORE, detail)
        return False

    def order(self, turn: Turn, command: Command) -> dict[str, Any]:
        """``deck.verify``. Raises ``Refusal``."""
        action = command.args.get("action", "start")
        if action not in ("start", "end", "cancel"):
            raise Refusal(ErrorCode.BAD_ARGUMENT, '"action" is start, end or cancel')
        if action == "start":
            return self._start(turn, command)
        scan, deck_set = self._scan, turn.state.decks.scan
        if scan is None or deck_set is None:
            raise Refusal(ErrorCode.NOT_NOW, "no deck set is being scanned")
        if action == "cancel":
            self._fail(turn, deck_set, DeckReason.SCAN_CANCELLED, f"given up by {command.by}", command.by)
            return {"deck_set": deck_set, "verified": False}
        return {"deck_set": deck_set, "verified": self._end(turn, scan)}

    def _start(self, turn: Turn, command: Command) -> dict[str, Any]:
        if turn.state.round is not None:
            message = f"round {turn.state.round.id} is open: its cards and a scan's could not be told apart"
            raise Refusal(ErrorCode.NOT_NOW, message)
        if self._scan is not None:
            raise Refusal(ErrorCode.NOT_NOW, f"the deck set {turn.state.decks.scan} is being scanned already")
        deck_set = self._named(turn, command)
        device = holder(turn.state, deck_set)
        if device is not None:
            message = f"the deck set {deck_set} lies in {device}: take it out, or switch the shuffler off, then scan it"
            raise Refusal(ErrorCode.NOT_NOW, message)
        shoe = turn.state.shoe
        if shoe is not None and shoe.deck_set == deck_set:
            shoes.end(turn, "scanned", command.by)
        self._scan, self._by = DeckScan(self._decks), command.by
        self._began, self._read_before = False, None
        turn.emit(DeckScanStarted(deck_set=deck_set, cards=self._scan.cards, by=command.by))
        return {"deck_set": deck_set, "cards": self._scan.cards}

    def _named(self, turn: Turn, command: Command) -> str:
        names, named, shoe = self._rules.set_names(), command.args.get("deck_set"), turn.state.shoe
        if named is None:
            free = [name for name in names if shoe is None or name != shoe.deck_set] or list(names)
            if len(free) > 1:
                raise Refusal(ErrorCode.BAD_ARGUMENT, f'"deck_set" is needed, one of {", ".join(free)}')
            return free[0]
        if named not in names:
            raise Refusal(ErrorCode.BAD_ARGUMENT, f"this table has no deck set {named!r}; it has: {', '.join(names)}")
        return str(named)

    def _refuse(self, turn: Turn, scan: DeckScan, reason: str, detail: str) -> None:
        assert turn.state.decks.scan is not None
        turn.emit(
            DeckScanRefused(deck_set=turn.state.decks.scan, reason=str(reason), detail=detail, scanned=scan.scanned)
        )

    def _end(self, turn: Turn, scan: DeckScan) -> bool:
        """Every card that there is has passed; whether the set is whole."""
        deck_set = turn.state.decks.scan
        assert deck_set is not None
        found = scan.result()
        if turn.state.decks.sets[deck_set].status != "unknown":
            detail = "a shuffler had the set meanwhile: take it out of it, then scan it again from its first card"
            self._fail(turn, deck_set, DeckReason.SCAN_INTERRUPTED, detail, self._by, found)
            return False
        if found.exact:
            self._scan = None
            turn.emit(DeckVerified(deck_set=deck_set, how="scan", cards=scan.cards, by=self._by))
            return True
        parts = ((found.missing, "missing"), (found.doubled, "too many"), (found.foreign, "foreign"))
        told = ", ".join(f"{len(cards)} {word}" for cards, word in parts if cards)
        detail = f"the set is not whole: {told}. Put it right, then scan it again from its first card"
        self._fail(turn, deck_set, DeckReason.NOT_EXACT, detail, self._by, found)
        return False

    def _fail(
        self, turn: Turn, deck_set: str, reason: DeckReason, detail: str, by: str, found: ScanResult = NOTHING_FOUND
    ) -> None:
        self._scan = None
        turn.emit(
            DeckFailed(
                deck_set=deck_set,
                reason=str(reason),
                detail=detail,
                missing=found.missing,
                doubled=found.doubled,
                foreign=found.foreign,
                by=by,
            )
        )

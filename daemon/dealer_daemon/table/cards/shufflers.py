"""A table's shuffler: which deck set is in it, and whether that set is whole (``games.md`` §10).

What a machine says holds for one shuffle (its ``job``). Whose cards those are is said by the machine, told by a person
(``deck.insert``), or follows because there is no other set that it can be; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dealer_daemon.commands import Command, ErrorCode
from dealer_daemon.events import (
    DeckFailed,
    DeckInserted,
    DeckRemoved,
    DeckShuffling,
    DeckVerified,
    ShufflerChange,
    ShufflerTamper,
)
from dealer_daemon.games.cards.rules import ShoeRules
from dealer_daemon.games.game import TableDevice
from dealer_daemon.state import DeckSet
from dealer_daemon.table.answers import was_before
from dealer_daemon.table.arguments import Refusal, text
from dealer_daemon.table.cards import shoes
from dealer_daemon.table.cards.decks import UNHEARD
from dealer_daemon.table.common import STATION, pause, trouble
from dealer_daemon.table.turn import FrameLog, Turn
from dealer_daemon.validation.decks import (
    DeckReason,
    DeckTrouble,
    Flaw,
    ShoeReason,
    judge_report,
    judge_upset,
)
from dealer_daemon.validation.signals import Trouble
from dealer_drivers.driver import Observes
from dealer_drivers.readings import DeviceFault, Reading
from dealer_drivers.readings.shuffler import (
    DeckReport,
    MachineState,
    OrderThrownAway,
    Phase,
    ShufflerFault,
    ShufflerLevel,
    ShufflerTampered,
)

OPENED = Flaw(DeckReason.UNWATCHED, "the shuffler was started anew, or opened, while the set was in it")


class Shufflers:
    """See the module. ``cards`` are those of a whole set; ``continuous``: the machine feeds the game as it shuffles, so
    that the set in play lies in it."""

    def __init__(
        self, rules: ShoeRules, cards: int, devices: Sequence[TableDevice], frames: FrameLog, *, continuous: bool
    ) -> None:
        self._rules = rules
        self._cards = cards
        self._continuous = continuous
        self._frames = frames
        self._names = [device.name for device in devices if Observes.DECK in device.observes]
        self._watched: set[str] = set()
        """Devices that were heard since their link was last lost, so that no shuffle went by unseen."""
        self._told: set[str] = set()
        """Devices of which a person said since then which set is in them."""
        self._postponed: dict[str, DeckReport] = {}
        """Reports about the set in play, which wait for the end of its round."""
        self._emptied: set[str] = set()
        """Devices that were seen empty since they were tampered with: a shuffle that begins now is none of before."""
        self._newest: dict[str, DeckReport] = {}
        self._changes: dict[str, int] = {}
        """How often each machine's cards were changed, by its own count."""
        self._another_ns: dict[str, int] = {}
        """When what lies in a machine was last found to be another, or may have become it unseen; Unix ns."""

    def owns(self, device: str) -> bool:
        """Whether it is a shuffler."""
        return device in self._names

    def started(self, turn: Turn) -> None:
        """After a restart nothing is known of a set in a shuffler before that is heard."""
        self._another_ns = dict.fromkeys(self._names, turn.at.wall_ns)
        for device in sorted({*turn.state.decks.inside, *turn.state.decks.told}):
            detail = "the station was restarted and the shuffler was not heard since"
            trouble(turn, device, Trouble(ShoeReason.NOT_HEARD, detail))

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading of a shuffler. Its frames are evidence of what they say, and of no card."""
        match reading:
            case DeckReport():
                trouble(turn, device, Trouble(ShoeReason.NOT_HEARD, "", cleared=True))
                self._newest[device] = reading
                if device not in self._watched or reading.state is MachineState.IDLE:
                    self._another_ns[device] = turn.at.wall_ns
                if reading.state is MachineState.IDLE:
                    self._emptied.add(device)
                self._judge(turn, device, reading)
                self._watched.add(device)
            case ShufflerLevel():
                self._level(turn, device, reading)
            case ShufflerTampered():
                self._tampered(turn, device, reading)
            case OrderThrownAway():
                self._order_offered(turn, device, reading.detail)
            case DeviceFault(cleared=False) if reading.fault in UNHEARD:
                self._watched.discard(device)
                self._told.discard(device)
            case _:
                pass
        self._frames.take(device)

    def settle(self, turn: Turn) -> None:
        """After every step: what waited for the end of a round is judged when there is none."""
        if turn.state.round is not None:
            return
        if turn.state.decks.stage is not None and self._continuous:
            shoes.end(turn, "cards_changed", STATION)
        waiting, self._postponed = self._postponed, {}
        for device, report in waiting.items():
            self._judge(turn, device, report)

    def insert(self, turn: Turn, command: Command) -> dict[str, Any]:
        """A person says which set lies in the shuffler. Raises ``Refusal``.

        Where the machine has another one in its care, nobody knows any more which it is: that one is verified no more.
        """
        deck_set = text(command, "deck_set")
        devices = [*self._names, *turn.state.decks.unnamed]  # one that is not configured any more may have left a doubt
        if not devices:
            raise Refusal(ErrorCode.NOT_NOW, "this table has no shuffler")
        if deck_set not in self._rules.set_names():
            names = ", ".join(self._rules.set_names())
            raise Refusal(ErrorCode.BAD_ARGUMENT, f"this table has no deck set {deck_set!r}; it has: {names}")
        shoe = turn.state.shoe
        if shoe is not None and shoe.deck_set == deck_set and turn.state.round is not None:
            raise Refusal(ErrorCode.NOT_NOW, f"the deck set {deck_set} is in play: end or void the round first")
        if turn.state.decks.scan == deck_set:
            raise Refusal(ErrorCode.NOT_NOW, f"the deck set {deck_set} is being scanned: end that first (deck.verify)")
        device = devices[0]
        if command.sent_ns is not None and was_before(command.sent_ns, self._another_ns.get(device, 0), turn.at):
            message = f"this was sent before {device} had what lies in it now: look which set it is, and say it again"
            raise Refusal(ErrorCode.NOT_NOW, message)
        self._contradicted(turn, device, deck_set)
        if shoe is not None and shoe.deck_set == deck_set and device in turn.state.decks.unnamed:
            shoes.end(turn, "reshuffled", command.by)  # its cards were shuffled since
        unnamed, report = turn.state.decks.unnamed.get(device), self._newest.get(device)
        turn.emit(DeckInserted(device=device, deck_set=deck_set, by=command.by), in_round=False)
        if not UNHEARD & set(turn.state.faults.get(device, ())):
            self._told.add(device)
        trouble(turn, device, Trouble(DeckTrouble.SET_UNNAMED, "", cleared=True))
        now = self._holds_cards(device)
        if unnamed is not None and not (now and report is not None and report.job == unnamed):
            # Said of a shuffle that is over: what lies in the machine next is to be said anew.
            turn.emit(DeckRemoved(device=device, deck_set=deck_set), in_round=False)
        elif now and report is not None:
            self._judge(turn, device, report)
        return {"device": device, "deck_set": deck_set}

    def _holds_cards(self, device: str) -> bool:
        """The machine is heard, and says that cards are in it."""
        report = self._newest.get(device)
        return report is not None and device in self._watched and report.state is not MachineState.IDLE

    def _contradicted(self, turn: Turn, device: str, deck_set: str) -> None:
        """``deck_set`` is said to lie where another one may. Raises ``Refusal`` where the machine itself names that."""
        report, lies = self._newest.get(device), turn.state.decks.inside.get(device)
        named = report.deck_set if report is not None and self._holds_cards(device) else None
        if named in self._rules.set_names() and named != deck_set:
            raise Refusal(ErrorCode.NOT_NOW, f"{device} says that the deck set {named} lies in it: take that out first")
        if lies is None or lies == deck_set:
            return
        known = turn.state.decks.sets.get(lies, DeckSet())
        if known.status == "shuffling" or (known.status == "verified" and known.how == "shuffler"):
            detail = f"{deck_set} was said to lie in {device}, which had this set: shuffle it again"
            self._failed(turn, device, lies, Flaw(DeckReason.UNWATCHED, detail), None)

    # -- whose cards are it, and are they whole ---------------------------------------------------------------

    def _judge(self, turn: Turn, device: str, report: DeckReport) -> None:
        self._postponed.pop(device, None)
        decks = turn.state.decks
        lies = decks.inside.get(device)
        again = decks.jobs.get(device) == report.job
        self._repeated(turn, device, report, stands=again and lies is None)
        if again:
            if lies is not None:
                self._goes_on(turn, device, lies, report)
            self._beside(turn, device, {decks.told.get(device), report.deck_set} - {lies}, report)
        elif report.state is MachineState.IDLE:
            if lies is not None:
                self._disturbed(turn, device, lies, report)
            told = decks.told.get(device)
            if told is not None and self._status(turn, told) == "verified":
                self._failed(turn, device, told, judge_upset(report) or OPENED, report.job)
        else:
            self._begun(turn, device, report)

    def _repeated(self, turn: Turn, device: str, report: DeckReport, *, stands: bool) -> None:
        """The machine has cards again under the number of a shuffle whose cards were taken out: what it says is of that
        one, and proves nothing. The set that was verified by it may be in there."""
        known = ShufflerFault.ORDER_OFFERED in turn.state.faults.get(device, ())  # then its number is taken on purpose
        stands = stands and report.state is not MachineState.IDLE and not known
        detail = (
            f"the shuffler has cards again and still says job {report.job}, whose set was taken out: it must count "
            "each shuffle (see to its controller), and what it says of these cards verifies nothing"
        )
        trouble(turn, device, Trouble(DeckTrouble.JOB_REPEATED, detail, cleared=not stands))
        newest = self._newest_of(turn, device)
        if (
            stands
            and newest is not None
            and report.deck_set in (None, newest)
            and self._status(turn, newest) == "verified"
        ):
            flaw = Flaw(DeckReason.UNWATCHED, "the set may have been in the shuffler since it was verified")
            self._failed(turn, device, newest, judge_upset(report) or flaw, report.job)

    def _beside(self, turn: Turn, device: str, others: set[str | None], report: DeckReport) -> None:
        """Sets that a person, or the machine, says are in it, in a shuffle that is known as another's."""
        for name in sorted(name for name in others if name in self._rules.set_names()):
            flaw = judge_upset(report)
            status = self._status(turn, name)
            if flaw is None and status != "in_play" and report.state is not MachineState.IDLE:
                flaw = Flaw(DeckReason.UNWATCHED, "the set may have been in the shuffler since it was verified")
            if flaw is not None and status in ("verified", "in_play", "shuffling"):
                self._failed(turn, device, name, flaw, report.job)

    def _begun(self, turn: Turn, device: str, report: DeckReport) -> None:
        """Another shuffle than the one that is known of."""
        deck_set = self._whose(turn, device, report)
        if deck_set is None:
            self._unknown(turn, device, report)
            return
        shoe = turn.state.shoe
        if shoe is not None and shoe.deck_set == deck_set:
            if turn.state.round is not None:
                self._postponed[device] = report
                return
            shoes.end(turn, "reshuffled", STATION)
        lies = turn.state.decks.inside.get(device)
        given_out = report.deck_set is not None and device in self._watched  # heard all the while, it names another
        if lies is not None and lies != deck_set and not given_out:
            self._disturbed(turn, device, lies, report)
        tampered = device in turn.state.decks.suspect and device not in self._emptied
        turn.emit(DeckShuffling(device=device, deck_set=deck_set, job=report.job), in_round=False)
        if tampered:
            detail = "this shuffle began before the shuffler was tampered with, or meanwhile: shuffle the set again"
            self._failed(turn, device, deck_set, Flaw(DeckReason.TAMPERED, detail), report.job)
        self._goes_on(turn, device, deck_set, report)

    def _unknown(self, turn: Turn, device: str, report: DeckReport) -> None:
        """Cards of nobody knows which set are in the machine, and those that were in it are not any more."""
        lies = turn.state.decks.inside.get(device)
        if lies is not None:
            self._disturbed(turn, device, lies, report)
        if report.deck_set is None and turn.state.decks.unnamed.get(device) != report.job:
            self._another_ns[device] = turn.at.wall_ns
            turn.emit(DeckShuffling(device=device, deck_set=None, job=report.job), in_round=False)

    def _whose(self, turn: Turn, device: str, report: DeckReport) -> str | None:
        """The set whose cards the machine shuffles; ``None``, and a fault, where that is not known."""
        names = self._rules.set_names()
        found, word = self._deduced(turn, device), DeckTrouble.SET_UNNAMED
        detail = "the shuffler does not say which deck set is in it, and it may be one of several: say it (deck.insert)"
        if report.deck_set is not None:
            found = report.deck_set if report.deck_set in names else None
            word = DeckTrouble.SET_UNKNOWN
            detail = f"the shuffler names a deck set {report.deck_set!r}, and this table has: {', '.join(names)}"
        for trouble_word in (DeckTrouble.SET_UNNAMED, DeckTrouble.SET_UNKNOWN):
            stands = found is None and trouble_word is word
            trouble(turn, device, Trouble(trouble_word, detail, cleared=not stands))
        return found

    def _deduced(self, turn: Turn, device: str) -> str | None:
        decks, shoe = turn.state.decks, turn.state.shoe
        if device in decks.told and device in self._watched | self._told and device not in decks.unnamed:
            return decks.told[device]  # where nobody listened since, what was said may be of a shuffle that is over
        lies = decks.inside.get(device)
        if lies is not None and device in self._watched:
            gone = self._status(turn, lies) in ("in_play", "used") and not self._continuous
            if not gone:
                return lies
        names = self._rules.set_names()
        free = [name for name in names if shoe is None or name != shoe.deck_set] or list(names)
        if len(free) > 1 or (len(names) > 1 and self._status(turn, free[0]) == "verified"):
            # Nobody shuffles a whole set that waits for its shoe: it may be the one in play, whose shoe is over.
            return None
        return free[0]

    def _goes_on(self, turn: Turn, device: str, deck_set: str, report: DeckReport) -> None:
        """More of a shuffle whose cards are known."""
        known = turn.state.decks.sets.get(deck_set, DeckSet())
        flaw: Flaw | None = None
        if known.status == "shuffling":
            if report.state is MachineState.SHUFFLING:
                return
            flaw = self._whole(turn, device, report)
            if flaw is None:
                self._verified(turn, device, deck_set, report)
        elif known.how == "scan" or turn.state.decks.scan == deck_set:
            if report.state is not MachineState.IDLE and known.status in ("verified", "in_play", "unknown"):
                detail = "the shuffler says that it still has the set, which was scanned meanwhile"
                flaw = judge_upset(report) or Flaw(DeckReason.UNWATCHED, detail)
        elif known.status in ("verified", "in_play"):
            flaw = judge_upset(report)
            feeds = known.status == "in_play" and self._continuous
            if flaw is None and report.state is MachineState.SHUFFLING and not feeds:
                flaw = Flaw(DeckReason.UNWATCHED, "the shuffler shuffles again what it had called whole")
        if flaw is not None:
            self._failed(turn, device, deck_set, flaw, report.job)
        if report.state is MachineState.IDLE:
            turn.emit(DeckRemoved(device=device, deck_set=deck_set), in_round=False)

    def _whole(self, turn: Turn, device: str, report: DeckReport) -> Flaw | None:
        if ShufflerFault.ORDER_OFFERED in turn.state.faults.get(device, ()):
            return Flaw(DeckReason.ORDER_KNOWN, "the shuffler sent the order of these cards: somebody may know it")
        if turn.state.decks.old_cards:
            detail = "new cards were put in while the shuffler was not empty: take all cards out, then load it again"
            return Flaw(DeckReason.OLD_CARDS, detail)
        return judge_report(report, self._cards, counted_is_enough=self._rules.counted_is_enough)

    def _disturbed(self, turn: Turn, device: str, deck_set: str, report: DeckReport) -> None:
        """The machine started anew, or its door was opened, with a set in it that it does not know any more."""
        known, idle = turn.state.decks.sets.get(deck_set, DeckSet()), report.state is MachineState.IDLE
        flaw: Flaw | None = None
        if known.how == "scan" and idle:
            pass  # it was outside, and is
        elif known.status in ("verified", "shuffling") or (known.status == "in_play" and self._continuous):
            flaw = judge_upset(report) or OPENED
        elif known.status == "in_play" and idle:
            flaw = judge_upset(report)  # whether it was given out before that is not known
        if flaw is not None:
            self._failed(turn, device, deck_set, flaw, report.job)
        turn.emit(DeckRemoved(device=device, deck_set=deck_set), in_round=False)

    # -- what else a shuffler says ----------------------------------------------------------------------------

    def _level(self, turn: Turn, device: str, level: ShufflerLevel) -> None:
        if not self._continuous:
            return  # this game's cards do not come out of the machine while it is played
        phase = level.phase
        if phase is Phase.EMPTY and level.inside:
            phase = Phase.EMPTYING
        changes, self._changes[device] = self._changes.get(device, level.changes), level.changes
        stage = turn.state.decks.stage or Phase.FEEDING
        if phase is Phase.FEEDING and level.changes != changes and stage is Phase.FEEDING:
            phase = Phase.LOADING  # the cards were changed and nobody saw that all old ones were out
        if phase != stage:
            turn.emit(ShufflerChange(device=device, stage=phase.value, inside=level.inside), in_round=False)

    def _tampered(self, turn: Turn, device: str, reading: ShufflerTampered) -> None:
        self._watched.discard(device)
        self._emptied.discard(device)
        turn.emit(
            ShufflerTamper(
                device=device, cause="usb_reenumerated", detail=reading.detail, evidence=turn.evidence_of(device)
            ),
            in_round=False,
        )
        pause(turn, "shuffler_tampered", reading.detail)
        for name, known in turn.state.decks.sets.items():
            its = known.device == device and (known.status == "shuffling" or known.how == "shuffler")
            given_out = known.status == "in_play" and turn.state.decks.inside.get(device) != name
            if (its and not given_out) or turn.state.decks.told.get(device) == name:
                self._out(turn, device, name, Flaw(DeckReason.TAMPERED, reading.detail), None)

    def _order_offered(self, turn: Turn, device: str, detail: str) -> None:
        """The cards of this shuffle are out, whosever they are: somebody else may have heard their order."""
        decks, report = turn.state.decks, self._newest.get(device)
        job = None if report is None or device not in self._watched else report.job
        turn.emit(
            ShufflerTamper(
                device=device, cause="order_offered", job=job, detail=detail, evidence=turn.evidence_of(device)
            ),
            in_round=False,
        )
        if job is None:
            self._emptied.discard(device)
        may_be = {decks.inside.get(device), decks.told.get(device)}
        if device not in decks.inside and (job is None or decks.jobs.get(device) == job):
            may_be.add(self._newest_of(turn, device))  # it may be out of the machine: its order is known all the same
        for deck_set in sorted(name for name in may_be if name is not None):
            self._out(turn, device, deck_set, Flaw(DeckReason.ORDER_KNOWN, detail), job)

    def _newest_of(self, turn: Turn, device: str) -> str | None:
        """The set that the machine verified last."""
        sets = turn.state.decks.sets.items()
        its = [(known.verification or 0, name) for name, known in sets if known.device == device]
        return max(its)[1] if its else None

    def _status(self, turn: Turn, deck_set: str) -> str:
        return turn.state.decks.sets.get(deck_set, DeckSet()).status

    # -- verdicts ---------------------------------------------------------------------------------------------

    def _verified(self, turn: Turn, device: str, deck_set: str, report: DeckReport) -> None:
        turn.emit(
            DeckVerified(
                deck_set=deck_set,
                how="shuffler",
                cards=self._cards,
                device=device,
                job=report.job,
                by=STATION,
                evidence=turn.evidence_of(device),
            ),
            in_round=False,
        )

    def _out(self, turn: Turn, device: str, deck_set: str, flaw: Flaw, job: int | None) -> None:
        """It fails, where it was of any worth."""
        if self._status(turn, deck_set) in ("shuffling", "verified", "in_play"):
            self._failed(turn, device, deck_set, flaw, job)

    def _failed(self, turn: Turn, device: str, deck_set: str, flaw: Flaw, job: int | None) -> None:
        in_play = self._status(turn, deck_set) == "in_play"
        turn.emit(
            DeckFailed(
                deck_set=deck_set,
                reason=str(flaw.reason),
                detail=flaw.detail,
                device=device,
                job=job,
                by=STATION,
                evidence=turn.evidence_of(device),
            ),
            in_round=False,
        )
        if in_play:
            pause(turn, ShoeReason.SET_FAILED, f"the deck set in play, {deck_set}: {flaw.detail}")

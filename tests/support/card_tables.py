"""A card table driven by hand: a dealer who draws cards, a server, a manager, and what the journal would hold.

Whatever a test does, each event is checked for what must never leave the station: no message says a card that is
withheld or that did not count, and none names evidence with the frame of such a card.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import count
from typing import Any

import msgspec

from dealer_daemon.commands import Command, CommandName, Reply, Role
from dealer_daemon.events import AttemptHeld, CardDrawn, Event, EventData, RoundOutcome
from dealer_daemon.games import CardGame, TableDevice, load_game
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.games.cards.procedure import Procedure
from dealer_daemon.mqtt.envelope import encode_event
from dealer_daemon.round import TableState, fold
from dealer_daemon.table import Decision, Rules, Table, TableSetup
from dealer_daemon.table.cards.bursts import SAME_CODE_S
from dealer_drivers.driver import DeviceAction, Observes
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, DeviceNotice, Fault, Reading
from dealer_drivers.readings.shoe import (
    CardAnnouncedAgain,
    CardForeign,
    CardOutsideGame,
    CardRead,
    CardTrouble,
    CardUnit,
    CardUnreadable,
    CutCard,
    ForeignKind,
    OutsideCause,
    PositionHint,
    ShoeError,
    ShoeProblem,
    ShoeResult,
    ShoeSlot,
    ShoeStandBy,
    ShoeStarted,
    ShoeWinner,
)

UNSEEN = ("unseen_in_hand", "unseen_between_hands", "unseen_before_burn")
"""Why a table stands at which cards may have passed unseen."""
START = Instant(10_000_000_000, 1_767_225_600_000_000_000)
"""2026-01-01T00:00:00Z."""
DRAW_S = 2.0
"""From one card to the next: longer than a scanner's repeat window."""
SLOTS = {"P": ShoeSlot.PLAYER, "B": ShoeSlot.BANKER, "F": ShoeSlot.FIRST_BURN, "U": ShoeSlot.BURN_COUNT}
HINT = re.compile(r"[PBFU][0-9]")
NATURAL = "P1 8S B1 5C P2 AD B2 3H"
"""Player wins nine to eight with four cards."""
SIX = "P1 2S B1 5C P2 2D B2 QH P3 6D B3 9D"
"""Banker wins four to nothing with six cards."""


def bare(cards: str) -> str:
    """The same cards from a reader that names no places."""
    return " ".join(token for token in cards.split() if not HINT.fullmatch(token))


class CardTable:
    """See the module. ``places``: the device is a shoe that names places and results (Angel Eye), else a scanner.

    Further keywords are the table's settings, ``shoe`` those of its shoe. ``raw`` in a message means the frame.
    """

    def __init__(
        self,
        game: str = "baccarat",
        source: str = "device",
        *,
        places: bool = False,
        tries: int = 3,
        actions: frozenset[DeviceAction] = frozenset(),
        shoe: dict[str, Any] | None = None,
        clock_speed: float = 1.0,
        **settings: Any,
    ) -> None:
        self.asked: list[DeviceAction] = []
        """What the reader was asked, so far."""
        found = load_game(game)
        assert isinstance(found, CardGame)
        chosen = msgspec.convert({"shoe": {"require_verified": False} | (shoe or {})} | settings, found.settings)
        observes = {Observes.CARD, Observes.RESULT} if places else {Observes.CARD}
        driver = "angel-eye" if places else "barcode-serial"
        self.setup = TableSetup(
            name="t1",
            rules=Rules(found, chosen, source, tries),  # type: ignore[arg-type]
            devices=(TableDevice(name="reader", driver=driver, observes=frozenset(observes), actions=actions),),
            version="test",
            config_hash="0" * 64,
            clock_speed=clock_speed,
        )
        self.procedure: Procedure = found.procedure(chosen, source == "device")
        self.at = START
        self.events: list[Event] = []
        self.evidence: dict[str, bytes] = {}
        self.secret_frames: set[bytes] = set()
        """Frames of cards that servers do not know."""
        self._vouched = False
        """People have said that no card passed in the newest gap: they say it where the table asks only later too."""
        self._ids = count(1)
        self._frames = count(1)
        self._folded = TableState(table="t1")
        self.table = Table(self.setup, self._folded, boot="boot-1")
        self.start()

    @property
    def state(self) -> TableState:
        return self.table.state

    # -- what is checked of every step ----------------------------------------------------------------------

    def _keep(self, decision: Decision) -> list[EventData]:
        self.asked += [action for _, action in decision.actions]
        self.evidence |= {piece.hash: piece.body for piece in decision.evidence}
        for event in decision.events:
            self.events.append(event)
            self._check_secrets(event)
        assert self.events[-1].sequence == len(self.events)
        self._folded = fold(self._folded, list(decision.events))
        assert self._folded == self.table.state
        # What is in memory is lost in a crash, and the stored state is read back as it was.
        assert msgspec.json.decode(msgspec.json.encode(self.state), type=TableState) == self.state
        return [event.data for event in decision.events]

    def _check_secrets(self, event: Event) -> None:
        message = json.loads(encode_event("site", event))
        if isinstance(event.data, CardDrawn):
            own = event.data.card.encode()
            for name in event.data.evidence:
                self.secret_frames -= {frame for frame in self._frames_of(name) if frame.startswith(own)}
        for name in message["data"].get("evidence", []):
            shown = self._frames_of(name) & self.secret_frames
            assert not shown, f"{event.data.type} names evidence with {shown}"

    def _frames_of(self, name: str) -> set[bytes]:
        lines = self.evidence[name].splitlines()[1:]
        return {bytes.fromhex(json.loads(line)["rxh"]) for line in lines}

    # -- time, crashes --------------------------------------------------------------------------------------

    def start(self) -> list[EventData]:
        return self._keep(self.table.start(self.at))

    def wait(self, seconds: float) -> list[EventData]:
        """Time passes; the table is called when it asked to be."""
        self.at = self.at.plus_s(seconds)
        deadline_ns = self.table.deadline_ns()
        if deadline_ns is None or deadline_ns > self.at.mono_ns:
            return []
        return self._keep(self.table.tick(self.at))

    def restart(self, *, asked: bool = False, up: bool = True) -> list[EventData]:
        """The process died; the new one knows what was committed. No card passed, which people say where the table asks
        for that; with ``asked`` they have not answered yet. ``up``: the reader's link is up at once."""
        self._vouched = False
        self._folded = fold(TableState(table="t1"), self.events)
        self.table = Table(self.setup, self._folded, boot="boot-2")
        started = self.start() + (self.reader_up() if up else [])
        return started + ([] if asked else self.nothing_passed())

    def reader_up(self) -> list[EventData]:
        """What every reader says once, when its link is up for the first time."""
        return self.see(DeviceNotice(at=self.at, raw=b"", notice="code_book", detail="rank-suit"))

    def nothing_passed(self) -> list[EventData]:
        """The manager says that no card passed unseen, where the table stands for that, or as soon as it does."""
        before = len(self.events)
        self._vouched = True
        if self.state.paused in UNSEEN:
            self._vouched = False
            self.manager(CommandName.TABLE_RESUME)
        return [event.data for event in self.events[before:]]

    # -- what the reader says -------------------------------------------------------------------------------

    def see(self, reading: Reading) -> list[EventData]:
        return self._keep(self.table.readings("reader", [reading], reading.at))

    def raw(self, text: str) -> bytes:
        return f"{text} #{next(self._frames)}\r\n".encode()

    def deal(self, cards: str, *, gap_s: float = DRAW_S, repeated: bool = False, unit: str = "") -> list[EventData]:
        """Cards over the reader: ``"8S 5C"``, or with the places that the shoe names ``"P1 8S B1 5C"``; ``F1`` and
        ``U1`` are its first burn card and those that it asked for. ``unit``: ``deck/serial`` of the physical card."""
        out: list[EventData] = []
        hint: PositionHint | None = None
        for token in cards.split():
            if HINT.fullmatch(token):
                hint = PositionHint(SLOTS[token[0]], int(token[1]))
                continue
            reading = self.card(token, self._next(gap_s), hint=hint, repeated=repeated, unit=unit)
            out += self.see(reading)
            hint = None
            waits_ns = self.table.deadline_ns()
            if waits_ns is not None and waits_ns <= reading.at.plus_s(SAME_CODE_S).mono_ns:
                out += self.wait(SAME_CODE_S)  # it looks like the newest card
        return out

    def card(
        self, card: str, at: Instant, *, hint: PositionHint | None = None, repeated: bool = False, unit: str = ""
    ) -> CardRead:
        """A card's reading; nothing is said yet."""
        deck, _, serial = unit.partition("/")
        raw = self.raw(f"{card}{unit}")
        self.secret_frames.add(raw)
        known = CardUnit("set-a", deck, serial) if unit else None
        return CardRead(at=at, raw=raw, card=card, code=f"{card}{unit}", hint=hint, unit=known, repeated=repeated)

    def _next(self, gap_s: float = DRAW_S) -> Instant:
        self.at = self.at.plus_s(gap_s)
        return self.at

    def unread(
        self, reason: CardTrouble = CardTrouble.NO_READ, *, at: str = "", repeated: bool = False
    ) -> list[EventData]:
        """A card passed that could not be told; ``at``: the place that the shoe names with it."""
        hint = PositionHint(SLOTS[at[0]], int(at[1])) if at else None
        detail = "half of a spade"
        return self.see(
            CardUnreadable(
                at=self._next(), raw=self.raw("8?"), reason=reason, detail=detail, hint=hint, repeated=repeated
            )
        )

    def foreign(self, code: str = "JOKER1", *, repeated: bool = False) -> list[EventData]:
        return self.see(
            CardForeign(at=self._next(), raw=self.raw(code), code=code, kind=ForeignKind.JOKER, repeated=repeated)
        )

    def cut(self, *, repeated: bool = False) -> list[EventData]:
        return self.see(CutCard(at=self._next(), raw=self.raw("cut"), repeated=repeated))

    def shoe_started(self) -> list[EventData]:
        return self.see(ShoeStarted(at=self._next(), raw=self.raw("S")))

    def stand_by(self) -> list[EventData]:
        return self.see(ShoeStandBy(at=self._next(), raw=self.raw("P")))

    def result(self, winner: str, player_pair: bool = False, banker_pair: bool = False) -> list[EventData]:
        return self.see(
            ShoeResult(
                at=self._next(1.0),
                raw=self.raw("G"),
                winner=ShoeWinner(winner),
                player_pair=player_pair,
                banker_pair=banker_pair,
            )
        )

    def error(self, problem: ShoeProblem, *, cleared: bool = False) -> list[EventData]:
        return self.see(
            ShoeError(at=self._next(), raw=self.raw("E"), problem=problem, code=1, stopped=True, cleared=cleared)
        )

    def announced_again(self, card: str) -> list[EventData]:
        raw = self.raw(card)
        self.secret_frames.add(raw)
        hint = PositionHint(ShoeSlot.PLAYER, 1)
        return self.see(CardAnnouncedAgain(at=self._next(), raw=raw, card=card, hint=hint))

    def outside(self, card: str) -> list[EventData]:
        raw = self.raw(card)
        self.secret_frames.add(raw)
        return self.see(CardOutsideGame(at=self._next(), raw=raw, card=card, cause=OutsideCause.LOCK))

    def lost(self) -> list[EventData]:
        self._vouched = False
        return self.see(DeviceFault(at=self._next(1.0), raw=b"", fault=Fault.LINK_LOST, detail="unplugged"))

    def back(self, *, asked: bool = False) -> list[EventData]:
        """The link is up again; ``asked`` as in ``restart``."""
        fault = DeviceFault(at=self._next(1.0), raw=b"", fault=Fault.LINK_LOST, detail="", cleared=True)
        return self.see(fault) + ([] if asked else self.nothing_passed())

    def bench(self, *, resume: bool = True) -> list[EventData]:
        """A technician has the reader for a while, and no card passes. Raises ``Refusal``."""
        said = self._keep(self.table.lend("reader", "Li", self._next()))
        said += self.lost()
        said += self._keep(self.table.take_back("reader", "given_back", self._next(), resume=resume))
        return said + self.back()

    # -- what servers and people say ------------------------------------------------------------------------

    def ask(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> Reply:
        return self.forge(name, role, f"the-{role}", **args)

    def forge(self, name: CommandName, role: Role = Role.MANAGER, by: str = "", **args: Any) -> Reply:
        """A command of anybody, who says that he is ``by``."""
        command = Command(
            id=f"c{next(self._ids)}",
            name=name,
            client="test",
            role=role,
            by=by,
            args=args,
            sent_ns=self.sent_ns(),
        )
        before = len(self.events)
        decision = self.table.command(command, self.at, self.event_at)
        self._keep(decision)
        assert decision.command is not None
        reply = decision.command.reply
        assert reply.ok or len(self.events) == before, "a refused command must leave no event"
        if self._vouched:
            self.nothing_passed()
        return reply

    def sent_ns(self) -> int | None:
        """When a command says that it was sent."""
        return self.at.wall_ns

    def did(self, name: CommandName, role: Role = Role.SERVER, **args: Any) -> dict[str, Any]:
        reply = self.ask(name, role, **args)
        assert reply.ok, reply
        return reply.result

    def manager(self, name: CommandName, **args: Any) -> dict[str, Any]:
        return self.did(name, Role.MANAGER, reason="video", **args)

    def open(self, **args: Any) -> str:
        """The server opens a round; its id."""
        round_id: str = self.did(CommandName.ROUND_OPEN, **args)["round"]
        return round_id

    def close(self) -> None:
        self.did(CommandName.BETTING_CLOSE)

    def bets_closed(self) -> None:
        """Where a server opens the rounds: one is open, and its betting is closed."""
        if self.setup.rules.round_source == "server":
            self.open()
            self.close()

    def verify(self, deck_set: str | None = None) -> None:
        """The dealer scans a whole deck set, and it is whole."""
        args = {} if deck_set is None else {"deck_set": deck_set}
        cards = self.did(CommandName.DECK_VERIFY, Role.DEALER, **args)["cards"]
        whole = " ".join(map(str, DECK))
        for _ in range(cards // len(DECK)):
            self.deal(whole)
        assert self.words()[-1] == "deck.verified"

    def resume(self) -> None:
        """The manager resumes, and says that no card passed unseen, where he is asked for that after it."""
        self.manager(CommandName.TABLE_RESUME)
        self.nothing_passed()

    def clear_rest(self) -> None:
        """The manager says that the rest of a hand that was ended is away, where the table waits for that."""
        if self.state.paused == "rest_of_hand":
            self.resume()

    def event_at(self, sequence: int) -> Event | None:
        return self.events[sequence - 1] if 1 <= sequence <= len(self.events) else None

    # -- what happened --------------------------------------------------------------------------------------

    def words(self, *types: str) -> list[str]:
        """The events so far in a word each; of these types only, where some are named."""
        return [word(event.data) for event in self.events if not types or event.data.type in types]

    def of(self, kind: type[EventData]) -> list[Any]:
        """The data of every event of a kind."""
        return [event.data for event in self.events if isinstance(event.data, kind)]

    def last(self, kind: type[EventData]) -> Any:
        return self.of(kind)[-1]

    @property
    def outcome(self) -> RoundOutcome:
        outcome = self.last(RoundOutcome)
        assert isinstance(outcome, RoundOutcome)
        return outcome

    def published(self) -> str:
        """Every message so far, as servers get them."""
        return "\n".join(encode_event("site", event).decode() for event in self.events)


def word(data: EventData) -> str:
    """An event in a word: its type, and where, what and why."""
    if isinstance(data, AttemptHeld):
        return f"{data.type}:{data.reason}"
    parts = (getattr(data, name, None) for name in ("position", "gate", "card", "reason"))
    return ":".join([data.type, *(str(part) for part in parts if part)])


def words(data: Iterable[EventData]) -> list[str]:
    """As ``word``, of several."""
    return [word(item) for item in data]


def held(table: CardTable, reason: str) -> AttemptHeld:
    """The newest event holds the hand, and says nothing of the card that led to it."""
    last = table.events[-1].data
    assert isinstance(last, AttemptHeld)
    assert last.reason == reason
    assert last.evidence == []
    assert len(last.kept) == 1
    return last

"""A table: the pure core between readings and events. It touches neither clock nor world.

Every step answers a ``Decision``. The caller commits it before anything else; if it cannot, this object is
thrown away and a new one folded from the journal, because its state has gone ahead of the truth.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from dealer_daemon.commands import Command, CommandRecord
from dealer_daemon.events import (
    AlertCleared,
    AlertRaised,
    AttemptHeld,
    BettingClosed,
    Event,
    EventsExpired,
    Facts,
    TableReconfigured,
    TableStarted,
)
from dealer_daemon.games.game import AttemptGame, CardGame, TableDevice
from dealer_daemon.round import OpenRound, TableState
from dealer_daemon.table.attempts import AttemptPlay
from dealer_daemon.table.calibrated import TO_DO, miscalibrated
from dealer_daemon.table.cards.pairs import PairedCardPlay, Pairs
from dealer_daemon.table.cards.play import CardPlay
from dealer_daemon.table.common import Play, Rules, pause, played_by, trouble
from dealer_daemon.table.judges import make_judges
from dealer_daemon.table.maintenance import check_unwished, lend, lend_as_wished, restarted, take_back
from dealer_daemon.table.orders import answer
from dealer_daemon.table.turn import Decision, FrameLog, Turn
from dealer_daemon.validation.signals import Trouble
from dealer_drivers.instant import Instant
from dealer_drivers.readings import DeviceFault, Reading


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table as configured: its rules, the game's settings, its devices."""

    name: str
    rules: Rules
    devices: Sequence[TableDevice]
    version: str
    config_hash: str
    clock_speed: float = 1.0
    shadow: bool = False


@dataclass(frozen=True, slots=True)
class _Next:
    """What counts once the round that was open is over."""

    after_round: str | None
    tries_before_pause: int
    config_hash: str


class Table:
    """See the module. ``state`` is the fold of the journal."""

    def __init__(self, setup: TableSetup, state: TableState, boot: str) -> None:
        self.setup = setup
        self.state = state
        self._boot = boot
        self._next: _Next | None = None
        self._frames = FrameLog((device.name, device.driver) for device in setup.devices)
        self._calibrations = {
            device.name: device.calibration for device in setup.devices if device.calibration is not None
        }
        self.wishes: dict[str, str] = {}
        """Devices that benches wait for, and who: lent in the moment in which the round is over."""
        expected = state.round.token if state.round is not None else None
        self._play = _play(setup, expected, _standing(state), self._frames)

    @property
    def first_card_begins_a_hand(self) -> bool:
        """This table was never taken up, and will take the first card that it reads for the first of a hand, which
        nothing shows (decision 0019)."""
        return self.state.sequence == 0 and isinstance(self._play, CardPlay) and self._play.counts_off

    def start(self, at: Instant) -> Decision:
        """The daemon took the table up. An attempt that was under way when it last stopped was not seen whole."""
        turn = self._turn(at)
        turn.emit(
            TableStarted(
                boot=self._boot,
                version=self.setup.version,
                config_hash=self.setup.config_hash,
                game=self.setup.rules.game.name,
                clock_speed=self.setup.clock_speed,
                shadow=self.setup.shadow,
                rules=played_by(self.setup.rules),
            ),
        )
        restarted(turn)
        current = turn.state.round
        if current is not None and self._unwatched(current):
            if current.betting == "open" and self.setup.rules.round_source == "device":
                turn.emit(BettingClosed(game=self.setup.rules.game.name, source="device"))
            turn.emit(
                AttemptHeld(
                    reason="station_restarted",
                    attempt=current.attempt,
                    detail="the station was restarted in the middle of the attempt",
                    seen={},
                    evidence=[],
                )
            )
        self._play.started(turn)
        return self._done(turn)

    def _unwatched(self, current: OpenRound) -> bool:
        """What happened to the attempt since the station stopped was seen by nobody."""
        game = self.setup.rules.game
        forgotten = isinstance(game, AttemptGame) and not game.remembers
        return current.phase == "running" or (current.phase == "unconfirmed" and forgotten)

    def readings(self, device: str, readings: Iterable[Reading], at: Instant) -> Decision:
        """Readings of one device, in order."""
        turn = self._turn(at)
        if isinstance(self._play, CardPlay):
            self._play.release(turn)
        for reading in readings:
            if isinstance(reading, DeviceFault):
                trouble(turn, device, Trouble(reading.fault, reading.detail, reading.cleared))
                if reading.fault in TO_DO and not reading.cleared:
                    pause(turn, reading.fault, reading.detail)
            elif miscalibrated(turn.state, device):
                continue  # what it says is read by measures that are not its own: nobody plays on that
            self._frames.add(device, [reading])
            self._play.reading(turn, device, reading)
        if not self._play.underway():
            self._frames.shorten()
        return self._done(turn)

    def tick(self, at: Instant) -> Decision:
        """Time passed; called at or after ``deadline_ns``."""
        turn = self._turn(at)
        self._play.tick(turn)
        return self._done(turn)

    def hold(self, reason: str, detail: str, at: Instant) -> Decision:
        """Nobody may hear of this table: it stands, and what is under way does not count."""
        turn = self._turn(at)
        pause(turn, reason, detail)
        return self._done(turn)

    def expired(self, data: EventsExpired, at: Instant) -> Decision:
        """Events of this table are no longer kept."""
        turn = self._turn(at)
        turn.emit(data, in_round=False)
        return self._done(turn)

    def alerts(self, changes: Sequence[AlertRaised | AlertCleared], at: Instant) -> Decision:
        """What needs a person now, and what does no more."""
        turn = self._turn(at)
        for data in changes:
            turn.emit(data, in_round=False)
        return self._done(turn)

    def reconfigure(self, tries_before_pause: int, config_hash: str, at: Instant) -> Decision:
        """Play by another ``tries_before_pause`` from the next round on: at once where none is open. The newest call
        counts."""
        current = self.state.round
        self._next = _Next(None if current is None else current.id, tries_before_pause, config_hash)
        return self._done(self._turn(at))

    def _take_up(self, turn: Turn) -> None:
        """The round for which the old rules counted is over."""
        current, following = turn.state.round, self._next
        if following is None or (current is not None and current.id == following.after_round):
            return
        self._next = None
        tries = following.tries_before_pause
        self._play.rules = dataclasses.replace(self._play.rules, tries_before_pause=tries)
        changed: Facts = {"tries_before_pause": tries}
        turn.emit(TableReconfigured(config_hash=following.config_hash, changed=changed), in_round=False)

    def deadline_ns(self) -> int | None:
        """Monotonic time of the next ``tick`` that can matter."""
        return self._play.deadline_ns()

    def command(self, command: Command, at: Instant, event_at: Callable[[int], Event | None]) -> Decision:
        """One command that was not answered before. ``event_at`` finds an earlier event by sequence.

        Where ``deadline_ns`` has passed, ``tick`` comes first: a refused command leaves no event.
        """
        turn = self._turn(at)
        # A clock that runs faster than its senders' tells nothing about when they spoke.
        heard = command if self.setup.clock_speed == 1 else replace(command, sent_ns=None)
        with self._word(turn):
            reply = answer(turn, self._play, heard, event_at)
        return self._done(
            turn, CommandRecord(table=self.setup.name, command=command, digest=command.digest(), reply=reply)
        )

    def lend(self, device: str, by: str, at: Instant, *, wished: bool = False) -> Decision:
        """A technician's bench takes the device. ``wished``: it is the one that waits for it. Raises ``Refusal``, and
        then nothing has changed."""
        if not wished:
            check_unwished(self.wishes, device)
        turn = self._turn(at)
        lend(turn, device, by)
        self.wishes.pop(device, None)
        return self._done(turn)

    def take_back(self, device: str, reason: str, at: Instant, *, resume: bool) -> Decision:
        """The bench has the device no more; a word of the kind ``returned`` says why."""
        turn = self._turn(at)
        with self._word(turn):
            take_back(turn, self._play, device, reason, resume=resume)
        return self._done(turn)

    @contextlib.contextmanager
    def _word(self, turn: Turn) -> Iterator[None]:
        """A person's or a server's word is carried out. A card that was read before it is what it was then."""
        cards = self._play if isinstance(self._play, CardPlay) else None
        before = None if cards is None else cards.meaning(turn.state)
        yield
        if cards is not None and before is not None:
            cards.spoken(turn, before)

    def _turn(self, at: Instant) -> Turn:
        ended = lend_as_wished(self.wishes) if self.wishes else None
        return Turn(self.state, self._boot, at, self._frames, self._calibrations, ended)

    def _done(self, turn: Turn, command: CommandRecord | None = None) -> Decision:
        if isinstance(self._play, CardPlay):
            self._play.settle(turn)
        if self._next is not None:
            self._take_up(turn)
        self.state = turn.state
        return turn.decision(command)


def _play(setup: TableSetup, expected: int | None, stands: Facts | None, frames: FrameLog) -> Play:
    rules, game = setup.rules, setup.rules.game
    if isinstance(game, CardGame):
        procedure = game.procedure(rules.settings, rules.round_source == "device")
        main = [device for device in setup.devices if device.role == "main"]
        second = [device.name for device in setup.devices if device.role == "witness"]
        if second:
            pairs = Pairs(second[0], rules.witness_wait_s)
            shoe, speed = rules.settings.shoe, setup.clock_speed
            return PairedCardPlay(rules, procedure, shoe, frames, main, pairs, clock_speed=speed)
        return CardPlay(rules, procedure, rules.settings.shoe, frames, main, clock_speed=setup.clock_speed)
    return AttemptPlay(rules, make_judges(rules, setup.devices, expected, stands), frames, game.starts(rules.settings))


def _standing(state: TableState) -> Facts | None:
    """The result that the device gave last and may still contradict: one that waits for the dealer, or the outcome."""
    current = state.round
    if current is None:
        return None if state.outcome is None else state.outcome.facts
    return current.seen if current.phase == "unconfirmed" else None

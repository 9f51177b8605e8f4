"""What every kind of play shares: the table's rules, and the events that end an attempt or a round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from dealer_daemon.commands import Command
from dealer_daemon.events import (
    AttemptRefused,
    DeviceFaulted,
    DeviceRecovered,
    Event,
    Facts,
    RoundOutcome,
    TablePaused,
)
from dealer_daemon.games.game import AttemptGame, CardGame
from dealer_daemon.round import OpenRound, TableState
from dealer_daemon.table.turn import Turn
from dealer_daemon.validation.card import CardReason
from dealer_daemon.validation.signals import Trouble
from dealer_daemon.verdicts import Refused
from dealer_drivers.readings import Reading

STATION = "station"
"""The author of what no person did."""
DEALER_RESUMES = frozenset({CardReason.UNSEEN_BETWEEN_HANDS, CardReason.UNSEEN_BEFORE_BURN})
"""Pauses of the station's own that ask nothing but what a dealer sees: which card the next one is. No round is open."""
WITHHELD = "details are withheld while betting is open"


@dataclass(frozen=True, slots=True)
class Rules:
    """A table's configuration as far as playing needs it."""

    game: AttemptGame | CardGame
    settings: Any
    """What the game loads from its settings: nothing here reads a file."""
    round_source: Literal["device", "server"]
    tries_before_pause: int
    witness_wait_s: float = 10.0
    """How long a witness and the main device may be apart."""


def played_by(rules: Rules) -> Facts:
    """What an open round must be played by to its end, as far as it is no default: a later version's new key changes
    nothing. The cards that lie say which is due by the game's own keys alone, so the shoe's are left out; of other
    games an attempt that was under way is not gone on with."""
    own: Facts = {}
    if isinstance(rules.game, CardGame):
        for field in msgspec.structs.fields(rules.settings):
            value = getattr(rules.settings, field.name)
            if field.name != "shoe" and value != field.default:
                own[field.name] = msgspec.json.decode(msgspec.json.encode(value))  # as the journal gives it back
    return {"game": rules.game.name, "round_source": rules.round_source, **own}


class Play(Protocol):
    """How readings become events at one kind of table: by attempts (a spin, a shake) or card by card."""

    rules: Rules

    def reading(self, turn: Turn, device: str, reading: Reading) -> None:
        """One reading, in order."""
        ...

    def tick(self, turn: Turn) -> None:
        """Time passed."""
        ...

    def deadline_ns(self) -> int | None:
        """Monotonic time of the next ``tick`` that can matter."""
        ...

    def underway(self) -> bool:
        """An attempt is running, whose frames are evidence."""
        ...

    def started(self, turn: Turn) -> None:
        """The daemon took the table up: go on from where the journal ends."""
        ...

    def discard(self) -> None:
        """What is under way does not count (refused by a person)."""
        ...

    def resumed(self, turn: Turn) -> None:
        """A pause is over: what is under way does not count, and where that is an attempt it is said."""
        ...

    def seen(self, turn: Turn) -> Facts:
        """The facts of the open round so far, as far as servers may know them."""
        ...

    def leaves_rest(self, turn: Turn) -> bool:
        """Whether more of the open round may come after it is voided, which would pass for the next one's."""
        ...

    def voided(self, turn: Turn) -> None:
        """The round was voided: what is under way does not count."""
        ...

    def round_token(self) -> int | None:
        """The device's own counter for a round that is opened now, where it has one."""
        ...

    def go_on(self, turn: Turn) -> None:
        """The table may go on: open the next round where that is the device's part."""
        ...

    def opened(self, turn: Turn) -> dict[str, Any]:
        """What the opening of a round says of its shoe; empty where there is none. Raises ``Refusal``."""
        ...

    def betting_closed(self, turn: Turn) -> None:
        """The server closed betting: what was withheld for it may be known."""
        ...

    def order(self, turn: Turn, command: Command) -> dict[str, Any] | None:
        """Carry out a command that this kind of table knows in its own way; ``None`` for all others."""
        ...

    def correction(
        self, turn: Turn, command: Command, replaced: Event, event_at: Callable[[int], Event | None]
    ) -> dict[str, Any]:
        """What ``outcome.corrected`` says beside the facts; ``replaced`` is the outcome or correction that stood.
        Raises ``Refusal`` for what cannot be."""
        ...


def next_round_id(turn: Turn) -> str:
    """The id of the round to be opened: the table's name and its count of rounds."""
    return f"{turn.state.table}-{turn.state.rounds + 1}"


def refuse(
    turn: Turn,
    current: OpenRound,
    verdict: Refused,
    evidence: list[str],
    tries_before_pause: int,
    position: str | None = None,
) -> None:
    """The attempt does not count; after so many in a row the table pauses and the manager is called (000, 001)."""
    open_ = current.betting == "open"
    reveals = open_ and verdict.reason == "two_pockets"
    turn.emit(
        AttemptRefused(
            reason=verdict.reason,
            remedy=str(verdict.remedy),
            attempt=current.attempt,
            detail=WITHHELD if reveals else verdict.detail,
            # A witness may have said a result already: the hash of its frame would tell which.
            evidence=[] if open_ else evidence,
            kept=evidence if open_ else [],
            position=position,
            figures=dict(verdict.figures),
        )
    )
    now = turn.state.round
    if now is not None and now.tries >= tries_before_pause:
        detail = f"{now.tries} attempts in a row were refused, the last one: {verdict.reason}"
        turn.emit(TablePaused(reason="tries_exhausted", by=STATION, detail=detail))


def emit_outcome(
    turn: Turn,
    game: str,
    facts: object,
    source: str,
    by: str | None,
    witnesses: list[str],
    evidence: list[str],
    reason: str | None = None,
    *,
    last_hand: bool | None = None,
    rest_left: bool = False,
) -> None:
    """The one result of the open round."""
    current = turn.state.round
    assert current is not None
    assert isinstance(facts, dict)
    final: Facts = dict(facts)
    turn.emit(
        RoundOutcome(
            game=game,
            facts=final,
            attempts=current.attempt,
            evidence=evidence,
            source=source,
            by=by,
            reason=reason,
            witnesses=witnesses,
            shoe_id=current.shoe_id,
            hand_in_shoe=current.hand_in_shoe,
            last_hand=last_hand,
            server=current.server,
            calibrations=dict(turn.calibrations),
            rest_left=rest_left,
        )
    )


def pause(turn: Turn, reason: str, detail: str) -> None:
    """The table stands, by the station's own word. A pause that stands already stays; but one that a dealer or a bench
    may end gives way, so that neither ends what is the service manager's."""
    if turn.state.paused is None or gives_way(turn.state):
        turn.emit(TablePaused(reason=str(reason), by=STATION, detail=detail))


def dealer_may_end(state: TableState) -> bool:
    """Whether the pause asks only what a dealer sees. A person's pause never does, whatever words it has."""
    return state.paused_by == STATION and state.paused in DEALER_RESUMES


def stands_for_bench(state: TableState) -> bool:
    """Whether the table stands by a pause that was made for a bench, and not by a person's of whatever words."""
    return state.paused_at is not None and state.paused_at == state.bench_pause


def gives_way(state: TableState) -> bool:
    """Whether the pause that stands may be ended by others than a service manager: another reason to stand takes its
    place, or it would end with a pause that had nothing to do with it."""
    return dealer_may_end(state) or stands_for_bench(state)


def trouble(turn: Turn, device: str, signal: Trouble) -> None:
    """A device's fault began or ended; said once each."""
    standing = signal.fault in turn.state.faults.get(device, [])
    if signal.cleared and standing:
        turn.emit(DeviceRecovered(device=device, fault=signal.fault))
    elif not signal.cleared and not standing:
        turn.emit(DeviceFaulted(device=device, fault=signal.fault, detail=signal.detail))

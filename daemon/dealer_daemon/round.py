"""The state of a table, which is nothing but the fold over its events.

``apply`` is the only way a state changes; recovery after a crash folds the journal with the same function.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from dealer_daemon.deck_sets import DECK_EVENTS, deck_event
from dealer_daemon.events import (
    AlertCleared,
    AlertRaised,
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    AttemptUnconfirmed,
    AttemptWithdrawn,
    BettingClosed,
    CardCorrected,
    CardDrawn,
    CardExpected,
    CardRepeated,
    CardSkipped,
    CardWithheld,
    DeviceFaulted,
    DeviceLent,
    DeviceRecovered,
    DeviceReturned,
    EntryAllowed,
    Event,
    EventData,
    EventsExpired,
    EventsLost,
    Facts,
    GateOpened,
    GateVoided,
    GateWaiting,
    HandSkipped,
    OutcomeCorrected,
    RoundOpened,
    RoundOutcome,
    RoundVoided,
    ShoeBegan,
    ShoeCutCard,
    ShoeEnded,
    ShoeResultHeard,
    TablePaused,
    TableReconfigured,
    TableResumed,
    TableStarted,
    Violation,
)
from dealer_daemon.shoe import (
    asked,
    burnt,
    card_event,
    card_steps,
    counted,
    doubted,
    is_the_named,
    laid_anew,
    recounted,
    shoe_event,
    skipped,
)
from dealer_daemon.state import (
    STATE_VERSION,
    Decks,
    DeckSet,
    Expired,
    FoldError,
    OpenRound,
    Outcome,
    Shoe,
    ShoeSaid,
    StandingAlert,
    Step,
    TableState,
    alert_key,
)

__all__ = [
    "STATE_VERSION",
    "DeckSet",
    "Decks",
    "FoldError",
    "OpenRound",
    "Outcome",
    "Shoe",
    "Step",
    "TableState",
    "apply",
    "fold",
]


def fold(state: TableState, events: list[Event]) -> TableState:
    """The state after all of ``events``. Raises ``FoldError``."""
    for event in events:
        state = apply(state, event)
    return state


def apply(state: TableState, event: Event) -> TableState:
    """The state after one event. Raises ``FoldError`` when it cannot follow on ``state``."""
    lost = event.data if isinstance(event.data, EventsLost) else None
    due = state.sequence + 1 if lost is None or lost.from_sequence > state.sequence + 1 else lost.to_sequence + 1
    if event.table != state.table or event.sequence != due:
        raise FoldError(f"{event.table} {event.sequence} cannot follow {state.table} {state.sequence}")
    before = state.sequence
    state = replace(state, sequence=event.sequence)
    if _is_of_reader(state, event.data):
        state = replace(state, read_ns=event.wall_ns, read_mono_ns=event.mono_ns)
    if state.result_due and _tells_of_a_card(event.data):
        state = replace(state, result_due=False)
    match event.data:
        case RoundOpened() as data:
            if state.round is not None:
                raise FoldError(f"round {event.subject} opened while {state.round.id} is open")
            if event.subject is None:
                raise FoldError("round.opened without a subject")
            opened = OpenRound(
                id=event.subject,
                source=data.source,
                opened_ns=event.wall_ns,
                token=data.spin,
                server=_heard([], data.server),
                shoe_id=data.shoe_id,
                hand_in_shoe=data.hand_in_shoe,
            )
            shoe = counted(state.shoe, data.hand_in_shoe)
            return replace(state, rounds=state.rounds + 1, round=opened, shoe=shoe, skipping=False)
        case RoundOutcome() | RoundVoided():
            return _ended(state, event)
        case TablePaused() as data:
            asks = data.reason == "rest_of_hand" and data.by == "station"  # a person's words may be the same
            state = replace(state, rest_left=state.rest_left and not asks)
            return _paused(state, event, data.reason, data.by)
        case TableResumed():
            state = replace(state, paused=None, paused_at=None, paused_ns=None, paused_by=None)
            return replace(state, round=_resumed(state.round))
        case OutcomeCorrected() as data:
            state = replace(state, shoe=recounted(state.shoe, data))
            if event.subject is not None and event.subject == state.previous_round:
                state = replace(state, previous=laid_anew(state.previous, data))
            if event.subject is not None:
                state = replace(state, corrected={**state.corrected, event.subject: event.sequence})
            if state.outcome is not None and event.subject == state.outcome.round:
                corrected = replace(state.outcome, sequence=event.sequence, facts=data.facts)
                return replace(state, outcome=corrected)
            return state
        case DeviceFaulted() as data:
            return _faults(state, data.device, lambda names: [*names, data.fault])
        case DeviceRecovered() as data:
            return _faults(state, data.device, lambda names: [name for name in names if name != data.fault])
        case DeviceLent() as data:
            pause = state.bench_pause if data.pause is None else data.pause
            return replace(state, lent={**state.lent, data.device: data.by}, bench_pause=pause)
        case DeviceReturned() as data:
            return replace(state, lent={name: by for name, by in state.lent.items() if name != data.device})
        case ShoeBegan() | ShoeCutCard() | ShoeEnded():
            return shoe_event(state, event.data)
        case data if isinstance(data, DECK_EVENTS):
            return deck_event(state, event)
        case CardDrawn() as data if event.subject is None:
            return replace(state, shoe=burnt(state.shoe, data))
        case HandSkipped():
            return replace(state, skipping=True)
        case CardSkipped() as data:
            return skipped(state, data)
        case AttemptRefused() as data:
            return replace(is_the_named(state, data), round=_in_round(is_the_named(state, data), event))
        case CardDrawn() | CardWithheld() | CardCorrected():
            after = replace(state, round=_in_round(state, event))
            return replace(after, shoe=card_event(state.shoe, event.data, state.round))
        case TableStarted() as data:
            return replace(state, faults={}, shadow=data.shadow, rules=data.rules)
        case EventsExpired() as data:
            gone = Expired(to_sequence=data.to_sequence, consumers=data.consumers, reason=data.reason)
            return replace(state, expired=gone)
        case AlertRaised() | AlertCleared():
            return replace(state, alerts=_alerts(state, event, event.data))
        case Violation() as data:
            return replace(state, round=_drawn(state.round, data.reason))
        case CardRepeated() | TableReconfigured():
            return state
        case EventsLost() as data:
            after = _after_loss(state, data) if data.from_sequence == before + 1 else _given_up(state, data)
            return _paused(after, event, data.reason, "station")
        case _:
            return replace(state, round=_in_round(state, event))


def _is_of_reader(state: TableState, data: EventData) -> bool:
    """The event says that a reader gave a card just then. A card that was withheld, or waited for one before it, is
    made known later."""
    match data:
        case CardWithheld(by=None) | CardDrawn(by=None):
            current = state.round
            if current is None:
                return True
            hidden = [step.position for step in current.steps if step.withheld]
            return current.doubt is None and data.position not in hidden
        case CardRepeated() | CardSkipped():
            return True
        case _:
            return False


_OF_A_CARD = frozenset(
    {
        "card_while_betting",
        "card_between_rounds",
        "card_before_gate",
        "card_not_expected",
        "card_while_held",
        "card_while_paused",
        "copies_used_up",
        "unit_seen_before",
        "shoe_not_verified",
    }
)
"""Violations by a card that may be of the next hand. One too many (``card_not_due``) is of the hand that ended."""


def _tells_of_a_card(data: EventData) -> bool:
    match data:
        case Violation(reason=reason):
            return reason in _OF_A_CARD
        case AttemptRefused() | AttemptHeld() | CardDrawn() | CardWithheld() | CardSkipped() | HandSkipped():
            return True
        case _:
            return isinstance(data, EventsLost)


def _drawn(current: OpenRound | None, reason: str) -> OpenRound | None:
    if current is not None and reason == "card_while_held":
        return replace(current, drawn_while_held=True)
    if current is not None and reason == "card_while_paused":
        return replace(current, drawn_while_paused=True)
    return current


def _after_loss(state: TableState, data: EventsLost) -> TableState:
    """The table stands. Every lost event may have begun a round or a shoe: no id of one is given a second time."""
    lost = data.to_sequence - data.from_sequence + 1
    return replace(state, rounds=state.rounds + lost, shoes=state.shoes + lost)


def _given_up(state: TableState, data: EventsLost) -> TableState:
    """The table begins anew: servers may know other events, rounds and shoes under all the numbers and ids so far.

    Nothing is said about a round that was open: its id may be that of a round which servers have settled. Each event
    begins one round or shoe at most, and so does each number that a loss left empty, so no journal of this table has
    counted more rounds or shoes than ``to_sequence``: ids go on behind it.
    """
    anew = TableState(table=state.table, sequence=state.sequence, faults=state.faults, shadow=state.shadow)
    anew = replace(anew, alerts=state.alerts)
    return replace(anew, rounds=max(state.rounds, data.to_sequence), shoes=max(state.shoes, data.to_sequence))


def _paused(state: TableState, event: Event, reason: str, by: str) -> TableState:
    return replace(state, paused=reason, paused_at=event.sequence, paused_ns=event.wall_ns, paused_by=by)


def _resumed(current: OpenRound | None) -> OpenRound | None:
    if current is None:
        return None
    phase = "waiting" if current.phase == "running" else current.phase
    return replace(current, tries=0, phase=phase)


def _ended(state: TableState, event: Event) -> TableState:
    current = _current(state, event)
    state = replace(state, round=None, previous=current.steps, previous_round=current.id)
    if isinstance(event.data, RoundOutcome):
        outcome = Outcome(
            sequence=event.sequence, round=current.id, facts=event.data.facts, token=event.data.facts.get("spin")
        )
        by_person = event.data.witnesses == ["manager"]
        by_cards = "cards" in event.data.witnesses
        state = replace(state, result_due=by_cards and not (current.drawn_while_held or current.drawn_while_paused))
        return replace(state, outcome=outcome, given_up=by_person, rest_left=event.data.rest_left)
    assert isinstance(event.data, RoundVoided)
    return replace(state, result_due=False, given_up=event.data.by != "station", rest_left=event.data.rest_left)


def _in_round(state: TableState, event: Event) -> OpenRound:
    current = _current(state, event)
    match event.data:
        case BettingClosed() as data:
            return replace(current, betting="closed", server=_heard(current.server, data.server))
        case AttemptStarted():
            return replace(current, phase="running", seen={}, evidence=[], witnesses=[])
        case AttemptRefused() as data:
            if data.reason in ("manager_refused", "dealer_rescan"):
                current = replace(current, shoe_said=None, drawn_while_paused=False)
            return replace(
                current,
                attempt=current.attempt + 1,
                tries=current.tries + 1,
                phase="waiting",
                seen={},
                evidence=[],
                witnesses=[],
                last_refusal=data.reason,
                doubt=None,
                asked=None,
            )
        case AttemptHeld() as data:
            cards = {"doubt": doubted(data), "asked": asked(data)}
            held = {"phase": "held", "held_for": data.reason, "asked_ns": event.wall_ns}
            return replace(current, seen=data.seen, evidence=data.evidence, **cards, **held)
        case AttemptWithdrawn():
            return replace(current, phase="running", seen={}, evidence=[], witnesses=[])
        case AttemptUnconfirmed() as data:
            shown = {"seen": data.facts, "evidence": data.evidence, "witnesses": data.witnesses}
            return replace(current, phase="unconfirmed", asked_ns=event.wall_ns, **shown)
        case EntryAllowed():
            return replace(current, by_hand=True, phase="waiting", seen={}, evidence=[], witnesses=[], doubt=None)
        case ShoeResultHeard() as data:
            pairs = {"player_pair": data.player_pair, "banker_pair": data.banker_pair}
            return replace(current, shoe_said=ShoeSaid(winner=data.winner, evidence=data.kept, **pairs))
        case GateWaiting() as data:
            return replace(current, gate=data.gate)
        case GateOpened() as data:
            steps = [*current.steps, Step(gate=data.gate)]
            return replace(current, gate=None, steps=steps, server=_heard(current.server, data.server))
        case GateVoided():
            return current
        case CardExpected() as data:
            steps = [*current.steps, Step(expect=data.args)]
            return replace(current, steps=steps, server=_heard(current.server, data.server))
        case CardDrawn() | CardWithheld() | CardCorrected() as data:
            steps = card_steps(current.steps, data, state.shoe)
            if isinstance(data, CardDrawn) and len(steps) == len(current.steps):
                return replace(current, steps=steps)  # a card that lay there is made known: nothing else changes
            return replace(
                current,
                steps=steps,
                doubt=None if _is_on(current.doubt, data.position) else current.doubt,
                asked=None,
                tries=0,
                phase="waiting",
                seen={},
                evidence=[],
                last_refusal=None,
            )
        case other:
            raise FoldError(f"{other.type} is not known to this version")


def _is_on(doubt: Step | None, position: str) -> bool:
    return doubt is not None and doubt.position == position


def _heard(so_far: list[Facts], more: Facts | None) -> list[Facts]:
    return so_far if more is None else [*so_far, more]


def _current(state: TableState, event: Event) -> OpenRound:
    if state.round is None or event.subject != state.round.id:
        open_one = "none" if state.round is None else state.round.id
        raise FoldError(f"{event.data.type} for round {event.subject}, but the open round is {open_one}")
    return state.round


def _alerts(state: TableState, event: Event, data: AlertRaised | AlertCleared) -> dict[str, StandingAlert]:
    key = alert_key(data.code, data.device, data.about)
    if isinstance(data, AlertCleared):
        return {name: alert for name, alert in state.alerts.items() if name != key}
    raised = StandingAlert(
        code=data.code,
        severity=data.severity,
        device=data.device,
        about=data.about,
        detail=data.detail,
        sequence=event.sequence,
        since_ns=event.wall_ns,
    )
    return {**state.alerts, key: raised}


def _faults(state: TableState, device: str, change: Any) -> TableState:
    names = change(state.faults.get(device, []))
    faults = dict(state.faults)
    faults.pop(device, None)
    if names:
        faults[device] = sorted(set(names))
    return replace(state, faults=faults)

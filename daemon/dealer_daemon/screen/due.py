"""What is due now at a table, for the dealer. Pure.

While betting is open it depends on no card that is withheld: that a third card is due would tell what the first four
are.
"""

from __future__ import annotations

from dealer_daemon.games.cards.procedure import CardDue, Complete, Early, ExpectDue, GateDue
from dealer_daemon.games.cards.procedure import Due as CardsDue
from dealer_daemon.round import OpenRound, TableState
from dealer_daemon.screen.sight import Face, Sight
from dealer_daemon.screen.texts import Text, gate_name, plain, position_name, say, word
from dealer_daemon.screen.view import Due
from dealer_daemon.table.cards.hand import due as cards_due
from dealer_daemon.table.cards.shoes import burns_left
from dealer_daemon.table.common import STATION, dealer_may_end

_BEGIN = {"roulette": "throw_ball", "rainbow-wheel": "spin_wheel", "fan-tan": "lay_beans"}
_EARLY = {"roulette": "ball_may_fly", "rainbow-wheel": "wheel_may_turn"}
_UNDERWAY = {
    "roulette": "ball_runs",
    "sic-bo": "dice_roll",
    "rainbow-wheel": "wheel_turns",
    "fan-tan": "beans_laid",
}


def due_now(sight: Sight) -> Due:
    """See the module."""
    state, face = sight.state, sight.face
    if sight.stalled is not None:
        return Due(text=say("due", "cannot_write"), tone="stop", more=say("line", "call_technician"))
    if state.paused is not None:
        return _paused(sight, state)
    if state.decks.scan is not None:
        return Due(text=say("due", "scan_deck", name=state.decks.scan), tone="act")
    current = state.round
    if current is not None and current.phase == "held":
        return Due(text=say("due", "being_decided"), tone="call", more=word(current.held_for or ""))
    return _attempt(face, current) if face.procedure is None else _cards(face, state)


def _paused(sight: Sight, state: TableState) -> Due:
    reason = pause_reason(state)
    if dealer_may_end(state):
        return Due(text=reason, tone="call", more=say("line", "dealer_answers"))
    if state.lent:
        return Due(text=reason, tone="call", more=say("line", "technician_works"))
    if state.paused_by == STATION:
        violation = sight.recall.violation
        shown = word(violation) if state.paused in ("violation", "integrity") and violation is not None else reason
        return Due(text=shown, tone="call", more=say("line", "manager_was_called"))
    called = state.paused == "manager_called"
    more = say("line", "manager_was_called") if called else say("line", "paused_by", name=state.paused_by or "")
    return Due(text=reason, tone="call", more=more)


def pause_reason(state: TableState) -> Text:
    """Why the table stands. A person's own text is nobody's word, but for the one that the dealer's button gives."""
    reason = state.paused or ""
    return word(reason) if state.paused_by == STATION or reason == "manager_called" else plain(reason, "person")


def _attempt(face: Face, current: OpenRound | None) -> Due:
    name = face.game.name
    if current is None:
        if face.serves or face.by_hand:
            return Due(text=say("due", "no_round"), tone="wait")
        return Due(text=_begin(face), tone="act")
    if current.phase == "unconfirmed":
        return Due(text=say("due", "confirm_spin"), tone="call")
    if current.phase == "running":
        return Due(text=say("due", _UNDERWAY[name]), tone="look")
    if current.betting == "open" and face.serves:
        early = name in _EARLY and may_start_early(face) and not face.by_hand
        return Due(text=say("due", _EARLY[name] if early else "betting_open"), tone="wait")
    if face.by_hand or current.by_hand:
        return Due(text=say("due", "key_in"), tone="act")
    return Due(text=_begin(face), tone="act")


def may_start_early(face: Face) -> bool:
    """Whether an attempt may begin while betting is open."""
    starts = getattr(face.game, "starts", None)
    return starts is not None and starts(face.config.settings) != "after_close"


def _begin(face: Face) -> Text:
    if face.game.name != "sic-bo":
        return say("due", _BEGIN[face.game.name])
    if not face.has_shaker:
        return say("due", "throw_dice")
    return say("due", "shake_starts" if face.config.settings.shake.start == "station" else "press_shake")


def _cards(face: Face, state: TableState) -> Due:
    assert face.procedure is not None
    current = state.round
    if current is None:
        if burns_left(state, face.config.settings.shoe):
            return Due(text=say("due", "burn_due"), tone="act")
        if face.serves:
            return Due(text=say("due", "no_round"), tone="wait")
        return _next_card(face.procedure.due(()), open_=False)
    if current.gate is not None:
        return Due(text=say("due", "gate_waits", gate=gate_name(current.gate)), tone="wait")
    return _next_card(cards_due(face.procedure, current.steps), open_=current.betting == "open")


def _next_card(wanted: CardsDue, *, open_: bool) -> Due:
    if isinstance(wanted, CardDue) and not (open_ and wanted.early is Early.FORBID):
        return Due(text=position_name(wanted.position), tone="act")
    if open_:
        return Due(text=say("due", "betting_open"), tone="wait")
    match wanted:
        case GateDue(gate=gate):
            return Due(text=say("due", "gate_waits", gate=gate_name(gate)), tone="wait")
        case ExpectDue():
            return Due(text=say("due", "server_next"), tone="wait")
        case Complete() | CardDue():
            return Due(text=say("due", "round_ends"), tone="look")


def due_position(face: Face, current: OpenRound | None) -> str | None:
    """Where the next card goes, as far as that may be known and there is one."""
    if face.procedure is None or current is None or current.phase == "held" or current.gate is not None:
        return None
    wanted = cards_due(face.procedure, current.steps)
    if not isinstance(wanted, CardDue) or (current.betting == "open" and wanted.early is Early.FORBID):
        return None
    return wanted.position

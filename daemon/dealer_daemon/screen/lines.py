"""What stands beside the game: marks of the round, and what is wrong with the table, its devices and its way out."""

from __future__ import annotations

from collections.abc import Iterator

from dealer_daemon.screen.sight import DeviceSight, Sight
from dealer_daemon.screen.texts import Text, figures_of, position_name, say, word
from dealer_daemon.screen.view import Line, Refusal, Tries


def marks_of(sight: Sight) -> list[Line]:
    """What the dealer should know of this round."""
    state, found = sight.state, []
    if sight.face.config.shadow:
        found.append(_line("shadow_table", "warning"))
    if state.shoe is not None and state.shoe.cut_card:
        found.append(_line("last_hand", "info"))
    if state.round is not None and state.round.by_hand:
        found.append(_line("by_hand", "warning"))
    if state.skipping:
        found.append(_line("hand_skipped", "warning"))
    if state.round is None and sight.recall.void is not None:
        found.append(_line("last_was_void", "warning"))
    return found


def alarms_of(sight: Sight) -> list[Line]:
    """What is wrong, the worst first; each in a line that says what to do or whom to call."""
    found = list(_alarms(sight))
    return sorted(found, key=lambda line: ("error", "warning", "info").index(line.severity))


def _alarms(sight: Sight) -> Iterator[Line]:
    state = sight.state
    if sight.stalled is not None:
        yield _line("cannot_record", "error")
    if sight.held is not None:
        yield Line(code=sight.held.reason, text=_held(sight.held.reason), severity="error")
    if not sight.heard:
        yield _line("no_server", "error")
    if sight.recall.violation is not None and state.paused is None:
        violation = sight.recall.violation
        yield Line(code=violation, text=word(violation), severity="warning")
    for device, who in sorted(state.lent.items()):
        yield _line("device_lent", "error", device=device, who=who)
    for device, faults in sorted(state.faults.items()):
        for fault in faults:
            yield _line("device_wrong", "error", device=device, what=word(fault))
    for device, sight_of in sorted(sight.devices.items()):
        if device not in state.lent and not state.faults.get(device):
            yield from _link(device, sight_of)


def _held(reason: str) -> Text:
    return say("line", "not_checked") if reason == "journal_unchecked" else word(reason)


def _link(device: str, seen: DeviceSight) -> Iterator[Line]:
    if seen.link == "given_up":
        yield _line("device_given_up", "error", device=device)
    elif seen.link != "up":
        yield _line("device_opening", "warning", device=device)


def _line(code: str, severity: str, **parts: str | Text) -> Line:
    assert severity in ("info", "warning", "error")
    return Line(code=code, text=say("line", code, **parts), severity=severity)  # type: ignore[arg-type]


def refusal_of(sight: Sight) -> Refusal | None:
    """The last refusal of the round in play, until what it asks for was done."""
    refused = sight.recall.refused
    if refused is None or sight.state.round is None:
        return None
    return Refusal(
        remedy=word(refused.remedy),
        reason=word(refused.reason),
        figures=figures_of(refused.reason, refused.figures),
        where=None if refused.position is None else position_name(refused.position),
        sequence=refused.sequence,
    )


def tries_of(sight: Sight) -> Tries | None:
    """How often this round was tried."""
    current, most = sight.state.round, sight.face.config.tries_before_pause
    if current is None or (current.attempt == 1 and current.tries == 0):
        return None
    return Tries(
        attempt=current.attempt,
        refused=current.tries,
        most=most,
        text=say("line", "refused_so_far", tries=current.tries, most=most),
    )


def names_of(sight: Sight) -> list[Text]:
    """Which round, hand and shoe."""
    current, shoe = sight.state.round, sight.state.shoe
    found = []
    hand = current.hand_in_shoe if current is not None else None if shoe is None else shoe.hands
    if hand:
        found.append(say("line", "hand_name", hand=hand))
    if current is not None:
        found.append(say("line", "round_name", id=current.id))
    if shoe is not None:
        found.append(say("line", "shoe_name", id=shoe.id))
    return found

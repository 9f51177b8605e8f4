"""What lies on the table as far as it may be known: cards, a number, dice, a segment, beans. Pure.

Of a round in play only what is committed and not withheld; of a round that is over, its outcome's facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dealer_daemon.games import CardGame, load_game
from dealer_daemon.round import OpenRound, TableState
from dealer_daemon.screen.due import due_position
from dealer_daemon.screen.hands import hands_of
from dealer_daemon.screen.sight import Face
from dealer_daemon.screen.texts import Text, say
from dealer_daemon.screen.view import Beans, Cards, Dice, Felt, Hand, Number, Segment, Slot
from dealer_daemon.state import Step
from dealer_daemon.table.cards.hand import known


def felt_of(face: Face, state: TableState, played: str | None) -> Felt | None:
    """What lies there; ``None`` where nothing was read that is to be shown. ``played`` is the game of the newest
    outcome, where that is known."""
    current = state.round
    if face.procedure is not None:
        return _cards(face, state, current, played)
    if current is not None:
        # What waits for the dealer's word. Betting closed before it: there is no other way to it, and no second lock
        # is too many.
        asked = current.phase == "unconfirmed" and current.betting == "closed"
        return _result(face.game.name, current.seen, settled=False) if asked else None
    if state.outcome is None or state.outcome.round != state.previous_round or played != face.game.name:
        return None
    return _result(face.game.name, state.outcome.facts, settled=True)


def _heading(settled: bool) -> Text:
    return say("line", "last_result" if settled else "read_so_far")


def _cards(face: Face, state: TableState, current: OpenRound | None, played: str | None) -> Cards | None:
    assert face.procedure is not None
    if current is not None:
        facts = known(face.procedure, current.steps)
        hands = hands_of(face.game.name, facts, complete=False)
        due = due_position(face, current) if state.paused is None else None
        return Cards(heading=_heading(False), hands=_with_places(hands, current.steps, due))
    outcome = state.outcome
    if outcome is None or outcome.round != state.previous_round or played != face.game.name:
        return None
    return _settled_cards(face.game.name, outcome.facts)


def settled_felt(game: str, facts: Mapping[str, Any]) -> Felt | None:
    """What a round that is over shows, by its outcome's facts."""
    if isinstance(load_game(game), CardGame):
        return _settled_cards(game, facts)
    return _result(game, facts, settled=True)


def _settled_cards(game: str, facts: Mapping[str, Any]) -> Cards:
    winner = facts.get("winner")
    result = say("winner", winner) if isinstance(winner, str) and winner else None
    return Cards(heading=_heading(True), hands=hands_of(game, facts, complete=True), result=result, settled=True)


def _with_places(hands: Sequence[Hand], steps: Sequence[Step], due: str | None) -> list[Hand]:
    """The hands by what lies where: the cards that lie there unknown, and the place of the next one, too."""
    return [_placed(hand, [step for step in steps if _hand_of(step.position) == hand.hand], due) for hand in hands]


def _placed(hand: Hand, steps: Sequence[Step], due: str | None) -> Hand:
    lies = {step.position: _slot_of(step) for step in steps if step.position is not None}
    moved = any(slot.state == "lies" and slot.position not in lies for slot in hand.slots)  # by a split
    slots = {slot.position: slot for slot in hand.slots if moved or slot.state == "empty"}
    slots |= {slot.position: slot for slot in hand.slots if slot.position in lies}  # in the order of the template
    if not moved:
        shown = {slot.position for slot in hand.slots}
        slots |= {position: slot for position, slot in lies.items() if position in shown or slot.state == "hidden"}
    if due is not None and _hand_of(due) == hand.hand:
        slots[due] = Slot(position=due, state="due")
    ordered = list(slots.values()) if moved else sorted(slots.values(), key=lambda slot: _number(slot.position))
    secret = any(slot.state == "hidden" for slot in ordered)
    return Hand(hand=hand.hand, name=hand.name, slots=ordered, note=None if secret else hand.note, won=hand.won)


def _slot_of(step: Step) -> Slot:
    position = step.position or ""
    if step.withheld:
        return Slot(position=position, state="hidden")
    return Slot(position=position, state="lies", card=step.card)


def _number(position: str) -> int:
    number = position.rpartition(".")[2]
    return int(number) if number.isdigit() else 0


def _hand_of(position: str | None) -> str | None:
    if position is None or position.startswith("card."):
        return position  # each of the six places is by itself
    hand, dot, number = position.rpartition(".")
    return hand if dot and number.isdigit() else position


def _result(game: str, facts: Mapping[str, Any], *, settled: bool) -> Felt | None:
    heading = _heading(settled)
    match game:
        case "roulette":
            laps = facts.get("laps")
            notes = [say("colour", str(facts["color"]))]
            notes += [say("line", "laps", n=f"{laps:g}")] if laps is not None else []
            return Number(
                heading=heading,
                number=str(facts["number"]),
                colour=str(facts["color"]),
                notes=notes,
                settled=settled,
            )
        case "sic-bo":
            notes = [say("line", "sum", n=facts["sum"])]
            return Dice(heading=heading, dice=list(facts["dice"]), notes=notes, settled=settled)
        case "rainbow-wheel":
            segment, turns, colour = facts.get("segment"), facts.get("turns"), str(facts["color"])
            notes = [] if segment is None else [say("line", "segment", n=segment)]
            notes += [] if turns is None else [say("line", "turns", n=f"{turns:.1f}")]
            return Segment(
                heading=heading,
                colour=colour,
                name=say("colour", colour),
                segment=segment,
                notes=notes,
                settled=settled,
            )
        case "fan-tan":
            beans, groups = facts.get("beans"), facts.get("groups")
            notes = [] if beans is None or groups is None else [say("line", "bean_count", beans=beans, groups=groups)]
            return Beans(heading=heading, remainder=int(facts["remainder"]), notes=notes, settled=settled)
        case _:
            return None

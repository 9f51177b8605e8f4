"""Events of every kind of table in one line of English each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dealer_daemon.words import text

STYLES = {
    "round.opened": "dim",
    "betting.closed": "dim",
    "attempt.started": "dim",
    "attempt.refused": "yellow",
    "attempt.held": "bold yellow",
    "attempt.unconfirmed": "yellow",
    "round.outcome": "bold green",
    "round.voided": "red",
    "outcome.corrected": "magenta",
    "deck.verified": "cyan",
    "deck.failed": "yellow",
    "shoe.cut_card": "cyan",
    "violation": "bold red",
    "table.paused": "bold red",
    "table.resumed": "green",
    "device.fault": "red",
    "device.recovered": "green",
}
"""The types that are shown, and how."""
BEGINS = {
    "roulette": "the ball is on the track",
    "rainbow-wheel": "the wheel turns",
    "sic-bo": "the dice are shaken",
    "fan-tan": "the bowl is lifted",
}


def worth_showing(game: str, event: Mapping[str, Any]) -> bool:
    """Whether people who look at all tables at once want to see it: bets are opened and closed by servers alone, and at
    a card table that asks for the same card again nothing begins."""
    kind, data = event["type"], event["data"]
    if kind in ("round.opened", "betting.closed"):
        return bool(data["source"] == "server")
    if kind == "attempt.started":
        return game in BEGINS
    return kind in STYLES


def describe(game: str, event: Mapping[str, Any]) -> str:
    """One line. ``game`` is the table's."""
    kind, data = event["type"], event["data"]
    match kind:
        case "round.opened":
            return "place your bets"
        case "betting.closed":
            return "no more bets"
        case "attempt.started":
            return f"{BEGINS.get(game, 'it begins')}{_attempt(data['attempt'], ' (attempt {})')}"
        case "attempt.refused":
            return f"REFUSED, {text(data['reason'], 'en')}: {_sentence(data['detail'])} {text(data['remedy'], 'en')}"
        case "attempt.held":
            return f"HELD, {text(data['reason'], 'en')}: {_sentence(data['detail'])} The service manager looks"
        case "round.outcome":
            said = RESULTS[game](data["facts"])
            last = "; the last hand of this shoe" if data.get("last_hand") else ""
            return f"OUTCOME {said}{_attempt(data['attempts'], ', attempt {}')}{last}"
        case "deck.verified":
            return f"deck set {data['deck_set']} is whole: {data['cards']} cards, by its {data['how']}"
        case "deck.failed":
            return f"deck set {data['deck_set']} is out, {text(data['reason'], 'en')}: {_sentence(data['detail'])}"
        case "shoe.cut_card":
            return "the cut card"
        case "round.voided" | "table.paused" | "table.resumed" | "violation":
            return f"{kind}: {data['reason']} {data.get('detail', '')}".rstrip()
        case "device.fault":
            return f"{data['device']}: {data['fault']}: {data['detail']}"
        case "device.recovered":
            return f"{data['device']}: {data['fault']} is over"
        case _:
            return str(kind)


def _attempt(number: int, form: str) -> str:
    return "" if number == 1 else form.format(number)


def _sentence(detail: str) -> str:
    return detail if detail.endswith(".") else f"{detail}."


def _roulette(facts: Mapping[str, Any]) -> str:
    laps = "laps not observed" if facts["laps"] is None else f"{facts['laps']} laps"
    return f"{facts['number']:>2} {facts['color']} ({laps})"


def _baccarat(facts: Mapping[str, Any]) -> str:
    player, banker = (f"{' '.join(facts[side]['cards'])} = {facts[side]['total']}" for side in ("player", "banker"))
    return f"{facts['winner']} (player {player}, banker {banker})"


def _three_cards(facts: Mapping[str, Any]) -> str:
    first, second = (
        f"{' '.join(facts['hands'][side]['cards'])} {facts['hands'][side]['rank'].replace('_', ' ')}"
        for side in ("first", "second")
    )
    return f"{facts['winner']} ({first}; {second})"


def _sic_bo(facts: Mapping[str, Any]) -> str:
    word = "triple" if facts["triple"] else f"{facts['size']} {facts['parity']}"
    return f"{' '.join(map(str, facts['dice']))}, sum {facts['sum']}, {word}"


def _rainbow(facts: Mapping[str, Any]) -> str:
    return f"{facts['color']}, segment {facts['segment']} ({facts['turns']:.1f} turns)"


def _fan_tan(facts: Mapping[str, Any]) -> str:
    return f"{facts['remainder']} left, {facts['parity']} ({facts['beans']} beans in {facts['groups']} groups)"


RESULTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "roulette": _roulette,
    "baccarat": _baccarat,
    "three-cards": _three_cards,
    "sic-bo": _sic_bo,
    "rainbow-wheel": _rainbow,
    "fan-tan": _fan_tan,
}
"""By game, an outcome's facts in few words."""

"""Who judges a table's attempts: the main devices, their witnesses, and what may stand in for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dealer_daemon.events import Facts
from dealer_daemon.games.game import AttemptGame, BadFacts, TableDevice
from dealer_daemon.table.common import Rules
from dealer_daemon.validation.entry import EntryJudge
from dealer_daemon.validation.judge import Judge
from dealer_daemon.validation.witness import WitnessedJudge
from dealer_drivers.driver import Observes


@dataclass(frozen=True, slots=True)
class Judges:
    """``main`` leads, ``device`` names its first device. ``fallbacks`` count where a manager allowed it."""

    main: Judge
    device: str
    fallbacks: Mapping[str, Judge]


def make_judges(rules: Rules, devices: Sequence[TableDevice], token: int | None, stands: Facts | None) -> Judges:
    """The judges of a table whose game is one of attempts."""
    main = [device for device in devices if device.role == "main"]
    witnesses = {device.name: _judge(rules, [device], None, None) for device in devices if device.role == "witness"}
    fallbacks = {device.name: _judge(rules, [device], None, None) for device in devices if device.role == "fallback"}
    judge = _judge(rules, main, token, stands)
    if witnesses:
        judge = WitnessedJudge(judge, witnesses, _game(rules).same, rules.witness_wait_s)
    return Judges(judge, main[0].name, fallbacks)


def _judge(rules: Rules, devices: Sequence[TableDevice], token: int | None, stands: Facts | None) -> Judge:
    game = _game(rules)
    if any(Observes.ENTRY in device.observes for device in devices):

        def stated(result: Mapping[str, Any]) -> Mapping[str, Any] | str:
            try:
                return game.stated(rules.settings, result)
            except BadFacts as error:
                return str(error)

        return EntryJudge(stated)
    return game.judge(rules.settings, devices, token, stands)


def _game(rules: Rules) -> AttemptGame:
    assert isinstance(rules.game, AttemptGame)
    return rules.game

"""Lays cards on a procedure the way a table does: each on the position that is due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dealer_daemon.games.cards.card import Card
from dealer_daemon.games.cards.procedure import (
    CardDue,
    CardStep,
    ExpectStep,
    GateDue,
    GateStep,
    History,
    Procedure,
    Refusal,
)

Lay = Callable[..., History]


def _lay(procedure: Procedure, *what: str | dict[str, Any], after: History = ()) -> History:
    """``what``: cards by their text (several in one text), ``"gate"`` for the gate that is due, a dict for what the
    server says."""
    history = after
    for item in what:
        for token in [item] if isinstance(item, dict) else item.split():
            due = procedure.due(history)
            step: CardStep | GateStep | ExpectStep
            if isinstance(token, dict):
                step = ExpectStep(token)
            elif token == "gate":
                assert isinstance(due, GateDue), due
                step = GateStep(due.gate)
            else:
                assert isinstance(due, CardDue), (token, due)
                step = CardStep(due.position, Card.parse(token))
            answer = procedure.advance(history, step)
            assert not isinstance(answer, Refusal), answer
            history = answer
    return history


@pytest.fixture
def lay() -> Lay:
    return _lay


@pytest.fixture
def hand() -> Callable[[str], list[Card]]:
    """``"8S TD"`` as cards."""
    return lambda text: [Card.parse(token) for token in text.split()]

"""``events.resend`` at a table whose oldest events retention took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dealer_daemon.commands import MAX_RESENT, Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import TablePaused
from dealer_daemon.journal import Journal
from dealer_daemon.station.host import TableHost
from dealer_daemon.station.station import TableParts
from support.mqtt_bench import Make
from support.mqtt_outbox import event
from support.roulette_host import roulette_host

LAST = MAX_RESENT + 100


def resend(host: TableHost, first: int) -> Reply:
    args = {"from": first}
    name = CommandName.EVENTS_RESEND
    return host.command(Command(id=f"c-{first}", name=name, client="lobby", role=Role.SERVER, by="lobby", args=args))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path, boot="boot-a")
    opened.commit([event(n, TablePaused(reason="test", by="somebody"), subject=None) for n in range(1, LAST + 1)])
    yield opened
    opened.close()


async def test_what_retention_took_is_refused_and_the_oldest_kept_is_named(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = roulette_host(journal)
    assert resend(host, 1).result == {"from": 1, "to": MAX_RESENT}
    assert resend(host, LAST - 1).result == {"from": LAST - 1, "to": LAST}
    assert resend(host, LAST + 1).error is ErrorCode.BAD_ARGUMENT
    monkeypatch.setattr(journal, "first_sequence", lambda _table: 7)
    refused = resend(host, 6)
    assert (refused.ok, refused.error) == (False, ErrorCode.BAD_ARGUMENT)
    assert "events before 7 are no longer kept" in (refused.message or "")
    assert resend(host, 7).ok is True


async def test_a_resend_that_was_answered_before_its_events_went_is_answered_the_same(
    journal: Journal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id is repeated months later: nothing is there to be sent, and that is no fault of the station."""
    publisher = make(journal).publisher
    parts: Any = SimpleNamespace(host=roulette_host(journal), uplink=publisher)
    asked = Command(
        id="c-1", name=CommandName.EVENTS_RESEND, client="lobby", role=Role.SERVER, by="lobby", args={"from": 1}
    )
    reply = await TableParts._answer(parts, "r1", asked)
    assert reply.ok
    assert publisher._repeats.waiting
    monkeypatch.setattr(journal, "first_sequence", lambda _table: 7)
    with pytest.raises(ValueError, match="the oldest"):
        publisher.resend(1)
    assert await TableParts._answer(parts, "r1", asked) == reply

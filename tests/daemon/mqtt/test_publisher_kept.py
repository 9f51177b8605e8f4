"""``events.resend`` at a table whose oldest events retention took."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_daemon.commands import MAX_RESENT, Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import TablePaused
from dealer_daemon.journal import Journal
from dealer_daemon.station.host import TableHost
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

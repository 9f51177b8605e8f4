"""A table is not taken up by other rules than those that its open round was opened by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from dealer_daemon.commands import Command, CommandName, ErrorCode, Reply, Role
from dealer_daemon.config import parse_config
from dealer_daemon.journal import Journal
from dealer_daemon.station import RulesChanged
from dealer_daemon.station.host import TableHost
from dealer_drivers.clock import SystemClock
from dealer_drivers.readings.shoe import CardRead

TABLE = """
[station]
site = "studio-1"
state_dir = "state"
[tables.b1]
{keys}
[tables.b1.shoe]
require_verified = false
[[tables.b1.devices]]
name = "scanner"
driver = "barcode-serial"
port = "/dev/dealer/scanner"
codebook = "rank-suit"
"""
BACCARAT = 'game = "baccarat"\nround_source = "server"'
GATES = BACCARAT + '\ngates = ["first_four"]'
NIU_NIU = 'game = "niu-niu"\nround_source = "server"'
BLACKJACK = 'game = "blackjack"\nround_source = "server"\nrules = "{}"'


class Station:
    """One table, again and again on one journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.clock = SystemClock()
        self.ids = 0

    def start(self, keys: str, table: str = TABLE) -> TableHost:
        host = TableHost(
            parse_config(table.replace("{keys}", keys), Path("/nowhere/station.toml")).tables["b1"],
            self.journal,
            self.clock,
            boot="b",
            clock_speed=1.0,
            act=lambda _device, _action: None,
            changed=lambda: None,
        )
        host.start()
        return host

    def ask(self, host: TableHost, name: CommandName, role: Role = Role.SERVER, **args: object) -> Reply:
        self.ids += 1
        decision = host._table.command(
            Command(id=f"c{self.ids}", name=name, client="c", role=role, by="who", args=args),
            self.clock.now(),
            lambda sequence: next(self.journal.events("b1", after=sequence - 1), None),
        )
        host._commit(decision, host._table.state)
        assert decision.command is not None
        return decision.command.reply

    def hand(self, host: TableHost, *cards: str) -> None:
        """A round in which these cards lie."""
        for name in (CommandName.ROUND_OPEN, CommandName.BETTING_CLOSE):
            assert self.ask(host, name).ok
        at = self.clock.now()
        for number, card in enumerate(cards):
            reading = CardRead(at=at.plus_s(number), raw=card.encode(), card=card, code=card)
            host.readings("scanner", (reading,), reading.at)


@pytest.fixture
async def station(tmp_path: Path) -> AsyncIterator[Station]:
    with closing(Journal.open(tmp_path / "state", boot="b")) as journal:
        yield Station(journal)


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (BACCARAT, NIU_NIU, 'game was "baccarat" and is "niu-niu"'),
        (BACCARAT, BACCARAT + '\norder = "open"', 'order was left out and is "open"'),
        (GATES, BACCARAT, r'gates was \["first_four"\] and is left out'),
        (BACCARAT, BACCARAT.replace("server", "device"), 'round_source was "server" and is "device"'),
        (
            BLACKJACK.format("classic-003"),
            BLACKJACK.format("free-bet-001"),
            'rules was "classic-003" and is "free-bet-001"',
        ),
    ],
    ids=["game", "order", "gates", "source", "rules"],
)
async def test_an_open_round_is_not_gone_on_with_by_other_rules(
    station: Station, first: str, then: str, told: str
) -> None:
    host = station.start(first)
    station.hand(host, "2S", "9C")
    host.stop()
    with pytest.raises(RulesChanged, match=f"tables.b1: round b1-1 is open .*{told}.* put them back"):
        station.start(then)
    # As it says: put back, void, then change.
    again = station.start(first)
    assert station.ask(again, CommandName.ROUND_VOID, Role.MANAGER, reason="other rules").ok
    again.stop()
    station.start(then).stop()


async def test_between_rounds_the_rules_may_change(station: Station) -> None:
    for keys in (BACCARAT, NIU_NIU, BACCARAT + '\norder = "open"'):
        station.start(keys).stop()


async def test_what_no_card_lies_by_may_change_in_a_round(station: Station) -> None:
    """Another port must not need a void: the reader is what broke."""
    host = station.start(GATES)
    station.hand(host, "2S", "9C")
    host.stop()
    table = TABLE.replace("/dev/dealer/scanner", "/dev/dealer/other").replace(
        "[tables.b1.shoe]", "[tables.b1.shoe]\nburn = 1"
    )
    again = station.start(GATES + '\ntries_before_pause = 5\norder = "deal"', table)
    assert again.committed.round is not None
    again.stop()


async def test_an_outcome_of_another_game_is_not_corrected_by_this_one(station: Station) -> None:
    host = station.start(BACCARAT)
    station.hand(host, "9S", "3C", "KD", "KH")
    outcome = host.committed.outcome
    assert outcome is not None
    host.stop()
    again = station.start('game = "dragon-tiger"\nround_source = "server"')
    reply = station.ask(
        again,
        CommandName.OUTCOME_CORRECT,
        Role.MANAGER,
        replaces=outcome.sequence,
        reason="video",
        cards={"dragon.1": "9S", "tiger.1": "3C"},
    )
    assert reply.error == ErrorCode.NOT_NOW
    assert "that was baccarat" in reply.message
    again.stop()

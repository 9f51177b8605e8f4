"""A shadow table: its topics, its configuration, and that it asks no device for anything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_daemon.acl.clients import Clients
from dealer_daemon.acl.rules import grants
from dealer_daemon.config import Config, ConfigErrors, parse_config
from dealer_daemon.journal import Journal
from dealer_daemon.mqtt.topics import Topics
from dealer_daemon.station import ShadowChanged
from dealer_daemon.station.host import TableHost
from dealer_daemon.station.setup import recover
from dealer_daemon.station.station import client_id
from dealer_daemon.table import Decision
from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import DeviceAction
from support.roulette_host import CONFIG

SHADOW = CONFIG.replace('game = "roulette"', 'game = "roulette"\nround_source = "device"\nshadow = true')


def config(text: str) -> Config:
    return parse_config(text, Path("/nowhere/station.toml"))


def host(journal: Journal, text: str, acts: list[DeviceAction] | None = None) -> TableHost:
    asked = [] if acts is None else acts
    return TableHost(
        config(text).tables["r1"],
        journal,
        SystemClock(),
        boot="b",
        clock_speed=1.0,
        act=lambda _device, action: asked.append(action),
        changed=lambda: None,
    )


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    with closing(Journal.open(tmp_path / "state", boot="b")) as opened:
        yield opened


def test_its_topics_are_seen_by_no_subscription_to_the_prefix() -> None:
    shadow, live = Topics("dealer/v1", "s", "r1", shadow=True), Topics("dealer/v1", "s", "r1")
    assert shadow.outcome == "shadow/dealer/v1/s/r1/outcome"
    assert live.outcome == "dealer/v1/s/r1/outcome"
    for topics in (shadow, live):
        for topic in ("shadow/dealer/v1/s/r1/outcome", "dealer/v1/s/r1/outcome", "shadow/dealer/v1", "dealer/v1"):
            assert not topics.response_allowed(topic)
    assert shadow.response_allowed("shadow/dealer/v1/s/r1/replies/me")
    assert not shadow.response_allowed("dealer/v1/s/r1/replies/me")
    assert not live.response_allowed("shadow/dealer/v1/s/r1/replies/me")


def test_a_shadow_throws_no_live_table_of_its_name_out_of_the_broker() -> None:
    ids = {client_id("studio-1", config(text).tables["r1"]) for text in (SHADOW, CONFIG)}
    assert ids == {"dealer-shadow-studio-1-r1", "dealer-studio-1-r1"}


def test_the_access_list_gives_the_station_nothing_of_the_live_topics() -> None:
    [grant] = grants(config(SHADOW), Clients({}), "station")
    assert all(topic.startswith("shadow/dealer/v1/studio-1/r1/") for topic in (*grant.write, *grant.read))


def test_no_server_commands_a_shadow() -> None:
    with pytest.raises(ConfigErrors, match=r'tables\.r1\.shadow: no server commands a shadow.*"device"'):
        config(SHADOW.replace('round_source = "device"\n', ""))


def test_only_a_shadow_has_another_configuration_than_before() -> None:
    plain = CONFIG.replace('game = "roulette"', 'game = "roulette"\nround_source = "device"')
    hashes = [
        config(text).tables["r1"].config_hash
        for text in (plain, plain.replace("[tables.r1.spin]", "shadow = false\n[tables.r1.spin]"), SHADOW)
    ]
    assert hashes[0] == hashes[1] != hashes[2]


async def test_no_device_is_asked_to_do_anything_but_look(journal: Journal) -> None:
    asked: list[DeviceAction] = []
    made = host(journal, SHADOW, asked)
    made.start()
    at = SystemClock().now()
    for action in DeviceAction:
        plain = made._table.tick(at)
        assert isinstance(plain, Decision)
        made._perform(replace(plain, actions=(("wheel", action),)))
    assert asked == [DeviceAction.LOOK]
    made.stop()


async def test_its_state_says_so_and_survives(journal: Journal) -> None:
    made = host(journal, SHADOW)
    made.start()
    assert made.state_message({})["shadow"] is True
    made.stop()
    assert recover(journal, "r1").shadow
    again = host(journal, SHADOW)
    again.start()
    again.stop()


@pytest.mark.parametrize(("first", "then"), [(SHADOW, CONFIG), (CONFIG, SHADOW)], ids=["goes-live", "goes-back"])
async def test_a_table_stays_what_it_was(journal: Journal, first: str, then: str) -> None:
    made = host(journal, first)
    made.start()
    made.stop()
    with pytest.raises(ShadowChanged, match=r"Give the table that is .* another name"):
        host(journal, then)

"""The demonstration, as ``make demo`` runs it."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import Callable

import pytest

from dealer_daemon.demo.lobby import AGAIN_S, BETTING_S, MANAGER_S, REST_S, Lobby
from dealer_daemon.demo.tables import TABLES

ALL_KINDS = {"roulette", "baccarat", "three-cards", "sic-bo", "rainbow-wheel", "fan-tan"}


async def demo(*options: str, until: Callable[[str], bool] | None = None) -> tuple[int, str]:
    """Its exit code and all that it said; it is interrupted once ``until`` holds of that."""
    command = [sys.executable, "-m", "dealer_daemon", "demo", *options]
    child = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True
    )
    assert child.stdout is not None
    said = ""
    try:
        async with asyncio.timeout(110):
            async for line in child.stdout:
                said += line.decode()
                if until is not None and until(said):
                    child.send_signal(signal.SIGINT)
                    until = None
            await child.wait()
    except TimeoutError:
        raise AssertionError(f"it did not come to that:\n{said}") from None
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGINT)  # it stops its parts
            await child.communicate()
    return child.returncode or 0, said


def outcomes(said: str) -> set[str]:
    """Games of which there was an outcome."""
    return set(re.findall(r"^[0-9:]{8}  \w+ +(\S+) +\S+ +OUTCOME", said, re.MULTILINE))


async def test_every_kind_of_table_gives_outcomes_in_one_station() -> None:
    code, said = await demo("--speed", "4", until=lambda said: outcomes(said) == ALL_KINDS)
    assert code == 0, said
    assert {table.game for table in TABLES} == ALL_KINDS
    assert "6 tables, 8 devices, all links up" in said
    assert re.search(r"the tables' screens: http://127\.0\.0\.1:\d+/$", said, re.MULTILINE)
    assert "measuring the profile of camera dome" in said
    assert "no more bets" in said, "the game server of the sic bo table closes betting"
    assert "deck set red is whole: 52 cards, by its shuffler" in said
    assert "verifies." in said
    assert "\x1b" not in said, "no colours where nobody sees them"


@pytest.mark.parametrize("broker", ["mosquitto", "amqtt"])
async def test_a_short_spin_is_thrown_again(broker: str) -> None:
    again = re.compile(r"roulette .*OUTCOME .* laps\), attempt 2")
    code, said = await demo("--speed", "20", "--broker", broker, until=lambda said: again.search(said) is not None)
    assert code == 0, said
    assert "REFUSED, Too few laps" in said
    assert "Throw again" in said
    assert "without sic bo and fan tan" in said
    assert ("MQTT 3.1.1" in said) is (broker == "amqtt")
    assert "verifies." in said


async def test_it_ends_by_itself() -> None:
    code, said = await demo("--speed", "20", "--seconds", "8")
    assert code == 0, said
    assert "OUTCOME" in said


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ("starting the broker", "Ended before everything was up"),
        ("What game servers", "Ended before the first outcome"),
    ],
)
async def test_one_that_is_ended_before_there_is_an_outcome_says_so(after: str, words: str) -> None:
    code, said = await demo("--speed", "5", until=lambda said: after in said)
    assert code == 130, said
    assert words in said
    assert "Traceback" not in said


def sent(lobby: Lobby, now_s: float) -> list[tuple[str, str, str]]:
    return [(order.table, order.name, order.body["data"]["role"]) for order in lobby.due(now_s)]


def test_a_server_opens_and_closes_rounds_of_its_table_alone() -> None:
    lobby = Lobby({"s1"}, "run")
    for table in ("s1", "r1"):
        lobby.heard(table, {"type": "table.started"}, 0.0)
    assert sent(lobby, REST_S - 0.1) == []
    assert sent(lobby, REST_S) == [("s1", "round.open", "server")]
    assert sent(lobby, REST_S + 0.1) == []
    assert sent(lobby, REST_S + AGAIN_S) == [("s1", "round.open", "server")], "nothing came of it: again"
    lobby.heard("s1", {"type": "round.opened"}, 20.0)
    assert sent(lobby, 20.0 + BETTING_S) == [("s1", "betting.close", "server")]
    lobby.heard("s1", {"type": "betting.closed"}, 29.0)
    assert sent(lobby, 1000.0) == [], "the dice are the station's"
    lobby.heard("s1", {"type": "round.outcome"}, 1000.0)
    assert sent(lobby, 1000.0 + REST_S) == [("s1", "round.open", "server")]


def test_a_manager_voids_what_is_held_at_a_served_table_and_resumes_every_table() -> None:
    lobby = Lobby({"s1"}, "run")
    lobby.heard("s1", {"type": "round.opened"}, 0.0)
    lobby.heard("s1", {"type": "betting.closed"}, 1.0)
    lobby.heard("s1", {"type": "attempt.held"}, 2.0)
    lobby.heard("r1", {"type": "attempt.held"}, 2.0)
    assert sent(lobby, 2.0 + MANAGER_S) == [("s1", "round.void", "manager")]
    lobby.heard("s1", {"type": "round.voided"}, 9.0)
    for table in ("s1", "r1"):
        lobby.heard(table, {"type": "table.paused", "sequence": 9}, 10.0)
    assert sent(lobby, 10.0 + MANAGER_S) == [("s1", "table.resume", "manager"), ("r1", "table.resume", "manager")]
    for table in ("s1", "r1"):
        lobby.heard(table, {"type": "table.resumed"}, 20.0)
    assert sent(lobby, 20.0 + REST_S) == [("s1", "round.open", "server")]


def test_a_station_that_was_started_again_has_the_round_that_it_had() -> None:
    lobby = Lobby({"s1"}, "run")
    lobby.heard("s1", {"type": "round.opened"}, 0.0)
    lobby.heard("s1", {"type": "table.started"}, 1.0)
    assert sent(lobby, 1.0 + BETTING_S) == [("s1", "betting.close", "server")]
    lobby.heard("s1", {"type": "betting.closed"}, 20.0)
    lobby.heard("s1", {"type": "table.started"}, 21.0)
    assert sent(lobby, 1000.0) == [], "its attempt is the station's"

"""The technician's addresses, and that nothing on them was withheld from servers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from dealer_daemon.events import CardDrawn, CardWithheld, TablePaused
from dealer_daemon.evidence import Evidence
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.people import PeopleFile
from dealer_daemon.screen.door import Door
from dealer_daemon.screen.memory import Memory, remember
from dealer_daemon.screen.technician_view import MOST_EVENTS, TechnicianView, tail_of, technician_view
from dealer_daemon.words import Language
from support.device_health import health
from support.screen_app import PlayedTable, served
from support.screen_people import Visitor, people_file
from support.screen_play import ScreenPlay, table_config
from support.screen_scenes import SCENES

HERE = "/tables/b1/technician"


def seen(play: ScreenPlay) -> TechnicianView:
    memory = remember(Memory(), play.events)
    return technician_view(play.sight, memory, tail_of((), play.events), {"wheel": health()}, {"problems": []})


def test_a_withheld_card_is_nowhere_on_the_page() -> None:
    def body(card: str) -> bytes:
        play = ScreenPlay(table_config("baccarat", "b1")).shoe().open()
        name = "sha256:" + hashlib.sha256(card.encode()).hexdigest()
        play.say(CardWithheld(position="player.1", card=card, unit=f"unit-{card}", evidence=[name]))
        return msgspec.json.encode(seen(play))

    assert body("8S") == body("KD")
    assert b'"type":"card.withheld"' in body("8S")


def test_the_tail_is_of_the_newest_events_and_bounded() -> None:
    play = ScreenPlay(table_config("sic-bo", "s1"))
    for _ in range(MOST_EVENTS):
        play.open().close().outcome(**dice_facts([1, 2, 6]))
    play.say(TablePaused(reason="x" * 5000, by="m"))
    tail = seen(play).tail
    assert [one.sequence for one in tail] == list(
        range(play.events[-1].sequence, play.events[-1].sequence - MOST_EVENTS, -1)
    )
    assert len(tail[0].data) < 1000
    assert tail_of(tail_of((), play.events[:-1]), play.events[-1:]) == tail_of((), play.events)


def test_a_view_is_another_only_when_something_else_than_the_time_is() -> None:
    play = SCENES["roulette_throw"](Language.ENGLISH)
    memory = remember(Memory(), play.events)
    one, other = (
        technician_view(play.sight, memory, (), {"wheel": health(time=time)}, {"problems": []})
        for time in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    )
    assert one == other


@pytest.fixture
def table() -> PlayedTable:
    play = ScreenPlay(table_config("baccarat", "b1")).shoe().open().close()
    names = {text: "sha256:" + hashlib.sha256(text.encode()).hexdigest() for text in ("over", "now")}
    play.say(CardDrawn(position="player.1", card="8S", evidence=[names["over"]])).cards("5C AD TH").outcome()
    play.open().close().say(CardDrawn(position="player.1", card="2S", evidence=[names["now"]]))
    made = PlayedTable(play)
    made.pieces = {name: Evidence(name, text.encode(), "image/png") for text, name in names.items()}
    return made


async def test_pictures_are_of_rounds_that_are_over_and_for_technicians_and_managers(
    tmp_path: Path, table: PlayedTable
) -> None:
    over, now = table.pieces
    async with served({"b1": table}, Door(PeopleFile(people_file(tmp_path)))) as url:
        stranger, dealer = Visitor(url), Visitor(url)
        await dealer.sign_in("dealer-7")
        for path in ("", "/feed", "/evidence", f"/evidence/{over}"):
            assert (await stranger.ask(HERE + path))[0] == (401 if path else 303)
            assert (await dealer.ask(HERE + path))[0] == 403
        for name in ("technician-1", "manager-1"):
            one = Visitor(url)
            await one.sign_in(name)
            assert (await one.ask(HERE))[0] == 200
            assert [piece["hash"] for piece in json.loads((await one.ask(f"{HERE}/evidence"))[2])] == [over]
            assert (await one.ask(f"{HERE}/evidence/{over}"))[2] == b"over"
            assert (await one.ask(f"{HERE}/evidence/{now}"))[0] == 404

"""The service manager's addresses: who may do what, what is asked of the table, and what may be looked at."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.events import (
    AttemptHeld,
    AttemptRefused,
    AttemptStarted,
    CardDrawn,
    CardWithheld,
    OutcomeCorrected,
    RoundVoided,
    TablePaused,
)
from dealer_daemon.evidence import Evidence
from dealer_daemon.games import load_game
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.people import PeopleFile
from dealer_daemon.screen.desk import ACTS
from dealer_daemon.screen.door import Door
from dealer_daemon.screen.manager_view import Offer, manager_view, offers_of
from dealer_daemon.screen.memory import MOST_ENDED, Memory, may_be_seen, remember
from dealer_daemon.words import Language
from support.screen_app import PlayedTable, served
from support.screen_people import Visitor, people_file
from support.screen_play import ScreenPlay, table_config
from support.screen_scenes import SCENES

MANAGER = "/tables/s1/manager"


def piece(text: bytes, media_type: str = "image/png") -> Evidence:
    return Evidence("sha256:" + hashlib.sha256(text).hexdigest(), text, media_type)


SEEN, KEPT, LINES = piece(b"seen"), piece(b"kept"), piece(b"{}", "application/vnd.dealer-station.recording+jsonl")


def held(*, betting: str = "closed") -> ScreenPlay:
    play = ScreenPlay(table_config("sic-bo", "s1")).open()
    play.say(AttemptStarted(attempt=1))
    if betting == "closed":
        play.close()
    return play.say(
        AttemptHeld(
            reason="not_clear", attempt=1, detail="", seen={}, evidence=[SEEN.hash, LINES.hash], kept=[KEPT.hash]
        )
    )


@dataclass
class Here:
    url: str
    table: PlayedTable
    door: Door
    now: list[float]

    async def manager(self, *, pin: bool = True) -> Visitor:
        one = Visitor(self.url)
        await one.sign_in("manager-1")
        if pin:
            assert (await one.pin())[0] == 200
        return one


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Here]:
    table, now = PlayedTable(held()), [100.0]
    table.pieces = {one.hash: one for one in (SEEN, KEPT, LINES)}
    door = Door(PeopleFile(people_file(tmp_path)), lambda: now[0])
    async with served({"s1": table}, door) as url:
        yield Here(url, table, door, now)


DECIDE = {"reason": "by the video", "about": {"round": "s1-1"}, "args": {"dice": [1, 2, 6]}}


async def test_a_decision_is_the_managers_command_with_their_name_and_reason(here: Here) -> None:
    one = await here.manager()
    assert (await one.act(f"{MANAGER}/acts/decide", **DECIDE))[:2] == (200, "done")
    (command,) = here.table.commands
    assert (command.name, command.role, command.by) == (CommandName.ATTEMPT_DECIDE, Role.MANAGER, "manager-1")
    assert command.args == {"round": "s1-1", "dice": [1, 2, 6], "reason": "by the video"}
    assert command.sent_ns is not None


@pytest.mark.parametrize("act", sorted(ACTS))
async def test_nobody_else_does_what_is_the_managers(here: Here, act: str) -> None:
    about = {"round": "s1-1", "pause": 3, "replaces": 4}
    body = {"reason": "x", "about": {key: about[key] for key in ACTS[act].about}}
    address = f"{MANAGER}/acts/{act}"
    assert (await Visitor(here.url).act(address, **body))[0] == 401
    for name in ("dealer-7", "technician-1"):
        other = Visitor(here.url)
        await other.sign_in(name)
        assert (await other.act(address, **body))[:2] == (403, "not_your_role")
    without = Visitor(here.url)
    await without.sign_in("manager-2")
    assert (await without.act(address, **body))[:2] == (403, "pin_unset")
    manager = await here.manager(pin=False)
    assert (await manager.act(address, **body))[:2] == (403, "pin_first")
    token, manager.csrf = manager.csrf, "0" * 64
    assert (await manager.act(address, **body))[:2] == (403, "page_old")
    manager.csrf = token
    assert not here.table.commands
    await manager.pin()
    assert (await manager.act(address, **body))[0] == 200
    here.now[0] += 61
    assert (await manager.act(address, **body))[:2] == (403, "pin_first")


@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": " "},
        {"reason": "x" * 301},
        {"about": {}},
        {"about": {"round": None}},
        {"about": {"round": "s1-1", "pause": 1}},
        {"args": {"role": "server"}},
        {"args": {"round": "s1-9"}},
        {"args": {"reason": "another"}},
        {"at": "0"},
        {"at": str(time.time_ns() + 10**12)},
        {"id": 7},
        {"more": 1},
    ],
)
async def test_what_is_not_whole_is_no_act(here: Here, wrong: dict[str, Any]) -> None:
    one = await here.manager()
    assert (await one.act(f"{MANAGER}/acts/decide", **(DECIDE | wrong)))[0] == 400
    assert not here.table.commands
    assert (await one.act(f"{MANAGER}/acts/release", **DECIDE))[0] == 404


async def test_the_page_leads_to_the_sign_in_and_the_feed_does_not_run(here: Here) -> None:
    stranger, dealer = Visitor(here.url), Visitor(here.url)
    status, headers, _ = await stranger.ask(f"{MANAGER}?lang=zh-Hans")
    assert (status, headers["location"]) == (303, "/sign-in?to=%2Ftables%2Fs1%2Fmanager&lang=zh-Hans")
    assert "content-security-policy" in headers
    for path in ("/feed", "/evidence", f"/evidence/{SEEN.hash}"):
        status, headers, _ = await stranger.ask(MANAGER + path)
        assert status == 401
        assert "content-security-policy" in headers
    await dealer.sign_in("dealer-7")
    for path in ("", "/feed", "/evidence", f"/evidence/{SEEN.hash}"):
        assert (await dealer.ask(MANAGER + path))[0] == 403
    manager = await here.manager(pin=False)
    assert (await manager.ask(MANAGER))[0] == 200
    assert (await manager.ask("/tables/other/manager"))[0] == 404


async def test_a_feed_ends_when_its_manager_signs_out(here: Here) -> None:
    one = await here.manager(pin=False)
    host, _, port = here.url.removeprefix("http://").partition(":")
    cookie = "; ".join(f"{name}={value}" for name, value in one.cookies.items())
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {MANAGER}/feed HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
    first = await reader.readuntil(b'"ended"')
    assert b'"act":"decide"' in first
    await one.post("/sign-out")
    here.table.play.say(TablePaused(reason="checking", by="manager-1"))
    here.table.desk.changed()
    async with asyncio.timeout(10):
        rest = await reader.read()
    assert b"checking" not in rest
    writer.close()
    await writer.wait_closed()


async def test_evidence_is_shown_once_betting_is_closed_and_pictures_alone(here: Here) -> None:
    one = await here.manager(pin=False)
    listed = json.loads((await one.ask(f"{MANAGER}/evidence"))[2])
    assert listed == [{"hash": SEEN.hash, "round": "s1-1"}, {"hash": KEPT.hash, "round": "s1-1"}]
    status, headers, body = await one.ask(f"{MANAGER}/evidence/{SEEN.hash}")
    assert (status, headers["content-type"], body) == (200, "image/png", b"seen")
    assert headers["cache-control"] == "no-store"
    assert (await one.ask(f"{MANAGER}/evidence/{LINES.hash}"))[0] == 404
    here.table.play = held(betting="open")
    for name in (SEEN.hash, KEPT.hash):
        assert (await one.ask(f"{MANAGER}/evidence/{name}"))[0] == 404
    assert json.loads((await one.ask(f"{MANAGER}/evidence"))[2]) == []


def memory(play: ScreenPlay) -> Memory:
    return remember(Memory(), play.events)


def test_a_withheld_cards_evidence_is_never_among_what_may_be_seen() -> None:
    play = ScreenPlay(table_config("baccarat", "b1")).shoe().open()
    play.say(CardWithheld(position="player.1", card="8S", evidence=["sha256:secret"]))
    play.say(AttemptRefused(reason="x", remedy="rescan", attempt=1, detail="", evidence=[], kept=["sha256:kept"]))
    assert may_be_seen(play.sight, memory(play)) == {}
    play.close()
    assert may_be_seen(play.sight, memory(play)) == {}, "it may wait for its gate, and what was kept with it"
    play.say(CardDrawn(position="player.1", card="8S", evidence=["sha256:secret"]))
    assert may_be_seen(play.sight, memory(play)) == {"sha256:secret": "b1-1"}
    play.say(RoundVoided(reason="x", by="manager-1", seen={}))
    assert may_be_seen(play.sight, memory(play)) == {}
    for offer in offers_of(play.sight, memory(play)):
        assert "8S" not in repr(offer)


def test_a_withheld_card_is_nowhere_on_the_page() -> None:
    def body(card: str) -> bytes:
        play = ScreenPlay(table_config("baccarat", "b1")).shoe().open()
        play.say(CardWithheld(position="player.1", card=card, unit=f"unit-{card}", evidence=[f"sha256:{card}"]))
        play.say(AttemptHeld(reason="x", attempt=1, detail="", seen={}, evidence=[], card=card, position="player.2"))
        shown = [msgspec.json.encode(manager_view(play.sight, memory(play)))]
        play.close()
        return b"".join([*shown, msgspec.json.encode(manager_view(play.sight, memory(play)))])

    assert body("8S") == body("KD")


def test_what_is_offered_is_what_the_table_waits_for() -> None:
    def acts(play: ScreenPlay) -> list[str]:
        return [offer.act for offer in offers_of(play.sight, memory(play))]

    assert acts(ScreenPlay(table_config("sic-bo", "s1"))) == ["pause"]
    assert acts(held()) == ["decide", "refuse", "void", "pause"]
    assert acts(held(betting="open")) == ["refuse", "void", "pause"]
    assert acts(held().say(TablePaused(reason="x", by="m"))) == ["resume", "decide", "void"]
    cards = ScreenPlay(table_config("baccarat", "b1")).shoe()
    assert acts(cards) == ["shoe", "pause"]
    assert acts(cards.open().close().cards("2S 5C")) == ["card", "void", "pause"]
    assert acts(cards.say(TablePaused(reason="x", by="m"))) == ["resume", "card", "void", "shoe"]


def test_a_forms_offer_is_another_once_the_table_asks_anew() -> None:
    def decide(play: ScreenPlay) -> Offer:
        return next(offer for offer in offers_of(play.sight, memory(play)) if offer.act == "decide")

    play = held()
    before = decide(play)
    play.say(AttemptRefused(reason="manager_refused", remedy="reshake", attempt=1, detail="", evidence=[]))
    play.say(AttemptStarted(attempt=2))
    play.say(AttemptHeld(reason="not_clear", attempt=2, detail="", seen={}, evidence=[]))
    assert decide(play) != before
    assert decide(play).about == before.about


def test_the_newest_outcomes_are_kept_as_they_stand_now() -> None:
    play = ScreenPlay(table_config("sic-bo", "s1"))
    for _ in range(MOST_ENDED + 3):
        play.open().close().outcome(**dice_facts([1, 2, 6]))
    kept = memory(play).ended
    assert [one.round for one in kept] == [f"s1-{n}" for n in range(MOST_ENDED + 3, 3, -1)]
    newest = kept[0]
    assert play.sight.state.outcome is not None
    play.events.append(
        play.events[-1].__class__(
            table="s1",
            sequence=newest.sequence + 1,
            subject=newest.round,
            wall_ns=0,
            mono_ns=0,
            boot="",
            data=OutcomeCorrected(
                replaces=newest.sequence, game="sic-bo", facts=dice_facts([2, 2, 6]), reason="x", by="m"
            ),
        )
    )
    corrected = memory(play).ended[0]
    assert (corrected.sequence, corrected.corrected, corrected.facts["dice"]) == (newest.sequence + 1, True, [2, 2, 6])


@pytest.mark.parametrize("name", sorted(SCENES))
def test_every_scene_has_a_view_for_the_manager(name: str) -> None:
    play = SCENES[name](Language.ENGLISH)
    view = manager_view(play.sight, memory(play))
    current = play.sight.state.round
    secret = {step.position for step in current.steps if step.withheld} if current is not None else set()
    assert not secret & {place.position for offer in view.offers for place in offer.places or [] if place.card}
    assert set(ACTS) >= {offer.act for offer in view.offers}


@pytest.mark.parametrize("name", [name for name in sorted(SCENES) if name.endswith("_result")])
def test_what_a_form_begins_with_is_the_result_as_it_stands(name: str) -> None:
    play = SCENES[name](Language.ENGLISH)
    one = memory(play).ended[0]
    offer = manager_view(play.sight, memory(play)).ended[0].offer
    assert offer is not None
    assert offer.about == {"replaces": one.sequence}
    if offer.places is None:
        assert offer.keys is not None
        return
    laid = {place.position: place.card for place in offer.places}
    stated = load_game(one.game).stated(play.config.settings, {"cards": laid, "expects": offer.expects})
    assert stated == one.facts


def test_of_a_hand_whose_beginning_is_not_known_no_card_is_said() -> None:
    play = SCENES["baccarat_result"](Language.ENGLISH)
    opened = next(index for index, event in enumerate(play.events) if isinstance(event.data, CardDrawn))
    assert memory(play).ended[0].cards
    (one,) = remember(Memory(), play.events[opened + 1 :]).ended
    assert one.cards == {}

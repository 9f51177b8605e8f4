"""Each role's way through its pages in Debian's Chromium, in every language, with axe on every page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dealer_daemon.commands import CommandName, ErrorCode, Reply, Role
from dealer_daemon.events import AttemptHeld, AttemptStarted, TablePaused
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.people import PeopleFile
from dealer_daemon.screen.door import Door
from dealer_daemon.words import Language
from support import axe
from support.axe import serious
from support.browser import ABSENT, CHROMIUM, SIZES, Browser, Page, browser
from support.device_health import health
from support.goldens import Image, compared, small
from support.screen_app import PlayedTable, served
from support.screen_people import PASSWORDS, PIN, people_file
from support.screen_play import ScreenPlay, table_config
from support.screen_scenes import SCENES
from support.small_png import small_png

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason=ABSENT),
    pytest.mark.skipif(not axe.AXE.exists(), reason=axe.ABSENT),
]

LIVE = "document.body && !document.body.classList.contains('not-live') && document.body.dataset.sequence"
OVER = """JSON.stringify([...document.querySelectorAll('body, header, main, main > section, dialog[open]')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.id || e.tagName))"""
GOLDENS = Path(__file__).with_name("people-goldens.png")
MARKUP = "<img src=x onerror=document.title='caught'>"


@dataclass
class Here:
    url: str
    chromium: Browser
    tables: dict[str, PlayedTable]
    language: Language
    pictures: dict[str, Image] = field(default_factory=dict)

    async def page(self, path: str) -> Page:
        page = await self.chromium.page()
        await page.go(self.url + path)
        return page


def held(language: Language) -> ScreenPlay:
    play = ScreenPlay(table_config("sic-bo", "s1", language=language))
    play.open().close().outcome(**dice_facts([2, 2, 6]))
    play.open().close().say(AttemptStarted(attempt=1))
    return play.say(AttemptHeld(reason="unclear", attempt=1, detail="", seen={}, evidence=[PICTURE.hash]))


PICTURE = small_png()


@pytest.fixture
async def here(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Here]:
    language = getattr(request, "param", Language.ENGLISH)
    tables = {
        "r1": PlayedTable(SCENES["roulette_confirm"](language)),
        "s1": PlayedTable(held(language)),
        "b1": PlayedTable(SCENES["baccarat_result"](language)),
    }
    tables["s1"].pieces = {PICTURE.hash: PICTURE}
    tables["r1"].health = {"wheel": health(), "laps": health(link="waiting", link_reason=MARKUP, faults=["silent"])}
    door = Door(PeopleFile(people_file(tmp_path)))
    async with served(tables, door) as url, browser(tmp_path / "chromium") as chromium:
        yield Here(url, chromium, tables, language)


async def looked_at(here: Here, page: Page, name: str, *, complaints: int = 0) -> None:
    """Nothing is cut off, nothing serious for axe, no script failed. What it looks like is kept by ``name``."""
    for width, height in reversed(SIZES.values()):
        await page.size(width, height)
        assert json.loads(await page.run(OVER)) == []
    here.pictures[name] = small(await page.picture())
    assert await serious(page) == []
    assert len(page.complaints) == complaints, page.complaints


async def click(page: Page, selector: str) -> None:
    await page.until(f"document.querySelector({json.dumps(selector)}) !== null")
    await page.run(f"document.querySelector({json.dumps(selector)}).click()")


async def fill(page: Page, selector: str, text: str) -> None:
    await page.until(f"document.querySelector({json.dumps(selector)}) !== null")
    await page.run(
        f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(text)};"
        " field.dispatchEvent(new Event('input')); })()"
    )


async def sign_in(page: Page, name: str) -> None:
    await page.until("document.querySelector('#keys button') !== null")
    await fill(page, "#name", name)
    await fill(page, "#password", PASSWORDS[name])
    await click(page, "#enter")
    await page.until(LIVE)


async def a_dealer_signs_in_with_the_keys_of_the_screen_and_presses(here: Here) -> None:
    page = await here.page("/tables/r1")
    await click(page, "[data-act=confirm]")
    await page.until("document.querySelector('#keys button') !== null", 10)  # the answer is: sign in first
    assert await page.run("document.documentElement.lang") == here.language
    await looked_at(here, page, "sign-in", complaints=len(page.complaints))
    page.complaints.clear()
    for sign in "dealer-77":
        await click(page, f"[data-key='{sign}']")
    await click(page, "[data-key=erase]")
    await page.run("document.getElementById('password').focus()")
    for sign in PASSWORDS["dealer-7"]:
        await click(page, f"[data-key='{sign}']")
    await click(page, "#enter")
    await page.until(LIVE)
    assert await page.run("location.pathname") == "/tables/r1"
    await page.until("document.querySelector('#who .name') !== null")
    await looked_at(here, page, "dealer")
    await click(page, "[data-act=confirm]")
    await page.until("!document.getElementById('answer').hidden && document.getElementById('answer').innerText !== '…'")
    (command,) = here.tables["r1"].commands
    assert (command.name, command.by) == (CommandName.ATTEMPT_CONFIRM, "dealer-7")
    await click(page, "#who button")
    await page.until("document.querySelector('#who a') !== null")


async def a_manager_decides_by_the_picture_and_sees_first_what_is_recorded(here: Here) -> None:
    table = here.tables["s1"]
    page = await here.page(f"/tables/s1/manager?lang={here.language}")
    await sign_in(page, "manager-1")
    assert await page.run("location.pathname") == "/tables/s1/manager"
    await page.until(
        "document.querySelector('.thumb img') !== null && document.querySelector('.thumb img').naturalWidth > 0"
    )
    await looked_at(here, page, "manager")
    await click(page, ".thumb")
    await page.until("document.querySelector('#picture[open] img').naturalWidth > 0")
    await looked_at(here, page, "picture")
    await click(page, "#picture button")
    await click(page, "[data-act=decide]")
    await page.until("document.querySelector('#form .thumb img').naturalWidth > 0")  # the pictures are at hand
    for key in ("1", "2", "6"):
        await click(page, f"#form [data-key='{key}']")
    await click(page, "[data-step=check]")
    await page.until("document.querySelector('#form .refused') !== null")  # no reason
    await fill(page, "#reason", MARKUP)
    await looked_at(here, page, "form")
    await click(page, "[data-step=check]")
    await page.until("document.getElementById('pin') !== null")
    assert MARKUP in await page.run("document.querySelector('#form dl').innerText")
    assert "1 2 6" in await page.run("document.querySelector('#form dl').innerText")
    await looked_at(here, page, "recorded")
    assert not table.commands, "nothing is sent before it was looked at"
    await fill(page, "#pin", "111119")
    await click(page, "[data-step=record]")
    await page.until("document.querySelector('#form .refused') !== null")
    assert not table.commands
    await fill(page, "#pin", PIN)
    await page.run("(() => { const b = document.querySelector('[data-step=record]'); b.click(); b.click(); })()")
    await page.until("!document.getElementById('form').open")
    assert {command.id for command in table.commands} == {table.commands[0].id}
    command = table.commands[0]
    assert (command.name, command.role, command.by) == (CommandName.ATTEMPT_DECIDE, Role.MANAGER, "manager-1")
    assert command.args == {"dice": [1, 2, 6], "round": "s1-2", "reason": MARKUP}
    assert await page.run("document.title") == "s1"


async def test_a_form_closes_when_the_table_goes_on_and_a_refusal_is_said_in_words(here: Here) -> None:
    table = here.tables["s1"]
    page = await here.page(f"/tables/s1/manager?lang={here.language}")
    await sign_in(page, "manager-1")
    await click(page, "[data-act=void]")
    await page.until("document.getElementById('form').open")
    table.play.outcome(**dice_facts([1, 2, 6]))
    table.desk.changed()
    await page.until("!document.getElementById('form').open && !document.getElementById('answer').hidden")
    table.play.say(TablePaused(reason="x", by="manager-1"))
    table.command = lambda command: Reply(  # type: ignore[method-assign]
        command=command.id, ok=False, error=ErrorCode.NOT_NOW, message="say <b>why</b>"
    )
    table.desk.changed()
    await click(page, "[data-act=resume]")
    await fill(page, "#reason", "looked at")
    await click(page, "[data-step=check]")
    await fill(page, "#pin", PIN)
    await click(page, "[data-step=record]")
    await page.until("document.querySelector('#form .refused') !== null")
    assert "say <b>why</b>" in await page.run("document.querySelector('#form .refused').innerText")


async def test_a_form_opens_before_the_list_of_pictures_has_come(here: Here) -> None:
    page = await here.page("/")
    await page.run(
        "import('/static/pictures.js').then((module) => { window.shown = module.picturesOf('s1-1').length; })"
    )
    await page.until("window.shown === 0")


async def test_a_manager_corrects_a_hand_card_by_card(here: Here) -> None:
    page = await here.page(f"/tables/b1/manager?lang={here.language}")
    await sign_in(page, "manager-1")
    await click(page, "[data-act=correct]")
    await click(page, ".places [data-position='player.2']")
    await looked_at(here, page, "hand")
    await click(page, "[data-card='KD']")
    await fill(page, "#reason", "by the video")
    await click(page, "[data-step=check]")
    await fill(page, "#pin", PIN)
    await click(page, "[data-step=record]")
    await page.until("!document.getElementById('form').open")
    (command,) = here.tables["b1"].commands
    assert command.name is CommandName.OUTCOME_CORRECT
    kept = here.tables["b1"].memory.ended[0]
    assert command.args == {
        "replaces": kept.sequence,
        "cards": {**kept.cards, "player.2": "KD"},
        "reason": "by the video",
    }


async def a_technician_sees_each_device_in_four_steps_and_acts_on_nothing(here: Here) -> None:
    page = await here.page(f"/tables/r1/technician?lang={here.language}")
    await sign_in(page, "technician-1")
    await page.until("document.querySelectorAll('#devices article').length === 2")
    assert await page.run("document.querySelectorAll('[data-device=wheel] .steps li.good').length") == 1
    assert MARKUP in await page.run("document.querySelector('[data-device=laps]').innerText")
    assert "<b>SS2</b>" in await page.run("document.querySelector('[data-device=wheel]').innerText")
    await click(page, "[data-device=wheel] summary")
    assert "--table r1 --device wheel" in await page.run(
        "document.querySelector('[data-device=wheel] details').innerText"
    )
    assert await page.run("document.querySelector('#events li').dataset.type") == "attempt.unconfirmed"
    await page.until("document.querySelector('#who button') !== null")
    assert await page.run("document.querySelectorAll('button').length") == 1, "to sign out, and nothing else"
    await looked_at(here, page, "technician")
    await page.run("document.body.append(document.createElement('button'))")
    assert "button-name" in str(await serious(page)), "axe looks"
    await page.go(f"{here.url}/tables/s1/manager?lang={here.language}")
    await page.until("document.body && document.body.innerText.length > 0")
    assert await page.run("document.querySelector('#acts') === null")


@pytest.mark.parametrize("here", list(Language), indirect=True)
async def test_each_role_has_its_way_in_every_language(here: Here) -> None:
    await a_dealer_signs_in_with_the_keys_of_the_screen_and_presses(here)
    await a_manager_decides_by_the_picture_and_sees_first_what_is_recorded(here)
    await a_technician_sees_each_device_in_four_steps_and_acts_on_nothing(here)
    if here.language is Language.ENGLISH:
        assert compared(here.pictures, GOLDENS) == {}, "look at the pages; if they are meant, run with UPDATE_GOLDENS=1"

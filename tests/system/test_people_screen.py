"""The manager's and the technician's pages of the real daemon in Debian's Chromium, with a restart underneath."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealer_daemon.people import read_people, write_people
from hw_sim.simulation import running
from support.browser import ABSENT, CHROMIUM, Page, browser
from support.live import Live, live
from support.mqtt_brokers import free_port
from support.screen_people import PASSWORDS, PIN, Visitor, people_file

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)

SPEED = 25.0
LIVE = "document.body && !document.body.classList.contains('not-live') && document.body.dataset.sequence"
REASON = "<script>alert(1)</script> & looked at the video"


def with_people(here: Live, folder: Path) -> str:
    """The address of a screen at which people sign in."""
    port, people = free_port(), people_file(folder)
    here.config.write_text(
        f'[screen]\nlisten = "127.0.0.1:{port}"\npeople_file = "{people}"\n\n{here.config.read_text()}'
    )
    return f"http://127.0.0.1:{port}"


async def sign_in(page: Page, name: str) -> None:
    await page.until("document.querySelector('#keys button') !== null", 30)
    await page.run(f"document.getElementById('name').value = {json.dumps(name)}")
    await page.run(f"document.getElementById('password').value = {json.dumps(PASSWORDS[name])}")
    await page.run("document.getElementById('enter').click()")
    await page.until(LIVE, 30)


async def do(page: Page, act: str, reason: str) -> None:
    await page.until(f"document.querySelector('[data-act={act}]') !== null", 30)
    await page.run(f"document.querySelector('[data-act={act}]').click()")
    await page.run(
        "(() => { const field = document.getElementById('reason');"
        f" field.value = {json.dumps(reason)}; field.dispatchEvent(new Event('input')); }})()"
    )
    await page.run("document.querySelector('[data-step=check]').click()")
    await page.until("document.getElementById('pin') !== null")
    await page.run(f"document.getElementById('pin').value = '{PIN}'")
    await page.run("(() => { const b = document.querySelector('[data-step=record]'); b.click(); b.click(); })()")
    await page.until("!document.getElementById('form').open")


async def test_what_a_manager_does_is_recorded_once_and_a_restart_signs_everybody_out(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], source="device", speed=SPEED)
        url = with_people(here, tmp_path)
        await here.daemon_up()
        async with browser(tmp_path / "chromium") as chromium:
            page = await chromium.page()
            await page.go(f"{url}/tables/r1/manager")
            await sign_in(page, "manager-1")
            await do(page, "pause", REASON)
            await page.until("document.body.dataset.phase === 'paused'", 20)
            boot = await page.run("document.documentElement.dataset.boot")
            await here.daemon.kill()
            await page.until("document.body.classList.contains('not-live')", 20)
            await here.daemon_up()
            await page.until("location.pathname === '/sign-in'", 30)
            await sign_in(page, "manager-1")
            assert await page.run("document.documentElement.dataset.boot") != boot
            await do(page, "resume", "go on")
            await page.until("document.body.dataset.phase !== 'paused'", 20)
            await page.go(f"{url}/tables/r1/technician")
            await page.until(LIVE, 30)
            await page.until("document.querySelector('[data-device=wheel] .steps .good') !== null", 30)
            await page.until("document.querySelector('#events [data-type=\"table.resumed\"]') !== null", 30)
        person = Visitor(url)
        await person.sign_in("dealer-7")
        everybody = read_people(tmp_path / "people.json")
        write_people(tmp_path / "people.json", [everybody["manager-1"]])
        assert (await person.act("/tables/r1/acts/call_manager", about={}))[:2] == (401, "sign_in_first")
        assert await here.daemon.end() == 0
        events = {one["sequence"]: one for one in here.events()}  # what was under way at the kill comes twice
        said = [
            (one["type"], one["data"]["by"], one["data"]["reason"])
            for _, one in sorted(events.items())
            if one["type"] in ("table.paused", "table.resumed")
        ]
        assert said == [("table.paused", "manager-1", REASON), ("table.resumed", "manager-1", "go on")]
        log = here.daemon.said()
        assert '"signed_in"' in log
        for secret in (*PASSWORDS.values(), PIN):
            assert secret not in log


async def test_a_people_file_that_others_may_read_stops_the_start_with_words(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure("/dev/null", source="device", speed=SPEED)
        with_people(here, tmp_path)
        (tmp_path / "people.json").chmod(0o644)
        await here.daemon.start()
        assert await here.daemon.ended() == 2
        assert "screen.people_file" in here.daemon.said()
        assert "chmod 0640" in here.daemon.said()

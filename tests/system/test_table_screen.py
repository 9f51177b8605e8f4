"""The table's screen of the real daemon, with simulated devices, in Debian's Chromium: a round, a restart, an entry."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hw_sim.simulation import running
from support.browser import ABSENT, CHROMIUM, browser
from support.game_server import Server
from support.live import Live, live, until
from support.mqtt_brokers import free_port

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)

SPEED = 25.0
LIVE = "document.body && !document.body.classList.contains('not-live') && document.body.dataset.sequence"


def with_screen(here: Live, language: str = "en") -> str:
    """The address of a screen that the configuration is given."""
    port = free_port()
    text = here.config.read_text()
    text = text.replace("[tables.r1]", f'[tables.r1]\nscreen_language = "{language}"', 1)
    here.config.write_text(f'[screen]\nlisten = "127.0.0.1:{port}"\n\n{text}')
    return f"http://127.0.0.1:{port}"


NO_ROUND = "document.querySelector('#alarms [data-code=spin_without_round]') !== null"


async def test_a_dealers_page_follows_the_table_over_a_restart(tmp_path: Path) -> None:
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=5, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], source="server", speed=SPEED)
        url = with_screen(here, "zh-Hans")
        await here.daemon_up()
        server = Server(here.port)
        async with browser(tmp_path / "chromium") as chromium:
            page = await chromium.page()
            await page.go(f"{url}/tables/r1")
            await page.until(LIVE)
            # The wheel throws without a round: the page says so, and nothing else is wrong.
            await page.until(NO_ROUND, 30)
            assert await page.run("document.querySelectorAll('#alarms p').length") == 1
            assert await page.run("document.querySelector('#alarms p').innerText") == "无局操作"
            boot = await page.run("document.documentElement.dataset.boot")
            await here.daemon.kill()
            await page.until("document.body.classList.contains('not-live')", 20)
            await here.daemon_up()
            await page.until(f"document.documentElement.dataset.boot !== '{boot}'", 30)
            await page.until(LIVE, 30)
            await page.until(NO_ROUND, 30)
            await here.broker.end()
            await page.until("document.querySelector('#alarms [data-code=no_server]') !== null", 30)
            server.close()
            assert [
                line for line in page.complaints if "ERR_CONNECTION" not in line and "ERR_INCOMPLETE" not in line
            ] == []
        assert await here.daemon.end() == 0


async def test_no_number_is_in_the_feed_while_betting_is_open(tmp_path: Path) -> None:
    """The wheel plays on while a server's betting is open: the feed says that this was a violation, and no number."""
    async with live(tmp_path) as here, running("roulette", speed=SPEED, seed=7, run_dir=tmp_path / "dev") as wheel:
        here.configure(wheel.ports["wheel"], source="server", speed=SPEED)
        url = with_screen(here)
        await here.daemon_up()
        server = Server(here.port)
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET /tables/r1/feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await server.ask("open", "round.open"))["ok"]
        sent = b""
        async with asyncio.timeout(60):
            while b"number_while_betting" not in sent:
                sent += await reader.read(65536)
        assert b'"phase":"betting"' in sent
        assert b'"type":"number"' not in sent
        assert b'"felt":null' in sent
        writer.close()
        await writer.wait_closed()
        server.close()
        assert await here.daemon.end() == 0


async def test_a_result_keyed_in_needs_somebody_who_is_signed_in(tmp_path: Path) -> None:
    async with live(tmp_path) as here:
        here.configure(f"unix:{tmp_path / 'entry.sock'}", driver="manual-entry", source="server")
        url = with_screen(here)
        await here.daemon_up()
        server = Server(here.port)
        await until(lambda: '"state": "up"' in here.daemon.said(), "the station listens")
        async with browser(tmp_path / "chromium") as chromium:
            page = await chromium.page()
            await page.go(f"{url}/tables/r1")
            await page.until(LIVE)
            assert (await server.ask("open", "round.open"))["ok"]
            await page.until("document.body.dataset.phase === 'betting'")
            assert await page.run("document.getElementById('keypad').hidden")
            assert (await server.ask("close", "betting.close"))["ok"]
            await page.until("document.querySelector('[data-key=\"17\"]') !== null")
            for _ in range(2):
                await page.run("document.querySelector('[data-key=\"17\"]').click()")
            await page.until("document.getElementById('answer').innerText.includes('people_file')")
        assert not [event for event in here.events() if event["type"] == "round.outcome"]
        server.close()
        assert await here.daemon.end() == 0

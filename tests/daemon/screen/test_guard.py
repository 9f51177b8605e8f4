"""Addresses, headers and refusals of the screen, over a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.words import Language
from support.pki import self_signed
from support.screen_app import PlayedTable, served
from support.screen_client import Dealer, ask, press
from support.screen_scenes import SCENES


def table(name: str) -> PlayedTable:
    return PlayedTable(SCENES[name](Language.SIMPLIFIED))


@pytest.fixture
async def roulette() -> AsyncIterator[tuple[str, PlayedTable]]:
    one = table("roulette_confirm")
    async with served({"r1": one}, Dealer()) as url:
        yield url, one


def pressed(**more: Any) -> dict[str, Any]:
    return {"id": "press-1", "at": str(time.time_ns()), "about": {"round": "r1-1"}} | more


async def test_every_answer_has_the_headers_that_keep_others_out(roulette: tuple[str, PlayedTable]) -> None:
    url, _ = roulette
    for path in ("/", "/tables/r1", "/static/table.js", "/static/base.css", "/nothing", "/tables/other", "/static/x"):
        status, headers, body = await ask(url, path)
        assert status == (200 if path in ("/", "/tables/r1") or path.startswith("/static/t") or "base" in path else 404)
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"")
        assert b"https://" not in body


async def test_a_page_is_in_its_tables_language_and_names_no_script_of_its_own(
    roulette: tuple[str, PlayedTable],
) -> None:
    url, _ = roulette
    _, _, body = await ask(url, "/tables/r1")
    assert b'<html lang="zh-Hans" data-table="r1" data-boot="boot-1">' in body
    assert b"style=" not in body
    assert b" on" not in body.replace(b"one", b"")
    _, _, english = await ask(url, "/tables/r1?lang=en")
    assert b'<html lang="en"' in english
    _, _, odd = await ask(url, '/tables/r1?lang="><script>')
    assert b'<html lang="zh-Hans"' in odd


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "a@127.0.0.1"])
async def test_another_name_than_the_screens_is_refused(roulette: tuple[str, PlayedTable], host: str) -> None:
    url, _ = roulette
    status, headers, body = await ask(url, "/tables/r1/feed", host=host)
    assert (status, b"names" in body) == (403, True)
    assert "content-security-policy" in headers


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]:99", "127.0.0.1"])
async def test_the_machines_own_names_are_served(roulette: tuple[str, PlayedTable], host: str) -> None:
    url, _ = roulette
    assert (await ask(url, "/tables/r1", host=host))[0] == 200


async def test_a_press_is_a_command_of_the_person_about_what_was_shown(roulette: tuple[str, PlayedTable]) -> None:
    url, one = roulette
    body = pressed()
    status, answer = await press(url, "/tables/r1/acts/confirm", body)
    assert (status, answer["ok"], answer["text"]["zh-Hans"]) == (200, True, "已执行")
    (command,) = one.commands
    assert command.name is CommandName.ATTEMPT_CONFIRM
    assert (command.id, command.by, command.role) == ("press-1", "dealer-7", Role.DEALER)
    assert (command.args, command.sent_ns) == ({"round": "r1-1"}, int(body["at"]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": "soon"},
        {"at": str(time.time_ns() + 10**15)},
        {"at": str(time.time_ns() - 10**12)},
        {"at": "9" * 30},
        {"about": {"round": "r1-1", "reason": "mine"}},
        {"about": {"pause": 3}},
        {"about": {"round": [1]}},
        {"id": 7},
        {"more": 1},
    ],
)
async def test_a_press_that_no_page_of_now_sends_is_no_command(
    roulette: tuple[str, PlayedTable], wrong: dict[str, Any]
) -> None:
    url, one = roulette
    assert (await press(url, "/tables/r1/acts/confirm", pressed(**wrong)))[0] == 400
    assert one.commands == []


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
async def test_what_another_sites_page_sends_acts_on_nothing(
    roulette: tuple[str, PlayedTable], headers: dict[str, str]
) -> None:
    url, one = roulette
    assert (await press(url, "/tables/r1/acts/confirm", pressed(), **headers))[0] == 403
    assert one.commands == []


async def test_a_press_without_origin_or_as_a_form_acts_on_nothing(roulette: tuple[str, PlayedTable]) -> None:
    url, one = roulette
    body = json.dumps(pressed()).encode()
    assert (await ask(url, "/tables/r1/acts/confirm", "POST", body, content_type="application/json"))[0] == 403
    assert (await press(url, "/tables/r1/acts/confirm", pressed(), content_type="text/plain"))[0] == 400
    long = pressed(about={"round": "x" * 5000})
    assert (await press(url, "/tables/r1/acts/confirm", long))[0] == 400
    assert (await press(url, "/tables/r1/acts/void", pressed()))[0] == 404
    assert one.commands == []


@pytest.mark.parametrize("path", ["acts/confirm", "acts/refuse", "acts/resume", "acts/call_manager", "entry"])
async def test_nobody_acts_where_nobody_can_sign_in(path: str) -> None:
    one = table("roulette_confirm")
    async with served({"r1": one}) as url:
        status, answer = await press(url, f"/tables/r1/{path}", pressed())
    assert (status, answer["ok"], answer["text"]["code"]) == (403, False, "nobody_may_act")
    assert "people_file" in answer["text"]["zh-Hant"]
    assert one.commands == []


async def test_over_tls_the_pages_own_origin_is_https(tmp_path: Path) -> None:
    self_signed(tmp_path, "screen")
    one = table("roulette_confirm")
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    async with served({"r1": one}, Dealer(), tls=tmp_path / "screen") as url:
        host = url.removeprefix("https://")
        for origin, wanted in ((f"http://{host}", b"403"), (url, b"200")):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(host.rpartition(":")[2]), ssl=trusting)
            body = json.dumps(pressed()).encode()
            head = f"POST /tables/r1/acts/confirm HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\nconnection: close\r\n"
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            assert (await reader.readline()).split()[1] == wanted
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    assert len(one.commands) == 1

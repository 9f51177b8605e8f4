"""Signing in at the screen, and everything that keeps others from acting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import structlog

from dealer_daemon.commands import CommandName, Role
from dealer_daemon.people import Hash, PeopleFile, read_people, write_people
from dealer_daemon.people.hashing import derived
from dealer_daemon.screen.door import MOST_WAITING, Door
from dealer_daemon.screen.sessions import LIMITS, MOST_PINS_WRONG, PIN_FOR_S
from dealer_daemon.words import Language
from support.screen_app import PlayedTable, served
from support.screen_people import PASSWORDS, PIN, Visitor, people_file
from support.screen_scenes import SCENES

CONFIRM = "/tables/r1/acts/confirm"
ABOUT = {"about": {"round": "r1-1"}}


async def at_once(secret: str, hash_: Hash) -> bool:
    """The check without a process of its own: these hashes are cheap."""
    return hash_.is_of(derived(secret, hash_.n, hash_.r, hash_.p, hash_.salt)) if hash_.n < 100 else False


class Here:
    """A screen with a door, a clock that a test moves, and one table."""

    def __init__(self, folder: Path, check: Callable[[str, Hash], Awaitable[bool]] = at_once) -> None:
        self.now_s = 1000.0
        self.file = people_file(folder)
        self.table = PlayedTable(SCENES["roulette_confirm"](Language.ENGLISH))
        self.door = Door(PeopleFile(self.file), lambda: self.now_s, check)
        self.url = ""

    def visitor(self) -> Visitor:
        return Visitor(self.url)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Here]:
    made = Here(tmp_path)
    async with served({"r1": made.table}, made.door) as url:
        made.url = url
        yield made


async def test_a_dealer_signs_in_acts_under_their_name_and_signs_out(here: Here) -> None:
    one = here.visitor()
    assert (await one.act(CONFIRM, **ABOUT))[:2] == (401, "sign_in_first")
    assert (await one.sign_in("Dealer-7", PASSWORDS["dealer-7"]))[:2] == (200, "done")
    assert (await one.session())["person"] == {"name": "dealer-7", "role": "dealer"}
    assert (await one.act(CONFIRM, **ABOUT))[0] == 200
    (command,) = here.table.commands
    assert (command.name, command.by, command.role) == (CommandName.ATTEMPT_CONFIRM, "dealer-7", Role.DEALER)
    assert (await one.post("/sign-out"))[0] == 200
    await one.session()
    assert (await one.act(CONFIRM, **ABOUT))[:2] == (401, "sign_in_first")
    assert len(here.table.commands) == 1


async def test_at_the_dealers_page_a_manager_acts_as_a_dealer_and_a_technician_not_at_all(here: Here) -> None:
    manager, technician = here.visitor(), here.visitor()
    await manager.sign_in("manager-1")
    assert (await manager.act(CONFIRM, **ABOUT))[0] == 200
    assert here.table.commands[0].role is Role.DEALER
    await technician.sign_in("technician-1")
    assert (await technician.act(CONFIRM, **ABOUT))[:2] == (403, "not_your_role")


async def test_an_unknown_name_and_a_wrong_password_are_answered_alike(here: Here) -> None:
    known, unknown = here.visitor(), here.visitor()
    one, other = await known.sign_in("dealer-7", "904418"), await unknown.sign_in("dealer-9", "904418")
    assert one == other
    assert one[:2] == (401, "wrong")
    assert (await known.session())["person"] is None


async def test_without_the_token_nothing_is_taken(here: Here) -> None:
    one, other = here.visitor(), here.visitor()
    await one.sign_in("dealer-7")
    await other.session()
    for token in ("", "0" * 64, other.csrf, one.csrf[:-1]):
        for path in (CONFIRM, "/sign-out", "/sign-in", "/tables/r1/entry"):
            assert (await one.post(path, {}, x_csrf_token=token))[:2] == (403, "page_old"), (path, token)
    assert not here.table.commands
    assert (await one.session())["person"] is not None
    stranger = here.visitor()
    assert (await stranger.post("/sign-in", {"name": "dealer-7", "password": PASSWORDS["dealer-7"]}))[0] == 403


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/pin", CONFIRM])
async def test_what_another_site_asks_for_is_refused(here: Here, path: str) -> None:
    one = here.visitor()
    await one.sign_in("dealer-7")
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"sec_fetch_site": "same-site"},
        {"host": "evil.example"},
    ):
        status, _, body = await one.ask(path, "POST", {}, **headers)
        assert status == 403
        assert b"screen" in body


async def test_the_cookie_is_for_this_screen_alone_and_a_session_never_a_browsers_own(here: Here) -> None:
    one = here.visitor()
    await one.session()
    (name,) = one.cookies
    assert name.endswith(here.url.rpartition(":")[2])
    before = one.cookies[name]
    one.cookies[name] = "chosen-by-somebody"
    await one.session()
    await one.sign_in("dealer-7")
    assert one.cookies[name] not in (before, "chosen-by-somebody")
    fixed = here.visitor()
    fixed.cookies[name] = "chosen-by-somebody"
    assert (await fixed.session())["person"] is None
    for cookie in one.set_cookies:
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/" in cookie
        assert "Max-Age" not in cookie
    again = one.cookies[name]
    await one.sign_in("dealer-7")
    old = here.visitor()
    old.cookies[name] = again
    assert (await old.session())["person"] is None, "a new session ends the one before"


async def test_tries_are_slowed_and_the_person_is_never_locked_out(here: Here) -> None:
    one = here.visitor()
    for _ in range(3):
        assert (await one.sign_in("dealer-7", "000001"))[0] == 401
    status, _, _ = await one.sign_in("dealer-7")
    assert status == 429, "the right password too: else a guess is told"
    here.now_s += 1.5
    assert (await one.sign_in("dealer-7", "000001"))[0] == 401
    here.now_s += 1.5
    answer = await one.ask("/sign-in", "POST", {"name": "dealer-7", "password": "x"})
    assert (answer[0], answer[1]["retry-after"]) == (429, "1")
    tried = 0
    for _ in range(2000):
        here.now_s += 1.0
        tried += (await one.sign_in("dealer-7", "000001"))[0] == 401
        if tried == 12:
            break
    waited = 0.0
    while (await one.sign_in("dealer-7"))[0] == 429:
        here.now_s += 1.0
        waited += 1
    assert 20 < waited <= 60
    assert (await one.session())["person"] is not None


async def test_of_many_tries_at_once_no_more_are_looked_at_than_one_after_the_other(tmp_path: Path) -> None:
    looked = 0

    async def slow(secret: str, hash_: Hash) -> bool:
        nonlocal looked
        looked += 1
        await asyncio.sleep(0.01)
        return await at_once(secret, hash_)

    here = Here(tmp_path, slow)
    async with served({"r1": here.table}, here.door) as url:
        one = Visitor(url)
        await one.session()
        body = {"name": "dealer-7", "password": "000001"}
        answers = await asyncio.gather(*(one.ask("/sign-in", "POST", body) for _ in range(30)))
    assert looked == 3
    assert sorted({status for status, *_ in answers}) == [401, 429]
    assert sum(b"busy" in text for *_, text in answers) >= 30 - MOST_WAITING - 3


async def test_sessions_end_by_their_times(here: Here) -> None:
    one = here.visitor()
    await one.sign_in("dealer-7")
    idle, whole = LIMITS["dealer"].idle_s, LIMITS["dealer"].whole_s
    began = here.now_s
    while here.now_s + idle - 1 < began + whole:
        here.now_s += idle - 1
        assert (await one.act(CONFIRM, **ABOUT))[0] == 200
    here.now_s = began + whole
    assert (await one.act(CONFIRM, **ABOUT))[:2] == (401, "sign_in_first")
    await one.sign_in("dealer-7")
    here.now_s += idle
    assert (await one.act(CONFIRM, **ABOUT))[:2] == (401, "sign_in_first")


async def test_to_look_at_the_page_is_no_act(here: Here) -> None:
    one = here.visitor()
    await one.sign_in("manager-1")
    for _ in range(14):
        here.now_s += 60
        assert (await one.ask("/tables/r1/manager/evidence"))[0] == 200
    here.now_s += 60
    assert (await one.session())["person"] is None


async def test_who_is_removed_or_has_another_password_is_signed_out_at_once(here: Here) -> None:
    dealer, manager = here.visitor(), here.visitor()
    await dealer.sign_in("dealer-7")
    await manager.sign_in("manager-1")
    kept = read_people(here.file)
    write_people(here.file, [person for name, person in kept.items() if name != "dealer-7"])
    assert (await dealer.act(CONFIRM, **ABOUT))[:2] == (401, "sign_in_first")
    assert (await manager.session())["person"] is not None
    assert (await dealer.sign_in("dealer-7"))[0] == 401
    write_people(here.file, list(kept.values()))
    here.now_s += 60
    assert (await dealer.sign_in("dealer-7"))[0] == 200


async def test_a_file_that_was_spoilt_is_said_and_the_one_before_is_in_force(here: Here) -> None:
    here.file.write_text("{")
    one = here.visitor()
    with structlog.testing.capture_logs() as logs:
        assert (await one.sign_in("dealer-7"))[0] == 200
    assert [line["log_level"] for line in logs if line["event"] == "people_file"] == ["error"]


async def test_nothing_secret_is_logged(here: Here) -> None:
    one = here.visitor()
    with structlog.testing.capture_logs() as logs:
        await one.sign_in("dealer-7", "a wrong one")
        await one.sign_in(PASSWORDS["dealer-7"], "x")
        await one.sign_in("manager-1")
        await one.pin("111119")
        await one.pin()
    said = json.dumps(logs)
    for secret in ("a wrong one", *PASSWORDS.values(), PIN, "111119", one.csrf, *one.cookies.values()):
        assert secret not in said
    assert [line["event"] for line in logs if "refused" in line["event"]] == [
        "sign_in_refused",
        "sign_in_refused",
        "pin_refused",
    ]


async def test_wrong_pins_end_the_session(here: Here) -> None:
    one = here.visitor()
    await one.sign_in("manager-1")
    for _ in range(MOST_PINS_WRONG):
        assert (await one.pin("111119"))[:2] == (403, "pin_wrong")
        here.now_s += 20
    assert (await one.pin())[:2] == (401, "sign_in_first")


async def test_a_pin_is_the_managers_and_is_slowed_too(here: Here) -> None:
    dealer, without, manager = here.visitor(), here.visitor(), here.visitor()
    await dealer.sign_in("dealer-7")
    assert (await dealer.pin())[:2] == (403, "not_your_role")
    await without.sign_in("manager-2")
    assert (await without.pin())[:2] == (403, "pin_unset")
    await manager.sign_in("manager-1")
    for _ in range(3):
        await manager.pin("111119")
    assert (await manager.pin())[0] == 429
    assert PIN_FOR_S == 60


@pytest.mark.parametrize(
    ("asked", "filled"),
    [
        ("/tables/r1", "/tables/r1"),
        ("/tables/r1/manager", "/tables/r1/manager"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/tables/../x/../..//evil", "/"),
        ("/tables/%22%3E%3Cscript%3E", "/tables/&quot;&gt;&lt;script&gt;"),
        ("javascript:alert(1)", "/"),
    ],
)
async def test_the_page_leads_back_to_a_page_of_this_screen_alone(here: Here, asked: str, filled: str) -> None:
    status, headers, body = await here.visitor().ask(f"/sign-in?to={asked}&lang=zh-Hant")
    assert status == 200
    assert f'data-to="{filled}"'.encode() in body
    assert "登入".encode() in body
    assert b"<script>" not in body
    assert headers["content-security-policy"].startswith("default-src 'none'")

"""The scoreboard's page: its texts, its feed, and that Chromium draws what the board says, nothing cut off."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import MutableMapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from dealer_daemon.boards.build import roads_body
from dealer_daemon.boards.marks import GAMES
from dealer_daemon.events import CardDrawn, CardWithheld, Event
from dealer_daemon.games import game_names
from dealer_daemon.games.cards.card import DECK
from dealer_daemon.games.fan_tan import remainder_facts
from dealer_daemon.games.roulette import number_facts
from dealer_daemon.games.sic_bo import dice_facts
from dealer_daemon.journal import Journal
from dealer_daemon.roads import Hand
from dealer_daemon.roads.good import RULES
from dealer_daemon.round import TableState
from dealer_daemon.screen.app import Screen
from dealer_daemon.screen.board import BoardView
from dealer_daemon.screen.feed import Feed
from dealer_daemon.screen.gatekeeper import NobodyMayAct
from dealer_daemon.station.board import TableBoard
from dealer_daemon.station.screen import TableOnScreen
from dealer_daemon.validation.turn_map import COUNTS
from dealer_daemon.words import Language
from dealer_daemon.words.table_screen import PHRASES
from dealer_drivers.clock import SystemClock
from support.browser import ABSENT, CHROMIUM, SIZES, Page, browser
from support.screen_app import PlayedTable, served
from support.screen_play import ScreenPlay, table_config
from support.told import Told, baccarat_facts

LIVE = "document.body && !document.body.classList.contains('not-live')"
CUT = """JSON.stringify([...document.querySelectorAll('body, header, #board, .road, .counts, .asks, .tally')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
    .map((e) => e.id || e.className))"""
CHANCE = random.Random(5)


def any_cards(n: int) -> list[str]:
    return [str(card) for card in CHANCE.sample(DECK, n)]


def facts(game: str) -> dict[str, Any]:
    """Those of a result, as far as a board reads them."""
    match game:
        case "baccarat":
            sides = ["banker", "player", "tie"]
            pairs = CHANCE.random() < 0.1, CHANCE.random() < 0.1
            return baccarat_facts(CHANCE.choice(sides), *pairs, CHANCE.random() < 0.3)
        case "roulette":
            return number_facts(str(CHANCE.randrange(37)))
        case "sic-bo":
            return dice_facts([CHANCE.randint(1, 6) for _ in range(3)])
        case "fan-tan":
            return remainder_facts(CHANCE.randint(1, 4))
        case "rainbow-wheel":
            return {"color": CHANCE.choices(list(COUNTS), list(COUNTS.values()))[0]}
        case "dragon-tiger":
            dragon, tiger = any_cards(2)
            return {"winner": CHANCE.choice(["dragon", "tiger", "tie"]), "dragon": dragon, "tiger": tiger}
        case "niu-niu":
            banker = {"rank": CHANCE.choice(["no_bull", "bull_9", "bull_bull"]), "cards": any_cards(5)}
            winners = {seat: CHANCE.choice(["banker", "player"]) for seat in ("p1", "p2", "p3")}
            return {"hands": {"banker": banker}, "winners": winners}
        case "blackjack":
            total = CHANCE.randint(17, 26)
            dealer = {"cards": any_cards(3), "total": total, "blackjack": False, "bust": total > 21}
            return {"dealer": dealer}
        case "san-gong" | "koi" | "brawl":
            return {"cards": any_cards(6)}
        case "three-cards":
            return {"winner": CHANCE.choice(["first", "second", "draw"])}
        case "holdem":
            return {"winner": CHANCE.choice(["player", "dealer", "tie"])}
        case _:
            return {"winner": CHANCE.choice(["andar", "bahar"])}


class BoardTable(PlayedTable):
    """A table whose events a test tells."""

    def __init__(self, told: Told, language: Language = Language.ENGLISH) -> None:
        super().__init__(ScreenPlay(table_config(told.game, told.table, language=language)))
        self.events: list[Event] = told.events
        self.play.events = told.events


def played(game: str, plays: int, table: str = "t1") -> Told:
    told = Told(game, table)
    if game == "baccarat":
        told.begin()
    for _ in range(plays):
        told.outcome(facts(game))
    return told


def view_of(told: Told) -> BoardView:
    return BoardTable(told)._board()


@pytest.mark.parametrize("game", game_names())
def test_every_word_of_a_board_has_a_text(game: str) -> None:
    view = view_of(played(game, 40))
    assert view.game.english == PHRASES["game"][game].english
    assert len(view.tallies) == len(view.board.tallies)
    assert all(title.title.simplified != title.title.english for title in view.tallies)
    words = {one.value for one in view.board.results} - {None}
    words |= {share.value for tally in view.board.tallies for share in tally.shares}
    assert [word for word in words if word not in view.values and not str(word).isdigit()] == []


def test_a_game_that_is_named_is_one_that_there_is() -> None:
    assert GAMES.keys() <= set(game_names())


def test_every_good_road_has_a_name_in_each_language() -> None:
    assert [name for name, _ in RULES] == list(PHRASES["good_road"])
    assert all(PHRASES["good_road"][name].simplified == name for name, _ in RULES)


def test_what_is_missing_is_said() -> None:
    told = Told("baccarat", "b1")
    assert view_of(told).note == view_of(told).labels["no_result"]
    told.begin()
    told.outcome(facts("baccarat"))
    assert (view_of(told).note, [name.english for name in view_of(told).names]) == (
        None,
        ["Hand 1", "Shoe b1-shoe-1"],
    )
    part = Told("baccarat", "b1")
    part.events = told.events[1:]
    found = view_of(part)
    assert (found.note, found.board.roads) == (found.labels["not_whole"], None)
    told.end()
    assert view_of(told).note == view_of(told).labels["shoe_over"]


def test_a_hand_is_on_the_board_with_its_outcome_and_not_a_card_before() -> None:
    play = ScreenPlay(table_config("baccarat", "b1", early="withhold")).shoe().open()
    table = PlayedTable(play)
    empty = msgspec.json.encode(table._board())
    for position, card in (("player.1", "8S"), ("banker.1", "5C"), ("player.2", "AD")):
        play.say(CardWithheld(position=position, card=card))
        assert msgspec.json.encode(table._board()) == empty
    play.close()
    for position, card in (("player.1", "8S"), ("banker.1", "5C"), ("player.2", "AD"), ("banker.2", "TH")):
        play.say(CardDrawn(position=position, card=card))
        assert msgspec.json.encode(table._board()) == empty
    play.outcome()
    roads = table._board().board.roads
    assert roads is not None
    assert [(bead.winner, bead.natural, bead.total) for bead in roads.bead_plate] == [("player", True, 9)]


class Stream:
    """A browser that takes what a feed gives."""

    def __init__(self, feed: Feed) -> None:
        self.bodies: asyncio.Queue[bytes] = asyncio.Queue()
        self.left = asyncio.Event()
        self.task = asyncio.create_task(feed.serve(self._receive, self._send))

    async def _receive(self) -> MutableMapping[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if b"event: view" in message.get("body", b""):
            self.bodies.put_nowait(message["body"])

    async def board(self) -> Any:
        async with asyncio.timeout(10):
            body = await self.bodies.get()
        return json.loads(body.partition(b"data: ")[2])["view"]["board"]


async def test_the_station_shows_a_board_when_it_is_committed(tmp_path: Path) -> None:
    told, config = played("roulette", 1, "r1"), table_config("roulette", "r1")
    journal = Journal.open(tmp_path, boot="b")
    watchers: list[Any] = []
    host = SimpleNamespace(config=config, committed=TableState(table="r1"), stalled=None, held=None)
    board = TableBoard(config, journal)
    parts: Any = SimpleNamespace(host=host, board=board, links=dict, heard=lambda: True, watch=watchers.append)
    stream = Stream(TableOnScreen(parts, journal, SystemClock(1.0), "b").board)
    assert (await stream.board())["results"] == []
    journal.commit(told.events)
    for changed in watchers:
        changed()
    assert len((await stream.board())["results"]) == 1
    stream.left.set()
    await stream.task
    journal.close()


async def test_a_screen_that_stops_ends_the_boards_too() -> None:
    table = BoardTable(played("roulette", 3))
    screen = Screen({"t1": table}, NobodyMayAct(), boot="b")
    stream = Stream(table.board)
    await stream.board()
    screen.close()
    async with asyncio.timeout(1.5):  # a heartbeat is later
        await stream.task


async def opened(page: Page, url: str) -> None:
    await page.go("about:blank")
    await page.go(url)
    await page.until(LIVE)


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
async def test_every_board_fits_in_every_size_and_language(tmp_path: Path) -> None:
    tables = {game: BoardTable(played(game, 75, game)) for game in game_names()}
    async with served(tables) as url, browser(tmp_path) as chromium:
        page = await chromium.page()
        for place, game in enumerate(game_names()):
            language = list(Language)[place % 3]
            await opened(page, f"{url}/tables/{game}/board?lang={language}")
            for size in SIZES.values():
                await page.size(*size)
                assert json.loads(await page.run(CUT)) == [], (game, size, language)
        assert page.complaints == []


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
async def test_each_hand_is_drawn_where_the_board_says_and_a_new_one_comes_by_itself(tmp_path: Path) -> None:
    told = Told("baccarat", "b1")
    told.begin()
    for winner in ("tie", "banker", "banker", "tie", "tie", "player"):
        told.outcome(baccarat_facts(winner, banker_pair=winner == "player", natural=winner == "banker", total=8))
    table = BoardTable(told, Language.SIMPLIFIED)
    cells = "[...document.querySelectorAll('.%s .cell')].map((c) => c.getAttribute('transform') + c.textContent)"
    async with served({"b1": table}) as url, browser(tmp_path) as chromium:
        page = await chromium.page()
        await opened(page, f"{url}/tables/b1/board")
        plate = await page.run(cells % "bead_plate")
        assert plate == [f"translate(0 {row})" + sign for row, sign in enumerate("和庄庄和和闲")]
        road = await page.run(cells % "big_road")
        assert road == ["translate(0 0)", "translate(0 1)2", "translate(1 0)"], "one tie a slash, more a number"
        assert await page.run("document.querySelectorAll('.big_road .cell line').length") == 1
        assert await page.run("document.querySelectorAll('.bead_plate .banker-pair').length") == 1
        inks = "[...document.querySelectorAll('.bead_plate text')].map((t) => t.getAttribute('fill')).join()"
        assert await page.run(inks) == "#fff,#ffe23d,#ffe23d,#fff,#fff,#fff", "naturals are yellow"
        assert await page.run("document.querySelector('[data-count=tie] b').textContent") == "3"
        told.outcome(baccarat_facts("player"))
        table.board.changed()
        await page.until("document.querySelectorAll('.bead_plate .cell').length === 7")
        await opened(page, f"{url}/tables/b1/board?beads=total")
        assert await page.run("document.querySelector('.bead_plate text').textContent") == "8"
        assert page.complaints == []


@pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)
async def test_a_road_that_is_too_long_shows_its_newest_columns(tmp_path: Path) -> None:
    told = Told("baccarat", "b1")
    told.begin()
    for place in range(60):
        told.outcome(baccarat_facts("banker" if place % 2 else "player"))
    hands = [Hand("banker" if place % 2 else "player", False, False, False, 6) for place in range(60)]
    assert roads_body(hands).big_road[-1].col == 59
    async with served({"b1": BoardTable(told)}) as url, browser(tmp_path) as chromium:
        page = await chromium.page()
        await opened(page, f"{url}/tables/b1/board")
        places = await page.run(
            "[...document.querySelectorAll('.big_road .cell')].map((c) => c.getAttribute('transform'))"
        )
        assert places == [f"translate({col} 0)" for col in range(39)]
        assert await page.run(
            "document.querySelector('.big_road .cell:last-of-type circle').getAttribute('stroke')"
        ) == ("#cf1b1b"), "the last one was the banker's"

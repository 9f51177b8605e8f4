"""Printed cards that move through a simulated window, over HTTP, OpenCV and both readers, to readings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import numpy as np
import pytest

from dealer_drivers.clock import SystemClock
from dealer_drivers.driver import Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link
from dealer_drivers.readings import DeviceFault, Fault, Reading
from dealer_drivers.readings.shoe import CardRead, CardTrouble, CardUnreadable
from dealer_drivers.shoe.barcode_camera import DRIVER
from dealer_drivers.transports.factory import device_transport
from hw_sim.mjpeg import MjpegPort, Paint
from hw_sim.shoe.card_window import CardWindow, Pass, Symbology, one_by_one

WAIT_S = 60.0
FPS = 20.0


class Film:
    """A window that goes on by a twentieth of a second with every picture: a busy machine sees it slowly, but whole."""

    def __init__(self, window: CardWindow) -> None:
        self.past_end = asyncio.Event()
        """Set once the last card has been out of sight for a second."""
        self._window = window
        self._at_s = 0.0

    async def shot(self) -> Paint:
        self._at_s += 1 / FPS
        if self._at_s > self._window.end_s + 1:
            self.past_end.set()
        return partial(self._window.picture, self._at_s)


class Station:
    """A link to the window, and what it said."""

    def __init__(self, film: Film, stream: MjpegPort) -> None:
        self.film = film
        self.stream = stream
        self.readings: list[Reading] = []
        self.faults: list[str] = []
        self._news = asyncio.Event()

    def output(self, output: Output, at: Instant) -> None:  # noqa: ARG002
        self.readings += output.readings
        for reading in output.readings:
            if isinstance(reading, DeviceFault):
                self.faults.append(f"{reading.fault}{' cleared' if reading.cleared else ''}")
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def cards(self) -> list[str]:
        """Those that are no repeat: where a busy machine left a gap between two pictures, what lies there still is
        told again as that."""
        cards = [reading for reading in self.readings if isinstance(reading, CardRead)]
        return [reading.card for reading in cards if not reading.repeated]

    def troubles(self) -> list[str]:
        return [reading.reason for reading in self.readings if isinstance(reading, CardUnreadable)]


@asynccontextmanager
async def station(passes: Sequence[Pass], symbology: Symbology, seed: int = 1) -> AsyncIterator[Station]:
    film = Film(CardWindow(passes, symbology, seed))
    stream = MjpegPort(film.shot, fps=FPS, quality=85)
    await stream.plug()
    options = DRIVER.parse_options({"codebook": "rank-suit", "symbology": symbology})
    told = Station(film, stream)
    link = Link(
        device_transport(DRIVER, stream.address, options),
        DRIVER.session(options),
        SystemClock(),
        on_output=told.output,
        on_state=lambda _state: None,
    )
    running = asyncio.create_task(link.run())
    try:
        yield told
    finally:
        await link.stop()
        await running
        await stream.close()


@pytest.mark.parametrize("symbology", ["code128", "datamatrix", "qrcode"])
async def test_cards_come_in_order_and_none_is_wrong(symbology: Symbology) -> None:
    dealt = ["8S", "KD", "TC", "AH", "8S"]
    async with station(one_by_one(dealt, rest_s=1.0), symbology) as told:
        await asyncio.wait_for(told.film.past_end.wait(), WAIT_S)
        assert told.cards() == dealt
        assert told.troubles() == []
        assert set(told.faults) <= {Fault.SILENT, f"{Fault.SILENT} cleared"}, "gaps of a busy machine"
        first = next(reading for reading in told.readings if isinstance(reading, CardRead))
        assert b'"picture":"' in first.raw


async def test_two_cards_at_once_and_a_spoilt_code_are_no_cards() -> None:
    passes = [
        Pass("8S", 0.5, lane=-0.9),
        Pass("KD", 0.5, lane=0.9),
        Pass("TC", 2.2, smudged=True),
        Pass("AH", 3.8),
    ]
    async with station(passes, "code128") as told:
        await asyncio.wait_for(told.film.past_end.wait(), WAIT_S)
        assert told.cards() == ["AH"]
        assert set(told.troubles()) == {CardTrouble.TWO_CODES}


async def test_a_picture_that_stands_still_is_a_fault_and_a_lost_camera_comes_back() -> None:
    async with station([Pass("8S", 0.5, rest_s=60)], "code128") as told:
        await told.until(lambda: told.cards() == ["8S"])
        told.stream.still = True
        await told.until(lambda: told.faults[-1:] == [Fault.SILENT])
        told.stream.still = False
        await told.until(lambda: told.faults[-1:] == [f"{Fault.SILENT} cleared"])
        told.faults.clear()
        told.stream.drop()
        await told.until(lambda: f"{Fault.LINK_LOST} cleared" in told.faults)
        assert Fault.LINK_LOST in told.faults
        assert told.stream.viewers == 2
        assert set(told.cards()) == {"8S"}


def test_the_same_seed_and_moment_give_the_same_picture() -> None:
    passes = one_by_one(["8S", "KD"])
    one, again, other = (CardWindow(passes, "code128", seed).picture(0.9) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert not np.array_equal(CardWindow(passes, "code128", 1).picture(0.95), one)

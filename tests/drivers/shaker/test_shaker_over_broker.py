"""The networked shaker through a real broker: link, transport and session together, and its recording played again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import paho.mqtt.publish as publish
import pytest

from dealer_drivers.clock import ManualClock, SystemClock
from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.instant import Instant
from dealer_drivers.link import Link, LinkState
from dealer_drivers.recording import RecordingWriter
from dealer_drivers.shaker import networked
from dealer_drivers.shaker.networked import DRIVER
from dealer_drivers.transports.mqtt import MqttChannel, MqttTransport, mqtt_settings
from dealer_drivers.transports.mqtt_lines import MqttLines, MqttMessage, sent_line
from dealer_drivers.transports.replay import ReplayTransport
from support.mqtt_brokers import Broker, mosquitto
from support.shaker import word

BASE = "shaker/1"


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    broker = mosquitto(tmp_path)
    await broker.start()
    yield broker
    broker.stop()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy test machine is no shaker without power."""
    monkeypatch.setattr(networked, "BUSY_SILENT_S", 30.0)


class Station:
    """A supervised link, and what came of it."""

    def __init__(self, port: int, recorder: RecordingWriter | None) -> None:
        options = DRIVER.parse_options({"control": True})
        assert DRIVER.transport is not None
        clock = SystemClock()
        self.words: list[str] = []
        self.states: list[str] = []
        self._news = asyncio.Event()
        self.link = Link(
            DRIVER.transport(f"mqtt://127.0.0.1:{port}/{BASE}", options, clock),
            DRIVER.session(options),
            clock,
            on_output=self._output,
            on_state=self._state,
            recorder=recorder,
        )

    def _output(self, output: Output, at: Instant) -> None:  # noqa: ARG002
        self.words += map(word, output.readings)
        self._news.set()

    def _state(self, state: LinkState) -> None:
        self.states.append(state.state)
        self._news.set()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not done():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def station(port: int, recorder: RecordingWriter | None = None) -> AsyncIterator[Station]:
    made = Station(port, recorder)
    running = asyncio.create_task(made.link.run())
    try:
        await made.until(lambda: "up" in made.states)
        yield made
    finally:
        await made.link.stop()
        await running


class Shaker:
    """The other side, by hand."""

    def __init__(self, channel: MqttChannel) -> None:
        self._channel = channel
        self._lines = MqttLines()
        self._commands: list[bytes] = []

    async def say(self, *texts: str) -> None:
        for text in texts:
            await self._channel.write(sent_line("state", text.encode()))

    async def told(self) -> bytes:
        """The next command."""
        async with asyncio.timeout(10):
            while not self._commands:
                for message in self._lines.feed(await self._channel.read()):
                    assert isinstance(message, MqttMessage)
                    self._commands.append(message.payload)
        return self._commands.pop(0)


@asynccontextmanager
async def shaker(port: int) -> AsyncIterator[Shaker]:
    channel = await MqttTransport(mqtt_settings(f"mqtt://127.0.0.1:{port}/{BASE}", ("command",))).open()
    try:
        yield Shaker(channel)
    finally:
        await channel.close()


async def test_a_shake_over_a_broker_and_its_recording_gives_the_same(broker: Broker, tmp_path: Path) -> None:
    publish.single(f"{BASE}/state", "S0", 1, True, "127.0.0.1", broker.port)
    path = tmp_path / "shaker.jsonl"
    recorder = RecordingWriter.create(path, driver=DRIVER.name, device="shaker", start=SystemClock().now())
    async with shaker(broker.port) as device, station(broker.port, recorder) as table:
        assert await device.told() == b"/state"
        await table.until(lambda: table.words == ["notice:kept_state"])
        await device.say("S0")
        await table.until(lambda: "idle:0" in table.words)
        assert await table.link.request(DeviceAction.START_SHAKE)
        assert await device.told() == b"/cycle/?pattern=1&parameter1=50&parameter2=50&amplitude=80&duration=4000"
        await device.say("S2", "S1")
        await table.until(lambda: "shaking:1:4s" in table.words)
        assert await device.told() == b"/state"
        await device.say("S1")
        assert await device.told() == b"/state"
        await device.say("S0")
        await table.until(lambda: "idle:1" in table.words)
    recorder.close()
    head = ["notice:kept_state", "idle:0", "taken:1", "shaking:1:4s", "shaking:1:4s", "idle:1"]
    assert table.words == head
    text = path.read_text()
    assert '"rx":"kept state S0\\n"' in text
    assert '"tx":"command /cycle/?pattern=1&' in text

    # Without the request a replay knows of no command: the shake looks like the dealer's.
    assert await replayed(path) == [said.removesuffix(":4s").replace("taken:1", "taken:0") for said in head]


async def replayed(path: Path) -> list[str]:
    clock, words = ManualClock(), []
    link = Link(
        ReplayTransport(path, clock),
        DRIVER.session(DRIVER.parse_options({})),
        clock,
        on_output=lambda output, at: words.extend(map(word, output.readings)),  # noqa: ARG005
        on_state=lambda state: None,  # noqa: ARG005
    )
    running = asyncio.create_task(link.run())
    async with asyncio.timeout(10):
        while not running.done():
            waiting = asyncio.create_task(clock.next_deadline_ns())
            await asyncio.wait({waiting, running}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                clock.advance_to(waiting.result())
            waiting.cancel()
    await running
    assert link.state.state == "given_up"
    return [said for said in words if not said.startswith(("fault:link", "over:link"))]


async def test_a_broker_that_goes_away_in_mid_shake_is_a_lost_link_and_its_return_a_new_question(
    broker: Broker,
) -> None:
    async with station(broker.port) as table:
        async with shaker(broker.port) as device:
            await device.say("S0", "S1")
            await table.until(lambda: table.words[-1:] == ["shaking:1"])
            broker.kill()
            await table.until(lambda: table.words[-1] == "fault:link_lost")
            assert not await table.link.request(DeviceAction.START_SHAKE)
        await broker.start()
        await table.until(lambda: table.words[-1] == "over:link_lost")
        async with shaker(broker.port) as device:
            await device.say("S0")
            await table.until(lambda: table.words[-1] == "idle:1")
            assert await table.link.request(DeviceAction.START_SHAKE)
            while not (told := await device.told()).startswith(b"/cycle/"):
                assert told == b"/state"

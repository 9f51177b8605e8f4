"""Whole sic bo tables: shaker and camera on real ports, with the truth beside them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from hw_sim.control import control_port
from hw_sim.dice.faults import NETWORKED_FAULTS, POSES, RELAY_FAULTS
from hw_sim.dice.kinds import KINDS
from hw_sim.dice.options import NetworkedOptions, RelayOptions
from hw_sim.dice.rig import rig_of
from hw_sim.faults import UnknownFault
from hw_sim.scenario import ScenarioError, build_device, load_scenario, parse_scenario
from hw_sim.simulation import Simulation, running
from hw_sim.truth import TruthLog
from support.mqtt_wire import V311, Peer, Publish, scripted_broker, suback_packet
from support.shaken import CYCLE

Picture = npt.NDArray[np.uint8]
LIMITS = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 5000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 5000]
ON, OFF = bytes.fromhex("A00101A2"), bytes.fromhex("A00100A1")
QUICK = 10


class Watcher:
    """What OpenCV sees of a stream, in a thread of its own."""

    def __init__(self, address: str, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._stream = cv2.VideoCapture(address, cv2.CAP_FFMPEG, LIMITS)
        assert self._stream.isOpened()

    async def pictures(self, count: int) -> list[Picture]:
        """The next ones; fewer where the stream ends."""

        def read() -> list[Picture]:
            seen = []
            for _ in range(count):
                good, picture = self._stream.read()
                if not good:
                    break
                seen.append(np.asarray(picture, np.uint8))
            return seen

        return await asyncio.get_running_loop().run_in_executor(self._pool, read)

    def close(self) -> None:
        self._stream.release()


@asynccontextmanager
async def watching(address: str) -> AsyncIterator[Watcher]:
    with ThreadPoolExecutor(1) as pool:
        watcher = await asyncio.get_running_loop().run_in_executor(pool, Watcher, address, pool)
        try:
            yield watcher
        finally:
            watcher.close()


def moved(pictures: list[Picture]) -> float:
    """How much the pictures differ at most, grain aside."""
    soft = [cv2.GaussianBlur(picture, (0, 0), 2.0).astype(float) for picture in pictures]
    return max(float(abs(one - two).max()) for one, two in pairwise(soft))


def count_spots(picture: Picture, die: dict[str, Any], kind: str) -> int:
    """Spots on the face that the truth tells of: found by colour alone."""
    size, turn = die["size_px"] * 0.78, die["turn_deg"]
    straight = cv2.getRotationMatrix2D((die["x_px"], die["y_px"]), turn, 1.0)
    face = cv2.warpAffine(picture, straight, (picture.shape[1], picture.shape[0]))
    face = np.asarray(cv2.getRectSubPix(face, (round(size), round(size)), (die["x_px"], die["y_px"])), np.uint8)
    colours = KINDS[kind]
    away = [
        np.linalg.norm(face.astype(float) - colour, axis=2) for colour in (colours.colour(die["value"]), colours.body)
    ]
    count, _, stats, _ = cv2.connectedComponentsWithStats((away[0] < away[1]).astype(np.uint8))
    return sum(1 for number in range(1, count) if stats[number, cv2.CC_STAT_AREA] > 60)


async def shown(watcher: Watcher, record: dict[str, Any], kind: str) -> list[Picture]:
    """The first three pictures in a row in which nothing moves and the record's dice lie: the stream is some pictures
    behind what happens."""
    values = [die["value"] for die in record["dice"]]
    async with asyncio.timeout(20):
        pictures = await watcher.pictures(3)
        while moved(pictures) > 40 or [count_spots(pictures[-1], die, kind) for die in record["dice"]] != values:
            pictures = [*pictures[1:], *await watcher.pictures(1)]
        return pictures


@asynccontextmanager
async def told(sim: Simulation) -> AsyncIterator[Callable[..., Awaitable[dict[str, Any]]]]:
    """The control port's client."""
    async with control_port(sim) as address:
        name, port = address.removeprefix("tcp://").split(":")
        reader, writer = await asyncio.open_connection(name, int(port))

        async def ask(**request: Any) -> dict[str, Any]:
            writer.write(json.dumps(request).encode() + b"\n")
            answer: dict[str, Any] = json.loads(await asyncio.wait_for(reader.readline(), 10))
            return answer

        try:
            yield ask
        finally:
            writer.close()


QUIET = """
title = "quiet"
[[devices]]
name = "shaker"
model = "shaker-relay"
dice = "white"
[[devices]]
name = "camera"
model = "dome-camera"
shaker = "shaker"
"""


@asynccontextmanager
async def relay_table(seed: int = 1, speed: float = QUICK) -> AsyncIterator[Simulation]:
    async with running(parse_scenario(QUIET, "quiet"), speed=speed, seed=seed) as sim:
        yield sim


async def shaken(sim: Simulation, word: str | None = None) -> dict[str, Any]:
    """One more shake by the button; its record."""
    if word is not None:
        await sim.tell("shaker", word)
    known = len(sim.truth())
    await sim.tell("shaker", "shake")
    return (await asyncio.wait_for(sim.until_truth(known + 1), 30))[known]


async def test_the_stream_shows_what_the_truth_says() -> None:
    async with relay_table() as sim, watching(sim.ports["camera"]) as watcher:
        for values in ("1-2-3", "4-5-6"):
            record = await shaken(sim, f"next {values}")
            assert record["values"] == [int(value) for value in values.split("-")]
            assert record["expect"] == "accept"
            for picture in await shown(watcher, record, "white"):
                assert picture.shape == (480, 640, 3)


async def test_dice_move_while_it_shakes_and_lie_still_afterwards() -> None:
    async with relay_table(speed=1) as sim, watching(sim.ports["camera"]) as watcher:
        assert moved(await watcher.pictures(3)) < 40
        fd = os.open(sim.ports["shaker"], os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(fd, ON)
            async with asyncio.timeout(20):
                while moved(await watcher.pictures(3)) < 80:
                    pass
            (underway,) = sim.truth(in_play=True)
            assert underway["by"] == "host"
            assert not underway["finished"]
            os.write(fd, OFF)
            (record,) = await asyncio.wait_for(sim.until_truth(1), 20)
            await shown(watcher, record, "white")
        finally:
            os.close(fd)


async def test_a_shaker_that_hangs_does_not_freeze_the_camera() -> None:
    async with relay_table() as sim, watching(sim.ports["camera"]) as watcher:
        await sim.pause("shaker")
        await watcher.pictures(3)
        pictures = await watcher.pictures(3)
        assert not any(np.array_equal(one, two) for one, two in pairwise(pictures))
        await sim.resume("shaker")


async def test_a_frozen_camera_gives_one_picture_again_and_again() -> None:
    async with relay_table() as sim, watching(sim.ports["camera"]) as watcher:
        record = await shaken(sim, "next frozen")
        assert record["reason"] == "camera_fault"
        async with asyncio.timeout(20):
            while True:
                one, two, three = await watcher.pictures(3)
                if np.array_equal(one, two) and np.array_equal(two, three):
                    break


async def test_a_camera_unplugged_paused_and_back() -> None:
    async with relay_table() as sim:
        async with watching(sim.ports["camera"]) as watcher:
            assert len(await watcher.pictures(2)) == 2
            await sim.unplug("camera")
            async with asyncio.timeout(20):
                while len(await watcher.pictures(5)) == 5:
                    pass
        await sim.replug("camera")
        async with watching(sim.ports["camera"]) as watcher:
            assert len(await watcher.pictures(2)) == 2
        await sim.pause("camera")
        with ThreadPoolExecutor(1) as pool:
            opening = asyncio.get_running_loop().run_in_executor(pool, Watcher, sim.ports["camera"], pool)
            done, _ = await asyncio.wait({opening}, timeout=0.3)
            assert not done, "it hangs: there is a connection and no picture"
            await sim.resume("camera")
            (await opening).close()


async def test_words_and_faults_by_the_control_port() -> None:
    async with relay_table() as sim, told(sim) as ask:
        assert (await ask(do="tell", device="shaker", word="next stacked 2-2-5"))["ok"]
        assert (await ask(do="inject", device="shaker", fault="doubled_answers"))["ok"]
        assert (await ask(do="tell", device="shaker", word="shake"))["ok"]
        (record,) = await asyncio.wait_for(sim.until_truth(1), 20)
        assert (record["pose"], record["values"], record["expect"]) == ("stacked", [2, 2, 5], "refuse")
        assert record["faults"] == ["doubled_answers", "stacked"]
        for word, names in (("deal", "shake"), ("next", "POSE"), ("next 7", "1-3-6"), ("next stacked 1 2", "POSE")):
            answer = await ask(do="tell", device="shaker", word=word)
            assert not answer["ok"]
            assert names in answer["error"]
        for device, fault, names in (("shaker", "wobble", "stacked"), ("camera", "glare", "shaker")):
            answer = await ask(do="inject", device=device, fault=fault)
            assert not answer["ok"]
            assert names in answer["error"]
        assert not (await ask(do="tell", device="camera", word="shake"))["ok"]
        status = (await ask(do="status"))["devices"]
        assert [(each["driver"], each["model"]) for each in status] == [
            ("shaker-relay", "shaker-relay"),
            ("sicbo-camera", "dome-camera"),
        ]


async def test_an_emptied_plate_is_the_rigs_empty_plate() -> None:
    from hw_sim.dice.render import render
    from hw_sim.dice.scene import Scene

    async with relay_table() as sim, watching(sim.ports["camera"]) as watcher:
        await sim.tell("shaker", "empty")
        empty = render(Scene(), rig_of(1, "white"), 0, 1)
        async with asyncio.timeout(20):
            while moved([empty, *await watcher.pictures(1)]) > 15:
                pass


async def test_a_networked_shaker_is_told_over_a_broker() -> None:
    over = asyncio.Event()
    heard: list[tuple[str, bytes]] = []

    async def script(peer: Peer, number: int) -> None:  # noqa: ARG001
        await peer.accept()
        peer.send(suback_packet(peer.version, await peer.read()))
        while len(heard) < 4:
            message = await peer.next_publish()
            peer.acknowledge(message)
            heard.append((message.topic, message.payload))
            if len(heard) == 1:
                peer.send(Publish("shaker/1/command", CYCLE, 0).encode(V311))
        over.set()
        await peer.read()

    async with (
        scripted_broker(script) as number,
        running("sicbo", speed=QUICK, seed=5, broker=f"mqtt://127.0.0.1:{number}") as sim,
    ):
        assert sim.ports["shaker"] == f"mqtt://127.0.0.1:{number}/shaker/1"
        await asyncio.wait_for(over.wait(), 20)
        assert heard == [("shaker/1/state", text) for text in (b"S0", b"S2", b"S1", b"S0")]
        (record,) = await asyncio.wait_for(sim.until_truth(1), 20)
        assert record["expect"] == "accept"
        async with watching(sim.ports["camera"]) as watcher:
            await shown(watcher, record, "asian")


async def test_a_dice_tower_shows_a_hand_then_nothing_then_dice() -> None:
    async with running("sicbo-tower", speed=QUICK, seed=2) as sim, watching(sim.ports["camera"]) as watcher:
        await watcher.pictures(1)
        first, second = (await asyncio.wait_for(sim.until_truth(2), 30))[:2]
        assert first["by"] == second["by"] == "dealer"
        assert first["dice"] != second["dice"]
        times = second["times_s"]
        assert times["ordered"] + 1.0 < times["motor_on"] < times["motor_off"] < times["still"]


def test_a_tower_takes_its_dice_up_before_it_throws() -> None:
    (options,) = load_scenario("sicbo-tower").devices
    log = TruthLog()
    tower = build_device(options, 3, log)
    dice, hands = [], []
    while not log.records:
        tower.advance(tower.now_s + 0.1)
        paint = tower.shot()  # type: ignore[attr-defined]
        scene = paint.args[0]
        dice.append(len(scene.dice))
        hands.append(bool(scene.over))
    assert dice[0] == dice[-1] == 3
    assert 0 in dice
    assert any(hands)
    assert not hands[-1]


def test_the_scenarios_of_sic_bo_say_what_they_are() -> None:
    (shaker, _, relay, _) = load_scenario("sicbo-faults").devices
    assert isinstance(shaker, NetworkedOptions)
    assert isinstance(relay, RelayOptions)
    bad = {pose.value for pose in POSES} - {"flat", "touching"} | {"camera_hang"}
    assert set(shaker.rates) == {fault.value for fault in NETWORKED_FAULTS} | bad
    assert set(relay.rates) == {fault.value for fault in RELAY_FAULTS} | bad
    for options in (shaker, relay):
        assert 0.5 < sum(options.rates.values()) < 1.2
    for name in ("sicbo", "sicbo-relay", "sicbo-tower"):
        assert not getattr(load_scenario(name).devices[0], "rates", None)


def test_the_dealer_goes_on_by_himself_and_the_same_seed_gives_the_same() -> None:
    def played(seed: int) -> list[dict[str, Any]]:
        relay = load_scenario("sicbo-faults").devices[2]
        log = TruthLog()
        device = build_device(relay, seed, log)
        device.advance(900)
        return log.records

    records = played(4)
    assert len(records) > 25
    assert {record["expect"] for record in records} == {"accept", "either", "refuse"}
    assert records == played(4)
    assert records != played(5)
    for record in records:
        if record["expect"] == "accept":
            assert record["reason"] is None
            assert record["moved"]


SHAKER = '[[devices]]\nname = "shaker"\nmodel = "shaker-relay"\n'
NETWORKED = '[[devices]]\nname = "shaker"\nmodel = "shaker-networked"\n'
CAMERA = '[[devices]]\nname = "camera"\nmodel = "dome-camera"\nshaker = "shaker"\n'


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        (CAMERA + SHAKER, "devices[0].shaker", "before it"),
        (CAMERA, "devices[0].shaker", "no shaker 'shaker'"),
        (SHAKER + CAMERA.replace('"camera"', '"a b"', 1), "devices[1].name", "a b"),
        (SHAKER + "rates = { stale_idle = 0.1 }\n", "devices[0].rates", "stale_idle"),
        (NETWORKED + "rates = { not_moved = 0.1 }\n", "devices[0].rates", "not_moved"),
        (SHAKER + 'shakes = ["leaning+stacked"]\n', "devices[0].shakes", "one pose"),
        (SHAKER + 'shakes = ["wobble"]\n', "devices[0].shakes", "wobble"),
        (SHAKER + 'values = ["1-7-2"]\n', "devices[0].values", "1-3-6"),
        (SHAKER + 'dice = "green"\n', "devices[0].dice", "green"),
        (SHAKER + "between_s = [9, 3]\n", "devices[0].between_s", "9.0"),
        (NETWORKED + 'broker = "localhost"\n', "devices[0].broker", "mqtt://HOST:PORT"),
        (NETWORKED + 'base = "a/+/b"\n', "devices[0].base", "a/+/b"),
    ],
)
def test_a_table_that_cannot_be_is_refused(text: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as error:
        parse_scenario('title = "x"\n' + text, "x.toml")
    assert error.value.key == key
    assert reason in error.value.reason


async def test_a_broker_that_cannot_be_is_refused() -> None:
    with pytest.raises(ScenarioError, match="mqtt://HOST:PORT"):
        async with running("sicbo", broker="nowhere"):
            pass


async def test_what_a_shaker_cannot_have_it_says() -> None:
    async with relay_table() as sim:
        with pytest.raises(UnknownFault, match="stopped_stuck"):
            sim.inject("shaker", "stale_idle")


async def test_the_command_line_runs_a_table(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *("hw-sim", "run", "sicbo-relay", "--run-dir", str(tmp_path), "--seconds", "20", "--speed", "20"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PATH": f"{Path(os.sys.executable).parent}:{os.environ['PATH']}"},  # type: ignore[attr-defined]
    )
    assert process.stdout is not None
    first = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    ports = {device["name"]: device["port"] for device in first["devices"]}
    assert ports["shaker"] == str(tmp_path / "shaker")
    async with watching(ports["camera"]) as watcher:
        assert len(await watcher.pictures(2)) == 2
    process.terminate()
    assert await asyncio.wait_for(process.wait(), 20) == 0

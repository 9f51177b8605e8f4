"""The supervised link over a scripted transport, on a clock that the test moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dealer_drivers.driver import DeviceAction, Output
from dealer_drivers.errors import (
    DeviceError,
    LinkLost,
    OptionError,
    PortAbsent,
    PortBusy,
    PortForbidden,
    RecordingEnded,
)
from dealer_drivers.readings import DeviceFault
from support.scripted_link import ABSENT, START, Bench, ScriptedChannel


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    await bench.link.stop()
    await asyncio.wait({bench.task})


async def test_bytes_reach_the_session_and_its_outputs_come_in_order(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.session.greeting = (b"who?", b"which?")
    bench.connect(channel)
    await bench.until(lambda: bench.state_names == ["opening", "up"])
    for chunk in (b"x", b"q", b"y"):
        channel.incoming.put_nowait(chunk)
        await bench.until_said(chunk.decode())
        bench.clock.advance_s(1)
    assert bench.session.calls == ["opened", "feed b'x' at 0", "feed b'q' at 1", "feed b'y' at 2"]
    assert channel.written == [b"who?", b"which?", b"a"]
    assert bench.outputs[0] == (Output(send=(b"who?", b"which?")), 0.0)
    assert [seconds for _, seconds in bench.outputs] == [0, 0, 1, 2]
    health = bench.link.health
    assert (health.bytes_in, health.bytes_out, health.valid_frames, health.opens) == (3, 11, 3, 1)
    await bench.link.stop()
    assert bench.notes.lines == [
        "open: wheel",
        "tx b'who?'",
        "tx b'which?'",
        "rx b'x'",
        "rx b'q'",
        "tx b'a'",
        "rx b'y'",
        "close: stopped by the station",
    ]


async def test_attempts_back_off_to_ten_seconds_and_are_told_once(bench: Bench) -> None:
    bench.connect(*[ABSENT] * 9)
    waits = [await bench.wait_out() for _ in range(9)]
    assert waits == [0.25, 0.5, 1, 2, 4, 8, 10, 10, 10]
    assert bench.transport.opened_after_s == [0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 25.75, 35.75]
    assert bench.state_names == ["opening", "waiting"]
    assert bench.states[1].reason == str(ABSENT)
    assert bench.states[1].since == START
    assert bench.said == ["link_refused"]
    assert bench.notes.lines == ["error: port wheel is not there"]


async def test_a_changed_reason_is_told(bench: Bench) -> None:
    busy = PortBusy("port wheel is in use by process 7 (minicom)")
    bench.connect(ABSENT, ABSENT, busy, busy, ScriptedChannel())
    for _ in range(4):
        await bench.wait_out()
    await bench.until_state("up")
    assert [state.reason for state in bench.states] == ["", str(ABSENT), str(busy), ""]
    assert bench.said == ["link_refused", "link_refused cleared"]


async def test_an_unplug_and_replug_tell_the_whole_story(bench: Bench) -> None:
    first, second = ScriptedChannel(), ScriptedChannel()
    bench.connect(first, ABSENT, ABSENT, second)
    first.incoming.put_nowait(b"x")
    first.incoming.put_nowait(LinkLost("port wheel: hung up"))
    for _ in range(3):
        await bench.wait_out()
    await bench.until_state("up")
    second.incoming.put_nowait(b"y")
    await bench.until_said("y")
    assert bench.state_names == ["opening", "up", "waiting", "waiting", "up"]
    assert bench.said == ["x", "link_lost", "link_lost cleared", "y"]
    assert bench.session.calls == [
        "opened",
        "feed b'x' at 0",
        "lost port wheel: hung up",
        "opened",
        "feed b'y' at 1.75",
    ]
    [lost] = [reading for reading in bench.readings if isinstance(reading, DeviceFault) and not reading.cleared]
    assert "hung up" in lost.detail
    assert "connects again by itself" in lost.detail
    assert first.closed >= 1
    assert bench.link.health.opens == 2


async def test_a_port_that_is_lost_as_soon_as_it_opens_backs_off_too(bench: Bench) -> None:
    def flapping() -> ScriptedChannel:
        channel = ScriptedChannel()
        channel.incoming.put_nowait(LinkLost("port wheel: hung up"))
        return channel

    bench.connect(*[flapping() for _ in range(5)])
    assert [await bench.wait_out() for _ in range(5)] == [0.25, 0.5, 1, 2, 4]


@pytest.mark.parametrize(("lasted_s", "next_wait_s"), [(9.9, 1.0), (10.0, 0.25)])
async def test_a_link_that_lasted_makes_the_next_wait_short_again(
    bench: Bench, lasted_s: float, next_wait_s: float
) -> None:
    channel = ScriptedChannel()
    bench.connect(ABSENT, ABSENT, channel)
    await bench.wait_out()
    await bench.wait_out()
    await bench.until_state("up")
    bench.clock.advance_s(lasted_s)
    channel.incoming.put_nowait(LinkLost("port wheel: hung up"))
    await bench.until_state("waiting")
    assert await bench.wait_out() == pytest.approx(next_wait_s)


@pytest.mark.parametrize("error", [PortForbidden("join the group dialout"), OptionError("port", "is no serial port")])
async def test_a_configuration_to_be_mended_is_tried_every_ten_seconds(bench: Bench, error: DeviceError) -> None:
    bench.connect(error, error, ABSENT, ScriptedChannel())
    assert [await bench.wait_out() for _ in range(3)] == [10, 10, 0.25]
    await bench.until_state("up")
    assert bench.states[1].state == "waiting"
    assert bench.states[1].reason == str(error)
    assert bench.said == ["link_refused", "link_refused cleared"]


async def test_the_end_of_a_recording_ends_the_run_without_an_error(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    channel.incoming.put_nowait(b"x")
    channel.incoming.put_nowait(RecordingEnded("recording:night has no more bytes"))
    await bench.task
    assert bench.state_names == ["opening", "up", "given_up"]
    assert bench.states[-1].reason == "recording:night has no more bytes"
    assert bench.said == ["x", "link_lost"]
    assert channel.closed >= 1
    await bench.link.stop()
    assert bench.link.state.state == "given_up"


async def test_what_can_never_open_ends_the_run(bench: Bench) -> None:
    bench.connect(RecordingEnded("recording:night has no more bytes"))
    await bench.task
    assert bench.state_names == ["opening", "given_up"]
    assert bench.said == ["link_refused"]


async def test_the_session_is_ticked_when_it_is_due(bench: Bench) -> None:
    bench.session.due_ns = START.plus_s(1.5).mono_ns
    bench.session.due_again_after_s = 3.5
    bench.connect(ScriptedChannel())
    assert [await bench.wait_out() for _ in range(3)] == [1.5, 3.5, 3.5]
    await bench.clock.next_deadline_ns()
    assert bench.session.calls == ["opened", "tick at 1.5", "tick at 5", "tick at 8.5"]


async def test_a_deadline_that_moves_is_followed(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.session.due_ns = START.plus_s(5).mono_ns
    bench.connect(channel)
    assert await bench.clock.next_deadline_ns() == START.plus_s(5).mono_ns
    for due_s, chunk in ((2, b"earlier"), (8, b"later")):
        bench.session.due_ns = START.plus_s(due_s).mono_ns
        channel.incoming.put_nowait(chunk)
        await bench.until_said(chunk.decode())
        await bench.until_armed(due_s)
    bench.session.due_ns = None
    channel.incoming.put_nowait(b"never")
    await bench.until_said("never")
    await bench.until_armed(None)
    bench.clock.advance_s(100)
    channel.incoming.put_nowait(b"y")
    await bench.until_said("y")
    assert not [call for call in bench.session.calls if call.startswith("tick")]


async def test_bytes_that_are_there_come_before_a_deadline_that_has_passed(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.session.due_ns = START.plus_s(1).mono_ns
    bench.connect(channel)
    await bench.clock.next_deadline_ns()
    channel.incoming.put_nowait(b"x")
    bench.clock.advance_s(2)
    await bench.until_said("x")
    channel.incoming.put_nowait(b"y")
    await bench.until_said("x", "y")
    assert bench.session.calls == ["opened", "feed b'x' at 2", "tick at 2", "feed b'y' at 2"]


async def test_a_session_whose_deadline_stands_still_does_not_spin(bench: Bench) -> None:
    bench.session.due_ns = START.mono_ns
    bench.session.due_again_after_s = 0.0
    bench.connect(ScriptedChannel())
    assert [await bench.wait_out() for _ in range(3)] == pytest.approx([0.1, 0.1, 0.1])


async def test_a_flood_does_not_starve_the_ticks(bench: Bench) -> None:
    channel = ScriptedChannel()
    for _ in range(50):
        channel.incoming.put_nowait(b"x")
    bench.session.due_ns = START.mono_ns
    bench.connect(channel)
    await bench.until(lambda: len(bench.said) == 50)
    assert bench.session.calls.index("tick at 0") < 10


async def test_a_request_is_sent_and_answered(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    assert await bench.link.request(DeviceAction.ACKNOWLEDGE_VOID) is False, "the link is not up yet"
    await bench.until_state("up")
    assert await bench.link.request(DeviceAction.ACKNOWLEDGE_VOID) is True
    assert await bench.link.request(DeviceAction.ACKNOWLEDGE_VOID) is True
    assert channel.written == [b"*R", b"*R"]
    assert bench.outputs[-1][0] == Output(send=(b"*R",)), "what was asked is told like everything else"
    assert await bench.link.request("something else") is False  # type: ignore[arg-type]
    assert channel.written == [b"*R", b"*R"]


async def test_a_request_may_be_made_while_an_output_is_handled(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    await bench.until_state("up")
    answers: list[asyncio.Future[bool]] = []

    def ask() -> None:
        if not answers:
            answers.append(bench.link.request(DeviceAction.ACKNOWLEDGE_VOID))

    bench.then = ask
    channel.incoming.put_nowait(b"x")
    await bench.until(lambda: len(answers) == 1)
    assert await answers[0] is True
    assert channel.written == [b"*R"]


async def test_a_request_on_a_link_that_breaks_is_answered_no_and_the_loss_is_told(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    await bench.until_state("up")
    channel.incoming.put_nowait(b"last words")
    channel.broken = LinkLost("port wheel: writing failed")
    assert await bench.link.request(DeviceAction.ACKNOWLEDGE_VOID) is False
    await bench.until_state("waiting")
    assert bench.said == ["last words", "link_lost"]
    assert bench.link.health.bytes_out == 0


async def test_an_output_that_cannot_be_handled_ends_the_run_with_that_error(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    await bench.until_state("up")
    bench.fails = OSError("the journal cannot commit")
    channel.incoming.put_nowait(b"q")
    channel.incoming.put_nowait(b"y")
    with pytest.raises(OSError, match="the journal cannot commit"):
        await bench.task
    assert bench.said == ["q"], "nothing follows what was not committed"
    assert channel.written == [], "and nothing is answered to it"
    assert channel.closed >= 1
    assert bench.states[-1].state == "stopped"
    assert "the journal cannot commit" in bench.states[-1].reason


@pytest.mark.parametrize("error", [LinkLost("of another link"), RecordingEnded("of another"), PortAbsent("another")])
async def test_an_error_of_the_handler_is_never_taken_for_one_of_the_link(bench: Bench, error: DeviceError) -> None:
    channel = ScriptedChannel()
    bench.connect(ABSENT, channel)
    await bench.wait_out()
    await bench.until_state("up")
    bench.fails = error
    request = bench.link.request(DeviceAction.ACKNOWLEDGE_VOID)
    with pytest.raises(type(error)):
        await bench.task
    assert await request is False
    assert bench.states[-1].state == "stopped"


async def test_a_refusal_that_cannot_be_handled_ends_the_run(bench: Bench) -> None:
    bench.fails = OSError("the journal cannot commit")
    bench.connect(ABSENT)
    with pytest.raises(OSError, match="the journal cannot commit"):
        await bench.task


async def test_stopping_is_quiet_and_may_be_done_again(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    await bench.until_state("up")
    channel.incoming.put_nowait(b"x")
    await asyncio.gather(bench.link.stop(), bench.link.stop())
    await bench.link.stop()
    await bench.task
    assert bench.state_names == ["opening", "up", "stopped"]
    assert bench.states[-1].reason == ""
    assert channel.closed >= 1
    assert bench.outputs == [], "no output comes after the stop, and stopping is no loss"
    assert await bench.link.request(DeviceAction.ACKNOWLEDGE_VOID) is False
    with pytest.raises(RuntimeError, match="runs once"):
        await bench.link.run()


async def test_a_second_stop_does_not_cut_the_first_one_short(bench: Bench) -> None:
    closing, may_close = asyncio.Event(), asyncio.Event()

    class SlowToClose(ScriptedChannel):
        async def close(self) -> None:
            closing.set()
            await may_close.wait()
            self.closed += 1

    channel = SlowToClose()
    bench.connect(channel)
    await bench.until_state("up")
    first = asyncio.create_task(bench.link.stop())
    await closing.wait()
    second = asyncio.create_task(bench.link.stop())
    await asyncio.sleep(0)
    may_close.set()
    await asyncio.gather(first, second)
    assert channel.closed == 1
    assert bench.state_names[-1] == "stopped"


@pytest.mark.parametrize("script", [(), (ABSENT,)], ids=["while it opens", "while it waits"])
async def test_stopping_does_not_wait_for_what_may_never_come(bench: Bench, script: tuple[Any, ...]) -> None:
    bench.connect(*script)
    await bench.until(lambda: len(bench.states) == 1 + len(script))
    async with asyncio.timeout(5):
        await bench.link.stop()
        await bench.task
    assert bench.state_names[-1] == "stopped"


async def test_a_link_that_was_stopped_before_it_ran_never_opens(bench: Bench) -> None:
    bench.connect(ScriptedChannel())
    await bench.link.stop()
    await bench.task
    assert bench.state_names == ["stopped"]
    assert bench.transport.opened_after_s == []


async def test_cancelling_the_run_closes_the_channel_and_is_a_cancellation(bench: Bench) -> None:
    channel = ScriptedChannel()
    bench.connect(channel)
    await bench.until_state("up")
    bench.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bench.task
    assert channel.closed >= 1
    assert bench.state_names[-1] == "stopped"

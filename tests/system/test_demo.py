"""The demonstration, as ``make demo`` runs it."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest


async def demo(*options: str, interrupt_after: bytes | None = None) -> tuple[int, str]:
    command = [sys.executable, "-m", "dealer_daemon", "demo", *options]
    child = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True
    )
    assert child.stdout is not None
    said = b""
    async with asyncio.timeout(90):
        async for line in child.stdout:
            said += line
            if interrupt_after is not None and interrupt_after in line:
                child.send_signal(signal.SIGINT)
                interrupt_after = None
        await child.wait()
    return child.returncode or 0, said.decode()


@pytest.mark.parametrize("broker", ["mosquitto", "amqtt"])
async def test_outcomes_are_seen_and_a_short_spin_is_thrown_again(broker: str) -> None:
    code, said = await demo("--speed", "20", "--broker", broker, interrupt_after=b", attempt 2)")
    assert code == 0, said
    assert "REFUSED, Too few laps" in said
    assert "Throw again" in said
    assert ("MQTT 3.1.1" in said) is (broker == "amqtt")
    assert "verifies." in said


async def test_it_ends_by_itself() -> None:
    code, said = await demo("--speed", "20", "--seconds", "8")
    assert code == 0, said
    assert "OUTCOME" in said

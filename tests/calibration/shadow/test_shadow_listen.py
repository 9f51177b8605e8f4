"""Results of another system's topic become the CSV that the report reads."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import paho.mqtt.publish as publish
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_calibration.cli import main
from dealer_calibration.shadow.listening import NoResult, columns_line, result_line
from dealer_calibration.shadow.theirs import read_results
from dealer_drivers.transports.mqtt_lines import MqttMessage
from support.live import Child, until
from support.mqtt_brokers import free_port

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WANTED = {"time": "at", "number": "result.number"}


def message(payload: bytes, *, kept: bool = False) -> MqttMessage:
    return MqttMessage("result", payload, kept, b"")


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(lambda text: bool(text.strip()))


@given(st.dictionaries(st.sampled_from(["number", "winner"]), WORDS, min_size=1))
def test_what_was_written_is_read_again(facts: dict[str, str]) -> None:
    wanted = {"time": "received"} | {name: f"data.{name}" for name in facts}
    text = columns_line(wanted) + result_line(message(json.dumps({"data": facts}).encode()), wanted, NOW)
    [found] = read_results(io.StringIO(text, newline=""), {}, None, None)
    assert (found.time, dict(found.facts)) == (NOW, {name: value.strip() for name, value in facts.items()})


@given(st.binary())
def test_any_payload_is_a_result_or_is_left_out_with_words(payload: bytes) -> None:
    try:
        said = result_line(message(payload), WANTED, NOW)
    except NoResult as error:
        said = str(error)
    assert said


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"17", "no JSON object"),
        (b'{"at": 1}', 'no fact "result.number"'),
        (b'{"at": 1, "result": {"number": null}}', "has no value"),
        (b'{"at": 1, "result": {"number": {}}}', "has no value"),
    ],
)
def test_a_message_without_the_result_is_left_out(payload: bytes, words: str) -> None:
    with pytest.raises(NoResult, match=words):
        result_line(message(payload), WANTED, NOW)


def test_what_the_broker_kept_is_left_out() -> None:
    with pytest.raises(NoResult, match="any age"):
        result_line(message(b'{"at": 1, "result": {"number": 3}}', kept=True), WANTED, NOW)


async def test_a_topic_of_a_broker_is_written_down(tmp_path: Path) -> None:
    port, out = free_port(), tmp_path / "results.csv"
    conf = tmp_path / "mosquitto.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    broker = Child("mosquitto", "-c", str(conf), log=tmp_path / "broker.log")
    await broker.start()
    url = f"mqtt://127.0.0.1:{port}/old/r1/result"
    command = [sys.executable, "-m", "dealer_calibration", "shadow-listen", url, "--value", "number=n", str(out)]
    listener = Child(*command, log=tmp_path / "listener.log")

    async def until_open() -> None:
        for _ in range(200):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                await writer.wait_closed()
                return
        raise AssertionError("the broker did not start")

    def say(body: str) -> None:
        publish.single("old/r1/result", body, 1, hostname="127.0.0.1", port=port)

    try:
        await until_open()
        await listener.start()
        await until(lambda: "listening" in listener.said(), "the listener")
        for body in ('{"n": 17}', "garbage", json.dumps({"n": 4, "filler": "x" * 8000})):
            say(body)
        await until(lambda: out.read_text().count("\n") == 3, "two results")
        assert await listener.end(signal.SIGINT) == 130
        assert "left out: no JSON" in listener.said()
        assert "Traceback" not in listener.said()
        found = read_results(out.read_text().splitlines(), {}, None, None)
        assert [dict(one.facts) for one in found] == [{"number": "17"}, {"number": "4"}]
        again = Child(*command, "--count", "1", log=tmp_path / "again.log")
        await again.start()
        await until(lambda: "listening" in again.said(), "the second listener")
        say('{"n": 36}')
        assert again.process is not None
        assert await again.process.wait() == 0
        assert out.read_text().splitlines()[0] == "time,number"
        assert len(out.read_text().splitlines()) == 4
    finally:
        await listener.kill()
        await broker.kill()


def test_a_file_with_other_columns_is_not_added_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results.csv"
    out.write_text("time,winner\n")
    url = "mqtt://127.0.0.1:1/old/r1/result"
    assert main(["shadow-listen", url, "--value", "number=n", str(out)]) == 2
    assert "has the columns time,winner" in capsys.readouterr().err
    assert out.read_text() == "time,winner\n"
    assert main(["shadow-listen", url, "--value", "number=n", str(tmp_path / "new.csv")]) == 3

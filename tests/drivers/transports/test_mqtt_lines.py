"""MQTT messages as lines: what is recorded is what came, however it was cut."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from dealer_drivers.transports.mqtt_lines import (
    MOST_BYTES,
    MqttLines,
    MqttMessage,
    read_sent_line,
    received_line,
    sent_line,
)

TOPICS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0+#"), min_size=1, max_size=20)
PAYLOADS = st.binary(max_size=40)


@given(TOPICS, PAYLOADS, st.booleans())
def test_a_message_comes_back_as_it_was_and_can_be_read_by_people(topic: str, payload: bytes, kept: bool) -> None:
    line = received_line(topic, payload, kept=kept)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert MqttLines().feed(line) == [MqttMessage(topic, payload, kept, line)]
    assert read_sent_line(sent_line(topic, payload)) == (topic, payload)


@given(st.lists(st.tuples(PAYLOADS, st.booleans()), max_size=6), st.lists(st.integers(0, 200), max_size=6), st.binary())
def test_the_same_messages_however_the_bytes_are_cut(
    sent: list[tuple[bytes, bool]], cuts: list[int], noise: bytes
) -> None:
    data = b"".join(received_line("state", payload, kept=kept) for payload, kept in sent) + noise
    whole = MqttLines().feed(data)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    lines = MqttLines()
    found = [item for a, b in itertools.pairwise(edges) for item in lines.feed(data[a:b])]
    assert found == whole
    assert [m.payload for m in whole[: len(sent)] if isinstance(m, MqttMessage)] == [payload for payload, _ in sent]


def test_a_state_looks_as_it_should_in_a_recording() -> None:
    assert received_line("state", b"S0", kept=False) == b"live state S0\n"
    assert received_line("state", b"S90", kept=True) == b"kept state S90\n"
    assert sent_line("command", b"/cycle/?pattern=1&duration=4000") == b"command /cycle/?pattern=1&duration=4000\n"


def test_an_endless_line_is_given_up_and_the_next_is_read() -> None:
    lines = MqttLines()
    (noise,) = lines.feed(b"x" * (3 * MOST_BYTES))
    assert isinstance(noise, bytes)
    assert len(noise) == MOST_BYTES
    assert lines.held < MOST_BYTES
    (message,) = lines.feed(b"x\n" + received_line("state", b"S0", kept=False))
    assert isinstance(message, MqttMessage)


def test_what_is_no_message_is_given_as_its_bytes() -> None:
    lines = MqttLines()
    for line in (b"state S0\n", b"dead state S0\n", b"live  S0\n", b"live state\n", b"live %FF S0\n", b"\n"):
        assert lines.feed(line) == [line]

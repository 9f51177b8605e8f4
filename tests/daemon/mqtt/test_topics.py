"""Where a table's messages go, and what can never be part of that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.mqtt.topics import TopicError, Topics, checked_name

TOPICS = Topics("dealer/v1", "studio-1", "r1")


def test_the_topics_are_those_that_servers_subscribe_to() -> None:
    assert TOPICS.events("round.outcome") == "dealer/v1/studio-1/r1/events/round.outcome"
    assert TOPICS.outcome == "dealer/v1/studio-1/r1/outcome"
    assert TOPICS.state == "dealer/v1/studio-1/r1/state"
    assert TOPICS.device("wheel") == "dealer/v1/studio-1/r1/devices/wheel"
    assert TOPICS.presence == "dealer/v1/studio-1/r1/presence"
    assert TOPICS.commands == "dealer/v1/studio-1/r1/commands"
    assert TOPICS.replies("lobby-7") == "dealer/v1/studio-1/r1/replies/lobby-7"
    assert TOPICS.acks("settler") == "dealer/v1/studio-1/r1/acks/settler"
    assert TOPICS.acks_filter == "dealer/v1/studio-1/r1/acks/+"


@pytest.mark.parametrize("name", ["", "a/b", "a+", "#", "a\x00b", "a\nb", "$SYS", "x" * 129, "\ud800"])
def test_names_that_would_break_a_topic_are_refused_everywhere(name: str) -> None:
    makers = (TOPICS.events, TOPICS.device, TOPICS.replies, TOPICS.acks, lambda n: Topics("p", n, "t"))
    for make in (*makers, lambda n: Topics("p", "s", n), lambda n: Topics(n if n != "a/b" else "a//b", "s", "t")):
        with pytest.raises(TopicError):
            make(name)


@given(st.text())
def test_an_accepted_name_is_one_level_that_no_filter_can_widen(name: str) -> None:
    try:
        checked_name("name", name)
    except TopicError:
        return
    assert name
    assert not set(name) & set("/+#\x00")
    assert name.encode()


def test_an_ack_topic_names_its_consumer_and_no_other_topic_does() -> None:
    assert TOPICS.consumer_of("dealer/v1/studio-1/r1/acks/settler") == "settler"
    assert TOPICS.consumer_of("dealer/v1/studio-1/r1/acks/") is None
    assert TOPICS.consumer_of("dealer/v1/studio-1/r2/acks/settler") is None
    assert TOPICS.consumer_of("dealer/v1/studio-1/r1/outcome") is None


@pytest.mark.parametrize(
    ("topic", "allowed"),
    [
        ("dealer/v1/studio-1/r1/replies/lobby-7", True),
        ("dealer/v1/studio-1/r1/replies/lobby-7/42", True),
        ("lobby/7/answers", True),
        ("dealer/v2/x", True),
        ("dealer/v1/studio-1/r1/outcome", False),
        ("dealer/v1/studio-1/r1/presence", False),
        ("dealer/v1/studio-1/r2/replies/lobby-7", False),
        ("dealer/v1", False),
        ("lobby/+/answers", False),
        ("lobby/#", False),
        ("$SYS/broker", False),
        ("", False),
        ("/", False),
        ("a\x00b", False),
        ("x" * 1025, False),
    ],
)
def test_a_request_cannot_make_us_write_onto_our_own_topics(topic: str, allowed: bool) -> None:
    assert TOPICS.response_allowed(topic) is allowed

"""The body of an event: CloudEvents 1.0, and the same bytes every time."""

from __future__ import annotations

import json
import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.events import Event, EventData, RoundOutcome, TableStarted, decode_data, encode_data
from dealer_daemon.mqtt.envelope import encode_event, event_message
from support.mqtt_outbox import event, outcome

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_an_outcome_is_a_complete_cloudevent() -> None:
    message = json.loads(encode_event("studio-1", event(42, outcome("17"))))
    assert message.pop("data")["facts"] == {"number": "17"}
    assert message == {
        "specversion": "1.0",
        "id": "studio-1/r1/42",
        "source": "/studio-1/r1",
        "type": "round.outcome",
        "subject": "r1-1",
        "time": "2026-01-01T00:00:00.042000Z",
        "datacontenttype": "application/json",
        "sequence": 42,
        "boot": "boot-a",
        "monons": "42000000",
    }


def test_attribute_names_are_those_that_cloudevents_allows() -> None:
    for name in event_message("studio-1", event(1)):
        assert re.fullmatch(r"[a-z0-9]{1,20}", name)


def test_without_a_round_there_is_no_subject() -> None:
    started = TableStarted(boot="b", version="1", config_hash="0", game="roulette")
    message = event_message("s", event(1, started, subject=None))
    assert "subject" not in message
    assert message["data"]["clock_speed"] == 1.0


def test_the_id_depends_on_table_and_sequence_alone() -> None:
    one, other = event(7, outcome("1")), event(7, outcome("2"))
    assert event_message("s", one)["id"] == event_message("s", other)["id"]
    assert event_message("s", event(8))["id"] != event_message("s", event(7))["id"]
    assert event_message("s", event(7, table="r2"))["id"] != event_message("s", event(7))["id"]


def test_a_long_uptime_stays_exact_as_text() -> None:
    late = msgspec.structs.replace(event(1), mono_ns=2**63 - 1)
    assert event_message("s", late)["monons"] == "9223372036854775807"


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.integers(1, 2**63 - 1))
def test_an_event_read_back_from_the_journal_has_the_same_bytes(facts: dict[str, object], sequence: int) -> None:
    data = RoundOutcome(game="g", facts=facts, attempts=1, evidence=["sha256:0"], source="device", server=[facts])
    made = event(1, data)
    made = msgspec.structs.replace(made, sequence=sequence)
    read: EventData = decode_data(data.type, encode_data(data))
    again = Event(**{name: getattr(made, name) for name in made.__struct_fields__ if name != "data"}, data=read)
    assert encode_event("s", made) == encode_event("s", made) == encode_event("s", again)
    assert json.loads(encode_event("s", made))["sequence"] == sequence

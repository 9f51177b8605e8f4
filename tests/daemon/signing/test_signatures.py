"""A signed event is checked by cutting bytes, by anybody; nothing but the station's own word passes."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.events import Event
from dealer_daemon.journal import SignedEvent
from dealer_daemon.mqtt.envelope import EVENT_CONTEXT, encode_event, event_checker, event_signer, verify_event
from dealer_daemon.mqtt.head_body import HEAD_CONTEXT
from dealer_daemon.signing import SigningKey, key_id, seal
from support.mqtt_outbox import event, outcome

SITE = "studio-1"
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
KEYS = {KEY.id: KEY.public}
VECTORS = Path(__file__).parents[3] / "docs" / "reference" / "signatures.json"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
events = st.builds(
    lambda sequence, subject, number: event(sequence, outcome(number), subject=subject or None),
    st.integers(1, 2**40),
    texts,
    texts,
)


def signed(one: Event, key: SigningKey = KEY, site: str = SITE) -> bytes:
    return encode_event(site, one, event_signer(site, key)(one))


def by_the_book(body: bytes, public: Ed25519PublicKey) -> None:
    """As docs/reference/signatures.md says it, with nothing of ours. Raises where the signature is wrong."""
    tail = body[-102:]
    assert tail.startswith(b',"signature":"')
    assert tail.endswith(b'"}')
    signature = base64.urlsafe_b64decode(tail[14:-2] + b"==")
    public.verify(signature, b"dealer-station event v1\n" + body[:-102] + b"}")


@given(events)
def test_every_signed_event_is_right_by_the_book_and_the_same_each_time(one: Event) -> None:
    body = signed(one)
    by_the_book(body, KEY.public)
    assert verify_event(body, KEYS)
    assert signed(one) == body
    with_it, without = json.loads(body), json.loads(encode_event(SITE, one))
    assert with_it.pop("signkey") == KEY.id
    assert with_it.pop("signature")
    assert with_it == without, "a signature changes nothing else"


@given(events, st.data())
def test_no_byte_of_it_can_be_changed(one: Event, data: st.DataObject) -> None:
    body = bytearray(signed(one))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= 1 << data.draw(st.integers(0, 7))
    assert not verify_event(bytes(body), KEYS)


@given(st.binary(max_size=300))
def test_no_other_bytes_are_an_event(noise: bytes) -> None:
    assert not verify_event(noise, KEYS)
    assert not verify_event(noise + signed(event(1))[-102:], KEYS)


def test_a_deeply_nested_body_is_no_event() -> None:
    deep = b"[" * 100_000
    assert not verify_event(b'{"a":' + deep + signed(event(1))[-102:], KEYS)


def test_somebody_elses_word_is_not_the_stations() -> None:
    forged = signed(event(1), OTHER)
    assert verify_event(forged, {OTHER.id: OTHER.public})
    assert not verify_event(forged, KEYS)
    assert not verify_event(forged.replace(OTHER.id.encode(), KEY.id.encode()), KEYS)
    assert not verify_event(encode_event(SITE, event(1)), KEYS), "an unsigned event is nobody's word"
    assert not verify_event(signed(event(1)), {})


def test_a_signature_fits_one_kind_of_message_alone() -> None:
    unsigned = signed(event(1))[:-102] + b"}"
    assert not verify_event(seal(HEAD_CONTEXT, unsigned, KEY), KEYS)


def test_a_signature_has_one_spelling() -> None:
    body = signed(event(1))
    last = body[-3:-2]
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spare = alphabet[alphabet.index(last) | 1 : (alphabet.index(last) | 1) + 1]
    assert spare != last
    assert not verify_event(body[:-3] + spare + body[-2:], KEYS)


def test_after_a_rotation_old_events_keep_their_bytes_and_both_keys_are_right() -> None:
    old = event_signer(SITE, OTHER)(event(1))
    assert encode_event(SITE, event(1), old) == signed(event(1), OTHER)
    both = {**KEYS, OTHER.id: OTHER.public}
    assert verify_event(encode_event(SITE, event(1), old), both)
    assert verify_event(signed(event(2)), both)


def test_what_is_not_the_signed_event_goes_out_unsigned_and_is_not_signed_anew() -> None:
    blob = event_signer(SITE, KEY)(event(1))
    for site, one in (("studio-2", event(1)), (SITE, event(2)), (SITE, event(1, outcome("5")))):
        assert encode_event(site, one, blob) == encode_event(site, one)
        assert not event_checker(site, KEYS)(SignedEvent(one, blob))
    assert event_checker(SITE, KEYS)(SignedEvent(event(1), blob))
    for torn in (b"", blob[:-1], blob + b"x", blob[:8], bytes(88)):
        assert encode_event(SITE, event(1), torn) == encode_event(SITE, event(1))


def test_the_published_vectors_are_what_the_code_says() -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    raw = base64.urlsafe_b64decode(vectors["public_key"] + "=")
    public = Ed25519PublicKey.from_public_bytes(raw)
    assert key_id(public) == vectors["key"] == KEY.id
    verdicts = [verify_event(case["body"].encode(), {vectors["key"]: public}) for case in vectors["cases"]]
    assert verdicts == [case["valid"] for case in vectors["cases"]]
    assert {True, False} == set(verdicts)
    by_the_book(vectors["cases"][0]["body"].encode(), public)
    body = vectors["cases"][0]["body"].encode()
    assert seal(EVENT_CONTEXT, body[:-102] + b"}", KEY) == body


@pytest.mark.parametrize("name", ["signkey", "signature"])
def test_both_attributes_have_names_that_cloudevents_allows(name: str) -> None:
    assert name.isalnum()
    assert name.islower()
    assert name in json.loads(signed(event(1)))

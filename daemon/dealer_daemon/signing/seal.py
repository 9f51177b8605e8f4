"""A signature as the last member of a JSON object, over the bytes before it. Pure.

``{…,"signkey":"ID",…,"signature":"BASE64URL"}``. Signed is a context, which tells one kind of message from another, and
then exactly the object without its last member: ``body[:-102] + b"}"``. So nobody who checks it must write JSON as we
do: the bytes are cut, never made anew.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

import msgspec
from cryptography.exceptions import InvalidSignature

from dealer_daemon.signing.keys import PublicKeys, SigningKey
from dealer_drivers.json_text import decode_json

KEY_ATTRIBUTE = "signkey"
"""The member that names the key, within what is signed. Lower-case letters: it is a CloudEvents attribute, too."""

_LAST = re.compile(rb',"signature":"([A-Za-z0-9_-]{86})"\}\Z')


class _Named(msgspec.Struct, frozen=True):
    signkey: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """A body taken apart: what is signed (without the context), and the signature, 64 bytes."""

    unsigned: bytes
    signature: bytes


def attach(body: bytes, signature: bytes) -> bytes:
    """The object with the signature as its last member. ``body`` is a JSON object with at least one member."""
    text = base64.urlsafe_b64encode(signature).rstrip(b"=")
    return b'%b,"signature":"%b"}' % (body[:-1], text)


def seal(context: bytes, body: bytes, key: SigningKey) -> bytes:
    """``body`` signed. It must name the key itself, as ``signkey``."""
    return attach(body, key.sign(context + body))


def split(body: bytes) -> Sealed | None:
    """The body taken apart; ``None`` where no signature ends it. Says nothing about whether it is right."""
    found = _LAST.search(body[-102:])
    if found is None:
        return None
    try:
        signature = base64.urlsafe_b64decode(found.group(1) + b"==")
    except binascii.Error:
        return None
    if base64.urlsafe_b64encode(signature).rstrip(b"=") != found.group(1):
        return None  # spare bits are set: a second spelling of one signature
    return Sealed(body[:-102] + b"}", signature)


def verify(context: bytes, body: bytes, keys: PublicKeys) -> bool:
    """Whether one of ``keys`` signed the body, the one that it names. Never raises for what the body holds."""
    sealed = split(body)
    if sealed is None:
        return False
    try:
        named = decode_json(sealed.unsigned, _Named).signkey
    except msgspec.MsgspecError:
        return False
    public = keys.get(named)
    if public is None:
        return False
    try:
        public.verify(sealed.signature, context + sealed.unsigned)
    except InvalidSignature:
        return False
    return True

"""Which events a station signed (Ed25519). Keys are given by a person, never taken from the broker."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

SIGNATURE = re.compile(rb',"signature":"([A-Za-z0-9_-]{86})"\}\Z')
SIGNKEY = re.compile(rb'"signkey":"([0-9a-f]{16})"')
Keys = dict[str, Ed25519PublicKey]


def read_keys(files: list[str]) -> Keys:
    """The stations' public keys by id."""
    keys: Keys = {}
    for file in files:
        key = load_pem_public_key(Path(file).read_bytes())
        assert isinstance(key, Ed25519PublicKey), f"{file} holds no Ed25519 key"
        keys[hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]] = key
    return keys


def verify(body: bytes, keys: Keys) -> bool:
    """Whether one of the keys signed exactly these bytes."""
    found, named = SIGNATURE.search(body), SIGNKEY.search(body)
    key = keys.get(named[1].decode()) if named else None
    if found is None or key is None:
        return False
    signed = b"dealer-station event v1\n" + body[: found.start()] + b"}"
    try:
        key.verify(base64.urlsafe_b64decode(found[1] + b"=="), signed)
    except InvalidSignature:
        return False
    return True

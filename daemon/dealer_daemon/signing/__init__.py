"""Ed25519 signatures over the very bytes that are published, so that anybody can tell a station's word from another's.

``keys`` are the files, ``seal`` puts a signature on a JSON body and checks one. Pure but for the reading and making of
files. Nothing here knows events, topics or the journal.
"""

from __future__ import annotations

from dealer_daemon.signing.keys import (
    KeyFileError,
    PublicKeys,
    SigningKey,
    in_base64url,
    key_id,
    make_key,
    public_keys_in,
    read_public_key,
    read_signing_key,
    write_public_key,
)
from dealer_daemon.signing.seal import KEY_ATTRIBUTE, Sealed, seal, split, verify

__all__ = [
    "KEY_ATTRIBUTE",
    "KeyFileError",
    "PublicKeys",
    "Sealed",
    "SigningKey",
    "in_base64url",
    "key_id",
    "make_key",
    "public_keys_in",
    "read_public_key",
    "read_signing_key",
    "seal",
    "split",
    "verify",
    "write_public_key",
]

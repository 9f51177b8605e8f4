"""A secret as the file keeps it: scrypt (RFC 7914) with a salt of its own and its cost beside it, as one text."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

COST, BLOCK, LANES = 2**16, 8, 1
"""64 MiB and about 0.2 s a try: a child process has the time, the station's loop has not (decision: sign-in)."""
MOST_MEMORY = 256 * 1024 * 1024
_SALT_BYTES, _KEY_BYTES = 16, 32
_FORM = re.compile(r"scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([0-9a-f]{32})\$([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Hash:
    """``scrypt$N$r$p$salt$key``, salt and key in hex."""

    n: int
    r: int
    p: int
    salt: bytes
    key: bytes

    @classmethod
    def parse(cls, text: str) -> Hash:
        """Raises ``ValueError`` for what is none, or costs more than this station takes."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError("expected scrypt$N$r$p$salt$key")
        n, r, p = (int(found[place]) for place in (1, 2, 3))
        if n < 2 or n & (n - 1) or not r or not p or 128 * n * r * p >= MOST_MEMORY:
            raise ValueError(f"scrypt with N={n}, r={r}, p={p} is not possible here")
        return cls(n, r, p, bytes.fromhex(found[4]), bytes.fromhex(found[5]))

    def __str__(self) -> str:
        return f"scrypt${self.n}${self.r}${self.p}${self.salt.hex()}${self.key.hex()}"

    def is_of(self, key: bytes) -> bool:
        """Whether ``key`` is the one, in a time that does not tell how much of it is."""
        return hmac.compare_digest(self.key, key)


def derived(secret: str, n: int, r: int, p: int, salt: bytes) -> bytes:
    """The key of a secret. Takes its time."""
    return hashlib.scrypt(secret.encode(), salt=salt, n=n, r=r, p=p, maxmem=MOST_MEMORY, dklen=_KEY_BYTES)


def hashed(secret: str, *, cost: int = COST) -> Hash:
    """A new hash of the secret. Takes its time: never in the station's loop."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return Hash(cost, BLOCK, LANES, salt, derived(secret, cost, BLOCK, LANES, salt))


def nobody(cost: int = COST) -> Hash:
    """A hash that no secret has: what an unknown name is checked against, so that it takes as long as a known one."""
    return Hash(cost, BLOCK, LANES, secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_KEY_BYTES))

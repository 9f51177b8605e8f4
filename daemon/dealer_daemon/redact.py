"""What must never be read in a log line or written into the configuration: secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REDACTED = "[redacted]"

_SECRET = re.compile(
    r"passw(or)?d|passphrase|secret|credential|token|api_?key|private_?key|authorization", re.IGNORECASE
)
_USERINFO = re.compile(r"(?<=://)[^/\s@]+(?=@)")


def is_secret_key(name: str) -> bool:
    """Whether a key of that name holds a secret. A key that names the *file* of a secret does not."""
    return bool(_SECRET.search(name)) and not name.lower().endswith(("_file", "_path"))


def redact(value: Any) -> Any:
    """The value without what secret keys hold, at any depth, and without credentials in addresses."""
    if isinstance(value, Mapping):
        return {k: REDACTED if is_secret_key(str(k)) else redact(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(item) for item in value]
    return _USERINFO.sub(REDACTED, value) if isinstance(value, str) else value

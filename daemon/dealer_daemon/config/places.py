"""Whether two ports of the configuration name one device, however they are written. Pure; nothing is looked up."""

from __future__ import annotations

import posixpath
from urllib.parse import urlsplit

_BEFORE_PATHS = ("input:", "camera:")
_PORTS = {"mqtt": 1883, "mqtts": 8883, "http": 80, "https": 443}
"""What is meant where none is written."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def place(port: str) -> str:
    """The same for two ports that name one device: a path without its detours, an address with its port, in small
    letters where letters' size means nothing. A link of the file system is another path."""
    bare = port
    for prefix in _BEFORE_PATHS:
        bare = bare.removeprefix(prefix)
    if bare.startswith("/"):
        return posixpath.normpath(bare)
    scheme, found, _ = bare.partition("://")
    if not found:
        return bare
    try:
        parts = urlsplit(bare)
        host, number = parts.hostname or "", parts.port
    except ValueError:
        return bare  # no address: said by the driver
    host = "127.0.0.1" if host in _HERE else host
    path = parts.path.rstrip("/") if scheme.lower() in ("mqtt", "mqtts") else parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme.lower()}://{host}:{number or _PORTS.get(scheme.lower(), 0)}{path}{query}"

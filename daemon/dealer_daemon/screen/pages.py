"""The files of the pages, read once at the start: the daemon opens no file while it serves (decision 0036)."""

from __future__ import annotations

from html import escape
from importlib.resources import files

_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


def static_files() -> dict[str, tuple[bytes, str]]:
    """Every file of ``static/`` by its name, with its media type."""
    found = {}
    for entry in files(__package__).joinpath("static").iterdir():
        suffix = "." + entry.name.rpartition(".")[2]
        if suffix in _TYPES:
            found[entry.name] = (entry.read_bytes(), f"{_TYPES[suffix]}; charset=utf-8")
    return found


def filled(page: bytes, **values: str) -> bytes:
    """A page with its ``{{name}}`` filled in, as text: nothing in a value is markup."""
    text = page.decode()
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", escape(value, quote=True))
    return text.encode()

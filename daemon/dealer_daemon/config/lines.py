"""On which line a key of a TOML text stands. ``tomllib`` gives values without places."""

from __future__ import annotations

import re

KeyPath = tuple[str | int, ...]

_KEY_PART = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)""")
_STATEMENT = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*(\[\[|\[)?")
# One piece of a value: strings first, so that what looks like a bracket or comment within them is none.
_VALUE_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)


class Lines:
    """The places of all keys and sections of a text that ``tomllib`` accepted.

    Keys of an array of tables have their number in the path, ``("tables", "r1", "devices", 0, "port")``.
    Keys within inline tables have no place of their own.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: dict[KeyPath, int] = {}
        self._last: dict[KeyPath, int] = {}  # the newest index of every array of tables
        self._scan()

    def line_of(self, path: KeyPath) -> int | None:
        """The line, from 1, of the key or of the nearest thing around it; ``None`` if there is neither."""
        while path:
            if path in self._places:
                return self._places[path]
            path = path[:-1]
        return None

    def _scan(self) -> None:
        section: KeyPath = ()
        offset, line = 0, 1
        while match := _STATEMENT.match(self._text, offset):
            line += match.group().count("\n")
            parts, key_end = self._key(match.end())
            if not parts:  # the end of the text
                return
            if opening := match.group(1):
                section = self._section(parts, array=opening == "[[")
                self._places.setdefault(section, line)
                if opening == "[[":
                    self._places.setdefault(section[:-1], line)
            else:
                for depth in range(1, len(parts) + 1):  # a.b = 1 is the place of a, too
                    self._places.setdefault(section + parts[:depth], line)
            offset = self._value_end(key_end)
            line += self._text.count("\n", key_end, offset)

    def _key(self, offset: int) -> tuple[tuple[str, ...], int]:
        parts = []
        while match := _KEY_PART.match(self._text, offset):
            parts.append(next(part for part in match.groups()[:3] if part is not None))
            offset = match.end()
            if not match.group(4):
                break
        return tuple(parts), offset

    def _section(self, parts: tuple[str, ...], *, array: bool) -> KeyPath:
        path: KeyPath = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in self._last:
                path = (*path, self._last[path])
        path = (*path, parts[-1])
        if array:
            self._last[path] = self._last.get(path, -1) + 1
            path = (*path, self._last[path])
        return path

    def _value_end(self, offset: int) -> int:
        """The offset of the line end that closes the statement: no bracket is open there."""
        depth = 0
        while match := _VALUE_PIECE.match(self._text, offset):
            piece = match.group()
            if piece == "\n" and depth <= 0:
                return offset
            depth += (piece in "[{") - (piece in "]}")
            offset = match.end()
        return len(self._text)

"""Lines are found in whatever way TOML lets a key be written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_daemon.config.lines import Lines

TEXT = """# a comment = 1
top = "# [no.section]" # [no]
"quoted key" = 'its'

[a]
x = '''
[b]
y = 1
'''
y = [ # numbers
  1, [2, "]"],
]
c.d = { e = 1 }
  [a."b.c"]
  z = '''
z = 2
'''
[[t.devices]]
name = "one"
[[t.devices]]
name = "two"
[t.devices.sub]
k = 1979-05-27T07:32:00Z
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("quoted key",), 3),
        (("a",), 5),
        (("a", "x"), 6),
        (("a", "y"), 10),
        (("a", "c"), 13),
        (("a", "c", "d"), 13),
        (("a", "c", "d", "e"), 13),
        (("a", "b.c", "z"), 15),
        (("t", "devices"), 18),
        (("t", "devices", 0), 18),
        (("t", "devices", 0, "name"), 19),
        (("t", "devices", 1), 20),
        (("t", "devices", 1, "name"), 21),
        (("t", "devices", 1, "absent"), 20),
        (("t", "devices", 1, "sub", "k"), 23),
        (("b",), None),
        (("no",), None),
        ((), None),
    ],
)
def test_places(path: tuple[str | int, ...], line: int | None) -> None:
    tomllib.loads(TEXT)
    assert Lines(TEXT).line_of(path) == line


_KEYS = st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True)
_VALUES: st.SearchStrategy[str] = st.sampled_from(
    ["1", '"a # b"', "'[x]'", '"""\nx = 1\n[t]\n"""', "[\n1, # ]\n2\n]", "{ a = [1], b = '}' }", "true", "1.5e3"]
)


@given(st.dictionaries(_KEYS, st.dictionaries(_KEYS, _VALUES, max_size=4), max_size=4))
def test_every_key_is_found_on_the_line_that_holds_it(sections: dict[str, dict[str, str]]) -> None:
    text = "".join(f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items()) for name, keys in sections.items())
    parsed: dict[str, Any] = tomllib.loads(text)
    lines, rows = Lines(text), text.split("\n")
    for name, keys in parsed.items():
        place = lines.line_of((name,))
        assert place is not None
        assert rows[place - 1] == f"[{name}]"
        for key in keys:
            place = lines.line_of((name, key))
            assert place is not None
            assert rows[place - 1].startswith(f"{key} = ")


@given(st.text(alphabet="ab=[]{}\"'#.\n \\", max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    Lines(text).line_of(("a",))

"""What the types say of their own fields: the text below a field, or the clause of it in the class's docstring.

Python keeps neither with the class, so both are read from the source.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable

_CLAUSE = re.compile(r"``(\w+)``: (.+?)(?=[.;]\s+``\w+``: |\Z)", re.DOTALL)

_SOURCE = re.compile(r" \(`?(?:devices|games)\.md`? §[0-9.]+\)")


def field_docs(cls: type) -> dict[str, str]:
    """By the field's name, on one line and in Markdown; of a base class where the class itself says nothing.

    Empty where there is no source. An enumeration's members count as fields.
    """
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        found |= {name: sentence(text) for name, text in _own(owner).items()}
    return found


def one_line(text: str) -> str:
    """A docstring as a cell of a Markdown table: one line, without references to papers that are no part of docs/."""
    return _SOURCE.sub("", " ".join(text.split()).replace("``", "`").replace("|", "\\|"))


def sentence(text: str) -> str:
    """As ``one_line``, with a capital letter."""
    line = one_line(text)
    return line[:1].upper() + line[1:]


def _own(cls: type) -> dict[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except (OSError, TypeError):  # built in, or made by a function
        return {}
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.ClassDef)
    below = {
        name: text
        for node, after in zip(tree.body, tree.body[1:], strict=False)
        for name in _names(node)
        if (text := _text(after)) is not None
    }
    return _clauses(ast.get_docstring(tree) or "", _fields(tree.body)) | below


def _clauses(docstring: str, fields: Iterable[str]) -> dict[str, str]:
    known = set(fields)
    return {name: f"{text.strip().rstrip('.')}." for name, text in _CLAUSE.findall(docstring) if name in known}


def _fields(body: Iterable[ast.stmt]) -> list[str]:
    return [name for node in body for name in _names(node)]


def _names(node: ast.stmt) -> list[str]:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None

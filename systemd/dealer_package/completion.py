"""Shell completion from the same argparse parsers. shtab writes it; this says which arguments are files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import shtab

from dealer_package.programs import Program

PLACES = {
    "bash": "usr/share/bash-completion/completions/{name}",
    "zsh": "usr/share/zsh/vendor-completions/_{name}",
    "fish": "usr/share/fish/vendor_completions.d/{name}.fish",
}
"""Where Debian's shells look, by shell."""


def completion(program: Program, shell: str) -> str:
    """The completion script of a program for ``bash``, ``zsh`` or ``fish``."""
    parser = program.parser()
    _mark_files(parser)
    return shtab.complete(parser, shell=shell) + "\n"


def _mark_files(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _mark_files(inner)
        elif action.type is Path:
            marked: Any = action
            marked.complete = shtab.FILE

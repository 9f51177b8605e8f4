"""Man pages from the same argparse parsers that print the help, so that the two cannot differ.

One page a program, with a section for every command of it. The markup is man(7): groff and mandoc both read it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from dealer_package.programs import PROGRAMS, Program


def man_page(program: Program, version: str, date: str) -> str:
    """The page of a program, in man(7) markup. ``date`` is YYYY-MM-DD."""
    parser = program.parser()
    others = ", ".join(f"\\fB{escaped(each.name)}\\fR(1)" for each in PROGRAMS if each.name != program.name)
    lines = [
        f'.TH "{escaped(program.name.upper())}" 1 "{date}" "dealer-station {escaped(version)}" "User Commands"',
        ".\\\" Made from the program's own help. Do not edit.",
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{escaped(program.name)} \\- {escaped(program.title)}",
        ".SH SYNOPSIS",
        *_synopsis(parser),
        ".SH DESCRIPTION",
        *_paragraphs(parser.description or ""),
        *_options(parser),
        ".SH COMMANDS",
        *(line for words, command, help_text in leaves(parser) for line in _command(words, command, help_text)),
        *_epilog(parser, ".SH"),
        ".SH FILES",
        ".TP",
        "\\fI/etc/dealer-station/station.toml\\fR",
        "The station's configuration, where \\fB\\-\\-config\\fR is left out.",
        ".TP",
        "\\fI/var/lib/dealer-station\\fR",
        "Journal and evidence.",
        ".SH SEE ALSO",
        f"{others}. The pages of the manual are in \\fI/usr/share/doc/dealer-station\\fR.",
    ]
    return "\n".join(lines) + "\n"


def leaves(
    parser: argparse.ArgumentParser, words: str = "", help_text: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Every command that can be run: its words, its parser, and the line that the help of the command above has."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            said = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for word, inner in action.choices.items():
                yield from leaves(inner, f"{words} {word}".strip(), said.get(word, ""))
            return
    yield words, parser, help_text


def escaped(text: str) -> str:
    """Plain text as man(7) reads it: hyphens that may be copied, and no line that begins like a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def _command(words: str, parser: argparse.ArgumentParser, help_text: str) -> Iterator[str]:
    yield f".SS {escaped(words)}"
    yield from _synopsis(parser)
    yield ".PP"
    text = parser.description or (help_text[:1].upper() + help_text[1:] + ".")
    yield from _paragraphs(text)
    yield from _options(parser)
    yield from _epilog(parser, ".PP")


def _synopsis(parser: argparse.ArgumentParser) -> Iterator[str]:
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    name, _, rest = usage.partition(" ")
    yield f"\\fB{escaped(name)}\\fR {escaped(rest)}".rstrip()


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    formatter = parser._get_formatter()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        yield ".TP"
        yield f"\\fB{escaped(formatter._format_action_invocation(action))}\\fR"
        # Like the formatter itself: the text may name the default, the choices, ….
        yield escaped(" ".join(formatter._expand_help(action).split())) if action.help else _choices(action)


def _choices(action: argparse.Action) -> str:
    return escaped(f"One of: {', '.join(map(str, action.choices))}.") if action.choices else "\\&"


def _epilog(parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    """The text below the options keeps its lines: it holds examples and a table of exit codes."""
    if not parser.epilog:
        return
    title, _, rest = parser.epilog.strip("\n").partition("\n")
    if heading == ".SH" and title.endswith(":") and rest:
        yield f".SH {escaped(title.removesuffix(':').upper())}"
        text = rest
    else:
        yield ".PP"
        text = f"{title}\n{rest}"
    yield ".nf"
    yield escaped(text.rstrip("\n"))
    yield ".fi"


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield escaped(" ".join(paragraph.split()))

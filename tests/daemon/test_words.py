"""Every word that a person may read has a text in all three languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_daemon.validation.spin_rules import SpinReason
from dealer_daemon.verdicts import Remedy
from dealer_daemon.words import WORDS, Kind, Language, UnknownWord, reference, text, words_of
from dealer_drivers.readings import Fault
from dealer_drivers.roulette.readings import WheelFault


def test_texts() -> None:
    assert text("ball_left_wheel", Language.SIMPLIFIED) == "飞球"
    assert text("ball_left_wheel", "zh-Hant") == "飛球"
    assert text("rethrow", "zh-Hans") == "重新掷球"
    assert text("too_few_laps", "en") == "Too few laps"


def test_no_text_is_invented() -> None:
    with pytest.raises(UnknownWord, match="brand_new"):
        text("brand_new", "en")
    with pytest.raises(ValueError, match="fr"):
        text("no_ball", "fr")


def test_every_language_is_there_and_is_itself() -> None:
    for name, word in WORDS.items():
        assert word.english.isascii(), name
        assert word.meaning.endswith("."), name
        for chinese in (word.simplified, word.traditional):
            assert chinese, name
            assert any("一" <= char <= "鿿" for char in chinese), name
        # Characters that exist in one script only.
        assert not set("飞转轮号码数计连无动经误开关设备时间传机发从报态顺读处现应") & set(word.traditional), name
        assert not set("飛轉輪號碼數計連無動經誤開關設備時間傳機發從報態順讀處現應") & set(word.simplified), name


def test_texts_of_one_kind_tell_words_apart() -> None:
    for kind in Kind:
        words = words_of(kind).values()
        assert words
        for texts in ([w.english for w in words], [w.simplified for w in words], [w.traditional for w in words]):
            assert len(set(texts)) == len(texts)


def test_the_words_of_the_types_have_texts_where_they_may_stand() -> None:
    reasons = words_of(Kind.REFUSED) | words_of(Kind.HELD)
    assert not [word for word in SpinReason if word not in reasons]
    assert not [word for word in (*Fault, *WheelFault) if word not in words_of(Kind.FAULT)]
    assert list(words_of(Kind.REMEDY)) == list(Remedy)


def literal_words(source: str) -> Iterator[tuple[int, str]]:
    """(line, word) of every ``reason=``, ``fault=`` and verdict that names its word in the code itself."""
    tree = ast.parse(source)
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = ast.unparse(node.func).rpartition(".")[2]
        values = []
        if function in EVENTS_WITH_WORDS:
            values = [keyword.value for keyword in node.keywords if keyword.arg in ("reason", "fault")]
        elif function in ("Held", "Refused"):
            values = node.args[:1]
        elif function == "_fault":
            values = node.args[1:2]
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield node.lineno, value.value
            elif isinstance(value, ast.Name) and value.id in constants:
                yield node.lineno, constants[value.id]


EVENTS_WITH_WORDS = {"AttemptRefused", "AttemptHeld", "Violation", "TablePaused", "RoundVoided", "DeviceFault"}


def test_the_words_in_the_code_have_texts(repository: Path) -> None:
    sample = "W = 'known'\nViolation(reason='a')\nHeld('b', '')\nself._fault(at, W, '')\nUnreadable(reason='no')"
    assert [word for _, word in literal_words(sample)] == ["a", "b", "known"]
    files = [path for folder in ("daemon", "drivers") for path in sorted((repository / folder).rglob("*.py"))]
    found = [(path, line, word) for path in files for line, word in literal_words(path.read_text())]
    assert len(found) >= 10
    assert not [f"{path.relative_to(repository)}:{line}: {word}" for path, line, word in found if word not in WORDS]


def test_the_reference_is_what_the_words_say(repository: Path) -> None:
    assert (repository / "docs/reference/reasons.md").read_text() == reference(), "run `make schema`"
    for name in WORDS:
        assert f"| `{name}` |" in reference()

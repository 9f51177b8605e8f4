"""Every word that a person may read has a text in all three languages, and stands where the code puts it."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from dealer_daemon.screen.buttons import MANAGER_CALLED
from dealer_daemon.station.host import STANDS_FOR
from dealer_daemon.validation.beans_rules import LayoutReason
from dealer_daemon.validation.card import CardReason
from dealer_daemon.validation.decks import DeckReason, DeckTrouble, ShoeReason
from dealer_daemon.validation.dice_rules import DiceReason
from dealer_daemon.validation.spin_rules import SpinReason
from dealer_daemon.validation.standing import Standing
from dealer_daemon.validation.turn_rules import TurnReason
from dealer_daemon.validation.witness import WitnessReason
from dealer_daemon.verdicts import Remedy
from dealer_daemon.words import FAMILIES, WORDS, Kind, Language, UnknownWord, reference, text, words_of
from dealer_daemon.words.alerts import ALERTS
from dealer_drivers.camera.scene import SceneDoubt
from dealer_drivers.readings import Fault
from dealer_drivers.readings.beans import BeansDoubt
from dealer_drivers.readings.dice import Doubt
from dealer_drivers.readings.entry import EntryFault
from dealer_drivers.readings.roulette import WheelFault
from dealer_drivers.readings.shoe import CardTrouble, ScannerFault, ShoeProblem
from dealer_drivers.readings.shuffler import ShufflerFault
from dealer_drivers.readings.wheel import EncoderFault
from support.chinese import SIMPLIFIED_ONLY, TRADITIONAL_ONLY

SHOE_FAULTS = frozenset(f"shoe_{problem}" for problem in ShoeProblem)
REASONS = (SpinReason, SceneDoubt, DiceReason, Doubt, LayoutReason, BeansDoubt, TurnReason, WitnessReason)
"""Of attempts that were refused or held."""
FAULTS = (Standing, ShufflerFault, DeckTrouble, Fault, WheelFault, EntryFault, EncoderFault, ScannerFault)
ENUMS = (*REASONS, *FAULTS, CardReason, CardTrouble, DeckReason, ShoeReason, Remedy)


def test_texts() -> None:
    assert text("ball_left_wheel", Language.SIMPLIFIED) == "飞球"
    assert text("ball_left_wheel", "zh-Hant") == "飛球"
    assert text("rethrow", "zh-Hans") == "重新掷球"
    assert text("rescan", "zh-Hant") == "重新掃描"
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
        assert not SIMPLIFIED_ONLY & set(word.traditional), name
        assert not TRADITIONAL_ONLY & set(word.simplified), name


def test_what_alerts_say_is_itself_in_each_language() -> None:
    for code, said in ALERTS.items():
        assert not SIMPLIFIED_ONLY & set(said.traditional + said.traditional_do), code
        assert not TRADITIONAL_ONLY & set(said.simplified + said.simplified_do), code


def test_texts_of_one_kind_tell_words_apart() -> None:
    for kind in Kind:
        words = words_of(kind).values()
        assert words
        for texts in ([w.english for w in words], [w.simplified for w in words], [w.traditional for w in words]):
            assert len(set(texts)) == len(texts), kind


def test_no_word_is_in_two_families() -> None:
    assert [name for name, count in Counter(name for family in FAMILIES for name in family).items() if count > 1] == []
    assert sum(map(len, FAMILIES)) == len(WORDS)


def test_the_words_of_the_types_have_texts_where_they_may_stand() -> None:
    reasons = words_of(Kind.REFUSED) | words_of(Kind.HELD)
    assert not [word for enum in REASONS for word in enum if word not in reasons]
    assert not [word for word in CardTrouble if word not in words_of(Kind.REFUSED)]
    faults = words_of(Kind.FAULT)
    assert not [word for enum in FAULTS for word in enum if word not in faults]
    assert not SHOE_FAULTS - faults.keys()
    assert list(words_of(Kind.REMEDY)) == list(Remedy)


# What puts a word somewhere: the call, where in it the word stands (a keyword, or the place among the arguments), and
# where a person reads it.
SINKS: dict[str, tuple[str | int, Kind]] = {
    "AttemptRefused": ("reason", Kind.REFUSED),
    "AttemptHeld": ("reason", Kind.HELD),
    "Violation": ("reason", Kind.VIOLATION),
    "TablePaused": ("reason", Kind.PAUSE),
    "TableResumed": ("reason", Kind.RESUMED),
    "RoundVoided": ("reason", Kind.VOID),
    "CardRepeated": ("reason", Kind.IGNORED),
    "HandSkipped": ("reason", Kind.SKIPPED),
    "ShoeEnded": ("reason", Kind.SHOE),
    "DeckFailed": ("reason", Kind.DECK),
    "Flaw": (0, Kind.DECK),
    "NoShoe": (1, Kind.VIOLATION),
    "DeviceFaulted": ("fault", Kind.FAULT),
    "DeviceFault": ("fault", Kind.FAULT),
    "Refused": (0, Kind.REFUSED),
    "refused": (0, Kind.REFUSED),
    "Held": (0, Kind.HELD),
    "held": (0, Kind.HELD),
    "Trouble": (0, Kind.FAULT),
    "_fault": (1, Kind.FAULT),
    "_violation": (1, Kind.VIOLATION),
    "_record": (1, Kind.VIOLATION),
    "Bar": (0, Kind.VIOLATION),
    "Alarm": (0, Kind.VIOLATION),
    "_hold": (1, Kind.HELD),
    "Doubt": (0, Kind.HELD),
    "Again": (0, Kind.IGNORED),
    "Rescan": (0, Kind.REFUSED),
    "end": (1, Kind.SHOE),
    "pause": (1, Kind.PAUSE),
    "DeviceReturned": ("reason", Kind.RETURNED),
    "take_back": (1, Kind.RETURNED),
    "_take_back": (2, Kind.RETURNED),
    "EventsExpired": ("reason", Kind.EXPIRED),
    "continue_after": ("reason", Kind.LOST),
    "commit_losses": ("reason", Kind.LOST),
}
MEMBERS = {f"{enum.__name__}.{member.name}": member.value for enum in ENUMS for member in enum}


def placed_words(source: str) -> set[tuple[str, Kind]]:
    """(word, where it stands) of every call of ``SINKS`` that names its word in the code itself: as a text, as a member
    of an enumeration, by a name that its function or module gives one of these, or as a choice between such."""
    tree = ast.parse(source)
    module = _given(tree.body)
    found = set()
    for scope in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))):
        names = module if scope is tree else module | _given(ast.walk(scope))
        for call in ast.walk(scope):
            if isinstance(call, ast.Call):
                found |= {(word, kind) for value, kind in _placed(call) for word in _words(value, names)}
    return found


def _given(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    given: dict[str, list[ast.expr]] = defaultdict(list)
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given[name].append(value)
            case ast.Assign(targets=[ast.Tuple(elts=places)], value=ast.Tuple(elts=values)):
                for place, value in zip(places, values, strict=True):
                    if isinstance(place, ast.Name):
                        given[place.id].append(value)
    return given


def _placed(call: ast.Call) -> list[tuple[ast.expr, Kind]]:
    sink = SINKS.get(ast.unparse(call.func).rpartition(".")[2])
    if sink is None:
        return []
    place, kind = sink
    if isinstance(place, int):
        return [(value, kind) for value in call.args[place : place + 1]]
    return [(keyword.value, kind) for keyword in call.keywords if keyword.arg == place]


def _words(value: ast.expr, names: Mapping[str, list[ast.expr]]) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(word)):
            yield word
        case ast.IfExp(body=one, orelse=other):
            yield from _words(one, names)
            yield from _words(other, names)
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            yield from _words(inner, names)
        case ast.Attribute() if ast.unparse(value) in MEMBERS:
            yield MEMBERS[ast.unparse(value)]
        case ast.Name(id=name):
            for assigned in names.get(name, ()):
                yield from _words(assigned, {})


SAMPLE = """
W = 'known'
def one(self):
    why = 'e' if x else 'f'
    turn.emit(RoundVoided(reason=why, by=by))
def third(self):
    why, where = CardReason.SAME_SLOT, 'no'
    turn.emit(HandSkipped(reason=str(why)))
def other(self):
    why = text(command, 'reason')
    turn.emit(TablePaused(reason=why))
Violation(reason='a', detail='no')
Held('b', '')
self._fault(at, W, '')
Unreadable(reason='no')
Refused('c' if late else 'd', remedy, '')
self._hold(turn, CardReason.FORCE_QUIT, '')
CardRepeated(reason=str(CardReason.SAME_PASS))
shoes.end(turn, 'g', STATION)
"""


@pytest.fixture(scope="module")
def placed(repository: Path) -> dict[str, set[Kind]]:
    """Every word that the code names where it places it, and where."""
    found: dict[str, set[Kind]] = defaultdict(set)
    for folder in ("daemon", "drivers"):
        for path in sorted((repository / folder).rglob("*.py")):
            for word, kind in placed_words(path.read_text()):
                found[word].add(kind)
    return found


def test_the_search_finds_what_there_is() -> None:
    assert sorted(placed_words(SAMPLE)) == [
        ("a", "violation"),
        ("b", "held"),
        ("c", "refused"),
        ("d", "refused"),
        ("e", "void"),
        ("f", "void"),
        ("force_quit", "held"),
        ("g", "shoe"),
        ("known", "fault"),
        ("same_pass", "ignored"),
        ("same_slot", "skipped"),
    ]


def test_the_words_in_the_code_have_texts_where_they_stand(placed: dict[str, set[Kind]]) -> None:
    assert len(placed) >= 50
    assert {kind for kinds in placed.values() for kind in kinds} == set(Kind) - {Kind.REMEDY}
    missing = {
        word: sorted(kinds) for word, kinds in placed.items() if word not in WORDS or not kinds <= {*WORDS[word].kinds}
    }
    assert missing == {}


@pytest.mark.parametrize("reason", CardReason)
def test_a_card_reason_is_documented_where_the_code_puts_it_and_nowhere_else(
    reason: CardReason, placed: dict[str, set[Kind]]
) -> None:
    assert placed[reason] == set(WORDS[reason].kinds)


def test_the_catalogue_holds_no_word_that_nothing_says(placed: dict[str, set[Kind]]) -> None:
    said = {*placed, *SHOE_FAULTS, *STANDS_FOR, MANAGER_CALLED, *(member.value for enum in ENUMS for member in enum)}
    assert [word for word in WORDS if word not in said] == []


def test_what_holds_a_station_is_a_reason_to_stand() -> None:
    assert {word: Kind.PAUSE in WORDS[word].kinds for word in STANDS_FOR} == dict.fromkeys(STANDS_FOR, True)


def test_the_reference_is_what_the_words_say(repository: Path) -> None:
    assert (repository / "docs/reference/reasons.md").read_text() == reference(), "run `make schema`"
    for name, word in WORDS.items():
        assert reference().count(f"| `{name}` |") == len(word.kinds)

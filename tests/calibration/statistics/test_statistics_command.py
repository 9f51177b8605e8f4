"""``dealer-calibrate statistics`` on exports, on a journal and on a configuration."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dealer_calibration.cli import main
from dealer_calibration.statistics.games import PLANS, sic_bo
from dealer_calibration.statistics.power import draws_needed
from dealer_daemon.events import Event, RoundOutcome
from dealer_daemon.journal import FILE_NAME, Journal
from support.wheel_health import biased_pockets, line, roulette_facts, segment_facts, throw_facts

DOCUMENTED = Path(__file__).parents[3] / "docs" / "howto" / "read-the-statistics.md"


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel whose zero is stuck out, fair dice, a fair colour wheel that was changed for another, and cards."""
    random = np.random.default_rng(8)
    lines = [
        line("roulette", n, roulette_facts(int(pocket), "clockwise"))
        for n, pocket in enumerate(biased_pockets(random, 1500, [0], 2.0), 1)
    ]
    lines += [line("sic-bo", n, throw_facts(random.integers(1, 7, size=3).tolist()), "s1") for n in range(1, 301)]
    wheels = ["sha256:aa"] * 200 + ["sha256:bb"] * 150
    lines += [
        line("rainbow-wheel", n, segment_facts(int(random.integers(52)), wheel=wheel), "w<1>")
        for n, wheel in enumerate(wheels, 1)
    ]
    lines.append(line("baccarat", 1, {"winner": "tie"}, "b1"))
    path = tmp_path_factory.mktemp("export") / "events.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    code = main(["statistics", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_each_table_has_a_verdict(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, "--export", export)
    assert code == 1
    assert [(each["table"], each["wheel"], each["rounds"], each["health"]) for each in said["tables"]] == [
        ("r1", None, 1500, "call_technician"),
        ("s1", None, 300, "not_enough_data"),
        ("w<1>", "sha256:aa", 200, "not_enough_data"),
        ("w<1>", "sha256:bb", 150, "not_enough_data"),
    ]
    wheel = said["tables"][0]
    pocket = wheel["questions"][0]
    assert (pocket["name"], pocket["health"], pocket["one_look"]["most"]) == ("pocket", "call_technician", "0")
    assert pocket["draws"] < pocket["draws_needed"]
    assert sum(pocket["counts"][0]) == pocket["draws"] == 1500
    assert wheel["p_value"] <= pocket["p_value"] <= 0.001
    assert any("drop zone" in each for each in wheel["left_out"])
    assert any(each.startswith("sector_counter_clockwise") for each in wheel["left_out"])


def test_people_read_the_same(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statistics", "--export", str(export)]) == 1
    said = capsys.readouterr().out
    assert "r1 (roulette): call the technician" in said
    assert "s1 (sic-bo): not enough data" in said
    assert "w<1> (rainbow-wheel, wheel sha256:bb): not enough data" in said
    assert "baccarat" not in said


def test_one_table_alone_from_standard_input(
    export: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(export.read_bytes())))
    code, said = asked(capsys, "--export", "-", "--table", "s1")
    assert (code, [each["table"] for each in said["tables"]]) == (0, ["s1"])


def test_since_begins_anew(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, "--export", export, "--table", "r1", "--since", "2026-01-01T00:24:00Z")
    assert (code, said["tables"][0]["rounds"], said["tables"][0]["first_sequence"]) == (0, 61, 1440)
    code, said = asked(capsys, "--export", export, "--since", "2027-01-01")
    assert (code, said) == (0, {"beginning_moves": False, "tables": []})
    with pytest.raises(SystemExit) as stopped:
        main(["statistics", "--export", str(export), "--since", "yesterday"])
    assert stopped.value.code == 2


def test_enough_fair_data_is_nothing_unusual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(9)
    path = tmp_path / "events.jsonl"
    enough = draws_needed(sic_bo.QUESTIONS[0], len(sic_bo.QUESTIONS)) // 3 + 1
    throws = random.integers(1, 7, size=(enough, 3)).tolist()
    path.write_bytes(b"".join(line("sic-bo", n, throw_facts(throw), "s1") for n, throw in enumerate(throws, 1)))
    code, said = asked(capsys, "--export", path)
    assert (code, said["tables"][0]["health"]) == (0, "nothing_unusual")


@pytest.fixture
def state_dir(tmp_path: Path) -> Iterator[Path]:
    """A journal of sixty outcomes that is open, as the daemon's is."""
    state = tmp_path / "state"
    random = np.random.default_rng(10)
    with closing(Journal.open(state, boot="b")) as journal:
        journal.commit([_event("r1", n, "roulette", roulette_facts(int(random.integers(37)))) for n in range(1, 41)])
        journal.commit(
            [_event("w1", n, "rainbow-wheel", segment_facts(int(random.integers(52)))) for n in range(1, 21)]
        )
        yield state


def _event(table: str, sequence: int, game: str, facts: dict[str, Any]) -> Event:
    data = RoundOutcome(game=game, facts=facts, attempts=1, evidence=[], source="device")
    return Event(
        table=table, sequence=sequence, subject=f"{table}-{sequence}", wall_ns=sequence, mono_ns=0, boot="b", data=data
    )


def test_a_journal_is_read_while_it_is_open(state_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = asked(capsys, "--journal", state_dir / FILE_NAME)
    assert (code, [(each["table"], each["rounds"]) for each in said["tables"]]) == (0, [("r1", 40), ("w1", 20)])


def test_a_configuration_names_the_journal(state_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "station.toml"
    config.write_text(
        '[station]\nsite = "s"\nstate_dir = "state"\n\n[mqtt]\nurl = "mqtt://127.0.0.1:1"\n\n'
        '[tables.r1]\ngame = "roulette"\nround_source = "device"\n\n'
        '[[tables.r1.devices]]\nname = "wheel"\ndriver = "cammegh-ss2"\nport = "/dev/dealer/wheel"\n'
    )
    code, said = asked(capsys, "--config", config, "--table", "w1")
    assert state_dir.is_dir()
    assert (code, [(each["table"], each["rounds"]) for each in said["tables"]]) == (0, [("w1", 20)])
    config.write_text('[station]\nsite = "s"\nstatedir = "state"\n')
    assert main(["statistics", "--config", str(config)]) == 2
    assert "statedir" in capsys.readouterr().err


def test_what_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statistics", "--journal", str(tmp_path / "none.sqlite3")]) == 2
    assert "none.sqlite3" in capsys.readouterr().err
    assert main(["statistics", "--export", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl: cannot be read" in capsys.readouterr().err
    text = tmp_path / "events.txt"
    text.write_text("2026-01-01  r1  1  round.outcome  {}\n")
    assert main(["statistics", "--export", str(text)]) == 2
    assert "--json" in capsys.readouterr().err
    for content in ("", "\n", '{"any": "json"}', '{"tables": [{"kind": "round.outcome"}]}\n', "{}"):
        text.write_text(content)
        assert main(["statistics", "--export", str(text), "--json"]) == 2, content
        said = capsys.readouterr()
        assert (said.out, "journal export" in said.err) == ("", True)


def test_a_damaged_journal_gives_no_figures(
    state_dir: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    torn = tmp_path / "torn.sqlite3"
    torn.write_bytes((state_dir / FILE_NAME).read_bytes()[:3000])
    code = main(["statistics", "--journal", str(torn), "--json"])
    said = capsys.readouterr()
    assert code in (1, 2)
    assert said.out == ""
    assert "torn.sqlite3" in said.err


class Page(HTMLParser):
    """Collects what a browser would fetch, the texts, and whether every figure is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetches: list[str] = []
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetches += [f"{tag} {name}" for name, _ in attrs if name in {"src", "href", "xlink:href", "data"}]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_needs_nothing_beside_it(export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "health.html"
    out.write_text("an older one")
    assert main(["statistics", "--export", str(export), "--html", str(out)]) == 1
    capsys.readouterr()
    text = out.read_text(encoding="utf-8")
    page = Page(text)
    assert page.fetches == []
    assert not {"script", "link", "iframe", "img"} & set(page.tags)
    assert "url(" not in text
    words = " ".join(page.texts)
    for expected in ("call the technician", "请通知技术员", "請通知技術員", "not enough data", "w<1>", "drop zone"):
        assert expected in words
    assert "w<1>" not in text
    # Pockets once, the clockwise ones are the same; distance, runs; faces, sums, equal dice, runs; twice segments,
    # colours, distance, runs. A band and a bar a cell.
    assert page.tags.count("svg") == text.count("</svg>") == 3 + 4 + 2 * 4
    assert page.tags.count("rect") == 2 * (37 + 37 + 2 + 6 + 16 + 3 + 2 + 2 * (52 + 7 + 52 + 2))
    assert main(["statistics", "--export", str(export), "--html", str(tmp_path / "no" / "page.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_sample_sizes_in_the_documentation_are_the_programs() -> None:
    text = DOCUMENTED.read_text(encoding="utf-8")
    for plan in PLANS.values():
        for question in plan.questions:
            row = f"| {plan.game} | `{question.name}` |"
            needed = f"{draws_needed(question, len(plan.questions)):,}"
            found = [each for each in text.splitlines() if each.startswith(row)]
            assert len(found) == 1, row
            assert f"| {100 * question.aim:.3g} % | {needed} |" in found[0]

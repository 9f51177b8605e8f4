"""What is handed out for Prometheus and Grafana names figures that there are, and runbook pages that there are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from dealer_calibration.cli import build_parser as build_calibration_parser
from dealer_daemon.alerts import SPECS
from dealer_daemon.cli import build_parser
from dealer_daemon.commands import Command
from dealer_daemon.monitoring.exposition import exposition
from dealer_daemon.mqtt.command_codec import parse_command
from dealer_daemon.schema.metrics import sample
from dealer_daemon.words import Language
from dealer_daemon.words.alerts import ALERTS

RULES = "systemd/prometheus/dealer-station.rules.yml"
JOB = "systemd/prometheus/dealer-station.yml"
DASHBOARD = "systemd/grafana/dealer-station.json"
OTHERS = {"up", "instance", "job", "table", "le"}
"""What Prometheus adds itself."""


def shown() -> tuple[set[str], dict[str, set[str]]]:
    """Names of samples, and the labels of each."""
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(exposition(sample()).decode()):
        for each in family.samples:
            labels.setdefault(each.name, set()).update(each.labels)
    return set(labels), labels


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\bdealer_\w+", expression))


def faults_of(expression: str) -> list[str]:
    """Names that there are not, selectors on labels that there are not, brackets that do not fit."""
    names, labels = shown()
    found = [name for name in names_in(expression) if name not in names]
    for name, selector in re.findall(r"\b(dealer_\w+)\{([^}]*)\}", expression):
        wanted = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector)) - {"instance", "job"}
        found += sorted(wanted - labels.get(name, set()))
    for opening, closing in ("()", "{}", "[]"):
        if expression.count(opening) != expression.count(closing):
            found.append(opening)
    return found


def test_what_is_wrong_with_an_expression_is_found() -> None:
    assert faults_of('sum(dealer_alerts{severity="error"}) > 0') == []
    assert faults_of("rate(dealer_alarms[5m])") == ["dealer_alarms"]
    assert faults_of('dealer_alerts{device="x"}') == ["device"]
    assert faults_of("rate(dealer_outcomes[5m])") == ["dealer_outcomes"], "a counter's name ends in _total"
    assert faults_of("sum(dealer_alerts") == ["("]


def rules(repository: Path) -> list[dict[str, Any]]:
    groups = yaml.safe_load((repository / RULES).read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_rules_are_of_figures_that_there_are(repository: Path) -> None:
    found = rules(repository)
    assert len({rule["alert"] for rule in found}) == len(found) >= 5
    for rule in found:
        assert faults_of(rule["expr"]) == [], rule["alert"]
        assert names_in(rule["expr"]) or "up{" in rule["expr"]
        assert {"summary", "description"} <= set(rule["annotations"])
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}


def test_both_severities_of_a_station_are_passed_on(repository: Path) -> None:
    passed = {severity for rule in rules(repository) for severity in re.findall(r'severity="(\w+)"', rule["expr"])}
    assert passed == {spec.severity for spec in SPECS.values()}


def test_the_job_reads_the_rules_beside_it_and_the_port_of_the_pages(repository: Path) -> None:
    job = yaml.safe_load((repository / JOB).read_text())
    assert [(repository / JOB).parent / name for name in job["rule_files"]] == [repository / RULES]
    ((target,),) = (one["targets"] for one in job["scrape_configs"][0]["static_configs"])
    assert f'listen = "{target}"' in (repository / "docs/howto/watch-a-station.md").read_text()


def test_promtool_takes_both(repository: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool (Debian: prometheus) is not installed; the tests beside this one look at the same files")
    for command in (["check", "rules", RULES], ["check", "config", JOB]):
        done = subprocess.run([promtool, *command], cwd=repository, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def expressions(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("expr", "definition"):
                yield inner
            else:
                yield from expressions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from expressions(inner)


def test_the_dashboard_shows_figures_that_there_are(repository: Path) -> None:
    dashboard = json.loads((repository / DASHBOARD).read_text())
    found = list(expressions(dashboard))
    assert len(found) > 20
    assert {expression: faults_of(expression) for expression in found if faults_of(expression)} == {}
    variables = {each["name"] for each in dashboard["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard["panels"]))) <= variables
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)
    places = {
        (x, y)
        for panel in dashboard["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    }
    area = sum(panel["gridPos"]["w"] * panel["gridPos"]["h"] for panel in dashboard["panels"])
    assert len(places) == area, "no panel lies on another"


def test_every_alert_has_its_page_and_the_runbook_has_no_other(repository: Path) -> None:
    text = (repository / "docs/howto/runbook.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE))
    assert set(sections) == set(SPECS)
    for code, section in sections.items():
        assert re.search(r"^\*\*Means\*\* ", section, re.MULTILINE), code
        assert re.search(r"^\*\*Over\*\* ", section, re.MULTILINE), code
        assert re.search(r"^1\. ", section, re.MULTILINE) or "| do |" in section, code


def test_the_commands_of_the_runbook_are_understood(repository: Path) -> None:
    parsers = {"dealer-daemon": build_parser(), "dealer-calibrate": build_calibration_parser()}
    found = set()
    for line in (repository / "docs/howto/runbook.md").read_text(encoding="utf-8").splitlines():
        words = shlex.split(line) if line.lstrip().startswith(tuple(parsers)) else []
        if words:
            parsers[words[0]].parse_args(words[1:])
            found.add(" ".join(words[:2]))
    assert {"dealer-daemon status", "dealer-daemon run", "dealer-calibrate probe", "dealer-daemon keys"} <= found


def test_the_command_of_the_runbook_is_another_one_each_time_and_its_answer_is_seen(repository: Path) -> None:
    """The line as it stands, through a shell: a used id would be refused, and nobody would hear it."""
    text = (repository / "docs/howto/runbook.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^mosquitto_rr .*$", text, re.MULTILINE)
    run = f'mosquitto_rr() {{ printf "%s\\0" "$@"; }}; {line}'
    commands = []
    for _ in range(2):
        words = subprocess.run(["sh", "-c", run], capture_output=True, check=True, text=True).stdout.split("\0")
        command = parse_command(words[words.index("-m") + 1].encode())
        assert isinstance(command, Command)
        assert command.name == "table.resume"
        topic, answers = words[words.index("-t") + 1], words[words.index("-e") + 1]
        assert answers == topic.replace("/commands", f"/replies/{command.client}")
        commands.append(command)
    assert commands[0].id != commands[1].id
    assert all(command.sent_ns is not None for command in commands)


def test_every_alert_has_its_texts_in_every_language() -> None:
    assert set(ALERTS) == set(SPECS)
    for code, text in ALERTS.items():
        assert text.english.isascii(), code
        assert text.english_do.isascii(), code
        assert text.english_do.endswith("."), code
        for language in (Language.SIMPLIFIED, Language.TRADITIONAL):
            for words in (text.what(language), text.todo(language)):
                assert any("一" <= char <= "鿿" for char in words), (code, language)
        assert text.simplified_do != text.traditional_do, code
    for language in Language:
        assert len({text.what(language) for text in ALERTS.values()}) == len(ALERTS)

"""What the Debian package says and holds, without building its environment."""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dealer_daemon.config import ConfigErrors, load_config
from dealer_daemon.journal import Journal
from dealer_daemon.journal.ddl import SCHEMA_VERSION
from dealer_package.build import pack
from dealer_package.completion import completion
from dealer_package.control import ROOT, SCRIPTS, control, maintainer_script
from dealer_package.environment import relocate, unneeded_packages
from dealer_package.layout import BuildError, sources, stage_files
from dealer_package.manpages import escaped, leaves, man_page
from dealer_package.programs import PROGRAMS, Program

EPOCH_S = 1_780_000_000
UNIT = "lib/systemd/system/dealer-station.service"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stage")
    stage_files(folder, "9.8.7", EPOCH_S)
    return folder


def fields(text: str) -> Mapping[str, str]:
    return dict(re.findall(r"^([\w-]+): (.*)$", text, re.MULTILINE))


def test_the_package_takes_debian_12s_python_and_the_libraries_that_are_loaded_by_name() -> None:
    said = fields(control("9.8.7", "amd64", 1234))
    assert (said["Package"], said["Version"], said["Architecture"]) == ("dealer-station", "9.8.7", "amd64")
    needs = said["Depends"].split(", ")
    assert {"python3 (>= 3.11)", "python3 (<< 3.12)", "libusb-1.0-0", "systemd"} <= set(needs)
    assert any(need.startswith("libzbar0") for need in needs)
    assert said["Recommends"] == "mosquitto, chrony | time-daemon"


def test_everything_has_its_place(stage: Path) -> None:
    there = {str(path.relative_to(stage)) for path in stage.rglob("*") if path.is_file() or path.is_symlink()}
    assert {
        UNIT,
        "usr/lib/sysusers.d/dealer-station.conf",
        "usr/lib/tmpfiles.d/dealer-station.conf",
        "usr/share/dealer-station/station.toml",
        "usr/share/doc/dealer-station/copyright",
        "usr/share/doc/dealer-station/howto/install.md",
        "usr/share/doc/dealer-station/reference/schemas/config.json",
        "usr/share/doc/dealer-station/examples/mosquitto/dealer-station.conf",
    } | {f"lib/udev/rules.d/{path.name}" for path in (ROOT / "systemd/udev").glob("*.rules")} <= there
    for program in ("dealer-daemon", "dealer-calibrate", "hw-sim"):
        assert (stage / "usr/bin" / program).readlink() == Path("/opt/dealer-station/bin") / program
        assert f"usr/share/man/man1/{program}.1.gz" in there
        assert f"usr/share/bash-completion/completions/{program}" in there
    assert not [place for place in there if place.startswith("etc/")], "dpkg would ask, or stop, at an edited file"
    assert not [place for place in there if "__pycache__" in place or "node_modules" in place]


def test_the_unit_and_the_package_mean_the_same_files(stage: Path) -> None:
    unit = (stage / UNIT).read_text()
    assert "ExecStart=/opt/dealer-station/bin/dealer-daemon run --config /etc/dealer-station/station.toml" in unit
    assert "User=dealer" in unit
    for page in re.findall(r"^Documentation=file:/(.*)$", unit, re.MULTILINE):
        assert (stage / page).exists(), page
    assert re.search(r"^u dealer ", (stage / "usr/lib/sysusers.d/dealer-station.conf").read_text(), re.MULTILINE)


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "debian").mkdir()
    monkeypatch.setattr("dealer_package.layout.SYSTEMD", tmp_path)
    with pytest.raises(BuildError, match=r"dealer-station\.service: is not there"):
        stage_files(tmp_path / "stage", "1", EPOCH_S)


def test_the_first_configuration_is_refused_for_having_no_table_and_for_nothing_else() -> None:
    template = next(path for path, place in sources() if place == "usr/share/dealer-station/station.toml")
    with pytest.raises(ConfigErrors) as refused:
        load_config(template)
    assert [error.key for error in refused.value.errors] == ["tables"]


def test_its_example_table_is_good(tmp_path: Path) -> None:
    template = next(path for path, place in sources() if place == "usr/share/dealer-station/station.toml")
    text = re.sub(r"^# (?=\[|game|round|name|driver|port)", "", template.read_text(), flags=re.MULTILINE)
    (tmp_path / "station.toml").write_text(text)
    assert list(load_config(tmp_path / "station.toml").tables) == ["r1"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_maintainer_scripts_are_scripts(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(maintainer_script(name, SCHEMA_VERSION))
    assert "@SCHEMA" not in path.read_text()
    subprocess.run(["sh", "-n", path], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", path], check=True)


def preinst(tmp_path: Path, journal: Path, known: int) -> subprocess.CompletedProcess[str]:
    """The script as dpkg runs it at an upgrade, looking at another journal."""
    script = tmp_path / "preinst"
    text = maintainer_script("preinst", known)
    assert "journal=/var/lib/dealer-station/journal.sqlite3\n" in text
    script.write_text(re.sub(r"journal=/.*", f"journal={journal}", text))
    return subprocess.run(["sh", script, "upgrade", "0.1.0"], capture_output=True, text=True, check=False)


def test_an_older_package_is_refused_beside_a_newer_journal(tmp_path: Path) -> None:
    assert preinst(tmp_path, tmp_path / "none", SCHEMA_VERSION).returncode == 0
    Journal.open(tmp_path, boot="b").close()
    path = tmp_path / "journal.sqlite3"
    assert preinst(tmp_path, path, SCHEMA_VERSION).returncode == 0
    refused = preinst(tmp_path, path, SCHEMA_VERSION - 1)
    assert refused.returncode == 1
    assert f"has schema version {SCHEMA_VERSION} and this version knows up to {SCHEMA_VERSION - 1}" in refused.stderr
    assert "Nothing was changed" in refused.stderr
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 259")  # more than one byte
    db.close()
    assert preinst(tmp_path, path, 258).returncode == 1
    assert preinst(tmp_path, path, 259).returncode == 0


@pytest.mark.parametrize(
    ("state", "runs"),
    [("active", True), ("activating", True), ("reloading", True), ("inactive", False), ("failed", False)],
)
def test_what_ran_before_an_upgrade_is_noted_and_stopped(state: str, runs: bool, tmp_path: Path) -> None:
    """A station that waits for its next start after a failure is "activating", and would be forgotten."""
    for name, text in (("systemctl", f"echo {state}"), ("deb-systemd-invoke", f'echo "$@" >> {tmp_path}/said')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    script = tmp_path / "prerm"
    script.write_text(maintainer_script("prerm", SCHEMA_VERSION).replace("/run/", f"{tmp_path}/run/"))
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["sh", script, "upgrade", "2"], check=True, env=environment)
    assert (tmp_path / "run/dealer-station.was-running").exists() == runs
    assert (tmp_path / "said").read_text() == "stop dealer-station.service\n"


def test_no_script_takes_a_journal_away() -> None:
    for name in SCRIPTS:
        for line in maintainer_script(name, SCHEMA_VERSION).splitlines():
            assert not ("/var/lib" in line and re.search(r"^\s*rm|rmdir|find", line)), f"{name}: {line}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_man_pages_say_what_the_help_says(program: Program, tmp_path: Path) -> None:
    text = man_page(program, "9.8.7", "2026-05-28")
    for words, parser, _ in leaves(program.parser()):
        section = text.partition(f".SS {escaped(words)}\n")[2].partition("\n.SS ")[0]
        for action in parser._actions:
            if action.help != argparse.SUPPRESS:
                assert all(escaped(option) in section for option in action.option_strings), words
    if shutil.which("mandoc"):
        page = tmp_path / f"{program.name}.1"
        page.write_text(text)
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
        assert lint.stdout == ""


def test_markup_in_a_help_text_is_text() -> None:
    parser = argparse.ArgumentParser(prog="p", description=".TH one\\n")
    parser.add_argument("--a", help="'quoted' at the line's begin")
    text = man_page(Program("p", "t", lambda: parser), "1", "2026-01-01")
    assert "\n\\&.TH one\\en\n" in text
    assert "\n\\&'quoted' at the line's begin\n" in text


def test_every_command_has_a_section_and_none_is_there_twice() -> None:
    for program in PROGRAMS:
        words = [words for words, _, _ in leaves(program.parser())]
        assert re.findall(r"^\.SS (.*)$", man_page(program, "1", "d"), re.MULTILINE) == [
            escaped(each) for each in words
        ]
    assert "journal verify" in [words for words, _, _ in leaves(PROGRAMS[0].parser())]


COMPLETE = """
source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(( $# - 2 ))
name=$(complete -p "$2" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$name "$2" "${!#}" "${@: -2:1}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(tmp_path: Path, program: Program, *words: str) -> set[str]:
    """What bash offers at the end of these words."""
    script = tmp_path / "completion"
    script.write_text(completion(program, "bash"))
    (tmp_path / "here.toml").touch()
    said = subprocess.run(
        ["bash", "-c", COMPLETE, "complete", script, program.name, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    return set(said.stdout.split())


def test_a_shell_completes_commands_options_words_and_files(tmp_path: Path) -> None:
    daemon, bench, simulator = PROGRAMS
    assert completed(tmp_path, daemon, "journal", "") >= {"verify", "export", "salvage"}
    assert completed(tmp_path, daemon, "che") == {"check-config"}
    assert "--log-level" in completed(tmp_path, daemon, "run", "--lo")
    assert completed(tmp_path, daemon, "run", "--log-level", "w") == {"warning"}
    assert completed(tmp_path, daemon, "run", "--config", "he") == {"here.toml"}
    assert completed(tmp_path, bench, "dice", "r") == {"read"}
    assert completed(tmp_path, simulator, "fl") == {"fleet"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_completions_where_they_are_at_hand(shell: str, tmp_path: Path) -> None:
    for program in PROGRAMS:
        text = completion(program, shell)
        assert program.name in text
        if shutil.which(shell):
            (tmp_path / "script").write_text(text)
            subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_build_tools_stay_out_and_what_the_demo_needs_stays_in() -> None:
    requires = {
        "dealer-station": ["rich>=13", "amqtt; extra == 'demo'", "hatchling; extra == 'build'"],
        "rich": ["pygments", "ipywidgets; extra == 'jupyter'"],
        "amqtt": ["typer"],
        "hatchling": ["pluggy"],
        **{name: [] for name in ("pygments", "typer", "pluggy", "ipywidgets")},
    }
    assert unneeded_packages(requires) == ["hatchling", "ipywidgets", "pluggy"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An environment as venv and pip leave it."""
    home = tmp_path / "stage/opt/dealer-station"
    packages = home / "lib/python3.11/site-packages/x.dist-info"
    packages.mkdir(parents=True)
    (packages / "direct_url.json").write_text(f'{{"url": "file://{tmp_path}/x.whl"}}')
    (home / "bin").mkdir()
    for name in ("dealer-daemon", "dealer-calibrate", "hw-sim", "f2py", "activate"):
        (home / "bin" / name).write_text(f"#!{home}/bin/python3\nimport x\n")
    (home / "bin/python3").symlink_to("/elsewhere/python3")
    (home / "lib64").symlink_to("lib")
    (home / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = 3.11.2\ncommand = python -m venv {home}\n")
    return home


def test_an_environment_is_moved_to_where_it_will_lie(home: Path, tmp_path: Path) -> None:
    relocate(home, tmp_path / "stage")
    assert {path.name for path in (home / "bin").iterdir()} == {
        *("python", "python3", "python3.11", "dealer-daemon", "dealer-calibrate", "hw-sim")
    }
    assert (home / "bin/dealer-daemon").read_text() == "#!/opt/dealer-station/bin/python3\nimport x\n"
    assert (home / "bin/python3.11").readlink() == Path("/usr/bin/python3.11")
    assert (home / "pyvenv.cfg").read_text().splitlines()[0] == "home = /usr/bin"
    assert not list(home.rglob("direct_url.json"))


def test_a_place_of_the_build_that_is_left_in_a_file_stops_it(home: Path, tmp_path: Path) -> None:
    (home / "lib/left.py").write_text(f"WHERE = '{tmp_path / 'stage'}'")
    with pytest.raises(BuildError, match=r"named in: .*left\.py"):
        relocate(home, tmp_path / "stage")


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg-deb is Debian's")
def test_dpkg_reads_what_is_packed(stage: Path, tmp_path: Path) -> None:
    copy = tmp_path / "stage"
    shutil.copytree(stage, copy, symlinks=True)
    path = pack(copy, tmp_path, "9.8.7", "none0")
    said = subprocess.run(["dpkg-deb", "--info", path], capture_output=True, text=True, check=True).stdout
    assert all(f" {name} " in said for name in ("preinst", "postinst", "prerm", "postrm", "md5sums"))
    listed = subprocess.run(["dpkg-deb", "--contents", path], capture_output=True, text=True, check=True).stdout
    assert all(line.split()[1] == "root/root" for line in listed.splitlines())
    assert {line[:10] for line in listed.splitlines()} <= {"drwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}
    again = pack(copy, tmp_path / "again", "9.8.7", "none0")
    assert again.read_bytes() == path.read_bytes()
    changes = gzip.decompress((copy / "usr/share/doc/dealer-station/changelog.gz").read_bytes()).decode()
    assert changes.startswith("dealer-station (9.8.7) ")


def test_pages_are_a_site_that_is_whole_and_loads_nothing_from_elsewhere(repository: Path, tmp_path: Path) -> None:
    """Strictly: a link, an anchor or a page in no list is an error, by another reader than the test of pages has."""
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    built = subprocess.run(
        [*command, "-c", repository / "docs/site", "-d", tmp_path / "trees", repository / "docs", tmp_path / "site"],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    pages = {path.relative_to(repository / "docs").with_suffix(".html") for path in (repository / "docs").rglob("*.md")}
    there = {path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.html")}
    assert {page for page in pages if page.parts[0] not in ("consumers", "example-driver")} <= there
    text = "".join(path.read_text() for path in (tmp_path / "site").rglob("*.html"))
    assert re.findall(r"""<(?:script|link|img|iframe)\b[^>]*(?:src|href)=["'](?:https?:)?//[^"']*""", text) == []
    styles = "".join(path.read_text() for path in (tmp_path / "site/_static").rglob("*.css"))
    assert "//" not in "".join(re.findall(r"url\(.*?\)|@import.*?;", styles))

"""The package's life on a bare Debian 12: installed, started by a real systemd, upgraded, not downgraded, removed,
purged. `make deb-test`; it builds the package and fetches Debian's, which takes some minutes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dealer_daemon.journal import verify_file
from dealer_daemon.journal.ddl import SCHEMA_VERSION
from dealer_package.build import pack
from dealer_package.control import ROOT
from dealer_package.environment import make_environment
from dealer_package.layout import stage_files
from deb.clean_debian import CleanDebian, debootstrap, say, why_not

pytestmark = [pytest.mark.soak, pytest.mark.skipif(bool(why_not()), reason=why_not())]

CONFIG = "etc/dealer-station/station.toml"
JOURNAL = "var/lib/dealer-station/journal.sqlite3"
PAGE = (ROOT / "docs/howto/install.md").read_text(encoding="utf-8")
(STATION,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
(WHEELS,) = re.findall(r"^systemd-run .*$", PAGE, re.MULTILINE)
"""The configuration and the simulated wheel of the page that tells how to install: the test follows it."""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """This version, the next, in which a file came and another went, and one that knows only an older journal."""
    folder = tmp_path_factory.mktemp("packages")
    stage, work, out = folder / "stage", folder / "work", folder / "out"
    stage.mkdir()
    work.mkdir()
    say("building the environment")
    stage_files(stage, "1.0.0", 1_780_000_000)
    make_environment(stage, work)
    old = stage / "opt/dealer-station/lib/python3.11/site-packages/of_before.py"
    old.write_text("# only in version 1\n")
    made = {"1.0.0": pack(stage, out, "1.0.0", "xz1")}
    say(f"version 1: {made['1.0.0'].stat().st_size / 1e6:.1f} MB (xz -1)")
    made["0.9.0"] = pack(stage, out, "0.9.0", "none0", SCHEMA_VERSION - 1)
    old.rename(old.with_name("of_after.py"))
    with (stage / "usr/share/dealer-station/station.toml").open("a") as template:
        template.write("# of version 2\n")
    made["1.1.0"] = pack(stage, out, "1.1.0", "none0")
    shutil.rmtree(stage)
    return made


@pytest.fixture
def debian(tmp_path: Path, packages: dict[str, Path]) -> Iterator[CleanDebian]:
    root = debootstrap(tmp_path / "root")
    (root.path / "packages").mkdir()
    for version, path in packages.items():
        shutil.copy(path, root.path / "packages" / f"{version}.deb")
    yield root
    shutil.rmtree(root.path)


def sequences(root: CleanDebian) -> list[int]:
    """The sequences in the journal, read beside the daemon."""
    path = root.path / JOURNAL
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return [each for (each,) in db.execute("SELECT sequence FROM entries WHERE sequence IS NOT NULL ORDER BY id")]


def outcomes(root: CleanDebian) -> int:
    path = root.path / JOURNAL
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        (count,) = db.execute("SELECT count(*) FROM entries WHERE type = 'round.outcome'").fetchone()
    return int(count)


def main_pid(root: CleanDebian) -> int:
    return int(root.said("systemctl", "show", "-p", "MainPID", "--value", "dealer-station"))


def installed(root: CleanDebian) -> str:
    return root.said("dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", "dealer-station").replace(" ", "")


def test_a_package_from_its_installation_to_its_purge(debian: CleanDebian) -> None:
    with debian.mounted():
        programs_work(debian)
    with debian.booted():
        a_table_plays(debian)
        an_upgrade_keeps_all(debian)
        a_downgrade_is_refused(debian)
        a_station_that_was_stopped_stays_so(debian)
        removed_and_purged(debian)
    print(json.dumps({what: round(took, 1) for what, took in debian.seconds.items()}))


def programs_work(root: CleanDebian) -> None:
    """Installed on nothing, without the network for Python's packages, and used by somebody without rights."""
    root.run("apt-get", "update", "-q")
    with root.timed("installed with Debian's packages"):
        install = ("apt-get", "install", "-q", "-y", "--no-install-recommends")
        said = root.said(*install, "/packages/1.0.0.deb", "mosquitto")
    assert "no table is configured yet, so nothing was started" in said
    assert root.said("dealer-daemon", "--version") == "dealer-daemon 0.1.0"
    assert root.said("systemctl", "is-enabled", "dealer-station") == "enabled"
    assert root.said("id", "-un", "dealer") == "dealer"
    assert root.said("stat", "-c", "%U %a", "/var/lib/dealer-station") == "dealer 750"
    refused = root.run("dealer-daemon", "check-config", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        "/etc/dealer-station/station.toml: tables: missing: at least one [tables.NAME] is needed\n",
    )
    libraries = root.said("sh", "-c", "find /opt/dealer-station -name '*.so*' -type f | xargs ldd 2>&1")
    assert "not found" not in libraries
    with root.timed("a demo of 8 s"):
        demo = "cd /tmp && HOME=/tmp dealer-daemon demo --seconds 8 --speed 4"
        shown = root.said("runuser", "-u", "nobody", "--", "sh", "-c", demo)
    assert "verifies" in shown
    assert "The journal (0 rows)" not in shown
    assert root.said("dpkg", "--verify", "dealer-station") == "", "using it changed none of its files"
    assert "complete" in root.said("bash", "-c", ". /usr/share/bash-completion/completions/hw-sim; complete -p hw-sim")


def a_table_plays(root: CleanDebian) -> None:
    """From the first configuration, which the unit refuses for good, to outcomes of a simulated wheel."""
    root.wait_for(
        "the station without tables to fail",
        lambda: root.run("systemctl", "is-failed", "--quiet", "dealer-station", check=False).returncode == 0,
    )
    assert "at least one [tables.NAME] is needed" in root.said("journalctl", "-u", "dealer-station", "-o", "cat")
    (root.path / CONFIG).write_text(STATION)
    root.run(*shlex.split(WHEELS))
    root.wait_for("a wheel", lambda: root.run("test", "-e", "/run/wheels/wheel", check=False).returncode == 0)
    assert "good" in root.said("dealer-daemon", "check-config")
    root.run("systemctl", "start", "dealer-station")
    with root.timed("two outcomes under systemd"):
        root.wait_for("outcomes", lambda: outcomes(root) >= 2)


def an_upgrade_keeps_all(root: CleanDebian) -> None:
    before, pid = sequences(root), main_pid(root)
    with root.timed("upgrade"):
        said = root.run("dpkg", "-i", "/packages/1.1.0.deb").stdout
    assert "Setting up dealer-station (1.1.0)" in said
    assert installed(root) == "ii|1.1.0"
    assert (root.path / CONFIG).read_text() == STATION
    assert root.said("tail", "-n1", "/usr/share/dealer-station/station.toml") == "# of version 2"
    packages = root.path / "opt/dealer-station/lib/python3.11/site-packages"
    assert (packages / "of_after.py").exists()
    assert not (packages / "of_before.py").exists()
    assert root.said("systemctl", "is-active", "dealer-station") == "active"
    assert main_pid(root) not in (0, pid)
    count = outcomes(root)
    root.wait_for("outcomes after the upgrade", lambda: outcomes(root) > count)
    after = sequences(root)
    assert after[: len(before)] == before
    assert after == list(range(1, len(after) + 1))


def a_downgrade_is_refused(root: CleanDebian) -> None:
    """Nothing is exchanged, and the station plays on."""
    refused = root.run("dpkg", "-i", "/packages/0.9.0.deb", check=False)
    assert refused.returncode != 0
    assert f"has schema version {SCHEMA_VERSION} and this version knows up to {SCHEMA_VERSION - 1}" in refused.stderr
    assert installed(root) == "ii|1.1.0"
    assert root.said("systemctl", "is-active", "dealer-station") == "active"
    count = outcomes(root)
    root.wait_for("outcomes after the refusal", lambda: outcomes(root) > count)


def a_station_that_was_stopped_stays_so(root: CleanDebian) -> None:
    root.run("systemctl", "stop", "dealer-station")
    root.run("dpkg", "-i", "/packages/1.1.0.deb")
    assert root.run("systemctl", "is-active", "dealer-station", check=False).stdout.strip() == "inactive"
    root.run("systemctl", "start", "dealer-station")


def removed_and_purged(root: CleanDebian) -> None:
    root.run("dpkg", "-r", "dealer-station")
    assert root.run("systemctl", "is-active", "dealer-station", check=False).stdout.strip() == "inactive"
    assert (root.path / CONFIG).read_text() == STATION
    assert verify_file(root.path / JOURNAL).problems == []
    rows = len(sequences(root))
    root.run("dpkg", "-i", "/packages/1.1.0.deb")
    assert (root.path / CONFIG).read_text() == STATION
    (root.path / "etc/dealer-station/signing-key.pem").write_text("a key\n")
    said = root.run("dpkg", "-P", "dealer-station").stdout
    assert "the journal is kept in /var/lib/dealer-station" in said
    assert "keys cannot be made again" in said
    assert not (root.path / CONFIG).exists()
    assert (root.path / "etc/dealer-station/signing-key.pem").exists()
    assert not (root.path / "opt/dealer-station").exists()
    assert not list((root.path / "usr/bin").glob("dealer-*"))
    assert not list((root.path / "etc/systemd/system").rglob("dealer-station*"))
    assert root.run("dpkg-query", "-W", "dealer-station", check=False).returncode == 1
    assert verify_file(root.path / JOURNAL).problems == []
    assert len(sequences(root)) == rows

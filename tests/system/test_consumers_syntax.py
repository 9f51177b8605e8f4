"""The consumers in Go and Java are documentation: compilers read them, with what they take of their libraries beside
them (``support/consumer_stubs``), and Go's own tests give the one in Go any bytes."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from fuzz.consumers import good
from fuzz.noise import json_noise
from support.consumers import CONSUMERS, skip_without

STUBS = Path(__file__).parents[1] / "support/consumer_stubs"


def run(*command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    # What Go keeps goes into the test's own folder, and nothing is fetched.
    here = {} if folder is None else {name: str(folder / name) for name in ("GOCACHE", "GOPATH", "GOMODCACHE")}
    env = os.environ | here | {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOSUMDB": "off"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)


def test_the_go_consumer_is_gos(tmp_path: Path) -> None:
    (gofmt,) = skip_without("gofmt")
    source = CONSUMERS / "go/consumer.go"
    done = run(gofmt, "-l", str(source))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    broken = tmp_path / "broken.go"
    broken.write_text(source.read_text().replace("func main() {", "func main( {"))
    assert run(gofmt, "-l", str(broken)).returncode != 0


def test_the_go_consumer_compiles_and_leaves_any_bytes(tmp_path: Path) -> None:
    (go,) = skip_without("go")
    version = re.search(r"go1\.(\d+)", run(go, "version").stdout)
    if version is None or int(version[1]) < 23:
        pytest.skip(f"go.mod asks for Go 1.23, and here is {version and version[0]}: what it compiles is not checked")
    shutil.copytree(STUBS / "go", tmp_path / "stubs")
    shutil.copy(CONSUMERS / "go/consumer.go", tmp_path)
    (tmp_path / "stubs/garbage_test.go").rename(tmp_path / "garbage_test.go")
    replaced = {"github.com/eclipse/paho.golang": "paho", "modernc.org/sqlite": "sqlite"}
    lines = "".join(f"replace {module} => ./stubs/{name}\n" for module, name in replaced.items())
    (tmp_path / "go.mod").write_text((CONSUMERS / "go/go.mod").read_text() + lines)
    done = run(go, "vet", ".", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rng = Random("go")
    bodies = [json_noise(rng, good()) for _ in range(4000)]
    (tmp_path / "bodies.txt").write_text("".join(f"={base64.b64encode(body).decode()}\n" for body in bodies))
    done = run(go, "test", "-count=1", ".", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    broken = (tmp_path / "consumer.go").read_text().replace("first = lost.From", "first = lost.Form")
    (tmp_path / "consumer.go").write_text(broken)
    assert run(go, "vet", ".", folder=tmp_path).returncode != 0


def test_the_java_consumer_compiles(tmp_path: Path) -> None:
    (javac,) = skip_without("javac")
    source = CONSUMERS / "java/Consumer.java"
    stubs = [str(path) for path in sorted((STUBS / "java").rglob("*.java"))]
    compiled = (javac, "--release", "17", "-proc:none", "-d", str(tmp_path), *stubs)
    done = run(*compiled, str(source))
    assert done.returncode == 0, done.stderr
    broken = tmp_path / "Consumer.java"
    broken.write_text(source.read_text().replace('text(event, "id")', "text(event)"))
    assert run(*compiled, str(broken)).returncode != 0

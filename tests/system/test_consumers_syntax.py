"""The consumers in Go and Java, which are documentation, are at least what their compilers can read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.consumers import CONSUMERS, skip_without


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_go_consumer_is_gos(tmp_path: Path) -> None:
    (gofmt,) = skip_without("gofmt")
    source = CONSUMERS / "go/consumer.go"
    done = run(gofmt, "-l", str(source))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    broken = tmp_path / "broken.go"
    broken.write_text(source.read_text().replace("func main() {", "func main( {"))
    assert run(gofmt, "-l", str(broken)).returncode != 0


def test_the_java_consumer_is_javas(tmp_path: Path) -> None:
    (javac,) = skip_without("javac")
    # Up to the parser: the libraries are not here.
    parse = (javac, "-proc:none", "-XDshould-stop.ifNoError=PARSE", "-XDshould-stop.ifError=PARSE", "-d", str(tmp_path))
    source = CONSUMERS / "java/Consumer.java"
    done = run(*parse, str(source))
    assert done.returncode == 0, done.stderr
    broken = tmp_path / "Consumer.java"
    broken.write_text(source.read_text().replace("private void run()", "private void run("))
    assert run(*parse, str(broken)).returncode != 0

"""The consumers' own verification, by the published vectors."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from support.consumers import CONSUMERS, ROOT

PYTHON = """
import json, sys
from signature import read_keys, verify
keys = read_keys([sys.argv[1]])
print(json.dumps([verify(body.encode(), keys) for body in json.load(sys.stdin)]))
"""
NODE = """
import { readFileSync } from 'node:fs'
const { readKeys, verify } = await import(process.argv[1])
const keys = readKeys([process.argv[2]])
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((body) => verify(Buffer.from(body), keys))))
"""


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    vectors: dict[str, Any] = json.loads((ROOT / "docs/reference/signatures.json").read_text())
    assert {case["valid"] for case in vectors["cases"]} == {True, False}
    return vectors


@pytest.mark.parametrize("language", ["python", "node"])
def test_a_consumer_knows_what_a_station_signed(language: str, vectors: dict[str, Any], tmp_path: Path) -> None:
    key = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(vectors["public_key"] + "="))
    pem = tmp_path / "station.pem"
    pem.write_bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    if language == "python":
        command = [sys.executable, "-c", PYTHON, str(pem)]
    else:
        node = shutil.which("node")
        assert node, "node is not installed: run the tests with `make test`, which installs it"
        module = (CONSUMERS / "node/signature.mjs").as_uri()
        command = [node, "--input-type=module", "-e", NODE, "--", module, str(pem)]
    more = ["", "{}", "[1]", "no JSON", ',"signature":"' + "A" * 86 + '"}']
    bodies = [case["body"] for case in vectors["cases"]] + more
    done = subprocess.run(
        command,
        input=json.dumps(bodies),
        capture_output=True,
        text=True,
        cwd=CONSUMERS / "python",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [case["valid"] for case in vectors["cases"]] + [False] * len(more)

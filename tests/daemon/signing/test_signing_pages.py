"""What the pages say is what happens: the function for consumers, and the broker's example configuration."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from support.mqtt_brokers import Broker, free_port
from support.mqtt_uplink import running
from support.pki import Authority

ROOT = Path(__file__).parents[3]


def test_the_function_of_the_page_says_of_every_vector_what_it_should() -> None:
    page = (ROOT / "docs/reference/signatures.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"Ed25519PublicKey": Ed25519PublicKey, "InvalidSignature": InvalidSignature}
    exec(code, names)
    vectors = json.loads((ROOT / "docs/reference/signatures.json").read_text(encoding="utf-8"))
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(vectors["public_key"] + "="))
    for case in vectors["cases"]:
        assert names["verify"](case["body"].encode(), {vectors["key"]: public}) == case["valid"], case["name"]
    assert not names["verify"](b"", {})
    assert vectors["key"] in page


async def test_the_example_for_mosquitto_is_one_that_mosquitto_takes(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "studio-ca")
    authority.issue("broker")
    (tmp_path / "dealer.acl").write_text("user table-pc\ntopic read #\n")
    port = free_port()
    text = (ROOT / "systemd/mosquitto/dealer-station.conf").read_text(encoding="utf-8")
    for theirs, ours in (
        ("/etc/mosquitto/pki", str(tmp_path)),
        ("/etc/mosquitto/dealer.acl", str(tmp_path / "dealer.acl")),
        ("/var/lib/mosquitto/", f"{tmp_path}/"),
        ("listener 8883", f"listener {port} 127.0.0.1"),
    ):
        assert theirs in text
        text = text.replace(theirs, ours)
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("mosquitto is not installed")
    config = tmp_path / "example.conf"
    config.write_text("user root\n" + text)
    async with running(Broker([program, "-c", str(config)], port, tmp_path / "log")):
        pass
    # "OpenSSL Error" is what it says of the connection that only looked whether it listens.
    assert ": Error:" not in (tmp_path / "log").read_text()


def test_the_example_for_ejabberd_lets_nobody_in_without_a_password() -> None:
    text = (ROOT / "systemd/ejabberd/dealer-station.yml").read_text(encoding="utf-8")
    assert re.search(r"^auth_method: internal", text, re.MULTILINE)
    assert "tls: true" in text


@pytest.mark.parametrize("page", ["docs/explanation/threat-model.md", "docs/howto/secure-the-broker.md"])
def test_links_of_the_pages_lead_somewhere(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []

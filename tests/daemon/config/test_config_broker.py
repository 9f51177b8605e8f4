"""``[mqtt]``: addresses, and which settings go together."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_daemon.config.broker import BrokerAddress, broker_address

URL = 'url = "mqtt://127.0.0.1:1883"'


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://127.0.0.1:1884", BrokerAddress("127.0.0.1", 1884, tls=False)),
        ("mqtt://localhost", BrokerAddress("localhost", 1883, tls=False)),
        ("mqtts://broker.example", BrokerAddress("broker.example", 8883, tls=True)),
        ("mqtts://[::1]:9000/", BrokerAddress("::1", 9000, tls=True)),
    ],
)
def test_addresses(url: str, address: BrokerAddress) -> None:
    assert broker_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:1883",
        "tcp://127.0.0.1",
        "mqtt://",
        "mqtt://h:0",
        "mqtt://h:70000",
        "mqtt://h:x",
        "mqtt://h/path",
        "mqtt://h?a=b",
    ],
)
def test_no_address(url: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        broker_address(url)


def test_a_wrong_address_is_named_by_its_key(read: Any) -> None:
    assert set(read.errors((URL, 'url = "mqtts://h/path"'))) == {"mqtt.url"}


def test_credentials_in_the_address_are_refused_and_never_repeated(read: Any) -> None:
    errors = read.errors((URL, 'url = "mqtt://pit:hunter2@127.0.0.1"'))
    assert errors["mqtt.url"].startswith("credentials by file")
    assert "hunter2" not in errors["mqtt.url"]


def test_plain_text_leaves_the_machine_only_when_said(read: Any) -> None:
    away = 'url = "mqtt://192.0.2.7:1883"'
    assert "mqtts://" in read.errors((URL, away))["mqtt.url"]
    read.config((URL, away + "\nplaintext_off_loopback = true"))
    read.config((URL, 'url = "mqtts://192.0.2.7"'))
    for loopback in ("localhost", "127.0.0.9", "[::1]"):
        read.config((URL, f'url = "mqtt://{loopback}:1883"'))
    # A name that only looks like loopback.
    assert "mqtt.url" in read.errors((URL, 'url = "mqtt://127.0.0.1.example:1883"'))


def test_every_further_node_is_checked_like_the_first(read: Any) -> None:
    def with_fallbacks(urls: str) -> tuple[str, str]:
        return URL, f"{URL}\nfallback_urls = [{urls}]"

    config = read.config(with_fallbacks('"mqtts://b.example", "mqtt://127.0.0.1:1884"'))
    assert config.mqtt.fallback_urls == ("mqtts://b.example", "mqtt://127.0.0.1:1884")
    assert "mqtts://" in read.errors(with_fallbacks('"mqtt://192.0.2.7"'))["mqtt.fallback_urls"]
    assert "there twice" in read.errors(with_fallbacks('"mqtt://127.0.0.1"'))["mqtt.fallback_urls"]
    assert "hunter2" not in str(read.errors(with_fallbacks('"mqtt://pit:hunter2@b.example"')))
    # Certificates are of use as soon as one node has TLS.
    text, urls = with_fallbacks('"mqtts://b.example"')
    read.config((text, urls + '\nca_file = "ca.pem"'))


def test_certificates_need_tls_and_each_other(read: Any) -> None:
    assert set(read.errors((URL, URL + '\nca_file = "ca.pem"'))) == {"mqtt.ca_file"}
    tls = 'url = "mqtts://broker.example"\n'
    assert read.errors((URL, tls + 'cert_file = "c.pem"'))["mqtt.cert_file"] == "needs key_file beside it"
    assert read.errors((URL, tls + 'key_file = "k.pem"'))["mqtt.key_file"] == "needs cert_file beside it"
    assert read.config((URL, tls + 'cert_file = "c.pem"\nkey_file = "k.pem"')).mqtt.key_file.endswith("/k.pem")


def test_a_password_needs_a_user(read: Any) -> None:
    assert set(read.errors((URL, URL + '\npassword_file = "pw"'))) == {"mqtt.password_file"}

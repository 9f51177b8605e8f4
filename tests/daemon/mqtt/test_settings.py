"""From the configuration to what the client needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_daemon.config.types import MqttConfig
from dealer_daemon.mqtt.settings import BrokerSettings, PasswordFileError, broker_settings, read_password


def test_every_key_of_the_configuration_reaches_the_client() -> None:
    mqtt = MqttConfig(
        url="mqtts://broker.example:8884",
        protocol="5",
        username="u",
        password_file="/etc/p",
        ca_file="/etc/ca",
        cert_file="/etc/c",
        key_file="/etc/k",
        keepalive_s=7,
        in_flight=8,
    )
    made = broker_settings(mqtt, "studio-1-r1")
    assert (made.host, made.port, made.tls, made.client_id) == ("broker.example", 8884, True, "studio-1-r1")
    assert (made.protocol, made.username, made.keepalive_s) == ("5", "u", 7)
    paths = (made.password_file, made.ca_file, made.cert_file, made.key_file)
    assert paths == (Path("/etc/p"), Path("/etc/ca"), Path("/etc/c"), Path("/etc/k"))
    assert made.window > mqtt.in_flight, "retained topics and replies need a place beside the events"


def test_a_client_id_is_never_made_up() -> None:
    with pytest.raises(ValueError, match="client id"):
        BrokerSettings(host="h", port=1, client_id="")


def test_the_password_is_read_from_its_file_and_shown_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "p"
    settings = BrokerSettings(host="h", port=1, client_id="c", username="u", password_file=path)
    with pytest.raises(OSError, match="No such file"):
        read_password(settings)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PasswordFileError, match=r"UTF-8"):
        read_password(settings)
    path.write_text("hunter2 \r\n")
    assert read_password(settings) == "hunter2 "
    assert "hunter2" not in repr(settings)

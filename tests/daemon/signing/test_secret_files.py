"""Where secrets are: paths, credentials of systemd, who else may read them; and what the configuration says of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dealer_daemon.config import ConfigErrors, parse_config
from dealer_daemon.mqtt.settings import broker_settings, read_password
from dealer_daemon.station.signing import station_key
from dealer_drivers.errors import FixConfigError
from dealer_drivers.secret_files import CredentialMissing, open_to_others, secret_file
from dealer_drivers.transports.mqtt import MqttTransport, mqtt_settings
from support.mqtt_brokers import free_port

CONFIG = """
[station]
site = "studio-1"
state_dir = "state"
signing_key_file = "{key}"
[mqtt]
username = "u"
password_file = "{password}"
[tables.r1]
game = "roulette"
spin = {{laps = "unobserved", unobserved = "accept"}}
[[tables.r1.devices]]
name = "wheel"
driver = "cammegh-ss2"
port = "/dev/dealer/wheel"
"""


@pytest.fixture
def handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    (tmp_path / "broker").write_text("hunter2\n")
    return tmp_path


def test_a_path_is_meant_from_the_configuration_and_a_credential_is_no_path(tmp_path: Path) -> None:
    config = parse_config(CONFIG.format(key="k.pem", password="credential:broker"), tmp_path / "station.toml")
    assert config.station.signing_key_file == str(tmp_path / "k.pem")
    assert config.mqtt.password_file == "credential:broker", "check-config runs where no credential is"


def test_a_credential_is_read_from_where_systemd_puts_it(tmp_path: Path, handed_over: Path) -> None:
    config = parse_config(CONFIG.format(key="credential:key", password="credential:broker"), tmp_path / "station.toml")
    assert read_password(broker_settings(config.mqtt, "c")) == "hunter2"
    assert secret_file("credential:broker") == handed_over / "broker"
    assert secret_file("/etc/key.pem") == Path("/etc/key.pem")


@pytest.mark.usefixtures("handed_over")
@pytest.mark.parametrize("value", ["credential:other", "credential:../broker", "credential:", "credential:.."])
def test_what_was_not_handed_over_is_said(value: str) -> None:
    with pytest.raises(CredentialMissing):
        secret_file(value)


def test_without_systemd_there_are_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with pytest.raises(CredentialMissing, match="LoadCredential=broker"):
        secret_file("credential:broker")


@pytest.mark.parametrize("value", ["credential:a/b", "credential:", "credential:.."])
def test_a_name_that_is_none_is_a_mistake_of_the_configuration(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigErrors) as errors:
        parse_config(CONFIG.format(key=value, password=value), tmp_path / "station.toml")
    assert [error.key for error in errors.value.errors] == ["station.signing_key_file", "mqtt.password_file"]


async def test_a_device_on_mqtt_takes_credentials_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    port = f"mqtt://127.0.0.1:{free_port()}/shaker"
    settings = mqtt_settings(port, ("state",), username="u", password_file="credential:shaker")
    with pytest.raises(FixConfigError, match="LoadCredential=shaker"):
        async with asyncio.timeout(10):
            await MqttTransport(settings).open()


@pytest.mark.parametrize(
    ("mode", "open_"), [(0o600, False), (0o640, False), (0o400, False), (0o644, True), (0o660, True), (0o602, True)]
)
def test_what_others_may_read_or_the_group_may_write_is_said(tmp_path: Path, mode: int, open_: bool) -> None:
    path = tmp_path / "password"
    path.touch()
    path.chmod(mode)
    problem = open_to_others(path)
    assert (problem is not None) == open_
    assert problem is None or "chmod 0640" in problem
    assert open_to_others(tmp_path / "absent") is None


def test_an_open_folder_is_told_how_to_close(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert "chmod 0750" in (open_to_others(tmp_path) or "")
    tmp_path.chmod(0o750)
    assert open_to_others(tmp_path) is None


def test_at_the_start_is_said_once_what_lies_open_and_that_nothing_is_signed(tmp_path: Path) -> None:
    text = CONFIG.format(key="k", password="password").replace('signing_key_file = "k"\n', "")
    config = parse_config(text, tmp_path / "station.toml")
    (tmp_path / "password").write_text("hunter2")
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o755)
    (tmp_path / "password").chmod(0o644)
    with capture_logs() as lines:
        assert station_key(config) is None
    said = {line["event"]: line["detail"] for line in lines}
    assert said.keys() == {"secret_open_to_others", "state_dir_open_to_others", "events_unsigned"}
    assert str(tmp_path / "password") in said["secret_open_to_others"]
    assert "hunter2" not in str(lines)
    (tmp_path / "state").chmod(0o750)
    (tmp_path / "password").chmod(0o640)
    with capture_logs() as lines:
        station_key(config)
    assert [line["event"] for line in lines] == ["events_unsigned"]


def test_a_folder_of_credentials_that_cannot_be_entered_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/dealer-station.service")
    monkeypatch.setattr(Path, "is_file", forbidden)
    with pytest.raises(CredentialMissing, match=r"cannot be entered \(Permission denied\): look at the unit's User="):
        secret_file("credential:signing-key")

"""The broker: does it answer, and does it know the station. Says nothing to any table's topics."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dealer_daemon.config import Config
from dealer_daemon.doctor.finding import Finding, good, unknown, unreachable, wrong
from dealer_daemon.doctor.machine import Machine
from dealer_daemon.mqtt.client import MqttClient
from dealer_daemon.mqtt.settings import BrokerSettings, broker_settings
from dealer_drivers.secret_files import CredentialMissing, is_credential

WITHIN_S = 8.0
"""A node that does not know MQTT 5 is asked twice, three seconds each."""
KEYS = ("password_file", "ca_file", "cert_file", "key_file")


def look_at_credentials(config: Config, machine: Machine) -> Iterator[Finding]:
    """May the station read what the configuration names. What is in the files was looked at with it."""
    named = {f"mqtt.{key}": getattr(config.mqtt, key) for key in KEYS}
    named["station.signing_key_file"] = config.station.signing_key_file
    for key, value in named.items():
        if value is None:
            continue
        if is_credential(value):
            name = value.partition(":")[2]
            mend = f"`systemctl cat dealer-station` must have LoadCredential={name}:FILE, and the file must be there"
            yield unknown("credentials", f"{key}: systemd hands {value} over when the station starts", mend)
            continue
        try:
            readable = machine.user.may(Path(value), os.R_OK)
        except OSError as error:
            yield wrong("credentials", f"{key}: {value}: {error.strerror}", "put the file there")
            continue
        if readable:
            yield good("credentials", f"{key}: {machine.user.name} may read {value}")
        else:
            mend = f"`chgrp {machine.user.name} {value}; chmod 0640 {value}`, or hand it over by LoadCredential="
            yield wrong("credentials", f"{key}: {machine.user.name} may not read {value}", mend)


def look_at_broker(config: Config) -> Iterator[Finding]:
    """Every node that the configuration names."""
    name = f"dealer-doctor-{secrets.token_hex(4)}"
    try:
        settings = broker_settings(config.mqtt, name)
    except CredentialMissing as error:
        mend = "ask with the credentials: `systemd-run --pty -p LoadCredential=… dealer-daemon doctor`"
        yield unknown("broker", f"it was not asked: {error}", mend)
        return
    for node in settings.nodes():
        yield asyncio.run(_ask(replace(node, lasting=False)))


async def _ask(node: BrokerSettings) -> Finding:
    where = f"{node.host}:{node.port}"
    client = MqttClient(node)
    decided = asyncio.Event()
    client.on_connected(lambda _session, _version: decided.set())
    client.on_problem(lambda problem: decided.set() if problem is not None else None)
    client.start()
    try:
        async with asyncio.timeout(WITHIN_S):
            await decided.wait()
    except TimeoutError:
        return unreachable(
            "broker", f"{where} does not answer within {WITHIN_S:g} s", "is the broker up, the address right?"
        )
    finally:
        status = client.status
        await client.stop()
    if status.connected:
        return good("broker", f"{where} answers, MQTT {status.version}")
    problem = status.problem
    detail = f"{where}: the connection ended at once" if problem is None else problem.detail
    return unreachable("broker", detail, "docs/howto/secure-the-broker.md; `systemctl status mosquitto` there")

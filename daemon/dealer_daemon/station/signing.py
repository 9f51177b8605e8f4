"""The station's keys: the one it signs with, read once at the start, and the public ones of all that it ever used."""

from __future__ import annotations

from pathlib import Path

import structlog

from dealer_daemon.config import Config
from dealer_daemon.mqtt.heads import Signing
from dealer_daemon.signing import SigningKey, public_keys_in, read_signing_key, write_public_key
from dealer_daemon.station.named_files import PUBLIC_KEYS, secrets_open
from dealer_drivers.secret_files import is_credential, open_to_others, secret_file


def station_key(config: Config) -> SigningKey | None:
    """The key to sign with. Says once where nothing is signed, and where a secret lies open to others.

    Raises ``KeyFileError`` and ``CredentialMissing``: a station that is to sign does not run unsigned.
    """
    log = structlog.get_logger()
    for detail in secrets_open(config):
        log.warning("secret_open_to_others", detail=detail)
    state_dir = Path(config.station.state_dir)
    if state_dir.is_dir() and (problem := open_to_others(state_dir)) is not None:
        log.warning("state_dir_open_to_others", detail=problem)
    key = read_station_key(config)
    if key is None:
        log.warning("events_unsigned", detail="no signing_key_file under [station]: nobody can tell who sent an event")
    else:
        log.info("events_signed", signkey=key.id)
    return key


def read_station_key(config: Config) -> SigningKey | None:
    """The key that the configuration names. Raises ``KeyFileError`` and ``CredentialMissing``."""
    name = config.station.signing_key_file
    return None if name is None else read_signing_key(secret_file(name), guarded=is_credential(name))


def with_known_keys(config: Config, key: SigningKey | None) -> Signing:
    """The key, and all public keys in the state directory, which is there by now; its own is kept among them.

    Raises ``KeyFileError`` for a file there that is no public key.
    """
    folder = Path(config.station.state_dir) / PUBLIC_KEYS
    known = public_keys_in(folder)
    if key is None:
        return Signing(None, known)
    try:
        write_public_key(folder, key.public)
    except OSError as error:  # presence has it too, and the table need not stand still for a copy
        structlog.get_logger().error("public_key_not_kept", detail=f"{folder}: {error.strerror}; free the disk")
    return Signing(key, {**known, key.id: key.public})

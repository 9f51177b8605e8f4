"""A studio's certificates: an authority, and what it issues, in files as a broker and a station take them."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = dt.timedelta(days=1)


class Authority:
    """``{name}.pem`` in ``folder``; ``issue`` writes ``{name}.pem`` and ``{name}.key``."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(f"test {name}")
        ca = x509.BasicConstraints(ca=True, path_length=0)
        builder = _builder(self._name, self._name, self._key).add_extension(ca, critical=True)
        (folder / f"{name}.pem").write_bytes(_pem(builder.sign(self._key, hashes.SHA256())))

    def issue(self, name: str, *, address: str = "127.0.0.1", since_days: int = -1, days: int = 2) -> None:
        """A certificate for ``name`` (its common name) at an address, valid for ``days`` from ``since_days`` on."""
        key = ec.generate_private_key(ec.SECP256R1())
        _write_key(self._folder / f"{name}.key", key)
        signed = _leaf(name, self._name, key, address, since_days, days).sign(self._key, hashes.SHA256())
        (self._folder / f"{name}.pem").write_bytes(_pem(signed))


def self_signed(folder: Path, name: str, address: str = "127.0.0.1") -> None:
    """A certificate that nobody but itself vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    _write_key(folder / f"{name}.key", key)
    (folder / f"{name}.pem").write_bytes(_pem(_leaf(name, _name(name), key, address, -1, 2).sign(key, hashes.SHA256())))


def _leaf(
    name: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, address: str, since_days: int, days: int
) -> x509.CertificateBuilder:
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
    return _builder(_name(name), issuer, key, since_days, days).add_extension(names, critical=False)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, since_days: int = -1, days: int = 3
) -> x509.CertificateBuilder:
    since = dt.datetime.now(dt.UTC) + since_days * DAY
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(since + days * DAY)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.touch(mode=0o600)
    encoding, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, no_password))

"""The station's key: made once, kept in a file that only the daemon may read. Public keys: files for everybody.

Ed25519 (RFC 8032) by ``cryptography``. A private key is PEM PKCS8, a public one PEM SubjectPublicKeyInfo (RFC 8410), as
``openssl`` writes and reads them. A key's id is the first 16 hexadecimal digits of SHA-256 over its 32 public bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from dealer_drivers.secret_files import endless

KEY_FILE = "signing-key.pem"
PUBLIC_FILE = "signing-key.pub.pem"
ID_DIGITS = 16

PublicKeys = Mapping[str, Ed25519PublicKey]
"""Public keys by their ids."""


class KeyFileError(ValueError):
    """A key file cannot be used. The text names it and says what to do; never what it holds."""


class SigningKey:
    """The private key. It shows itself nowhere: no ``repr``, no way to write it out."""

    __slots__ = ("_private", "id", "public", "public_bytes")

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key()
        self.public_bytes = self.public.public_bytes_raw()
        self.id = key_id(self.public)

    def __repr__(self) -> str:
        return f"<signing key {self.id}>"

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes. The same message always has the same one (RFC 8032)."""
        return self._private.sign(message)


def key_id(public: Ed25519PublicKey) -> str:
    """The id of a key, 16 hexadecimal digits."""
    return hashlib.sha256(public.public_bytes_raw()).hexdigest()[:ID_DIGITS]


def in_base64url(public: Ed25519PublicKey) -> str:
    """The 32 bytes of a key as text, 43 characters without padding (RFC 7515)."""
    return base64.urlsafe_b64encode(public.public_bytes_raw()).rstrip(b"=").decode()


def make_key(folder: Path) -> tuple[Path, Path]:
    """Make a key in ``folder``: the private file (0600) and the public one (0644). Answers both paths.

    Raises ``KeyFileError`` where one of them is there already: a key that is overwritten is lost. Raises ``OSError``.
    """
    private = Ed25519PrivateKey.generate()
    folder.mkdir(parents=True, exist_ok=True)
    key_file, public_file = folder / KEY_FILE, folder / PUBLIC_FILE
    for path in (key_file, public_file):
        if path.exists():
            raise KeyFileError(f"{path} is there already and stays as it is: make the new key in another folder")
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(key_file, pem, 0o600)
    _write(public_file, _public_pem(private.public_key()), 0o644)
    return key_file, public_file


def read_signing_key(path: Path, *, guarded: bool = False) -> SigningKey:
    """The key in a file. ``guarded``: who may read it is the service manager's affair (a systemd credential).

    Raises ``KeyFileError`` when the file cannot be read, when others than its owner may, or when it holds no
    unencrypted Ed25519 key.
    """
    if (reason := endless(path)) is not None:
        raise KeyFileError(reason)
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            pem = file.read(65_536)
    except OSError as error:
        raise KeyFileError(
            f"{path}: the signing key cannot be read ({error.strerror}): make one with `dealer-daemon keys make`, and "
            "give it to the daemon's user"
        ) from error
    if b"PUBLIC KEY-----" in pem and b"PRIVATE KEY-----" not in pem:  # before its mode: everybody may read that
        raise KeyFileError(
            f"{path}: holds a public key, and nothing can be signed with that: name the private one that was made with "
            f"it ({KEY_FILE})"
        )
    if mode & 0o077 and not guarded:
        raise KeyFileError(
            f"{path}: others than its owner may use the signing key (mode {mode:04o}): say `chmod 0600 {path}`. Was it "
            "read by somebody else, make a new one"
        )
    try:
        private = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        # Neither the library's words nor the file's: both may hold what must not be said.
        raise KeyFileError(f"{path}: is no unencrypted private key in PEM (PKCS8)") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise KeyFileError(f"{path}: is a key of another kind; make one of Ed25519 with `dealer-daemon keys make`")
    return SigningKey(private)


def read_public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a file. Raises ``KeyFileError``."""
    if (reason := endless(path)) is not None:
        raise KeyFileError(reason)
    try:
        pem = path.read_bytes()
    except OSError as error:
        raise KeyFileError(f"{path}: the public key cannot be read ({error.strerror})") from error
    if b"PRIVATE KEY" in pem:
        raise KeyFileError(f"{path}: holds a private key; name the public one beside it ({PUBLIC_FILE})")
    try:
        public = serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"{path}: is no public key in PEM") from error
    if not isinstance(public, Ed25519PublicKey):
        raise KeyFileError(f"{path}: is a key of another kind; Ed25519 is needed")
    return public


def write_public_key(folder: Path, public: Ed25519PublicKey) -> Path:
    """Keep a public key in ``folder`` as ``{id}.pem``, for everybody to read. Raises ``OSError``."""
    if not folder.is_dir():
        folder.mkdir()
        folder.chmod(0o755)  # whatever the umask
    path = folder / f"{key_id(public)}.pem"
    if not path.exists():
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        _write(new, _public_pem(public), 0o644)
        new.rename(path)
    return path


def public_keys_in(folder: Path) -> dict[str, Ed25519PublicKey]:
    """All public keys of a folder by id, those of its ``*.pem`` files. Raises ``KeyFileError``."""
    keys = (read_public_key(path) for path in sorted(folder.glob("*.pem")))
    return {key_id(key): key for key in keys}


def _public_pem(public: Ed25519PublicKey) -> bytes:
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _write(path: Path, content: bytes, mode: int) -> None:
    """A new file with that mode from its first moment, on the disk when this returns."""
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    with os.fdopen(fd, "wb") as file:
        os.fchmod(fd, mode)  # whatever the umask
        file.write(content)
        file.flush()
        os.fsync(fd)

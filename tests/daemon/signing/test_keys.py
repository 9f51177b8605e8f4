"""Keys in files: made once, guarded, never shown; openssl reads what we write, and we what it writes."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dealer_daemon.cli import main
from dealer_daemon.signing import (
    KeyFileError,
    key_id,
    make_key,
    public_keys_in,
    read_public_key,
    read_signing_key,
    write_public_key,
)


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("no_umask")
def test_a_key_is_the_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    key_file, public_file = make_key(tmp_path)
    assert mode_of(key_file) == 0o600
    assert mode_of(public_file) == 0o644
    assert key_id(read_public_key(public_file)) == read_signing_key(key_file).id


@pytest.mark.parametrize("left", ["signing-key.pem", "signing-key.pub.pem"])
def test_no_key_is_ever_written_over(tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_text("here before")
    with pytest.raises(KeyFileError, match="stays as it is"):
        make_key(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [left]
    assert (tmp_path / left).read_text() == "here before"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_key_that_others_may_use_is_refused_but_for_a_credential(tmp_path: Path, mode: int) -> None:
    key_file, _ = make_key(tmp_path)
    key_file.chmod(mode)
    with pytest.raises(KeyFileError, match=r"chmod 0600"):
        read_signing_key(key_file)
    assert read_signing_key(key_file, guarded=True).id


def test_openssl_reads_our_keys_and_we_read_openssls(tmp_path: Path) -> None:
    key_file, public_file = make_key(tmp_path / "ours")
    shown = subprocess.run(["openssl", "pkey", "-in", key_file, "-pubout"], capture_output=True, check=True).stdout
    assert shown == public_file.read_bytes()
    theirs = tmp_path / "theirs.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", theirs], check=True, capture_output=True)
    theirs.chmod(0o600)
    message = b"what is signed"
    key = read_signing_key(theirs)
    key.public.verify(key.sign(message), message)


def test_what_is_no_key_is_said_without_a_word_of_what_it_holds(tmp_path: Path) -> None:
    _, public_file = make_key(tmp_path / "k")
    rsa, locked = tmp_path / "rsa.pem", tmp_path / "locked.pem"
    subprocess.run(["openssl", "genrsa", "-out", rsa, "2048"], check=True, capture_output=True)
    command = ["openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:hunter2", "-out", locked]
    subprocess.run(command, check=True, capture_output=True)
    noise = tmp_path / "noise"
    noise.write_bytes(b"hunter2\xff")
    for path in (rsa, locked, noise, public_file):
        path.chmod(0o600)
        with pytest.raises(KeyFileError) as refusal:
            read_signing_key(path)
        assert str(path) in str(refusal.value)
        assert "hunter2" not in str(refusal.value)
    with pytest.raises(KeyFileError, match="cannot be read"):
        read_signing_key(tmp_path / "absent")
    for path in (rsa, noise):
        with pytest.raises(KeyFileError):
            read_public_key(path)


def test_a_private_key_given_for_a_public_one_is_said(tmp_path: Path) -> None:
    key_file, _ = make_key(tmp_path)
    with pytest.raises(KeyFileError, match="holds a private key"):
        read_public_key(key_file)


def test_a_key_shows_nothing_of_itself(tmp_path: Path) -> None:
    key_file, _ = make_key(tmp_path)
    key = read_signing_key(key_file)
    secret = subprocess.run(["openssl", "pkey", "-in", key_file, "-text"], capture_output=True, check=True).stdout
    words = secret.decode().split("priv:")[1].split("pub:")[0].replace(":", "").split()
    assert repr(key) == f"<signing key {key.id}>"
    assert "".join(words) not in repr(key)


def test_public_keys_are_kept_by_id_and_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "public-keys"
    keys = [read_signing_key(make_key(tmp_path / name)[0]) for name in "ab"]
    for key in (*keys, keys[0]):
        write_public_key(folder, key.public)
    found = public_keys_in(folder)
    assert found.keys() == {key.id for key in keys}
    (folder / "broken.pem").write_text("no key")
    with pytest.raises(KeyFileError, match=r"broken\.pem"):
        public_keys_in(folder)


def test_the_command_makes_a_key_once_and_shows_only_its_public_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "keys"
    assert main(["keys", "make", "--dir", str(folder)]) == 0
    private = (folder / "signing-key.pem").read_text()
    assert main(["keys", "make", "--dir", str(folder)]) == 2
    assert (folder / "signing-key.pem").read_text() == private
    for name in ("signing-key.pem", "signing-key.pub.pem"):
        assert main(["keys", "show", "--json", str(folder / name)]) == 0
    assert main(["keys", "show", str(tmp_path / "absent")]) == 2
    said = capsys.readouterr()
    assert not any(line in said.out + said.err for line in private.splitlines() if "KEY" not in line)

"""Whether a secret is the one of a hash, asked of a child process: scrypt would hold up every table of the station.

At low priority, with nothing of it in a command line, and without a thread (decision 0005).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
from pathlib import Path

from dealer_daemon.people.hashing import MOST_MEMORY, Hash
from dealer_daemon.people.rules import LONGEST_SECRET

_CHILD = Path(__file__).with_name("scrypt_child.py")
WITHIN_S = 20.0


class CheckFailed(OSError):  # noqa: N818
    """Nothing can be checked now. The text says why."""


async def fits(secret: str, hash_: Hash) -> bool:
    """Whether the secret is the hash's: some 0.2 s, in another process. Raises ``CheckFailed``."""
    return len(secret) <= LONGEST_SECRET and hash_.is_of(await _derived(secret, hash_))


def _child(its_end: socket.socket) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", str(_CHILD)]
    pipe = its_end.fileno()
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={})


async def _derived(secret: str, hash_: Hash) -> bytes:
    ours, theirs = socket.socketpair()
    with contextlib.closing(ours):
        with contextlib.closing(theirs):
            try:
                child = _child(theirs)
            except OSError as error:
                raise CheckFailed(f"no process can be started to check a password: {error.strerror}") from error
        try:
            return await _asked(ours, secret, hash_)
        finally:
            child.kill()
            child.wait()


async def _asked(ours: socket.socket, secret: str, hash_: Hash) -> bytes:
    question = {
        "secret": secret,
        "n": hash_.n,
        "r": hash_.r,
        "p": hash_.p,
        "salt": hash_.salt.hex(),
        "most_memory": MOST_MEMORY,
        "length": len(hash_.key),
    }
    ours.setblocking(False)
    loop = asyncio.get_running_loop()
    answer = b""
    try:
        async with asyncio.timeout(WITHIN_S):
            await loop.sock_sendall(ours, json.dumps(question).encode() + b"\n")
            while not answer.endswith(b"\n"):
                more = await loop.sock_recv(ours, 4096)
                if not more:
                    raise CheckFailed("the process that checks passwords ended without an answer: is memory short?")
                answer += more
        return bytes.fromhex(answer.decode().strip())
    except CheckFailed:
        raise
    except (OSError, TimeoutError, ValueError) as error:
        raise CheckFailed(f"the process that checks passwords did not answer: {error}") from error

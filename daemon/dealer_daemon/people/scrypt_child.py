"""One scrypt, in a process of its own: ``{"secret", "n", "r", "p", "salt"}`` on standard input, the key in hex out.

Run by its path with ``-I -S``: nothing of the project is imported, so it starts in some 20 ms.
"""

import hashlib
import json
import os
import sys

if __name__ == "__main__":
    os.nice(10)  # devices go first
    asked = json.loads(sys.stdin.buffer.readline())
    key = hashlib.scrypt(
        asked["secret"].encode(),
        salt=bytes.fromhex(asked["salt"]),
        n=asked["n"],
        r=asked["r"],
        p=asked["p"],
        maxmem=asked["most_memory"],
        dklen=asked["length"],
    )
    sys.stdout.write(key.hex() + "\n")

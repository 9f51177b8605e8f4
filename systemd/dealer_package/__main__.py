"""``python -m dealer_package build`` and ``pages``."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from dealer_package.build import build, source_epoch_s
from dealer_package.control import project_version
from dealer_package.layout import BuildError, made


def main() -> int:
    """Exit codes: 0 done, 1 it could not be made here, 2 the command is wrong, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="dealer_package", description="The Debian package of the station.")
    parser.add_argument("what", choices=("build", "pages"), help="the package, or man pages and completions alone")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR", help="default: dist")
    parser.add_argument(
        "--version",
        type=_version,
        default=project_version(),
        metavar="V",
        help="Debian's version, to tell builds of one version apart: 0.1.0+site2 (default: that of pyproject.toml)",
    )
    parser.add_argument("--level", type=int, choices=range(10), default=6, metavar="N", help="xz, 0 to 9 (default: 6)")
    arguments = parser.parse_args()
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"== [{time.monotonic() - began:5.1f} s] {text}", file=sys.stderr)

    try:
        if arguments.what == "pages":
            for place, content in made(arguments.version, source_epoch_s()):
                target = arguments.out / place
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            return 0
        path = build(arguments.out, arguments.version, say, arguments.level)
    except BuildError as error:
        print(f"dealer_package: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    say(f"{path.stat().st_size / 1e6:.1f} MB")
    print(path)
    return 0


def _version(text: str) -> str:
    # Policy 5.6.12, without an epoch: it would not be in the file's name.
    if not re.fullmatch(r"[0-9][A-Za-z0-9.+~-]*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no Debian version: digits first, then letters, digits, . + ~ -")
    return text


sys.exit(main())

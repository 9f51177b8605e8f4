"""The file system of the station's state: a small one of our own that fills up and turns read-only, where that may be
made here, and else an ordinary folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

SIZE = 1 << 30
"""Of the file system while it has room: memory is used only for what lies on it."""


class Disk:
    """See the module. ``own``: whether it is a file system of our own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = False

    async def fill(self) -> bool:
        """Not one more byte fits; whether that could be done."""
        used = os.statvfs(self.folder)
        return self.own and await self._remount(f"size={(used.f_blocks - used.f_bfree) * used.f_frsize}")

    async def read_only(self) -> bool:
        """Nothing can be written; whether that could be done (not while a file is open for writing)."""
        return self.own and await self._remount("ro")

    async def heal(self) -> None:
        """There is room, and it can be written."""
        if self.own:
            await self._remount(f"rw,size={SIZE}")

    async def _remount(self, options: str) -> bool:
        return await _ran("mount", "-o", f"remount,{options}", str(self.folder))

    @contextlib.asynccontextmanager
    async def mounted(self) -> AsyncIterator[Disk]:
        """For as long as the block lasts."""
        self.folder.mkdir(parents=True)
        if os.geteuid() == 0 and shutil.which("mount"):
            self.own = await _ran("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "none", str(self.folder))
        try:
            yield self
        finally:
            if self.own:
                await _ran("umount", "-l", str(self.folder))


async def _ran(*command: str) -> bool:
    child = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    return await child.wait() == 0

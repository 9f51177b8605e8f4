"""People who sign in at a screen, and a browser of theirs without a window: a cookie, a token, requests."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from pathlib import Path
from typing import Any

from dealer_daemon.people import Person, hashed, write_people

PASSWORDS = {
    "dealer-7": "904417",
    "manager-1": "long enough 1",
    "manager-2": "long enough 2",
    "technician-1": "spanner 4417",
}
PIN = "775533"


def people_file(folder: Path) -> Path:
    """A dealer, a manager, a manager without a PIN, and a technician; their hashes are cheap."""
    path = folder / "people.json"
    pins = {"manager-1": str(hashed(PIN, cost=16))}
    people = [
        Person(
            name=name,
            role=name.partition("-")[0],  # type: ignore[arg-type]
            password=str(hashed(password, cost=16)),
            pin=pins.get(name),
        )
        for name, password in PASSWORDS.items()
    ]
    write_people(path, people)
    return path


class Visitor:
    """One browser at ``url``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []
        self.csrf = ""

    async def ask(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in small letters) and body."""
        host, _, port = self.url.removeprefix("http://").partition(":")
        sent = b"" if body is None else json.dumps(body).encode()
        given = {
            "host": f"{host}:{port}",
            "connection": "close",
            "content-length": str(len(sent)),
            "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
        }
        if method == "POST":
            given |= {"origin": self.url, "content-type": "application/json", "x-csrf-token": self.csrf}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items() if value), "", ""]
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write("\r\n".join(lines).encode() + sent)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *more = head.decode("latin-1").split("\r\n")
        pairs = [line.split(": ", 1) for line in more]
        for name, value in pairs:
            if name.lower() == "set-cookie":
                self.set_cookies.append(value)
                cookie, _, content = value.partition(";")[0].partition("=")
                self.cookies[cookie] = content
        return int(first.split()[1]), {name.lower(): value for name, value in pairs}, rest

    async def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, str, Any]:
        """Status, the code of the answer's text, and the answer."""
        status, _, answer = await self.ask(path, "POST", {} if body is None else body, **headers)
        try:
            said = json.loads(answer)
        except ValueError:
            return status, "", answer
        return status, said["text"]["code"], said

    async def session(self) -> Any:
        """As a page does when it comes."""
        said = json.loads((await self.ask("/session"))[2])
        self.csrf = said["csrf"]
        return said

    async def sign_in(self, name: str, password: str | None = None) -> tuple[int, str, Any]:
        """As the page does; the token of the session is fetched after it."""
        await self.session()
        answer = await self.post(
            "/sign-in", {"name": name, "password": PASSWORDS.get(name, "") if password is None else password}
        )
        await self.session()
        return answer

    async def pin(self, pin: str = PIN) -> tuple[int, str, Any]:
        return await self.post("/pin", {"pin": pin})

    async def act(self, address: str, **more: Any) -> tuple[int, str, Any]:
        """A press of a button of a page that is up to date."""
        return await self.post(address, {"id": uuid.uuid4().hex, "at": str(time.time_ns())} | more)

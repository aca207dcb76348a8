"""What the server adds to and refuses of Streamlit's own answers."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streamlit import file_util

from readback.ui.common.server import PARTS, Headers, list_needed_parts

COOKIES = [(b"set-cookie", b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Strict"), (b"Set-Cookie", b"user=x; Path=/")]


def asked(path: str, headers: list[tuple[bytes, bytes]] | None = None, kind: str = "http", scheme: str = "http") -> Any:
    """What is answered to a request: the messages, and whether the program behind was asked."""
    sent: list[Any] = []
    reached: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["path"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": COOKIES})
            await send({"type": "http.response.body", "body": b"x"})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": kind, "path": path, "headers": headers or [], "scheme": scheme, "method": "GET"}
    with ThreadPoolExecutor(1) as thread:  # a browser test of the same process may have a loop that runs
        thread.submit(asyncio.run, Headers(app)(scope, None, send)).result()  # type: ignore[arg-type]
    return sent, bool(reached)


@pytest.mark.parametrize("path", ["/_stcore/agent/run", "/base/_stcore//agent", "/_stcore/agent"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_nobody_steers_a_page_through_streamlits_address_for_programs(path: str, kind: str) -> None:
    sent, reached = asked(path, kind=kind)
    assert not reached
    assert sent[0] == {"type": "websocket.close"} if kind == "websocket" else sent[0]["status"] == 404


@pytest.mark.parametrize(
    ("headers", "scheme", "secure"),
    [([], "http", False), ([], "https", True), ([(b"X-Forwarded-Proto", b"https")], "http", True),
     ([(b"X-Forwarded-Proto", b"http")], "http", False)],
)  # fmt: skip
def test_cookies_are_for_no_script_and_behind_tls_for_tls_alone(
    headers: list[tuple[bytes, bytes]], scheme: str, secure: bool
) -> None:
    sent, _ = asked("/_stcore/health", headers, scheme=scheme)
    token, user = [value for name, value in sent[0]["headers"] if name.lower() == b"set-cookie"]
    assert (b"; Secure" in token, b"; Secure" in user) == (secure, secure)
    assert (b"HttpOnly" in token, b"HttpOnly" in user) == (False, True)  # the page's script sends the token back


def test_the_parts_of_streamlits_program_that_each_page_needs_are_there_and_asked_for_at_once() -> None:
    parts = list_needed_parts()
    folder = Path(file_util.get_static_dir()) / "static" / "js"
    assert [part.partition(".")[0] for part in parts[: len(PARTS)]] == list(PARTS)  # Streamlit names them so
    assert [part for part in parts if not (folder / part).is_file()] == []
    assert all(f'<link rel="modulepreload" crossorigin href="./static/js/{part}">' in begin() for part in parts)


def begin() -> str:
    """Return what a page begins its body with."""
    return Headers(None).head.decode()  # type: ignore[arg-type]

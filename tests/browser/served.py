"""A server to look at, and how to tell that a page has been drawn."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
LOADING = '[data-testid="stSkeleton"]'  # an element whose part of the program the browser still fetches

Serve = Callable[..., str]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def running(command: list[str], url: str, env: dict[str, str]) -> Iterator[str]:
    """A child that serves `url`, until the block ends."""
    said = tempfile.TemporaryFile()  # noqa: SIM115 - closed below; not a pipe, which nobody would empty
    process = subprocess.Popen(command, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=said)
    try:
        for _ in range(1_200):
            if process.poll() is not None:
                said.seek(0)
                raise RuntimeError(f"the server ended: {said.read().decode()}")
            try:
                with urllib.request.urlopen(f"{url}_stcore/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(10)
        said.close()


def open_page(page: Any, url: str, ready: str = "h1") -> None:
    """Go there and wait until the page has been drawn to the end."""
    page.goto(url)
    page.wait_for_selector(ready, timeout=120_000)
    settle(page)


def follow(page: Any, link: Any, url: str) -> None:
    """Click the link until the page is at `url`: a click meets nobody while Streamlit draws the link anew."""
    from playwright.sync_api import TimeoutError as Late

    for _ in range(6):
        try:
            link.click(timeout=30_000)
            page.wait_for_url(url, timeout=15_000)
        except Late:
            continue
        return settle(page)
    raise AssertionError(f"the link leads nowhere: {page.url}")


def settle(page: Any) -> None:
    """Wait until Streamlit rests: no run asked for or under way; and a page with keys listens to them."""
    page.wait_for_timeout(150)
    page.wait_for_selector(SETTLED, timeout=120_000)
    page.wait_for_selector(LOADING, state="detached", timeout=120_000)
    for _ in range(100):  # wait_for_function would evaluate text inside the page, which the policy forbids
        if page.evaluate("Boolean(window.readbackPage || !document.querySelector('[data-rb-keys]'))"):
            break
        page.wait_for_timeout(100)
    page.wait_for_timeout(100)

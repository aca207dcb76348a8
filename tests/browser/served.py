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
from weakref import WeakKeyDictionary

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

HERE = Path(__file__).parent
# The address of every page: the first one has the root.
PAGES = tuple("" if name == "overview" else name for name in sorted(
    path.stem.removesuffix("_page") for path in HERE.parents[1].joinpath("pages").glob("*_page.py")))  # fmt: skip
APP = '[data-testid="stApp"]'
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
WAIT = 60_000  # a busy machine may take its time; what never comes fails all the same, twice: see conftest.py
LOADS = 120_000  # a page takes longer: its program is megabytes, and the first look at a workspace checks it
LAPTOP = {"width": 1366, "height": 768}
FOLLOW = "url => { history.pushState({}, '', url); dispatchEvent(new PopStateEvent('popstate')); }"
LOADING = '[data-testid="stSkeleton"]'  # an element whose part of the program the browser still fetches
STALE = '[data-stale="true"]'  # an element of the run before, which is grey after a while

Serve = Callable[..., str]
Others = Callable[[int], list[Any]]
At = Callable[..., str]  # at(folder, "prompts?record=r1")
FOLDERS = 40  # at most that many folders are looked at in one run


class Wire:
    """What a page has asked its server for and not got yet.

    The state that Streamlit writes into the page lags: on a slow machine a click is followed by half a second in which
    nothing seems to run. The messages themselves do not lag.
    """

    def __init__(self, page: Any) -> None:
        self.asked = 0
        self.waits = self.runs = False
        page.on("websocket", self.listen)

    def listen(self, socket: Any) -> None:
        """Listen to the page's connection, of which it has one at a time."""
        self.waits = self.runs = False
        socket.on("framesent", self.note_sent)
        socket.on("framereceived", self.note_received)

    def note_sent(self, frame: bytes | str) -> None:
        """Note that a run is asked for, unless a part of the page asks by the clock, as some do all the time."""
        message = BackMsg.FromString(frame) if isinstance(frame, bytes) else BackMsg()
        if message.WhichOneof("type") != "rerun_script" or message.rerun_script.is_auto_rerun:
            return
        self.asked += 1
        self.waits, self.runs = True, False

    def note_received(self, frame: bytes | str) -> None:
        """Note that the run that was asked for has begun, or ended. One that ends for the sake of another goes on."""
        if not self.waits or not isinstance(frame, bytes):
            return
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.runs = True
        elif kind == "script_finished" and self.runs:
            self.waits = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self.runs = False


WIRES: WeakKeyDictionary[Any, Wire] = WeakKeyDictionary()


def wire_of(page: Any) -> Wire:
    """Return what listens to the messages of a page: from now on, so ask before the page is opened."""
    if page not in WIRES:
        WIRES[page] = Wire(page)
    return WIRES[page]


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


@contextmanager
def tab(browser: Any) -> Iterator[Any]:
    """A tab of a browser that knows nothing yet, as wide as a laptop."""
    context = browser.new_context(viewport=LAPTOP, reduced_motion="reduce", accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    wire_of(page)
    page.set_default_timeout(WAIT)
    page.set_default_navigation_timeout(LOADS)
    yield page
    context.close()


@contextmanager
def watched(page: Any) -> Iterator[None]:
    """Fails when the page has asked another server for anything meanwhile, or shows an exception in the end."""
    asked: list[str] = []

    def keep(request: Any) -> None:
        asked.append(request.url)

    page.on("request", keep)
    try:
        yield
    finally:
        page.remove_listener("request", keep)
    broken = page.locator('[data-testid="stException"]').all_inner_texts() if page.url.startswith("http") else []
    origin = "/".join(page.url.split("/")[:3]).removeprefix("http:")
    away = [url for url in asked if not url.startswith(("data:", "blob:", f"http:{origin}", f"ws:{origin}"))]
    assert (away, broken) == ([], [])


def forget(page: Any) -> None:
    """Make the tab that of a stranger: no cookie, nothing stored, nothing open, as wide as a laptop."""
    origin = page.evaluate("origin") if page.url.startswith("http") else ""
    if origin:
        page.evaluate("sessionStorage.clear()")
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
    # A short answer of the same server: a blank page would also drop what the tab has compiled of the program.
    page.goto(f"{origin}/_stcore/health" if origin else "about:blank")
    page.context.clear_cookies()
    page.set_viewport_size(LAPTOP)
    page.emulate_media(color_scheme="light")
    page.mouse.move(0, 0)


def open_page(page: Any, url: str, ready: str = "h1", state: str = "visible") -> None:
    """Go there and wait until the page has been drawn to the end."""
    wire_of(page)
    page.goto(url)
    page.wait_for_selector(ready, state=state, timeout=LOADS)
    settle(page)


def turn_to(page: Any, url: str, ready: str = "h1", state: str = "visible") -> None:
    """Be at that address as by a link of ours, without a new load where the tab shows that server already."""
    if not page.url.startswith("/".join(url.split("/")[:3]) + "/") or not page.locator(APP).count():
        open_page(page, url, ready, state)
        return
    wire = wire_of(page)
    before = wire.asked
    page.evaluate(FOLLOW, url)
    for _ in range(400):
        if wire.asked > before:
            break
        page.wait_for_timeout(50)
    settle(page)  # what is waited for may be on the page before, too
    page.wait_for_selector(ready, state=state, timeout=LOADS)
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


def still(page: Any, selector: str) -> None:
    """Wait until the first such element has kept its place for half a second: a chart moves what is below it."""
    places: list[Any] = []
    for _ in range(200):
        places.append(page.locator(selector).first.bounding_box())
        if len(places) > 5 and places[-1] is not None and all(place == places[-1] for place in places[-6:]):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{selector} never rests: {places[-6:]}")


def settle(page: Any) -> None:
    """Wait until Streamlit rests: no run asked for or under way; and a page with keys listens to them."""
    page.wait_for_timeout(150)
    wire = wire_of(page)
    for _ in range(WAIT // 50):
        if not wire.waits:
            break
        page.wait_for_timeout(50)
    page.wait_for_selector(SETTLED, timeout=LOADS)
    page.wait_for_selector(LOADING, state="detached", timeout=LOADS)
    page.wait_for_selector(STALE, state="detached", timeout=LOADS)
    for _ in range(100):  # wait_for_function would evaluate text inside the page, which the policy forbids
        if page.evaluate("Boolean(window.readbackPage || !document.querySelector('[data-rb-keys]'))"):
            break
        page.wait_for_timeout(100)
    page.wait_for_timeout(100)

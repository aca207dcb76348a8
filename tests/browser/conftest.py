"""A real server on a free port and a real browser to look at it with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import find_browser
import nasty
import pytest
from _pytest.runner import runtestprotocol
from served import FOLDERS, HERE, LAPTOP, At, Serve, forget, free_port, running, tab, watched

from readback.project_files import demos
from readback.ui.common import own_files, server

# A page of ours is drawn once and looked at: to optimise its program costs a tenth more processor time than it saves,
# and to interpret it a tenth more than to compile each function plainly at its first call.
V8 = ("--no-opt", "--no-maglev", "--max-lazy", "--always-sparkplug", "--single-threaded-gc")
FLAGS = ["--no-sandbox", "--disable-gpu", f"--js-flags={' '.join(V8)}"]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """serve(*workspaces, base="") starts the pages and answers their address, with a slash at the end."""
    opened: dict[tuple[Any, ...], str] = {}
    with ExitStack() as stack:

        def start(*workspaces: Path, base: str = "", script: Path | None = None) -> str:
            key = (*workspaces, base, script)
            if key not in opened:
                port = free_port()
                url = f"http://127.0.0.1:{port}{own_files.under(base, '/')}"
                command = server.command(port=port, base_path=base)
                if script is not None:
                    command = [sys.executable, str(HERE / "serve_script.py"), str(script), str(port)]
                env = {
                    "READBACK_WORKSPACE": os.pathsep.join(map(str, workspaces)),
                    "READBACK_UPLOADS": str(tmp_path_factory.mktemp("uploads")),
                }
                opened[key] = stack.enter_context(running(command, url, env))
            return opened[key]

        yield start


@pytest.fixture(scope="session")
def _pages(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Path]]:
    """The address of a server of the built-in demos, and places for further workspaces, where nothing is yet.

    It is one for all: what a browser has compiled of the pages' program is of use where that has the same address, and
    to compile it anew at every change between two servers took a sixth of the time of all tests of the browser.
    """
    base = tmp_path_factory.mktemp("given")
    free = [base / f"given-{number}" for number in range(FOLDERS)]
    return serve(*demos().values(), *free), free


@pytest.fixture(scope="session")
def demo(_pages: tuple[str, list[Path]]) -> str:
    """The address of a server that shows the built-in demos."""
    return _pages[0]


@pytest.fixture(scope="session")
def at(_pages: tuple[str, list[Path]]) -> At:
    """at(folder, "prompts?record=r1"): the address of a page on that folder, all of them on the server of the demos.

    The server knows its workspaces from the start; each is a link that leads nowhere until a test has a folder for it.
    """
    url, free = _pages
    given: dict[Path, str] = {}

    def address(folder: Path, asked: str = "") -> str:
        if folder not in given:
            (link := free.pop(0)).symlink_to(folder, target_is_directory=True)
            given[folder] = link.name
        name, _, query = asked.partition("?")
        return f"{url}{name}?workspace={given[folder]}{'&' if query else ''}{query}"

    return address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A Chromium, started once."""
    from playwright.sync_api import Error, sync_playwright

    path = find_browser.chromium()
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        except Error:
            pytest.skip("no Chromium or Chrome: install one, or run `playwright install chromium`")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def _tab(chromium: Any) -> Iterator[Any]:
    """One tab for all tests of this process: what it has once compiled of the pages' program it need not again."""
    with tab(chromium) as page:
        yield page


@pytest.fixture
def page(_tab: Any) -> Iterator[Any]:
    """A page that remembers nothing; fails the test when it asks another server for anything, or a page breaks."""
    try:
        with watched(_tab):
            yield _tab
    finally:
        forget(_tab)


@pytest.fixture(scope="session")
def _tour(chromium: Any) -> Iterator[Any]:
    with tab(chromium) as page:
        yield page


@pytest.fixture
def tour(_tour: Any) -> Iterator[Any]:
    """A page for tests that only look: the session stays from one to the next, as of somebody who follows links."""
    _tour.set_viewport_size(LAPTOP)
    _tour.emulate_media(color_scheme="light")
    with watched(_tour):
        yield _tour


@pytest.fixture(scope="session")
def _others(chromium: Any) -> Iterator[Callable[[int], list[Any]]]:
    opened: list[Any] = []
    with ExitStack() as stack:

        def first(count: int) -> list[Any]:
            while len(opened) < count:
                opened.append(stack.enter_context(tab(chromium)))
            return opened[:count]

        yield first


@pytest.fixture
def others(_others: Callable[[int], list[Any]]) -> Iterator[Callable[[int], list[Any]]]:
    """others(2): pages of two more people, who know nothing of the first nor of each other; watched as `page` is."""
    met: dict[int, Any] = {}
    try:
        with ExitStack() as stack:

            def people(count: int) -> list[Any]:
                for number, page in enumerate(_others(count)):
                    if number not in met:
                        stack.enter_context(watched(page))
                        met[number] = page
                return list(met.values())[:count]

            yield people
    finally:
        for page in met.values():
            forget(page)


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Firefox that is spoken to in WebDriver BiDi, started once."""
    path = find_browser.firefox()
    if path is None:
        pytest.skip("no Firefox: install firefox-esr")
    from firefox import Firefox

    with Firefox(path, tmp_path_factory.mktemp("firefox"), free_port()) as browser:
        yield browser


@pytest.fixture(scope="session")
def nasty_page(serve: Serve) -> str:
    return serve(script=HERE.parent / "support" / "nasty_app.py")


@pytest.fixture(scope="session")
def texts_of_a_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nasty")
    rows = [{"id": f"r{n}", "text": text} for n, text in enumerate([*nasty.EDGES[:20], *nasty.LOST])]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "ascii")
    config = {
        "name": "nasty",
        "dataset": {"path": "data.jsonl"},
        "modes": [{"mode": "plain", "template": "{{ text }}", "system": " \nYou are x.\n\n"}],
    }
    (folder / "readback.yml").write_text(json.dumps(config), "utf-8")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A browser test that failed says what the page showed: on another machine nobody can look."""
    report = yield
    shown = getattr(item, "funcargs", {}).get("page") or getattr(item, "funcargs", {}).get("tour")
    if report.when == "call" and report.failed and shown is not None:
        try:
            report.sections.append((f"the page {shown.url}", shown.inner_text("body", timeout=5_000)))
        except Exception as error:  # the tab is gone: the failure itself is still told
            report.sections.append(("the page", f"cannot be read: {error}"))
    return report


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A browser test that fails is run once more: on a busy machine a key or a click can meet a page being drawn.
    (Once this file is read, pytest asks it about the tests of all other folders, too; those are run as usual.)
    """
    if item.get_closest_marker("browser") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if failed := [report.longreprtext.strip() for report in reports if report.failed]:
        item.warn(pytest.PytestWarning(f"run once more: {failed[0][-400:]}"))
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True

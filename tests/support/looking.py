"""A page as somebody sees it who opens a link: drawn to its end, its words, its links, its buttons."""

from __future__ import annotations

import os
import re
import tempfile
import time
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from readback.project_files import PROJECT
from readback.review.state import build_review
from readback.review.store import Store
from readback.ui.common.old_addresses import ROOM_OF, translate_address


def page(name: str = "", **params: str) -> AppTest:
    """The page of that address, as a link with these parameters opens it, once it has been drawn."""
    test = AppTest.from_file(PROJECT / "app.py", default_timeout=600)
    if name:
        return turned(_begun(test), name, **params)
    for key, value in params.items():
        test.query_params[key] = value
    return drawn(test.run())


def scores(**params: str) -> AppTest:
    """The scores page of the workspace that READBACK_WORKSPACE names, as a link with these parameters opens it."""
    return page("results", **params)


def _begun(test: AppTest) -> AppTest:
    """The session after a first run, without which AppTest finds no page: over a folder that holds nothing to check."""
    with tempfile.TemporaryDirectory() as nothing, pytest.MonkeyPatch.context() as patch:
        patch.setenv("READBACK_WORKSPACE", nothing)
        return test.run()


def turned(test: AppTest, name: str, **params: str) -> AppTest:
    """The same session on another page."""
    name, params = _arrive(name, params)
    test.switch_page(f"pages/{name}_page.py")
    for key, value in params.items():
        test.query_params[key] = value
    return drawn(test.run())


def _arrive(name: str, params: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Where an address leads: that of a page before the five rooms leads to its room, as the server redirects it."""
    if name not in ROOM_OF:
        return name, params
    room = urlsplit(translate_address(name, urlencode(params)))
    return room.path, dict(parse_qsl(room.query, keep_blank_values=True))


def drawn(test: AppTest) -> AppTest:
    """The page at its end: while it shows how far a check is, it looks again by itself."""
    while test.get("progress"):
        time.sleep(0.02)
        test.run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    """The markup on the page, without the bar."""
    return " ".join(html.proto.body for html in test.main.get("html") if "data-rb-menu" not in html.proto.body)


def words(test: AppTest) -> str:
    """What it says."""
    plain = said(test).replace("<wbr>", "")  # a word may be broken there, and is one
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", plain).split()))


def links(test: AppTest, name: str) -> list[dict[str, str]]:
    """The parameters of every link to a page."""
    hrefs = [urlsplit(unescape(href)) for href in re.findall(r'href="([^"]+)"', said(test))]
    return [{k: v[0] for k, v in parse_qs(href.query).items()} for href in hrefs if href.path == f"/{name}"]


def clicked(test: AppTest, key: str) -> AppTest:
    """The page after a click on the button of that key."""
    return drawn(test.button(key=key).click().run())


def named(test: AppTest) -> AppTest:
    """The page after somebody gave a name, without which nothing is saved."""
    return drawn(test.text_input(key="review_name").set_value("Ada").run())


def on_agenda() -> list[dict[str, Any]]:
    """What pages put on the agenda of the workspace that READBACK_WORKSPACE names."""
    found = build_review(Store(Path(os.environ["READBACK_WORKSPACE"])).events())
    return [dict(one.entry) for one in found.agenda if one.entry]

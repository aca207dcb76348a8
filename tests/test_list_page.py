"""The page List: what was put aside on any page, in its order, out of the tool; empty until something is added."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import unquote_plus

from looking import clicked, page, said, turned, words
from streamlit.testing.v1 import AppTest

from readback.ui import entries

SIX = "six-conditions-mistakes"
CODE = "fmt-context-not-sent"

BASE, TRAINED = "base, open book", "RAG-trained, open book"
GATEWAY = f"{TRAINED}, through the gateway"


def listed(*places: int) -> AppTest:
    """The list after these places of the findings page were added."""
    test = page("findings", workspace=SIX, code=CODE)
    for place in places:
        clicked(test, f"list_place_{place}")
    return turned(test, "list")


def sent(test: AppTest) -> list[str]:
    """The conditions of the entries, in the order of the page."""
    drawn = [part.split("</div>")[0] for part in said(test).split('<div class="rb-entry">')[1:]]
    asked = [re.findall(r"condition=([^&\"]+)", unescape(part))[0] for part in drawn]
    return [unquote_plus(one) for one in asked]


def sidebar(test: AppTest) -> list[str]:
    return [link.proto.label for link in test.sidebar.get("page_link")]


def test_an_empty_list_says_how_it_gets_entries() -> None:
    test = page("list", workspace=SIX)
    assert "Nothing is on the list yet." in words(test)
    assert "/findings" in said(test)
    assert sidebar(test) == ["About"]


def test_what_was_added_is_there_on_every_page_and_counted_in_the_sidebar() -> None:
    test = listed(0, 1)
    assert "2 entries in this order" in words(test)
    assert sidebar(test) == ["List (2)", "About"]
    assert sent(test) == [BASE, TRAINED]
    assert "2 of 4 contexts are inside the prompt" in words(test)
    assert f"workspace={SIX}" in unescape(said(test))


def test_entries_move_and_leave() -> None:
    test = listed(0, 1, 2)
    assert sent(test) == [BASE, TRAINED, GATEWAY]
    keys = [one.key for one in test.session_state["notes"]]
    assert test.button(key=f"up_{keys[0]}").disabled
    assert test.button(key=f"down_{keys[2]}").disabled
    clicked(test, f"down_{keys[0]}")
    assert sent(test) == [TRAINED, BASE, GATEWAY]
    clicked(test, f"up_{keys[2]}")
    assert sent(test) == [TRAINED, GATEWAY, BASE]
    clicked(test, f"remove_{keys[2]}")
    assert sent(test) == [TRAINED, BASE]
    clicked(test, "list_clear")
    assert "Nothing is on the list yet." in words(test)


def test_a_message_goes_onto_the_list_with_its_sha256_and_a_link_to_its_record() -> None:
    test = turned(page(workspace=SIX), "messages", record="ellery-05", condition="base, open book")
    clicked(test, "list_0-user")
    (one,) = test.session_state["notes"]
    assert one.kind == "message"
    assert one.title == "User message: record ellery-05, base, open book"
    assert "record=ellery-05" in one.link
    assert "condition=base%2C+open+book" in one.link
    assert re.fullmatch(r"[0-9a-f]{64}", dict(one.fingerprints)["sha256"])
    assert one.workspace == "Closed book or open book, with four mistakes"


def test_the_same_thing_is_on_the_list_once() -> None:
    test = page("findings", workspace=SIX, code=CODE)
    clicked(test, "list_place_0")
    assert "unlist_place_0" in {button.key for button in test.button}
    again = turned(turned(test, "messages"), "findings", code=CODE)
    assert "unlist_place_0" in {button.key for button in again.button}


def test_both_exports_hold_every_entry_in_its_order() -> None:
    test = listed(1, 0)
    kept: Any = test.session_state["notes"]
    labels = [button.proto.label for button in test.main.get("download_button")]
    assert labels == ["Download Markdown", "Download one HTML file"]
    for made in (entries.as_markdown(kept), entries.as_html(kept)):
        assert made.index(TRAINED) < made.index(BASE)
        assert "2 of 4 contexts are inside the prompt" in made
    assert entries.as_html(kept).startswith("<!doctype html>")

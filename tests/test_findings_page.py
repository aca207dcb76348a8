"""The page Findings: rules, filters that a link keeps, places in their context, and what is not kept."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from readback.audit import summary
from readback.house import HOUSE

Write = Callable[[Mapping[str, Any]], Path]
BRIEF = "You answer in one short sentence and never guess."
MISTAKE = {"workspace": "six-conditions", "arm": "mistake 1: system text in the question"}


def findings(**params: str) -> AppTest:
    """The page, as a link with these parameters opens it, once it has been drawn."""
    test = AppTest.from_file(HOUSE / "app.py", default_timeout=60)
    shared = {key: value for key, value in params.items() if key == "workspace"}
    for key, value in shared.items():
        test.query_params[key] = value
    test.run()
    test.switch_page("pages/findings_page.py")
    for key, value in params.items():
        test.query_params[key] = value
    return drawn(test.run())


def drawn(test: AppTest) -> AppTest:
    while test.get("progress"):
        time.sleep(0.1)
        test.run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    return " ".join(html.proto.body for html in test.main.get("html"))


def words(test: AppTest) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", said(test)).split()))


def rules(test: AppTest) -> list[str]:
    """The codes of the rules on the left."""
    nav = re.search(r"<nav.*?</nav>", said(test))
    return re.findall(r"<code>(.*?)</code>", nav[0]) if nav else []


def links(test: AppTest, page: str) -> list[dict[str, str]]:
    """The parameters of every link to a page."""
    hrefs = [urlsplit(unescape(href)) for href in re.findall(r'href="([^"]+)"', said(test))]
    return [{k: v[0] for k, v in parse_qs(href.query).items()} for href in hrefs if href.path == f"/{page}"]


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch, write: Write) -> Callable[[Mapping[str, Any]], Path]:
    """serving({name: content}) shows the folder of these files."""

    def show(files: Mapping[str, Any]) -> Path:
        folder = write(files)
        monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
        return folder

    return show


def repeating(count: int, **more: Any) -> dict[str, Any]:
    """So many records whose question repeats the system message."""
    rows = [{"id": f"r{n}", "q": f"{BRIEF} Why {n}?"} for n in range(count)]
    modes = [{"mode": "m", "system": BRIEF, "template": "{{ q }}"}]
    return {"data.jsonl": rows, "readback.yml": {"dataset": "data.jsonl", "modes": modes, **more}}


def test_the_gravest_rule_is_open_and_explains_itself() -> None:
    test = findings(workspace="six-conditions")
    first = rules(test)[0]
    assert 'rb-chosen"><span class="rb-severity rb-error' in said(test)
    assert all(part in words(test) for part in ("What it finds.", "Why it matters.", "How to fix it."))
    assert first.startswith("fmt-")


def test_a_link_opens_a_rule() -> None:
    test = findings(workspace="six-conditions", code="fmt-reference-cites-missing")
    assert test.main.header[1].value == "The reference cites contexts that are not there"
    assert '<mark class="rb-find rb-error">[5]</mark>' in said(test)


def test_a_condition_shows_only_its_own_findings() -> None:
    test = findings(**MISTAKE)
    assert rules(test) == ["fmt-system-text-in-user"]
    assert {link.get("condition") for link in links(test, "messages") if "finding" in link} == {MISTAKE["arm"]}
    assert "24 of 24 records · 24 places" in words(test)


def test_a_link_to_another_rule_keeps_the_filter() -> None:
    test = findings(workspace="six-conditions", severity="error", area="prompt formats")
    chosen = [link for link in links(test, "findings") if "code" in link]
    assert chosen
    assert all(link["severity"] == "error" and link["area"] == "prompt formats" for link in chosen)


def test_a_filter_writes_itself_into_the_address() -> None:
    test = findings(workspace="six-conditions")
    test.selectbox(key="severity").set_value("warning").run()
    assert test.query_params["severity"] == ["warning"] or test.query_params["severity"] == "warning"
    assert rules(test) == ["fmt-system-varies"]


def test_what_is_not_about_one_condition_has_a_filter_of_its_own() -> None:
    test = findings(workspace="six-conditions", arm="–")
    assert "dat-bad-line" in rules(test)
    assert "fmt-system-text-in-user" not in rules(test)


def test_search_finds_words_codes_and_records_and_stays_out_of_the_address() -> None:
    test = findings(workspace="six-conditions")
    test.text_input(key="search").set_value("ellery-21").run()
    assert "fmt-reference-cites-missing" in rules(test)
    assert "dat-bad-line" not in rules(test)
    assert "search" not in test.query_params
    test.text_input(key="search").set_value("nothing says this").run()
    assert "No finding fits this filter." in words(test)


def test_places_come_ten_at_a_time(serving: Any) -> None:
    serving(repeating(23))
    test = findings()
    assert test.main.subheader[0].value == "Places 1 to 10 of 23"
    test.button(key="later").click().run()
    test.button(key="later").click().run()
    assert test.main.subheader[0].value == "Places 21 to 23 of 23"
    assert test.button(key="later").disabled
    test.button(key="earlier").click().run()
    test.button(key="earlier").click().run()
    assert "at" not in test.query_params


def test_a_place_shows_its_span_in_its_context_and_links_to_the_record(serving: Any) -> None:
    serving(repeating(1))
    test = findings()
    assert f'<mark class="rb-find rb-error">{BRIEF}</mark> Why 0?' in said(test)
    (link,) = [one for one in links(test, "messages") if "finding" in one]
    assert (link["record"], link["mode"]) == ("r0", "m")


def test_a_doubled_id_is_linked_by_number(serving: Any) -> None:
    files = repeating(2)
    files["data.jsonl"] = [{**row, "id": "same"} for row in files["data.jsonl"]]
    serving(files)
    doors = [one for one in links(findings(code="fmt-system-text-in-user"), "messages") if "finding" in one]
    assert [(one.get("record"), one.get("index")) for one in doors] == [("same", None), (None, "1")]


def test_a_long_span_is_shown_by_its_ends(serving: Any) -> None:
    text = " ".join(f"Sentence number {n} of the system message." for n in range(40))
    files = repeating(1)
    files["readback.yml"]["modes"][0]["system"] = text
    files["data.jsonl"] = [{"id": "r0", "q": text}]
    serving(files)
    assert "characters]" in words(findings())


def test_markup_in_a_record_stays_text(serving: Any) -> None:
    files = repeating(1)
    files["data.jsonl"][0]["q"] = f"<img src=x> {BRIEF} <script>"
    serving(files)
    assert "<img" not in said(findings())


def test_no_findings_says_so_and_offers_the_messages(serving: Any) -> None:
    serving(
        {
            "data.jsonl": [{"id": "1", "q": "Why?"}],
            "readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n",
        }
    )
    test = findings()
    assert "Nothing was found. Every rule looked at every record. See the messages" in words(test)


def test_ignored_findings_are_listed_with_their_reason(serving: Any) -> None:
    serving(repeating(4, ignore=[{"code": "fmt-system-text-in-user", "why": "as the paper does", "by": "me"}]))
    text = words(findings())
    assert "All that was found is ignored by the workspace file." in text
    assert "4 findings are ignored by the workspace file: fmt-system-text-in-user, 4 times: as the paper" in text


def test_what_is_not_kept_is_said_and_counted(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "KEPT", 5)
    serving(repeating(8))
    test = findings()
    assert "The first 5 of 8 findings are kept here" in words(test)
    assert "8 of 8 records · 8 places" in words(test)
    assert test.main.subheader[0].value == "Places 1 to 5 of 8"


def test_a_large_dataset_shows_what_is_known_of_its_files_until_it_is_checked(serving: Any) -> None:
    serving(
        repeating(2100) | {"data.jsonl": "".join(f'{{"id": "r{n}", "q": "Why?"}}\n' for n in range(2100)) + "torn\n"}
    )
    test = findings()
    assert "The records have not been checked yet" in words(test)
    assert "dat-bad-line" in words(test)
    drawn(test.button(key="check_all").click().run())
    assert rules(test) == ["dat-bad-line"]


def test_the_download_is_in_the_shape_of_the_command_line(serving: Any) -> None:
    from readback import workspace
    from readback.audit import engine
    from readback.audit.groups import groups
    from readback.ui import listing

    audit = engine.check(workspace.open(serving(repeating(3))))
    lines = [json.loads(line) for line in listing.lines(groups(audit)).splitlines()]
    assert [line["place"]["record"] for line in lines] == ["r0", "r1", "r2"]
    assert set(lines[0]) == {"code", "severity", "message", "fix", "place", "key"}


def test_without_a_dataset_there_is_no_share_of_records(serving: Any) -> None:
    serving({"prompt_config.yml": "prompts: [{mode: simple, template: s.jinja}]\n", "s.jinja": "{{ query }}"})
    test = findings()
    assert "without a dataset · 1 place" in words(test)
    assert "rb-share" not in said(test)
    assert ">simple</a>" in said(test)

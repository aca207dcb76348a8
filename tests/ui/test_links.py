"""Every claim opens its proof: a link arrives at exactly what it counts, on the demos and on real data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from counts import LONG, part
from looking import drawn, page, said, words
from streamlit.testing.v1 import AppTest

from readback import project_files
from readback.types import Finding, Location
from readback.ui.common import show
from readback.ui.common.draw.table import PAGE

FROM = ("overview", "findings", "results")
REAL = ("legal", "liverag-judge", "mtrag", "prompt-formats", "albert", "judge-outputs")  # the quickest first
ROW = re.compile(r'<li class="rb-rule[^>]* data-n="(\d+)">')


class Link(NamedTuple):
    """A link of a page: its words, and the page and parameters that it opens."""

    said: str
    page: str
    asked: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """What kind of link it is: the page it opens, what it asks for, and whether its words are a number."""
        return self.page, frozenset(key for key, _ in self.asked), self.said.isdigit()


def links_of(test: AppTest) -> Iterator[Link]:
    for href, text in re.findall(r'<a [^>]*?href="([^"]+)"[^>]*>(.*?)</a>', said(test), re.S):
        address = urlsplit(unescape(href))
        plain = unescape(re.sub(r"<[^>]+>", "", text)).strip()
        if not address.netloc:
            yield Link(plain, address.path.strip("/") or "overview", tuple(parse_qsl(address.query)))


@pytest.mark.parametrize(("role", "view"), [(show.READ, ["wire"]), ("user", [])])
def test_a_finding_in_what_the_model_reads_leads_to_that_and_any_other_to_its_message(
    role: str, view: list[str]
) -> None:
    place = Location(record="r1", condition="c", role=role, start=0, end=1)
    drawn_one = show.finding(Finding("fmt-markers", "error", {}, "Marks.", "remove them", place, "k1"))
    (href,) = re.findall(r'href="([^"]+)"', drawn_one)
    asked = dict(parse_qsl(urlsplit(unescape(href)).query))
    assert (asked["record"], asked["condition"], asked["finding"]) == ("r1", "c", "k1")
    assert [asked[key] for key in ("layer",) if key in asked] == view


def number(text: str) -> int:
    return int(text.replace(",", ""))


def places(test: AppTest) -> tuple[int, int]:
    """How many rules Findings lists, and how many places they have together."""
    found = [int(n) for n in ROW.findall(said(test)) if n != "0"]
    return len(found), sum(found)


def listed(test: AppTest) -> tuple[int, int]:
    """Between how many and how many rows the opened list of Scores has."""
    rest = said(test).split("data-rb-arrive", 1)[1]
    rows = rest.split("<table", 1)[1].split("</table>", 1)[0].count("<tr>") - 1 if "<table" in rest else 0
    pages = [one.label for one in test.main.number_input if one.label.startswith("Page (of ")]
    if rows < PAGE or not pages:
        return rows, rows
    return PAGE, max(number(label.rsplit(" ", 1)[1].rstrip(")")) for label in pages) * PAGE


def off(link: Link, test: AppTest) -> str:
    """What is wrong on arrival: another count, or nothing of what was asked for; "" where all is well."""
    asked = dict(link.asked)
    if link.page == "findings":
        rules, every = places(test)
        if said_both := re.search(r"([\d,]+) kinds? of .* in ([\d,]+) place", link.said):
            return "" if (number(said_both[1]), number(said_both[2])) == (rules, every) else f"{rules} in {every}"
        if (
            promised := re.search(r" · ([\d,]+)(?: \w+)?$", link.said)
            or re.fullmatch(r"([\d,]+)(?: more \w+)?", link.said)
            or re.fullmatch(r"\W*([\d,]+) (?:error|warning|note)s?", link.said)
        ):
            here = _of_rule(test, asked["code"]) if "code" in asked else every
            return "" if number(promised[1]) == here else f"{here} places"
        code = asked.get("code")
        return "" if code is None or f"<code>{code}</code>" in said(test) else "another rule"
    if link.page == "results" and ("of" in asked or "under" in asked):
        if "data-rb-arrive" not in said(test):
            return "nothing was opened"
        counted = asked.keys() & {"kept", "value", "state"}  # else the words may be the name of a record
        promised = re.fullmatch(r"(?:\w+ )?([\d,]+)", link.said) if counted else None
        least, most = listed(test)
        whole = {number(one) for text in test.main.caption for one in re.findall(r"of ([\d,]+)", text.value)}
        if promised and number(promised[1]) in whole:
            return ""  # the list is shortened, and says of how many
        return "" if promised is None or least <= number(promised[1]) <= most else f"{least} to {most} rows"
    if link.page == "results" and "item" in asked:
        return "" if asked["item"] in words(test) else "another record"
    if link.page == "prompts" and "finding" in asked:
        return "" if "rb-here" in said(test) else "nothing is marked"
    if link.page == "prompts" and "condition" in asked:
        return "" if "The link asks for" not in words(test) else "another condition"
    return ""


def _of_rule(test: AppTest, code: str) -> int:
    found = re.search(rf'<li class="rb-rule[^>]* data-code="{re.escape(code)}"[^>]* data-n="(\d+)">', said(test))
    return int(found[1]) if found else 0


def wrong(workspace: dict[str, str]) -> list[str]:
    """The links that are off; in a long run all of them, else one of each kind."""
    found, seen = [], 0
    for name in FROM:
        start = page(name, **workspace)
        kinds: dict[object, Link] = {}
        for link in dict.fromkeys(links_of(start)):
            kinds.setdefault(link if LONG else link.kind, link)
        for link in kinds.values():
            test = page(link.page if link.page != "overview" else "", **dict(link.asked))
            seen += 1
            if why := off(link, drawn(test)):
                found.append(f"{name}: {link.said!r} → {link.page} {dict(link.asked)}: {why}")
    assert seen
    return found


@pytest.mark.parametrize("demo", part(sorted(project_files.demos()), 1))
def test_each_link_of_a_demo_arrives_at_what_it_counts(demo: str) -> None:
    assert wrong({"workspace": demo}) == []


@pytest.mark.realdata
@pytest.mark.parametrize("name", part(REAL, 1))
def test_each_link_of_real_data_arrives_at_what_it_counts(
    shared: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data" / name))
    assert wrong({}) == []

"""Citations that others wrote down: eyecite's own cases, and an opinion of the Supreme Court."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from in_time import in_time

from readback.citations import Citation, bounded, find

pytestmark = pytest.mark.realdata
KINDS = {
    "FullCaseCitation": ("full case", "reporter"),
    "ShortCaseCitation": ("short case",),
    "ReferenceCitation": ("reference",),
    "SupraCitation": ("supra",),
    "IdCitation": ("id",),
    "FullLawCitation": ("statute",),
    "FullJournalCitation": ("journal",),
}


def cases(shared: Path) -> list[Mapping[str, Any]]:
    lines = (shared / "vectors" / "legal_citations.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def missed(case: Mapping[str, Any]) -> Iterator[str]:
    """The expected citations of a case that are not found, each at most once; and what is found where none is."""
    left = list(find(case["text"], case["clean_steps"]))
    if not case["expected"]:
        yield from (f"{one.text!r} found in {case['text']!r}" for one in left)
    for expected in case["expected"]:
        hit = next((one for one in left if recognised(one, expected)), None)
        if hit is None:
            yield f"{expected['type']} {expected['groups']} in {case['text']!r}"
        else:
            left.remove(hit)


def recognised(one: Citation, expected: Mapping[str, Any]) -> bool:
    """The kind, what it is called by, the year, the pin cite and the parties are those that are expected."""
    groups, more = expected["groups"], expected["metadata"]
    said = {
        "volume": groups.get("volume", groups.get("title")),
        "reporter": expected.get("corrected_reporter"),
        "page": groups.get("page"),
        "year": expected.get("year"),
        "pin": more.get("pin_cite"),
        "plaintiff": more.get("plaintiff"),
        "defendant": more.get("defendant", more.get("antecedent_guess")),
    }
    known = {name: value for name, value in said.items() if value is not None}
    if one.kind not in KINDS[expected["type"]] or groups.get("section", "") not in one.normal:
        return False
    return all(_same(getattr(one, name), value) for name, value in known.items())


def _same(got: object, wanted: object) -> bool:
    """Equal; a party also where one says less of it: `Foo` for `Foo Corp.`, `Esquire, Inc.` for what ends in supra."""
    if isinstance(got, str) and isinstance(wanted, str):
        return got == wanted or got in wanted or wanted in got
    return got == wanted


def test_at_least_95_percent_of_the_expected_citations_are_recognised(shared: Path) -> None:
    every = cases(shared)
    misses = [miss for case in every for miss in missed(case)]
    wanted = sum(len(case["expected"]) for case in every)
    print(f"{wanted - len(misses)} of {wanted} recognised", *misses, sep="\n")
    assert wanted == 81
    assert len(misses) <= 0.05 * wanted, "\n".join(misses)


def test_spans_lie_in_the_text_as_it_was_given(shared: Path) -> None:
    for case in cases(shared):
        for one in find(case["text"], case["clean_steps"]):
            assert one.text == case["text"][one.start : one.end]


def test_an_opinion_is_annotated_within_five_seconds(shared: Path) -> None:
    opinion = (shared / "data" / "legal" / "opinion.txt").read_text("utf-8")
    found = in_time(5, lambda: bounded.find([opinion]))
    assert found.note is None
    citations = found.citations[0]
    assert len(citations) > 200
    assert all(a.end <= b.start for a, b in pairwise(citations))
    normals = {one.normal for one in citations}
    assert {"539 u.s. 306", "438 u.s. 265", "631 f.3d 213", "tex.codeann. educ. 51.803"} <= normals
    grutter = [one for one in citations if one.normal == "539 u.s. 306" and one.kind == "short case"]
    assert all(int(one.page or 0) >= 306 for one in grutter)

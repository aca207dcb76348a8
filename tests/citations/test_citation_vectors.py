"""Citations that others wrote down: eyecite's own cases, and an opinion of the Supreme Court."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from in_time import in_time

from readback.citations import Citation, bounded, find_citations

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
    left = list(find_citations(case["text"], case["clean_steps"]))
    if not case["expected"]:
        yield from (f"{one.text!r} found in {case['text']!r}" for one in left)
    for expected in case["expected"]:
        hit = next((one for one in left if recognised(one, expected)), None)
        if hit is None:
            yield f"{expected['type']} {expected['groups']} in {case['text']!r}"
        else:
            left.remove(hit)


def recognised(one: Citation, expected: Mapping[str, Any]) -> bool:
    """The kind and every field that is given are those that are expected, letter by letter.

    What a short form calls its case is in `defendant`, without the word `supra` that eyecite may leave behind it.
    """
    groups, more = expected["groups"], expected["metadata"]
    antecedent = more.get("antecedent_guess")
    said = {
        "volume": groups.get("volume", groups.get("title")),
        "reporter": expected.get("corrected_reporter"),
        "page": groups.get("page"),
        "year": expected.get("year"),
        "pin": more.get("pin_cite"),
        "court": more.get("court"),
        "plaintiff": more.get("plaintiff"),
        "defendant": more.get("defendant", antecedent and antecedent.removesuffix(", supra")),
    }
    known = {name: value for name, value in said.items() if value is not None}
    if one.kind not in KINDS[expected["type"]] or groups.get("section", "") not in one.normal:
        return False
    return all(getattr(one, name) == value for name, value in known.items())


def test_b10_every_expected_citation_is_recognised_with_every_field(shared: Path) -> None:
    every = cases(shared)
    misses = [miss for case in every for miss in missed(case)]
    wanted = sum(len(case["expected"]) for case in every)
    assert (len(every), wanted) == (68, 81)
    assert not misses, "\n".join(misses)


def test_spans_lie_in_the_text_as_it_was_given(shared: Path) -> None:
    for case in cases(shared):
        for one in find_citations(case["text"], case["clean_steps"]):
            assert one.text == case["text"][one.start : one.end]


def test_an_opinion_is_annotated_within_five_seconds(shared: Path) -> None:
    opinion = (shared / "data" / "legal" / "opinion.txt").read_text("utf-8")
    found = in_time(5, lambda: bounded.find_in_child([opinion]))
    assert found.diagnostic is None
    citations = found.citations[0]
    assert len(citations) > 200
    assert all(a.end <= b.start for a, b in pairwise(citations))
    normals = {one.normal for one in citations}
    assert {"539 u.s. 306", "438 u.s. 265", "631 f.3d 213", "tex.codeann. educ. 51.803"} <= normals
    grutter = [one for one in citations if one.normal == "539 u.s. 306" and one.kind == "short case"]
    assert all(int(one.page or 0) >= 306 for one in grutter)

"""Rules of court: `Fed. R. Civ. P. 12(b)(6)`, its spelt-out forms, and `Rule 12(b)(6)` alone.

eyecite knows no rules. The sets are the federal ones and their state namesakes, as the Bluebook abbreviates them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from readback.citations.taken import Taken

# In what a set's name ends, in small letters without dots and blanks -> its abbreviation without blanks.
SETS = {
    "evid": "evid.", "evidence": "evid.",
    "civp": "civ.p.", "civproc": "civ.p.", "civilprocedure": "civ.p.",
    "crimp": "crim.p.", "crimproc": "crim.p.", "criminalprocedure": "crim.p.",
    "appp": "app.p.", "appproc": "app.p.", "appellateprocedure": "app.p.",
    "bankrp": "bankr.p.", "bankruptcyprocedure": "bankr.p.",
}  # fmt: skip
SHORT = {"frcp": "fed.r.civ.p.", "frcrp": "fed.r.crim.p.", "frap": "fed.r.app.p.", "fre": "fed.r.evid."}

PART = r"(?: ?\([0-9A-Za-z]{1,4}\))"
NUMBER = rf"\d{{1,4}}(?:\.\d{{1,3}})?[a-z]?(?:-\d{{1,2}})?{PART}*"
SET = (
    r"(?:Evid(?:ence\b|\.|\b)|(?:Civ(?:il|\.)?|Crim(?:inal|\.)?|App(?:ellate|\.)?|Bankr(?:uptcy|\.)?) ?"
    r"(?:Procedure\b|Proc\b\.?|P\b\.?))"
)
WHO = r"(?:Fed(?:eral|\.)?|[A-Z][a-z]{1,5}\.|[A-Z]\. ?[A-Z]\.|F\.)"
LONG = re.compile(
    rf"(?<![\w.])(?:(?P<who>{WHO}) ?R(?:ules?|\.)? ?(?:of )?(?P<set>{SET}) ?|"
    rf"(?P<short>FRCrP|FRCP|FRAP|FRE|F\.R\.C\.P\.|F\.R\.A\.P\.|F\.R\.E\.) )(?:Rules? )?(?P<number>{NUMBER})"
)
ALONE = re.compile(rf"(?<![\w.])Rules? (?P<number>{NUMBER})(?![\w-])")
# A further number of the same set: `12(b)(1) and 12(b)(6)`; without a part in brackets only before an end, since
# `, 123 F.3d 456` is another citation.
NEXT = re.compile(
    rf"(?:,? (?:and|or|&) |, )(?P<number>\d{{1,4}}(?:\.\d{{1,3}})?[a-z]?{PART}+|\d{{1,4}}(?=[.,;:)]|$| [a-z]))"
)
MOST = 20  # further numbers behind one name


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule at character offsets of the searched text. `set` is "" for a rule that names none."""

    start: int
    end: int
    set: str
    number: str


def rules(text: str) -> Iterator[Rule]:
    """The rules of court in a text whose white space is even."""
    full = [one for hit in LONG.finditer(text) for one in _numbers(text, hit, _set(hit))]
    yield from full
    taken = Taken((one.start, one.end) for one in full)
    for hit in ALONE.finditer(text):
        if taken.free(hit.start(), hit.end()):
            yield from _numbers(text, hit, "")


def _set(hit: re.Match[str]) -> str:
    if hit["short"]:
        return SHORT[hit["short"].lower().replace(".", "")]
    who = hit["who"].lower().replace(" ", "")
    who = "fed." if who in ("fed", "federal", "fed.", "f.") else who
    return f"{who}r.{SETS[re.sub('[. ]', '', hit['set'].lower())]}"


def _numbers(text: str, hit: re.Match[str], named: str) -> Iterator[Rule]:
    yield Rule(hit.start(), hit.end("number"), named, _number(hit["number"]))
    at = hit.end("number")
    for _ in range(MOST):
        if (more := NEXT.match(text, at)) is None:
            return
        yield Rule(more.start("number"), more.end("number"), named, _number(more["number"]))
        at = more.end("number")


def _number(text: str) -> str:
    return text.replace(" ", "")

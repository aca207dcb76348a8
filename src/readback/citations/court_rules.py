"""Rules of court: `Fed. R. Civ. P. 12(b)(6)`, its spelt-out forms, and `Rule 12(b)(6)` alone.

eyecite knows no rules. The sets are the federal ones and their state namesakes, as the Bluebook abbreviates them. The
name of the set is before the number or behind it: `Rule 12(b)(6) of the Federal Rules of Civil Procedure`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from readback.citations.numbers import PART, Numbers
from readback.citations.states import STATES
from readback.citations.taken import Taken

# In what a set's name ends, in small letters without dots and blanks -> its abbreviation without blanks.
SETS = {
    "evid": "evid.", "evidence": "evid.",
    "civp": "civ.p.", "civproc": "civ.p.", "civilprocedure": "civ.p.", "civilproc": "civ.p.",
    "crimp": "crim.p.", "crimproc": "crim.p.", "criminalprocedure": "crim.p.", "criminalproc": "crim.p.",
    "appp": "app.p.", "appproc": "app.p.", "appellateprocedure": "app.p.", "appellateproc": "app.p.",
    "bankrp": "bankr.p.", "bankrproc": "bankr.p.", "bankruptcyprocedure": "bankr.p.", "bankruptcyproc": "bankr.p.",
}  # fmt: skip
SHORT = {
    "frcp": "fed.r.civ.p.", "frcivp": "fed.r.civ.p.", "frcrp": "fed.r.crim.p.", "frcrimp": "fed.r.crim.p.",
    "frap": "fed.r.app.p.", "frappp": "fed.r.app.p.", "fre": "fed.r.evid.", "frevid": "fed.r.evid.",
    "frbp": "fed.r.bankr.p.", "frbankrp": "fed.r.bankr.p.",
}  # fmt: skip

NUMBER = rf"\d{{1,4}}(?:\.\d{{1,3}})?[a-z]?(?:-\d{{1,2}}(?!\d))?{PART}*"
SET = (
    r"(?:Evid(?:ence\b|\.|\b)|(?:Civ(?:il|\.)?|Crim(?:inal|\.)?|App(?:ellate|\.)?|Bankr(?:uptcy|\.)?) ?"
    r"(?:Procedure\b|Proc\b\.?|P\b\.?))"
)
WHO = rf"(?:Fed(?:eral|\.)?|{'|'.join(STATES)}|W\. ?Va\.|[A-Z][a-z]{{1,5}}\.|[A-Z]\. ?[A-Z]\.|F\.)"
ABBREVIATED = r"F\. ?R\. ?(?:Civ|Crim|App|Bankr)\. ?P\.|F\. ?R\. ?Evid\.|F\. ?R\. ?(?:Cr?|A|B)\. ?P\.|F\. ?R\. ?E\."
NAME = (
    rf"(?:(?P<who>{WHO}) ?R(?:ules?|\.)? ?(?:of )?(?P<set>{SET})|"
    rf"(?P<short>FRCrimP|FRCivP|FRCrP|FRCP|FRAP|FRBP|FRE|{ABBREVIATED}))"
)
LONG = re.compile(rf"(?<![\w.]){NAME}(?: ?|,? [Rr]ules? )(?P<number>{NUMBER})")
# The one set that no state has: `Bankruptcy Rule 7012` is federal.
BANKRUPTCY = re.compile(rf"(?<![\w.])Bankr(?:uptcy Rules? |\. ?R\. ?)(?P<number>{NUMBER})")
# Rules whose court is not named: `Civil Rule 12(b)(6)`, `Rule of Evidence 403`, `Rule 12(b)(6)`.
ALONE = re.compile(
    rf"(?<![\w.])(?:[Rr]ules? (?:of {SET}(?: |,? [Rr]ules? ))?|(?:Civil|Criminal|Appellate|Evidence) Rules? |"
    rf"(?:Civ|Crim|App|Evid)\. ?R\. ?)(?P<number>{NUMBER})(?![\w-])"
)
NAMED_AFTER = re.compile(rf",? ?(?:(?:of|under|in) )?(?:the )?(?>{NAME})(?!\w|,? ?(?:[Rr]ules? )?\d)")
# A further number of the same set: `12(b)(1) and 12(b)(6)`; without a part in brackets only before an end, since
# `, 123 F.3d 456` is another citation.
LISTED = Numbers(
    r"\d{1,4}(?:\.\d{1,3})?",
    rf"\d{{1,4}}(?:\.\d{{1,3}})?[a-z]?{PART}+|\d{{1,4}}(?:\.\d{{1,3}})?(?=[.,;:)]|$| [a-z])",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule at character offsets of the searched text. `set` is "" for a rule that names none.

    `last` is the end of a range that begins with `number`.
    """

    start: int
    end: int
    set: str
    number: str
    last: str | None = None


def rules(text: str) -> Iterator[Rule]:
    """The rules of court in a text whose white space is even."""
    full = [one for hit in LONG.finditer(text) for one in _listed(text, hit, _set(hit))]
    full += [one for hit in BANKRUPTCY.finditer(text) for one in _listed(text, hit, "fed.r.bankr.p.")]
    yield from full
    taken = Taken((one.start, one.end) for one in full)
    for hit in ALONE.finditer(text):
        if taken.free(hit.start(), hit.end()):
            yield from _alone(text, hit)


def _alone(text: str, hit: re.Match[str]) -> Iterator[Rule]:
    """The rules of a list without a court before it; the name of the set may follow and belongs to the last of them."""
    told = list(_listed(text, hit, ""))
    if named := NAMED_AFTER.match(text, told[-1].end):
        told[-1] = replace(told[-1], end=named.end())
        yield from (replace(one, set=_set(named)) for one in told)
    elif hit[0][0] != "r" or "(" in hit["number"]:  # `rule 3` in small letters may be any rule
        yield from told


def _set(hit: re.Match[str]) -> str:
    if hit["short"]:
        return SHORT[_bare(hit["short"])]
    who = STATES.get(hit["who"], hit["who"]).lower().replace(" ", "")
    who = "fed." if who in ("fed", "federal", "fed.", "f.") else who
    return f"{who}r.{SETS[_bare(hit['set'])]}"


def _bare(name: str) -> str:
    return re.sub("[. ]", "", name.lower())


def _listed(text: str, hit: re.Match[str], named: str) -> Iterator[Rule]:
    many = "ules" in hit[0] or named.startswith("fed.")  # no federal rule has a hyphen of its own
    for one in LISTED.read(text, hit.start(), hit, many):
        yield Rule(one.start, one.end, named, one.number, one.last)

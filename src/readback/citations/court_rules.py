"""Find rules of court: `Fed. R. Civ. P. 12(b)(6)`, its spelt-out forms, and `Rule 12(b)(6)` alone.

eyecite does not find rules. The sets are the federal ones and their state namesakes, as the Bluebook abbreviates them.
The name of the set is before the number or behind it: `Rule 12(b)(6) of the Federal Rules of Civil Procedure`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from readback.citations.numbers import PART, Numbers
from readback.citations.occupied import Occupied

# The states as they are written out -> as the Bluebook (table T1) abbreviates them before a set of rules.
STATES = {
    "Alabama": "Ala.", "Alaska": "Alaska", "Arizona": "Ariz.", "Arkansas": "Ark.", "California": "Cal.",
    "Colorado": "Colo.", "Connecticut": "Conn.", "Delaware": "Del.", "Florida": "Fla.", "Georgia": "Ga.",
    "Hawaii": "Haw.", "Idaho": "Idaho", "Illinois": "Ill.", "Indiana": "Ind.", "Iowa": "Iowa", "Kansas": "Kan.",
    "Kentucky": "Ky.", "Louisiana": "La.", "Maine": "Me.", "Maryland": "Md.", "Massachusetts": "Mass.",
    "Michigan": "Mich.", "Minnesota": "Minn.", "Mississippi": "Miss.", "Missouri": "Mo.", "Montana": "Mont.",
    "Nebraska": "Neb.", "Nevada": "Nev.", "New Hampshire": "N.H.", "New Jersey": "N.J.", "New Mexico": "N.M.",
    "New York": "N.Y.", "North Carolina": "N.C.", "North Dakota": "N.D.", "Ohio": "Ohio", "Oklahoma": "Okla.",
    "Oregon": "Or.", "Pennsylvania": "Pa.", "Rhode Island": "R.I.", "South Carolina": "S.C.", "South Dakota": "S.D.",
    "Tennessee": "Tenn.", "Texas": "Tex.", "Utah": "Utah", "Vermont": "Vt.", "Virginia": "Va.", "Washington": "Wash.",
    "West Virginia": "W. Va.", "Wisconsin": "Wis.", "Wyoming": "Wyo.",
}  # fmt: skip

# The end of a set's name, in small letters without dots and blanks -> its abbreviation without blanks.
SETS = {
    "evid": "evid.", "evidence": "evid.",
    "civp": "civ.p.", "civproc": "civ.p.", "civilprocedure": "civ.p.", "civilproc": "civ.p.",
    "crimp": "crim.p.", "crimproc": "crim.p.", "criminalprocedure": "crim.p.", "criminalproc": "crim.p.",
    "appp": "app.p.", "appproc": "app.p.", "appellateprocedure": "app.p.", "appellateproc": "app.p.",
    "bankrp": "bankr.p.", "bankrproc": "bankr.p.", "bankruptcyprocedure": "bankr.p.", "bankruptcyproc": "bankr.p.",
}  # fmt: skip
SHORT = {
    "frcp": "fed.r.civ.p.",
    "frcivp": "fed.r.civ.p.",
    "frcrp": "fed.r.crim.p.",
    "frcrimp": "fed.r.crim.p.",
    "frap": "fed.r.app.p.",
    "frappp": "fed.r.app.p.",
    "fre": "fed.r.evid.",
    "frevid": "fed.r.evid.",
    "frbp": "fed.r.bankr.p.",
    "frbankrp": "fed.r.bankr.p.",
}

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
# A further number of the same set: `12(b)(1) and 12(b)(6)`. Without a part in brackets it must be followed by
# punctuation or a word, since `, 123 F.3d 456` is another citation.
LISTED = Numbers(
    r"\d{1,4}(?:\.\d{1,3})?",
    rf"\d{{1,4}}(?:\.\d{{1,3}})?[a-z]?{PART}+|\d{{1,4}}(?:\.\d{{1,3}})?(?=[.,;:)]|$| [a-z])",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule at character offsets of the searched text.

    `set` is "" where the rule does not name its set. `last` is the end of a range that begins with `number`.
    """

    start: int
    end: int
    set: str
    number: str
    last: str | None = None


def find_rules(text: str) -> Iterator[Rule]:
    """Yield the rules of court in a text with normalised white space, those that name their set first."""
    full: list[Rule] = []
    for match in LONG.finditer(text):
        full.extend(_list_rules(text, match, _set_of(match)))
    for match in BANKRUPTCY.finditer(text):
        full.extend(_list_rules(text, match, "fed.r.bankr.p."))
    yield from full
    occupied = Occupied((rule.start, rule.end) for rule in full)
    for match in ALONE.finditer(text):
        if occupied.is_free(match.start(), match.end()):
            yield from _find_unnamed(text, match)


def _find_unnamed(text: str, match: re.Match[str]) -> Iterator[Rule]:
    """Yield the rules of a list without a court before it; a set that is named behind it extends the last of them."""
    rules = list(_list_rules(text, match, ""))
    if set_match := NAMED_AFTER.match(text, rules[-1].end):
        rules[-1] = replace(rules[-1], end=set_match.end())
        yield from (replace(rule, set=_set_of(set_match)) for rule in rules)
    elif match[0][0] != "r" or "(" in match["number"]:  # `rule 3` in small letters may be any rule
        yield from rules


def _set_of(match: re.Match[str]) -> str:
    if match["short"]:
        return SHORT[_strip_dots(match["short"])]
    court = STATES.get(match["who"], match["who"]).lower().replace(" ", "")
    if court in ("fed", "federal", "fed.", "f."):
        court = "fed."
    return f"{court}r.{SETS[_strip_dots(match['set'])]}"


def _strip_dots(name: str) -> str:
    return re.sub("[. ]", "", name.lower())


def _list_rules(text: str, match: re.Match[str], set_name: str) -> Iterator[Rule]:
    is_plural = "ules" in match[0] or set_name.startswith("fed.")  # the number of a federal rule has no hyphen
    for number in LISTED.read(text, match.start(), match, is_plural):
        yield Rule(number.start, number.end, set_name, number.number, number.last)

"""Statutes that eyecite leaves out: `28 USC 1331`, `Section 1983 of Title 42`, further sections, the Constitution."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.citations.citation import Citation
from readback.citations.numbers import Numbers, split

CODES = {
    "usc": "U.S.C.", "usca": "U.S.C.", "unitedstatescode": "U.S.C.", "uscode": "U.S.C.",
    "cfr": "C.F.R.", "codeoffederalregulations": "C.F.R.",
}  # fmt: skip
NAME = (
    r"(?:U\. ?S\. ?C\.(?: ?A\.)?|USCA?|U\.? ?S\.? Code|United States Code|C\. ?F\. ?R\.|CFR|"
    r"Code of Federal Regulations)"
)
SIGN = r"(?:§§? ?|(?:[Ss]ections?|[Ss]ecs?\.) )"
SECTION = r"\d{1,5}[a-z]{0,2}(?:[.-]\d{1,5}[a-z]?)?"
PART = r"(?:\([0-9A-Za-z]{1,4}\))"
NUMBER = rf"(?P<number>{SECTION}{PART}*)"
CODE = re.compile(rf"(?<![\w.])(?:[Tt]itle )?(?P<title>\d{{1,2}}),? (?:of the )?(?P<code>{NAME}),? ?{SIGN}?{NUMBER}")
# The other way about: `Section 1983 of Title 42 of the United States Code`; without a code it is that one.
TITLED = re.compile(rf"(?:(?<![\w.])|(?=§)){SIGN}{NUMBER}")
OF_TITLE = re.compile(
    rf",? of (?:[Tt]itle (?P<title>\d{{1,2}})(?!\d)(?:,? (?:of )?(?:the )?(?P<code>{NAME}))?|"
    rf"(?P<title2>\d{{1,2}}) (?P<code2>{NAME}))(?! of the [A-Z])"
)
# Further sections of the same code, behind two section signs or a plural: `§§ 1983, 1985 and 1988`.
LISTED = Numbers(SECTION, rf"{SECTION}{PART}*(?=[.,;:)]|$| (?:[a-z(]))")
PLURAL = re.compile(r"§§|\b[Ss]ec(?:tion)?s\b")
RANGE = re.compile(r"(?: ?- ?| (?:through|thru|to) )(\d{1,5})(?![\w(]|[.-]\d)")
NUMBERED = re.compile(rf"({SECTION})((?:{PART})*)")
CONSTITUTION = re.compile(
    r"\bU\. ?S\. Const\.,? (?P<what>art|amend)\. ?(?P<number>[IVXLC]{1,7}|\d{1,2})\b(?:, ?§ ?(?P<section>\d{1,2}))?"
)


def statutes(text: str) -> Iterator[Citation]:
    """Those of a text whose white space is even."""
    for hit in CODE.finditer(text):
        yield from _sections(hit, hit["title"], hit["code"])
    for hit in TITLED.finditer(text):
        last = list(LISTED.read(text, hit.start(), hit, _plural(hit[0])))[-1]
        if behind := OF_TITLE.match(text, last.end):
            title, code = behind["title"] or behind["title2"], behind["code"] or behind["code2"] or "USC"
            yield from _sections(hit, title, code, behind.end())
    for hit in CONSTITUTION.finditer(text):
        parts = ("u.s.const.", f"{hit['what']}.", hit["number"].lower(), hit["section"] or "")
        yield Citation(hit.start(), hit.end(), "statute", hit[0], " ".join(part for part in parts if part))


def ranged(text: str, start: int, end: int, normal: str) -> tuple[str, str | None, int]:
    """A statute's normal form, the last section where it is a range, and its end: `42 U.S.C. §§ 1981 through 1983`.

    A hyphen makes a range only behind two section signs or a plural: `§ 21-35` is one section of many states' codes.
    """
    if not _plural(text[start:end]):
        return normal, None, end
    code, _, number = normal.rpartition(" ")
    first, last = split(number)
    if last is None and (hit := RANGE.match(text, end)):
        first, last = split(f"{number}-{hit[1]}")
        end = hit.end() if last else end
    return (f"{code} {first}-{last}", last, end) if last else (normal, None, end)


def _plural(said: str) -> bool:
    return PLURAL.search(said) is not None


def _sections(hit: re.Match[str], title: str, named: str, end: int = 0) -> Iterator[Citation]:
    """The sections from `hit` on; the last of them ends at `end` where the code is named behind it."""
    text, code = hit.string, CODES[re.sub("[. ]", "", named.lower())]
    told = list(LISTED.read(text, hit.start(), hit, _plural(hit[0])))
    for one in told:
        number = NUMBERED.match(one.number)
        section, part = (number[1], number[2]) if number else (one.number, "")
        stop = max(end, one.end) if one is told[-1] else one.end
        said = f"{title} {code.lower()} {section}{f'-{one.last}' if one.last else ''}"
        yield Citation(one.start, stop, "statute", text[one.start : stop], said, volume=title, reporter=code,
                       page=section, pin=part or None, last=one.last)  # fmt: skip

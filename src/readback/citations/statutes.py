"""Find statutes that eyecite omits: `28 USC 1331`, `Section 1983 of Title 42`, further sections, the Constitution."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.citations.citation import Citation
from readback.citations.numbers import Numbers, split_range

CODES = {
    "usc": "U.S.C.",
    "usca": "U.S.C.",
    "unitedstatescode": "U.S.C.",
    "uscode": "U.S.C.",
    "cfr": "C.F.R.",
    "codeoffederalregulations": "C.F.R.",
}
NAME = (
    r"(?:U\. ?S\. ?C\.(?: ?A\.)?|USCA?|U\.? ?S\.? Code|United States Code|C\. ?F\. ?R\.|CFR|"
    r"Code of Federal Regulations)"
)
SIGN = r"(?:§§? ?|(?:[Ss]ections?|[Ss]ecs?\.) )"
SECTION = r"\d{1,5}[a-z]{0,2}(?:[.-]\d{1,5}[a-z]?)?"
PART = r"(?:\([0-9A-Za-z]{1,4}\))"
NUMBER = rf"(?P<number>{SECTION}{PART}*)"
CODE = re.compile(rf"(?<![\w.])(?:[Tt]itle )?(?P<title>\d{{1,2}}),? (?:of the )?(?P<code>{NAME}),? ?{SIGN}?{NUMBER}")
# In reverse order: `Section 1983 of Title 42 of the United States Code`; without a code it is the U.S.C.
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


def find_statutes(text: str) -> Iterator[Citation]:
    """Yield the statutes in a text with normalised white space."""
    for match in CODE.finditer(text):
        yield from _list_sections(match, match["title"], match["code"])
    for match in TITLED.finditer(text):
        last = list(LISTED.read(text, match.start(), match, _is_plural(match[0])))[-1]
        if title_match := OF_TITLE.match(text, last.end):
            title = title_match["title"] or title_match["title2"]
            code = title_match["code"] or title_match["code2"] or "USC"
            yield from _list_sections(match, title, code, title_match.end())
    for match in CONSTITUTION.finditer(text):
        parts = ("u.s.const.", f"{match['what']}.", match["number"].lower(), match["section"] or "")
        yield Citation(match.start(), match.end(), "statute", match[0], " ".join(part for part in parts if part))


def extend_range(text: str, start: int, end: int, normal: str) -> tuple[str, str | None, int]:
    """Return a statute's normal form, the last section of a range, and its end: `42 U.S.C. §§ 1981 through 1983`.

    A hyphen makes a range only behind two section signs or a plural: `§ 21-35` is one section of many states' codes.
    """
    if not _is_plural(text[start:end]):
        return normal, None, end
    code, _, number = normal.rpartition(" ")
    first, last = split_range(number)
    if last is None and (match := RANGE.match(text, end)):
        first, last = split_range(f"{number}-{match[1]}")
        if last:
            end = match.end()
    if not last:
        return normal, None, end
    return f"{code} {first}-{last}", last, end


def _is_plural(text: str) -> bool:
    return PLURAL.search(text) is not None


def _list_sections(match: re.Match[str], title: str, code_name: str, end: int = 0) -> Iterator[Citation]:
    """Yield the sections from `match` on; the last of them ends at `end` where the code is named behind it."""
    text, code = match.string, CODES[re.sub("[. ]", "", code_name.lower())]
    numbers = list(LISTED.read(text, match.start(), match, _is_plural(match[0])))
    for number in numbers:
        parts = NUMBERED.match(number.number)
        if parts:
            section, part = (parts[1], parts[2])
        else:
            section, part = (number.number, "")
        if number is numbers[-1]:
            stop = max(end, number.end)
        else:
            stop = number.end
        normal_form = f"{title} {code.lower()} {section}"
        if number.last:
            normal_form += f"-{number.last}"
        yield Citation(
            number.start,
            stop,
            "statute",
            text[number.start : stop],
            normal_form,
            volume=title,
            reporter=code,
            page=section,
            pin=part or None,
            last=number.last,
        )

"""Statutes that eyecite leaves out: `28 USC 1331`, without a section sign, and the Constitution."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.citations.citation import Citation

CODES = {"usc": "u.s.c.", "usca": "u.s.c.", "cfr": "c.f.r."}
CODE = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2}) (?P<code>U\. ?S\. ?C\.(?: ?A\.)?|USCA?|C\. ?F\. ?R\.|CFR)"
    r" ?(?:§§? ?|[Ss]ec(?:tion|\.) )?(?P<section>\d{1,5}[a-z]{0,2}(?:[.-]\d{1,5}[a-z]?)?)"
    r"(?P<part>(?:\([0-9A-Za-z]{1,4}\))*)"
)
# A further section of the same code, behind two section signs: `§§ 1983, 1985 and 1988`.
NEXT = re.compile(
    r"(?:,? (?:and|or|&) |, )(?P<section>\d{1,5}[a-z]{0,2}(?:[.-]\d{1,5}[a-z]?)?)(?P<part>(?:\([0-9A-Za-z]{1,4}\))*)"
    r"(?=[.,;:)]|$| [a-z(])"
)
MOST = 20  # further sections behind one code
CONSTITUTION = re.compile(
    r"\bU\. ?S\. Const\.,? (?P<what>art|amend)\. ?(?P<number>[IVXLC]{1,7}|\d{1,2})\b(?:, ?§ ?(?P<section>\d{1,2}))?"
)


def statutes(text: str) -> Iterator[Citation]:
    """Those of a text whose white space is even."""
    for hit in CODE.finditer(text):
        code = CODES[re.sub("[. ]", "", hit["code"].lower())]
        yield _section(hit, hit.start(), hit["title"], code)
        for more in _further(text, hit.end()) if "§§" in hit[0] else ():
            yield _section(more, more.start("section"), hit["title"], code)
    for hit in CONSTITUTION.finditer(text):
        parts = ("u.s.const.", f"{hit['what']}.", hit["number"].lower(), hit["section"] or "")
        yield Citation(hit.start(), hit.end(), "statute", hit[0], " ".join(part for part in parts if part))


def _further(text: str, at: int) -> Iterator[re.Match[str]]:
    for _ in range(MOST):
        if (more := NEXT.match(text, at)) is None:
            return
        yield more
        at = more.end()


def _section(hit: re.Match[str], start: int, title: str, code: str) -> Citation:
    said = f"{title} {code} {hit['section']}"
    return Citation(start, hit.end(), "statute", hit.string[start : hit.end()], said, volume=title, reporter=code,
                    page=hit["section"], pin=hit["part"] or None)  # fmt: skip

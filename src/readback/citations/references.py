"""Cases that are named again by one party: `Nixon at 703`, and `<em>Nixon</em>` where the text emphasises it.

As eyecite finds them, in the whole text at once: a party of a case that was cited in full before. They may overlap
other citations, which go before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readback.citations.citation import Citation
from readback.citations.eyes import PIN_CITE, may_be_a_name
from readback.citations.name_words import GENERIC, SIGNALS
from readback.citations.normal import plain

ENDS = " \t\n:;.,"  # what may be inside the emphasis behind a name
GOES_ON = re.compile(r"[:;.,\s]*(?:[vV](?:s?\.)?|supra)[\s,]")  # then it is a part of a longer form
POSSESSIVE = re.compile(r"[’']s?\Z")
MOST = 2000  # parties that are looked for


def with_pages(text: str, cited: Sequence[Citation]) -> Iterator[Citation]:
    """`Nixon at 703`, behind a citation of the case in full. `cited` are the citations of the text in its order."""
    for name, (after, role) in _parties(cited).items():
        if may_be_a_name(name):
            yield from _with_page(text, name, after, role)


def emphasised(text: str, cited: Sequence[Citation], stretches: Sequence[tuple[int, int]]) -> Iterator[Citation]:
    """Stretches that are emphasised and hold nothing but a party's name, or its first words."""
    short = _beginnings(_parties(cited)) if stretches else {}
    for start, end in stretches:
        if one := _emphasised(text, start, end, short):
            yield one


def _parties(cited: Sequence[Citation]) -> dict[str, tuple[int, str]]:
    """Each party of the cases cited in full: behind which character it may be named, and which party it is."""
    found: dict[str, tuple[int, str]] = {}
    for one in cited:
        for role in ("plaintiff", "defendant") if one.kind in ("full case", "reporter") else ():
            name = getattr(one, role)
            if name and len(found) < MOST:
                found.setdefault(name, (one.end, role))
    return found


def _with_page(text: str, name: str, after: int, role: str) -> Iterator[Citation]:
    at = text.find(name, after)
    while at >= 0:
        end = at + len(name)
        page = PIN_CITE.match(text, end + 1) if text[end : end + 1].isspace() else None
        if page and page["pin_cite"] and not text[at - 1 : at].isalnum():
            yield _reference(text, at, page.end(), name, role, page["pin_cite"].strip(", "))
        at = text.find(name, end)


def _beginnings(named: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Each party by its words, and by the first of them where these name it: `Chevron` of `Chevron, U.S.A., Inc.`"""
    whole = {plain(name): told for name, told in named.items()}
    found = dict(whole)
    for name, told in whole.items():
        words = name.split()
        for count in range(len(words) - 1, 0, -1):
            if words[0] not in GENERIC:
                found.setdefault(" ".join(words[:count]), told)
    return found


def _emphasised(text: str, start: int, end: int, short: dict[str, tuple[int, str]]) -> Citation | None:
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    while (word := re.match(r"(\w+)\.? ", text[start:end])) and word[1].lower() in SIGNALS:
        start += word.end()
    said = POSSESSIVE.sub("", text[start:end].rstrip(ENDS))
    known = short.get(plain(said)) if may_be_a_name(said) else None
    if known is None or start < known[0] or GOES_ON.match(text, end):
        return None
    return _reference(text, start, start + len(said), said, known[1])


def _reference(text: str, start: int, end: int, name: str, role: str, pin: str | None = None) -> Citation:
    plaintiff, defendant = (name, None) if role == "plaintiff" else (None, name)
    return Citation(start, end, "reference", text[start:end], name=plain(name), plaintiff=plaintiff,
                    defendant=defendant, pin=pin, confidence=0.7)  # fmt: skip

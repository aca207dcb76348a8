"""Find cases that are named again by one party: `Nixon at 703`, and `<em>Nixon</em>` where the text emphasises it.

As in eyecite, but over the whole text: the party of a case that was cited in full before. References may overlap other
citations, which take precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readback.citations.citation import Citation
from readback.citations.eyecite_search import PIN_CITE, can_name_a_case
from readback.citations.name_words import GENERIC, SIGNALS
from readback.citations.normal import simplify

ENDS = " \t\n:;.,"  # characters that the emphasis may include behind a name
GOES_ON = re.compile(r"[:;.,\s]*(?:[vV](?:s?\.)?|supra)[\s,]")  # behind a name that is part of a longer form
POSSESSIVE = re.compile(r"[’']s?\Z")
MOST = 2000  # parties that are searched for


def find_with_pages(text: str, cited: Sequence[Citation]) -> Iterator[Citation]:
    """Yield references such as `Nixon at 703` behind a full citation of the case.

    `cited` holds the citations of the text in its order.
    """
    for name, (after, role) in _list_parties(cited).items():
        if can_name_a_case(name):
            yield from _find_name_with_page(text, name, after, role)


def find_emphasised(text: str, cited: Sequence[Citation], stretches: Sequence[tuple[int, int]]) -> Iterator[Citation]:
    """Yield the emphasised stretches that consist of a party's name, or of its first words."""
    if not stretches:
        return
    short_forms = _list_short_forms(_list_parties(cited))
    for start, end in stretches:
        reference = _match_emphasised(text, start, end, short_forms)
        if reference:
            yield reference


def _list_parties(cited: Sequence[Citation]) -> dict[str, tuple[int, str]]:
    """Return for each party of the cases cited in full: the offset behind which it may be named, and its role."""
    parties: dict[str, tuple[int, str]] = {}
    for citation in cited:
        if citation.kind not in ("full case", "reporter"):
            continue
        for role, name in (("plaintiff", citation.plaintiff), ("defendant", citation.defendant)):
            if name and len(parties) < MOST:
                parties.setdefault(name, (citation.end, role))
    return parties


def _find_name_with_page(text: str, name: str, after: int, role: str) -> Iterator[Citation]:
    position = text.find(name, after)
    while position >= 0:
        end = position + len(name)
        if text[end : end + 1].isspace():
            page = PIN_CITE.match(text, end + 1)
        else:
            page = None
        if page and page["pin_cite"] and not text[position - 1 : position].isalnum():
            yield _build_reference(text, position, page.end(), name, role, page["pin_cite"].strip(", "))
        position = text.find(name, end)


def _list_short_forms(parties: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Return the parties by all their words, and by their first words: `Chevron` of `Chevron, U.S.A., Inc.`"""
    full_forms = {simplify(name): origin for name, origin in parties.items()}
    short_forms = dict(full_forms)
    for name, origin in full_forms.items():
        words = name.split()
        if not words or words[0] in GENERIC:
            continue
        for count in range(len(words) - 1, 0, -1):
            short_forms.setdefault(" ".join(words[:count]), origin)
    return short_forms


def _match_emphasised(text: str, start: int, end: int, short_forms: dict[str, tuple[int, str]]) -> Citation | None:
    name = text[start:end]
    start += len(name) - len(name.lstrip())
    while (signal := re.match(r"(\w+)\.? ", text[start:end])) and signal[1].lower() in SIGNALS:
        start += signal.end()
    name = POSSESSIVE.sub("", text[start:end].rstrip(ENDS))
    if not can_name_a_case(name) or GOES_ON.match(text, end):
        return None
    after, role = short_forms.get(simplify(name), (None, ""))
    if after is None or start < after:
        return None
    return _build_reference(text, start, start + len(name), name, role)


def _build_reference(text: str, start: int, end: int, name: str, role: str, pin: str | None = None) -> Citation:
    return Citation(
        start,
        end,
        "reference",
        text[start:end],
        name=simplify(name),
        plaintiff=name if role == "plaintiff" else None,
        defendant=None if role == "plaintiff" else name,
        pin=pin,
        confidence=0.7,
    )

"""Resolve short forms to the last full citation that they can mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from readback.citations.citation import Citation
from readback.citations.name_words import WRITTEN_OUT

FAR = 400  # citations that are searched, back or ahead
FULL = ("full case", "reporter")


def resolve_short_forms(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Return the citations with `resolves_to`, and for resolved ones the normal form of their full citation."""
    resolved: list[Citation] = []
    for citation in citations:
        target = _find_target(citation, resolved)
        if target is None and citation.kind in ("short rule", "case name"):  # often cited in full only later
            target = _find_later(citation, len(resolved), citations)
        if target is None:
            resolved.append(citation)
        else:
            if target < len(resolved):
                full = resolved[target]
            else:
                full = citations[target]
            resolved.append(replace(citation, normal=full.normal, resolves_to=target, name=citation.name or full.name))
    return tuple(resolved)


def find_full_form(citation: Citation, full: Sequence[Citation]) -> Citation | None:
    """Return the citation of another text that a short form stands for, where its own text has no full form of it."""
    if citation.kind == "id":
        return None
    target = _find_target(citation, full)
    if target is None:
        return None
    return full[target]


def is_same_name(name: str, other_name: str) -> bool:
    """Return whether two normalised case names mean one case.

    Each party has the other's words, or the first of them, abbreviations written out.
    """
    if not name or not other_name:
        return False
    parties, other_parties = name.split(" v "), other_name.split(" v ")
    if len(parties) != len(other_parties) or len(parties) > 2:
        return False
    return all(map(_has_same_beginning, parties, other_parties))


def is_same_number(rule: Citation, other_rule: Citation) -> bool:
    """Return whether two rules have one number, whatever sets they belong to."""
    return rule.normal.rpartition(" ")[2] == other_rule.normal.rpartition(" ")[2]


def _find_target(citation: Citation, preceding: Sequence[Citation]) -> int | None:
    """Return the index of the full citation that a short form stands for; None for a full citation."""
    if citation.kind == "id":
        return _find_nearest(preceding)
    if citation.kind == "short rule":
        return _find_last(preceding, lambda full: full.kind == "rule" and is_same_number(full, citation))
    if citation.kind == "short case":
        return _find_case_by_page(citation, preceding)
    if citation.kind in ("supra", "reference"):
        if not citation.name:
            return None
        return _find_last(preceding, lambda full: full.resolves_to is None and _is_named_by(citation.name, full.name))
    if citation.kind == "case name":
        return _find_last(preceding, lambda full: full.kind == "full case" and is_same_name(citation.name, full.name))
    return None


def _is_named_by(short_name: str, name: str) -> bool:
    """Return whether a short name, such as `nixon`, or a whole name identifies the case with this name."""
    return f" {short_name} " in f" {name} " or is_same_name(short_name, name)


def _find_last(preceding: Sequence[Citation], is_target: Callable[[Citation], bool]) -> int | None:
    for number in range(len(preceding) - 1, max(-1, len(preceding) - 1 - FAR), -1):
        if not preceding[number].is_short and is_target(preceding[number]):
            return number
    return None


def _find_later(citation: Citation, index: int, citations: Sequence[Citation]) -> int | None:
    for number in range(index + 1, min(len(citations), index + FAR)):
        full = citations[number]
        if citation.kind == "short rule" and full.kind == "rule" and is_same_number(full, citation):
            return number
        if citation.kind == "case name" and full.kind == "full case" and is_same_name(citation.name, full.name):
            return number
    return None


def _find_nearest(preceding: Sequence[Citation]) -> int | None:
    """Return what the citation before stands for; a case name alone, such as a page's heading, is passed over."""
    for number in range(len(preceding) - 1, max(-1, len(preceding) - 1 - FAR), -1):
        citation = preceding[number]
        if citation.kind == "case name" and citation.resolves_to is None:
            continue
        if citation.is_short or citation.resolves_to is not None:
            return citation.resolves_to
        return number
    return None


def _find_case_by_page(short: Citation, preceding: Sequence[Citation]) -> int | None:
    """Return the case that a page falls into: of the cases in its volume the last that begins at it or before."""
    if short.page and short.page.isdecimal():
        page = int(short.page)
    else:
        page = None
    candidates = [
        (int(full.page), number)
        for number, full in enumerate(preceding[-FAR:], max(0, len(preceding) - FAR))
        if full.kind in FULL
        and (full.volume, full.reporter) == (short.volume, short.reporter)
        and full.page
        and full.page.isdecimal()
    ]
    fitting = [candidate for candidate in candidates if page is None or candidate[0] <= page]
    if not fitting:
        return None
    return max(fitting)[1]


def _has_same_beginning(party: str, other_party: str) -> bool:
    short, long = sorted((_write_out(party), _write_out(other_party)), key=len)
    return bool(short) and long[: len(short)] == short


def _write_out(party: str) -> list[str]:
    written = " ".join(WRITTEN_OUT.get(word, word) for word in party.split())
    if written == "us":
        written = "united states"
    return written.split()

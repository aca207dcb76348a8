"""Find the legal citations of a text: those of eyecite, rules of court, and case names alone, each once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from readback.citations import case_names, court_rules, normal, resolve, statutes, upstream
from readback.citations.citation import Citation
from readback.citations.clean import Clean, clean_text
from readback.citations.occupied import Occupied

if TYPE_CHECKING:
    from readback.citations.eyecite_search import EyeciteCitation

Patterns = Literal["readback", "upstream"]

# What any legal citation contains: a number, a name, or a word that points to one. A cheap test before a search.
HINT = re.compile(r"\d|§|\bv[s.]?|\bin re|ex parte|matter of|supra|\bi(?:bi)?d\b|\bConst\b", re.IGNORECASE)
# Forms that occur in hardly anything but a legal citation: a page offers a search where a text matches.
LIKELY = re.compile(
    r"[\w.,)>*_] v\.\s+[<*_A-Z]|\b(?:In re|Ex parte)\s[A-Z]|\bR\. (?:Civ|Crim|Evid|App|Bankr)\b|\bRule \d+\(|"
    r"\b\d{1,4}\s(?:U\. ?S\.|F\.|S\. ?Ct\.|L\. ?Ed\.|[NS]\. ?[EWY]\.|A\. ?\d|P\. ?\d|So\. ?\d|WL\s)[\w. ]{0,12}[\s§]|"
    r"\b\d{1,4}\s[A-Z][\w.' ]{0,16}\.(?: ?\d?d)?\s\d{1,5}\s\((?:[^()]{0,40}\s)?\d{4}\)|§ ?\d"
)
# What may be between a case's name and its reporter: court and year, a reporter without numbers, `supra`, a docket
# number, Louisiana's with page, court and day, an opening bracket.
BETWEEN = re.compile(
    r"[,\s]*(?:\(\d{4}\)|\([^()]{0,60}\d{4}\))?[,\s]*(?:[_—–-]+ [^,;()]{1,20} [_—–-]+,?)?(?:supra,)?"
    r"(?:Nos?\. [^\s,;]{1,30},)?"
    r"(?:\d{2,4}-\d{1,6}(?:, pp?\. ?\d{1,4}(?:-\d{1,4})?)?,? \([^()]{0,40}\d{1,2}/\d{1,2}/\d{2,4}\),?)?[\s\[(]*"
)
PIECE = 40_000  # characters of a piece, which eyecite searches at once
OVERLAP = 600  # characters before and behind a piece that eyecite reads too
VERSUS = re.compile(r" (?:v|vs\.) ")
GAP = 160  # characters
LONE = re.compile(r"[A-Z][\w.'’&-]*(?: [A-Z][\w.'’&-]*){0,2}")  # `Bakke` in `Bakke, 438 U. S. 265`
# A page may be between: `Nobelman at 332, 113 S. Ct. 2106`, `286 Ga. 216 , 218 (1) (686 SE2d 786)`.
PARALLEL = re.compile(r"[,\s]*(?:(?:at )?\d[\d, ()*-]{0,30}?)?[,\s]*[\[(]?")
YEAR = re.compile(r",? ?[(\[](?P<court>[^()\[\]]{0,80}?)\b(?P<year>1[5-9]\d\d|20\d\d)(?:-\d\d)?[)\]]")


def find_citations(text: str, steps: Collection[str] = (), patterns: Patterns = "readback") -> tuple[Citation, ...]:
    """Return the legal citations of `text`, in its order, with offsets into the original text.

    `steps` are those of `clean_text` (`html`, `all_whitespace` …). With `patterns` "upstream" the result is what the
    program of the *Data Format Guide* would find, pattern by pattern.
    """
    if patterns == "upstream":
        return tuple(upstream.find_by_patterns(text))
    if not any(character.isalpha() for character in text):
        return ()
    cleaned = clean_text(text, steps)
    citations = _find_all(cleaned.text, cleaned.emphasised)
    return resolve.resolve_short_forms([_map_to_original(citation, text, cleaned) for citation in citations])


def may_cite(text: str) -> bool:
    """Return whether a search can find anything; cheap, and wrong only by saying yes."""
    return HINT.search(text) is not None


def probably_cites(text: str) -> bool:
    """Return whether a text most probably cites; cheap, and wrong in both directions."""
    return LIKELY.search(text) is not None


def _find_all(text: str, emphasised: Sequence[tuple[int, int]]) -> list[Citation]:
    """Return all citations in the order of the text: none overlaps another, and no name is counted twice."""
    from readback.citations import references  # loads eyecite, whose database takes 0.2 s to compile

    raw_citations = _search_pieces(text)
    names: Sequence[case_names.Name] = case_names.find_names(text)
    citations: list[Citation] = []
    for index, raw in enumerate(raw_citations):
        if index + 1 < len(raw_citations):
            next_start = raw_citations[index + 1].start
        else:
            next_start = len(text)
        name = _find_name_before(names, raw.start)
        citations.append(_build_citation(text, raw, name, citations, next_start))
    names = _drop_unsure_names(text, names, citations)
    citations = _share_years(text, citations)
    # In this order: an earlier group keeps its place where two overlap.
    groups = (
        [_build_rule(text, rule) for rule in court_rules.find_rules(text)],
        list(statutes.find_statutes(text)),
        [_add_first_party(text, reference, names) for reference in references.find_with_pages(text, citations)],
        [_build_case_name(text, name) for name in names],
        list(references.find_emphasised(text, citations, emphasised)),
    )
    for group in groups:
        occupied = Occupied((citation.start, citation.end) for citation in citations)
        for citation in _drop_overlapping(group):
            if occupied.is_free(citation.start, citation.end):
                citations.append(citation)
    return sorted(citations, key=lambda citation: (citation.start, citation.end))


def _search_pieces(text: str) -> list[EyeciteCitation]:
    """Return eyecite's citations of all pieces of a text."""
    from readback.citations import eyecite_search  # see `_find_all`

    raw_citations = []
    for start, stop in _split_text(text):
        offset = max(0, start - OVERLAP)
        for raw in eyecite_search.search(text[offset : stop + OVERLAP], offset):
            if start <= raw.start < stop:
                raw_citations.append(raw)
    return raw_citations


def _split_text(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of pieces of a text that end at a blank.

    For each full citation eyecite searches the whole rest of its text: a book would take hours.
    """
    start = 0
    while len(text) - start > PIECE:
        cut = text.rfind(" ", start, start + PIECE)
        stop = cut if cut > start else start + PIECE
        yield start, stop
        start = stop
    yield start, len(text)


def _drop_overlapping(group: Sequence[Citation]) -> Iterator[Citation]:
    """Yield the citations that begin behind the end of the one before; of two that begin together the longer one."""
    end = 0
    for citation in sorted(group, key=lambda citation: (citation.start, -citation.end)):
        if citation.start >= end:
            yield citation
            end = citation.end


def _drop_unsure_names(
    text: str, names: Sequence[case_names.Name], citations: Sequence[Citation]
) -> list[case_names.Name]:
    """Return the names without those found by a mere `v`, unless the text cites such a case in full."""
    full = [citation for citation in citations if citation.kind == "full case"]
    if any(VERSUS.search(text, citation.start, citation.end) for citation in full):
        return list(names)
    full_names = {citation.name for citation in full}
    return [
        name for name in names if name.sure or case_names.normalise_name(name.plaintiff, name.defendant) in full_names
    ]


def _add_first_party(text: str, citation: Citation, names: Sequence[case_names.Name]) -> Citation:
    """Extend a short citation by the first party where the whole case name stands before it: `State v. Nixon at 703`.

    The citation alone begins at the second party. One without a page is returned as it is.
    """
    name = _find_name_before(names, citation.start + len(citation.defendant or ""))
    if name is None or not name.start < citation.start <= name.end or citation.pin is None:
        return citation
    return replace(_add_name(citation, name), text=text[name.start : citation.end])


def _find_name_before(names: Sequence[case_names.Name], offset: int) -> case_names.Name | None:
    """Return the last name that ends at or before an offset."""
    count = bisect_right(names, offset, key=lambda name: name.end)
    if not count:
        return None
    return names[count - 1]


def _build_citation(
    text: str, raw: EyeciteCitation, name: case_names.Name | None, preceding: Sequence[Citation], next_start: int
) -> Citation:
    """Return one of eyecite's citations, from its parties to its year; `name` is the last case name before it."""
    bound = preceding[-1].end if preceding else 0
    normal_form, range_end = normal.normalise(raw), None
    if raw.kind == "statute":
        normal_form, range_end, end = statutes.extend_range(text, raw.start, raw.end, normal_form)
        raw = replace(raw, end=end)
    end, year, court = _read_end(text, raw, next_start)
    own_name = None
    if name and bound <= name.start and _joins_name(text, name.end, raw.start):
        own_name = name
    has_own_year = _contains_year(text, raw, own_name.start if own_name else bound, next_start)
    if has_own_year:
        year, court = raw.year, raw.court or court
    if raw.kind == "short case":
        year = None
    citation = Citation(
        raw.start,
        end,
        raw.kind,
        text[raw.start : raw.end],
        normal_form,
        volume=raw.volume,
        reporter=raw.reporter,
        page=raw.page,
        last=range_end,
        year=year,
        pin=raw.pin,
        court=court or ("scotus" if raw.scotus else None),
        confidence=1.0 if raw.kind in ("reporter", "statute", "journal", "short case") else 0.7,
    )
    if raw.kind == "reporter":
        return _add_parties(text, citation, raw, own_name, preceding)
    if raw.kind in ("supra", "short case") and own_name:
        return _add_name(citation, own_name)
    if raw.kind == "supra":
        return _add_supra_party(text, citation, raw, bound)
    if raw.kind == "short case":
        return _add_short_party(text, citation, preceding)
    return citation


def _add_supra_party(text: str, citation: Citation, raw: EyeciteCitation, bound: int) -> Citation:
    """Return a `supra` with the short name before it; eyecite's own guess where ours does not end with that."""
    short_name = case_names.find_short_name(text, bound, raw.start)
    if short_name is None or not short_name[1].endswith(raw.antecedent or ""):
        if not raw.antecedent:
            return replace(citation, name="", defendant=None)
        short_name = (max(bound, raw.from_), raw.antecedent)
    start, party = short_name
    return replace(citation, start=start, name=normal.simplify(party), defendant=party)


def _add_short_party(text: str, citation: Citation, preceding: Sequence[Citation]) -> Citation:
    """Return a short citation with the short name before it, or that of the parallel citation before it."""
    previous = preceding[-1] if preceding else None
    bound = previous.end if previous else 0
    short_name = case_names.find_short_name(text, bound, citation.start)
    if short_name:
        start, party = short_name
        return replace(citation, start=start, name=normal.simplify(party), defendant=party)
    if previous and previous.kind == "short case" and _is_parallel(text, bound, citation.start):
        return replace(citation, name=previous.name, plaintiff=previous.plaintiff, defendant=previous.defendant)
    return citation


def _add_parties(
    text: str, citation: Citation, raw: EyeciteCitation, own_name: case_names.Name | None, preceding: Sequence[Citation]
) -> Citation:
    """Return a citation with the case name before it; a parallel citation has the name of the one before it."""
    if own_name:
        return replace(_add_name(citation, own_name), kind="full case")
    bound = preceding[-1].end if preceding else 0
    previous = None
    if preceding and _is_parallel(text, bound, raw.start):
        previous = preceding[-1]
    if previous and previous.kind == "short case":
        return replace(citation, name=previous.name, plaintiff=previous.plaintiff, defendant=previous.defendant)
    if previous and previous.kind == "full case":
        return replace(
            citation,
            kind="full case",
            name=previous.name,
            plaintiff=previous.plaintiff,
            defendant=previous.defendant,
            year=citation.year or previous.year,
        )
    if raw.plaintiff and raw.defendant:
        start = text.find(raw.plaintiff, max(bound, raw.from_), raw.start)
        if start >= 0:
            return replace(
                citation,
                start=start,
                kind="full case",
                name=case_names.normalise_name(raw.plaintiff, raw.defendant),
                plaintiff=raw.plaintiff,
                defendant=raw.defendant,
            )
    single_party = raw.defendant or raw.antecedent
    if single_party and LONE.fullmatch(single_party):
        start = text.rfind(single_party, bound, raw.start)
        if start >= 0 and _is_parallel(text, start + len(single_party), raw.start):
            return replace(citation, start=start, defendant=single_party, name=normal.simplify(single_party))
    return citation


def _contains_year(text: str, raw: EyeciteCitation, start: int, next_start: int) -> bool:
    """Return whether the citation contains the year that eyecite gives it, which may be that of a neighbour."""
    return raw.year is not None and str(raw.year) in text[start : min(raw.to, next_start)]


def _share_years(text: str, citations: Sequence[Citation]) -> list[Citation]:
    """Return the citations with court and year of the last parallel one: `1 U.S. 12, 1 S. Ct. 2 (4th Cir. 1982)`."""
    shared = list(citations)
    for index in range(len(shared) - 2, -1, -1):
        citation, following = shared[index], shared[index + 1]
        both_cases = {citation.kind, following.kind} <= {"full case", "reporter"}
        if (
            both_cases
            and citation.year is None
            and following.year
            and _is_parallel(text, citation.end, following.start)
        ):
            shared[index] = replace(citation, year=following.year, court=following.court or citation.court)
    return shared


def _add_name(citation: Citation, name: case_names.Name) -> Citation:
    full_name = case_names.normalise_name(name.plaintiff, name.defendant)
    return replace(citation, start=name.start, name=full_name, plaintiff=name.plaintiff, defendant=name.defendant)


def _joins_name(text: str, start: int, end: int) -> bool:
    """Return whether the text between a name and a reporter makes them one citation."""
    return end - start <= GAP and BETWEEN.fullmatch(text, start, end) is not None


def _is_parallel(text: str, start: int, end: int) -> bool:
    """Return whether two offsets have nothing but commas, brackets or a page between them."""
    return end - start <= GAP and PARALLEL.fullmatch(text, start, end) is not None


def _read_end(text: str, raw: EyeciteCitation, next_start: int) -> tuple[int, int | None, str | None]:
    """Return the end of a citation, behind its pin cite and the brackets of court and year, then year and court."""
    end = max(raw.end, raw.pin_end or 0)
    if raw.kind == "statute" and raw.pin and text.startswith(raw.pin, raw.end):
        end = raw.end + len(raw.pin)
    end = min(end, next_start)
    if raw.kind in ("id", "supra"):
        end = raw.start + len(text[raw.start : end].rstrip(",; "))
    match = YEAR.match(text, end)
    if match is None or match.end() > next_start or raw.kind in ("id", "supra", "reference"):
        return end, None, None
    return match.end(), int(match["year"]), match["court"].strip(" ,") or None


def _build_rule(text: str, rule: court_rules.Rule) -> Citation:
    rule_text = text[rule.start : rule.end]
    number = rule.number.casefold() + (f"-{rule.last}" if rule.last else "")
    if rule.set:
        return Citation(
            rule.start,
            rule.end,
            "rule",
            rule_text,
            f"{rule.set} {number}",
            reporter=rule.set,
            page=rule.number,
            last=rule.last,
        )
    return Citation(
        rule.start,
        rule.end,
        "short rule",
        rule_text,
        f"rule {number}",
        page=rule.number,
        last=rule.last,
        confidence=0.5,
    )


def _build_case_name(text: str, name: case_names.Name) -> Citation:
    full_name = case_names.normalise_name(name.plaintiff, name.defendant)
    return Citation(
        name.start,
        name.end,
        "case name",
        text[name.start : name.end],
        full_name,
        full_name,
        name.plaintiff,
        name.defendant,
        confidence=0.8,
    )


def _map_to_original(citation: Citation, text: str, cleaned: Clean) -> Citation:
    """Return the same citation at its offsets in the original text."""
    start, end = cleaned.original_start(citation.start), cleaned.original_end(citation.end)
    return replace(citation, start=start, end=end, text=text[start:end])

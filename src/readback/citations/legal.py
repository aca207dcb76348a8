"""Find the legal citations of a text: eyecite's, rules of court, and case names alone, each once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from readback.citations import case_names, court_rules, normal, resolve, statutes, upstream
from readback.citations.citation import Citation
from readback.citations.clean import Clean, clean
from readback.citations.taken import Taken

if TYPE_CHECKING:
    from readback.citations.eyes import Seen

Patterns = Literal["readback", "upstream"]

# A cheap look at whether a text can hold a legal citation at all: a number, a name, or a word that points to one.
HINT = re.compile(r"\d|§|\bv[s.]?|\bin re|ex parte|matter of|supra|\bi(?:bi)?d\b|\bConst\b", re.IGNORECASE)
# Forms that hardly anything but a legal citation has, for whoever offers a search and does not want to be wrong.
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
PIECE = 40_000  # characters that eyecite gets at once
OVERLAP = 600  # characters that it sees around them
VERSUS = re.compile(r" (?:v|vs\.) ")
GAP = 160  # characters
LONE = re.compile(r"[A-Z][\w.'’&-]*(?: [A-Z][\w.'’&-]*){0,2}")  # `Bakke` in `Bakke, 438 U. S. 265`
# A page may be between: `Nobelman at 332, 113 S. Ct. 2106`, `286 Ga. 216 , 218 (1) (686 SE2d 786)`.
PARALLEL = re.compile(r"[,\s]*(?:(?:at )?\d[\d, ()*-]{0,30}?)?[,\s]*[\[(]?")
YEAR = re.compile(r",? ?[(\[](?P<court>[^()\[\]]{0,80}?)\b(?P<year>1[5-9]\d\d|20\d\d)(?:-\d\d)?[)\]]")


def find(text: str, steps: Collection[str] = (), patterns: Patterns = "readback") -> tuple[Citation, ...]:
    """The legal citations of `text`, in its order, with offsets into it as it is.

    `steps` as `clean` takes them (`html`, `all_whitespace` …). `patterns`: "upstream" answers what the program of the
    *Data Format Guide* would find, pattern by pattern.
    """
    if patterns == "upstream":
        return tuple(upstream.find(text))
    if not any(character.isalpha() for character in text):
        return ()
    made = clean(text, steps)
    return resolve.resolved(tuple(_back(one, text, made) for one in _found(made.text, made.emphasised)))


def may_cite(text: str) -> bool:
    """Whether a search can find anything; cheap, and wrong only by saying yes."""
    return HINT.search(text) is not None


def likely(text: str) -> bool:
    """Whether a text most probably cites; cheap, and wrong in both directions."""
    return LIKELY.search(text) is not None


def _found(text: str, emphasised: Sequence[tuple[int, int]]) -> Iterator[Citation]:
    """All citations in the order of the text: none overlaps another, and no name is counted twice."""
    from readback.citations import eyes, references  # eyecite compiles its database: only for whoever searches

    seen = [
        one
        for start, stop in _pieces(text)
        for one in eyes.look(text[max(0, start - OVERLAP) : stop + OVERLAP], max(0, start - OVERLAP))
        if start <= one.start < stop
    ]
    named: Sequence[case_names.Name] = case_names.names(text)
    found: list[Citation] = []
    for number, one in enumerate(seen):
        ahead = seen[number + 1].start if number + 1 < len(seen) else len(text)
        found.append(_citation(text, one, _name_before(named, one.start), found, ahead))
    named, found = _cases(text, named, found), _shared(text, found)
    own = (
        [_rule(text, rule) for rule in court_rules.rules(text)],
        list(statutes.statutes(text)),
        [_whole(text, one, named) for one in references.with_pages(text, found)],
        [_name(text, name) for name in named],
        list(references.emphasised(text, found, emphasised)),
    )
    for group in own:
        taken = Taken((one.start, one.end) for one in found)
        found += [one for one in _apart(group) if taken.free(one.start, one.end)]
    yield from sorted(found, key=lambda one: (one.start, one.end))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The text in stretches that end at a blank.

    eyecite looks through all that follows for each full citation it finds: a book would take it hours.
    """
    start = 0
    while len(text) - start > PIECE:
        cut = text.rfind(" ", start, start + PIECE)
        stop = cut if cut > start else start + PIECE
        yield start, stop
        start = stop
    yield start, len(text)


def _apart(group: Sequence[Citation]) -> Iterator[Citation]:
    """Those of a group that begin behind the end of the one before; of two that begin together the longer one."""
    end = 0
    for one in sorted(group, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            yield one
            end = one.end


def _cases(text: str, named: Sequence[case_names.Name], found: Sequence[Citation]) -> list[case_names.Name]:
    """The names without those that a mere `v` makes, unless the text cites such a case in full."""
    full = [one for one in found if one.kind == "full case"]
    if any(VERSUS.search(text, one.start, one.end) for one in full):
        return list(named)
    said = {one.name for one in full}
    return [name for name in named if name.sure or case_names.normal(name.plaintiff, name.defendant) in said]


def _whole(text: str, one: Citation, named: Sequence[case_names.Name]) -> Citation:
    """A reference with the other party of its name, where that is before it: `State v. Nixon at 703`."""
    name = _name_before(named, one.start + len(one.defendant or ""))
    if name is None or not name.start < one.start <= name.end or one.pin is None:
        return one
    return replace(_named(one, name), text=text[name.start : one.end])


def _name_before(named: Sequence[case_names.Name], at: int) -> case_names.Name | None:
    number = bisect_right(named, at, key=lambda name: name.end)
    return named[number - 1] if number else None


def _citation(text: str, seen: Seen, name: case_names.Name | None, before: Sequence[Citation], ahead: int) -> Citation:
    """One of eyecite's citations, from its parties to its year; `name` is the last case name before it."""
    bound = before[-1].end if before else 0
    said, last = normal.of(seen), None
    if seen.kind == "statute":
        said, last, end = statutes.ranged(text, seen.start, seen.end, said)
        seen = replace(seen, end=end)
    end, year, court = _tail(text, seen, ahead)
    own = name if name and bound <= name.start and _meets(text, name.end, seen.start) else None
    dated = _dated(text, seen, own.start if own else bound, ahead)
    one = Citation(
        seen.start,
        end,
        seen.kind,
        text[seen.start : seen.end],
        said,
        volume=seen.volume,
        reporter=seen.reporter,
        page=seen.page,
        last=last,
        year=None if seen.kind == "short case" else seen.year if dated else year,
        pin=seen.pin,
        court=(seen.court if dated else None) or court or ("scotus" if seen.scotus else None),
        confidence=1.0 if seen.kind in ("reporter", "statute", "journal", "short case") else 0.7,
    )
    if seen.kind == "reporter":
        return _with_parties(text, one, seen, own, before)
    if seen.kind == "supra" and own:
        return _named(one, own)
    if seen.kind == "supra":
        short = case_names.before(text, bound, seen.start)
        if short is None or not short[1].endswith(seen.antecedent or ""):
            short = (max(bound, seen.from_), seen.antecedent) if seen.antecedent else None
        at, party = short or (one.start, None)
        return replace(one, start=at, name=normal.plain(party or ""), defendant=party)
    if seen.kind == "short case" and own:
        return _named(one, own)
    if seen.kind == "short case" and (short := case_names.before(text, bound, seen.start)):
        return replace(one, start=short[0], name=normal.plain(short[1]), defendant=short[1])
    if seen.kind == "short case" and before and before[-1].kind == "short case" and _parallel(text, bound, seen.start):
        return replace(one, name=before[-1].name, plaintiff=before[-1].plaintiff, defendant=before[-1].defendant)
    return one


def _with_parties(
    text: str, one: Citation, seen: Seen, own: case_names.Name | None, before: Sequence[Citation]
) -> Citation:
    """A citation with the case name before it; a parallel citation has the name of the one before it."""
    if own:
        return replace(_named(one, own), kind="full case")
    bound = before[-1].end if before else 0
    last = before[-1] if before and _parallel(text, bound, seen.start) else None
    if last and last.kind == "short case":
        return replace(one, name=last.name, plaintiff=last.plaintiff, defendant=last.defendant)
    if last and last.kind == "full case":
        return replace(one, kind="full case", name=last.name, plaintiff=last.plaintiff, defendant=last.defendant,
                       year=one.year or last.year)  # fmt: skip
    at = text.find(seen.plaintiff, max(bound, seen.from_), seen.start) if seen.plaintiff and seen.defendant else -1
    if at >= 0:
        said = case_names.normal(seen.plaintiff, seen.defendant)
        return replace(one, start=at, kind="full case", name=said, plaintiff=seen.plaintiff, defendant=seen.defendant)
    lone = seen.defendant or seen.antecedent
    at = text.rfind(lone, bound, seen.start) if lone and LONE.fullmatch(lone) else -1
    if at >= 0 and _parallel(text, at + len(lone or ""), seen.start):
        return replace(one, start=at, defendant=lone, name=normal.plain(lone or ""))
    return one


def _dated(text: str, seen: Seen, start: int, ahead: int) -> bool:
    """Whether the year that eyecite tells is in the citation: it also takes those of its neighbours."""
    return seen.year is not None and str(seen.year) in text[start : min(seen.to, ahead)]


def _shared(text: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations with court and year of the last of parallel ones: `1 U.S. 12, 14, 1 S. Ct. 2 (4th Cir. 1982)`."""
    made = list(found)
    for at in range(len(made) - 2, -1, -1):
        one, following = made[at], made[at + 1]
        cases = {one.kind, following.kind} <= {"full case", "reporter"}
        if cases and one.year is None and following.year and _parallel(text, one.end, following.start):
            made[at] = replace(one, year=following.year, court=following.court or one.court)
    return made


def _named(one: Citation, name: case_names.Name) -> Citation:
    said = case_names.normal(name.plaintiff, name.defendant)
    return replace(one, start=name.start, name=said, plaintiff=name.plaintiff, defendant=name.defendant)


def _meets(text: str, start: int, end: int) -> bool:
    """Whether what is between a name and a reporter makes them one citation."""
    return end - start <= GAP and BETWEEN.fullmatch(text, start, end) is not None


def _parallel(text: str, start: int, end: int) -> bool:
    """Whether nothing but a comma or a bracket is between."""
    return end - start <= GAP and PARALLEL.fullmatch(text, start, end) is not None


def _tail(text: str, seen: Seen, ahead: int) -> tuple[int, int | None, str | None]:
    """Where the citation ends: behind its pin cite, and behind the court and year in brackets."""
    end = max(seen.end, seen.pin_end or 0)
    if seen.kind == "statute" and seen.pin and text.startswith(seen.pin, seen.end):
        end = seen.end + len(seen.pin)
    end = min(end, ahead)
    if seen.kind in ("id", "supra"):
        end = seen.start + len(text[seen.start : end].rstrip(",; "))
    hit = YEAR.match(text, end)
    if hit is None or hit.end() > ahead or seen.kind in ("id", "supra", "reference"):
        return end, None, None
    return hit.end(), int(hit["year"]), hit["court"].strip(" ,") or None


def _rule(text: str, rule: court_rules.Rule) -> Citation:
    said = text[rule.start : rule.end]
    number = rule.number.casefold() + (f"-{rule.last}" if rule.last else "")
    if rule.set:
        return Citation(rule.start, rule.end, "rule", said, f"{rule.set} {number}", reporter=rule.set,
                        page=rule.number, last=rule.last)  # fmt: skip
    return Citation(rule.start, rule.end, "short rule", said, f"rule {number}", page=rule.number, last=rule.last,
                    confidence=0.5)  # fmt: skip


def _name(text: str, name: case_names.Name) -> Citation:
    said = case_names.normal(name.plaintiff, name.defendant)
    return Citation(
        name.start,
        name.end,
        "case name",
        text[name.start : name.end],
        said,
        said,
        name.plaintiff,
        name.defendant,
        confidence=0.8,
    )


def _back(one: Citation, text: str, made: Clean) -> Citation:
    """The same citation at its offsets in the original text."""
    start, end = made.start(one.start), made.end(one.end)
    return replace(one, start=start, end=end, text=text[start:end])

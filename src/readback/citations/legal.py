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
    r"[\w.,)] v\.\s[A-Z]|\b(?:In re|Ex parte)\s[A-Z]|\bR\. (?:Civ|Crim|Evid|App|Bankr)\b|\bRule \d+\(|"
    r"\b\d{1,4}\s(?:U\. ?S\.|F\.|S\. ?Ct\.|L\. ?Ed\.|[NS]\. ?[EWY]\.|A\. ?\d|P\. ?\d|So\. ?\d|WL\s)[\w. ]{0,12}[\s§]|"
    r"\b\d{1,4}\s[A-Z][\w.' ]{0,16}\.(?: ?\d?d)?\s\d{1,5}\s\((?:[^()]{0,40}\s)?\d{4}\)|§ ?\d"
)
# What may stand between a case's name and its reporter: court and year, a reporter without numbers, `supra`, a docket
# number, an opening bracket.
BETWEEN = re.compile(
    r"[,\s]*(?:\(\d{4}\)|\([^()]{0,60}\d{4}\))?[,\s]*(?:[_—–-]+ [^,;()]{1,20} [_—–-]+,?)?(?:supra,)?"
    r"(?:Nos?\. [^\s,;]{1,30},)?[\s\[(]*"
)
PIECE = 40_000  # characters that eyecite gets at once
GAP = 160  # characters
LONE = re.compile(r"[A-Z][\w.'’&-]*(?: [A-Z][\w.'’&-]*){0,2}")  # `Bakke` in `Bakke, 438 U. S. 265`
PARALLEL = re.compile(r"[,\s]*[\[(]?")
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
    return resolve.resolved(tuple(_back(one, text, made) for one in _found(made.text)))


def may_cite(text: str) -> bool:
    """Whether a search can find anything; cheap, and wrong only by saying yes."""
    return HINT.search(text) is not None


def likely(text: str) -> bool:
    """Whether a text most probably cites; cheap, and wrong in both directions."""
    return LIKELY.search(text) is not None


def _found(text: str) -> Iterator[Citation]:
    """All citations in the order of the text: none overlaps another, and no name is counted twice."""
    from readback.citations import eyes  # eyecite compiles its database: only for whoever searches

    seen = [one for start, stop in _pieces(text) for one in eyes.look(text[start:stop], start)]
    named = case_names.names(text)
    found: list[Citation] = []
    for number, one in enumerate(seen):
        ahead = seen[number + 1].start if number + 1 < len(seen) else len(text)
        found.append(_citation(text, one, _name_before(named, one.start), found, ahead))
    own = (
        [_rule(text, rule) for rule in court_rules.rules(text)],
        list(statutes.statutes(text)),
        [_name(text, name) for name in named],
    )
    for group in own:
        taken = Taken((one.start, one.end) for one in found)
        found += [one for one in group if taken.free(one.start, one.end)]
    yield from sorted(found, key=lambda one: (one.start, one.end))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The text in stretches that end with a paragraph or a sentence.

    eyecite looks through all that follows for each full citation it finds: a book would take it hours.
    """
    start = 0
    while len(text) - start > PIECE:
        stop = start + PIECE
        cut = max(text.rfind("\n", start, stop), text.rfind(". ", start, stop) + 1)
        stop = cut if cut > start else stop
        yield start, stop
        start = stop
    yield start, len(text)


def _name_before(named: Sequence[case_names.Name], at: int) -> case_names.Name | None:
    number = bisect_right(named, at, key=lambda name: name.end)
    return named[number - 1] if number else None


def _citation(text: str, seen: Seen, name: case_names.Name | None, before: Sequence[Citation], ahead: int) -> Citation:
    """One of eyecite's citations, from its parties to its year; `name` is the last case name before it."""
    bound = before[-1].end if before else 0
    end, year, court = _tail(text, seen, ahead)
    own = name if name and bound <= name.start and _meets(text, name.end, seen.start) else None
    one = Citation(
        seen.start,
        end,
        seen.kind,
        text[seen.start : seen.end],
        normal.of(seen),
        volume=seen.volume,
        reporter=seen.reporter,
        page=seen.page,
        year=None if seen.kind == "short case" else seen.year or year,
        pin=seen.pin,
        court=seen.court or court,
        confidence=1.0 if seen.kind in ("reporter", "statute", "journal", "short case") else 0.7,
    )
    if seen.kind == "reporter":
        return _with_parties(text, one, seen, own, before)
    if seen.kind == "supra" and own:
        return _named(one, own)
    if seen.kind in ("supra", "reference"):
        party = seen.antecedent or seen.defendant
        said = normal.plain(party or seen.plaintiff or "")
        return replace(one, start=max(bound, seen.from_), name=said, plaintiff=seen.plaintiff, defendant=party)
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
    if before and before[-1].kind == "full case" and _parallel(text, bound, seen.start):
        last = before[-1]
        return replace(one, kind="full case", name=last.name, plaintiff=last.plaintiff, defendant=last.defendant,
                       year=one.year or last.year)  # fmt: skip
    if seen.plaintiff and seen.defendant:
        at = text.find(seen.plaintiff, max(bound, seen.from_), seen.start)
        said = case_names.normal(seen.plaintiff, seen.defendant)
        start = at if at >= 0 else max(bound, seen.from_)
        return replace(one, start=min(start, seen.start), kind="full case", name=said, plaintiff=seen.plaintiff,
                       defendant=seen.defendant)  # fmt: skip
    lone = seen.defendant or seen.antecedent
    if lone and LONE.fullmatch(lone) and _parallel(text, seen.from_ + len(lone), seen.start):
        return replace(one, start=max(bound, seen.from_), defendant=lone, name=normal.plain(lone))
    return one


def _named(one: Citation, name: case_names.Name) -> Citation:
    said = case_names.normal(name.plaintiff, name.defendant)
    return replace(one, start=name.start, name=said, plaintiff=name.plaintiff, defendant=name.defendant)


def _meets(text: str, start: int, end: int) -> bool:
    """Whether what stands between a name and a reporter makes them one citation."""
    return end - start <= GAP and BETWEEN.fullmatch(text, start, end) is not None


def _parallel(text: str, start: int, end: int) -> bool:
    """Whether nothing but a comma or a bracket stands between."""
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
    if rule.set:
        return Citation(
            rule.start, rule.end, "rule", said, f"{rule.set} {rule.number}", reporter=rule.set, page=rule.number
        )
    return Citation(rule.start, rule.end, "short rule", said, f"rule {rule.number}", page=rule.number, confidence=0.5)


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

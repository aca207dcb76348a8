"""Judge whether the citations of an answer are in its source, and compute precision, recall and hallucination rate.

Source: *Data Format Guide* (ChonghaoSu/legal_opensource). Citations are compared by normal form; a rate over no
citations is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readback.citations.citation import Citation
from readback.citations.numbers import is_in_range
from readback.citations.resolve import find_full_form, is_same_name, is_same_number

State = Literal[
    "supported",
    "year differs",  # supported, with another year
    "altered",  # the source has the case under other numbers
    "absent",
    "unclear",  # a short form that cannot be resolved
]
SUPPORTED = frozenset(("supported", "year differs"))
RULES = ("rule", "short rule")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of one citation; `source` is the citation of the source that it was compared with, if there is one."""

    citation: Citation
    state: State
    source: Citation | None = None

    @property
    def key(self) -> str:
        """The normal form it is counted by: that of the source where supported, so that short forms count as full."""
        if self.source and self.state in SUPPORTED:
            return self.source.normal
        return self.citation.normal

    @property
    def counts(self) -> bool:
        """Whether metrics count it: a short rule that the source does not have may be any of several rules."""
        if self.state == "unclear":
            return False
        return self.citation.kind != "short rule" or self.state != "absent"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of distinct citations, by normal form."""

    cited: int  # in the answer
    supported: int  # of those, in the source
    expected: int  # in the source
    recalled: int  # of those, in the answer

    @property
    def precision(self) -> float | None:
        """The supported share of the cited; None where nothing is cited."""
        if not self.cited:
            return None
        return self.supported / self.cited

    @property
    def recall(self) -> float | None:
        """The recalled share of the expected; None where the source has no citations."""
        if not self.expected:
            return None
        return self.recalled / self.expected

    @property
    def hallucination(self) -> float | None:
        """The unsupported share of the cited; None where nothing is cited."""
        if not self.cited:
            return None
        return (self.cited - self.supported) / self.cited


def judge_citations(citations: Sequence[Citation], source: Sequence[Citation]) -> tuple[Verdict, ...]:
    """Return a verdict for each citation of an answer, in their order. A short form has that of its full citation."""
    by_normal: dict[str, list[Citation]] = {}
    for citation in source:
        if citation.normal and not citation.is_short:
            by_normal.setdefault(citation.normal, []).append(citation)
    verdicts: dict[int, Verdict] = {}
    for index, citation in enumerate(citations):
        if citation.resolves_to is None:
            verdicts[index] = _judge_citation(citation, by_normal, source)
    answer = []
    for index, citation in enumerate(citations):
        verdict = verdicts[index if citation.resolves_to is None else citation.resolves_to]
        answer.append(Verdict(citation, verdict.state, verdict.source))
    return tuple(answer)


def count_verdicts(verdicts: Sequence[Verdict], source: Sequence[Citation]) -> Numbers:
    """Return the counts behind precision, recall and hallucination rate of an answer."""
    counted = [verdict for verdict in verdicts if verdict.counts and verdict.key]
    cited = {verdict.key for verdict in counted}
    supported = {verdict.key for verdict in counted if verdict.state in SUPPORTED}
    expected = {
        verdict.normal
        for verdict in source
        if verdict.normal and (verdict.kind != "short rule" or verdict.resolves_to is not None)
    }
    expected |= supported & {verdict.normal for verdict in source}
    return Numbers(len(cited), len(supported), len(expected), len(supported & expected))


def _judge_citation(citation: Citation, by_normal: dict[str, list[Citation]], source: Sequence[Citation]) -> Verdict:
    if candidates := by_normal.get(citation.normal):
        same_year = next(
            (
                candidate
                for candidate in candidates
                if None in (citation.year, candidate.year) or citation.year == candidate.year
            ),
            None,
        )
        return Verdict(citation, "supported" if same_year else "year differs", same_year or candidates[0])
    if citation.kind in ("rule", "statute") and (wider := _find_wider(citation, source)):
        return Verdict(citation, "supported", wider)
    if citation.is_short:
        return _judge_short(citation, source)
    same_named = [
        candidate for candidate in source if not candidate.is_short and is_same_name(citation.name, candidate.name)
    ]
    if citation.kind == "case name" and same_named:
        return Verdict(citation, "supported", same_named[0])
    numbered = next((candidate for candidate in same_named if candidate.kind == "full case"), None)
    if citation.kind == "full case" and numbered:
        return Verdict(citation, "altered", numbered)
    return Verdict(citation, "absent")


def _judge_short(citation: Citation, source: Sequence[Citation]) -> Verdict:
    full = find_full_form(citation, source)
    if full is None and citation.kind == "short rule":
        full = next(
            (candidate for candidate in source if candidate.kind in RULES and _covers(candidate, citation)), None
        )
    if full is not None:
        return Verdict(citation, "supported", full)
    return Verdict(citation, "absent" if citation.kind in ("short case", "short rule") else "unclear")


def _find_wider(citation: Citation, source: Sequence[Citation]) -> Citation | None:
    """Return the citation of the source that covers a rule or a statute in another form, or None.

    A range that contains it, a part of the rule that is cited as a whole, or the rule without the name of its set:
    `Rule 12(b)(6)`, where the source names no other set.
    """
    candidates = [
        candidate
        for candidate in source
        if candidate.kind == citation.kind and _code_of(candidate) == _code_of(citation)
    ]
    ends = [
        next((candidate for candidate in candidates if _covers(candidate, end)), None) for end in _split_ends(citation)
    ]
    if all(ends):
        return ends[0]
    sets = {_code_of(candidate) for candidate in source if candidate.kind == "rule"}
    if citation.kind != "rule" or (sets and _code_of(citation) not in sets):
        return None
    unnamed = (candidate for candidate in source if candidate.kind == "short rule" and candidate.resolves_to is None)
    return next((candidate for candidate in unnamed if _covers(candidate, citation)), None)


def _split_ends(citation: Citation) -> tuple[Citation, ...]:
    """Return the first and the last of a range; anything else alone."""
    if not citation.last:
        return (citation,)
    first = citation.normal.removesuffix(f"-{citation.last}")
    return tuple(
        replace(citation, normal=normal, last=None) for normal in (first, f"{_code_of(citation)} {citation.last}")
    )


def _covers(candidate: Citation, citation: Citation) -> bool:
    """Return whether `candidate`, of the source, is the same rule or section, a part of it, or a range around it."""
    number, source_number = citation.normal.rpartition(" ")[2], candidate.normal.rpartition(" ")[2]
    if candidate.last:
        return is_in_range(number, source_number.removesuffix(f"-{candidate.last}"), candidate.last)
    return is_same_number(citation, candidate) or (
        citation.kind != "statute" and source_number.startswith(f"{number}(")
    )


def _code_of(citation: Citation) -> str:
    return citation.normal.rpartition(" ")[0]

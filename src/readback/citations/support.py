"""Whether the citations of an answer are in its source, and the numbers made of that.

From the *Data Format Guide* (ChonghaoSu/legal_opensource): compared by normal form; nothing found is not a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readback.citations.citation import Citation
from readback.citations.numbers import within
from readback.citations.resolve import same_name, same_number, stands_for

State = Literal[
    "supported",
    "year differs",  # supported, with another year
    "altered",  # the source has the case under other numbers
    "absent",
    "unclear",  # a short form, and nothing says what it stands for
]
SUPPORTED = frozenset(("supported", "year differs"))
RULES = ("rule", "short rule")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one citation; `source` is the one it was held against, where there is one."""

    citation: Citation
    state: State
    source: Citation | None = None

    @property
    def key(self) -> str:
        """What it is counted by: the source's normal form where it has one, so that a short form counts as its full."""
        return self.source.normal if self.source and self.state in SUPPORTED else self.citation.normal

    @property
    def counts(self) -> bool:
        """Whether metrics count it. A short rule that the source does not have may be any of several rules."""
        return self.state != "unclear" and not (self.citation.kind == "short rule" and self.state == "absent")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Citations by normal form: found in the answer, those of them that the source has, and how many the source has.

    A ratio of nothing is None: not applicable.
    """

    found: int
    supported: int
    expected: int
    recalled: int

    @property
    def precision(self) -> float | None:
        return self.supported / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        return self.recalled / self.expected if self.expected else None

    @property
    def hallucination(self) -> float | None:
        return (self.found - self.supported) / self.found if self.found else None


def judged(citations: Sequence[Citation], source: Sequence[Citation]) -> tuple[Verdict, ...]:
    """A verdict for each citation of an answer, in their order. A short form has that of what it stands for."""
    by_normal: dict[str, list[Citation]] = {}
    for one in source:
        if one.normal and not one.short:
            by_normal.setdefault(one.normal, []).append(one)
    made: dict[int, Verdict] = {}
    for number, one in enumerate(citations):
        if one.resolves_to is None:
            made[number] = _verdict(one, by_normal, source)
    told = []
    for number, one in enumerate(citations):
        of = made[number if one.resolves_to is None else one.resolves_to]
        told.append(Verdict(one, of.state, of.source))
    return tuple(told)


def numbers(verdicts: Sequence[Verdict], source: Sequence[Citation]) -> Numbers:
    """Precision, recall and hallucination rate of an answer."""
    counted = [one for one in verdicts if one.counts and one.key]
    found = {one.key for one in counted}
    supported = {one.key for one in counted if one.state in SUPPORTED}
    expected = {
        one.normal for one in source if one.normal and (one.kind != "short rule" or one.resolves_to is not None)
    }
    expected |= supported & {one.normal for one in source}
    return Numbers(len(found), len(supported), len(expected), len(supported & expected))


def _verdict(one: Citation, by_normal: dict[str, list[Citation]], source: Sequence[Citation]) -> Verdict:
    if there := by_normal.get(one.normal):
        same_year = next((other for other in there if None in (one.year, other.year) or one.year == other.year), None)
        return Verdict(one, "supported" if same_year else "year differs", same_year or there[0])
    if one.kind in ("rule", "statute") and (wider := _wider(one, source)):
        return Verdict(one, "supported", wider)
    if one.short:
        return _short(one, source)
    named = [other for other in source if not other.short and same_name(one.name, other.name)]
    if one.kind == "case name" and named:
        return Verdict(one, "supported", named[0])
    numbered = next((other for other in named if other.kind == "full case"), None)
    if one.kind == "full case" and numbered:
        return Verdict(one, "altered", numbered)
    return Verdict(one, "absent")


def _short(one: Citation, source: Sequence[Citation]) -> Verdict:
    full = stands_for(one, source)
    if full is None and one.kind == "short rule":
        full = next((other for other in source if other.kind in RULES and _covers(other, one)), None)
    if full is not None:
        return Verdict(one, "supported", full)
    return Verdict(one, "absent" if one.kind in ("short case", "short rule") else "unclear")


def _wider(one: Citation, source: Sequence[Citation]) -> Citation | None:
    """The citation of the source that says the same of a rule or a statute in other words.

    A range that it lies in, a part of the rule that is cited as a whole, or the rule without the name of its set:
    `Rule 12(b)(6)`, where no other set is named that may be meant.
    """
    there = [other for other in source if other.kind == one.kind and _code(other) == _code(one)]
    ends = [next((other for other in there if _covers(other, end)), None) for end in _ends(one)]
    if all(ends):
        return ends[0]
    sets = {_code(other) for other in source if other.kind == "rule"}
    if one.kind != "rule" or (sets and _code(one) not in sets):
        return None
    unnamed = (other for other in source if other.kind == "short rule" and other.resolves_to is None)
    return next((other for other in unnamed if _covers(other, one)), None)


def _ends(one: Citation) -> tuple[Citation, ...]:
    """A range as its first and its last; anything else as itself."""
    if not one.last:
        return (one,)
    first = one.normal.removesuffix(f"-{one.last}")
    return tuple(replace(one, normal=normal, last=None) for normal in (first, f"{_code(one)} {one.last}"))


def _covers(other: Citation, one: Citation) -> bool:
    """Whether a rule or section of the source is the one, a part of it, or a range around it."""
    number, there = one.normal.rpartition(" ")[2], other.normal.rpartition(" ")[2]
    if other.last:
        return within(number, there.removesuffix(f"-{other.last}"), other.last)
    return same_number(one, other) or (one.kind != "statute" and there.startswith(f"{number}("))


def _code(one: Citation) -> str:
    return one.normal.rpartition(" ")[0]

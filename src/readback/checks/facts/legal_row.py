"""What rules ask of a training row in the legal layout: its source, its answers, and what the source says of each.

Only rows whose prompt has that layout, or that carry the document beside it, are searched for citations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from readback.checks.facts import training_facts
from readback.citations import Citation, find_citations
from readback.citations.support import SUPPORTED, Numbers, Verdict, count_verdicts
from readback.citations.support import judge_citations as judge_citations
from readback.records.training_row import Turn
from readback.sources.legal_prompt import LegalPrompt
from readback.types import Location, RuleContext

DOCUMENTS = ("document_text", "chunk_text")  # fields that hold what the excerpt was taken from
KEPT = 64  # texts whose citations are kept, since several rules ask for them
SIMILAR = 0.8  # share of words that two answers have in common when nothing but a detail tells them apart


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a row. `verdicts` is None where nothing is there to hold its citations against."""

    name: str  # completion, chosen, rejected
    turn: Turn
    citations: tuple[Citation, ...]
    verdicts: tuple[Verdict, ...] | None

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def keys(self) -> frozenset[str]:
        """What it cites, by normal form."""
        if self.verdicts is None:
            return frozenset(one.normal for one in self.citations if one.normal)
        return frozenset(one.key for one in self.verdicts if one.counts and one.key)

    def of(self, *states: str) -> tuple[Verdict, ...]:
        """The verdicts of these states, each citation once; short forms go with what they stand for."""
        own = [one for one in self.verdicts or () if one.state in states and one.citation.resolves_to is None]
        return tuple({one.citation.normal or one.citation.text: one for one in reversed(own)}.values())[::-1]


@dataclass(frozen=True, slots=True)
class Row:
    """A row in the legal layout. `source` is None where it has neither excerpt nor document: not checkable."""

    prompt: LegalPrompt | None
    asked: Turn | None
    source: tuple[Citation, ...] | None
    answers: tuple[Answer, ...]

    def answer(self, name: str) -> Answer | None:
        return next((one for one in self.answers if one.name == name), None)

    @property
    def wanted(self) -> tuple[Answer, ...]:
        """The answers that a model is to learn."""
        return tuple(one for one in self.answers if one.name != "rejected")

    def numbers(self, answer: Answer) -> Numbers:
        return count_verdicts(answer.verdicts or (), self.source or ())


def row(case: RuleContext) -> Row | None:
    """The row of a record; None where it has nothing to do with the legal layout."""
    one, fields = training_facts.row(case), case.record.fields if case.record else {}
    if one is None or not one.answers:
        return None
    documents = [text for name in DOCUMENTS if isinstance(text := fields.get(name), str) and text.strip()]
    asked, prompt = training_facts.legal(one) or (one.question, None)
    if prompt is None and not documents:
        return None
    texts = [prompt.excerpt.text, *documents] if prompt and prompt.excerpt else documents
    source = tuple(found for text in texts for found in cited(text)) if texts else None
    return Row(prompt, asked, source, tuple(_answer(name, turn, source) for name, turn in training_facts.answers(one)))


@lru_cache(maxsize=KEPT)
def cited(text: str) -> tuple[Citation, ...]:
    """The legal citations of a text. Rules run in the bounded child, so the search is under its limits."""
    return find_citations(text)


def place(answer: Answer, citation: Citation) -> Location:
    """Where a citation of an answer is in its field."""
    return training_facts.spot(answer.turn, citation.start, citation.end)


def similar(one: str, other: str) -> bool:
    """Whether two answers have most of their words in common."""
    a, b = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return 2 * (a & b).total() >= SIMILAR * (a.total() + b.total())


def same(one: str, other: str) -> bool:
    """Whether two texts are equal but for white space, which another rule reports."""
    return one.split() == other.split()


def missing(chosen: Answer, rejected: Answer) -> Iterator[Citation]:
    """What the chosen answer cites and the rejected one does not, each once; where known, of those the source has."""
    said = {one.citation.start: one for one in chosen.verdicts or ()}
    # What is there under other numbers is altered, not left out.
    seen = {one.source.normal for one in rejected.of("altered") if one.source}
    for one in chosen.citations:
        verdict = said.get(one.start)
        key = verdict.key if verdict else one.normal
        good = verdict is None or (verdict.counts and verdict.state in SUPPORTED)
        if one.resolves_to is None and good and key and key not in rejected.keys | seen:
            seen.add(key)
            yield one


def _answer(name: str, turn: Turn, source: tuple[Citation, ...] | None) -> Answer:
    citations = cited(turn.text)
    return Answer(name, turn, citations, None if source is None else judge_citations(citations, source))

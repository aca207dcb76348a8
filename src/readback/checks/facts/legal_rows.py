"""Read a training row in the legal layout: its source, its answers, and what the source says of their citations.

Only rows whose prompt has that layout, or that carry the document in a field, are searched for citations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from readback.checks.facts import training_rows
from readback.citations import Citation
from readback.citations import find_citations as search_citations
from readback.citations.support import SUPPORTED, Numbers, Verdict, count_verdicts
from readback.citations.support import judge_citations as judge_citations
from readback.records.training.training_row import Turn
from readback.sources.legal_prompt import LegalPrompt
from readback.types import Location, RuleContext

DOCUMENTS = ("document_text", "chunk_text")  # fields of the document that the excerpt was taken from
MAX_TEXTS = 64  # texts whose citations are cached, since several rules ask for them
SIMILAR = 0.8  # share of words that two answers have in common if only a detail differs


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a row. `verdicts` is None if the row has no source to compare its citations with."""

    name: str  # completion, chosen, rejected
    turn: Turn
    citations: tuple[Citation, ...]
    verdicts: tuple[Verdict, ...] | None

    @property
    def text(self) -> str:
        """The text of the answer."""
        return self.turn.text

    @property
    def keys(self) -> frozenset[str]:
        """The normal forms of what it cites."""
        if self.verdicts is None:
            return frozenset(citation.normal for citation in self.citations if citation.normal)
        return frozenset(verdict.key for verdict in self.verdicts if verdict.counts and verdict.key)

    def list_verdicts(self, *states: str) -> tuple[Verdict, ...]:
        """Return the verdicts of these states, each citation once, without the short forms of full citations.

        A citation that comes several times has its first verdict, at its last place.
        """
        by_citation: dict[str, Verdict] = {}
        for verdict in reversed(self.verdicts or ()):
            citation = verdict.citation
            if verdict.state in states and citation.resolves_to is None:
                by_citation[citation.normal or citation.text] = verdict
        return tuple(reversed(by_citation.values()))


@dataclass(frozen=True, slots=True)
class LegalRow:
    """A row in the legal layout. `source` is None if it has neither excerpt nor document, and so cannot be checked."""

    prompt: LegalPrompt | None
    question: Turn | None
    source: tuple[Citation, ...] | None
    answers: tuple[Answer, ...]

    def get_answer(self, name: str) -> Answer | None:
        """Return the answer of that name."""
        return next((answer for answer in self.answers if answer.name == name), None)

    @property
    def target_answers(self) -> tuple[Answer, ...]:
        """The answers that a model is to learn."""
        return tuple(answer for answer in self.answers if answer.name != "rejected")

    def count_verdicts(self, answer: Answer) -> Numbers:
        """Return the counts of citations of an answer and of the source."""
        return count_verdicts(answer.verdicts or (), self.source or ())


def read_row(case: RuleContext) -> LegalRow | None:
    """Return the row of a record; None if it has nothing to do with the legal layout."""
    row, fields = training_rows.read_row(case), case.record.fields if case.record else {}
    if row is None or not row.answers:
        return None
    documents = [text for name in DOCUMENTS if isinstance(text := fields.get(name), str) and text.strip()]
    question, prompt = training_rows.find_legal_prompt(row) or (row.question, None)
    if prompt is None and not documents:
        return None
    if prompt and prompt.excerpt:
        texts = [prompt.excerpt.text, *documents]
    else:
        texts = documents
    if texts:
        source = tuple(citation for text in texts for citation in find_citations(text))
    else:
        source = None
    answers = tuple(_build_answer(name, turn, source) for name, turn in training_rows.list_answers(row))
    return LegalRow(prompt, question, source, answers)


def _build_answer(name: str, turn: Turn, source: tuple[Citation, ...] | None) -> Answer:
    citations = find_citations(turn.text)
    return Answer(name, turn, citations, None if source is None else judge_citations(citations, source))


@lru_cache(maxsize=MAX_TEXTS)
def find_citations(text: str) -> tuple[Citation, ...]:
    """Return the legal citations of a text. Rules run in the bounded child, so the search is under its limits."""
    return search_citations(text)


def locate_citation(answer: Answer, citation: Citation) -> Location:
    """Return the place of a citation in the field of its answer."""
    return training_rows.locate(answer.turn, citation.start, citation.end)


def are_similar(text: str, other: str) -> bool:
    """Return whether two answers have most of their words in common."""
    counts, other_counts = (Counter(re.findall(r"\w+", answer.casefold())) for answer in (text, other))
    return 2 * (counts & other_counts).total() >= SIMILAR * (counts.total() + other_counts.total())


def are_equal(text: str, other: str) -> bool:
    """Return whether two texts are equal but for white space, which another rule reports."""
    return text.split() == other.split()


def list_missing_citations(chosen: Answer, rejected: Answer) -> Iterator[Citation]:
    """Yield what the chosen answer cites and the rejected one does not, each once.

    If the row has a source, only citations that the source supports.
    """
    verdicts = {verdict.citation.start: verdict for verdict in chosen.verdicts or ()}
    # A citation that the rejected answer has under other numbers is altered, not missing.
    excluded = set(rejected.keys)
    excluded |= {verdict.source.normal for verdict in rejected.list_verdicts("altered") if verdict.source}
    for citation in chosen.citations:
        verdict = verdicts.get(citation.start)
        key = verdict.key if verdict else citation.normal
        is_supported = verdict is None or (verdict.counts and verdict.state in SUPPORTED)
        if citation.resolves_to is None and is_supported and key and key not in excluded:
            excluded.add(key)
            yield citation

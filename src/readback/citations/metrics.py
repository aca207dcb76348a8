"""Numbers of `[n]` marks: precision, recall, and two coverages that must not be mixed.

From the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff). `context_coverage` is what its evaluation
computes, `answer_coverage` what its dataset builder stored; the same answer may have 0.38 of one and 0.72 of the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readback.citations.marks import marks

SHORTEST = 3  # words of coverage are longer, those of grounding at least as long
WORD = re.compile(r"[A-Za-z0-9']+")


@dataclass(frozen=True, slots=True)
class MarkNumbers:
    """What an answer's marks come to over its contexts, which count from 1.

    `referenced` are the numbers it cites, wrong ones too; `missing` the contexts it does not cite; `extra` the wrong
    ones. A ratio of nothing is None: nothing cited, or nothing to cite. The coverages are by context.
    """

    referenced: tuple[int, ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    precision: float | None
    recall: float | None
    context_coverages: Mapping[int, float]
    answer_coverages: Mapping[int, float]
    grounded_fraction: float

    @property
    def context_coverage(self) -> float:
        """The mean over the contexts that are cited; 0 where none is."""
        return _mean(self.context_coverages)

    @property
    def answer_coverage(self) -> float:
        """The mean over the contexts that are cited; 0 where none is."""
        return _mean(self.answer_coverages)


def measured(answer: str, contexts: Sequence[str]) -> MarkNumbers:
    """The numbers of an answer over the contexts as the model read them."""
    count = len(contexts)
    referenced = tuple(sorted({mark.number for mark in marks(answer)}))
    extra = tuple(number for number in referenced if not 1 <= number <= count)
    valid = [number for number in referenced if 1 <= number <= count]
    missing = tuple(number for number in range(1, count + 1) if number not in set(valid))
    return MarkNumbers(
        referenced,
        missing,
        extra,
        len(valid) / len(referenced) if referenced else None,
        (count - len(missing)) / count if count else None,
        {number: context_coverage(answer, contexts[number - 1]) for number in valid},
        {number: answer_coverage(answer, contexts[number - 1]) for number in valid},
        grounded_fraction(answer, contexts),
    )


def context_coverage(answer: str, context: str) -> float:
    """The share of a context's words that the answer has too.

    Words are split at white space, in small letters, longer than three characters, with their punctuation; a word
    that comes twice counts twice. 0 for a context without such words.
    """
    there = set(_words(answer))
    words = _words(context)
    return sum(word in there for word in words) / len(words) if words else 0.0


def answer_coverage(answer: str, context: str) -> float:
    """The share of the answer's vocabulary that the context has too; 0 for an answer without words."""
    said = set(_words(answer))
    return len(said & set(_words(context))) / len(said) if said else 0.0


def grounded_fraction(answer: str, contexts: Sequence[str]) -> float:
    """The share of the answer's tokens (of letters, digits and `'`, at least three) that some context has too."""
    there = {token for context in contexts for token in _tokens(context)}
    tokens = _tokens(answer)
    return sum(token in there for token in tokens) / len(tokens) if tokens else 0.0


def _words(text: str) -> list[str]:
    return [word for word in text.lower().split() if len(word) > SHORTEST]


def _tokens(text: str) -> list[str]:
    return [token for token in WORD.findall(text.lower()) if len(token) >= SHORTEST]


def _mean(values: Mapping[int, float]) -> float:
    return sum(values.values()) / len(values) if values else 0.0

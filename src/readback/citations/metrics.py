"""Compute numbers of `[n]` marks: precision, recall, and two coverages that must not be mixed.

Source: *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff). Its evaluation computes `context_coverage`, its
dataset builder stored `answer_coverage`; the same answer may have 0.38 of the first and 0.72 of the second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readback.citations.marks import find_marks

SHORTEST = 3  # characters: words that coverage counts are longer, tokens of grounding have at least as many
WORD = re.compile(r"[A-Za-z0-9']+")


@dataclass(frozen=True, slots=True)
class MarkNumbers:
    """Numbers of an answer's marks over its contexts, which count from 1.

    `referenced` holds the numbers it cites, wrong ones too; `missing` the contexts it does not cite; `extra` the wrong
    numbers. `precision` is None where nothing is cited, `recall` where there are no contexts. The coverages are keyed
    by the number of the context.
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
        """The mean over the cited contexts; 0 where none is cited."""
        return _compute_mean(self.context_coverages)

    @property
    def answer_coverage(self) -> float:
        """The mean over the cited contexts; 0 where none is cited."""
        return _compute_mean(self.answer_coverages)


def measure_marks(answer: str, contexts: Sequence[str]) -> MarkNumbers:
    """Return the numbers of an answer over the contexts as the model read them."""
    count = len(contexts)
    referenced = tuple(sorted({mark.number for mark in find_marks(answer)}))
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
    """Return the share of a context's words that the answer has too.

    Words are split at white space, in small letters, longer than three characters, with their punctuation; a word
    that comes twice counts twice. 0 for a context without such words.
    """
    answer_words = set(_split_words(answer))
    words = _split_words(context)
    if not words:
        return 0.0
    return sum(word in answer_words for word in words) / len(words)


def answer_coverage(answer: str, context: str) -> float:
    """Return the share of the answer's vocabulary that the context has too; 0 for an answer without words."""
    answer_words = set(_split_words(answer))
    if not answer_words:
        return 0.0
    return len(answer_words & set(_split_words(context))) / len(answer_words)


def grounded_fraction(answer: str, contexts: Sequence[str]) -> float:
    """Return the share of the answer's tokens (of letters, digits and `'`, at least three) that a context has too."""
    context_tokens: set[str] = set()
    for context in contexts:
        context_tokens.update(_find_tokens(context))
    tokens = _find_tokens(answer)
    if not tokens:
        return 0.0
    return sum(token in context_tokens for token in tokens) / len(tokens)


def _split_words(text: str) -> list[str]:
    return [word for word in text.lower().split() if len(word) > SHORTEST]


def _find_tokens(text: str) -> list[str]:
    return [token for token in WORD.findall(text.lower()) if len(token) >= SHORTEST]


def _compute_mean(values: Mapping[int, float]) -> float:
    if values:
        return sum(values.values()) / len(values)
    return 0.0

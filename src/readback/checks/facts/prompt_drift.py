"""Compare a stored prompt with the standard one: its sentences, the order of its parts, its question, its contexts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from readback.checks.facts.contexts import extend_to_number, find_in_prompt
from readback.checks.facts.repetitions import blank_out, find_first_difference, normalize
from readback.checks.facts.stored_prompt import list_context_texts, remove_number
from readback.checks.facts.text_units import BREAK, GAP, SHORT, Words, split_words
from readback.records.record_memo import remember
from readback.sources.templates.prompt_texts import NO_CITATIONS, NO_CONTEXTS, SENTENCES, STANDARD, UNKNOWN
from readback.types import Values

CONTEXT = re.compile(r"(?:^|(?<=\n))Context:")
QUESTION, ANSWER = "Question:", "Answer:"
CITE = SENTENCES[1]
KNOWN = frozenset(map(split_words, (*SENTENCES, NO_CITATIONS, NO_CONTEXTS, "Context:", QUESTION, ANSWER)))
SECOND = NO_CITATIONS  # what the program writes in place of CITE where a row needs no citations
BEGINNING = 40  # characters by which the beginning of a context is recognised

Span = tuple[int, int]
Sentence = tuple[Span, str, Words]
Cut = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Drift:
    """`extra` and `missing` sentences; `extra_span` is the first run of extra ones.

    `no_citations`: the program's other second sentence. `other_question`: another question than the record's.
    `reordered`: the parts are in another order. `blanks_start`: the first character where only blanks or capitals
    differ. `cut`: contexts that are there in part, as (number, characters there, characters in all).
    """

    extra: tuple[str, ...] = ()
    extra_span: Span | None = None
    missing: tuple[str, ...] = ()
    no_citations: bool = False
    other_question: str | None = None
    reordered: bool = False
    blanks_start: int | None = None
    cut: tuple[Cut, ...] = ()

    @property
    def any(self) -> bool:
        """Whether the prompt differs; contexts that are cut are left to fmt-context-not-sent."""
        words_differ = self.extra or self.missing or self.no_citations or self.other_question is not None
        return bool(words_differ) or self.reordered or self.blanks_start is not None


def find_drift(text: str, fields: Values, question: str, reported: Sequence[Span]) -> Drift:
    """Return how a text differs from the standard prompt for its contexts and `question`.

    `reported` are the spans of which other rules have findings.
    """
    key = (find_drift, text, question, tuple(reported))
    return remember(fields, key, lambda: _find_drift(text, fields, question, reported))


def _find_drift(text: str, fields: Values, question: str, reported: Sequence[Span]) -> Drift:
    contexts = find_in_prompt(text, fields)
    own, cut = _remove_cut_contexts(blank_out(text, (*contexts, *reported)), list_context_texts(fields))
    question_start, answer_start = own.rfind(QUESTION), own.rfind(ANSWER)
    if 0 <= question_start < answer_start:
        tail = (question_start, answer_start + len(ANSWER))
    else:
        tail = None

    sentences = _split_sentences(_remove_tail(own, tail))
    starts = {words: span[0] for span, _, words in reversed(sentences)}
    extra = [(span, sentence) for span, sentence, words in sentences if words not in KNOWN]
    no_citations = split_words(NO_CITATIONS) in starts and split_words(CITE) not in starts
    missing = [sentence for sentence in SENTENCES if split_words(sentence) not in starts]
    if no_citations:
        missing = [sentence for sentence in missing if sentence != CITE]

    own_question = question
    if tail:
        own_question = own[question_start + len(QUESTION) : answer_start].replace(GAP, " ").strip()
    parts = [starts[split_words(sentence)] for sentence in SENTENCES if split_words(sentence) in starts]
    head = CONTEXT.search(own)
    if head:
        parts.append(head.start())
    if tail:
        parts.append(question_start)

    drift = Drift(
        extra=tuple(" ".join(sentence.split()) for _, sentence in extra),
        extra_span=_find_first_run([span for span, _ in extra], own),
        missing=tuple(missing),
        no_citations=no_citations,
        other_question=None if normalize(own_question) == normalize(question) else own_question,
        reordered=any(following < part for part, following in pairwise(parts)),
        cut=tuple(cut),
    )
    if drift.any or cut or reported or not tail:
        return drift
    return Drift(blanks_start=_find_blanks(text, contexts, question, question_start))


def _remove_tail(own: str, tail: Span | None) -> str:
    """Return a prompt without its question: most prompts end with it, and what is before it is the same in many."""
    if tail is None:
        return own
    if own[tail[1] :]:
        return blank_out(own, [tail])
    return own[: tail[0]]


def _split_sentences(own: str) -> tuple[Sentence, ...]:
    if len(own) < SHORT:
        return _split_short(own)
    return _split_long(own)


def _split_long(own: str) -> tuple[Sentence, ...]:
    """Return the sentences outside of gaps, without blanks at their ends and without those that have no word."""
    sentences: list[Sentence] = []
    for stretch in re.finditer(rf"[^{GAP}]+", own):
        start = stretch.start()
        for sentence_break in (*BREAK.finditer(own, stretch.start(), stretch.end()), None):
            if sentence_break:
                end = sentence_break.start()
            else:
                end = stretch.end()
            piece = own[start:end]
            words = split_words(piece)
            if words:
                text = piece.strip()
                text_start = start + len(piece) - len(piece.lstrip())
                sentences.append(((text_start, text_start + len(text)), text, words))
            if sentence_break:
                start = sentence_break.end()
            else:
                start = end
    return tuple(sentences)


_split_short = lru_cache(maxsize=64)(_split_long)


def _remove_cut_contexts(own: str, contexts: Sequence[str]) -> tuple[str, list[Cut]]:
    """Return a prompt without the contexts of the record that begin in it and break off, and which those are."""
    cut: list[Cut] = []
    head = CONTEXT.search(own)
    if head is None:
        return own, cut
    for number, context in enumerate(contexts, 1):
        for text in _list_forms(context):
            if text:
                start = own.find(text[:BEGINNING], head.end())
            else:
                start = -1
            if start >= 0:
                length = find_first_difference(own[start:], text)
                own = blank_out(own, [(extend_to_number(own, start), start + length)])
                cut.append((number, length, len(text)))
                break
    return own, cut


def _list_forms(context: str) -> Iterator[str]:
    """Yield a context with its number, and without it."""
    yield context
    without_number = remove_number(context)
    if without_number != context:
        yield without_number


def _find_first_run(spans: Sequence[Span], own: str) -> Span | None:
    """Return the first of the spans, extended by those that follow it directly."""
    if not spans:
        return None
    start, end = spans[0]
    for next_start, next_end in spans[1:]:
        if own[end:next_start].strip():
            break
        end = next_end
    return start, end


def _find_blanks(text: str, contexts: Sequence[Span], question: str, question_start: int) -> int | None:
    """Return the first character that differs from the standard prompt, all of whose words are there; None if equal."""
    head = f"{STANDARD} {UNKNOWN}\n\nContext:\n"
    first = contexts[0][0] if contexts else len(head)
    if text[:first] != head:
        return find_first_difference(text[:first], head)
    tails = [f"{QUESTION} {form}\n{ANSWER}" for form in (question.strip(), question)]
    tail = text[question_start:].rstrip()
    if tail in tails:
        return None
    return question_start + find_first_difference(tail, tails[0])

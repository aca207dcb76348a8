"""How a stored prompt differs from the standard one: sentences more and fewer, the order of its parts, its question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from readback.checks.facts.outside_contexts import from_number, in_stored
from readback.checks.facts.overlapping import blanked, normal
from readback.checks.facts.stored_prompt import bare, context_texts
from readback.checks.facts.text_units import BREAK
from readback.checks.facts.text_words import GAP, SHORT, Words, words
from readback.records.record_memo import remember
from readback.sources.prompt_texts import NO_CITATIONS, NO_CONTEXTS, SENTENCES, STANDARD, UNKNOWN
from readback.types import Values

CONTEXT = re.compile(r"(?:^|(?<=\n))Context:")
QUESTION, ANSWER = "Question:", "Answer:"
CITE = SENTENCES[1]
KNOWN = frozenset(map(words, (*SENTENCES, NO_CITATIONS, NO_CONTEXTS, "Context:", QUESTION, ANSWER)))
SECOND = NO_CITATIONS  # what the program writes in place of CITE where a row needs no citations
BEGINNING = 40  # characters by which the beginning of a context is known

Span = tuple[int, int]
Sentence = tuple[Span, str, Words]
Cut = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Drift:
    """`extra` and `missing` sentences; `extra_at`: where the first run of extra ones is.

    `no_citations`: the program's other second sentence. `asks`: another question than the record's. `order`: the parts
    are in another order. `blanks`: the character from which only blanks or capitals differ. `cut`: contexts that are
    there in part: (number, characters there, characters in all).
    """

    extra: tuple[str, ...] = ()
    extra_at: Span | None = None
    missing: tuple[str, ...] = ()
    no_citations: bool = False
    asks: str | None = None
    order: bool = False
    blanks: int | None = None
    cut: tuple[Cut, ...] = ()

    @property
    def any(self) -> bool:
        """Whether it differs; contexts that are cut are told by fmt-context-not-sent."""
        differs = self.extra or self.missing or self.no_citations or self.asks is not None or self.order
        return bool(differs) or self.blanks is not None


def drift(text: str, fields: Values, question: str, told: Sequence[Span]) -> Drift:
    """`text` against the standard prompt for its contexts and `question`; `told`: what other rules speak of."""
    return remember(fields, (drift, text, question, tuple(told)), lambda: _drift(text, fields, question, told))


def _drift(text: str, fields: Values, question: str, told: Sequence[Span]) -> Drift:
    contexts, listed = in_stored(text, fields), context_texts(fields)
    return _against(text, blanked(text, (*contexts, *told)), contexts, listed, question, told)


def _against(
    text: str, own: str, contexts: Sequence[Span], listed: Sequence[str], question: str, told: Sequence[Span]
) -> Drift:
    """`own` is `text` without its contexts and what is told."""
    own, cut = _without_parts(own, listed)
    head, asked, answer = CONTEXT.search(own), own.rfind(QUESTION), own.rfind(ANSWER)
    said = (asked, answer + len(ANSWER)) if 0 <= asked < answer else None
    # Without what is asked: most prompts end with it, and what is before it is the same in many.
    found = _sentences(blanked(own, [said]) if said and own[said[1] :] else own[: said[0]] if said else own)
    present = {spoken: span[0] for span, _, spoken in reversed(found)}
    extra = [(span, one) for span, one, spoken in found if spoken not in KNOWN]
    no_citations = words(NO_CITATIONS) in present and words(CITE) not in present
    missing = [one for one in SENTENCES if words(one) not in present and not (no_citations and one == CITE)]
    asks = own[asked + len(QUESTION) : answer].replace(GAP, " ").strip() if said else question
    parts = [
        at for at in (*(present.get(words(one), -1) for one in SENTENCES), head.start() if head else -1) if at >= 0
    ]
    order = [*parts, *([asked] if said else [])]
    one = Drift(
        extra=tuple(" ".join(sentence.split()) for _, sentence in extra),
        extra_at=_run([span for span, _ in extra], own),
        missing=tuple(missing),
        no_citations=no_citations,
        asks=None if normal(asks) == normal(question) else asks,
        order=any(after < before for before, after in pairwise(order)),
        cut=tuple(cut),
    )
    return one if one.any or cut or told or not said else Drift(blanks=_blanks(text, contexts, question, asked))


def _sentences(own: str) -> tuple[Sentence, ...]:
    return _short(own) if len(own) < SHORT else _long(own)


def _long(own: str) -> tuple[Sentence, ...]:
    """The sentences outside gaps, without blanks at their ends; marks without a word are none."""
    found: list[Sentence] = []
    for stretch in re.finditer(rf"[^{GAP}]+", own):
        at = stretch.start()
        for sentence in (*BREAK.finditer(own, stretch.start(), stretch.end()), None):
            end = sentence.start() if sentence else stretch.end()
            piece = own[at:end]
            if spoken := words(piece):
                text = piece.strip()
                start = at + len(piece) - len(piece.lstrip())
                found.append(((start, start + len(text)), text, spoken))
            at = sentence.end() if sentence else end
    return tuple(found)


_short = lru_cache(maxsize=64)(_long)


def _without_parts(own: str, listed: Sequence[str]) -> tuple[str, list[Cut]]:
    """The text without contexts of the record that begin in it and break off; and which those are."""
    cut: list[Cut] = []
    head = CONTEXT.search(own)
    for number, context in enumerate(listed if head else (), 1):
        alone = bare(context)
        for text in (context,) if alone == context else (context, alone):
            at = own.find(text[:BEGINNING], head.end() if head else 0) if text else -1
            if at >= 0:
                there = _first_difference(own[at:], text)
                own = blanked(own, [(from_number(own, at), at + there)])
                cut.append((number, there, len(text)))
                break
    return own, cut


def _run(spans: Sequence[Span], own: str) -> Span | None:
    """The first of the spans, with those that follow it directly."""
    if not spans:
        return None
    start, end = spans[0]
    for a, b in spans[1:]:
        if own[end:a].strip():
            break
        end = b
    return start, end


def _blanks(text: str, contexts: Sequence[Span], question: str, asked: int) -> int | None:
    """The first character that is not the standard prompt's, where all words are."""
    head = f"{STANDARD} {UNKNOWN}\n\nContext:\n"
    first = contexts[0][0] if contexts else len(head)
    if text[:first] != head:
        return _first_difference(text[:first], head)
    tails = [f"{QUESTION} {one}\n{ANSWER}" for one in (question.strip(), question)]
    tail = text[asked:].rstrip()
    return None if tail in tails else asked + _first_difference(tail, tails[0])


def _first_difference(one: str, other: str) -> int:
    """The first character in which two texts differ."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))

"""Find system text inside a user message or a stored prompt: where it is, what states it, and how similar it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from readback.checks.facts.contexts import find_uncertain_ends
from readback.checks.facts.repetitions import LONG, RUN, Hit, blank_out, find_repetitions, normalize
from readback.checks.facts.stored_prompt import list_context_texts
from readback.checks.facts.text_units import (
    MAX_SEEDS,
    build_index,
    get_following,
    get_preceding,
    is_continued,
    is_list_of_names,
    is_sentence_start,
    list_stems,
    locate_words,
    may_contain,
    split_words,
)
from readback.records import record_memo
from readback.records.fields import row_fields
from readback.sources.leak_phrases import GO_ON, PHRASES, ROLES
from readback.types import Leaks, Message, RuleContext, SystemText, Values

Span = tuple[int, int]

QUOTATION = re.compile(
    r"\"[^\"\n]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‹[^›]*›|「[^」]*」|‘[^‘\n]*?’(?!\w)|(?<!\w)'[^\n]*?'(?!\w)|`[^`\n]*`"
)
QUESTION = re.compile(r"(?:^|(?<=\n))Question:")
STORED = frozenset({"rag_prompt", "prompt"})  # fields of whole prompts, of which only a part is the question

OWN = ("system", "task", "template", "variable", "default", "unknown")  # origins of a system text, without additions
NO_FIELDS: Values = {}  # of no record
MAX_LEAKS = 100  # leaks of one message that are reported; more tell nothing more
PART = "part"  # a leak that gives way to a phrase at its place, which says more
MAX_SOURCES = 3  # places that state one text and are named in a finding


@dataclass(frozen=True, slots=True)
class Leak:
    """`text[start:end]` is system text, which the `sources` state.

    `inside`: it is inside retrieved text or a quotation, where it is no fault. `names`: it is a list of names (labels,
    fields), which both texts need; what else they share would be no leak.
    """

    start: int
    end: int
    sources: tuple[str, ...]
    how: str
    share: float
    needed: float
    inside: bool = False
    names: bool = False


class PhraseHit(NamedTuple):
    """`text[start:end]` is `phrase`."""

    start: int
    end: int
    phrase: str


def find_leaks(case: RuleContext, text: str, folded: Sequence[Span], contexts: Sequence[Span]) -> list[Leak]:
    """Return the system text in a text: outside of the contexts in order, then inside them.

    `folded` are the spans that the assembly put there on purpose, which are no leaks.
    """
    fields, settings = case.record.fields if case.record else NO_FIELDS, case.workspace.leaks
    texts, is_judge = list_system_texts(case), bool(case.assembly and case.assembly.choice.judge)
    key = (find_leaks, text, tuple(folded), tuple(contexts), tuple(map(id, texts)), id(settings), is_judge)
    # The result holds the objects whose ids are in the key.
    return record_memo.remember(
        fields, key, lambda: (texts, settings, _find_leaks(case, text, folded, contexts, texts))
    )[2]


def _find_leaks(
    case: RuleContext, text: str, folded: Sequence[Span], contexts: Sequence[Span], texts: Sequence[SystemText]
) -> list[Leak]:
    if case.record:
        fields = case.record.fields
    else:
        fields = NO_FIELDS
    sources = tuple(system.text for system in texts)
    threshold = case.workspace.leaks.threshold
    ends = () if list_context_texts(fields) else find_uncertain_ends(text, contexts)
    starts_of_ends = {end: start for start, end in reversed(ends)}
    contexts = [(start, starts_of_ends.get(end, end)) for start, end in contexts]

    outside = blank_out(text, (*folded, *contexts))
    leaks = [_build_leak(hit, texts, outside) for hit in _find_hits(outside, sources, threshold, True)]
    phrases = list(_find_phrase_leaks(case, outside, [leak for leak in leaks if leak.how != PART], False))
    leaks = [leak for leak in leaks if leak.how != PART or not any(_overlap(leak, phrase) for phrase in phrases)]
    if leaks or phrases:
        quotations = list(find_quotations(text, fields))
    else:
        quotations = []
    judged = (_judge_place(text, leak, ends, quotations) for leak in leaks + phrases)
    leaks = [leak for leak in judged if leak is not None]

    if contexts:
        inside = blank_out(text, _list_gaps(len(text), contexts))
        hits = _find_hits(inside, sources, threshold, False)
        quoted = [_build_leak(hit, texts, inside, True) for hit in hits]
        leaks += [*quoted, *_find_phrase_leaks(case, inside, quoted, True)]
    return sorted(leaks, key=lambda leak: (leak.inside, leak.start))[:MAX_LEAKS]


@lru_cache(maxsize=4)
def _find_hits(text: str, sources: tuple[str, ...], threshold: float, edits: bool) -> tuple[Hit, ...]:
    """Return the repetitions; cached, since several rules ask and several conditions send the same stored prompt."""
    return find_repetitions(text, sources, threshold, edits)


def _build_leak(hit: Hit, texts: Sequence[SystemText], text: str, inside: bool = False) -> Leak:
    whole = texts[hit.source].text
    normal = normalize(whole)
    limit = RUN if hit.part else LONG
    names = is_list_of_names(text[hit.start : hit.end], frozenset(split_words(whole)), limit)
    sources = dict.fromkeys(_describe_source(system) for system in texts if normalize(system.text) == normal)
    return Leak(hit.start, hit.end, tuple(sources)[:MAX_SOURCES], hit.how, hit.share, hit.needed, inside, names)


def _describe_source(system: SystemText) -> str:
    """Return the kind of a system text, whose it is, its file and line."""
    place = system.place
    line = f"{place.file}:{place.line}" if place.file and place.line else place.file
    return " ".join(part for part in (system.source, system.name, line and f"({line})") if part)


def _find_phrase_leaks(case: RuleContext, text: str, leaks: Sequence[Leak], inside: bool) -> Iterator[Leak]:
    """Yield the phrases of the list outside of `leaks`; none for a judge, whose prompt may use any of them."""
    if case.assembly and case.assembly.choice.judge:
        return
    for hit in find_phrases(text, get_phrases(case.workspace.leaks)):
        if not any(_overlap(leak, hit) for leak in leaks):
            threshold = case.workspace.leaks.threshold
            yield Leak(hit.start, hit.end, (f'the phrase list: "{hit.phrase}"',), "phrase", 1.0, threshold, inside)


def _overlap(leak: Leak, other: Leak | PhraseHit) -> bool:
    return leak.start < other.end and other.start < leak.end


def _judge_place(text: str, leak: Leak, ends: Sequence[Span], quotations: Iterable[Span]) -> Leak | None:
    """Return a leak, marked as `inside` where it is in a quotation of the question or in the last context.

    After the first line of the last context, a line that begins with system text is no part of the context. Other
    lines are, and there only an unchanged text counts: None for any other.
    """
    is_uncertain = any(start <= leak.start < end for start, end in ends)
    if is_uncertain and text[: leak.start].rstrip(" \t")[-1:] not in ("\n", "\r"):
        if leak.how not in ("edited", PART):
            return replace(leak, inside=True)
        return None
    is_quoted = any(start < leak.start and leak.end < end for start, end in quotations)
    if is_quoted:
        return replace(leak, inside=True)
    return leak


def _list_gaps(length: int, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans between some spans, which are in order."""
    position = 0
    for start, end in spans:
        yield position, start
        position = end
    yield position, length


# The system texts that are searched for


def list_system_texts(case: RuleContext) -> tuple[SystemText, ...]:
    """Return the system texts of the workspace and the assembly's own; for a judge only the assembly's own."""
    texts = () if case.assembly and case.assembly.choice.judge else case.workspace.system_texts
    if case.assembly is None:
        return texts
    assembly, fields = case.assembly, case.record.fields if case.record else NO_FIELDS
    key = (list_system_texts, id(assembly), id(texts))
    own = record_memo.remember(fields, key, lambda: (assembly, texts, tuple(_list_own_texts(case))))[2]
    return (*texts, *(system for system in own if all(system.text != other.text for other in texts)))


def _list_own_texts(case: RuleContext) -> Iterator[SystemText]:
    """Yield the assembly's own system text, in its message or folded, without what adapters and instructions append."""
    end = _find_folded_end(case)
    messages = [*case.messages("system")]
    if end:
        messages += case.messages("user")
    for message in messages:
        segments = []
        offset = 0
        for segment in message.segments:
            if (message.role == "system" or offset < end) and segment.origin in OWN:
                segments.append(segment)
            offset += len(segment.text)
        written = [segment for segment in segments if segment.origin not in ("variable", "default")]
        if any(split_words(segment.text) for segment in written):  # what a record brings is not what authors state
            segments = written
        if segments:
            text = "".join(segment.text for segment in segments)
            yield SystemText(text, "configuration", segments[0].place, "of this message")


def find_folded(case: RuleContext, message: Message) -> list[Span]:
    """Return the spans of the system text that was folded into the user message for want of a system role."""
    if case.assembly:
        diagnostics = case.assembly.diagnostics
    else:
        diagnostics = ()
    spans = [(0, diagnostic.place.end or 0) for diagnostic in diagnostics if diagnostic.code == "asm-system-folded"]
    offset = 0
    for segment in message.segments:
        end = offset + len(segment.text)
        if segment.origin in ("system", "joiner"):
            spans.append((offset, end))
        offset = end
    return spans


def _find_folded_end(case: RuleContext) -> int:
    for diagnostic in case.assembly.diagnostics if case.assembly else ():
        if diagnostic.code == "asm-system-folded":
            return diagnostic.place.end or 0
    return 0


# Quotations and phrases


def find_quotations(text: str, fields: Values) -> Iterator[Span]:
    """Yield the spans of quotations in a prompt's question, marks included: what is quoted is not an instruction.

    The question is what follows the last line that begins with `Question:`; without such a line it is what the record's
    fields contain.
    """
    labels = [match.end() for match in QUESTION.finditer(text)]
    spans = [match.span() for match in QUOTATION.finditer(text, labels[-1] if labels else 0)]
    if labels:
        yield from spans
        return
    if row_fields.read_stored_prompt(fields):
        stored = STORED
    else:
        stored = frozenset[str]()
    values = [value for name, value in fields.items() if isinstance(value, str) and name not in stored]
    yield from (span for span in spans if any(text[slice(*span)] in value for value in values))


def get_phrases(leaks: Leaks) -> tuple[str, ...]:
    """Return the phrases of the workspace, else the usual ones that open a system message."""
    if leaks.phrases is None:
        return PHRASES
    return leaks.phrases


def find_phrases(text: str, phrases: Sequence[str]) -> tuple[PhraseHit, ...]:
    """Return the places of phrases in order; of two at one place the longer. Punctuation and capitals do not count."""
    index = build_index(tuple(phrases))
    if not may_contain(text, index):
        return ()
    words, stems = split_words(text), list_stems(text)
    pair_starts = (
        (first, number)
        for first, pair in enumerate(pairwise(stems))
        if pair in index.pairs
        for number, position in index.pairs[pair]
        if not position
    )
    starts = list(islice(pair_starts, MAX_SEEDS))
    if index.single:
        starts += [(first, number) for first, word in enumerate(stems) for number in index.single.get(word, ())]
    hits: list[PhraseHit] = []
    for first, number in sorted(starts, key=lambda start: (start[0], -len(index.units[start[1]].words))):
        unit = index.units[number]
        end = first + len(unit.words)
        if not unit.is_whole or words[first:end] != unit.words:
            continue
        hit = PhraseHit(*locate_words(text, first, end), phrases[unit.source])
        if (not hits or hit.start >= hits[-1].end) and _is_role_intended(text, hit):
            hits.append(hit)
    return tuple(hits)


def _is_role_intended(text: str, hit: PhraseHit) -> bool:
    """Return whether a phrase that names a role opens a sentence and its next word does not name another role."""
    if not hit.phrase.casefold().startswith(ROLES):
        return True
    following = get_following(text, hit.end)
    next_word = split_words(following)[:1]
    if not is_sentence_start(get_preceding(text, hit.start)):
        return False
    return not is_continued(following) or next_word[0] in GO_ON

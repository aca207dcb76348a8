"""System text inside a user message or a stored prompt: where it is, whose it is and how much alike it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from readback.checks.facts.outside_contexts import open_ends
from readback.checks.facts.overlapping import LONG, RUN, Hit, blanked, normal, overlaps
from readback.checks.facts.sentence_edges import after, before, begins, goes_on, only_names
from readback.checks.facts.stored_prompt import context_texts
from readback.checks.facts.text_units import SEEDS, index, may_hold
from readback.checks.facts.text_words import span, stems, words
from readback.records import record_memo, row_fields
from readback.sources.leak_phrases import GO_ON, PHRASES, ROLES
from readback.types import Leaks, Location, Message, RuleContext, SystemText, Values


class Said(NamedTuple):
    """`text[start:end]` is `phrase`."""

    start: int
    end: int
    phrase: str


QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‹[^›]*›|「[^」]*」|‘[^‘\n]*?’(?!\w)|(?<!\w)'[^\n]*?'(?!\w)|`[^`\n]*`"
)
ASKED = re.compile(r"(?:^|(?<=\n))Question:")
STORED = frozenset({"rag_prompt", "prompt"})  # whole prompts, of which only a part is asked


OWN = ("system", "task", "template", "variable", "default", "unknown")  # a system message without what is appended
NO_FIELDS: Values = {}  # of no record
MOST = 100  # hits in one message that are told; more tell nothing more
PART = "part"  # a hit that a phrase at its place goes before, since it says more
STATED = 3  # places that state one text that a finding names


@dataclass(frozen=True, slots=True)
class Leak:
    """`text[start:end]` is system text, `stated` there; `inside` retrieved text or a quotation, where it is none.

    `names`: it is a list of names (labels, fields), which both texts need; what is shared beside it would be no leak.
    """

    start: int
    end: int
    stated: tuple[str, ...]
    how: str
    share: float
    needed: float
    inside: bool = False
    names: bool = False


def leaks(
    case: RuleContext, text: str, folded: Sequence[tuple[int, int]], contexts: Sequence[tuple[int, int]]
) -> list[Leak]:
    """The system text in `text`: outside the contexts, then inside them; what was folded in on purpose is none."""
    fields, looked = case.record.fields if case.record else NO_FIELDS, case.workspace.leaks
    known, judge = system_texts(case), bool(case.assembly and case.assembly.choice.judge)
    asked = (leaks, text, tuple(folded), tuple(contexts), tuple(map(id, known)), id(looked), judge)
    return record_memo.remember(fields, asked, lambda: (known, looked, _leaks(case, text, folded, contexts, known)))[2]


def _leaks(
    case: RuleContext,
    text: str,
    folded: Sequence[tuple[int, int]],
    contexts: Sequence[tuple[int, int]],
    known: Sequence[SystemText],
) -> list[Leak]:
    fields = case.record.fields if case.record else NO_FIELDS
    sources = tuple(stated.text for stated in known)
    ends = () if context_texts(fields) else open_ends(text, contexts)
    contexts = [(start, next((at for at, until in ends if until == end), end)) for start, end in contexts]
    own = blanked(text, (*folded, *contexts))
    found = [_leak(hit, known, own) for hit in _overlaps(own, sources, case.workspace.leaks.threshold, True)]
    said = list(_said(case, own, [one for one in found if one.how != PART], False))
    found = [one for one in found if one.how != PART or not any(_meet(one, phrase) for phrase in said)] + said
    found = [one for leak in found if (one := _as_said(text, leak, ends, quotations(text, fields)))]
    if contexts:
        inner = blanked(text, _between(len(text), contexts))
        hits = _overlaps(inner, sources, case.workspace.leaks.threshold, False)
        quoted = [_leak(hit, known, inner, True) for hit in hits]
        found += [*quoted, *_said(case, inner, quoted, True)]
    return sorted(found, key=lambda leak: (leak.inside, leak.start))[:MOST]


def system_texts(case: RuleContext) -> tuple[SystemText, ...]:
    """The texts that are looked for: every one of the workspace, and the assembly's own; for a judge only its own."""
    known = () if case.assembly and case.assembly.choice.judge else case.workspace.system_texts
    if case.assembly is None:
        return known
    assembly, fields = case.assembly, case.record.fields if case.record else NO_FIELDS
    asked = (system_texts, id(assembly), id(known))
    own = record_memo.remember(fields, asked, lambda: (assembly, known, tuple(_own(case))))[2]
    return (*known, *(one for one in own if all(one.text != other.text for other in known)))


def folded(case: RuleContext, message: Message) -> list[tuple[int, int]]:
    """Where the system text was folded into the user message, for want of a system role: that is no leak."""
    diagnostics = case.assembly.diagnostics if case.assembly else ()
    found = [(0, diagnostic.place.end or 0) for diagnostic in diagnostics if diagnostic.code == "asm-system-folded"]
    start = 0
    for segment in message.segments:
        end = start + len(segment.text)
        if segment.origin in ("system", "joiner"):
            found.append((start, end))
        start = end
    return found


def _own(case: RuleContext) -> Iterator[SystemText]:
    """The assembly's own system text, in its message or folded; what adapters and instructions appended is left out."""
    diagnostics = case.assembly.diagnostics if case.assembly else ()
    end = next((diagnostic.place.end or 0 for diagnostic in diagnostics if diagnostic.code == "asm-system-folded"), 0)
    for message in (*case.messages("system"), *(case.messages("user") if end else ())):
        parts = []
        at = 0
        for segment in message.segments:
            if message.role == "system" or at < end:
                parts += [segment] if segment.origin in OWN else []
            at += len(segment.text)
        written = [part for part in parts if part.origin not in ("variable", "default")]
        if any(words(part.text) for part in written):  # what a record brings along is not what the authors state
            parts = written
        if parts:
            yield SystemText("".join(part.text for part in parts), "configuration", parts[0].place, "of this message")


@lru_cache(maxsize=4)
def _overlaps(text: str, sources: tuple[str, ...], threshold: float, edits: bool) -> tuple[Hit, ...]:
    """Kept for a moment: several rules ask, and several conditions send the same stored prompt."""
    return overlaps(text, sources, threshold, edits)


def _leak(hit: Hit, known: Sequence[SystemText], text: str, inside: bool = False) -> Leak:
    whole = known[hit.which].text
    said = normal(whole)
    names = only_names(text[hit.start : hit.end], frozenset(words(whole)), RUN if hit.part else LONG)
    stated = dict.fromkeys(_where(one) for one in known if normal(one.text) == said)
    return Leak(hit.start, hit.end, tuple(stated)[:STATED], hit.how, hit.share, hit.needed, inside, names)


def _said(case: RuleContext, text: str, found: Sequence[Leak], inside: bool) -> Iterator[Leak]:
    """Phrases of the list, where no system text was found already; a judge's prompt may say what it likes."""
    if case.assembly and case.assembly.choice.judge:
        return
    for said in phrases(text, listed(case.workspace.leaks)):
        if not any(_meet(one, said) for one in found):
            needed = case.workspace.leaks.threshold
            yield Leak(said.start, said.end, (f'the phrase list: "{said.phrase}"',), "phrase", 1.0, needed, inside)


def _meet(one: Leak, other: Leak | Said) -> bool:
    return one.start < other.end and other.start < one.end


def _as_said(text: str, leak: Leak, ends: Sequence[tuple[int, int]], quoted: Iterable[tuple[int, int]]) -> Leak | None:
    """A leak as what it is where it may be none: inside a quotation of the question, or of the last context.

    What begins a line behind a context is no part of it; inside a line it is, and then only the very text counts.
    """
    carried = any(start <= leak.start < end for start, end in ends)
    if carried and text[: leak.start].rstrip(" \t")[-1:] not in ("\n", "\r"):
        return replace(leak, inside=True) if leak.how not in ("edited", PART) else None
    inside = any(start < leak.start and leak.end < end for start, end in quoted)
    return replace(leak, inside=True) if inside else leak


def _between(length: int, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What lies outside the spans, which are in order."""
    at = 0
    for start, end in spans:
        yield at, start
        at = end
    yield at, length


def _where(stated: SystemText) -> str:
    """What states a system text: its kind, whose it is, its file and line."""
    at: Location = stated.place
    line = f"{at.file}:{at.line}" if at.file and at.line else at.file
    return " ".join(part for part in (stated.source, stated.name, line and f"({line})") if part)


# What a question quotes: a phrase between quotation marks is spoken about, and nobody speaks it.
def quotations(text: str, fields: Values) -> Iterator[tuple[int, int]]:
    """Where a prompt's question quotes something, marks included.

    The question is what is behind the last line that begins with `Question:`; without one it is what the record
    asks, which its fields hold.
    """
    asked = [match.end() for match in ASKED.finditer(text)]
    found = [match.span() for match in QUOTED.finditer(text, asked[-1] if asked else 0)]
    if asked:
        yield from found
        return
    stored = STORED if row_fields.read_stored_prompt(fields) else frozenset[str]()
    said = [value for name, value in fields.items() if isinstance(value, str) and name not in stored]
    yield from (span for span in found if any(text[slice(*span)] in value for value in said))


# Phrases that open a system message, where they are in a text: whole words, and the role they name unchanged.


def listed(leaks: Leaks) -> tuple[str, ...]:
    """The phrases that are looked for: those of the workspace, else the usual ones."""
    return PHRASES if leaks.phrases is None else leaks.phrases


def phrases(text: str, known: Sequence[str]) -> tuple[Said, ...]:
    """Where the phrases stand, in order; of two at one place the longer. Punctuation and capitals are left aside."""
    looked = index(tuple(known))
    if not may_hold(text, looked):
        return ()
    own, beginnings = words(text), stems(text)
    every = (
        (at, number)
        for at, pair in enumerate(pairwise(beginnings))
        if pair in looked.pairs
        for number, place in looked.pairs[pair]
        if not place
    )
    starts = list(islice(every, SEEDS))
    if looked.single:
        starts += [(at, number) for at, word in enumerate(beginnings) for number in looked.single.get(word, ())]
    found: list[Said] = []
    for at, number in sorted(starts, key=lambda start: (start[0], -len(looked.units[start[1]].words))):
        unit = looked.units[number]
        if unit.whole and own[at : at + len(unit.words)] == unit.words:
            one = Said(span(text, at)[0], span(text, at + len(unit.words) - 1)[1], known[unit.which])
            if (not found or one.start >= found[-1].end) and _as_meant(text, one):
                found.append(one)
    return tuple(found)


def _as_meant(text: str, one: Said) -> bool:
    """Whether a phrase that names a role opens a sentence and names no other role with its next word."""
    if not one.phrase.casefold().startswith(ROLES):
        return True
    following = after(text, one.end)
    next_word = words(following)[:1]
    return begins(before(text, one.start)) and (not goes_on(following) or next_word[0] in GO_ON)

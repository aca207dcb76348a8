"""A judge's rubric with placeholders: {{QUESTION}}, {{CONTEXTS}}, {{EXPECTED_RESPONSE}}, {{ASSISTANT_RESPONSE}}.

Source: the judge configurations of ignaciolinari/beyond-the-cutoff (MIT). Its program replaces one placeholder after
the other, so that one inside a value is filled in as well; here every placeholder of the rubric is filled in once, and
one inside a value is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from readback.prompts.judge_values import Filled, Value, absent, documents
from readback.prompts.tri_section import Segments, compact
from readback.types import Diagnostic, Judge, Location, Segment

PLACEHOLDERS = {
    "QUESTION": "question",
    "ASSISTANT_RESPONSE": "answer",
    "CONTEXTS": "documents",
    "EXPECTED_RESPONSE": "gold",
}
BRACES = re.compile(r"\{\{(" + "|".join(PLACEHOLDERS) + r")\}\}")
BARE = re.compile("(QUESTION|ASSISTANT_RESPONSE|CONTEXTS)")  # old rubrics: no braces, no reference
EMPTY = {"documents": "(No contexts provided)", "gold": "(No reference answer provided)"}


def fill(judge: Judge, values: Mapping[str, Value]) -> Filled:
    """The rubric filled in once; values are stripped, contexts a blank line apart."""
    pattern = BARE if judge.bare else BRACES
    texts, faults = documents(values["documents"])
    pieces = {name: _piece(values[name], texts) for name in PLACEHOLDERS.values()}
    segments: list[Segment] = []
    names: dict[str, Location] = {}
    end = 0
    for hit in pattern.finditer(judge.user):
        segments += [_literal(judge, end, hit.start()), *pieces[PLACEHOLDERS[hit[1]]]]
        names.setdefault(hit[1], _literal(judge, hit.start(), hit.end()).place)
        end = hit.end()
    segments.append(_literal(judge, end, len(judge.user)))
    used = {PLACEHOLDERS[name] for name in names}
    diagnostics = (*absent(judge, used, values, faults), *_placeholders(pattern, values, used))
    return Filled(compact(segments), tuple(names.items()), diagnostics)


def _piece(found: Value, texts: tuple[str, ...]) -> Segments:
    if found.name == "documents":
        items = [found.item(i, text.strip()) for i, text in enumerate(texts)]
        joined = (s for i, item in enumerate(items) for s in ((Segment("\n\n", "joiner"), item) if i else (item,)))
        piece = compact(joined)
    else:
        piece = compact([Segment(found.text.strip(), "variable", found.name, found.place)])
    return piece or compact([Segment(EMPTY.get(found.name, ""), "joiner")])


def _placeholders(pattern: re.Pattern[str], values: Mapping[str, Value], used: set[str]) -> Iterator[Diagnostic]:
    for name in sorted(used):
        one = values[name]
        for hit in dict.fromkeys(hit[0] for hit in pattern.finditer(one.text)):
            said = {"name": name, "field": one.field, "placeholder": hit}
            yield Diagnostic("jdg-placeholder-in-data", said, one.place, hit)


def _literal(judge: Judge, start: int, end: int) -> Segment:
    place = judge.place
    if place.line is not None:
        place = replace(place, line=place.line + judge.user.count("\n", 0, start), column=None)
    return Segment(judge.user[start:end], "template", judge.name, place)

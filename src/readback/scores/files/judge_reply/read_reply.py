"""Read a judge's reply: an object (the whole text, a fenced block, braces), else a mapping or a usual plain form."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from readback.readers.json_text import Decoder, NotJson
from readback.scores.files.judge_reply.json_objects import Found, Span, holds, inner, objects
from readback.scores.files.judge_reply.plain_forms import find_plain_scores
from readback.types import Diagnostic, Location

Step = Literal["whole", "fence json", "fence", "braces", "python mapping", "plain form"]

OPENS, CLOSES = "<think>", "</think>"
FENCE = re.compile(r"`{3,}+[ \t]*+([\w+.-]*+)[^\S\n]*+\s*+", re.ASCII)
CLOSING = re.compile(r"\s*+```", re.ASCII)
FIRST_JSON = re.compile(r"```json\s*(.*?)\s*```", re.DOTALL)
# A quoted text or a word of a mapping that Python printed: `{'score': 8, 'ok': True}`.
PYTHON_TOKEN = re.compile(r"'((?:[^'\\\n]|\\.)*+)'|\"((?:[^\"\\\n]|\\.)*+)\"|\b(True|False|None)\b")
JSON_WORDS = {"True": "true", "False": "false", "None": "null"}
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MEANT = {"n": "\n", "t": "\t", "r": "\r"}
MOST = 100  # other objects of an ambiguous reply whose places are kept


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read, and how. `value` is None where nothing could be; then `refused` may say why.

    `span` is where the text read is, `thought` what was dropped as thinking, `others` the further objects that
    say something else. All are characters of the reply, from 0.
    """

    step: Step | None = None
    value: Mapping[str, Any] | None = None
    span: Span | None = None
    thought: tuple[Span, ...] = ()
    others: tuple[Span, ...] = ()
    refused: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unknown_form: bool = False  # there is an answer without a brace in it, of which no number can be read

    @property
    def ambiguous(self) -> bool:
        """Whether another object of the reply says something else."""
        return bool(self.others)


def read(text: str, keys: Collection[str], *, upstream: Literal[None, "rag", "rubric"] = None) -> Reply:
    """Find the object in a judge's reply that holds one of `keys` (any object, where `keys` is empty).

    Thinking is dropped first. Then: the whole text; the last block fenced as `json`, else any other fenced block,
    the last first; else the last object in braces. An object without any of the keys is taken only from the whole
    text or a fenced block, and only where nothing better is there. Repeated keys, NaN and infinities are refused.

    `upstream` reads as the source programs do, to compare: `rag` as GRAG-LiveRAG (the first block fenced as `json`,
    else from the first `{` to the last `}`), `rubric` as beyond-the-cutoff (the whole text, else the same braces).
    Never raises, and takes time in proportion to the text.
    """
    if upstream:
        return _upstream(text, upstream)
    start, stop, thought = _thinking(text)
    all_objects = tuple(objects(text, start, stop))
    good = [candidate for candidate in all_objects if not candidate.refused]
    refused = tuple(dict.fromkeys(candidate.refused for candidate in all_objects if candidate.refused))[:MOST]
    steps = dict(_steps(text, start, stop, good))
    holding = [candidate for candidate in (_find_holder(candidate, keys) for candidate in good) if candidate]
    loose = [candidate for candidate in good if candidate.start in steps]
    chosen = _best(holding, steps) or _best(loose, steps)
    if chosen is None:
        return _without_object(text, (start, stop), keys, thought, refused)
    other = [candidate for candidate in holding if candidate.start != chosen.start and candidate.value != chosen.value][
        :MOST
    ]
    if chosen in good:
        step = steps.get(chosen.start, "braces")
    else:
        step = "braces"
    span, others = (chosen.start, chosen.end), tuple((candidate.start, candidate.end) for candidate in other)
    return Reply(step, chosen.value, span, thought, others, refused, tuple(_diagnostics(step, span, others)))


def read_plain(text: str, reply: Reply, criteria: Collection[str]) -> Reply:
    """Return the reply with the scores that it gives in a usual plain form, where no object was read of it."""
    if not reply.unknown_form:
        return reply
    start, stop, _ = _thinking(text)
    scores = find_plain_scores(text[start:stop], criteria)
    if not scores:
        return reply
    return replace(reply, step="plain form", value=scores, span=(start, stop), unknown_form=False)


def _without_object(
    text: str, part: Span, keys: Collection[str], thought: tuple[Span, ...], refused: tuple[str, ...]
) -> Reply:
    """Return what can be read of a reply without JSON: the mapping that Python printed, or that its form is unknown."""
    proper = text[part[0] : part[1]]
    if "{" not in proper:
        return Reply(thought=thought, refused=refused, unknown_form=bool(proper.strip()))
    if not refused:
        spelled = _spell_as_json(proper)
        good = [candidate for candidate in objects(spelled, 0, len(spelled)) if not candidate.refused]
        holding = [candidate for candidate in (_find_holder(candidate, keys) for candidate in good) if candidate]
        if holding:
            chosen = holding[-1]
        elif len(good) == 1 and _alone(spelled, good[0]):
            chosen = good[-1]
        else:
            chosen = None
        if chosen is not None:
            return Reply("python mapping", chosen.value, part, thought)
    return Reply(thought=thought, refused=refused)


def _alone(text: str, candidate: Found) -> bool:
    """Tell whether an object is all there is in a text but blanks."""
    return not (text[: candidate.start] + text[candidate.end :]).strip()


def _thinking(text: str) -> tuple[int, int, tuple[Span, ...]]:
    """Where the reply proper begins and ends: after the last block of thinking, before one that is never closed."""
    last = text.rfind(CLOSES)
    start = last + len(CLOSES) if last >= 0 else 0
    open_at = text.find(OPENS, start)
    stop = open_at if open_at >= 0 else len(text)
    return start, stop, tuple(span for span in ((0, start), (stop, len(text))) if span[0] < span[1])


def _find_holder(candidate: Found, keys: Collection[str]) -> Found | None:
    """Return the object, or the one inside it, that holds a key."""
    if holds(candidate.value, keys):
        return candidate
    within = inner(candidate.value, keys)
    if within is None:
        return None
    return Found(candidate.start, candidate.end, within)


def _steps(text: str, start: int, stop: int, good: list[Found]) -> Iterator[tuple[int, Step]]:
    """Yield the start of each object that is more than braces, with the step by which it is read."""
    ends = {candidate.start: candidate.end for candidate in good}
    at = start
    while fence := FENCE.search(text, at, stop):
        at = fence.end()
        if (end := ends.get(at)) is not None and (closing := CLOSING.match(text, end, stop)):
            yield at, "fence json" if fence[1].lower() == "json" else "fence"
            at = closing.end()
    if len(good) == 1 and not (text[start : good[0].start] + text[good[0].end : stop]).strip():
        yield good[0].start, "whole"


def _best(candidates: list[Found], steps: Mapping[int, Step]) -> Found | None:
    """Return the last object on the highest step; a block fenced as `json` is above others only if it is the last."""
    marked = [candidate for candidate in candidates if steps.get(candidate.start) == "fence json"][-1:]
    fenced = [candidate for candidate in candidates if candidate.start in steps][-1:]
    return next(iter(marked or fenced or candidates[-1:]), None)


def _diagnostics(step: Step, span: Span, others: tuple[Span, ...]) -> Iterator[Diagnostic]:
    if others:
        values = {"item": "the answer", "others": len(others), "step": step}
        yield Diagnostic("jdg-reply-ambiguous", values, Location(start=span[0], end=span[1]))


def _upstream(text: str, kind: Literal["rag", "rubric"]) -> Reply:
    if kind == "rubric" and (whole := _decode(text, 0, len(text), "whole")):
        return whole
    if kind == "rag" and (block := FIRST_JSON.search(text)):
        return _decode(text, *block.span(1), "fence json") or Reply()
    first, last = text.find("{"), text.rfind("}")
    return (_decode(text, first, last + 1, "braces") if 0 <= first < last else None) or Reply()


def _decode(text: str, start: int, end: int, step: Step) -> Reply | None:
    """Return the object that all of `text[start:end]` is, as plain decoders read it, with repeated keys and NaN."""
    try:
        value = Decoder().whole(text[start:end])
    except NotJson:
        return None
    if isinstance(value, dict):
        return Reply(step, value, (start, end))
    return None


def _spell_as_json(text: str) -> str:
    """Return a text with its quoted strings and its True, False and None as JSON has them."""
    return PYTHON_TOKEN.sub(_spell_token, text)


def _spell_token(match: re.Match[str]) -> str:
    if match[3]:
        return JSON_WORDS[match[3]]
    if match[1] is not None:
        inside = match[1]
    else:
        inside = match[2]
    return json.dumps(ESCAPE.sub(lambda escape: MEANT.get(escape[1], escape[1]), inside), ensure_ascii=False)

"""Find prompts of the prompt formats without the markers `Question:` and `Answer:` in their places.

The models were trained to answer right after `Answer:`; without it they continue the question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import Spans, find_in_message, find_in_prompt
from readback.checks.facts.repetitions import blank_out
from readback.records.record_memo import remember
from readback.types import Diagnostic, Finding, Location, Message, RuleContext, Values

CODE = "fmt-markers"
ON = ("assembly", "record")
NEEDS = {"assembly": "builder", "record": "stored prompt"}
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] Question: no."], "prompt": %s}}\n'
PASS = ({"data.jsonl": _ROW % '"Context:\\n[1] Question: no.\\n\\nQuestion: Why?\\nAnswer:"'},)
FAIL = (
    {"data.jsonl": _ROW % '"Context:\\n[1] Question: no.\\n\\nWhy?\\nAnswer:"'},
    {"data.jsonl": _ROW % '"Question: Why?\\nAnswer: "'},
)

NO_COUNT = {"records": "", "of": ""}  # of what one record alone has
QUESTION, ANSWER = "Question:", "Answer:"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each built prompt, or for a stored prompt that nothing sends, with its first fault."""
    fields = case.record.fields if case.record else {}
    if case.assembly:
        _, prompt = stored_prompt.find_sent_prompt(case)
        if prompt and prompt.syntax == "builder":
            for message in case.messages("user"):
                yield from _check_message(message, fields)
    elif stored_prompt.is_unsent(case.workspace):
        stored = stored_prompt.find_prompt(fields)
        if stored:
            field, text = stored
            yield from _check_text(text, find_in_prompt(text, fields), Location(field=field))


def get_group_key(finding: Finding) -> tuple[str, ...] | None:
    """Return what equal faults behind the record's text share: they are one finding of a condition, with its count."""
    values = finding.values
    if "added" not in values:
        return None
    return str(finding.place.condition), str(finding.place.mode), str(values["problem"])


def _check_message(message: Message, fields: Values) -> Sequence[Diagnostic]:
    """Return the faults of a message; remembered, since several conditions send the same one."""
    segments = message.segments
    key = (_check_message, id(segments))
    return remember(fields, key, lambda: (segments, [*_check_segments(message, fields)]))[1]


def _check_segments(message: Message, fields: Values) -> Iterator[Diagnostic]:
    """Yield the faults of a message; those behind the record's own text are the same in every record."""
    last = next((segment for segment in reversed(message.segments) if segment.text), None)
    is_from_record = last is None or last.origin == "variable"
    for diagnostic in _check_text(message.text, find_in_message(message, fields), Location(role="user")):
        if is_from_record:
            yield diagnostic
        else:
            yield replace(diagnostic, values={**diagnostic.values, "added": last.text if last else ""})


def _check_text(text: str, contexts: Spans, text_place: Location) -> Iterator[Diagnostic]:
    own = blank_out(text, contexts)
    question, answer = own.find(QUESTION), own.rfind(ANSWER)
    if question < 0 or answer < 0:
        missing = [marker for marker, start in ((QUESTION, question), (ANSWER, answer)) if start < 0]
        names, verb = " and ".join(missing), "is" if len(missing) == 1 else "are"
        yield Diagnostic(CODE, {"problem": f"{names} {verb} missing", **NO_COUNT}, text_place, names)
        return
    rest = own[answer + len(ANSWER) :]
    place = replace(text_place, start=answer, end=len(text))
    if answer < question:
        yield Diagnostic(CODE, {"problem": f"{ANSWER} is before {QUESTION}", **NO_COUNT}, place, "order")
    elif rest.strip():
        problem = f"{len(rest)} more {_follow(rest)} {ANSWER}"
        yield Diagnostic(CODE, {"problem": problem, **NO_COUNT}, place, rest)
    elif rest:
        problem = f"{len(rest)} whitespace {_follow(rest)} {ANSWER}"
        yield Diagnostic(CODE, {"problem": problem, "blank": True, **NO_COUNT}, place, rest)


def _follow(rest: str) -> str:
    if len(rest) == 1:
        return "character follows"
    return "characters follow"

"""Looks for fmt-markers; its words are in catalogue/en.yml."""

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
    fields = case.record.fields if case.record else {}
    if case.assembly:
        _, prompt = stored_prompt.find_sent_prompt(case)
        if prompt and prompt.syntax == "builder":
            for message in case.messages("user"):
                yield from _of_message(message, fields)
    elif stored_prompt.is_unsent(case.workspace) and (stored := stored_prompt.find_prompt(fields)):
        name, text = stored
        yield from _diagnostics(text, find_in_prompt(text, fields), Location(field=name))


def _of_message(message: Message, fields: Values) -> Sequence[Diagnostic]:
    """Kept, for several conditions send the same message."""
    parts, at = message.segments, Location(role="user")
    asked = (_of_message, id(parts))
    return remember(fields, asked, lambda: (parts, [*_by_part(message, fields, at)]))[1]


def _by_part(message: Message, fields: Values, at: Location) -> Iterator[Diagnostic]:
    """The faults of a message; those behind the record's own text are the same in every record."""
    last = next((part for part in reversed(message.segments) if part.text), None)
    by_record = last is None or last.origin == "variable"
    for one in _diagnostics(message.text, find_in_message(message, fields), at):
        yield one if by_record else replace(one, values={**one.values, "added": last.text if last else ""})


def gather(finding: Finding) -> tuple[str, ...] | None:
    """Name the kind of a fault behind the record's text: in one condition it is one finding with its count."""
    values = finding.values
    return (
        (str(finding.place.condition), str(finding.place.mode), str(values["problem"])) if "added" in values else None
    )


def _diagnostics(text: str, contexts: Spans, at: Location) -> Iterator[Diagnostic]:
    own = blank_out(text, contexts)
    question, answer = own.find(QUESTION), own.rfind(ANSWER)
    if question < 0 or answer < 0:
        lacking = [mark for mark, found in ((QUESTION, question), (ANSWER, answer)) if found < 0]
        absent, verb = " and ".join(lacking), "is" if len(lacking) == 1 else "are"
        yield Diagnostic(CODE, {"problem": f"{absent} {verb} missing", **NO_COUNT}, at, absent)
        return
    rest = own[answer + len(ANSWER) :]
    span = Location(role=at.role, field=at.field, start=answer, end=len(text))
    if answer < question:
        yield Diagnostic(CODE, {"problem": f"{ANSWER} is before {QUESTION}", **NO_COUNT}, span, "order")
    elif rest.strip():
        yield Diagnostic(CODE, {"problem": f"{len(rest)} more {_follow(rest)} {ANSWER}", **NO_COUNT}, span, rest)
    elif rest:
        yield Diagnostic(
            CODE, {"problem": f"{len(rest)} whitespace {_follow(rest)} {ANSWER}", "blank": True, **NO_COUNT}, span, rest
        )


def _follow(rest: str) -> str:
    return "character follows" if len(rest) == 1 else "characters follow"

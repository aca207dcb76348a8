"""Looks for fmt-markers; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt
from readback.checks.facts.outside_contexts import Spans, in_message, in_stored
from readback.checks.facts.overlapping import blanked
from readback.records.of_record import kept
from readback.types import Diagnostic, Location, Message, RuleContext, Values

CODE = "fmt-markers"
ON = ("assembly", "record")
NEEDS = {"assembly": "builder", "record": "stored prompt"}
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] Question: no."], "prompt": %s}}\n'
PASS = ({"data.jsonl": _ROW % '"Context:\\n[1] Question: no.\\n\\nQuestion: Why?\\nAnswer:"'},)
FAIL = (
    {"data.jsonl": _ROW % '"Context:\\n[1] Question: no.\\n\\nWhy?\\nAnswer:"'},
    {"data.jsonl": _ROW % '"Question: Why?\\nAnswer: "'},
)

QUESTION, ANSWER = "Question:", "Answer:"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    if case.assembly:
        _, prompt = stored_prompt.sent_by(case)
        if prompt and prompt.syntax == "builder":
            for message in case.messages("user"):
                yield from _of_message(message, fields)
    elif stored_prompt.unsent(case.workspace) and (stored := stored_prompt.prompt(fields)):
        name, text = stored
        yield from _diagnostics(text, in_stored(text, fields), Location(field=name))


def _of_message(message: Message, fields: Values) -> Sequence[Diagnostic]:
    """Kept, for several conditions send the same message."""
    parts, at = message.segments, Location(role="user")
    asked = (_of_message, id(parts))
    return kept(fields, asked, lambda: (parts, [*_diagnostics(message.text, in_message(message, fields), at)]))[1]


def _diagnostics(text: str, contexts: Spans, at: Location) -> Iterator[Diagnostic]:
    own = blanked(text, contexts)
    question, answer = own.find(QUESTION), own.rfind(ANSWER)
    if question < 0 or answer < 0:
        lacking = [mark for mark, found in ((QUESTION, question), (ANSWER, answer)) if found < 0]
        absent, verb = " and ".join(lacking), "is" if len(lacking) == 1 else "are"
        yield Diagnostic(CODE, {"problem": f"{absent} {verb} missing"}, at, absent)
        return
    rest = own[answer + len(ANSWER) :]
    span = Location(role=at.role, field=at.field, start=answer, end=len(text))
    if answer < question:
        yield Diagnostic(CODE, {"problem": f"{ANSWER} is before {QUESTION}"}, span, "order")
    elif rest.strip():
        yield Diagnostic(CODE, {"problem": f"{len(rest)} more {_follow(rest)} {ANSWER}"}, span, rest)
    elif rest:
        yield Diagnostic(
            CODE, {"problem": f"{len(rest)} whitespace {_follow(rest)} {ANSWER}", "blank": True}, span, rest
        )


def _follow(rest: str) -> str:
    return "character follows" if len(rest) == 1 else "characters follow"

"""Looks for fmt-citation-style; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import find_other_styles
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-citation-style"
ON = ("record", "assembly")
NEEDS = {"assembly": "judge"}
_ROW = '{"id": "1", "expected_response": "%s", "rag": {"prompt": "p", "contexts": ["a", "b", "c"]}}\n'
PASS = ({"data.jsonl": _ROW % "So [1] [2], in [0, 1] and [2010-2020]."}, {"data.jsonl": _ROW % "x[3, 1] is the cell."})
FAIL = ({"data.jsonl": _ROW % "So [1, 2]."}, {"data.jsonl": _ROW % "So [1-3]."}, {"data.jsonl": _ROW % "So [#1]."})


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    _, listed = stored_prompt.find_contexts(fields) or ("", ())
    if not listed:
        return
    if case.assembly is None:
        if stated := stored_prompt.find_reference(fields):
            yield from _diagnostic("reference", stated[1], len(listed), Location(field=stated[0], start=0))
    elif case.assembly.choice.judge and case.assembly.choice.condition:
        for message in case.messages("user"):
            start = 0
            for segment in message.segments:
                if segment.name == "answer" and segment.origin == "variable":
                    yield from _diagnostic("answer", segment.text, len(listed), Location(role="user", start=start))
                start += len(segment.text)


def _diagnostic(what: str, text: str, contexts: int, at: Location) -> Iterator[Diagnostic]:
    hits, start = list(find_other_styles(text, contexts)), at.start or 0
    if hits:
        marks = list(dict.fromkeys(hit[0] for hit in hits))
        place = Location(role=at.role, field=at.field, start=start + hits[0].start(), end=start + hits[0].end())
        yield Diagnostic(CODE, {"what": what, "marks": marks}, place, " ".join(marks))

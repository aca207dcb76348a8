"""Find citations in a form that the citation metrics do not read, such as `[1, 2]` or `[#1]`.

Citation precision and recall see no citation there, so an answer that cites everything scores like one without.
"""

from collections.abc import Iterator
from dataclasses import replace

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
    """Yield a finding for the reference of a record, or for an answer that a judge is shown."""
    fields = case.record.fields if case.record else {}
    _, contexts = stored_prompt.find_contexts(fields) or ("", ())
    if not contexts:
        return
    if case.assembly is None:
        reference = stored_prompt.find_row_reference(fields)
        if reference:
            field, text = reference
            yield from _check_text("reference", text, len(contexts), Location(field=field, start=0))
    elif case.assembly.choice.judge and case.assembly.choice.condition:
        for message in case.messages("user"):
            offset = 0
            for segment in message.segments:
                if segment.name == "answer" and segment.origin == "variable":
                    place = Location(role="user", start=offset)
                    yield from _check_text("answer", segment.text, len(contexts), place)
                offset += len(segment.text)


def _check_text(what: str, text: str, contexts: int, text_place: Location) -> Iterator[Diagnostic]:
    hits = list(find_other_styles(text, contexts))
    if not hits:
        return
    marks = list(dict.fromkeys(hit[0] for hit in hits))
    offset = text_place.start or 0
    place = replace(text_place, start=offset + hits[0].start(), end=offset + hits[0].end())
    yield Diagnostic(CODE, {"what": what, "marks": marks}, place, " ".join(marks))

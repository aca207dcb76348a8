"""Looks for fmt-rag-drift; its words are in catalogue/en.yml."""

from collections.abc import Callable, Iterator

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import STORED, find_in_message, find_in_prompt
from readback.checks.facts.leaked_texts import find_folded, find_leaks
from readback.checks.facts.prompt_drift import SECOND, Drift, Span, find_drift
from readback.types import Diagnostic, Finding, Location, RuleContext, Severity, Values

CODE = "fmt-rag-drift"
ON = ("assembly", "record")
NEEDS = {"record": "stored prompt"}
_CITE = "Cite the sources inline as [#] based on the order of the snippets."
_HEAD = (
    f"Answer the question using the provided context. {_CITE} If the answer is not in the context, say you don't know."
)
_ROW = '{"id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] So."], "prompt": "%s"}%s}\n'
_TAIL = "\\n\\nContext:\\n[1] So.\\n\\nQuestion: Why?\\nAnswer:"
PASS = ({"data.jsonl": _ROW % (_HEAD + _TAIL, "")},)
FAIL = (
    {"data.jsonl": _ROW % (f"{_HEAD} Write complete sentences.{_TAIL}", "")},
    {"data.jsonl": _ROW % (_HEAD + _TAIL.replace("?\\nA", "?\\n\\nA"), "")},
    {
        "data.jsonl": _ROW
        % (
            f"{_HEAD}{_TAIL}".replace(_CITE, "Do not fabricate citations."),
            ', "metadata": {"require_citations": false}',
        )
    },
)

SHOWN = 5  # sentences that are listed
TASK_TYPE = "task_type"  # the field by which a program that stores prompts chooses its further sentences
SEVERAL = 2  # records of a task type that show what all of it have


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    question = fields.get("instruction")
    if not isinstance(question, str):
        return
    if case.assembly and any(prompt.syntax == "builder" for prompt in case.workspace.prompts.values()):
        for message in case.messages("user"):
            start = 0
            for segment in message.segments:
                if segment.origin == "variable" and segment.name in STORED:
                    told = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
                    spans = [(leak.start - start, leak.end - start) for leak in told if not leak.inside]
                    inside = [span for span in spans if span[0] >= 0 and span[1] <= len(segment.text)]
                    yield from _diagnostics(
                        find_drift(segment.text, fields, question, inside), fields, Location(role="user"), start
                    )
                start += len(segment.text)
    elif (
        not case.assembly and stored_prompt.is_unsent(case.workspace) and (stored := stored_prompt.find_prompt(fields))
    ):
        name, text = stored
        if name != "prompt":  # that name is given to prompts of any kind
            told = find_leaks(case, text, (), find_in_prompt(text, fields))
            spans = [(leak.start, leak.end) for leak in told if not leak.inside]
            yield from _diagnostics(find_drift(text, fields, question, spans), fields, Location(field=name), 0)


def settle(finding: Finding, records: int, count_like: Callable[[str, object], int]) -> Severity:
    """Weigh a difference that `records` have alike: sentences that every prompt of a task type has are its nature."""
    values = finding.values
    added = values["extra"] and len(values["differences"]) == 1
    if added and records >= SEVERAL and records == count_like(TASK_TYPE, values["task_type"]):
        return "info"
    return finding.severity


def _diagnostics(found: Drift, fields: Values, at: Location, start: int) -> Iterator[Diagnostic]:
    if not found.any:
        return
    values = {
        "differences": list(_differences(found)),
        "extra": list(found.extra),
        "missing": list(found.missing),
        "cut": [list(one) for one in found.cut],
        "task_type": fields.get(TASK_TYPE),
        "kind": [*_known_by(found)],
    }
    marked: Span | tuple[None, None] = found.extra_span or (None, None)
    if found.blanks_start is not None:
        marked = (found.blanks_start, found.blanks_start + 1)
    begin, end = (None if one is None else start + one for one in marked)
    place = Location(role=at.role, field=at.field, start=begin, end=end)
    flagged = "\n".join((*found.extra, *found.missing, *_known_by(found)))
    yield Diagnostic(CODE, values, place, flagged, "info" if _explained(found, fields) else None)


def _differences(found: Drift) -> Iterator[str]:
    """One clause for each kind of difference."""
    if found.extra:
        more = f" and {len(found.extra) - SHOWN} more" if len(found.extra) > SHOWN else ""
        yield f"it also contains {_quoted(found.extra[:SHOWN])}{more}"
    if found.missing:
        yield f"it lacks {_quoted(found.missing)}"
    if found.no_citations:
        yield f'it has "{SECOND}" instead of the sentence that asks for citations'
    if found.other_question is not None:
        yield f'its question is "{found.other_question}" instead of the record\'s question'
    if found.reordered:
        yield "its parts are in another order"
    if found.blanks_start is not None:
        yield f"only whitespace or capitals differ, from character {found.blanks_start + 1}"
    for number, there, every in found.cut:
        yield f"context {number} is cut off after {there:,} of {every:,} characters"


def _known_by(found: Drift) -> Iterator[str]:
    """What a finding is known by from run to run: part of its key, so these texts never change, whatever is said."""
    if found.extra:
        more = f" and {len(found.extra) - SHOWN} more" if len(found.extra) > SHOWN else ""
        yield f"it also says {_quoted(found.extra[:SHOWN])}{more}"
    if found.missing:
        yield f"it lacks {_quoted(found.missing)}"
    if found.no_citations:
        yield f'"{SECOND}" is in place of the demand to cite'
    if found.other_question is not None:
        yield f'it asks "{found.other_question}" and not the record\'s question'
    if found.reordered:
        yield "its parts are in another order"
    if found.blanks_start is not None:
        yield f"only blanks or capitals differ, from character {found.blanks_start + 1}"
    for number, there, every in found.cut:
        yield f"context {number} breaks off after {there:,} of {every:,} characters"


def _quoted(sentences: tuple[str, ...]) -> str:
    return ", ".join(f'"{sentence}"' for sentence in sentences)


def _explained(found: Drift, fields: Values) -> bool:
    """Whether the record says why: the program that stored it leaves out citations, or adds instructions, on demand."""
    metadata = fields.get("metadata")
    said = metadata if isinstance(metadata, dict) else {}
    asked = " ".join(str(said.get("retrieval_extra_instructions") or "").split())
    free = said.get("require_citations") is False or not found.no_citations
    plain = not (found.missing or found.reordered) and found.other_question is None and found.blanks_start is None
    return plain and free and " ".join(found.extra) == asked

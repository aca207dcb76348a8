"""Find stored prompts that differ from the standard prompt.

A condition that rebuilds the prompt uses the standard sentences, so any other text is a second difference.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import STORED, find_in_message, find_in_prompt
from readback.checks.facts.leaked_texts import find_folded, find_leaks
from readback.checks.facts.prompt_drift import SECOND, Drift, find_drift
from readback.types import Diagnostic, Finding, Location, Message, RuleContext, Severity, Values

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
    """Yield a finding for each stored prompt that a builder sends, or that nothing sends, with its differences."""
    fields = case.record.fields if case.record else {}
    question = fields.get("instruction")
    if not isinstance(question, str):
        return
    if case.assembly is None:
        if stored_prompt.is_unsent(case.workspace):
            stored = stored_prompt.find_prompt(fields)
        else:
            stored = None
        if stored and stored[0] != "prompt":  # that field may hold prompts of any kind
            field, text = stored
            leaks = find_leaks(case, text, (), find_in_prompt(text, fields))
            spans = [(leak.start, leak.end) for leak in leaks if not leak.inside]
            yield from _report(find_drift(text, fields, question, spans), fields, Location(field=field), 0)
    elif any(prompt.syntax == "builder" for prompt in case.workspace.prompts.values()):
        for message in case.messages("user"):
            yield from _check_message(case, message, fields, question)


def weigh_group(finding: Finding, records: int, count_like: Callable[[str, object], int]) -> Severity:
    """Return the severity of a difference that `records` have: info if all prompts of a task type have the sentences.

    `count_like(field, value)` counts the records with that value.
    """
    values = finding.values
    only_adds = values["extra"] and len(values["differences"]) == 1
    if only_adds and records >= SEVERAL and records == count_like(TASK_TYPE, values["task_type"]):
        return "info"
    return finding.severity


def _check_message(case: RuleContext, message: Message, fields: Values, question: str) -> Iterator[Diagnostic]:
    offset = 0
    for segment in message.segments:
        end = offset + len(segment.text)
        if segment.origin == "variable" and segment.name in STORED:
            leaks = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
            spans = [
                (leak.start - offset, leak.end - offset)
                for leak in leaks
                if not leak.inside and leak.start >= offset and leak.end <= end
            ]
            drift = find_drift(segment.text, fields, question, spans)
            yield from _report(drift, fields, Location(role="user"), offset)
        offset = end


def _report(drift: Drift, fields: Values, text_place: Location, offset: int) -> Iterator[Diagnostic]:
    """Yield the finding for a stored prompt that begins at an offset of the text at `text_place`."""
    if not drift.any:
        return
    values = {
        "differences": list(_describe(drift)),
        "extra": list(drift.extra),
        "missing": list(drift.missing),
        "cut": [list(cut) for cut in drift.cut],
        "task_type": fields.get(TASK_TYPE),
        "kind": [*_list_key_parts(drift)],
    }
    span = drift.extra_span
    if drift.blanks_start is not None:
        span = (drift.blanks_start, drift.blanks_start + 1)
    place = text_place
    if span is not None:
        place = replace(text_place, start=offset + span[0], end=offset + span[1])
    flagged = "\n".join((*drift.extra, *drift.missing, *_list_key_parts(drift)))
    yield Diagnostic(CODE, values, place, flagged, "info" if _is_explained(drift, fields) else None)


def _describe(drift: Drift) -> Iterator[str]:
    """Yield one clause for each kind of difference."""
    if drift.extra:
        yield f"it also contains {_quote_first(drift.extra)}"
    if drift.missing:
        yield f"it lacks {_quote(drift.missing)}"
    if drift.no_citations:
        yield f'it has "{SECOND}" instead of the sentence that asks for citations'
    if drift.other_question is not None:
        yield f'its question is "{drift.other_question}" instead of the record\'s question'
    if drift.reordered:
        yield "its parts are in another order"
    if drift.blanks_start is not None:
        yield f"only whitespace or capitals differ, from character {drift.blanks_start + 1}"
    for number, length, total in drift.cut:
        yield f"context {number} is cut off after {length:,} of {total:,} characters"


def _list_key_parts(drift: Drift) -> Iterator[str]:
    """Yield the clauses in the finding's key: baselines hold the key, so these never change, as sentences may."""
    if drift.extra:
        yield f"it also says {_quote_first(drift.extra)}"
    if drift.missing:
        yield f"it lacks {_quote(drift.missing)}"
    if drift.no_citations:
        yield f'"{SECOND}" is in place of the demand to cite'
    if drift.other_question is not None:
        yield f'it asks "{drift.other_question}" and not the record\'s question'
    if drift.reordered:
        yield "its parts are in another order"
    if drift.blanks_start is not None:
        yield f"only blanks or capitals differ, from character {drift.blanks_start + 1}"
    for number, length, total in drift.cut:
        yield f"context {number} breaks off after {length:,} of {total:,} characters"


def _quote_first(sentences: tuple[str, ...]) -> str:
    if len(sentences) > SHOWN:
        more = f" and {len(sentences) - SHOWN} more"
    else:
        more = ""
    return f"{_quote(sentences[:SHOWN])}{more}"


def _quote(sentences: tuple[str, ...]) -> str:
    return ", ".join(f'"{sentence}"' for sentence in sentences)


def _is_explained(drift: Drift, fields: Values) -> bool:
    """Return whether the record's metadata ask for the difference: no citations, or additional instructions."""
    metadata = fields.get("metadata")
    if isinstance(metadata, dict):
        settings = metadata
    else:
        settings = {}
    if drift.missing or drift.reordered or drift.other_question is not None or drift.blanks_start is not None:
        return False
    if drift.no_citations and settings.get("require_citations") is not False:
        return False
    instructions = " ".join(str(settings.get("retrieval_extra_instructions") or "").split())
    return " ".join(drift.extra) == instructions

"""Find system text in a user message or a stored prompt.

The server adds the system message by itself, so the model gets it twice, or gets another model's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from readback.checks.facts import stored_prompt
from readback.checks.facts.conditions import find_model, is_for_judge
from readback.checks.facts.contexts import find_in_message, find_in_prompt
from readback.checks.facts.leaked_texts import PART, Leak, find_folded, find_leaks
from readback.checks.facts.repetitions import find_repetitions
from readback.checks.facts.stated_texts import list_system_texts
from readback.types import Diagnostic, Location, RuleContext, Severity

CODE = "fmt-system-text-in-user"
ON = ("assembly", "record")
NEEDS = {"record": "stored prompt"}
_DATA = "dataset: data.jsonl\n"
PASS = (
    {
        "readback.yml": _DATA
        + "modes: [{mode: short, system: 'Be brief and precise.', template: 'Q: {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Must an answer be brief?"}\n',
    },
    {
        "readback.yml": _DATA + "modes: [{mode: plain, system: 'You are an assistant.', template: '{{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "You are an assistant manager. What do you earn?"}\n',
    },
    {
        "readback.yml": _DATA + "modes: [{mode: plain, template: '{{ question }}'}]\nleaks: {phrases: []}\n",
        "data.jsonl": '{"id": "1", "question": "You are a helpful assistant. Why?"}\n',
    },
)
FAIL = (
    {
        "readback.yml": _DATA + "modes: [{mode: short, system: 'Be brief.', template: 'Be  BRIEF. {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Why?"}\n',
    },
    {
        "data.jsonl": '{"task_id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] So."], "prompt": '
        '"You are a research paper assistant. Context:\\n[1] So.\\n\\nQuestion: Why?\\nAnswer:"}}\n'
    },
    {
        "data.jsonl": '{"task_id": "1", "instruction": "Why?", "rag": {"prompt": '
        '"Context:\\n[1] So.\\n\\nYou are a research paper assistant.\\n\\nQuestion: Why?\\nAnswer:"}}\n'
    },
    {
        "readback.yml": _DATA
        + "modes: [{mode: long, system: 'Answer from the harbour manual only, in one short sentence.'"
        ", template: 'Answer from the harbour manual only, in a single sentence. {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Why?"}\n',
    },
    {
        "readback.yml": _DATA + "modes: [{mode: plain, template: 'You are a helpful assistant. {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Why?"}\n',
    },
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each leak of a user message, or of a stored prompt that nothing sends."""
    fields = case.record.fields if case.record else {}
    if case.assembly:
        for message in case.messages("user"):
            leaks = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
            yield from _report(case, message.text, leaks, Location(role="user"), _has_no_system_text(case))
    elif case.record and stored_prompt.is_unsent(case.workspace):
        stored = stored_prompt.find_prompt(fields)
        if stored:
            field, text = stored
            leaks = find_leaks(case, text, (), find_in_prompt(text, fields))
            yield from _report(case, text, leaks, Location(field=field))


def _report(
    case: RuleContext, text: str, leaks: Sequence[Leak], text_place: Location, has_no_system_text: bool = False
) -> Iterator[Diagnostic]:
    for leak in leaks:
        flagged = text[leak.start : leak.end]
        is_sent = _is_in_system_message(case, leak, flagged)
        values = {
            "text": flagged,
            "carrier": "system message" if is_sent else "",
            "owner": "" if is_sent or leak.how == "phrase" else leak.sources[0],
            "stated": list(leak.sources),
            "share": int(leak.share * 100),  # rounded down: an edited text is never quite the same
            "threshold": round(leak.needed * 100),
            "how": leak.how,
            "whole": leak.how != PART,
        }
        place = replace(text_place, start=leak.start, end=leak.end)
        severity: Severity = "warning"
        if leak.inside or leak.names or (has_no_system_text and leak.how == "phrase"):
            severity = "info"
        elif leak.how != PART and (is_sent or _is_of_served_model(case, flagged)):
            severity = "error"  # the model certainly reads it twice, or at another place than in training
        yield Diagnostic(CODE, values, place, flagged, severity)


def _has_no_system_text(case: RuleContext) -> bool:
    """Return whether a template sends no system message and nothing states one: only the prompt can name the role."""
    _, prompt = stored_prompt.find_sent_prompt(case)
    is_template = prompt is not None and prompt.syntax != "builder"
    return is_template and not case.workspace.system_texts and not any(True for _ in case.messages("system"))


def _is_in_system_message(case: RuleContext, leak: Leak, flagged: str) -> bool:
    """Return whether the system message of the same assembly has the text, too, perhaps with a few words changed."""
    if any(source.startswith("configuration of this message") for source in leak.sources):
        return True
    if case.assembly:
        texts = [message.text for message in case.messages("system")]
    else:
        texts = []
    return _is_in_any(case, flagged, texts)


def _is_of_served_model(case: RuleContext, flagged: str) -> bool:
    """Return whether a place states the text as the system message of the condition's own model."""
    if is_for_judge(case):
        model = None
    else:
        model = find_model(case)
    if model is None:
        return False
    return _is_in_any(case, flagged, [system.text for system in list_system_texts(case.workspace, model)])


def _is_in_any(case: RuleContext, flagged: str, texts: Sequence[str]) -> bool:
    """Return whether any of the texts contains the flagged one, perhaps with a few words changed."""
    normal = " ".join(flagged.split()).casefold()
    if any(normal in " ".join(text.split()).casefold() for text in texts):
        return True
    return bool(texts) and bool(find_repetitions(flagged, tuple(texts), case.workspace.leaks.threshold, True))

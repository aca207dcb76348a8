"""Looks for fmt-system-text-in-user; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt
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
    fields = case.record.fields if case.record else {}
    if case.assembly:
        for message in case.messages("user"):
            found = find_leaks(case, message.text, find_folded(case, message), find_in_message(message, fields))
            yield from _diagnostics(case, message.text, found, Location(role="user"), _alone(case))
    elif case.record and stored_prompt.is_unsent(case.workspace) and (stored := stored_prompt.find_prompt(fields)):
        name, text = stored
        yield from _diagnostics(
            case, text, find_leaks(case, text, (), find_in_prompt(text, fields)), Location(field=name)
        )


def _alone(case: RuleContext) -> bool:
    """Whether a mode of the workspace's own sends no system message, where nothing states one: it says who the model is
    where it can.
    """
    _, prompt = stored_prompt.find_sent_prompt(case)
    own = prompt is not None and prompt.syntax != "builder"
    return own and not case.workspace.system_texts and not any(True for _ in case.messages("system"))


def _carried(case: RuleContext, leak: Leak, flagged: str) -> bool:
    """Whether the system message that is sent with the text carries it, too, as it is or with a few words changed."""
    if any(one.startswith("configuration of this message") for one in leak.sources):
        return True
    sent = [message.text for message in case.messages("system")] if case.assembly else []
    return _is_in_one_of(case, flagged, sent)


def _is_of_served_model(case: RuleContext, flagged: str) -> bool:
    """Whether a place states the text as the system message of the very model that the condition asks."""
    choice = case.assembly.choice if case.assembly else None
    condition = case.workspace.condition(choice.condition or "") if choice and not choice.judge else None
    model = case.workspace.models.get(condition.model or "") if condition else None
    return model is not None and _is_in_one_of(
        case, flagged, [one.text for one in list_system_texts(case.workspace, model)]
    )


def _is_in_one_of(case: RuleContext, flagged: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts has the flagged one, as it is or with a few words changed."""
    if any(" ".join(flagged.split()).casefold() in " ".join(one.split()).casefold() for one in texts):
        return True
    return bool(texts) and bool(find_repetitions(flagged, tuple(texts), case.workspace.leaks.threshold, True))


def _diagnostics(
    case: RuleContext, text: str, found: Sequence[Leak], at: Location, alone: bool = False
) -> Iterator[Diagnostic]:
    for leak in found:
        flagged = text[leak.start : leak.end]
        carried = _carried(case, leak, flagged)
        values = {
            "text": flagged,
            "carrier": "system message" if carried else "",
            "owner": "" if carried or leak.how == "phrase" else leak.sources[0],
            "stated": list(leak.sources),
            "share": int(leak.share * 100),  # rounded down: what was edited is never quite the same
            "threshold": round(leak.needed * 100),
            "how": leak.how,
            "whole": leak.how != PART,
        }
        place = Location(role=at.role, field=at.field, start=leak.start, end=leak.end)
        severity: Severity = "warning"
        if leak.inside or (alone and leak.how == "phrase") or leak.names:
            severity = "info"
        elif leak.how != PART and (carried or _is_of_served_model(case, flagged)):
            severity = "error"  # the model certainly reads it twice, or at another place than in training
        yield Diagnostic(CODE, values, place, flagged, severity)

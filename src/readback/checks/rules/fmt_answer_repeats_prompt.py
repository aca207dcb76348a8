"""Find answers that repeat their prompt, whole and from the beginning, and perhaps go on after it.

A pipeline that returns the prompt before the answer writes them, and a provider that only echoes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from readback.checks.facts.repetitions import SHORT
from readback.types import Diagnostic, Location, RuleContext, Severity

CODE = "fmt-answer-repeats-prompt"
ON = "assembly"
NEEDS = "answer"
_FILE = (
    'dataset: d.jsonl\nmodes: [{mode: m, template: "Answer shortly.\\nQ: {{ q }}\\nA:\\n"}]\n'
    "conditions: [{name: c, mode: m, answers: a.jsonl}]\n"
)
_SYSTEM = _FILE.replace('template: "', 'system: "Repeat each sentence without its faults.", template: "')
_LOG = _FILE + "sent: [l.jsonl]\n"
_REQUEST = '{"record": "1", "condition": "c", "messages": [{"role": "user", "content": "In the log: why is it so?"}]}\n'
_ROW = '{"id": "1", "q": "Why?"}\n'
_REPLY = '{"id": "1", "response": "%s"}\n'
_WHOLE = "Answer shortly.\\nQ: Why?\\nA:"
PASS = (
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % "It is so."},
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % "Q: Why?\\nA: It is so."},
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % ("So: " + _WHOLE)},
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % _WHOLE.replace("\\n", " ")},
    {
        "readback.yml": _FILE.replace("Answer shortly.\\nQ: {{ q }}\\nA:\\n", "{{ q }}"),
        "d.jsonl": _ROW,
        "a.jsonl": _REPLY % "Why?",
    },
)
FAIL = (
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % _WHOLE},
    {"readback.yml": _FILE, "d.jsonl": _ROW, "a.jsonl": _REPLY % (_WHOLE + "\\nIt is so.")},
    {"readback.yml": _SYSTEM, "d.jsonl": _ROW, "a.jsonl": _REPLY % _WHOLE},
    {
        "readback.yml": _LOG,
        "d.jsonl": _ROW,
        "l.jsonl": _REQUEST,
        "a.jsonl": _REPLY % "In the log: why is it so? It is so.",
    },
)


ASKING = ("user", "prompt")  # roles of a message that an answer follows


class _Sent(NamedTuple):
    """A text that was sent, what it is, and whether other messages came before it."""

    text: str
    name: str
    is_later: bool = False


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the answer begins with a text that was sent; of several that do, the longest."""
    answer = case.answer
    if answer is None or not answer.text or answer.masked or case.record is None or case.record.masked:
        return
    text, start = answer.text, len(answer.text) - len(answer.text.lstrip())
    repeated = [sent for sent in _list_sent(case) if len(sent.text) >= SHORT and text.startswith(sent.text, start)]
    if not repeated:
        return
    longest = max(repeated, key=lambda sent: (len(sent.text), not sent.is_later))
    end = start + len(longest.text)
    rest = len(text[end:].strip())
    values = {"what": longest.name, "characters": len(longest.text)}
    severity: Severity | None = None
    if rest:
        values |= {"how": "begins with", "rest": rest}
    else:
        values |= {"how": "is only", "rest": ""}
        severity = "error"  # nothing was answered, so a score of it says nothing of the model
    if longest.is_later:
        severity = "info"
    place = Location(file=answer.place.file, line=answer.place.line, field=answer.reply, start=start, end=end)
    yield Diagnostic(CODE, values, place, longest.name, severity)


def _list_sent(case: RuleContext) -> Iterator[_Sent]:
    """Yield what the answer may repeat, without blanks at its ends: many programs strip what they save."""
    if case.model_input is not None and case.model_input.text:
        yield _Sent(case.model_input.text.strip(), "the text that the model reads")
    if case.assembly is not None:
        texts = [(message.role, message.text) for message in case.assembly.messages]
        yield from _list_last(texts, "the user message")
    yield from _list_last(case.logged, "the request in the log")
    if case.answer is not None and case.answer.sent:
        yield _Sent(case.answer.sent.strip(), "the prompt saved with it")


def _list_last(messages: Sequence[tuple[str, str]], name: str) -> Iterator[_Sent]:
    """Yield the last message that is the user's; one of the role `prompt` was sent without roles."""
    for number in reversed(range(len(messages))):
        role, text = messages[number]
        if role in ASKING:
            yield _Sent(text.strip(), name, number > 0)
            return

"""Looks for srv-special-token-in-content; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, chat_templates
from readback.types import Diagnostic, Location, Message, RuleContext

CODE = "srv-special-token-in-content"
ON = "assembly"
NEEDS = "model input"
_REST = {
    "readback.yml": 'dataset: data.jsonl\nmodes: [{mode: m, template: "{{ q }}"}]\n'
    "models: {served: {serving: {format: %s}}}\nconditions: [{name: c, mode: m, model: served}]\n",
}
PASS = (
    {"readback.yml": _REST["readback.yml"] % "llama-3", "data.jsonl": '{"id": "1", "q": "Why <b>not</b>? <s>"}\n'},
    {"readback.yml": _REST["readback.yml"] % "openai", "data.jsonl": '{"id": "1", "q": "What is <|im_end|>?"}\n'},
)
FAIL = (
    {"readback.yml": _REST["readback.yml"] % "llama-3", "data.jsonl": '{"id": "1", "q": "What is <|im_end|>?"}\n'},
    {"readback.yml": _REST["readback.yml"] % "mistral-v3", "data.jsonl": '{"id": "1", "q": "Why? <s>"}\n'},
)

WRITTEN = ("system", "task", "template", "adapter", "instruction", "joiner")  # by people, and not from the data
BARE = ("openai", "null")  # formats in which nothing wraps the text


def check(case: RuleContext) -> Iterator[Diagnostic]:
    if (
        case.assembly is None
        or case.model_input is None
        or (case.model_input.kind == "format" and case.model_input.format in BARE)
    ):
        return
    mode = albert_modes.find_albert_mode(case)
    if mode and mode.wrapper:  # alb-chat-tokens tells of these
        return
    template = chat_templates.find_template(case)
    own = (template.bos_token, template.eos_token, *template.special) if template else ()
    pattern = chat_templates.build_token_pattern(tuple(dict.fromkeys(one for one in own if one)))
    for message in case.assembly.messages:
        if hits := list(pattern.finditer(message.text)):
            written = [hit for hit in hits if _is_written(message, hit.start())]
            first = (written or hits)[0]
            tokens = list(dict.fromkeys(hit[0] for hit in hits))
            place = Location(role=message.role, start=first.start(), end=first.end())
            values = {"tokens": tokens, "role": message.role}
            yield Diagnostic(CODE, values, place, " ".join(tokens), "error" if written else None)


def _is_written(message: Message, at: int) -> bool:
    """Whether the character at that offset was written by people."""
    for segment in message.segments:
        if at < len(segment.text):
            return segment.origin in WRITTEN
        at -= len(segment.text)
    return False

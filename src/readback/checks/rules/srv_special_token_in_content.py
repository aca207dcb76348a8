"""Find special tokens of the model inside messages.

Servers turn such text into the control token, so a document can end the user's turn and begin its own.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, chat_templates, text_origins
from readback.types import Diagnostic, Location, RuleContext

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

BARE = ("openai", "null")  # formats in which nothing wraps the text


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each message with special tokens of the model: an error where the prompt itself has one, and
    not only the data.
    """
    if case.assembly is None or case.model_input is None:
        return
    if case.model_input.kind == "format" and case.model_input.format in BARE:
        return
    mode = albert_modes.find_albert_mode(case)
    if mode and mode.wrapper:  # alb-chat-tokens reports these
        return
    template = chat_templates.find_template(case)
    if template:
        special = (template.bos_token, template.eos_token, *template.special)
    else:
        special = ()
    pattern = chat_templates.build_token_pattern(tuple(dict.fromkeys(token for token in special if token)))
    for message in case.assembly.messages:
        hits = list(pattern.finditer(message.text))
        if not hits:
            continue
        written = [hit for hit in hits if text_origins.is_written_by_people(message, hit.start())]
        first = (written or hits)[0]
        tokens = list(dict.fromkeys(hit[0] for hit in hits))
        place = Location(role=message.role, start=first.start(), end=first.end())
        values = {"tokens": tokens, "role": message.role}
        yield Diagnostic(CODE, values, place, " ".join(tokens), "error" if written else None)

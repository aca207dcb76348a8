"""Looks for srv-no-generation-prompt; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.checks.facts import chat_templates
from readback.types import Diagnostic, RuleContext, SelfTest

CODE = "srv-no-generation-prompt"
ON = "workspace"
_REST = {"readback.yml": "models: {served: {serving: {chat_template: t.jinja}}}\n"}
_TURNS = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"
_PAIRS = (
    "{% for m in messages %}{{ m.content if m.role == 'assistant' else '[INST]' + m.content + '[/INST]' }}{% endfor %}"
)
_THINKS = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + ('<think></think>\n' if m.role == 'assistant' else '')"
    " + m.content + '<|im_end|>\n' }}{% endfor %}"
)
PASS = (
    {**_REST, "t.jinja": _TURNS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"},
    {**_REST, "t.jinja": _PAIRS},
    {
        **_REST,
        "t.jinja": _PAIRS.replace(
            "'[/INST]' }}", "'[/INST]' }}{% if m.role == 'user' and not loop.last %}\\n{% endif %}"
        ),
    },
    {**_REST, "t.jinja": _THINKS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"},
)
FAIL = ({**_REST, "t.jinja": _TURNS},)


OPENED = re.compile(r"\b(?:assistant|model|bot|gpt|chatbot)\b|CHATBOT|ASSISTANT", re.IGNORECASE)  # whose turn it is
MARK = re.compile(r"[<>\[\]|#]")  # of a token that tells turns apart; a plain word has none
CLOSED = re.compile(r"\[/INST\]$")  # the end of a question that is the beginning of an answer (Llama 2, Mistral)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in chat_templates.list_template_uses(case):
        missing = _missing(served.self_test) if served.self_test else ""
        if missing:
            values = {"name": served.template.name, "missing": missing, "model": served.model.name}
            plain = "add_generation_prompt" not in (served.template.text or "") and not MARK.search(missing)
            yield Diagnostic(CODE, values, served.template.place, missing, "info" if plain else None)


def _missing(self_test: SelfTest) -> str:
    """What is before an answer in the conversation and not at the end of what asks for one."""
    first, later = self_test.first.text, self_test.later.text
    asked = first.rfind(self_test.user)
    user, reply = later.find(self_test.user), later.find(self_test.reply)
    if asked < 0 or not 0 <= user < reply:
        return ""
    ending, opening = first[asked + len(self_test.user) :], later[user + len(self_test.user) : reply]
    if OPENED.search(ending) or CLOSED.match(
        ending.strip()
    ):  # the turn is open: what follows are marks for thinking, or for a channel
        return ""
    return opening[len(ending) :].strip() if opening.startswith(ending) else ""

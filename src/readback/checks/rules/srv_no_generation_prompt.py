"""Find chat templates that do not open the assistant's turn.

The model then writes the opening itself, or continues the user's turn, so no answer begins as in training.
"""

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
    """Yield a finding for each chat template, with the opening that it writes before a given answer only."""
    for served in chat_templates.list_template_uses(case):
        if served.self_test:
            opening = _find_missing_opening(served.self_test)
        else:
            opening = ""
        if opening:
            values = {"name": served.template.name, "missing": opening, "model": served.model.name}
            is_plain = "add_generation_prompt" not in (served.template.text or "") and not MARK.search(opening)
            yield Diagnostic(CODE, values, served.template.place, opening, "info" if is_plain else None)


def _find_missing_opening(self_test: SelfTest) -> str:
    """Return what is before an answer in the conversation and not at the end of what asks for one."""
    first, later = self_test.first.text, self_test.later.text
    question = first.rfind(self_test.user)
    later_question, later_answer = later.find(self_test.user), later.find(self_test.reply)
    if question < 0 or not 0 <= later_question < later_answer:
        return ""
    ending = first[question + len(self_test.user) :]
    opening = later[later_question + len(self_test.user) : later_answer]
    if OPENED.search(ending) or CLOSED.match(ending.strip()):
        return ""  # the turn is open: what else is before the answer are marks for thinking, or for a channel
    if opening.startswith(ending):
        return opening[len(ending) :].strip()
    return ""

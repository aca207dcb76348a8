"""Find conversations of which the Albert program repeats the last answer as a question of the user.

Its format `llama-chat` writes turns in pairs, so a conversation that ends with an answer is written wrongly.
"""

from collections.abc import Iterator

from readback.types import Diagnostic, Location, RuleContext

CODE = "alb-turn-repeated"
ON = "assembly"
NEEDS = "model input"
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
_ROW = (
    '{"id": "1", "query": "Why?", "history": [{"role": "user", "content": "Why?"}, '
    '{"role": "assistant", "content": "So."}%s]}\n'
)
_MORE = ', {"role": "user", "content": "And?"}'
_LLAMA = {"prompt_config.yml": _CONFIG % "llama-chat", **_TEMPLATE}
PASS = (
    {**_LLAMA, "data.jsonl": _ROW % _MORE},
    {"prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE, "data.jsonl": _ROW % ""},
)
FAIL = ({**_LLAMA, "data.jsonl": _ROW % ""},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield what the chat format reported while it was applied."""
    for diagnostic in case.model_input.diagnostics if case.model_input else ():
        if diagnostic.code == CODE:
            yield Diagnostic(CODE, diagnostic.values, Location(field="history"), diagnostic.flagged)

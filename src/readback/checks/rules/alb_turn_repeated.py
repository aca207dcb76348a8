"""The program writes an answer once more, as if the user had said it.

The format is `llama-chat` (`llama2-chat`), the conversation ends with the assistant's turn, and an answer is asked for.
The program writes turns in pairs and then the last turn as the question; where that is the assistant's, it is there
twice. It looks like a mistake of that program, and is shown as it is sent.

The model reads its own answer as a question of the user, and answers that.

End the history with the user's turn; with an answer at the end the row is one to train on.
"""

from collections.abc import Iterator

from readback.types import Diagnostic, Location, RuleContext

CODE = "alb-turn-repeated"
SEVERITY = "error"
ON = "assembly"
SENTENCE = (
    "the conversation ends with a turn of the {role}, which {format} writes once more as the user's question: it looks "
    "like a mistake of the program"
)
FIX = "end the history with the user's turn"
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
    for diagnostic in case.model_input.diagnostics if case.model_input else ():
        if diagnostic.code == CODE:
            yield Diagnostic(CODE, diagnostic.values, Location(field="history"), diagnostic.flagged)

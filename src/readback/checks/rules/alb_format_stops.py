"""The program of the document's date stops at this chat format.

An Albert configuration names `prompt_format: openai`, and the option `albert_dialect` is not `current`. The program of
May 2024 knows the name, takes the list of messages for a text, and stops with a TypeError.

With that program no prompt is sent at all. What is shown is the list of messages that it had made by then, without the
system prompt; its later versions send such a list.

Name a format that the program writes (llama-chat, llama3-chat, chatml), or set the option `albert_dialect: current` if
the later program sends these prompts.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-format-stops"
SEVERITY = "warning"
ON = "workspace"
SENTENCE = "format {format}: the program of the document's date stops with a TypeError; shown is its list of messages"
FIX = "name a format that it writes (llama-chat, llama3-chat, chatml), or set the option albert_dialect: current"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
_FILE = "prompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
PASS = (
    {"prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE},
    {"readback.yml": _FILE % "current", "prompt_config.yml": _CONFIG % "openai", **_TEMPLATE},
)
FAIL = ({"prompt_config.yml": _CONFIG % "openai", **_TEMPLATE},)

FORMAT = "openai"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    if albert_modes.current(case.workspace) or albert_modes.served(case.workspace):
        return
    for config in albert_modes.configs(case.workspace):
        if config.chat_format == FORMAT:
            yield Diagnostic(CODE, {"format": FORMAT}, config.place, config.name)

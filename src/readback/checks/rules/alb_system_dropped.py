"""Find system prompts that the chat format of an Albert configuration drops.

In the program of the document these formats send the user text alone, so the model never sees the system prompt.
"""

from collections.abc import Iterator
from dataclasses import replace

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-system-dropped"
ON = "workspace"
_CONFIG = "prompt_format: %s\nsystem_prompt: Be brief.\nprompts: [{mode: a, template: t.jinja}]\n"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
PASS = (
    {"prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE},
    {"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}]\n", **_TEMPLATE},
)
FAIL = (
    {"prompt_config.yml": _CONFIG % "openai", **_TEMPLATE},
    {"prompt_config.yml": _CONFIG % "null", **_TEMPLATE},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each mode with a system prompt, unless a model states what serves it."""
    if albert_modes.is_current(case.workspace) or albert_modes.has_server(case.workspace):
        return
    for config in albert_modes.list_configs(case.workspace):
        if config.chat_format not in (None, "openai"):
            continue
        name = config.chat_format or "null"
        for prompt in config.prompts.values():
            if prompt.system:
                yield Diagnostic(CODE, {"format": name}, replace(prompt.system_place, mode=prompt.mode), name)

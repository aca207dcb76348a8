"""Find the chat format at which the Albert program of May 2024 stops with an error.

That program sends no prompt at all.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-format-stops"
ON = "workspace"
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
    """Yield a finding for each configuration with that format, unless a model states what serves it."""
    if albert_modes.is_current(case.workspace) or albert_modes.has_server(case.workspace):
        return
    for config in albert_modes.list_configs(case.workspace):
        if config.chat_format == FORMAT:
            yield Diagnostic(CODE, {"format": FORMAT}, config.place, config.name)

"""Find a `prompt_format` in a configuration of the later Albert program, which does not read it.

Whoever reads the file expects a text in that format, and the program sends a list of messages.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-format-dropped"
ON = "workspace"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
_FILE = "prompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_CONFIG = "prompt_format: llama3-chat\nprompts: [{mode: a, template: t.jinja}]\n"
PASS = (
    {"readback.yml": _FILE % "classic", "prompt_config.yml": _CONFIG, **_TEMPLATE},
    {
        "readback.yml": _FILE % "current",
        "prompt_config.yml": "prompt_format: null\nprompts: [{mode: a, template: t.jinja}]\n",
        **_TEMPLATE,
    },
)
FAIL = ({"readback.yml": _FILE % "current", "prompt_config.yml": _CONFIG, **_TEMPLATE},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each configuration with a chat format."""
    if albert_modes.is_current(case.workspace):
        for config in albert_modes.list_configs(case.workspace):
            if config.chat_format:
                yield Diagnostic(CODE, {"format": config.chat_format}, config.place, config.chat_format)

"""The later program does not read `prompt_format`.

The option `albert_dialect: current` is set and the configuration names a `prompt_format`. The later program has no such
field: it is dropped while the file is read, and a list of messages is sent.

Whoever reads the file expects a text in that format. Asked for one, the program stops with "prompt_format is not
defined to that template".

Take `prompt_format` out and leave the format to the server, or say in the workspace how the model is served.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-format-dropped"
SEVERITY = "error"
ON = "workspace"
SENTENCE = "prompt_format {format} is not read by the later program, which sends a list of messages"
FIX = "take prompt_format out, or say under models: how the model is served"
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
    if albert_modes.current(case.workspace):
        for config in albert_modes.configs(case.workspace):
            if config.chat_format:
                yield Diagnostic(CODE, {"format": config.chat_format}, config.place, config.chat_format)

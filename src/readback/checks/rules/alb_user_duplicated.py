"""Find ChatML in configurations of the later Albert program, which then writes the last message twice.

This doubles the tokens of question and sources, and no model was trained on such a prompt.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-user-duplicated"
ON = "workspace"
_TEMPLATE = {"t.jinja": "{{ query }}\n"}
_FILE = "prompts: [prompt_config.yml]\noptions: {albert_dialect: current}\n"
_FIXED = _FILE.replace("current", "current, chatml_bug: fixed")
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
PASS = (
    {"readback.yml": _FILE, "prompt_config.yml": _CONFIG % "llama3-chat", **_TEMPLATE},
    {"readback.yml": _FIXED, "prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE},
    {"readback.yml": "prompts: [prompt_config.yml]\n", "prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE},
)
FAIL = ({"readback.yml": _FILE, "prompt_config.yml": _CONFIG % "chatml", **_TEMPLATE},)

FORMAT = "chatml"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each configuration with that format, and each model that answers its modes."""
    if not albert_modes.is_current(case.workspace) or case.workspace.options.get("chatml_bug") == "fixed":
        return
    configs = list(albert_modes.list_configs(case.workspace))
    for config in configs:
        if config.chat_format == FORMAT:
            yield Diagnostic(CODE, {"what": config.name}, config.place, config.name)
    modes = {mode for config in configs for mode in config.prompts}
    places = {
        condition.model: condition.place
        for condition in case.workspace.conditions
        if condition.model and condition.mode in modes
    }
    for name, place in places.items():
        model = case.workspace.models.get(name)
        if model and model.chat_format == FORMAT:
            yield Diagnostic(CODE, {"what": name}, place, name)

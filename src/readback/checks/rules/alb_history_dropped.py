"""Find earlier turns of a conversation that an Albert configuration without a chat format does not send.

The model then answers without knowing what was said before.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.checks.facts.conditions import find_mode, find_model, is_for_judge
from readback.types import Diagnostic, Location, RuleContext

CODE = "alb-history-dropped"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
_ROW = (
    '{"id": "1", "query": "And then?", "history": [{"role": "user", "content": "First?"}, '
    '{"role": "assistant", "content": "This."}, {"role": "user", "content": "And then?"}]}\n'
)
_FILES = {"t.jinja": "{{ query }}\n", "data.jsonl": _ROW}
PASS = ({"prompt_config.yml": _CONFIG % "chatml", **_FILES},)
FAIL = ({"prompt_config.yml": _CONFIG % "null", **_FILES},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the assembly has earlier turns, unless the model states what serves it."""
    if case.assembly is None or is_for_judge(case) or albert_modes.is_current(case.workspace):
        return
    mode, model = find_mode(case), find_model(case)
    if model and (model.modelfile or model.chat_template or model.chat_format):
        return
    configs = albert_modes.list_configs(case.workspace)
    config = next((config for config in configs if mode in config.prompts), None)
    turns = sum(message.role != "system" for message in case.assembly.messages) - 1
    if config and config.chat_format is None and turns > 0:
        yield Diagnostic(CODE, {"turns": turns}, Location(mode=mode, field="history"), str(turns))

"""Looks for alb-history-dropped; its words are in catalogue/en.yml."""

from collections.abc import Iterator

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
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge or case.workspace.options.get("albert_dialect") == "current":
        return
    condition = case.workspace.condition(choice.condition) if choice.condition else None
    mode = choice.mode or (condition.mode if condition else None)
    model = case.workspace.models.get(condition.model or "") if condition else None
    if model and (model.modelfile or model.chat_template or model.chat_format):
        return
    config = next((c for c in case.workspace.configs if c.dialect == "albert" and mode in c.prompts), None)
    turns = sum(m.role != "system" for m in case.assembly.messages) - 1 if case.assembly else 0
    if config and config.chat_format is None and turns > 0:
        yield Diagnostic(CODE, {"turns": turns}, Location(mode=mode, field="history"), str(turns))

"""Looks for alb-chunks-empty; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, variable_uses
from readback.checks.facts.record_fields import SAME
from readback.types import Diagnostic, RuleContext, Severity, VariableUse

CODE = "alb-chunks-empty"
ON = "assembly"
NEEDS = "template"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_FILE = 'dataset: data.jsonl\nmodes: [{mode: m, template: "{% for c in contexts %}{{ c }}{% endfor %}{{ query }}"}]\n'
PASS = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Q", "sheet_chunks": [{"text": "a"}]}\n',
    },
    {"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE, "data.jsonl": '{"id": "1", "query": "Q"}\n'},
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "query": "Q", "contexts": ["one"]}\n'},
)
FAIL = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Q", "sheet_chunks": []}\n',
    },
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "query": "Q", "contexts": []}\n'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    prompt = variable_uses.find_prompt(case)
    if prompt is None:
        return
    every = {use.name for use in variable_uses.list_uses(case, prompt)}
    for use in variable_uses.list_uses(case, prompt, ("idle", "empty")):
        if _is_sources(use, variable_uses.is_albert(prompt)) and any(
            name.startswith(f"{use.name}[*]") for name in every
        ):
            severity: Severity | None = "info" if use.only_asked or case.workspace.dataset is None else None
            yield Diagnostic(CODE, {"list": use.name}, variable_uses.locate(use), use.name, severity)


def _is_sources(use: VariableUse, albert: bool) -> bool:
    if albert:
        return albert_modes.fields(use.name) is not None or use.name.endswith(albert_modes.COLLECTION)
    return use.name.rpartition(".")[2].casefold() in SAME[1]

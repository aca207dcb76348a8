"""Find lists of sources that a template loops over and that are empty in a record.

The prompt then asks for an answer from sources but contains none, so the model answers from memory.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, variable_uses
from readback.checks.facts.record_fields import CONTEXTS
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
    """Yield a finding for each empty list of sources of which the template reads the items."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None:
        return
    names = {use.name for use in variable_uses.list_uses(case, prompt)}
    for use in variable_uses.list_uses(case, prompt, ("idle", "empty")):
        reads_items = any(name.startswith(f"{use.name}[*]") for name in names)
        if reads_items and _is_source_list(use, variable_uses.is_albert(prompt)):
            is_light = use.only_asked or case.workspace.dataset is None
            severity: Severity | None = "info" if is_light else None
            yield Diagnostic(CODE, {"list": use.name}, variable_uses.locate(use), use.name, severity)


def _is_source_list(use: VariableUse, is_albert: bool) -> bool:
    if is_albert:
        return albert_modes.list_chunk_fields(use.name) is not None or use.name.endswith(albert_modes.COLLECTION)
    return use.name.rpartition(".")[2].casefold() in CONTEXTS

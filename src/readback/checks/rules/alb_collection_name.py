"""Find names of collections that the Albert program in force does not fill.

Only the later program fills names that end in `_collection`; the prompt of the other one has no source.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-collection-name"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_ROW = '{"id": "1", "query": "Q", "chunks_collection": [{"text": "a"}]}\n'
_FILE = "dataset: data.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_TEMPLATE = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_REST = {"prompt_config.yml": _CONFIG, "data.jsonl": _ROW, "rag.jinja": _TEMPLATE}
PASS = ({"readback.yml": _FILE % "current", **_REST},)
FAIL = ({"readback.yml": _FILE % "classic", **_REST},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each collection that the template reads and that has no value."""
    mode = albert_modes.find_albert_mode(case)
    if mode is None or mode.is_current:
        return
    fields = case.record.fields if case.record else {}
    for name, place in albert_modes.list_variables(case):
        has_value = mode.prompt.defaults.get(name) or not isinstance(fields.get(name), list | None)
        if name.endswith(albert_modes.COLLECTION) and not has_value:
            yield Diagnostic(CODE, {"variable": name}, place, name)

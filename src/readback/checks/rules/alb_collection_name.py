"""A template asks for a collection that the program of the document does not fill.

A template reads a name that ends in `_collection`. Only the later program fills such names; the one that the document
describes fills `sheet_chunks` and `experience_chunks`, and leaves this name without a value, whatever the record holds.

The prompt renders without an error and without any source: the model answers from memory.

Set the option `albert_dialect: current` if the later program sends these prompts; else read `sheet_chunks`.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-collection-name"
SEVERITY = "error"
ON = "assembly"
SENTENCE = "the template reads {variable}, which only the later program fills: the prompt has no sources"
FIX = "set the option albert_dialect: current, or read sheet_chunks instead of {variable}"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_ROW = '{"id": "1", "query": "Q", "chunks_collection": [{"text": "a"}]}\n'
_FILE = "dataset: data.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_TEMPLATE = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_REST = {"prompt_config.yml": _CONFIG, "data.jsonl": _ROW, "rag.jinja": _TEMPLATE}
PASS = ({"readback.yml": _FILE % "current", **_REST},)
FAIL = ({"readback.yml": _FILE % "classic", **_REST},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    mode = albert_modes.mode(case)
    if mode is None or mode.current:
        return
    fields = case.record.fields if case.record else {}
    for name, place in albert_modes.read_names(case):
        filled = mode.prompt.defaults.get(name) or not isinstance(fields.get(name), list | None)
        if name.endswith(albert_modes.COLLECTION) and not filled:
            yield Diagnostic(CODE, {"variable": name}, place, name)

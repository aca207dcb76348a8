"""Find lists of chunks that the later Albert program does not fill.

A template for the earlier program then renders without an error and without any source.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, RuleContext

CODE = "alb-legacy-chunks"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_ROW = '{"id": "1", "query": "Q", "sheet_chunks": [{"text": "a"}], "chunks_collection": [{"text": "a"}]}\n'
_FILE = "dataset: data.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_OLD = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_NEW = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_REST = {"prompt_config.yml": _CONFIG, "data.jsonl": _ROW}
PASS = (
    {"readback.yml": _FILE % "classic", "rag.jinja": _OLD, **_REST},
    {"readback.yml": _FILE % "current", "rag.jinja": _NEW, **_REST},
)
FAIL = ({"readback.yml": _FILE % "current", "rag.jinja": _OLD, **_REST},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each such list that the template reads and that has no default."""
    mode = albert_modes.find_albert_mode(case)
    if mode is None or not mode.is_current:
        return
    for name, place in albert_modes.list_variables(case):
        if name in albert_modes.CHUNKS and not mode.prompt.defaults.get(name):
            yield Diagnostic(CODE, {"variable": name}, place, name)

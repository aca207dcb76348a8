"""Find models with a context length but no tokenizer, so that tokens are estimated.

A prompt near the limit may fit or not, and the server silently cuts what does not fit.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits
from readback.types import Diagnostic, RuleContext

CODE = "srv-estimate-only"
ON = "workspace"
_FILE = "dataset: {path: data.jsonl}\nmodels: {m: {%s}}\n"
_DATA = {"data.jsonl": '{"id": "1"}\n'}
PASS = (
    {"readback.yml": _FILE % "tokenizer: qwen3, context: 4096", **_DATA},
    {"readback.yml": _FILE % "type: base", **_DATA},
    {"readback.yml": _FILE % "tokenizer: t.json, context: 4096", "t.json": "{}", **_DATA},
)
FAIL = ({"readback.yml": _FILE % "context: 4096", **_DATA},)

UNREADABLE = "srv-tokenizer-unreadable"  # reports that tokens are estimated, and why


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield one finding for all such models, unless a tokenizer could not be read."""
    models = case.workspace.models.values()
    without = [model for model in models if token_limits.find_limit(model) and model.tokenizer is None]
    if without and not any(diagnostic.code == UNREADABLE for diagnostic in case.workspace.diagnostics):
        names = [model.name for model in without]
        yield Diagnostic(CODE, {"models": names}, without[0].place, ",".join(names))

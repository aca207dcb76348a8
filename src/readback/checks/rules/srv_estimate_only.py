"""Looks for srv-estimate-only; its words are in catalogue/en.yml."""

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

SAID = "srv-tokenizer-unreadable"  # says that tokens are estimated, and why


def check(case: RuleContext) -> Iterator[Diagnostic]:
    without = [one for one in case.workspace.models.values() if token_limits.find_limit(one) and one.tokenizer is None]
    if without and not any(diagnostic.code == SAID for diagnostic in case.workspace.diagnostics):
        names = [model.name for model in without]
        yield Diagnostic(CODE, {"models": names}, without[0].place, ",".join(names))

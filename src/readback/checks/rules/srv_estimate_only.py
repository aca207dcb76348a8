"""A limit is known, the tokenizer is not.

A model says how many tokens it reads (`context`, or `num_ctx` of its settings or Modelfile) and names no `tokenizer`.
Its prompts are counted as bytes ÷ 4: on English prompts with sources 9 % too many on average, 17 % in one of a hundred;
other languages, code and tables differ more. What is sure without a tokenizer: a prompt with fewer bytes than the limit
fits, for a token has at least one byte.

A prompt near the limit may fit or not, and what does not fit is cut by the server silently.

Name the model's tokenizer: a table by its name (qwen3, llama3, o200k, cl100k), or the path of its tokenizer.json.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits
from readback.types import Diagnostic, RuleContext

CODE = "srv-estimate-only"
SEVERITY = "info"
ON = "workspace"
SENTENCE = "{models}: a limit is known but no tokenizer, so tokens are estimated (bytes ÷ 4)"
FIX = "add tokenizer: to {models}, the name of a table or the path of a tokenizer.json"
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
    without = [one for one in case.workspace.models.values() if token_limits.of(one) and one.tokenizer is None]
    if without and not any(diagnostic.code == SAID for diagnostic in case.workspace.diagnostics):
        names = [model.name for model in without]
        yield Diagnostic(CODE, {"models": names}, without[0].place, ",".join(names))

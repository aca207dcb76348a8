"""Find prompts with more tokens than num_ctx allows.

Ollama drops the oldest messages until the text fits, and cuts what is still too long.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits
from readback.types import Diagnostic, RuleContext

CODE = "oll-num-ctx"
ON = "assembly"
NEEDS = "tokens"
_FILE = """dataset: {path: data.jsonl}
modes: [{mode: a, template: "{{ text }}"}]
models: {m: {serving: {modelfile: Modelfile}, tokenizer: cl100k}}
conditions: [{name: c, mode: a, model: m}]
"""
_REST = {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "text": "word' + " word" * 59 + '"}\n'}
_MODELFILE = "FROM x\nTEMPLATE {{ .System }}{{ .Prompt }}\nPARAMETER num_ctx %d\n"
PASS = ({"Modelfile": _MODELFILE % 60, **_REST}, {"Modelfile": "FROM x\n", **_REST})
FAIL = ({"Modelfile": _MODELFILE % 59, **_REST},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the count, and with the messages that may be dropped."""
    window, tokens, model = token_limits.find_exceeded_window(case), case.tokens, token_limits.find_model(case)
    if window is None or tokens is None or model is None or model.modelfile is None or case.assembly is None:
        return
    turns = [message for message in case.assembly.messages[:-1] if message.role != "system"]
    values = {
        "tokens": tokens.count,
        "tokenizer": tokens.tokenizer,
        "context": window.context,
        "file": model.modelfile.place.file,
        "line": window.line,
        "messages": len(case.assembly.messages),
        "drop": len(turns),
    }
    severity = token_limits.weigh(tokens, window.context)
    yield Diagnostic(CODE, values, token_limits.locate_text(case), str(window.context), severity)

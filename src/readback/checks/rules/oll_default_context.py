"""Find prompts that are longer than what Ollama reads by default.

Ollama drops the oldest messages until the text fits, and cuts what is still too long.
"""

from collections.abc import Iterator

from readback.checks.facts import conditions, token_limits
from readback.types import Diagnostic, Finding, RuleContext

CODE = "oll-default-context"
ON = "assembly"
NEEDS = "modelfile"
_FILE = """dataset: {path: data.jsonl}
modes: [{mode: a, template: "{{ text }}"}]
models: {m: {serving: {modelfile: Modelfile}}}
conditions: [{name: c, mode: a, model: m}]
"""
_LONG = {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "text": "words' + " words" * 4_000 + '"}\n'}
_MODELFILE = "FROM x\nTEMPLATE {{ .System }}{{ .Prompt }}\n"
PASS = (
    {**_LONG, "Modelfile": _MODELFILE + "PARAMETER num_ctx 16384\n"},
    {"readback.yml": _FILE, "data.jsonl": '{"id": "1", "text": "words"}\n', "Modelfile": _MODELFILE},
)
FAIL = ({**_LONG, "Modelfile": _MODELFILE},)
# Tokens that Ollama reads where neither the Modelfile nor the request nor OLLAMA_CONTEXT_LENGTH says more: 4,096 in
# versions from 2025 on with less than 24 GiB of graphics memory, and 2,048 before.
DEFAULT = 4_096
BYTES = 4  # of a token, as an estimate


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if neither the Modelfile nor the request states a context and the prompt is longer."""
    model = token_limits.find_model(case)
    if model is None or model.modelfile is None or case.assembly is None:
        return
    if token_limits.find_limit(model) is not None or _has_context_in_request(case):
        return
    if case.model_input and case.model_input.segments:
        text = case.model_input.text
    else:
        text = ""
    text = text or "\n".join(message.text for message in case.assembly.messages)
    if len(text) <= DEFAULT:  # no text has more tokens than bytes, and most bytes are characters
        return
    if case.tokens:
        tokens = case.tokens.count
    else:
        tokens = len(text.encode("utf-8", "surrogatepass")) // BYTES
    is_exact = bool(case.tokens and case.tokens.exact)
    if tokens <= (DEFAULT if is_exact else DEFAULT * token_limits.MARGIN):
        return
    turns = [message for message in case.assembly.messages[:-1] if message.role != "system"]
    values = {
        "tokens": tokens,
        "tokenizer": case.tokens.tokenizer if case.tokens else "estimated",
        "default": DEFAULT,
        "file": model.modelfile.place.file,
        "turns": len(turns),
        "records": "",
        "of": "",
    }
    yield Diagnostic(CODE, values, token_limits.locate_text(case), model.modelfile.place.file or model.name)


def get_group_key(finding: Finding) -> tuple[str, ...] | None:
    """Return the Modelfile: all of its records are one finding."""
    return (str(finding.values["file"]),)


def _has_context_in_request(case: RuleContext) -> bool:
    """Return whether the settings of a condition or its mode state how much is read."""
    condition = conditions.find_condition(case)
    if condition:
        prompt = case.workspace.prompts.get(condition.mode or "")
    else:
        prompt = None
    settings = [owner.settings for owner in (condition, prompt) if owner is not None]
    return any(key in values for values in settings for key in token_limits.CONTEXT)

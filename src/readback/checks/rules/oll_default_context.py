"""Looks for oll-default-context; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import token_limits
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
    model = token_limits.find_model(case)
    if model is None or model.modelfile is None or case.assembly is None or token_limits.find_limit(model) is not None:
        return
    if _request_says(case):
        return
    text = case.model_input.text if case.model_input and case.model_input.segments else ""
    text = text or "\n".join(message.text for message in case.assembly.messages)
    if len(text) <= DEFAULT:  # no text has more tokens than bytes, and most bytes are characters
        return
    tokens = case.tokens.count if case.tokens else len(text.encode("utf-8", "surrogatepass")) // BYTES
    exact = bool(case.tokens and case.tokens.exact)
    if tokens <= (DEFAULT if exact else DEFAULT * token_limits.MARGIN):
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


def gather(finding: Finding) -> tuple[str, ...] | None:
    """All records of a Modelfile are one finding."""
    return (str(finding.values["file"]),)


def _request_says(case: RuleContext) -> bool:
    """Whether the settings of a condition or its mode say how much is read."""
    choice = case.assembly.choice if case.assembly else None
    condition = case.workspace.condition(choice.condition) if choice and choice.condition else None
    prompt = case.workspace.prompts.get(condition.mode or "") if condition else None
    homes = [home.settings for home in (condition, prompt) if home is not None]
    return any(key in home for home in homes for key in token_limits.CONTEXT)

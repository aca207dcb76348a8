"""Looks for oll-engine-unknown; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import EngineOfModel, has_different_texts, list_engines
from readback.types import Diagnostic, RuleContext

CODE = "oll-engine-unknown"
ON = "workspace"
_MODELFILE = 'FROM %s\nTEMPLATE "Q: {{ .Prompt }}"\n'
_SERVER = "serving: {ollama: {%s}}\nmodels: {m: {serving: {modelfile: Modelfile}}}\n"
PASS = (
    {"Modelfile": _MODELFILE % "x", "readback.yml": _SERVER % "version: 0.21.0"},
    {"Modelfile": _MODELFILE % "x", "readback.yml": _SERVER % "go_template: true"},
    {"Modelfile": _MODELFILE % "x" + "PARSER qwen3\n"},
    {"Modelfile": _MODELFILE % "x" + "RENDERER qwen3.5\n"},
    {"Modelfile": "FROM x\n"},
    {"Modelfile": _MODELFILE % ".", "tokenizer_config.json": '{"chat_template": "{{ messages }}"}'},
)
FAIL = (
    {"Modelfile": _MODELFILE % "llama3.2"},
    {"Modelfile": _MODELFILE % "x", "readback.yml": _SERVER % "version: 0.31.1"},
    {"Modelfile": _MODELFILE % "x", "readback.yml": _SERVER % "go_template: false"},
)
OF_WEIGHTS = ("weights unknown", "off unknown")
BETWEEN = "between"
NAMED = 3  # models that are named in the sentence


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """One finding for all models of the workspace."""
    unknown = [served for served in list_engines(case) if _cannot_be_told(served)]
    if not unknown:
        return
    names = [served.model.name for served in unknown]
    listed = ", ".join(names[:NAMED])
    if len(names) > NAMED:
        listed = f"{listed} and {len(names) - NAMED} more"
    values = {"models": listed, "uncertain": names, "count": len(names), "why": _why(unknown)}
    yield Diagnostic(CODE, values, unknown[0].place, "engine")


def _cannot_be_told(served: EngineOfModel) -> bool:
    """Whether the text of TEMPLATE may not be what is sent, and nothing here shows what else would be."""
    if served.engine.sends != "unknown":
        return False
    return served.engine.why in OF_WEIGHTS or (served.engine.why == BETWEEN and has_different_texts(served))


def _why(unknown: list[EngineOfModel]) -> str:
    if all(served.engine.why == BETWEEN for served in unknown):
        return "by which rule this version chooses between TEMPLATE and the chat template of the weights is not known"
    return "the chat template of the weights is not among these files"

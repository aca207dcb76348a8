"""Find models for which it cannot be told which template Ollama sends.

The text that is shown is right for older servers and for those that set `OLLAMA_GO_TEMPLATE`.
"""

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
    """Yield one finding for all such models of the workspace."""
    unknown = [served for served in list_engines(case) if _is_undecided(served)]
    if not unknown:
        return
    names = [served.model.name for served in unknown]
    models = ", ".join(names[:NAMED])
    if len(names) > NAMED:
        models = f"{models} and {len(names) - NAMED} more"
    values = {"models": models, "uncertain": names, "count": len(names), "why": _explain(unknown)}
    yield Diagnostic(CODE, values, unknown[0].place, "engine")


def _is_undecided(served: EngineOfModel) -> bool:
    """Return whether TEMPLATE may not be what is sent, and nothing in the workspace shows the alternative."""
    if served.engine.sends != "unknown":
        return False
    return served.engine.why in OF_WEIGHTS or (served.engine.why == BETWEEN and has_different_texts(served))


def _explain(unknown: list[EngineOfModel]) -> str:
    if all(served.engine.why == BETWEEN for served in unknown):
        return "by which rule this version chooses between TEMPLATE and the chat template of the weights is not known"
    return "the chat template of the weights is not among these files"

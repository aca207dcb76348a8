"""Find templates that leave out the system message.

The model never reads it; everything else works, so only the answers show the fault.
"""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import ServedModel, list_served_models, was_written
from readback.types import Diagnostic, RuleContext

CODE = "oll-system-missing"
ON = "workspace"
PASS = (
    {"Modelfile": 'FROM x\nSYSTEM Be brief.\nTEMPLATE """{{ .System }}{{ .Prompt }}"""\n'},
    {"Modelfile": 'FROM x\nSYSTEM Be brief.\nTEMPLATE """{{ range .Messages }}{{ .Content }} {{ end }}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n'},
)
FAIL = (
    {"Modelfile": 'FROM x\nSYSTEM Be brief.\nTEMPLATE """{{ .Prompt }}"""\n'},
    {
        "readback.yml": "modes: [{mode: m, system: Be brief., template: Why?}]\n"
        "models: {served: {serving: {modelfile: Modelfile}}}\n"
        "conditions: [{name: c, mode: m, model: served}]\n",
        "Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n',
    },
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if a system text is stated or sent and the template does not write it in the self-test."""
    for served in list_served_models(case):
        system = served.modelfile.system or _find_sent_system(case, served)
        if not served.self_test or not served.texts or not system:
            continue
        if not any(was_written(text, served.self_test.system) for text in served.texts):
            yield Diagnostic(CODE, {"system": system, "model": served.name}, served.modelfile.template_place, "system")


def _find_sent_system(case: RuleContext, served: ServedModel) -> str | None:
    """Return a system text that a condition sends to one of the models this Modelfile serves."""
    workspace = case.workspace
    for condition in workspace.conditions:
        model, prompt = workspace.models.get(condition.model or ""), workspace.prompts.get(condition.mode or "")
        if prompt is None or model is None or model.modelfile is None:
            continue
        if model.modelfile.place != served.modelfile.place:
            continue
        if model.training and prompt.syntax == "builder":
            trained = model.training.text
        else:
            trained = None
        system = prompt.system or trained
        if system:
            return system
    return None

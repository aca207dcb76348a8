"""Looks for oll-system-missing; its words are in catalogue/en.yml."""

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
    for served in list_served_models(case):
        system = served.modelfile.system or _sent(case, served)
        if (
            served.self_test
            and served.texts
            and system
            and not any(was_written(model_input, served.self_test.system) for model_input in served.texts)
        ):
            values = {"system": system, "model": served.name}
            yield Diagnostic(CODE, values, served.modelfile.template_place, "system")


def _sent(case: RuleContext, served: ServedModel) -> str | None:
    """A system text that a condition sends to one of the models this Modelfile serves."""
    workspace = case.workspace
    for condition in workspace.conditions:
        model, prompt = workspace.models.get(condition.model or ""), workspace.prompts.get(condition.mode or "")
        if model and model.modelfile and model.modelfile.place == served.modelfile.place and prompt:
            own = model.training.text if model.training and prompt.syntax == "builder" else None
            if text := prompt.system or own:
                return text
    return None

"""Looks for fmt-system-varies; its words are in catalogue/en.yml."""

from collections import defaultdict
from collections.abc import Iterator

from readback.checks.facts.stated_texts import list_system_texts
from readback.types import Condition, Diagnostic, Prompt, RuleContext, Workspace

CODE = "fmt-system-varies"
ON = "workspace"
_TWO = """\
modes: [{mode: a, system: "Be brief.", template: "Why?"}, {mode: b, system: "%s", template: "Why?"}]
models: {m: {}}
conditions: [{name: one, mode: a, model: m}, {name: two, mode: b, model: m}]
"""
PASS = ({"readback.yml": _TWO % "Be brief."},)
FAIL = ({"readback.yml": _TWO % "Be long."},)

ORDER = ("modelfile", "training", "typed", "format", "configuration")  # which text is sent where several are stated


def check(case: RuleContext) -> Iterator[Diagnostic]:
    by_model: dict[str, list[Condition]] = defaultdict(list)
    for condition in case.workspace.conditions:
        if condition.model:
            by_model[condition.model].append(condition)
    for model, conditions in by_model.items():
        first = _system(case.workspace, conditions[0])
        others = [one for one in conditions if _system(case.workspace, one) != first]
        if others:
            names = [one.name for one in others]
            count = len({_system(case.workspace, one) for one in conditions})
            values = {"model": model, "count": count, "first": conditions[0].name, "conditions": names}
            yield Diagnostic(CODE, values, others[0].place, f"{model}\n" + "\n".join(names))


def _system(workspace: Workspace, condition: Condition) -> tuple[str, ...]:
    """What the condition's system message is made of, before any record is put in."""
    task = condition.task or ""
    prompt = workspace.prompts.get(condition.mode) if condition.mode else workspace.tasks.get(task)
    added = _added(workspace, condition.adapter) if task else ()
    return (_base(workspace, condition, prompt), *added, workspace.instructions.get(task) or "")


def _base(workspace: Workspace, condition: Condition, prompt: Prompt | None) -> str:
    """A mode's own text, else the model's; the other way round for the built-in formats, where the server has it."""
    own = prompt.system if prompt else None
    model = workspace.models.get(condition.model or "")
    stated = (
        sorted(list_system_texts(workspace, model), key=lambda text: ORDER.index(text.source))
        if model and condition.mode
        else []
    )
    served = [text.text for text in stated if text.source in ("modelfile", "training", "typed")]
    if prompt and prompt.syntax == "builder":
        return next(iter([*served, *([own] if own else []), *(text.text for text in stated)]), "")
    return own if own is not None else next(iter(served), "")


def _added(workspace: Workspace, name: str | None) -> tuple[str, ...]:
    """Every system text an adapter can append, those of the adapters it extends included."""
    texts: list[str] = []
    seen: set[str] = set()
    while name and name not in seen and (adapter := workspace.adapters.get(name)):
        seen.add(name)
        texts += [one.system for entry in adapter.additions.values() for one in entry if one.system]
        name = adapter.extends
    return tuple(sorted(set(texts)))

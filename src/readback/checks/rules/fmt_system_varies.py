"""Find models that are sent different system messages under different conditions.

Two conditions of one model should differ in the factor under test only.
"""

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
    """Yield a finding for each model, with the conditions that differ from its first one."""
    by_model: dict[str, list[Condition]] = defaultdict(list)
    for condition in case.workspace.conditions:
        if condition.model:
            by_model[condition.model].append(condition)
    for model, conditions in by_model.items():
        parts = [_list_system_parts(case.workspace, condition) for condition in conditions]
        others = [condition for condition, system in zip(conditions, parts, strict=True) if system != parts[0]]
        if others:
            names = [condition.name for condition in others]
            values = {"model": model, "count": len(set(parts)), "first": conditions[0].name, "conditions": names}
            yield Diagnostic(CODE, values, others[0].place, f"{model}\n" + "\n".join(names))


def _list_system_parts(workspace: Workspace, condition: Condition) -> tuple[str, ...]:
    """Return what a condition's system message is made of, before any record is put in."""
    task = condition.task or ""
    if condition.mode:
        prompt = workspace.prompts.get(condition.mode)
    else:
        prompt = workspace.tasks.get(task)
    if task:
        additions = _list_adapter_texts(workspace, condition.adapter)
    else:
        additions = ()
    return (_find_base(workspace, condition, prompt), *additions, workspace.instructions.get(task) or "")


def _find_base(workspace: Workspace, condition: Condition, prompt: Prompt | None) -> str:
    """Return a mode's own text, else the model's; for the built-in formats first the model's, which the server has."""
    own = prompt.system if prompt else None
    model = workspace.models.get(condition.model or "")
    if model and condition.mode:
        system_texts = list(list_system_texts(workspace, model))
    else:
        system_texts = []
    system_texts.sort(key=lambda system: ORDER.index(system.source))
    served = [system.text for system in system_texts if system.source in ("modelfile", "training", "typed")]
    if prompt and prompt.syntax == "builder":
        candidates = [*served, *([own] if own else []), *(system.text for system in system_texts)]
        if candidates:
            return candidates[0]
        return ""
    if own is not None:
        return own
    if served:
        return served[0]
    return ""


def _list_adapter_texts(workspace: Workspace, name: str | None) -> tuple[str, ...]:
    """Return every system text that an adapter can append, also of the adapters that it extends."""
    texts: set[str] = set()
    names: set[str] = set()
    while name and name not in names and name in workspace.adapters:
        names.add(name)
        adapter = workspace.adapters[name]
        for additions in adapter.additions.values():
            texts |= {addition.system for addition in additions if addition.system}
        name = adapter.extends
    return tuple(sorted(texts))

"""Find judges that do not fit the mode of their condition.

A rubric with grounding judges closed-book answers by sources that the model never had.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from readback.types import Diagnostic, Judge, RuleContext, Severity

CODE = "jdg-mode-mismatch"
ON = "workspace"
_FILE = (
    "prompts: [builtin:prompt-formats]\njudges: {j: {prompts: j.yaml}}\n"
    "models: {base: {type: base}}\nconditions: [{name: c, mode: %s, model: base, judge: j}]\n"
)
_RUBRIC = 'prompt: "{{ASSISTANT_RESPONSE}}"\ncriteria: [{id: factuality, weight: 1}, {id: grounding, weight: %s}]\n'
PASS = (
    {"readback.yml": _FILE % "instruction", "j.yaml": _RUBRIC % 0},
    {"readback.yml": _FILE % "rag", "j.yaml": _RUBRIC % 0.3},
)
FAIL = (
    {"readback.yml": _FILE % "rag", "j.yaml": _RUBRIC % 0},
    {"readback.yml": _FILE % "instruction", "j.yaml": _RUBRIC % 0.3},
)

GROUNDING = "grounding"
CLOSED, OPEN = ("instruction",), ("rag", "hybrid", "standard")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each condition; an error if a closed-book mode is judged by its grounding."""
    for condition in case.workspace.conditions:
        judge = case.workspace.judges.get(condition.judge or "")
        weight = _find_weight(judge) if judge else None
        if weight is None or condition.mode not in (*CLOSED, *OPEN):
            continue
        if (weight == 0) != (condition.mode in CLOSED):
            values = {"condition": condition.name, "mode": condition.mode, "judge": condition.judge, "weight": weight}
            place = replace(condition.place, condition=condition.name, mode=condition.mode, judge=condition.judge)
            severity: Severity = "error" if condition.mode in CLOSED else "warning"  # no weight may be a choice
            yield Diagnostic(CODE, values, place, f"{condition.judge}\n{condition.mode}", severity)


def _find_weight(judge: Judge) -> float | None:
    """Return the rubric's weight of grounding; None if it states none."""
    weights = judge.settings.get("weights")
    if isinstance(weights, Mapping):
        weight = weights.get(GROUNDING)
    else:
        weight = None
    if isinstance(weight, int | float):
        return weight
    return None

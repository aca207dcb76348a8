"""A user instruction is for tasks that do not run.

The workspace has a preset or verification configuration, and under none of its settings does any task run that the
instruction speaks for: a text for `abstention_detection` where `abstention_enabled` is not set, one for
`rubric_evaluation` under `evaluation_mode: template_only`.

The text looks like part of the experiment and reaches no model. Whoever reads the configuration takes its effect for
granted.

Switch on what the instruction is for, or remove it.
"""

from collections.abc import Iterator

from readback.checks.facts.running_tasks import tasks_by_key
from readback.types import NOWHERE, Diagnostic, RuleContext

CODE = "asm-instruction-never-used"
SEVERITY = "warning"
ON = "workspace"
SENTENCE = "the instruction '{key}' is never sent: no task it speaks for runs ({why})"
FIX = "change the setting named, or remove the instruction '{key}'"
_PRESET = '{"name": "n", "config": {"parsing_models": [], %s}}'
PASS = (
    {"preset.json": _PRESET % '"abstention_enabled": true, "prompt_config": {"abstention_detection": "Mind irony."}'},
    {"preset.json": _PRESET % '"prompt_config": {"abstention_detection": null, "deep_judgment": ""}'},
    {"readback.yml": "instructions: {abstention_detection: Mind irony.}\n"},
)
FAIL = (
    {"preset.json": _PRESET % '"prompt_config": {"abstention_detection": "Mind irony."}'},
    {"preset.json": _PRESET % '"deep_judgment_mode": "disabled", "prompt_config": {"deep_judgment": "Quote exactly."}'},
    {"preset.json": _PRESET % '"evaluation_mode": "rubric_only", "prompt_config": {"parsing": "Be strict."}'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for key, tasks in tasks_by_key(case.workspace).items():
        if tasks and not any(task.runs for task in tasks):
            place = case.workspace.instruction_places.get(key, NOWHERE)
            why = ", ".join(dict.fromkeys(task.why for task in tasks))
            yield Diagnostic(CODE, {"key": key, "why": why}, place, key)

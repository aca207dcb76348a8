"""Find user instructions for tasks that do not run.

Such a text looks like part of the experiment but reaches no model.
"""

from collections.abc import Iterator

from readback.checks.facts.stated_texts import find_tasks_by_instruction
from readback.types import NOWHERE, Diagnostic, RuleContext

CODE = "asm-instruction-never-used"
ON = "workspace"
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
    """Yield a finding for each instruction of which no task runs, with the settings that decide it."""
    for key, tasks in find_tasks_by_instruction(case.workspace).items():
        if tasks and not any(task.runs for task in tasks):
            place = case.workspace.instruction_places.get(key, NOWHERE)
            why = ", ".join(dict.fromkeys(task.why for task in tasks))
            yield Diagnostic(CODE, {"key": key, "why": why}, place, key)

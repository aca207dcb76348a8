"""Find rows without an expected answer to train on.

The model learns nothing from such a row, and answers to it cannot be compared with anything.
"""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-reference-missing"
ON = "record"
_FILE = (
    "dataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\n"
    "models: {ours: {type: instruction_only}}\nconditions: [{name: a, mode: instruction, model: ours}]\n"
)
PASS = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?", "reference_answer": "So."}\n'},)
FAIL = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "instruction": "Why?", "expected_response": ""}\n'},)
TRAINED = ("instruction_only", "rag_trained")
FIELD = "expected_response"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for a record without a reference, if the prompt formats and a trained type are in use."""
    has_builder = any(prompt.syntax == "builder" for prompt in case.workspace.prompts.values())
    has_trained_model = any(model.type in TRAINED for model in case.workspace.models.values())
    if has_builder and has_trained_model and case.record and not stored_prompt.find_row_reference(case.record.fields):
        yield Diagnostic(CODE, {"field": FIELD}, Location(field=FIELD))

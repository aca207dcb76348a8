"""Looks for fmt-reference-missing; its words are in catalogue/en.yml."""

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
    built = any(prompt.syntax == "builder" for prompt in case.workspace.prompts.values())
    trained = any(model.type in TRAINED for model in case.workspace.models.values())
    if built and trained and case.record and not stored_prompt.find_reference(case.record.fields):
        yield Diagnostic(CODE, {"field": FIELD}, Location(field=FIELD))

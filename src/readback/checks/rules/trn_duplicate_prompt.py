"""Find training rows with the same prompt as an earlier row and different answers.

Several answers to one prompt may be intended; otherwise the rows teach contradicting answers.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import TrainingRow
from readback.types import Diagnostic, Location, Record, RuleContext

CODE = "trn-duplicate-prompt"
ON = "dataset"
NEEDS = "training rows"
_ROW = '{"id": "%s", "prompt": "%s", "completion": "%s"}\n'
_PAIR = '{"prompt": "Hi", "context": "%s", "chosen": "%s", "rejected": "%s"}\n'
PASS = (
    {"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "So.")},
    {"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "How?", "No.")},
)
FAIL = (
    {"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "No.")},
    {"train.jsonl": _PAIR % ("a", "x", "y") + _PAIR % ("b", "z", "w")},
)

PROMPT = "prompt"
# Fields beside the prompt that a program may put into it.
INPUTS = (
    "context",
    "contexts",
    "documents",
    "docs",
    "chunks",
    "passages",
    "sources",
    "input",
    "instruction",
    "question",
    "query",
    "history",
    "system",
    "system_prompt",
)


def list_marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    """Yield the prompt of a row."""
    key = training_rows.get_prompt_key(case)
    if key:
        yield PROMPT, key


def report_repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a finding for a row that repeats the prompt of the first; info if several answers seem intended."""
    first_case = RuleContext(case.workspace, first)
    if training_rows.get_row_key(first_case) == training_rows.get_row_key(case):
        return  # trn-duplicate-row reports equal rows
    values = {"line": first.place.line, "file": first.place.file, "record": first.id}
    row, first_row = training_rows.read_row(case), training_rows.read_row(first_case)
    if row and row.question:
        field = row.question.field
    else:
        field = None
    is_intended = _have_different_inputs(first, case.record) or _have_several_answers(row, first_row)
    is_intended = is_intended or (_is_labelled(first) and _is_labelled(case.record))
    yield Diagnostic(CODE, values, Location(field=field), str(first.id), "info" if is_intended else None)


def _have_different_inputs(first: Record, record: Record | None) -> bool:
    """Return whether two rows differ in a field that a program may put into the prompt."""
    return record is not None and any(first.fields.get(name) != record.fields.get(name) for name in INPUTS)


def _have_several_answers(row: TrainingRow | None, first_row: TrainingRow | None) -> bool:
    """Return whether rows are of a kind, or pairs with one chosen answer, of which a prompt may have several."""
    if row is None:
        return False
    if row.kind == "alpaca":
        return True
    if not row.is_pair or first_row is None:
        return False
    return training_rows.join_turns(row.chosen) == training_rows.join_turns(first_row.chosen)


def _is_labelled(record: Record | None) -> bool:
    """Return whether a row is one of several answers to its prompt, each wanted or not (the rows of KTO)."""
    return record is not None and isinstance(record.fields.get("label"), bool)

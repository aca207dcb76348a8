"""Find training rows that are equal to an earlier row.

Such a row counts twice in training and in every figure about the file.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.types import Diagnostic, Location, Record, RuleContext

CODE = "trn-duplicate-row"
ON = "dataset"
NEEDS = "training rows"
_ROW = '{"id": "%s", "prompt": "%s", "completion": "%s"}\n'
PASS = ({"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "So. ")},)
FAIL = ({"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "So.")},)

ROW = "row"


def list_marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    """Yield the whole row."""
    key = training_rows.get_row_key(case)
    if key:
        yield ROW, key


def report_repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a finding for a row that repeats the first."""
    values = {"line": first.place.line, "file": first.place.file, "record": first.id}
    row = training_rows.read_row(case)
    if row and row.question:
        field = row.question.field
    else:
        field = None
    yield Diagnostic(CODE, values, Location(field=field), str(first.id))

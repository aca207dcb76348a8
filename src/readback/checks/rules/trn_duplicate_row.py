"""Looks for trn-duplicate-row; its words are in catalogue/en.yml."""

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


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    if text := training_rows.get_row_key(case):
        yield ROW, text


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    values = {"line": first.place.line, "file": first.place.file, "record": first.id}
    row = training_rows.read_row(case)
    field = row.question.field if row and row.question else None
    yield Diagnostic(CODE, values, Location(field=field), str(first.id))

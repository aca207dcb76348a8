"""A training row is there twice.

A row has the same prompt and the same answers as an earlier one of the same split, character by character, whatever
its id and other fields are. Both are named.

A row that is there twice counts twice, in the training and in every figure about it. In small sets a few such rows
are learnt by heart.

Take one of the two out.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_facts
from readback.types import Diagnostic, Location, Record, RuleContext

CODE = "trn-duplicate-row"
SEVERITY = "warning"
ON = "dataset"
SENTENCE = "the same prompt and answers as in line {line} of {file} (record {record})"
FIX = "take one of the two rows out"
_ROW = '{"id": "%s", "prompt": "%s", "completion": "%s"}\n'
PASS = ({"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "So. ")},)
FAIL = ({"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "Why?", "So.")},)

ROW = "row"


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    if text := training_facts.whole(case):
        yield ROW, text


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    values = {"line": first.place.line, "file": first.place.file, "record": first.id}
    row = training_facts.row(case)
    field = row.asked.field if row and row.asked else None
    yield Diagnostic(CODE, values, Location(field=field), str(first.id))

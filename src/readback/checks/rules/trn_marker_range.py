"""Find answers to learn that cite contexts which their prompt does not have.

A model that is trained on such answers learns to cite contexts that it was not given.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.checks.facts.contexts import find_context_marks
from readback.checks.facts.training_rows import DATASET, TrainingRow
from readback.types import Diagnostic, Record, RuleContext

CODE = "trn-marker-range"
ON = "record"
NEEDS = "training rows"
_PROMPT = "Context:\\n[1] One.\\n\\n[2] Two.\\n\\nQuestion: Why?\\nAnswer:"
_ROW = '{"prompt": "%s", "completion": "%s"}\n'
PASS = (
    {"train.jsonl": _ROW % (_PROMPT, "So [1], and [2].")},
    {"train.jsonl": _ROW % ("Why?", "See a[3].")},
    {"train.jsonl": '{"prompt": "Why?", "chosen": "So [1].", "rejected": "No [4].", "contexts": ["one"]}\n'},
)
FAIL = (
    {"train.jsonl": _ROW % (_PROMPT, "So [1], and [3].")},
    {"train.jsonl": '{"prompt": "Why?", "chosen": "So [2].", "rejected": "No.", "contexts": ["one"]}\n'},
)

LISTED = re.compile(r"^\[(\d{1,4})\][ \t]", re.MULTILINE)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each answer with a number below 1 or above the number of contexts."""
    row = training_rows.read_row(case)
    if row is None or case.record is None or _is_reported_elsewhere(case, row):
        return
    count = _count_contexts(case.record, row)
    for name, turn in training_rows.list_answers(row) if count else ():
        wrong = [mark for mark in find_context_marks(turn.text, count) if not 1 <= mark.number <= count]
        if wrong and name != "rejected":
            cited = list(dict.fromkeys(turn.text[mark.start : mark.end] for mark in wrong))
            place = training_rows.locate(turn, wrong[0].start, wrong[0].end)
            values = {"field": place.field, "cited": cited, "contexts": count}
            yield Diagnostic(CODE, values, place, " ".join(cited))


def _is_reported_elsewhere(case: RuleContext, row: TrainingRow) -> bool:
    """Return whether fmt-reference-cites-missing reports it: for evaluated records of the prompt formats."""
    if case.record:
        file = training_rows.find_file(case.workspace, case.record)
    else:
        file = None
    return row.kind == "rag" and (file is None or file.split == DATASET)


def _count_contexts(record: Record, row: TrainingRow) -> int:
    """Return the number of listed contexts, else of those that the prompt numbers from 1 without a gap."""
    count = training_rows.count_contexts(record)
    if count is not None:
        return count
    numbers = [int(hit[1]) for turn in row.prompt for hit in LISTED.finditer(turn.text)]
    if numbers == list(range(1, len(numbers) + 1)):
        return len(numbers)
    return 0

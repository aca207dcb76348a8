"""An answer to learn cites contexts that its prompt does not have.

Marks like [2] in a completion, or in a chosen answer, count the contexts of the row from 1: those listed with it, else
those that are in the prompt, each with its number at the start of a line. Marks below 1 or beyond the last one are
reported. A row without contexts is left alone.

A model that is trained on such answers learns to cite what it was not given. It does so when it is served, and
citation scores show it as a fault of the model.

Repair the marks, or give the row the contexts they were written for.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import training_facts
from readback.checks.facts.training_facts import DATASET, TrainingRow
from readback.types import Diagnostic, Record, RuleContext

CODE = "trn-marker-range"
SEVERITY = "warning"
ON = "record"
SENTENCE = "'{field}' cites {cited}, but the row has {contexts} {contexts:context|contexts}"
FIX = "repair the marks in '{field}', or add the contexts they were written for"
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

MARK = re.compile(r"\[(\d{1,9})\]")
LISTED = re.compile(r"^\[(\d{1,4})\][ \t]", re.MULTILINE)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_facts.row(case)
    if row is None or case.record is None or _is_said_elsewhere(case, row):
        return
    count = _contexts(case.record, row)
    for name, turn in training_facts.answers(row) if count else ():
        wrong = [hit for hit in MARK.finditer(turn.text) if not 1 <= int(hit[1]) <= count]
        if wrong and name != "rejected":
            cited = list(dict.fromkeys(hit[0] for hit in wrong))
            place = training_facts.spot(turn, wrong[0].start(), wrong[0].end())
            values = {"field": place.field, "cited": cited, "contexts": count}
            yield Diagnostic(CODE, values, place, " ".join(cited))


def _is_said_elsewhere(case: RuleContext, row: TrainingRow) -> bool:
    """Records of the prompt formats that are evaluated have a rule of their own for their reference."""
    known = training_facts.file_of(case.workspace, case.record) if case.record else None
    return row.kind == "rag" and (known is None or known.split == DATASET)


def _contexts(record: Record, row: TrainingRow) -> int:
    """How many contexts the row has: those of a list, else those numbered from 1 without a gap in what is asked."""
    if (listed := training_facts.contexts(record)) is not None:
        return listed
    numbers = [int(hit[1]) for turn in row.prompt for hit in LISTED.finditer(turn.text)]
    return len(numbers) if numbers == list(range(1, len(numbers) + 1)) else 0

"""Looks for trn-duplicate-prompt; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
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
    "context", "contexts", "documents", "docs", "chunks", "passages", "sources", "input", "instruction", "question",
    "query", "history", "system", "system_prompt",
)  # fmt: skip


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    if text := training_rows.get_prompt_key(case):
        yield PROMPT, text


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    if training_rows.get_row_key(RuleContext(case.workspace, first)) == training_rows.get_row_key(case):
        return  # the row as a whole, which is another rule's
    values = {"line": first.place.line, "file": first.place.file, "record": first.id}
    row = training_rows.read_row(case)
    field = row.question.field if row and row.question else None
    differs = case.record is not None and any(first.fields.get(f) != case.record.fields.get(f) for f in INPUTS)
    earlier = training_rows.read_row(RuleContext(case.workspace, first))
    same = (
        row is not None
        and earlier is not None
        and training_rows.join_turns(row.chosen) == training_rows.join_turns(earlier.chosen)
    )
    several = row is not None and (row.kind == "alpaca" or (row.is_pair and same))
    several = several or (_is_labelled(first) and _is_labelled(case.record))
    yield Diagnostic(CODE, values, Location(field=field), str(first.id), "info" if differs or several else None)


def _is_labelled(record: Record | None) -> bool:
    """Return whether a row is one of several answers to its prompt, each wanted or not (the rows of KTO)."""
    return record is not None and isinstance(record.fields.get("label"), bool)

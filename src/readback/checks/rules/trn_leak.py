"""Looks for trn-leak; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import DATASET
from readback.types import Diagnostic, Location, Record, RuleContext, Severity

CODE = "trn-leak"
ON = "dataset"
_ROW = '{"prompt": "%s", "completion": "So."}\n'
_FILES = "training: {train: train.jsonl, test: test.jsonl}\n"
_LEGAL = "Analyze legal text %s.\\n\\nDocument Excerpt:\\nIt was held.\\n\\nCitations found: -\\n\\nSummary:"
PASS = (
    {"readback.yml": _FILES, "train.jsonl": _ROW % "Why?", "test.jsonl": _ROW % "How?"},
    {"readback.yml": "training: [train.jsonl, test.jsonl]\n", "train.jsonl": _ROW % "a", "test.jsonl": _ROW % "a"},
)
FAIL = (
    {"readback.yml": _FILES, "train.jsonl": _ROW % "Why?", "test.jsonl": _ROW % " Why?"},
    {"readback.yml": _FILES, "train.jsonl": _ROW % (_LEGAL % 1), "test.jsonl": _ROW % (_LEGAL % 2)},
    {"readback.yml": _FILES, "train.jsonl": _ROW % "Why not?", "test.jsonl": _ROW % "WHY not ?"},
    {
        "readback.yml": "dataset: eval.jsonl\ntraining: [train.jsonl]\n",
        "eval.jsonl": '{"id": "1", "instruction": "Why?", "expected_response": "So.", "rag": {"prompt": "p"}}\n',
        "train.jsonl": _ROW % "Question: Why?\\n\\nAnswer:",
    },
)

PROMPT, EXCERPT, NEAR = "prompt", "excerpt", "near"
ENDS = re.compile(r"\s*[.,;:!?…]+(?=\s|\Z)")  # marks behind a word, with the blanks before them
WORDS = {PROMPT: "prompt", EXCERPT: "excerpt", NEAR: "prompt but for case, blanks or punctuation"}


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    record = case.record
    if record is None or not _apart(case, record):
        return
    row = training_rows.read_row(case)
    if row is None:
        asked = (
            training_rows.list_questions(record.fields)
            if training_rows.find_file(case.workspace, record) is None
            else ()
        )
        texts = [text for text in dict.fromkeys(map(training_rows.collapse, asked)) if text]
        yield from ((PROMPT, text) for text in texts)
        yield from ((NEAR, text) for text in dict.fromkeys(map(_plain, texts)) if text)
        return
    if row.question and (text := training_rows.collapse(row.question.text)):
        yield PROMPT, text
        if near := _plain(text):
            yield NEAR, near
    if (found := training_rows.find_legal_prompt(row)) and found[1].excerpt:
        yield EXCERPT, training_rows.collapse(found[1].excerpt.text)


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    later = case.record or first
    split, other = (training_rows.find_split(case.workspace, one) for one in (later, first))
    if split == other:
        return
    what = next(kind for kind in (PROMPT, EXCERPT, NEAR) if kind in kinds)  # the same prompt has the same excerpt
    values = {
        "what": [WORDS[what]],
        "split": split,
        "other": other,
        "line": first.place.line,
        "file": first.place.file,
        "record": first.id,
    }
    row = training_rows.read_row(case)
    field = row.question.field if row and row.question else None
    severity: Severity | None = None if what == PROMPT else "warning"
    yield Diagnostic(CODE, values, Location(field=field), f"{other} {first.id}", severity)


def _plain(text: str) -> str:
    """A prompt without what a slip of the pen changes: its case, its blanks, the marks at the ends of words."""
    return training_rows.collapse(ENDS.sub("", text.casefold()))


def _apart(case: RuleContext, record: Record) -> bool:
    """Whether there may be more than one split; a dataset that nothing else is named beside is alone."""
    return "split" in record.fields or any(one.split != DATASET for one in case.workspace.training)

"""Find prompts that appear in two splits.

An evaluation on training rows measures memory, and all its scores are too high.
"""

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


def list_marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    """Yield the prompt of a record or training row, the prompt without its marks, and the excerpt of a legal prompt."""
    record = case.record
    if record is None or not _may_have_splits(case, record):
        return
    row = training_rows.read_row(case)
    if row is None:
        is_evaluated = training_rows.find_file(case.workspace, record) is None
        questions = training_rows.list_questions(record.fields) if is_evaluated else ()
        texts = [text for text in dict.fromkeys(map(training_rows.collapse, questions)) if text]
        yield from ((PROMPT, text) for text in texts)
        yield from ((NEAR, text) for text in dict.fromkeys(map(_simplify, texts)) if text)
        return
    if row.question:
        text = training_rows.collapse(row.question.text)
    else:
        text = ""
    if text:
        yield PROMPT, text
        near = _simplify(text)
        if near:
            yield NEAR, near
    legal = training_rows.find_legal_prompt(row)
    if legal and legal[1].excerpt:
        yield EXCERPT, training_rows.collapse(legal[1].excerpt.text)


def report_repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a finding if the two records are in different splits; a warning if only excerpt or wording are equal."""
    record = case.record or first
    split, other = training_rows.find_split(case.workspace, record), training_rows.find_split(case.workspace, first)
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
    if row and row.question:
        field = row.question.field
    else:
        field = None
    severity: Severity | None = None if what == PROMPT else "warning"
    yield Diagnostic(CODE, values, Location(field=field), f"{other} {first.id}", severity)


def _simplify(text: str) -> str:
    """Return a prompt without what a slip of the pen changes: its case, its blanks, the marks at the ends of words."""
    return training_rows.collapse(ENDS.sub("", text.casefold()))


def _may_have_splits(case: RuleContext, record: Record) -> bool:
    """Return whether there may be more than one split: the row or a training file states one."""
    return "split" in record.fields or any(file.split != DATASET for file in case.workspace.training)

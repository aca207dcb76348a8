"""Find answers that belong to one prompt but have different prompts.

A preference is learnt between two answers to one prompt; else the model learns the difference between the prompts.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import Turn
from readback.types import Diagnostic, Location, Record, RuleContext

CODE = "trn-prompt-differs"
ON = ("record", "dataset")
NEEDS = "training rows"
_LIST = '[{"role": "user", "content": "%s"}, {"role": "assistant", "content": "%s"}]'
_PAIR = '{"chosen_messages": ' + _LIST + ', "rejected_messages": ' + _LIST + "}\n"
_ROW = '{"id": "%s", "prompt": "%s", "completion": "%s"}\n'
PASS = (
    {"train.jsonl": _PAIR % ("Why?", "So.", "Why?", "No.")},
    {"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (2, "How?", "So.")},
)
FAIL = (
    {"train.jsonl": _PAIR % ("Why?", "So.", "Why? ", "No.")},
    {"train.jsonl": _ROW % (1, "Why?", "So.") + _ROW % (1, "How?", "No.")},
)

ID = "id"
SHOWN = 60  # characters of a prompt in the sentence


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for the first message in which the two conversations of a pair differ."""
    row = training_rows.read_row(case)
    if row is None or row.other_prompt is None:
        return
    first, other = _find_first_difference(row.prompt, row.other_prompt)
    field = "rejected_messages"
    if other:
        field = other.field
    elif row.other_prompt:
        field = row.other_prompt[-1].field
    values = {
        "other": first.field if first else "chosen_messages",
        "text": _quote(other.text if other else ""),
        "first": _quote(first.text if first else ""),
    }
    yield Diagnostic(CODE, values, Location(field=field), training_rows.join_turns(row.other_prompt))


def _find_first_difference(turns: Sequence[Turn], other_turns: Sequence[Turn]) -> tuple[Turn | None, Turn | None]:
    """Return the first two messages that differ; None for one that is not there."""
    for turn, other in zip((*turns, None), (*other_turns, None), strict=False):
        if (turn and turn.same_as) != (other and other.same_as):
            return turn, other
    return None, None


def list_marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    """Yield the id that a row states, within its file."""
    record = case.record
    row = training_rows.read_row(case)
    if record is None or record.id is None or record.is_called_by_place:
        return
    if row and row.kind != "rag":
        yield ID, f"{record.place.file}\0{record.id}"


def report_repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a finding for a row with the id of the first and another prompt."""
    row, first_row = training_rows.read_row(case), training_rows.read_row(RuleContext(case.workspace, first))
    if row is None or first_row is None:
        return
    if training_rows.join_turns(row.prompt) == training_rows.join_turns(first_row.prompt):
        return
    values = {
        "other": f"{first.id} ({first.place.line})",
        "text": _quote(row.question.text if row.question else ""),
        "first": _quote(first_row.question.text if first_row.question else ""),
    }
    if row.question:
        field = row.question.field
    else:
        field = None
    yield Diagnostic(CODE, values, Location(field=field), training_rows.join_turns(row.prompt))


def _quote(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")

"""Looks for trn-prompt-differs; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
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
    row = training_rows.read_row(case)
    if row is None or row.other_prompt is None:
        return
    pairs = zip((*row.prompt, None), (*row.other_prompt, None), strict=False)
    one, other = next(((a, b) for a, b in pairs if (a and a.same_as) != (b and b.same_as)), (None, None))
    field = other.field if other else row.other_prompt[-1].field if row.other_prompt else "rejected_messages"
    values = {
        "other": one.field if one else "chosen_messages",
        "text": _shown(other.text if other else ""),
        "first": _shown(one.text if one else ""),
    }
    yield Diagnostic(CODE, values, Location(field=field), training_rows.join_turns(row.other_prompt))


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    record = case.record
    row = training_rows.read_row(case)
    called = record.id if record else None
    if record and row and row.kind != "rag" and called is not None and not record.is_called_by_place:
        yield ID, f"{record.place.file}\0{called}"


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    row, earlier = training_rows.read_row(case), training_rows.read_row(RuleContext(case.workspace, first))
    if (
        row is None
        or earlier is None
        or training_rows.join_turns(row.prompt) == training_rows.join_turns(earlier.prompt)
    ):
        return
    field = row.question.field if row.question else None
    said, was = (one.question.text if one.question else "" for one in (row, earlier))
    values = {"other": f"{first.id} ({first.place.line})", "text": _shown(said), "first": _shown(was)}
    yield Diagnostic(CODE, values, Location(field=field), training_rows.join_turns(row.prompt))


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")

"""Find preference pairs whose chosen and rejected answers are the same.

The model can learn nothing from such a pair, but its loss still counts.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-chosen-equals-rejected"
ON = "record"
NEEDS = "training rows"
_PAIR = '{"prompt": "Why?", "chosen": "It is so.", "rejected": "%s"}\n'
PASS = ({"train.jsonl": _PAIR % "It is So."},)
FAIL = (
    {"train.jsonl": _PAIR % "It is so."},
    {"train.jsonl": _PAIR % " It is\\n so. "},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if roles, texts and calls of the two answers are equal but for white space."""
    row = training_rows.read_row(case)
    if row is None or not (row.chosen and row.rejected):
        return
    chosen, rejected = ([turn.same_as for turn in turns] for turns in (row.chosen, row.rejected))
    is_blank = not any(turn.text.strip() or turn.same_as[2] for turn in row.chosen)
    if is_blank or _collapse(chosen) != _collapse(rejected):
        return
    last = row.rejected[-1]
    if last.stretches:
        place = training_rows.locate(last, 0, len(last.text))
    else:
        place = Location(field=last.field)
    yield Diagnostic(CODE, {"exact": chosen == rejected}, place, row.chosen[-1].text)


def _collapse(turns: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [(role, training_rows.collapse(text), calls) for role, text, calls in turns]

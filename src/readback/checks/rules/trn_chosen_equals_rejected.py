"""Looks for trn-chosen-equals-rejected; its words are in catalogue/en.yml."""

from collections.abc import Iterator

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
    row = training_rows.read_row(case)
    if row is None or not (row.chosen and row.rejected):
        return
    chosen, rejected = ([turn.same_as for turn in turns] for turns in (row.chosen, row.rejected))
    same = [[(role, training_rows.collapse(text), more) for role, text, more in turns] for turns in (chosen, rejected)]
    if same[0] == same[1] and any(turn.text.strip() or turn.same_as[2] for turn in row.chosen):
        last = row.rejected[-1]
        place = training_rows.locate(last, 0, len(last.text)) if last.stretches else Location(field=last.field)
        yield Diagnostic(CODE, {"exact": chosen == rejected}, place, row.chosen[-1].text)

"""The rejected answer was damaged.

The rejected answer of a preference pair is held against the chosen one: a word at the end of a sentence that is cut
("inadmissibl." for "inadmissible"), a sentence whose full stop is gone, parentheses that became empty. Answers that
say the same in other words are left alone.

Such answers come from programs that take citations out with patterns and take a letter or a full stop with them. The
model then learns to tell broken text from whole text, which is easy, instead of a summary without its citations.

Make the rejected answer again, taking out whole citations and nothing else.
"""

from collections.abc import Iterator

from readback.rules import _training
from readback.rules._damage import damages
from readback.types import Diagnostic, RuleContext

CODE = "trn-damaged-text"
SEVERITY = "warning"
ON = "record"
SENTENCE = "'{field}' has {damaged}, which looks like what is left of {whole}"
FIX = "make the rejected answer again: take out whole citations and nothing else"
_ROW = '{"prompt": "Why?", "chosen": "%s", "rejected": "%s"}\n'
PASS = (
    {"train.jsonl": _ROW % ("It is inadmissible. See Fed. R. Evid. 802.", "It is inadmissible.")},
    {"train.jsonl": _ROW % ("He asked the courts.", "He asked the court.")},
    {"train.jsonl": _ROW % ("It was granted (A v. B).", "It was granted.")},
)
FAIL = (
    {"train.jsonl": _ROW % ("It is inadmissible. See Fed. R. Evid. 802.", "It is inadmissibl.")},
    {"train.jsonl": _ROW % ("It was granted. He appealed.", "It was granted He appealed.")},
    {"train.jsonl": _ROW % ("It was granted (A v. B).", "It was granted ().")},
    {"train.jsonl": _ROW % ("It was not granted.", "It was not granted")},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = _training.row(case)
    if row is None or not (row.chosen and row.rejected):
        return
    rejected, prompt = row.rejected[-1], " ".join(turn.text for turn in row.prompt)
    if damage := next(damages(rejected.text, row.chosen[-1].text, prompt), None):
        place = _training.spot(rejected, damage.start, damage.end)
        damaged = rejected.text[damage.start : damage.end]
        yield Diagnostic(
            CODE, {"field": place.field, "damaged": repr(damaged), "whole": repr(damage.whole)}, place, damaged
        )

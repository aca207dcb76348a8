"""Files in which two answers were shown side by side and one of them won, or neither.

Source: pairwise annotations of ignaciolinari/beyond-the-cutoff (MIT): `model_a`, `model_b`, `outcome` (`win_a`,
`win_b`, `tie`); its batch files also say which model was `presented_as_A` and which `presented_as_B`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files.cells import legible, text_of
from readback.scores.files.layout import ITEM, fields_of, first
from readback.scores.files.row_labels import label
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.table import ConditionKey, Outcome, SourceRead
from readback.types import Diagnostic, Location

NAME = "pairwise outcomes"
A, B, WON = "model_a", "model_b", "outcome"
SHOWN_FIRST, SHOWN_SECOND = "presented_as_a", "presented_as_b"
SAID: Mapping[str, Literal["a", "b", "tie"]] = {
    **dict.fromkeys(("win_a", "a"), "a"),
    **dict.fromkeys(("win_b", "b"), "b"),
    "tie": "tie",
}
BY = ("annotator", "judge", "judge_name", "judge_model", "rater")
OPEN = "not decided yet"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Both models, and an outcome in the words of this program in at least half of the rows that give one."""
    fields = fields_of(rows)
    if first((A,), fields) is None or first((B,), fields) is None or (column := first((WON,), fields)) is None:
        return False
    words = [word for row in rows if (word := text_of(row.get(column)).strip().lower())]
    return sum(word in SAID for word in words) * 2 >= len(words)


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's outcome. A row without one is counted; one whose outcome or models make no sense is a diagnostic."""
    file = settings.source.path
    diagnostics = BoundedDiagnostics()
    outcomes: list[Outcome] = []
    left_out: Counter[str] = Counter()
    unused: dict[str, None] = {}
    for row in rows:
        if isinstance(row, Diagnostic):
            diagnostics.add(row)
            continue
        names = {name.strip().lower(): name for name in reversed(list(row.fields))}
        fields = {name: row.fields[spelling] for name, spelling in names.items()}
        unused.update(dict.fromkeys(name for name in names if name not in (A, B, WON, SHOWN_FIRST, SHOWN_SECOND)))
        word = text_of(fields.get(WON)).strip().lower()
        if not word:
            left_out[OPEN] += 1
        elif isinstance(outcome := _outcome(fields, word, row, settings), Diagnostic):
            diagnostics.add(outcome)
            left_out["not an outcome"] += 1
        else:
            outcomes.append(outcome)
    head_fields = fields_of([row.fields for row in head])
    roles = {
        "item": tuple(filter(None, (first(ITEM, head_fields),))),
        "condition": (A, B),
        "judge": tuple(filter(None, (first(BY, head_fields),))),
        "score": (WON,),
    }
    item_and_judge = {*ITEM, *BY}
    account = SourceRead(
        path=file,
        what=NAME,
        rows=len(outcomes),
        columns={**roles, "unused": tuple(legible(name) for name in unused if name not in item_and_judge)},
        left_out=dict(left_out),
        synthetic=settings.source.synthetic,
    )
    return FileScores(None, account, diagnostics.list_all(file), outcomes=tuple(outcomes))


def _outcome(fields: Mapping[str, Any], word: str, row: Row, settings: FileSettings) -> Outcome | Diagnostic:
    a, b = text_of(fields.get(A)), text_of(fields.get(B))
    item = text_of(next((fields[name] for name in ITEM if fields.get(name) is not None), None)) or label(row)
    place = Location(file=settings.source.path, line=row.line or None, record=item)
    won = SAID.get(word)
    if won is None or not a or not b or a == b:
        if won:
            wrong = "the two models are not two"
        else:
            wrong = f"the outcome is '{word[:40]}', not win_a, win_b or tie"
        return Diagnostic("scr-bad-outcome", {"item": item, "reason": wrong}, place, f"{item}|{a}|{b}")
    by = text_of(next((fields[name] for name in BY if fields.get(name) is not None), None)) or settings.judge
    return Outcome(item, _key(a, settings), _key(b, settings), won, by, _shown_first(fields, a, b), place)


def _shown_first(fields: Mapping[str, Any], a: str, b: str) -> Literal["a", "b"] | None:
    """Which of the two was first, where the row says so: by the model's name, or as `a` and `b`."""
    for name, names in ((SHOWN_FIRST, (a, b)), (SHOWN_SECOND, (b, a))):
        model = text_of(fields.get(name))
        if model in (names[0], *(("model_a",) if names[0] == a else ("model_b",))):
            return "a"
        if model in (names[1], *(("model_b",) if names[0] == a else ("model_a",))):
            return "b"
    return None


def _key(model: str, settings: FileSettings) -> ConditionKey:
    return (("condition", settings.aliases.get(model, legible(model))),)

"""Per-record results of the beyond-the-cutoff evaluation program (`details.jsonl`), as each of its versions wrote them.

Source: ignaciolinari/beyond-the-cutoff (MIT). `mean_coverage` is its context coverage (how much of the cited contexts
the answer holds); what its dataset builder calls coverage is another measure and never is here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files.cell_findings import ScoreTexts
from readback.scores.files.cells import WRITTEN, Cell, cell, legible, stem, text_of
from readback.scores.files.intake import Intake, columns, make_conditions
from readback.scores.files.layout import first
from readback.scores.files.reply_column import Reread
from readback.scores.files.row_labels import label
from readback.scores.files.run_facts import CLOSED_BOOK, name_condition
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.files.stated_numbers import part
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, RunFacts, SourceRead
from readback.scores.values.doubtful_numbers import BESIDE
from readback.types import Diagnostic, Location

NAME = "run details"
VERDICT = "judge_verdict"
COVERAGE = "citation_mean_coverage"
COMPUTED = "computed"  # the judge of what a program counts
CITATIONS = {
    "mean_coverage": COVERAGE,
    **{
        key: f"citation_metrics.{key}"
        for key in ("precision", "recall", "grounded_fraction", "context_coverage", "answer_coverage")
    },
}
ABOUT_DOCUMENTS = ("grounding", "grounding_score", *CITATIONS.values())
NO_DOCUMENTS = (math.nan, NOT_APPLICABLE, "the run has no documents")
RAW = ("judge_raw_response", "judge_raw_output")
NOT_SCORES = (  # what a row holds beside scores, its texts and its names
    *("response_length", "timing", "error_categories", "judge_missing_citations", "judge_hallucinated_citations"),
    *(*RAW, "timestamp", "task_type"),
)

FAILED_ROW = {"task_id", "model_label", "errors", "error_categories", "timestamp", "task_type", "timing"}
PARTS = ("judge_scores", "citation_metrics", "reference_metrics")

Found = tuple[str, str, Cell]  # criterion, judge, what the cell says


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether a row has a task id with a judge's scores or verdict under this program's names, or only errors."""
    return any(
        "task_id" in row and (isinstance(row.get("judge_scores"), Mapping) or VERDICT in row or _only_errors(row))
        for row in rows
    )


def _only_errors(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("errors"), Mapping) and bool(row["errors"]) and row.keys() <= FAILED_ROW


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every record's scores, verdict, and what the program counted of citations and against the reference.

    A row without judge scores is a failed judgement of everything the judge scored elsewhere in the file: the
    program leaves them empty without writing an error.
    """
    source = settings.source
    intake = Intake(source.path)
    intake.add_candidate("condition")
    diagnostics = BoundedDiagnostics()
    failed: list[tuple[int, int, int, str]] = []
    judged: dict[str, None] = {}
    modes: dict[str, str] = {}
    unused: dict[str, None] = {}
    used = 0
    texts = ScoreTexts()
    again = Reread(source.path, settings.rubrics)
    for row in rows:
        if isinstance(row, Diagnostic):
            diagnostics.add(row)
            continue
        used += 1
        fields = row.fields
        for name in PARTS:
            diagnostics.extend(part(fields, name, Location(file=source.path, line=row.line)))
        label = name_condition(fields, settings)[0][1]
        item = intake.items.code(_item(row, diagnostics, source.path))
        combo = intake.code_combo([label])
        mode = run_mode(fields)
        modes.setdefault(label, mode)
        rationale = text_of(fields.get("judge_reasoning"))
        scored, computed = list(_list_judged(fields, settings.judge)), list(_list_computed(fields))
        judged.update(dict.fromkeys(criterion for criterion, _, _ in scored))
        unused.update(dict.fromkeys(name for name in NOT_SCORES if name in fields))
        if reply := first(RAW, fields):
            again.see(reply, fields[reply], text_of(fields.get("task_id")), row.line, scored, len(intake.value))
        if not (judge_scores := fields.get("judge_scores")) or not isinstance(judge_scores, Mapping):
            failed.append((item, combo, row.line, _reason(fields.get("errors"))))
        for criterion, judge, parsed in (*scored, *computed):
            if parsed[2] == WRITTEN:
                texts.see(criterion, str(parsed[0]), parsed, row.line)
            closed = criterion in ABOUT_DOCUMENTS and (mode or settings.modes.get(label)) == CLOSED_BOOK
            intake.add(
                item, combo, criterion, judge, NO_DOCUMENTS if closed else parsed, rationale=rationale, line=row.line
            )
    diagnostics.take(again.list_diagnostics())
    intake.whys.update(dict.fromkeys(again.doubtful.find_doubtful(), BESIDE))
    diagnostics.extend(texts.diagnostics(source.path))
    _fail(intake, failed, judged or {VERDICT: None}, settings)
    conditions, condition_columns = make_conditions(intake, source, stem(source.path))
    roles = {
        "item": ("task_id",),
        "condition": condition_columns or ("model_label",),
        "score": tuple(intake.criteria.codes),
        "unused": tuple(unused),
    }
    account = SourceRead(
        source.path, NAME, used, len(intake.value), roles, synthetic=source.synthetic, texts_left=intake.texts_left
    )
    about = tuple(
        RunFacts((("condition", label),), mode=mode or None, place=Location(file=source.path))
        for label, mode in modes.items()
    )
    return FileScores(columns(intake, conditions), account, diagnostics.list_all(source.path), about=about)


def _item(row: Row, diagnostics: BoundedDiagnostics, file: str) -> str:
    """Return the record's id; a row without one is called by its line."""
    if task_id := text_of(row.fields.get("task_id")):
        return task_id
    called = label(row)
    diagnostics.add(
        Diagnostic("dat-missing-id", {"field": "task_id", "called": called}, Location(file=file, line=row.line), called)
    )
    return called


def _fail(
    intake: Intake, failed: Iterable[tuple[int, int, int, str]], judged: Iterable[str], settings: FileSettings
) -> None:
    """Add failed cells of the judge's criteria for the rows without scores, except verdicts that such rows have."""
    with_verdict = {
        (item, combo)
        for item, combo, criterion in zip(intake.item, intake.combo, intake.criterion, strict=True)
        if criterion == intake.criteria.codes.get(VERDICT)
    }
    for item, combo, line, reason in failed:
        for criterion in judged:
            if criterion != VERDICT or (item, combo) not in with_verdict:
                intake.add(item, combo, criterion, settings.judge, (math.nan, FAILED, reason), line=line)


def run_mode(fields: Mapping[str, Any]) -> str:
    """Return the mode that a row states; an early version only marks the citation metrics."""
    citations = fields.get("citation_metrics")
    if isinstance(citations, Mapping):
        marked = citations.get("mode")
    else:
        marked = None
    return text_of(fields.get("prompt_mode")) or (CLOSED_BOOK if marked == "instruction_only" else text_of(marked))


def _list_judged(fields: Mapping[str, Any], judge: str) -> Iterator[Found]:
    scores = fields.get("judge_scores")
    has_scores = isinstance(scores, Mapping) and scores
    if isinstance(scores, Mapping):
        yield from ((legible(str(name)), judge, _mark_text(value, cell(value))) for name, value in scores.items())
    if VERDICT in fields and (has_scores or fields[VERDICT] is not None):
        yield VERDICT, judge, _verdict(fields[VERDICT])


def _mark_text(value: Any, parsed: Cell) -> Cell:
    """Mark a number written as text: it counts here, and the program that wrote the file does not count it."""
    if isinstance(value, str) and parsed[1:] == (SCORED, ""):
        return (parsed[0], SCORED, WRITTEN)
    return parsed


def _list_computed(fields: Mapping[str, Any]) -> Iterator[Found]:
    citations = fields.get("citation_metrics")
    if isinstance(citations, Mapping):
        yield from ((name, COMPUTED, cell(citations[key])) for key, name in CITATIONS.items() if key in citations)
    for name, value in _against_reference(fields.get("reference_metrics")):
        yield f"reference_metrics.{legible(name)}", COMPUTED, cell(value)


def _against_reference(metrics: Any) -> Iterator[tuple[str, Any]]:
    """{bleu, bertscore: {precision, recall, f1}} by the names that the program's summary has: bertscore_f1."""
    for name, value in metrics.items() if isinstance(metrics, Mapping) else ():
        if isinstance(value, Mapping):
            yield from ((f"{name}_{part}", number) for part, number in value.items())
        elif (value is None and name != "bertscore") or (
            isinstance(value, int | float) and not isinstance(value, bool)
        ):
            yield str(name), value


def _verdict(value: Any) -> Cell:
    match str(value).strip().lower():
        case "pass":
            return 1.0, SCORED, ""
        case "fail":
            return 0.0, SCORED, ""
        case other:
            return math.nan, MISSING, "" if value is None else f"the verdict is {other[:40]}"


def _reason(errors: Any) -> str:
    if isinstance(errors, Mapping) and errors:
        return f"the run failed: {', '.join(map(str, list(errors)[:3]))}"
    return "the judge gave no scores"

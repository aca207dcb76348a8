"""Files that keep what a judge wrote and no scores: every reply is read, and one of an unknown form is not read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files import judge_reply
from readback.scores.files.cell_findings import ScoreTexts
from readback.scores.files.cells import Cell, apply_status, legible, stem, text_of
from readback.scores.files.costs import Costs, Spent
from readback.scores.files.denominators import Denominators
from readback.scores.files.intake import Intake, columns, make_conditions
from readback.scores.files.judge_reply import Mark, Reply
from readback.scores.files.judge_reply.plain_forms import (
    PlainScore,
    find_labels,
    find_plain_scores,
    find_scores_with_denominators,
    is_labelled,
)
from readback.scores.files.layout import (
    CONDITION,
    JUDGE,
    RATIONALE,
    RAW_REPLY,
    REPLY,
    SCORE_ENDING,
    VALUE,
    Layout,
    cost_columns,
    fields_of,
    first,
    item_columns,
    layout,
    score_columns,
    token_columns,
)
from readback.scores.files.reply_column import find_mark, locate_diagnostics
from readback.scores.files.row_labels import label
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.table import FAILED, MISSING, SCORED, SourceRead
from readback.scores.values.criteria import look_up
from readback.types import Diagnostic, ScoreSource

NAME = "judges' replies"
FINISH, CUT = ("finish_reason", "stop_reason", "done_reason"), ("length", "max_tokens")
FAILURE = "request_failure"  # why there is no reply, of a row whose request failed
REST = (*FINISH, FAILURE, "usage", "id", "object", "created", "messages", "request")
KEPT = 600  # characters of a reply kept as the diagnostic of its cells
STATE = {"scored": SCORED, "failed": FAILED, "missing": MISSING}
NOTHING = "nothing"  # the step of a reply that cannot be read
SCORE = "score"  # what the only number of replies without JSON is called
NOT_CRITERIA = ("confidence",)  # numbers that judges add and nobody scores by


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether rows have an item, a reply and no scores, and a judge or replies with numbers."""
    fields = fields_of(rows)
    source = settings.source
    reply = first(REPLY, fields)
    if reply is None or source.judges or not item_columns(fields, source) or first(VALUE, fields):
        return False
    if score_columns(fields, source, settings.criteria, rows) or not any(_text(row.get(reply)) for row in rows):
        return False
    if first(JUDGE, fields) or reply.strip().lower().startswith("judge_"):
        return True
    is_judged = reply.strip().lower() in RAW_REPLY or first((*source.condition, *CONDITION), fields)
    texts = [text for row in rows if (text := _text(row.get(reply))).strip()]
    return bool(is_judged) and (bool(_numbers(texts, settings)) or sum(map(is_labelled, texts)) * 2 > len(texts))


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the criteria of each reply: those of the workspace's judge, else the names the replies give numbers to."""
    source = settings.source
    samples = [row.fields for row in head]
    plan = _layout(samples, source)
    state = _Replies(settings, plan, Intake(source.path), first(REPLY, fields_of(samples)) or "")
    state.criteria = _criteria([_text(row.get(state.reply)) for row in samples], settings)
    state.money, state.tokens = cost_columns(fields_of(samples)), token_columns(fields_of(samples))
    for name in plan.candidates:
        state.intake.add_candidate(name)
    for row in rows:
        if isinstance(row, Diagnostic):
            state.diagnostics.add(row)
        else:
            state.row(row)
    state.diagnostics.extend(state.texts.diagnostics(source.path))
    scales, findings = state.denominators.split(state.intake, settings.criteria)
    state.diagnostics.extend(findings)
    conditions, condition_columns = make_conditions(state.intake, source, stem(source.path))
    named = tuple(
        tuple((f, settings.aliases.get(v, v) if f == "condition" else v) for f, v in key) for key in conditions
    )
    cost = state.costs.format_sums()
    account = SourceRead(
        path=source.path,
        what=NAME,
        rows=state.used,
        cells=len(state.intake.value),
        columns={
            "item": tuple(map(legible, plan.item)),
            "condition": tuple(map(legible, condition_columns)),
            "judge": (legible(plan.judge),) if plan.judge else (),
            "score": tuple(map(legible, state.intake.criteria.codes)),
            "reply": (legible(state.reply),),
            "read": tuple(f"{step} {count}" for step, count in state.steps.most_common()),
            "unused": tuple(map(legible, plan.unused)),
            **({"cost": cost} if cost else {}),
        },
        synthetic=source.synthetic,
        texts_left=state.intake.texts_left,
    )
    diagnostics = state.diagnostics.list_all(source.path)
    expenses = state.spent.expenses(named)
    return FileScores(
        columns(state.intake, named),
        account,
        diagnostics,
        criteria=scales,
        expenses=expenses,
        on_other_scale=state.denominators.on_other_scale,
    )


@dataclass(slots=True)
class _Replies:
    """What has come of the rows so far."""

    settings: FileSettings
    plan: Layout
    intake: Intake
    reply: str
    criteria: tuple[str, ...] = ()
    diagnostics: BoundedDiagnostics = field(default_factory=BoundedDiagnostics)
    texts: ScoreTexts = field(default_factory=ScoreTexts)
    steps: Counter[str] = field(default_factory=Counter)
    used: int = 0
    costs: Costs = field(default_factory=Costs)
    spent: Spent = field(default_factory=Spent)
    money: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    denominators: Denominators = field(default_factory=Denominators)

    def row(self, row: Row) -> None:
        fields, plan = row.fields, self.plan
        self.used += 1
        if plan.item:
            item = " | ".join(text_of(fields.get(name)) for name in plan.item)
        else:
            item = ""
        item = item or label(row)
        judge = (text_of(fields.get(plan.judge)) if plan.judge else "") or self.settings.judge
        criteria = self._criteria_of(fields, judge)
        text = _text(fields.get(self.reply))
        reply = self.settings.rubrics.read(text, criteria, judge)
        self.steps[reply.step or NOTHING] += 1
        self.diagnostics.extend(locate_diagnostics(reply, item, self.settings.source.path, row.line, judge))
        runs = [called for name in (plan.run, plan.replicate) if name and (called := text_of(fields.get(name)))]
        combo = self.intake.code_combo([text_of(fields.get(name)) for name in self.intake.candidates])
        self.costs.row(fields, self.money)
        if self.money or self.tokens:
            self.spent.row((combo, judge), fields, self.money, self.tokens)
        code = self.intake.items.code(item)
        plain = _plain_scores(reply, text, criteria)
        for criterion in criteria:
            mark = find_mark(reply, criterion)
            parsed = _cell(mark, reply, text, fields)
            if plan.status:
                parsed = apply_status(parsed, fields.get(plan.status))
            if mark.text and reply.value is not None:
                self.texts.see(criterion, f"{mark.value:g}", parsed, row.line)
            if criterion in plain:
                self.denominators.see(len(self.intake.value), plain[criterion].denominator)
            self.intake.add(
                code,
                combo,
                criterion,
                judge,
                parsed,
                rationale=_note(reply, text),
                cluster=text_of(fields.get(plan.cluster)) if plan.cluster else "",
                run="/".join(runs),
                prompt=text_of(fields.get(plan.prompt)) if plan.prompt else "",
                line=row.line,
            )

    def _criteria_of(self, fields: Mapping[str, Any], judge: str) -> tuple[str, ...]:
        """Return the criteria that a reply is read for: the row's own, else the judge's, else those of the file."""
        if self.plan.criterion:
            own = text_of(fields.get(self.plan.criterion))
        else:
            own = ""
        if own:
            return (own,)
        return self.settings.rubrics.list_criteria(judge) or self.criteria


def _plain_scores(reply: Reply, text: str, criteria: Collection[str]) -> Mapping[str, PlainScore]:
    """Return the scores of a reply that was read in a plain form, with their denominators."""
    if reply.step != "plain form" or reply.span is None:
        return {}
    start, stop = reply.span
    return find_scores_with_denominators(text[start:stop], criteria)


def _note(reply: Reply, text: str) -> str:
    """Return the judge's own note where the reply has one under a usual name; else the beginning of the reply."""
    for name in RATIONALE:
        if reply.value is not None:
            note = reply.value.get(name)
        else:
            note = None
        if isinstance(note, str) and note.strip():
            return legible(note)
    return legible(text[:KEPT])


def _cell(mark: Mark, reply: Reply, text: str, fields: Mapping[str, Any]) -> Cell:
    """Return the mark as a cell: failed with its request, missing without a reply; a reply that was cut says so."""
    if failure := _text(fields.get(FAILURE)):
        return math.nan, FAILED, f"the request failed: {failure}"
    if not text.strip():
        return math.nan, MISSING, "there is no reply"
    why = mark.why
    name = first(FINISH, list(fields))
    if reply.value is None and name and str(fields.get(name)).strip().lower() in CUT:
        return mark.value, FAILED, f"{why.removeprefix('not read: ')}; it was cut at its token limit"
    return mark.value, STATE[mark.state], why


def _layout(samples: Sequence[Mapping[str, Any]], source: ScoreSource) -> Layout:
    """Return the usual roles, leaving aside what belongs to the call and tells no conditions apart."""
    fields = fields_of(samples)
    objects = {name for row in samples for name, value in row.items() if isinstance(value, Mapping | list)}
    left_aside = {name for name in fields if name.strip().lower() in REST or name in objects} - {*source.item}
    left_aside -= {*item_columns(fields, source)}
    roles = layout([name for name in fields if name not in left_aside], source, ())
    return Layout(
        item=roles.item,
        judge=roles.judge,
        run=roles.run,
        replicate=roles.replicate,
        cluster=roles.cluster,
        prompt=roles.prompt,
        status=roles.status,
        criterion=roles.criterion,
        candidates=roles.candidates,
        unused=(*roles.unused, *sorted(left_aside)),
    )


def _criteria(texts: Collection[str], settings: FileSettings) -> tuple[str, ...]:
    """Return the names the replies give numbers to; the two criteria of the RAG judge where there are none."""
    return _numbers(texts, settings) or _plain(texts, settings) or judge_reply.RAG[1:]


def _plain(texts: Collection[str], settings: FileSettings) -> tuple[str, ...]:
    """Return the criteria of replies without JSON: the known names that most lines give numbers to, else `score`."""
    counts: Counter[str] = Counter()
    written = [text for text in texts if text.strip()]
    for text in written:
        counts.update(dict.fromkeys(find_labels(text), 1))
    labels = [name for name, count in counts.items() if count * 2 >= len(written) and look_up(name, settings.criteria)]
    if labels:
        return tuple(labels)
    if any(find_plain_scores(text, (SCORE,)) for text in written):
        return (SCORE,)
    return ()


def _numbers(texts: Iterable[str], settings: FileSettings) -> tuple[str, ...]:
    """Return the keys with a number in at least half of the readable replies, and those of criteria that are defined.

    A key with the ending `_score` and the same without it are one criterion, by the commoner spelling, unless one
    reply holds both.
    """
    counts: Counter[str] = Counter()
    together: set[str] = set()
    readable = 0
    for text in filter(None, texts):
        value = judge_reply.read(text, ()).value
        # in their order, each once
        if value is not None:
            keys = [*dict.fromkeys(_numeric(value))]
        else:
            keys = []
        readable += bool(keys)
        together.update(name for name in keys if name + SCORE_ENDING in keys)
        counts.update(keys)
    for name in [name for name in counts if name + SCORE_ENDING in counts and name not in together]:
        rare, common = sorted((name, name + SCORE_ENDING), key=lambda spelling: counts[spelling])
        counts[common] += counts.pop(rare)
    return tuple(
        name for name, count in counts.items() if count * 2 >= readable or look_up(name, settings.criteria) is not None
    )


def _numeric(value: Mapping[str, Any]) -> Iterator[str]:
    nested = value.get("scores")
    for place in (value, nested if isinstance(nested, Mapping) else {}):
        for name, entry in place.items():
            if judge_reply.mark(entry).state == "scored" and name not in NOT_CRITERIA:
                yield legible(str(name))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""

"""A training row on Prompts: its prompt and its answers as they stand, the chosen one beside the rejected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import streamlit as st
from markupsafe import Markup

from readback.checks import training
from readback.checks.groups import in_text
from readback.checks.rules import Fault
from readback.checks.summary import Audit
from readback.compare.texts import Change, compare_texts
from readback.html import exact
from readback.html.exact import Mark
from readback.records.dataset import Dataset
from readback.records.fields import row_fields
from readback.records.training import training_reader
from readback.records.training.training_row import TrainingRow, Turn
from readback.types import Assembly, Finding, Location, Message, Record, Segment, Selection, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.head import loaded
from readback.ui.common.draw.table import Column
from readback.ui.common.draw.text import beside, cited, message
from readback.ui.common.state import caches, choice
from readback.ui.prompts import room
from readback.ui.prompts.bar import records
from readback.ui.prompts.one import cited_numbers, finding_cards
from readback.words import t

FIRST = 5  # rows that the overview shows
READ = 400  # characters of a text that are looked at
BEGIN = 110  # and that it shows
SIMILAR = 0.3  # share of both answers that has to be equal, or marks of what differs would cover all of it


def wanted(workspace: Workspace) -> bool:
    """Whether the page shows the rows of a training file, since nothing here is sent to a model."""
    sends = workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions
    return (
        not sends
        and workspace.dataset is not None
        and training.find_training_file(workspace, workspace.dataset.path) is not None
    )


def kinds(counts: Mapping[str, int], records: int) -> str:
    """How many rows are of which kind: `100 preference pairs: prompt, chosen, rejected`; all rows are counted."""
    named = [t(f"training_row.{kind}", n=n) for kind, n in counts.items()]
    others = records - sum(counts.values())
    return t("training_row.and").join([*named, t("training_row.others", n=others)] if others else named) or t(
        "training_row.no_rows"
    )


def show_training_files(audit: Audit | None) -> Iterator[str]:
    """Draw the training files beside the dataset and what became of their lines, for the overview."""
    for entry in audit.training if audit else ():
        if entry.is_separate:
            counts = loaded.counts(entry.path, entry.counts)
            answers = kinds(entry.kinds, entry.counts.read)
            yield f"{counts} {t('training_row.file', split=entry.split, kinds=answers)}"


def draw_first(data: Dataset) -> None:
    """Draw the first rows for the overview: how each begins, what it is to teach, and the way to the whole row."""
    rows = []
    for number in range(min(FIRST, len(data))):
        row = training_reader.read(data.record(number).fields)
        if row is not None:
            answers = row.chosen or row.completion
            question = row.question or next(iter(row.prompt), None)
            rows.append(
                {
                    "row": f"{number + 1}",
                    "index": number,
                    "asked": _begin(question),
                    "learned": _begin(answers[-1] if answers else None),
                }
            )
    columns = (
        Column("row", t("training_row.first_row"), show=lambda cells: _to_row(cells["index"])),
        Column("asked", t("training_row.first_asked")),
        Column("learned", t("training_row.first_learned")),
    )
    if rows:
        table.table("first_rows", columns, rows, caption=t("training_row.first", n=len(rows)), tools=False, headed=True)


def _to_row(index: int) -> Markup:
    return show.link("prompts", show.number(index + 1), **choice.named(index))


def _begin(turn: Turn | None) -> str:
    """Return the beginning of a text on one line."""
    if turn:
        text = exact.written_out(" ".join(turn.text[:READ].split()))
    else:
        text = ""
    if len(text) <= BEGIN:
        return text
    return text[: BEGIN - 1] + "…"


def page() -> None:
    """Draw Prompts for such a file."""
    places = room.draw_bar(None)
    record, assembly = choice.record(), choice.assembly(Selection())
    row = training_reader.read(record.fields)
    findings, faults = _find_findings(assembly)
    with places.go:
        records.next_finding(findings)
    with places.switches:
        cited.switch([turn.text for _, turns in (row.answers if row else ()) for turn in turns])
    show.draw(show.h('<p class="rb-lead">{}</p>', _lead(row, record)))
    left, right = st.columns([7, 3], gap="medium")
    with left:
        if record.masked:
            show.notice(t("messages.masked"), "warning")
        if row:
            if cited.on():
                source = cited.held_by(record.fields, row.question.text if row.question else "")
            else:
                source = None
            _Drawn(record, list(enumerate(findings, 1)), source).row(row)
            if source:
                answers = [(t(f"training_row.{name}"), turns[-1].text) for name, turns in row.answers]
                show.draw(cited_numbers.tables(answers, source))
        else:
            show.notice(t("training_row.no_row"), "warning")
    with right:
        finding_cards.draw_cards(findings, faults, assembly, {})
        with st.expander(t("messages.fields"), expanded=True, key="fields_open"):
            whole = [turn.field for turns in _parts(row) for turn in turns if turn.role]
            beside.fields(record, replace(assembly, messages=_messages(row, record)), findings, whole=whole)


def read_from(place: Location | None) -> None:
    """Which row of a training file is shown, where it is one."""
    if place is not None:
        show.notice(t("training_row.read_from", line=place.line or 0, file=place.file or ""))


def _lead(row: TrainingRow | None, record: Record) -> str:
    if row:
        kind = t(f"training_row.one_{row.kind}")
    else:
        kind = t("training_row.one_none")
    return t("training_row.lead", kind=kind, line=record.place.line or 0, file=record.place.file or "")


def _find_findings(assembly: Assembly) -> tuple[tuple[Finding, ...], Sequence[Fault]]:
    """Return the findings of the row, and what the check of all rows found in it besides: repeats and leaks."""
    own, faults = choice.find_findings(assembly)
    job = caches.audited(choice.key())
    if job and job.ready.is_set():
        audit = job.result
    else:
        audit = None
    at, file, keys = choice.position(), choice.dataset().file, {finding.key for finding in own}
    if isinstance(audit, Audit):
        more = [
            finding
            for finding in audit.findings
            if finding.place.index == at and finding.place.file == file and finding.key not in keys
        ]
    else:
        more = []
    return tuple(sorted((*own, *more), key=in_text)), faults


def _messages(row: TrainingRow | None, record: Record) -> tuple[Message, ...]:
    """All texts of a row as messages."""
    parts = _parts(row)
    return tuple(Message(turn.role or "user", _segments(turn, record), turn.whole) for turns in parts for turn in turns)


def _parts(row: TrainingRow | None) -> tuple[tuple[Turn, ...], ...]:
    """Return the stretches of a row's conversation: what leads to the answers, and the answers."""
    if row is None:
        return ()
    return row.prompt, row.other_prompt or (), row.completion, row.chosen, row.rejected


def _segments(turn: Turn, record: Record) -> tuple[Segment, ...]:
    """Return a turn's text in the fields that it is in."""
    parts = [
        Segment(stretch.text, "variable", stretch.field, row_fields.locate_field(record, stretch.field))
        for stretch in turn.stretches
    ]
    return tuple(part for stretch in parts for part in (Segment("\n", "joiner"), stretch))[1:]


class _Drawn:
    """The texts of one row, with the findings that are in them; `found` are numbered; `held` is what citations of its
    answers are held against.
    """

    def __init__(
        self, record: Record, findings: Sequence[tuple[int, Finding]], source: cited.Source | None = None
    ) -> None:
        self.record, self.findings, self.source = record, findings, source

    def row(self, row: TrainingRow) -> None:
        for number, turn in enumerate(row.prompt):
            self.turn(f"prompt-{number}", t("training_row.prompt") if not turn.role else self.role(turn), turn)
        if row.other_prompt:
            show.notice(t("training_row.other_prompt"), "warning")
            for number, turn in enumerate(row.other_prompt):
                self.turn(f"other-{number}", t("training_row.of_rejected", role=self.role(turn)), turn)
        if row.is_pair:
            self.pair(row)
            return
        for number, turn in enumerate(row.completion):
            self.turn(f"completion-{number}", t("training_row.completion"), turn)
        if not row.completion:
            show.notice(t("training_row.no_answer"), "warning")

    def pair(self, row: TrainingRow) -> None:
        """Chosen beside rejected, with what differs marked in both where they are alike."""
        marks: tuple[tuple[Mark, ...], ...] = ((), ())
        if len(row.chosen) == len(row.rejected) == 1:
            marks, sentence = _apart(row.chosen[0].text, row.rejected[0].text)
            show.draw(show.h('<p class="rb-small" role="status">{}</p>', sentence))
        sides = st.columns(2, gap="small")
        for side, name, turns, more in zip(
            sides, ("chosen", "rejected"), (row.chosen, row.rejected), marks, strict=True
        ):
            with side:
                for number, turn in enumerate(turns):
                    if len(turns) == 1:
                        title = t(f"training_row.{name}")
                    else:
                        title = f"{t(f'training_row.{name}')}: {self.role(turn)}"
                    self.turn(f"{name}-{number}", title, turn, more)
                if not turns:
                    show.notice(t(f"training_row.no_{name}"), "warning")

    def role(self, turn: Turn) -> str:
        shown_role = {"developer": "system", "function": "tool"}.get(turn.role, turn.role)
        if shown_role in ("system", "user", "assistant", "tool"):
            return t(f"messages.role_{shown_role}")
        return t("training_row.role", role=show.md(turn.role))

    def turn(self, name: str, title: str, turn: Turn, more: Sequence[Mark] = ()) -> None:
        mine = list(self._placed(turn))
        findings, numbers = [finding for _, finding in mine], [number for number, _ in mine]
        if name.startswith(("prompt", "other")):
            cited_source = None
        else:
            cited_source = self.source
        segments = _segments(turn, self.record)
        message.message(
            name, title, segments, findings, numbers, self.record.masked, more, source=cited_source, whole=turn.whole
        )

    def _placed(self, turn: Turn) -> Iterator[tuple[int, Finding]]:
        """Yield the findings in a turn's text, with offsets into all of it."""
        at = 0
        for stretch in turn.stretches:
            for number, finding in self.findings:
                place = finding.place
                if place.field == stretch.field and place.start is not None and place.end is not None:
                    yield number, replace(finding, place=replace(place, start=place.start + at, end=place.end + at))
            at += len(stretch.text) + 1


def _apart(chosen: str, rejected: str) -> tuple[tuple[tuple[Mark, ...], tuple[Mark, ...]], str]:
    """Return the stretches that only one of the answers has, and a sentence on them."""
    if chosen == rejected:
        return ((), ()), t("training_row.equal")
    comparison = compare_texts(chosen, rejected)
    equal = sum(change.a[1] - change.a[0] for change in comparison.changes if change.kind == "equal")
    if comparison.coarse or 2 * equal < SIMILAR * (len(chosen) + len(rejected)):
        return ((), ()), t("training_row.unlike")
    marks = (
        _marks(comparison.changes, "a", t("training_row.only_chosen")),
        _marks(comparison.changes, "b", t("training_row.only_rejected")),
    )
    return marks, t("training_row.differ", n=sum(change.kind != "equal" for change in comparison.changes))


def _marks(changes: Sequence[Change], side: str, title: str) -> tuple[Mark, ...]:
    spans = [change.a if side == "a" else change.b for change in changes if change.kind != "equal"]
    return tuple(Mark(start, end, 0, "apart", title) for start, end in spans if start < end)

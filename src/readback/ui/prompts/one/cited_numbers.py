"""The numbers of citations as small tables, each number under the name its source gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from readback.citations import bounded, find_marks, upstream
from readback.citations.metrics import MarkNumbers, measure_marks
from readback.citations.support import Verdict, count_verdicts
from readback.types import Values
from readback.ui.common import show
from readback.ui.common.draw.text import cited
from readback.ui.common.state import choice
from readback.words import t

Texts = Sequence[tuple[str, str]]  # what a text is, and the text
Cell = Markup | str
REFERENCE = 0  # of the texts: what stored numbers are about


def tables(texts: Texts, source: cited.Source) -> Markup:
    """One table for marks like `[1]` where the record has contexts, one for legal citations where there are any."""
    parts = []
    if source.contexts is not None and any(find_marks(text) for _, text in texts):
        parts.append(_of_marks(texts, source.contexts))
    verdicts_by_title = [(title, cited.verdicts(text, source)) for title, text in texts]
    if any(verdicts for _, verdicts in verdicts_by_title):
        parts.append(_of_citations(verdicts_by_title, source))
    if not parts:
        return show.h('<p class="rb-small">{}</p>', t("citations.none"))
    return show.join(parts)


def stored(fields: Values) -> float | None:
    """Return the mean answer_coverage that the dataset builder stored with the reference; its keys are texts."""
    value: Any = fields
    for name in ("metadata", "citation_enforcement", "verification", "coverage"):
        if isinstance(value, Mapping):
            value = value.get(name)
        else:
            value = None
    if isinstance(value, Mapping):
        numbers = [number for number in value.values() if type(number) in (int, float)]
    else:
        numbers = []
    return sum(numbers) / len(numbers) if numbers else None


def _of_marks(texts: Texts, contexts: Sequence[str]) -> Markup:
    names = ["cited", "precision", "recall", "context_coverage", "answer_coverage", "grounded_fraction"]
    columns = [list(_cells(measure_marks(text, contexts), len(contexts))) for _, text in texts]
    stored_mean = stored(choice.record().fields)
    if stored_mean is not None:
        names.append("answer_coverage_stored")
        for number, column in enumerate(columns):
            column.append(_ratio(stored_mean) if number == REFERENCE else "")
    heads = [title for title, _ in texts]
    remark = t("citations.marks_note")
    return _table(t("citations.marks_title"), heads, [t(f"citations.{name}") for name in names], columns, remark)


def _cells(numbers: MarkNumbers, count: int) -> tuple[Cell, ...]:
    nothing = show.h('<span class="rb-small">{}</span>', t("citations.nothing_cited"))
    listed = ", ".join(map(str, numbers.referenced))
    valid = len(numbers.referenced) > len(numbers.extra)
    coverages = (numbers.context_coverage, numbers.answer_coverage) if valid else (None, None)
    return (
        t("citations.cited_of", listed=listed, contexts=count) if listed else nothing,
        nothing if numbers.precision is None else _ratio(numbers.precision),
        _ratio(numbers.recall),
        *map(_ratio, coverages),
        _ratio(numbers.grounded_fraction),
    )


def _of_citations(verdicts_by_title: Sequence[tuple[str, Sequence[Verdict]]], source: cited.Source) -> Markup:
    names = ("found", "supported", "legal_precision", "legal_recall", "hallucination_rate")
    there = cited.find_citations(source.text)
    old = choice.workspace().options.get("citation_patterns") == "upstream"
    unchecked = source.against == "nothing"
    columns = [
        _unchecked(verdicts) if unchecked else _of_answer(verdicts, there, old) for _, verdicts in verdicts_by_title
    ]
    remark = t("citations.upstream_note" if old else "citations.legal_note", where=t(f"citations.in_{source.against}"))
    versions = ", ".join(f"{name} {version}" for name, version in bounded.list_versions().items())
    sentence = f"{remark} {t('citations.database', versions=versions)}"
    heads = [title for title, _ in verdicts_by_title]
    return _table(t("citations.legal_title"), heads, [t(f"citations.{name}") for name in names], columns, sentence)


def _of_answer(verdicts: Sequence[Verdict], there: Sequence[Any], old: bool) -> list[Cell]:
    counts = count_verdicts(verdicts, there)
    ratios: tuple[float | None, ...] = (counts.precision, counts.recall, counts.hallucination)
    if old:
        ratios = upstream.compute_scores([verdict.citation for verdict in verdicts], there)
    return [str(counts.cited), str(counts.supported), *map(_ratio, ratios)]


def _unchecked(verdicts: Sequence[Verdict]) -> list[Cell]:
    """Of answers whose prompt has no excerpt only how many citations they have."""
    citations = {verdict.citation.normal for verdict in verdicts if verdict.citation.normal}
    return [str(len(citations)), *[show.h('<span class="rb-small">{}</span>', t("citations.not_checkable"))] * 4]


def _ratio(value: float | None) -> Cell:
    if value is None:
        return show.h('<span class="rb-small">{}</span>', t("citations.not_applicable"))
    return show.number(float(value), 3)


def _table(
    title: str, heads: Sequence[str], names: Sequence[str], columns: Sequence[Sequence[Cell]], remark: str
) -> Markup:
    """Draw a line for each number, a column for each text."""
    head = show.join([show.h('<th scope="col" class="rb-num">{}</th>', name) for name in heads])
    body = [
        show.h(
            '<tr><th scope="row">{}</th>{}</tr>',
            name,
            show.join([show.h('<td class="rb-num">{}</td>', column[number]) for column in columns]),
        )
        for number, name in enumerate(names)
    ]
    table = '<table class="rb-table"><caption>{}</caption><thead><tr><th scope="col">{}</th>{}</tr></thead>'
    return show.h(
        '<div class="rb-scroll" role="region" tabindex="0" aria-label="{}">'
        + table
        + '<tbody>{}</tbody></table></div><p class="rb-small">{}</p>',
        title,
        title,
        title,
        head,
        show.join(body),
        remark,
    )

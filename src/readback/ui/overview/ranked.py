"""All conditions on one axis, by their means or else by the length of their prompts.

Planned pairs are not joined here: each is a row of its own above, which says more than a line between two rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby

from markupsafe import Markup

from readback.checks.comparisons import Pair, Verdict
from readback.checks.summary import Audit, Row
from readback.html.templates import render_template
from readback.ui.common import show
from readback.ui.overview import axis, paired
from readback.ui.overview.axis import Axis
from readback.ui.overview.headline import Headline, Shape, are_alike
from readback.ui.results import means
from readback.words import t

MOST = 12  # conditions that are all drawn; of more those of planned pairs and the ends
LEVELS = 16  # values of factors that are drawn; the factors after them are counted
ENDS = 3  # of these at the top and at the bottom
WHOLE = 0.15  # of the scale: means and intervals that take up less are drawn on a part of it


@dataclass(frozen=True, slots=True)
class Entry:
    """A condition: its name as a link, its number as text, and where it is drawn in percent; `low` and `high` are the
    ends of its interval, or of its bar. `name` is the workspace's name of it.

    `note` stands beside what is drawn. `factor` is named before the first of its values, of which there are `values`.
    """

    name: str
    label: str
    link: Markup
    number: str
    aloud: str
    at: float | None
    low: float | None
    high: float | None
    extra: Markup | str = ""
    factor: Markup | str = ""
    values: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Conditions that are not drawn."""

    text: str


def draw_means(head: Headline, judged: Sequence[Verdict], answers: Mapping[Pair, paired.Answer]) -> None:
    """Draw the conditions by their means, the better first, where several were scored; of very many the values of each
    factor, and of only one its judges.
    """
    if head.levels and not judged:
        _draw_levels(head)
        return
    shapes = [shape for shape in head.shapes.values() if shape.center is not None]
    if not shapes:
        return
    scale, is_part = _fit_means(head, shapes)
    entries = [_build_mean(shape, scale) for shape in shapes]
    counts = [shape.n for shape in shapes]
    low, high = min(counts), max(counts)
    notes = []
    if not judged:  # a planned comparison says its own count, and a first screen has few words
        notes.append(t("overview.ranked_of" if low == high else "overview.ranked_of_span", n=low, high=high))
    notes += [t("overview.ranked_without", name=shape.name, without=shape.without) for shape in shapes if shape.without]
    if is_part:
        notes.append(t("overview.ranked_part"))
    if head.scale.direction == "down":
        notes.append(t("overview.ranked_down"))
    is_open = head.is_disputed or (bool(answers) and not any(answer.is_conclusive for answer in answers.values()))
    if is_open:
        notes.append(t("overview.ranked_disputed" if head.is_disputed else "overview.ranked_open"))
    title = t("overview.ranked", criterion=head.criterion)
    columns = (t("overview.name"), t("overview.ranked_mean"))
    leaders = _link_leaders(head)
    _draw(title, " ".join(notes), columns, entries, scale, judged, is_bar=False, is_open=is_open, leaders=leaders)
    _draw_unscored([shape for shape in head.shapes.values() if shape.center is None])


def _link_leaders(head: Headline) -> Markup:
    """Return the way to compare the first two on Results, where the plan does not compare them."""
    if not head.leaders:
        return Markup("")
    params = {"criterion": head.criterion, "baseline": head.leaders[-1].address_of}
    label = show.h('<span title="{}">{}</span>', t("overview.ranked_leaders"), t("overview.ranked_leaders_way"))
    return show.link("results", label, **params)


def _draw_unscored(shapes: Sequence[Shape]) -> None:
    """Draw the conditions that have no mean, with the reason: the first few, the others counted."""
    lines = [t("overview.ranked_unscored", name=shape.name, why=shape.mean) for shape in shapes[:ENDS]]
    if len(shapes) > ENDS:
        lines.append(t("overview.ranked_unscored_more", n=len(shapes) - ENDS))
    if lines:
        show.draw(show.h('<p class="rb-small">{}</p>', " ".join(lines)))


def _draw_levels(head: Headline) -> None:
    """Draw what is compared instead of conditions: factors as far as the picture has rows, the others are counted."""
    levels: dict[str, tuple[Shape, ...]] = {}
    for factor, shapes in head.levels.items():
        if levels and sum(map(len, levels.values())) + len(shapes) > LEVELS:
            break
        levels[factor] = shapes
    every = [shape for shapes in levels.values() for shape in shapes]
    scale, is_part = _fit_means(head, every)
    entries = []
    for factor, shapes in levels.items():
        link = show.link("results", factor, by=factor) if factor else ""
        for at, shape in enumerate(shapes):
            entry = _build_mean(shape, scale)
            if factor:
                row = replace(entry, factor=link, values=0 if at else len(shapes))
                entry = replace(row, link=show.link("results", shape.name, by=factor, of=shape.address_of))
            entries.append(entry)
    by_judge = "" in levels
    notes = [t("overview.ranked_judges") if by_judge else t("overview.ranked_levels_each")]
    if rest := len(head.levels) - len(levels):
        notes.append(t("overview.ranked_levels_more", n=rest))
    if is_part:
        notes.append(t("overview.ranked_part"))
    if head.scale.direction == "down":
        notes.append(t("overview.ranked_down"))
    title = t("overview.ranked_by_judge" if by_judge else "overview.ranked_by_factor", criterion=head.criterion)
    columns = (t("overview.ranked_judge") if by_judge else t("overview.ranked_value"), t("overview.ranked_mean"))
    _draw(title, " ".join(notes), columns, entries, scale, (), is_bar=False, is_whole=True, is_open=by_judge)


def is_telling(head: Headline) -> bool:
    """Tell whether a picture of the means would tell conditions apart: not where all scores of all are one number."""
    shapes = [shape for shape in head.shapes.values() if shape.center is not None]
    ends = {end for shape in shapes for end in (shape.span or (shape.center,))}
    return len(shapes) < 2 or (len(ends) > 1 and not are_alike(shapes))


def draw_lengths(audit: Audit, judged: Sequence[Verdict]) -> None:
    """Draw the conditions by their longest prompt, the longest first, with their findings."""
    rows = [row for row in audit.conditions if row.longest is not None]
    if not rows:
        return
    in_tokens = all(row.tokens is not None for row in rows)
    lengths = {row.name: row.tokens.count if in_tokens and row.tokens else row.longest or 0 for row in rows}
    rows.sort(key=lambda row: -lengths[row.name])
    scale = Axis(0, max(lengths.values()) * 1.04 or 1)
    entries = [_build_length(row, lengths[row.name], scale) for row in rows]
    title = t("overview.ranked_tokens" if in_tokens else "overview.ranked_characters")
    columns = (t("overview.name"), title)
    _draw(title, "", columns, entries, scale, judged, is_bar=True)


def _fit_means(head: Headline, shapes: Sequence[Shape]) -> tuple[Axis, bool]:
    """Return the axis: the whole scale, or a part of it where means and intervals take up little of the scale."""
    values = [end for shape in shapes for end in (shape.span or (shape.center or 0.0,))]
    low, high = head.scale.low, head.scale.high
    is_one_point = max(values) == min(values)
    if low is None or high is None or high <= low:  # a rate of 0 or of 1 has no other value to make a scale of
        is_rate = is_one_point and 0 <= values[0] <= 1
        return axis.fit(values, ends=(0, 1) if is_rate else None), False
    if max(values) - min(values) < WHOLE * (high - low) and not is_one_point:
        return axis.fit(values), True
    return axis.fit(values, ends=(low, high)), False


def _build_mean(shape: Shape, scale: Axis) -> Entry:
    if shape.judge:
        link = show.link("results", shape.name, scored_by=shape.judge)
    elif shape.condition:
        link = show.link("prompts", shape.condition, **paired.NONE, condition=shape.condition)
    else:
        link = show.link("results", shape.name, of=shape.address_of)
    if shape.span:
        low, high = (scale.place(end) for end in shape.span)
    else:
        low, high = (None, None)
    center = scale.place(shape.center or 0.0)
    number = means.format_mean(shape.center)
    if shape.most_given:
        note = t("overview.ranked_narrow", value=shape.most_given)
    else:
        note = ""
    aloud = f"{shape.summary}; {note}" if note else shape.summary
    return Entry(shape.condition or shape.name, shape.name, link, number, aloud, center, low, high, note=note)


def _build_length(row: Row, length: int, scale: Axis) -> Entry:
    parts = [
        show.link("findings", show.severity(severity, n), severity=severity, arm=row.name)
        for severity, n in (("error", row.errors), ("warning", row.warnings))
        if n
    ]
    link = show.link("prompts", row.name, **asdict(row.choice))
    number = show.number(length)
    return Entry(row.name, row.name, link, number, number, None, 0.0, scale.place(length), show.join(parts, " "))


def _draw(
    title: str,
    note: str,
    columns: tuple[str, str],
    entries: Sequence[Entry | Gap],
    scale: Axis,
    judged: Sequence[Verdict],
    *,
    is_bar: bool,
    is_whole: bool = False,
    is_open: bool = False,
    leaders: Markup | str = "",
) -> None:
    named = [entry for entry in entries if isinstance(entry, Entry)]
    if is_whole:
        lines = list(entries)
    else:
        lines = _fold(named, judged)
    show.draw(
        render_template(
            "ui/overview/ranked.html.jinja",
            t=t,
            title=title,
            note=note,
            leaders=leaders,
            columns=columns,
            lines=lines,
            marks=scale.marks(),
            zero=scale.place(0) if scale.low < 0 < scale.high and not is_bar else None,
            is_bar=is_bar,
            is_open=is_open,
            factor=t("overview.ranked_factor") if any(entry.factor for entry in named) else "",
            has_extra=any(isinstance(line, Entry) and line.extra for line in lines),
            aloud=title if is_whole else _describe(named, title),
            number_length=max((len(entry.number) for entry in named), default=0),
        )
    )


def _fold(entries: Sequence[Entry], judged: Sequence[Verdict]) -> list[Entry | Gap]:
    """Return the entries; of many those of planned pairs and of both ends, with what is between them counted."""
    if len(entries) <= MOST:
        return list(entries)
    planned: dict[str, None] = {}
    for each in judged:
        sides = dict.fromkeys((each.pair.a, each.pair.b))
        if len(planned | sides) <= MOST:
            planned |= sides
    is_kept = [entry.name in planned or at < ENDS or at >= len(entries) - ENDS for at, entry in enumerate(entries)]
    return list(_list_lines(entries, is_kept))


def _list_lines(entries: Sequence[Entry], is_kept: Sequence[bool]) -> Iterator[Entry | Gap]:
    for keep, run in groupby(zip(is_kept, entries, strict=True), key=lambda pair: pair[0]):
        folded = [entry for _, entry in run]
        if keep or len(folded) == 1:
            yield from folded
        else:
            ends = {"high": folded[0].number, "low": folded[-1].number}
            yield Gap(t("overview.ranked_folded", n=len(folded), **ends))


def _describe(entries: Sequence[Entry], title: str) -> str:
    """Return the picture in a sentence: how many conditions, the first and the last."""
    if len(entries) == 1:
        return t("overview.ranked_aloud_one", title=title, name=entries[0].label, number=entries[0].number)
    first, last = entries[0], entries[-1]
    return t(
        "overview.ranked_aloud",
        title=title,
        n=len(entries),
        first=first.label,
        first_number=first.number,
        last=last.label,
        last_number=last.number,
    )

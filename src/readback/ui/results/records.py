"""List the scores behind a number of Results, and show a record: its scores, the judge's notes, the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores.sentences import report
from readback.scores.table import ConditionKey, ScoreTable, list_item_scores
from readback.scores.values.criteria import MINUS, number
from readback.scores.workspace_condition import find_named_condition
from readback.types import Record, Score, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.draw.text import beside
from readback.ui.common.state import caches, choice
from readback.ui.results import drilldown, record_answers
from readback.ui.results.drilldown import SIDES, MarkScores
from readback.words import t

RECORDS = 2_000  # scores listed behind one number
FIELDS = 40  # fields of a record listed here; all of them stand on Prompts
LONG = 600  # characters of a field's value
NOTE = 160  # characters of a judge's note that are not folded


def draw_open_list(scored: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> None:
    """Draw what the open drill-down leads to, with its heading."""
    parts = drilldown.read_drilldown()
    if "against" in parts:
        draw_pairs(scored, workspace, criterion, judge, parts)
    else:
        _draw_mark_scores(scored, workspace, criterion, judge, parts)
    drilldown.draw_close_button()


def _draw_mark_scores(
    scored: ScoreTable, workspace: Workspace, criterion: str, judge: str, parts: Mapping[str, str]
) -> None:
    scope, value, state = parts["of"], parts.get("value", ""), parts.get("state", "")
    if scope == drilldown.EVERY:
        name = t("scores.by_all")
    else:
        name = drilldown.name_drilldown(scored, scope)
    title = t("scores.records", name=name)
    if value:
        title = t("scores.records_value", name=name, value=value.replace("-", MINUS))
    elif state in drilldown.STATE:
        title = t("scores.records_state", name=name, state=t(f"scores.{state}"))
    if "long" in parts:
        title = t("scores.records_long", called=title, span=parts["long"].replace("-", " – "))
    drilldown.draw_heading(title)
    only = drilldown.find_items_of_length(scored, workspace, parts)
    mark_scores = drilldown.find_scores(
        scored, scope, criterion, judge, value=value, state=state, most=RECORDS, only=only
    )
    _draw_scores(scored, workspace, mark_scores, title)


def draw_cells(scored: ScoreTable, workspace: Workspace, cells: Sequence[int], title: str) -> None:
    """Draw the scores of these cells, under that heading."""
    drilldown.draw_heading(title)
    scores = tuple(scored.scores[cell] for cell in cells[:RECORDS])
    condition_count = len({score.condition for score in scores})
    _draw_scores(scored, workspace, MarkScores(condition_count, scores, total=len(cells)), title)
    drilldown.draw_close_button()


def draw_item_scores(
    scored: ScoreTable, workspace: Workspace, criterion: str, judge: str, scope: str, only: Collection[str], title: str
) -> None:
    """Draw the scores of these items behind a drill-down, under that heading."""
    drilldown.draw_heading(title)
    scores = drilldown.find_scores(scored, scope, criterion, judge, most=RECORDS, only=only)
    _draw_scores(scored, workspace, scores, title)
    drilldown.draw_close_button()


def _draw_scores(scored: ScoreTable, workspace: Workspace, mark_scores: MarkScores, title: str) -> None:
    rows: list[Mapping[str, Any]] = []
    for score in mark_scores.scores:
        rows.append(
            {
                "record": score.item,
                "condition": scored.label(score.condition),
                "key": score.condition,
                "score": score.value if score.state == "scored" else None,
                "state": _name_state(score),
                "note": score.rationale or score.why,
                "line": score.place.line,
            }
        )
    for absent in mark_scores.absent:
        rows.append(
            {
                "record": absent.item,
                "condition": scored.label(absent.condition),
                "key": absent.condition,
                "score": None,
                "state": t("scores.missing"),
                "note": t("scores.no_row"),
                "line": None,
            }
        )
    columns = [_build_record_column()]
    if mark_scores.condition_count > 1:
        columns.append(Column("condition", t("scores.condition")))
    is_mean = scored.pool is not None
    columns += [
        Column("score", t("scores.score"), number=True, show=lambda row: _format_value(row["score"], mean=is_mean)),
        Column("state", t("scores.state")),
        Column("note", t("scores.note"), show=format_note),
        *_list_message_columns(workspace, rows),
        Column("line", t("scores.line"), number=True),
    ]
    table.table("records", tuple(columns), rows, caption=title)
    if len(rows) < mark_scores.total:
        st.caption(t("scores.records_more", n=len(rows), all=mark_scores.total))


def draw_pairs(
    scored: ScoreTable,
    workspace: Workspace,
    criterion: str,
    judge: str,
    parts: Mapping[str, str],
    title: str = "",
    only: Collection[str] | None = None,
) -> None:
    """Draw the records scored under both conditions of the open drill-down, with both scores; `only` some, if given."""
    a, b = drilldown.find_condition(scored, parts["against"]), drilldown.find_condition(scored, parts["of"])
    names = {
        "a": drilldown.name_drilldown(scored, parts["against"]),
        "b": drilldown.name_drilldown(scored, parts["of"]),
    }
    title = title or t("scores.pairs", **names)
    drilldown.draw_heading(title)
    pairs: Sequence[drilldown.Pair] = ()
    if a is not None and b is not None:
        pairs = drilldown.list_pairs(scored, a, b, criterion, judge)
    if only is not None:
        pairs = [pair for pair in pairs if pair.item in only]
    side = parts.get("kept", "")
    counts: dict[str, int] = {"": len(pairs)}
    for name in SIDES:
        counts[name] = sum(pair.side == name for pair in pairs)
    drilldown.draw_filter({name: t(f"scores.kept_{name or 'all'}", n=n) for name, n in counts.items()}, side)
    listed = [pair for pair in pairs if side not in SIDES or pair.side == side][:RECORDS]
    rows: list[Mapping[str, Any]] = []
    for pair in listed:
        rows.append({"record": pair.item, "a": pair.a, "b": pair.b, "difference": pair.difference, "key": b or ()})
    columns = (
        _build_record_column(),
        Column("b", names["b"], number=True, show=lambda row: _format_value(row["b"], mean=True)),
        Column("a", names["a"], number=True, show=lambda row: _format_value(row["a"], mean=True)),
        Column("difference", t("scores.difference"), number=True, show=lambda row: report.plus(row["difference"])),
        *_list_message_columns(workspace, rows),
    )
    table.table("pairs", columns, rows, caption=title)
    if rounded := report.subtraction((pair.a, pair.b, pair.difference) for pair in listed):
        show.draw(show.h('<p class="rb-small">{}</p>', rounded))


def _build_record_column() -> Column:
    return Column("record", t("scores.record"), show=_link_record)


def _link_record(row: Mapping[str, Any]) -> Markup:
    condition = row.get("condition")
    if not condition and len(row["key"]) == 1:
        condition = " · ".join(value for _, value in row["key"])
    return drilldown.link_onward(row["record"], item=row["record"], arm=condition or None)


def _list_message_columns(workspace: Workspace, rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Return the column of links to the exact messages, where any can be made."""

    def link_row(row: Mapping[str, Any]) -> Markup | str:
        return link_messages(workspace, row["record"], row["key"], t("scores.messages_link")) or "–"

    if not any(link_messages(workspace, row["record"], row["key"], "") is not None for row in rows[:1]):
        return ()
    return (Column("messages", t("scores.messages"), show=link_row),)


def _format_value(value: float | None, *, mean: bool) -> str:
    """Return a score as it is given; a mean of several with two digits."""
    if value is None:
        return "–"
    return number(round(value, 2) if mean else value).replace("-", MINUS)


# One record: its scores everywhere, the judge's notes in full, the answer, and the ways on.


def draw_record(scored: ScoreTable, workspace: Workspace, item: str, condition: str) -> None:
    """Draw a record in place of the charts; `condition` names the condition that the reader came from."""
    scores = list_item_scores(scored, item)
    drilldown.draw_heading(t("scores.record_title", item=item))
    of_condition = [score for score in scores if condition and scored.label(score.condition) == condition]
    back = drilldown.link_onward(t("scores.back"), item=None, arm=None)
    ways = [back, *_list_ways(workspace, item, of_condition, scores)]
    show.draw(show.h('<p class="rb-ways">{}</p>', show.join(ways, " · ")))
    if not scores:
        show.empty(t("scores.record_unknown", item=item))
        return
    if of_condition:
        show.draw(render_judged(condition, of_condition))
        _draw_answer(workspace, item, of_condition[0], condition)
    columns, rows = _build_score_table(scored, scores, item, condition)
    st.subheader(show.md(t("scores.record_all" if len(rows) > 1 else "scores.record_one")), anchor=False)
    table.table("item_scores", columns, rows, caption=t("scores.record_all"), tools=len(rows) > 12)
    _draw_fields(workspace, item)


def link_messages(workspace: Workspace, item: str, key: ConditionKey, label: object) -> Markup | None:
    """Return the link to the exact messages of an item under a condition, or None where they cannot be built."""
    condition = find_named_condition(workspace, key)
    if condition is None or workspace.dataset is None or not condition.sends:
        return None
    names = {"record": item, "index": None, "condition": condition.name}
    return show.link("prompts", label, **names, mode=None, adapter=None, task=None, judge=None)


def format_score(score: Score) -> str:
    """Return a score as it is written, or its state where it has none."""
    if score.state == "scored":
        return number(score.value).replace("-", MINUS)
    return _name_state(score)


def format_note(row: Mapping[str, Any]) -> Markup:
    """Return a judge's note, folded where it is long. Its language is unknown."""
    text = str(row["note"] or "")
    if len(text) <= NOTE:
        return show.h('<span class="rb-note" lang="">{}</span>', text)
    return show.h('<details class="rb-note" lang=""><summary>{}…</summary>{}</details>', text[:NOTE], text[NOTE:])


def _name_state(score: Score) -> str:
    return t(f"scores.{'na' if score.state == 'not applicable' else score.state}")


def _list_ways(
    workspace: Workspace, item: str, of_condition: Sequence[Score], scores: Sequence[Score]
) -> Iterator[Markup | str]:
    """Yield links to the messages and to the judge's own prompt, or what would have to be loaded for them."""
    if of_condition:
        key = of_condition[0].condition
    else:
        key = ()
    condition = find_named_condition(workspace, key)
    messages = link_messages(workspace, item, key, t("scores.to_messages"))
    yield messages if messages is not None else t("scores.no_messages", item=item)
    names = [score.judge for score in of_condition]
    if condition is not None and condition.judge:
        names.append(condition.judge)
    names += [score.judge for score in scores]
    judge = next((name for name in names if name and name in workspace.judges), None)
    if judge is None:
        yield t("scores.no_judge_prompt")
        return
    params = {"record": item, "index": None, "judge": judge, "condition": condition.name if condition else None}
    yield show.link("prompts", t("scores.to_judge", judge=judge), **params, mode=None, adapter=None, task=None)


def render_judged(name: str, scores: Sequence[Score]) -> Markup:
    """Return the scores under one condition, each with why it has none and the judge's note in full.

    A note that is the same for several criteria appears once, below them.
    """
    rationales = Counter(score.rationale for score in scores if score.rationale)
    shared = {}
    for rationale, times in rationales.items():
        if times > 1:
            shared[rationale] = ", ".join(score.criterion for score in scores if score.rationale == rationale)
    return render_template(
        "ui/results/judged.html.jinja", t=t, name=name, scores=scores, shared=shared, format_score=format_score
    )


def _draw_answer(workspace: Workspace, item: str, score: Score, name: str) -> None:
    condition = find_named_condition(workspace, score.condition)
    answer = None
    if condition is not None:
        name = condition.name
        if condition.answers:
            answer = caches.answers(*choice.key(), condition.name, workspace).get(item)
    if answer is None or answer.text is None:
        if condition and condition.answers:
            key = "scores.answer_none"
        else:
            key = "scores.answer_not_loaded"
        show.draw(show.h('<p class="rb-small">{}</p>', t(key, name=name)))
        return
    title = t("scores.answer", name=name)
    st.subheader(show.md(title), anchor=False)
    record_answers.draw_text(title, answer)


def _build_score_table(
    scored: ScoreTable, scores: Sequence[Score], item: str, condition: str
) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """Return a table with a row for each condition, judge and run, and a column for each criterion."""
    criteria = list(dict.fromkeys(score.criterion for score in scores))
    by_key: dict[tuple[ConditionKey, str, str], dict[str, Any]] = {}
    for score in scores:
        run = score.run or ""
        key = (score.condition, score.judge, run)
        if key not in by_key:
            name = scored.label(score.condition)
            by_key[key] = {"condition": name, "judge": score.judge, "run": run, "notes": {}, "line": score.place.line}
        row = by_key[key]
        row[f"c_{score.criterion}"] = score.value if score.state == "scored" else None
        row[f"s_{score.criterion}"] = format_score(score)
        if note := score.rationale or score.why:
            row["notes"][note] = None
    rows: list[Mapping[str, Any]] = [{**row, "note": " ".join(row["notes"])} for row in by_key.values()]
    rows.sort(key=lambda row: row["condition"] != condition)

    def build_score_column(name: str) -> Column:
        return Column(f"c_{name}", name, number=True, show=lambda row: row.get(f"s_{name}", "–"))

    def link_condition(row: Mapping[str, Any]) -> Markup:
        name = row["condition"]
        if name == condition:
            return show.h("<strong>{}</strong>", name)
        return drilldown.link_onward(name, item=item, arm=name)

    columns = [Column("condition", t("scores.condition"), show=link_condition)]
    if len({row["judge"] for row in rows}) > 1:
        columns.append(Column("judge", t("scores.judge")))
    if any(row["run"] for row in rows):
        columns.append(Column("run", t("scores.run")))
    columns += [build_score_column(name) for name in criteria]
    if any(row["note"] for row in rows):
        columns.append(Column("note", t("scores.note"), show=format_note))
    return tuple(columns), rows


def _draw_fields(workspace: Workspace, item: str) -> None:
    """Draw the record's own fields, where a dataset has it."""
    if workspace.dataset is None:
        return
    data = choice.dataset()
    index = data.find(item)
    if index is None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.record_not_in_data", item=item)))
        return
    with st.expander(t("scores.record_fields"), key="item_fields"):
        show.draw(_render_fields(data.record(index)))


def _render_fields(record: Record) -> Markup:
    fields = [(path, str(value)) for path, value in list(beside.leaves_of(record.fields))[:FIELDS]]
    return render_template("ui/results/fields.html.jinja", fields=fields, most=LONG, language=show.spoken_attribute())

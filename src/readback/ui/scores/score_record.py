"""One record on the scores page: its scores everywhere, the judge's notes in full, the answer, and the ways on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores.criteria import MINUS, number
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Answer, Condition, Record, Score, Segment, Workspace
from readback.ui.common import show
from readback.ui.common.draw import beside, message, table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import caches, choice
from readback.ui.scores import score_drilldown, score_drilldown_links
from readback.words import t

FIELDS = 40  # fields of a record listed here; all of them stand on Messages
LONG = 600  # characters of a field's value


def page(scored: ScoreTable, workspace: Workspace, item: str, condition: str) -> None:
    """The record in place of the charts; `condition` names the condition that was come from."""
    found = score_drilldown.of_item(scored, item)
    score_drilldown_links.heading(t("scores.record_title", item=item))
    here = [one for one in found if condition and scored.label(one.condition) == condition]
    show.draw(show.h('<p class="rb-ways">{}</p>', show.join([_back(), *_ways(workspace, item, here, found)], " · ")))
    if not found:
        show.empty(t("scores.record_unknown", item=item))
        return
    if here:
        show.draw(_here(condition, here))
        _answer(workspace, item, here[0], condition)
    columns, rows = _every(scored, found, item, condition)
    st.subheader(show.md(t("scores.record_all" if len(rows) > 1 else "scores.record_one")), anchor=False)
    table.table("item_scores", columns, rows, caption=t("scores.record_all"), tools=len(rows) > 12)
    _record(workspace, item)


def to_messages(workspace: Workspace, item: str, condition: ConditionKey, label: object) -> Markup | None:
    """The link to the exact messages of an item under a condition, where the workspace can make them."""
    known = _condition(workspace, condition)
    if known is None or workspace.dataset is None or not (known.mode or known.task):
        return None
    return show.link("messages", label, record=item, index=None, condition=known.name, mode=None, adapter=None,
                     task=None, judge=None)  # fmt: skip


def value(one: Score) -> str:
    """A score as it is written, or its state where it has none."""
    if one.state == "scored":
        return number(one.value).replace("-", MINUS)
    return t(f"scores.{'na' if one.state == 'not applicable' else one.state}")


def _back() -> Markup:
    return score_drilldown_links.step(t("scores.back"), item=None, arm=None)


def _ways(workspace: Workspace, item: str, here: Sequence[Score], found: Sequence[Score]) -> Iterator[Markup | str]:
    """On to the messages and to the judge's own prompt; where nothing is loaded, what would have to be."""
    key = here[0].condition if here else ()
    condition = _condition(workspace, key)
    messages = to_messages(workspace, item, key, t("scores.to_messages"))
    yield messages if messages is not None else t("scores.no_messages", item=item)
    asked = [*(one.judge for one in here), condition.judge if condition else None, *(one.judge for one in found)]
    judge = next((name for name in asked if name and name in workspace.judges), None)
    if judge is not None:
        named = condition.name if condition else None
        yield show.link("messages", t("scores.to_judge", judge=judge), record=item, index=None, judge=judge,
                        condition=named, mode=None, adapter=None, task=None)  # fmt: skip
    else:
        yield t("scores.no_judge_prompt")


def _here(condition: str, found: Sequence[Score]) -> Markup:
    """The scores under the condition that was come from, each with why it has none and the judge's note in full.

    A note that is the same for several criteria appears once, below them.
    """
    rationales = Counter(one.rationale for one in found if one.rationale)
    shared = [rationale for rationale, times in rationales.items() if times > 1]
    rows = [
        show.h(
            '<dt>{}<span class="rb-small">{}</span></dt><dd><strong>{}</strong>{}{}</dd>',
            one.criterion,
            one.judge,
            value(one),
            show.h(' <span class="rb-small">{}</span>', one.why) if one.why else "",
            show.h('<p class="rb-note" lang="">{}</p>', one.rationale)
            if one.rationale and one.rationale not in shared
            else "",
        )
        for one in found
    ]
    rows += [
        show.h(
            '<dt>{}<span class="rb-small">{}</span></dt><dd><p class="rb-note" lang="">{}</p></dd>', t("scores.note"),
            ", ".join(one.criterion for one in found if one.rationale == rationale), rationale,
        )
        for rationale in shared
    ]  # fmt: skip
    return show.h('<h3>{}</h3><dl class="rb-judged">{}</dl>', t("scores.record_under", name=condition), show.join(rows))


def _condition(workspace: Workspace, key: ConditionKey) -> Condition | None:
    name = dict(key).get("condition")
    return workspace.condition(name) if name is not None else None


def _answer(workspace: Workspace, item: str, one: Score, name: str) -> None:
    condition = _condition(workspace, one.condition)
    name = condition.name if condition else name
    found = _said(workspace, item, condition.name) if condition and condition.answers else None
    if found is None or found.text is None:
        key = "scores.answer_none" if condition and condition.answers else "scores.answer_not_loaded"
        show.draw(show.h('<p class="rb-small">{}</p>', t(key, name=name)))
        return
    title = t("scores.answer", name=name)
    drawn = message.markup("answer", title, (Segment(found.text, "variable", "answer", found.place),))
    st.subheader(show.md(title), anchor=False)
    st.html(f'<div class="rb">{drawn}</div>')


def _said(workspace: Workspace, item: str, name: str) -> Answer | None:
    return caches.answers(*choice.key(), name, workspace).get(item)


def _every(
    scored: ScoreTable, found: Sequence[Score], item: str, condition: str
) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """One row for each condition, judge and run, one column for each criterion."""
    criteria = list(dict.fromkeys(one.criterion for one in found))
    rows: dict[tuple[ConditionKey, str, str], dict[str, Any]] = {}
    for one in found:
        key = (one.condition, one.judge, one.run or "")
        row = rows.setdefault(key, {"condition": scored.label(one.condition), "judge": one.judge, "run": one.run or "",
                                    "notes": [], "line": one.place.line})  # fmt: skip
        row[f"c_{one.criterion}"] = one.value if one.state == "scored" else None
        row[f"s_{one.criterion}"] = value(one)
        if text := one.rationale or one.why:
            row["notes"] = list(dict.fromkeys((*row["notes"], text)))
    listed: list[Mapping[str, Any]] = [{**row, "note": " ".join(row["notes"])} for row in rows.values()]
    listed.sort(key=lambda row: row["condition"] != condition)

    def score(name: str) -> Column:
        return Column(f"c_{name}", name, number=True, show=lambda row: row.get(f"s_{name}", "–"))

    columns = (
        Column("condition", t("scores.condition"), show=lambda row: _named(row["condition"], item, condition)),
        *((Column("judge", t("scores.judge")),) if len({row["judge"] for row in listed}) > 1 else ()),
        *((Column("run", t("scores.run")),) if any(row["run"] for row in listed) else ()),
        *(score(name) for name in criteria),
        *((Column("note", t("scores.note"), show=rationale),) if any(row["note"] for row in listed) else ()),
    )
    return columns, listed


def _named(name: str, item: str, condition: str) -> Markup:
    return (
        show.h("<strong>{}</strong>", name)
        if name == condition
        else score_drilldown_links.step(name, item=item, arm=name)
    )


def rationale(row: Mapping[str, Any], longest: int = 160) -> Markup:
    """A judge's note, folded where it is long. In which language a judge writes nobody states."""
    text = str(row["note"] or "")
    if len(text) <= longest:
        return show.h('<span class="rb-note" lang="">{}</span>', text)
    return show.h('<details class="rb-note" lang=""><summary>{}…</summary>{}</details>', text[:longest], text[longest:])


def _record(workspace: Workspace, item: str) -> None:
    """The record's own fields, where a dataset has it."""
    if workspace.dataset is None:
        return
    data = choice.dataset()
    at = data.find(item)
    if at is None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.record_not_in_data", item=item)))
        return
    with st.expander(t("scores.record_fields"), key="item_fields"):
        show.draw(_fields(data.record(at)))


def _fields(record: Record) -> Markup:
    said = ((path, str(field)) for path, field in list(beside.leaves_of(record.fields))[:FIELDS])
    rows = [
        show.h(
            '<dt>{}</dt><dd class="rb-text"{}>{}{}</dd>',
            path,
            show.spoken_attribute(),
            text[:LONG],
            "…" if len(text) > LONG else "",
        )
        for path, text in said
    ]
    return show.h('<dl class="rb-fields">{}</dl>', show.join(rows))

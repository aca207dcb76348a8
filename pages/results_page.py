"""Results: which condition is better, and are we sure?"""

import streamlit as st

from readback.scores import drawn_pairs, in_view
from readback.ui.common import show
from readback.ui.common.draw import score_proposals
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.ui.results import (
    chart,
    choices,
    details,
    drilldown,
    first_sight,
    forest,
    grid,
    judges,
    lead,
    level,
    matrix,
    means,
    records,
    rows_page,
    views,
    widest,
)
from readback.words import t

choices.draw_style()
heading = st.empty()
heading.title(t("scores.title"))
workspace = choice.workspace()
if st.query_params.get("view") == "rows" or (workspace.dataset and not workspace.scores):
    heading.title(t("scores.title_rows" if workspace.scores else "scores.title_no_scores"))
    rows_page.draw()
    st.stop()
if not workspace.scores:
    if not score_proposals.draw(workspace):
        show.empty(t("scores.nothing"), t("scores.nothing_next"), "open")
    st.stop()
scored = choices.load_table(workspace)
count, findings = choices.list_findings(scored)
if not len(scored.columns):
    if not views.draw_without_rows(scored, t("scores.reported_only")):
        show.empty(t("scores.unreadable"), t("scores.nothing_next"), "open")
    show.findings(findings, to_message=False)
    st.stop()
with heading.container(key="results_title"):  # the answer stands in its place; it is read aloud all the same
    st.title(t("scores.title_one" if len(scored.columns.conditions) == 1 else "scores.title"))

chart.begin_page()
with present.slide("answer"):
    answer = st.container(key="results_answer")
    view, toolbar = choices.draw_choices(scored, workspace)
picture = present.slide("differences")
criterion, table = view.criterion, view.table
details.draw_questions(scored, workspace, criterion.name)
parts = drilldown.read_drilldown()
if "item" in parts and len(parts) > 1:
    records.draw_record(scored, workspace, parts["item"], parts.get("arm", ""))
    st.stop()

checking = lead.begin_check(workspace)
rows, compared = choices.list_rows(table, view), choices.compare_rows(table, view, workspace)
plan = lead.list_planned_lines(table, workspace, criterion.name, view.judge)
concluded = lead.conclude(table, workspace, view)
lines = forest.list_lines(concluded, first_sight.list_lines(compared, rows), view)
compared = drawn_pairs.add_pairs(compared, concluded.conclusions)
with answer:
    show.draw(lead.render_answer(table, workspace, rows, concluded, view))
with picture:
    basis = lead.describe_basis(table, rows, concluded, view)
    if drawn_pairs.is_level(lines):
        level.draw_level(table, workspace, lines, rows, concluded, compared, view, basis)
    elif lines:
        forest.draw_forest(table, workspace, lines, concluded, compared, view, basis)
    else:
        show.draw(show.h('<p class="rb-small">{}</p>', basis))
    if not view.baseline:
        judges.draw_first(scored, view)
if (example := widest.find_example(lines, table)) is not None:
    with present.slide("example"):
        widest.draw_example(example, table, workspace, view)
lead.await_check(checking)
first_sight.draw_notes(table, workspace, plan, rows, concluded, view)
with present.slide("criteria"):
    matrix.draw_matrix(table, workspace, rows, view, concluded)
with present.rest("below"):
    first_sight.draw_warnings(table, rows, view)
    judge = in_view.judge_name(scored, criterion.name, view.judge) if view.judge else ""
    show.draw(means.render_strip(rows, judge))
    if drilldown.is_list_open() and "under" not in parts:
        records.draw_open_list(table, workspace, criterion.name, view.judge)
    grid.draw(table, workspace, view)
    charts = first_sight.list_charts(table, rows, compared, concluded, view)
    views.draw_views(table, workspace, rows, view, charts)
    first_sight.draw_other_criteria(table, workspace, plan, compared)
    first_sight.draw_tables(table, rows, compared, view)
    if criterion.meanings:
        with st.expander(t("scores.scale")):
            show.draw(means.render_meanings(criterion))
    details.draw_expenses(scored)
    with st.expander(t("scores.computed")):
        show.draw(details.render_computation(table, criterion, rows, compared.comparisons))
    if count:
        with st.expander(t("scores.noticed", n=count)):
            show.findings(findings, to_message=False)
            if count > len(findings):
                st.caption(t("scores.noticed_more", n=len(findings), all=count))
    score_proposals.show_confirmed(workspace)
with toolbar:
    chart.draw_toolbar()

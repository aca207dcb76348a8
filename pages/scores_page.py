"""Scores: which condition is better, and are we sure?"""

import streamlit as st

from readback.scores import drawn_pairs, in_view
from readback.ui.common import show
from readback.ui.common.draw import score_proposals
from readback.ui.common.state import choice
from readback.ui.scores import (
    score_computed,
    score_drilldown_links,
    score_drilldown_lists,
    score_expenses,
    score_first,
    score_lead,
    score_means,
    score_more,
    score_questions,
    score_record,
    score_view,
)
from readback.words import t

score_view.style()
heading = st.empty()
heading.title(t("scores.title"))
workspace = choice.workspace()
if not workspace.scores:
    if not score_proposals.draw(workspace):
        show.empty(t("scores.nothing"), t("scores.nothing_next"), "open")
    st.stop()
scored = score_view.table_of(workspace)
count, findings = score_view.noticed(scored)
if not len(scored.columns):
    if score_more.reported(scored, workspace, t("scores.reported_only")):
        show.findings(findings, to_message=False)
        st.stop()
    show.empty(t("scores.unreadable"), t("scores.nothing_next"), "open")
    show.findings(findings, to_message=False)
    st.stop()
if len(scored.columns.conditions) == 1:
    heading.title(t("scores.title_one"))

view = score_view.chosen(scored, workspace)
criterion = view.criterion
if warning := score_means.synthetic(scored):
    show.notice(warning, "warning")
score_questions.draw(scored, workspace, criterion.name)
drilldown = score_drilldown_links.opened()
if "item" in drilldown:
    score_record.page(scored, workspace, drilldown["item"], drilldown.get("arm", ""))
    st.stop()

seen = view.table
rows, compared = score_view.rows(seen, view), score_view.compared(seen, view, workspace)
plan = score_lead.lines(seen, workspace, criterion.name, view.judge)
concluded = score_lead.conclude(seen, workspace, view)
compared = drawn_pairs.add_pairs(compared, concluded.found)
score_first.lead(seen, workspace, plan, rows, concluded, view)
score_first.charts(seen, rows, compared, concluded, view)
show.draw(score_means.strip(rows, in_view.judge_name(scored, criterion.name, view.judge) if view.judge else ""))
if score_drilldown_links.is_open() and "under" not in drilldown:
    score_drilldown_lists.draw(seen, workspace, criterion.name, view.judge)
score_first.trade(seen, workspace, plan, compared)
score_first.tables(seen, rows, compared, view)
score_more.draw(seen, workspace, rows, view)
if criterion.meanings:
    with st.expander(t("scores.scale")):
        show.draw(score_means.meanings(criterion))
score_expenses.draw(scored)
with st.expander(t("scores.computed")):
    show.draw(score_computed.draw(seen, criterion, rows, compared.comparisons))
if count:
    with st.expander(t("scores.noticed", n=count)):
        show.findings(findings, to_message=False)
        if count > len(findings):
            st.caption(t("scores.noticed_more", n=len(findings), all=count))
score_proposals.show_confirmed(workspace)

"""Scores: which condition is better, and are we sure?"""

import streamlit as st

from readback.scores import charts
from readback.scores.criteria import scale_text
from readback.ui import address, choice, score_said, score_tables, score_view, show, table
from readback.ui.words import t

score_view.style()
heading = st.empty()
heading.title(t("scores.title"))
shop = choice.workspace()
if not shop.scores:
    show.empty(t("scores.nothing"), t("scores.nothing_next"), "open")
    st.stop()
scored = score_view.table_of(shop)
count, findings = score_view.noticed(scored)
if not len(scored.columns):
    show.empty(t("scores.unreadable"), t("scores.nothing_next"), "open")
    show.findings(findings, to_message=False)
    st.stop()
if len(scored.columns.conditions) == 1:
    heading.title(t("scores.title_one"))

with st.container(horizontal=True, vertical_alignment="bottom"):
    name = score_view.pick("criterion", t("scores.criterion"), score_view.criteria(scored, shop))
    judge = score_view.pick(
        "scored_by", t("scores.judge"), score_view.judges(scored, name), lambda one: one or t("scores.no_judge")
    )
    factors = scored.varying if len(scored.varying) > 1 else ()
    by = score_view.pick("by", t("scores.by"), ("", *factors), score_view.factor_name)
criterion = scored.criteria[name]
view = score_view.view(scored, criterion, judge, by)

if warning := score_said.synthetic(scored):
    show.notice(warning, "warning")
lead = score_said.lead(scored, view.rows if view.many else view.shown, criterion)
show.draw(show.h('<p class="rb-lead">{}</p>', lead))
if name in scored.inferred:
    show.notice(t("scores.inferred", criterion=name, scale=scale_text(criterion)))
show.draw(score_said.strip(view.rows, judge))
if view.said:
    show.draw(show.h("<p>{}</p>", view.said))
if view.many:
    table.table("means", *score_tables.numbers(scored, view.rows), caption=t("scores.table"))

left, right = st.columns(2, gap="medium")
for place, what, draw in ((left, "distribution", charts.distribution), (right, "means", charts.means)):
    with place:
        st.header(t(f"scores.{what}"))
        names = score_view.names(scored, view.shown)
        made = draw(view.shown, names, criterion, score_view.say, score_view.dark())
        score_view.chart(made, f"chart_{what}", view.shown, scored)
if not view.many:
    st.header(t("scores.table_by", factor=by) if by else t("scores.table"))
    table.table("means", *score_tables.numbers(scored, view.shown), caption=t("scores.table"))

if of := st.query_params.get("of"):
    called = t("scores.records", name=of.removeprefix("condition="))
    st.header(show.md(called))
    st.button(t("scores.close"), key="close_records", on_click=address.put, kwargs={"of": None})
    columns, behind = score_tables.records(scored, of, name, judge, shop)
    table.table("records", columns, behind, caption=called)
    if len(behind) == score_tables.RECORDS:
        st.caption(t("scores.records_more", n=len(behind)))
else:
    show.draw(show.h('<p class="rb-small">{}</p>', t("scores.records_none")))
if criterion.meanings:
    with st.expander(t("scores.scale")):
        show.draw(score_said.meanings(criterion))
with st.expander(t("scores.computed")):
    show.draw(score_tables.computed(scored))
if count:
    with st.expander(t("scores.noticed", n=count)):
        show.findings(findings, to_message=False)
        if count > len(findings):
            st.caption(t("scores.noticed_more", n=len(findings), all=count))

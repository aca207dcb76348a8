"""Scores: which condition is better, and are we sure?"""

import streamlit as st

from readback import charts, stats
from readback.criteria import scale_text
from readback.ui import address, choice, score_tables, score_view, show, table
from readback.ui.words import t

score_view.style()
shop = choice.workspace()
if not shop.scores:
    st.title(t("scores.title"))
    show.empty(t("scores.nothing"), t("scores.nothing_next"), "open")
    st.stop()
scored = score_view.table_of(shop)
st.title(t("scores.title" if len(scored.columns.conditions) != 1 else "scores.title_one"))
count, findings = score_view.noticed(scored)
if not len(scored.columns):
    show.empty(t("scores.unreadable"), t("scores.nothing_next"), "open")
    show.findings(findings, to_message=False)
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    name = score_view.pick("criterion", t("scores.criterion"), score_view.criteria(scored, shop))
    judge = score_view.pick(
        "scored_by", t("scores.judge"), score_view.judges(scored, name), lambda one: one or t("scores.no_judge")
    )
    factors = scored.varying if len(scored.varying) > 1 else ()
    by = score_view.pick("by", t("scores.by"), ("", *factors), score_view.factor_name)
criterion = scored.criteria[name]
rows = score_view.ranked(stats.rows(scored, None, name, judge), criterion)
many = len(rows) > score_view.MOST and bool(factors) and not by
shown = score_view.ranked(stats.rows(scored, by or factors[0], name, judge), criterion) if by or many else rows

if warning := score_view.synthetic(scored):
    show.notice(warning, "warning")
show.draw(show.h('<p class="rb-lead">{}</p>', score_view.lead(scored, rows, criterion)))
if name in scored.inferred:
    show.notice(t("scores.inferred", criterion=name, scale=scale_text(criterion)))
show.draw(score_view.strip(rows))
if many:
    show.draw(show.h("<p>{}</p>", t("scores.many", n=len(rows), factor=factors[0])))
    table.table("means", *score_tables.numbers(scored, rows), caption=t("scores.table"))
if by:
    show.draw(show.h("<p>{}</p>", t("scores.effect", factor=by)))

names = score_view.names(scored, shown)
left, right = st.columns(2, gap="medium")
for place, heading, draw in ((left, "distribution", charts.distribution), (right, "means", charts.means)):
    with place:
        st.header(t(f"scores.{heading}"))
        score_view.chart(
            draw(shown, names, criterion, score_view.say, score_view.dark()), f"chart_{heading}", shown, scored
        )
if not many:
    st.header(t("scores.table_by", factor=by) if by else t("scores.table"))
    table.table("means", *score_tables.numbers(scored, shown), caption=t("scores.table"))

if of := st.query_params.get("of"):
    st.header(show.md(t("scores.records", name=of)))
    st.button(t("scores.close"), key="close_records", on_click=address.put, kwargs={"of": None})
    table.table("records", *score_tables.records(scored, of, name, judge, shop), caption=t("scores.records", name=of))
else:
    show.draw(show.h('<p class="rb-small">{}</p>', t("scores.records_none")))
if criterion.meanings:
    with st.expander(t("scores.scale")):
        show.draw(score_view.meanings(criterion))
with st.expander(t("scores.computed")):
    show.draw(score_tables.computed(scored))
if count:
    with st.expander(t("scores.noticed", n=count)):
        show.findings(findings, to_message=False)
        if count > len(findings):
            st.caption(t("scores.noticed_more", n=len(findings), all=count))

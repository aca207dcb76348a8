"""Overview: may we compare these, who is ahead, and where do we stand?"""

import streamlit as st

from readback.checks.comparisons import planned, verdicts, weighed
from readback.checks.groups import groups
from readback.ui.common import show
from readback.ui.common.draw import score_proposals, table
from readback.ui.common.draw.head import present
from readback.ui.common.draw.text import observed
from readback.ui.common.state import choice
from readback.ui.overview import (
    conditions_table,
    differing,
    facts,
    headline,
    overview,
    paired,
    planned_rows,
    ranked,
    registry,
    score_warnings,
    sections,
    status,
)
from readback.ui.prompts.one import training_row
from readback.ui.prompts.one.model_input import made_up
from readback.ui.results import choices
from readback.words import t

with st.container(horizontal=True, vertical_alignment="bottom", key="overview_head"):
    title = st.empty()
    counts = st.empty()
    warned = st.empty()
title.title(show.md(choice.workspace_id() or t("frame.overview")))
workspace = choice.workspace()
title.title(show.md(workspace.name))
data = choice.dataset() if workspace.dataset else None
scored = choices.load_table(workspace) if workspace.scores else None
facts.draw(counts, facts.Facts(workspace, data, scored))
with present.slide("answer"):
    lead_warned, lead, strip = st.empty(), st.empty(), st.container(key="overview_status")
overview.draw_warned(lead_warned if present.on() else warned, scored)
left, right = overview.sides()
with left:  # before the check, whose progress stands where its result will
    audit = choice.audit()
facts.draw(counts, facts.Facts(workspace, data, scored, audit))
pairs, kinds = planned(workspace), groups(audit)
found = weighed(audit, kinds, pairs)
judged = verdicts(audit, found, pairs)
answers = paired.answers(workspace, scored, judged) if scored else {}
head = headline.headline(workspace, scored) if scored else None
overview.draw_answer(lead, workspace, audit, judged, scored, answers)
with left:
    overview.state(audit)
    offered = not workspace.scores and score_proposals.draw(workspace)
    if not (
        (offered and data is None)
        or training_row.wanted(workspace)
        or workspace.prompts
        or workspace.tasks
        or workspace.judges
        or workspace.conditions
        or workspace.scores
        or made_up.alone(workspace)
    ):
        gone = registry.missing(workspace)
        show.empty(gone or t("overview.nothing"), t("frame.open_one" if gone else "overview.nothing_next"), "open")
    if judged:
        with present.slide("planned"):
            st.header(t("overview.planned"))
            planned_rows.draw(workspace, judged, answers, found)
    with present.slide("ranked"):
        differs = differing.draw_differing(audit, judged)
        if head and (ranked.is_telling(head) or not audit.conditions):
            ranked.draw_means(head, judged, answers)
        elif workspace.dataset and workspace.dataset.absent:
            show.empty(t("overview.absent", file=workspace.dataset.path), t("frame.open_one"), "open")
        elif data is not None and training_row.wanted(workspace):
            training_row.draw_first(data)
        elif not differs:
            ranked.draw_lengths(audit, judged)
with right, present.slide("first"):
    st.header(t("overview.first"))
    overview.draw_first(audit, found, judged, workspace, scored, answers)

with present.rest("table"):
    scored_warnings = score_warnings.counted(audit, scored)
    states = conditions_table.states(workspace, audit)
    drawn = differing.draws_every_request(audit)
    columns, rows = conditions_table.conditions(
        workspace, audit, head, states, scored_warnings, are_requests_drawn=drawn
    )
    if rows:
        heading = t("overview.conditions_heading" if workspace.conditions else "overview.modes_heading")
        table.table("arms", columns, rows, caption=heading, headed=True)
        show.draw(conditions_table.below(states, rows))
        if more := overview.elsewhere(audit):
            show.draw(show.h('<p class="rb-small">{}</p>', more))
        every = facts.link_every(workspace, t("overview.see_every")) if data is not None else ""
        logged = "" if drawn else observed.lead(audit)
        show.draw(show.h('<p class="rb-small">{} {}</p>', logged, every))
    if head and not any(row["mean"] for row in rows):
        heading = t("overview.scored_heading" if rows else "overview.conditions_heading")
        columns, rows = headline.scored(head)
        table.table("scored", columns, rows, caption=heading, headed=True)
    if head:
        show.draw(headline.legend(head, bool(workspace.conditions)))
    planned_rows.draw_unchecked(judged)
status.draw(strip, workspace, audit, kinds, scored)
with present.rest("below"):
    sections.draw(workspace, data, audit, scored)

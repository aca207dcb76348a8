"""Overview: may we compare these, and what should we talk about?"""

import streamlit as st
from markupsafe import Markup

from readback.checks.comparisons import planned, verdicts, weighed
from readback.checks.groups import groups
from readback.ui.common import show
from readback.ui.common.draw import loaded, observed, score_proposals, table
from readback.ui.common.state import choice
from readback.ui.overview import conditions_table, headline, overview, paired, registry, score_warnings
from readback.ui.prompts.one import made_up, training_row
from readback.ui.results import choices
from readback.words import t

title = st.empty()
title.title(show.md(choice.workspace_id() or t("frame.overview")))
workspace = choice.workspace()
title.title(show.md(workspace.name))
data = choice.dataset() if workspace.dataset else None
scored = choices.load_table(workspace) if workspace.scores else None
lead = st.empty()
overview.facts(lead, workspace, len(data) if data else None, scored)
pairs = planned(workspace)
left, right = overview.sides(len(pairs))
with left:  # before the check, whose progress stands where its result will
    beside = overview.heading(t("overview.first"))
    audit = choice.audit()
found = weighed(audit, groups(audit), pairs)
judged = verdicts(audit, found, pairs)
answers = paired.answers(workspace, scored, judged) if scored else {}
overview.facts(lead, workspace, len(data) if data else None, scored, overview.faults(audit, found, judged, answers))
with left:
    overview.state(audit)
    offered = not workspace.scores and score_proposals.draw(workspace)
    if not (
        (offered and data is None)
        or training_row.wanted(workspace)
        or workspace.prompts
        or workspace.tasks
        or workspace.judges
        or workspace.scores
        or made_up.alone(workspace)
    ):
        gone = registry.missing(workspace)
        show.empty(gone or t("overview.nothing"), t("frame.open_one" if gone else "overview.nothing_next"), "open")
    overview.draw_first(beside, audit, found, judged, workspace)
if judged:
    with right:
        paired.table_of(overview.heading(t("overview.planned")), judged, answers)

head = headline.headline(workspace, scored) if scored else None
scored_warnings = score_warnings.counted(audit, scored)
states = conditions_table.states(workspace, audit)
columns, rows = conditions_table.conditions(workspace, audit, head, states, scored_warnings)
if rows:
    heading = t("overview.conditions_heading" if workspace.conditions else "overview.modes_heading")
    table.table("arms", columns, rows, caption=heading, headed=True)
    show.draw(conditions_table.below(states))
    if more := overview.elsewhere(audit):
        show.draw(show.h('<p class="rb-small">{}</p>', more))
    show.draw(show.h('<p class="rb-small">{}</p>', observed.lead(audit)))
if head and not any(row["mean"] for row in rows):
    heading = t("overview.scored_heading" if rows else "overview.conditions_heading")
    columns, rows = headline.scored(head)
    table.table("scored", columns, rows, caption=heading, headed=True)
if head:
    show.draw(headline.legend(head, bool(workspace.conditions)))

made_up.section(workspace)
registry.section(workspace)
st.header(t("overview.loaded"))
counts: list[Markup | str] = []
if data and workspace.dataset:
    see = show.link("results", t("records.see"), view="rows")
    counts = [show.h("{} {}", loaded.counts(workspace.dataset.path, data.counts), see)]
show.draw(
    overview.lines(
        [
            *counts,
            *overview.engine_lines(audit),
            *training_row.show_training_files(audit),
            *(headline.reconciled(scored) if scored else ()),
        ]
    )
)
loaded.files(workspace, t("overview.loaded"))
if noticed := loaded.noticed():
    with st.expander(t("overview.problems", n=len(noticed))):
        loaded.problems(noticed)

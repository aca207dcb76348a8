"""What each model reads of a made-up conversation: for Modelfiles and templates that nothing here is sent to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.model_findings import find_server_findings
from readback.prompts.self_tests import run_self_tests
from readback.types import Finding, Location, Message, Model, ModelInput, Segment, SelfTest, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.draw.text import message
from readback.ui.prompts.one.model_input import model_input_marks, model_input_view
from readback.words import t

KEY = "model"  # in the address
SENT = "first"  # of the two conversations: the question alone, or with an answer and another question
TURNS = (SENT, "later")


def alone(workspace: Workspace) -> Mapping[str, SelfTest]:
    """Return the models with a server of their own that no condition sends anything to."""
    named = {condition.model for condition in workspace.conditions}
    self_tests = run_self_tests(workspace)
    return {
        name: self_test
        for name, self_test in self_tests.items()
        if name not in named and self_test.first.kind != "format"
    }


def wanted(workspace: Workspace) -> bool:
    """Whether the page shows such a model: the address asks for one, or there is nothing else to show."""
    return bool(alone(workspace)) and (_nothing_sent(workspace) or st.query_params.get(KEY) in alone(workspace))


def _nothing_sent(workspace: Workspace) -> bool:
    return not (workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions)


def lead(workspace: Workspace, here: str) -> None:
    """Draw what such models are; where the workspace has nothing else, also how to see messages of one's own."""
    paragraph = show.h('<p class="rb-small">{}</p>', t("made_up.lead"))
    if not _nothing_sent(workspace):
        show.draw(paragraph)
        return
    if here != "messages":
        see = show.link("prompts", t("made_up.see"))
    else:
        see = None
    if here != "open":
        bring = show.link("open", t("made_up.bring"))
    else:
        bring = None
    links = show.join([sentence for sentence in (see, bring) if sentence], " · ")
    show.draw(show.h("{}<p>{} {}</p>", paragraph, t("made_up.next"), links))


def section(workspace: Workspace) -> None:
    """Draw the table of such models on the overview; nothing where there is none."""
    rows = [_row(workspace, name, self_test) for name, self_test in alone(workspace).items()]
    if not rows:
        return
    st.header(t("made_up.title"))
    lead(workspace, "overview")
    columns = (
        Column("name", t("overview.model"), show=_link),
        Column("by", t("made_up.by")),
        Column("text", t("made_up.text"), show=_describe),
        Column("error", t("overview.errors"), number=True),
        Column("warning", t("overview.warnings"), number=True),
    )
    table.table("made_up", columns, rows, caption=t("made_up.title"))


def page(workspace: Workspace) -> None:
    """Draw Prompts for such a model: its texts with the findings marked, and what the conversation was."""
    self_tests = alone(workspace)
    with st.container(horizontal=True, vertical_alignment="bottom", key="bar"):
        name = address.follow(KEY, next(iter(self_tests)), self_tests)
        st.selectbox(t("overview.model"), list(self_tests), key=KEY, on_change=address.keep, args=(KEY,), width=360)
        which = address.follow("turns", SENT, TURNS)
        st.selectbox(
            t("made_up.turns"),
            TURNS,
            key="turns",
            on_change=address.keep,
            args=("turns", SENT),
            width=360,
            format_func=lambda finding: t(f"made_up.turns_{finding}"),
        )
        message.draw_whitespace_switch()
    lead(workspace, "messages")
    self_test, model = self_tests[name], workspace.models[name]
    if which == SENT:
        sent = self_test.first
    else:
        sent = self_test.later
    findings = _list_findings(workspace, model)
    left, right = st.columns([7, 3], gap="medium")
    with left:
        marked = model_input_marks.marks(
            findings, 1, sent, self_test.system, model_input_marks.others_of(_turns(self_test))
        )
        rule = model_input_view.engine_in_words(workspace, model, sent)
        model_input_view.text(sent, (), (), marked, refused=model_input_view.is_refused(findings), rule=rule)
        others = self_test.others or (None, None)
        model_input_view.draw_other(sent, others[0] if which == SENT else others[1])
        if not sent.segments:
            show.findings(
                [
                    finding
                    for finding in findings
                    if finding.code in {diagnostic.code for diagnostic in sent.diagnostics}
                ],
                to_message=False,
            )
    with right:
        model_input_view.findings(findings, 1)
        if not findings:
            show.draw(show.h('<p class="rb-small">{}</p>', t("made_up.no_findings")))
        show.draw(_conversation(self_test, which))


def _list_findings(workspace: Workspace, model: Model) -> tuple[Finding, ...]:
    return tuple(finding for finding in find_server_findings(workspace, model) if isinstance(finding, Finding))


def _row(workspace: Workspace, name: str, self_test: SelfTest) -> Mapping[str, Any]:
    findings = _list_findings(workspace, workspace.models[name])
    at = self_test.first.place
    counts = {word: sum(finding.severity == word for finding in findings) for word in ("error", "warning")}
    if at.file:
        by = show.where(Location(file=at.file, line=at.line))
    else:
        by = self_test.first.format
    return {
        "name": name,
        "by": by,
        "text": self_test.first.text or _why(self_test.first, findings),
        **counts,
        "self_test": self_test,
    }


def _why(sent: ModelInput, findings: tuple[Finding, ...]) -> str:
    """Why there is no text."""
    codes = {diagnostic.code for diagnostic in sent.diagnostics}
    return next((finding.message for finding in findings if finding.code in codes), t("messages.model_input_none"))


def _link(row: Mapping[str, Any]) -> Markup:
    return show.link("prompts", row["name"], model=row["name"])


def _describe(row: Mapping[str, Any]) -> Markup:
    first: ModelInput = row["self_test"].first
    if not first.segments:
        return show.h('<span class="rb-warn">{}</span>', row["text"])
    return show.h("{}", t("messages.characters", n=len(first.text)))


def _turns(self_test: SelfTest) -> tuple[Message, ...]:
    return tuple(
        Message(role, (Segment("", "variable", name),))
        for role, name in (("user", "question"), ("assistant", "answer"))
    )


def _conversation(self_test: SelfTest, which: str) -> Markup:
    """Return the invented messages of a self-test, as markup; `which` names the conversation."""
    turns = [("system", self_test.system), ("user", self_test.user)]
    turns += [("assistant", self_test.reply), ("user", self_test.user)] if which != SENT else []
    rows = [show.h("<dt>{}</dt><dd>{}</dd>", t(f"messages.role_{role}"), show.exact_text(text)) for role, text in turns]
    return show.h("<h3>{}</h3><dl class='rb-fields'>{}</dl>", t("made_up.conversation"), show.join(rows))

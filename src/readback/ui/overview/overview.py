"""The overview's parts: the first sentence, what to look at first, findings that are in no row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.checks import repeated_answers
from readback.checks.comparisons import Pair, Verdict, Weighed
from readback.checks.groups import also, groups
from readback.checks.repeated_answers import describe_repeated
from readback.checks.summary import Audit
from readback.scores import in_view
from readback.scores.sentences import not_compared, report
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import listing, places, sample_words
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.ui.overview import lead, paired, requests_line, status
from readback.ui.prompts.one import training_row
from readback.ui.results import means
from readback.words import sentence, t
from readback.workspace.left_out import count_unread
from readback.workspace.tables import proposed_scores

ENGINE = "oll-engine-unknown"
FIRST = 3  # what a meeting looks at first; the rest is one click away


def draw_warned(place: DeltaGenerator, scored: ScoreTable | None) -> None:
    """Draw in `place`, before all that is concluded from scores, that no judge gave them."""
    warning = means.format_synthetic(scored) if scored else None
    if warning:
        with place:
            show.draw(show.h('<p class="rb-made-line"><span class="rb-made">{}</span></p>', warning))


def draw_answer(
    place: DeltaGenerator,
    workspace: Workspace,
    audit: Audit,
    judged: Sequence[Verdict],
    scored: ScoreTable | None,
    answers: Mapping[Pair, paired.Answer],
) -> None:
    """Draw the first sentences, a line each: who is ahead where scores tell, else what is compared and whether that is
    fair.
    """
    repeated = describe_repeated(audit)
    requests = requests_line.describe(workspace, audit, is_planned=bool(judged))
    sentences = _answer(workspace, audit, judged, scored, answers)
    if requests and not (answers or judged or scored):  # nothing is known but what was sent
        sentences, requests = [requests], Markup("")
    line = '<p class="rb-lead rb-answer-first">{}</p>'
    before = Markup("")
    if repeated:  # what the scores of the other lines are worth
        before = show.h(line, show.link("findings", repeated, code=repeated_answers.CODE))
    if requests:
        before += show.h(line, requests)
    with place:
        if scored and means.format_synthetic(scored):
            sentences = [show.h("{} {}", t("overview.provisional"), sentences[0]), *sentences[1:]]
        show.draw(before + show.join([show.h(line, sentence) for sentence in sentences]))


def sides() -> Sequence[DeltaGenerator]:
    """Return where the picture goes, and beside it where what to look at first goes."""
    with st.container(key="first_two"):
        return present.columns([5, 2], gap="medium")


def _answer(
    workspace: Workspace,
    audit: Audit,
    judged: Sequence[Verdict],
    scored: ScoreTable | None,
    answers: Mapping[Pair, paired.Answer],
) -> Sequence[Markup]:
    if answers and "asm-nothing-to-send" not in audit.counts:
        return lead.planned_answers(workspace, judged, answers)
    return [_answer_alone(workspace, audit, judged, scored)]


def _answer_alone(workspace: Workspace, audit: Audit, judged: Sequence[Verdict], scored: ScoreTable | None) -> Markup:
    """Return the one sentence where no scores answer what was planned."""
    proposals = () if workspace.scores else proposed_scores.list_proposed(workspace.alternatives)
    # Without rows, a table that looks like scores is all there is.
    is_table_alone = bool(proposals) and workspace.dataset is None
    if "asm-nothing-to-send" in audit.counts and not is_table_alone:
        return show.h("{}", t("overview.nothing_sent"))
    if judged:
        return paired.sentence(audit, judged)
    if scored and (sentence := lead.unplanned_answer(workspace, scored, audit)):
        return show.h("{}", sentence)
    if proposals:
        first_table = proposals[0]
        key = f"overview.lead_proposed_{first_table.key}"
        return show.h("{}", t(key, file=first_table.file, n=len(first_table.columns)))
    if not audit.conditions and workspace.dataset and workspace.dataset.absent:
        return show.h("{}", t("overview.lead_absent"))
    if len(audit.conditions) > 1:
        return show.h("{}", t("overview.no_plan"))
    if audit.conditions:
        return show.h("{}", t("overview.no_plan_single", name=audit.conditions[0].name))
    if training_row.wanted(workspace):
        return show.h("{}", t("training_row.overview_lead"))
    return show.h("{}.", status.count_faults(audit, groups(audit)).link)


def draw_first(
    audit: Audit,
    weighed: Sequence[Weighed],
    judged: Sequence[Verdict],
    workspace: Workspace,
    scored: ScoreTable | None,
    answers: Mapping[Pair, paired.Answer],
) -> None:
    """Draw what to look at first and the way to the rest of it; or that there is nothing, and what next. Of what the
    first sentence of the page states, what to do about it is drawn.
    """
    if scored and (dispute := _describe_dispute(workspace, scored)):
        show.draw(dispute)
    if look_at(weighed):
        if workspace.conditions:
            by = "first_conditions"
        else:
            by = "first_modes"
        codes = lead.list_stated_codes(judged, answers)
        if requests_line.is_differing(workspace, audit):
            codes |= {requests_line.CODE}
        if describe_repeated(audit):
            codes |= {repeated_answers.CODE}
        is_unjudged = bool(scored and scored.synthetic)
        show.draw(first(audit, weighed, by, codes, is_unjudged=is_unjudged))
        show.draw(more(weighed, FIRST - is_unjudged))
    else:
        none = nothing_to_repair(audit, judged, workspace)
        step = way(workspace)
        show.draw(show.h("<p>{} {}</p>", none, show.link(*reversed(step)) if step else ""))
    if scored:
        show.draw(_advise_conditions(workspace, scored))


def _advise_conditions(workspace: Workspace, scored: ScoreTable) -> Markup:
    """Return how to state which prompt was sent under each condition, where scores name conditions as prompts are
    called: the same name is a hint and no statement. "" where the workspace has conditions.
    """
    scored_names = {scored.label(key) for key in scored.columns.conditions}
    names = [mode for mode in workspace.prompts if mode in scored_names]
    if workspace.conditions or len(names) < 2:
        return Markup("")
    link = show.link("open", t("overview.first_state_conditions_way"))
    return show.h("<p>{} {}</p>", t("overview.first_state_conditions", a=names[0], b=names[1]), link)


def _describe_dispute(workspace: Workspace, scored: ScoreTable) -> Markup:
    """Return that the judges of the first criterion agree too little for a conclusion, with the way to their agreement;
    "" where they agree or are one.
    """
    criterion, judge = in_view.first(scored, workspace) or ("", "")
    dispute = not_compared.find_dispute(scored, criterion, judge)
    if dispute is None:
        return Markup("")
    link = show.link("results", t("overview.first_disputed", who=dispute.who), criterion=criterion, view="agreement")
    how = t("overview.first_disputed_how", alpha=report.signed(dispute.alpha), criterion=criterion)
    return show.h('<p>{} <span class="rb-small">{}</span></p>', link, how)


def nothing_to_repair(audit: Audit, judged: Sequence[Verdict], workspace: Workspace) -> str:
    """Say that no error and no warning was found, and of how many files that look like part of it nothing was read."""
    unread = count_unread(workspace.recognised)
    if unread:
        return t("overview.first_none_unread", n=unread)
    if audit.sample:
        return t("sample.first_none")
    if workspace.scores and not (workspace.conditions or workspace.prompts or workspace.tasks or workspace.judges):
        return t("overview.first_none_scores")
    return t(
        "overview.first_none_varied" if any(judged_pair.confounded for judged_pair in judged) else "overview.first_none"
    )


def first(
    audit: Audit, weighed: Sequence[Weighed], by: str, stated: Collection[str] = (), *, is_unjudged: bool = False
) -> Markup:
    """At most three things to look at, each a sentence and a link; `by` is what a condition is called. Rules that are
    `stated` above are named by what to do about them. That a program made the scores (`is_unjudged`)
    comes first.
    """
    rows: list[Markup | str] = []
    if is_unjudged:
        way_to_scores = show.link("results", t("overview.first_judge"))
        item = "<li>{} <strong>{}</strong></li>"
        rows.append(show.h(item, show.sign_severity("warning"), way_to_scores))
    for n, weighed_group in enumerate(look_at(weighed)[: FIRST - is_unjudged], len(rows) + 1):
        advice = _advise(audit, weighed_group) if weighed_group.group.code in stated else ""
        rows.append(advice or _first(audit, weighed_group, by, n))
    return show.h("<ol class='rb-first'>{}</ol>", show.join(rows))


def more(weighed: Sequence[Weighed], listed: int = FIRST) -> Markup:
    """Return the way to all findings; how the list is ordered is there on hover and is read out."""
    rest = sum(weighed_group.group.severity != "info" for weighed_group in weighed) - listed
    if rest > 0:
        label = t("overview.more_kinds", n=rest)
    else:
        label = t("overview.all_findings")
    link = show.link("findings", show.h('<span title="{}">{}</span>', t("overview.first_help"), label))
    return show.h('<p class="rb-beside">{}</p>', link)


def look_at(weighed: Sequence[Weighed]) -> tuple[Weighed, ...]:
    """Errors and warnings, the gravest first."""
    return tuple(weighed_group for weighed_group in weighed if weighed_group.group.severity != "info")[:FIRST]


def elsewhere(audit: Audit) -> Markup:
    """Errors and warnings that are in no row of the table: about files, models, records, judges."""
    parts, total = [], 0
    for severity, column in (("error", "errors"), ("warning", "warnings")):
        n = audit.severities.get(severity, 0) - sum(getattr(row, column) for row in audit.conditions)
        total += n
        if n:
            parts.append(
                show.link("findings", t(f"overview.more_{column}", n=n), severity=severity, arm=listing.NO_ROW)
            )
    if parts:
        return show.h("{} {}", show.join(parts, t("overview.and")), t("overview.elsewhere", n=total))
    return Markup("")


def engine_lines(audit: Audit) -> tuple[Markup, ...]:
    """Yield that it cannot be told which template Ollama sends, with the way to what would tell it."""
    unknown = [finding.message for finding in audit.findings if finding.code == ENGINE]
    link = show.link("findings", t("overview.all_findings"), code=ENGINE)
    return tuple(show.h("{} {}", sentence.finish(message), link) for message in unknown)


def way(workspace: Workspace) -> tuple[str, ...]:
    """Where to go when nothing needs a look, as a label and its page: the messages, or where there are scores alone the
    way to add the prompts.
    """
    is_logged = any(condition.logged for condition in workspace.conditions)
    if workspace.prompts or workspace.tasks or workspace.judges or is_logged or training_row.wanted(workspace):
        return t("overview.see_messages"), "prompts"
    if workspace.scores:
        return (t("overview.open_prompts"), "open")
    return ()


def state(audit: Audit) -> None:
    """Say what a check is not: of all records, done to its end, or without a rule that failed."""
    sample_words.notice(audit)
    if audit.stopped:
        show.notice(t("overview.stopped"), "warning")
        st.button(t("frame.again"), key="check_again", on_click=choice.check_again)
    for unlooked in audit.unlooked:
        sentence = t("overview.unlooked", n=unlooked.count, all=unlooked.total, name=unlooked.name, why=unlooked.why)
        show.notice(sentence, "warning")
    if audit.faults:
        show.problem(t("overview.faults_ours", n=len(audit.faults)), ours(audit))


def ours(audit: Audit) -> str:
    """Draw the rules that failed, which is our fault."""
    return "\n".join(dict.fromkeys(f"{fault.rule}: {fault.error}" for fault in audit.faults))


def lines(sentences: Sequence[str]) -> Markup:
    """Sentences, one below the other."""
    return show.join([show.h("<p>{}</p>", line) for line in sentences])


def _advise(audit: Audit, weighed_group: Weighed) -> Markup:
    """Return in a sentence what to do about a rule, and the way to its places; "" where its page does not say it. The
    planned comparison that it breaks is named where there are more than the one above.
    """
    group = weighed_group.group
    advice = sentence.cut_first(places.find_advice(group))
    if not advice:
        return Markup("")
    link = show.link("findings", group.title, code=group.code)
    sides = _sides(audit, weighed_group) if weighed_group.with_finding[1:] else ""
    item = '<li>{} <strong>{}</strong><p class="rb-first-fix">{} <span class="rb-small">{}</span></p></li>'
    return show.h(item, show.sign_severity(group.severity), advice, link, sides)


def _first(audit: Audit, weighed_group: Weighed, by: str, number: int) -> Markup:
    group = weighed_group.group
    if audit.sample:
        records = sample_words.records(audit, group)
    else:
        records = t("overview.first_records", n=group.records)
    conditions = t(f"overview.{by}", n=len(group.conditions))
    rows_of_group = {row.name for row in audit.conditions}.intersection(group.conditions)  # others are judges, say
    if len(group.conditions) == 1:
        alone = t("overview.first_alone", name=group.conditions[0])
    else:
        alone = conditions
    # As Findings counts, and the strip above; the hint has the records.
    where = t("overview.places", n=group.count)
    if 1 < group.count == len(group.conditions) and group.records > 1:  # a finding of each stands for many records
        where = conditions
    if audit.sample:
        parts = []
        if group.records:
            parts.append(records)
        is_named_behind = bool(records and weighed_group.with_finding)  # then its conditions are the sides named there
        if rows_of_group and not is_named_behind:
            parts.append(conditions if group.records else alone)
        where = t("overview.and").join(filter(None, parts)) or where
    side = weighed_group.side
    why = t(
        "overview.first_why",
        n=number,
        severity=t(f"frame.{group.severity}"),
        side=t(f"overview.side_{side}"),
        conditions=conditions,
        records=records or t("sample.once"),
        code=group.code,
    )
    return show.h(
        '<li>{} {} <span class="rb-small"><span class="rb-hinted" tabindex="0">{}<span class="rb-hint">{}</span></span>'
        "{}{}</span></li>",
        show.sign_severity(group.severity),
        show.link("findings", group.title, code=group.code),
        where,
        why,
        show.h(", {}", lighter) if (lighter := also(group)) else "",
        _sides(audit, weighed_group) if weighed_group.one_sided else "",
    )


def _sides(audit: Audit, weighed_group: Weighed) -> Markup:
    """Which planned comparison it is in, and the way to look at both sides of it."""
    sides = paired.describe_sides(choice.workspace(), audit, weighed_group)
    if sides:
        return show.h("; {}", sides)
    return Markup("")

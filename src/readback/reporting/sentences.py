"""Sentences of a report that its HTML and its Markdown share, and how values of its tables are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback.review.decision_words import name_verdict
from readback.words import sentence, t

HEAD = 80  # characters of a note in its heading
COLUMNS = ("condition", "n_title", "mean", "chart_low", "chart_high", "failed", "missing", "na")
DIGITS = 2  # after the point, as on the pages; the JSON form has the number as it is
SMALL = 0.005  # below it two digits would be zeros
QUESTIONS, CHANGES, DECISIONS, NOTES = 4, 2, 5, 2  # what of each there is room for on the first page
NAMES, NAME = 3, 40  # conditions of one change, and characters of the name of one
WHY = 150  # characters of a change, and of why two conditions may be compared or not
ITEMS = 3  # of the agenda that are named in its sentence
CUT = 90  # characters of what somebody wrote, on the first page

Values = Mapping[str, Any]


def describe_version(report: Values) -> str:
    """Say as of when the report is, after how many events, and by which version it was written."""
    holds = report["holds"]
    time = format_minute(holds["as_of"])
    return t("report.made", time=time, events=holds["sequence"], version=holds["readback"])


def summarise(report: Values) -> Iterator[str]:
    """Yield what was decided and what is open, in a few sentences."""
    decisions = [decision for decision in report["decisions"] if decision["in_force"]]
    deferred = sum(decision["verdict"] == "defer" for decision in decisions)
    decided = len(decisions) - deferred
    yield t("report.lead_decided", n=decided) if decided else t("report.lead_none")
    if deferred:
        yield t("report.lead_deferred", n=deferred)
    changed = sum(decision["bytes"] == "changed" for decision in decisions)
    if changed:
        yield t("report.lead_changed", n=changed)
    notes = report["notes"]
    yield t("report.lead_open", n=len(notes)) if notes else t("report.open_none")
    overdue = sum(note["overdue"] for note in notes)
    if overdue:
        yield t("report.lead_overdue", n=overdue)
    undecided = [item["said"] for item in report["agenda"] if item["decision"] is None]
    if undecided:
        yield t("report.lead_undecided", n=len(undecided), names=_list_items(undecided))


def _list_items(sentences: Sequence[str]) -> str:
    """Return the first items of an agenda in quotation marks, and how many more there are."""
    names = ", ".join(f"“{sentence}”" for sentence in sentences[:ITEMS])
    more = len(sentences) - ITEMS
    if more > 0:
        return t("report.lead_undecided_more", names=names, n=more)
    return names


def describe_first_standing(standing: Values) -> str:
    """Say who signed what and when, and what became of it."""
    if standing["state"] == "unsigned":
        return ""
    day = standing["time"][:10]
    who = t("report.first_signed", name=standing["who"], about=standing["about"], day=day)
    if standing["state"] in ("evidence", "unread"):
        why = standing["why"]
    else:
        why = ""
    after = t(f"report.first_after_{standing['state']}", why=why or "")
    if standing["signoffs"] > 1:
        others = t("report.first_signoffs", n=standing["signoffs"])
    else:
        others = ""
    return " ".join(filter(None, (who, after, others)))


def describe_grouped_change(change: Values, most: int | None = None) -> str:
    """Return one change in a line: what it is, and in which conditions; with `most` no more of their names than that,
    and no more of a long change than there is room for.
    """
    what = sentence.capitalise(change["what"])
    if most is not None:
        what = cut(what, WHY)
    if not change["where"]:
        return what
    names = change["where"][:most]
    rest = len(change["where"]) - len(names)
    listed = "; ".join(names if most is None else [cut(name, NAME) for name in names])
    listed += t("report.change_others", n=rest) if rest else ""
    if change["layer"]:
        layer = t("report.change_layer", layer=change["layer"])
    else:
        layer = ""
    return t("report.change", what=what, n=len(change["where"]), names=listed, layer=layer)


def describe_why(question: Values) -> str:
    """Return why two conditions may be compared or not: the first reason, and how many more there are."""
    reasons = question["why"]
    if not reasons:
        if question["fair"] == "fair":
            return t("report.first_fair_why")
        return ""
    if reasons[1:]:
        more = t("report.first_more_why", n=len(reasons) - 1)
    else:
        more = ""
    return " ".join(filter(None, (cut(reasons[0], WHY), more)))


def describe_first_rest(report: Values) -> Iterator[str]:
    """Yield what the first page leaves out of the answer, and what limits it."""
    summary = report["summary"]
    if summary["synthetic"]:
        yield t("report.synthetic")
    if summary["earlier"]:
        yield t("report.scores_earlier")
    left = len(summary["questions"]) - QUESTIONS
    if left > 0:
        yield t("report.first_more_questions", n=left)
    if summary["other_answers"]:
        yield t("report.first_other_answers", n=summary["other_answers"], criterion=summary["criterion"])
    rules = summary["rules"]
    if any(rules.values()):
        yield t("report.first_rules", errors=rules["error"], warnings=rules["warning"], notes=rules["info"])
    else:
        yield t("report.findings_none")


def describe_first_note(note: Values) -> str:
    """Return an open note in a line: how it begins, and whose it is until when."""
    return f"{cut(note['text'])} ({describe_owner(note).removesuffix('.')})"


def describe_numbers(row: Values) -> str:
    """Return a difference with its interval and the number of items: +1.78 (1.05 to 2.52), n 23."""
    low, high = format_cell(row["low"]), format_cell(row["high"])
    if row["low"] is not None:
        span = t("report.first_span", low=low, high=high)
    else:
        span = ""
    sign = "+" if row["difference"] > 0 else ""
    return t("report.first_numbers", difference=f"{sign}{format_cell(row['difference'])}", span=span, n=row["n"])


def cut(text: str, most: int = CUT) -> str:
    """Return the beginning of what somebody wrote, in one line."""
    whole = join_lines(text)
    if len(whole) <= most:
        return whole
    return f"{whole[:most]} …"


def describe_author(event: Values) -> str:
    """Say who did something, how that is known, when, and as which event."""
    how = t(f"review.known_{event['known']}")
    return t("report.by", name=event["author"], how=how, time=format_minute(event["time"]), event=event["event"])


def describe_standing(signoff: Values) -> str:
    """Say whether a sign-off holds."""
    values = {"what": "; ".join(signoff["evidence"]), "why": signoff["unsaid"] or ""}
    if signoff["withdrawn"]:
        values["name"] = signoff["withdrawn"]["author"]
        values["time"] = format_minute(signoff["withdrawn"]["time"])
    return t(f"report.standing_{signoff['standing']}", **values)


def describe_fingerprint(fingerprint: Values) -> str:
    """Return what follows the name of a fingerprint: whether its bytes are the same now, where that is known."""
    now = fingerprint.get("now")
    if now in ("same", "changed"):
        return t(f"report.fingerprint_{now}")
    return ":"


def head_note(note: Values) -> str:
    """Return the heading of a note: whose it is, and how it begins."""
    first_line = join_lines(note["text"])
    if len(first_line) <= HEAD:
        short = first_line
    else:
        short = f"{first_line[:HEAD]} …"
    if note["standing"] == "answered":
        state = f" ({t('report.note_answered')})"
    else:
        state = ""
    return f"{t('agenda.note', name=note['author'], text=short)}{state}"


def describe_owner(note: Values) -> str:
    """Say who looks after a note, and until when."""
    parts = [t("report.note_owner", name=note["owner"]) if note["owner"] else t("report.owner_none")]
    if note["due"]:
        parts.append(t("report.note_overdue" if note["overdue"] else "report.note_due", day=note["due"]))
    return f"{'; '.join(parts)}."


def describe_answer(answer: Values) -> str:
    """Say who answered a note, how that is known, and when."""
    how = t(f"review.known_{answer['known']}")
    return t("report.note_answer", name=answer["author"], how=how, time=format_minute(answer["time"]))


def head_decision(decision: Values) -> str:
    """Return the heading of a decision: the words of its button, and what it is about."""
    choice = name_verdict(decision["verdict"], decision["kind"])
    return t("report.decision", choice=choice, about=decision["on"] or decision["about"])


def describe_item_decision(decision: Values) -> str:
    """Return the decision on an item of the agenda in a line."""
    reason = join_lines(decision["reason"])
    choice = name_verdict(decision["verdict"], decision["kind"])
    line = t("report.item", choice=choice, name=decision["author"], reason=reason)
    if decision["bytes"] == "changed":
        return f"{line} {t('report.item_changed')}"
    return line


def head_prompt(prompt: Values) -> str:
    """Return the heading of a prompt: what is sent, and for which record."""
    if prompt["record"] is not None:
        record = t("report.prompt_record", record=prompt["record"])
    else:
        record = t("report.prompt_numbered", n=prompt["index"] + 1)
    return ", ".join((*prompt["choice"].values(), record))


def describe_origin(segment: Values) -> str:
    """Say where a segment comes from."""
    parts = (t(f"messages.look_{segment['look']}"), segment["name"], segment["where"])
    return ", ".join(part for part in parts if part)


def describe_excerpt(excerpt: Values) -> str:
    """Say which part of a text an excerpt is, and how much is left out around it."""
    omitted = [t(f"report.left_{side}", n=excerpt[side]) for side in ("before", "after") if excerpt[side]]
    label: str = excerpt["label"]
    if omitted:
        return " ".join((f"{label}.", *omitted))
    return label


def head_plan(line: Values) -> str:
    """Return the heading of a planned comparison: its question, and what is expected."""
    question: str = line["question"] or t("scores.pair", a=line["a"], b=line["b"])
    if line["expected"]:
        return t("report.question", question=question, expected=line["expected"])
    return question


def describe_fairness(line: Values) -> str:
    """Say that a planned comparison is not fair, or not known to be; an empty text where it is, or was not checked."""
    return {"unfair": t("report.fair_no"), "unknown": t("report.fair_unknown")}.get(line["fair"] or "", "")


def head_spread(scores: Values) -> str:
    """Return the heading of the distributions: which criterion, and who scored it, where that is named."""
    if scores["judge"]:
        key = "report.spread"
    else:
        key = "report.spread_alone"
    return t(key, criterion=scores["criterion"], judge=scores["judge"] or "")


def describe_rounding() -> str:
    """Say that a difference is not always that of the two means as they are written."""
    return f"{t('scores.rounded')} {t('scores.shared_only')}"


def list_score_rows(rows: Sequence[Values]) -> tuple[list[str], list[list[Any]]]:
    """Return the table of every criterion and judge: the names of its columns, and its rows."""
    columns = [t(f"scores.{name}") for name in COLUMNS]
    columns[1:1] = [t("report.criterion"), t("report.judge")]
    body = []
    for row in rows:
        low, high = row["interval_used"] or (None, None)
        judge = row["judge"] or t("scores.no_judge")
        counts = [row["failed"], row["missing"], row["not_applicable"]]
        body.append([row["condition"], row["criterion"], judge, row["n"], row["mean"], low, high, *counts])
    return columns, body


def list_fingerprint_rows(reviewed: Values) -> tuple[list[str], list[list[Any]]]:
    """Return the table of what was reviewed: the names of its columns, and its rows."""
    columns = [t("report.what"), t("report.records"), t("report.failed"), t("report.sha")]
    rows = [[line["what"], line["records"], line["failed"], line["sha256"]] for line in reviewed["fingerprints"]]
    return columns, rows


def list_file_rows(reviewed: Values) -> tuple[list[str], list[list[Any]]]:
    """Return the table of the reviewed files: the names of its columns, and its rows."""
    columns = [t("report.file"), t("report.what"), t("report.sha")]
    rows = [[file["path"], file["what"], file["sha256"] or t("report.cannot_read")] for file in reviewed["files"]]
    return columns, rows


def format_cell(value: Any) -> str:
    """Write a value of a table: a number with DIGITS digits after the point and a minus sign, a dash for none, a text
    as it is.
    """
    if value is None:
        return "\u2013"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "\u2212")
    if isinstance(value, float):
        tiny = 0 < abs(value) < SMALL
        return (f"{value:.1g}" if tiny else f"{value:,.{DIGITS}f}").replace("-", "\u2212")
    return str(value)


def format_minute(time: str) -> str:
    """Write an ISO time without its seconds: 2026-11-24 16:05."""
    return time[:16].replace("T", " ")


def join_lines(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())

"""Sentences of a report that its HTML and its Markdown share, and how values of its tables are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback.words import t

HEAD = 80  # characters of a note in its heading
COLUMNS = ("condition", "n_title", "mean", "chart_low", "chart_high", "failed", "missing", "na")
DIGITS = 4  # of a number in a table; the JSON form has it as it is

Values = Mapping[str, Any]


def describe_version(report: Values) -> str:
    """Say as of when the report is, after how many events, and by which version it was written."""
    holds = report["holds"]
    time = format_minute(holds["as_of"])
    return t("report.made", time=time, events=holds["sequence"], version=holds["readback"])


def summarise(report: Values) -> Iterator[str]:
    """Yield the report in a few sentences."""
    decisions = [decision for decision in report["decisions"] if decision["in_force"]]
    yield t("report.lead_decided", n=len(decisions)) if decisions else t("report.lead_none")
    signoffs = [signoff for signoff in report["signoffs"] if signoff["standing"] != "withdrawn"]
    changed = sum(decision["bytes"] == "changed" for decision in decisions)
    changed += sum(signoff["standing"] == "stale" for signoff in signoffs)
    if changed:
        yield t("report.lead_changed", n=changed)
    notes = report["notes"]
    yield t("report.lead_open", n=len(notes)) if notes else t("report.open_none")
    overdue = sum(note["overdue"] for note in notes)
    if overdue:
        yield t("report.lead_overdue", n=overdue)
    undecided = sum(item["decision"] is None for item in report["agenda"])
    if undecided:
        yield t("report.lead_undecided", n=undecided)


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
    return t(f"report.fingerprint_{now}") if now in ("same", "changed") else ":"


def head_note(note: Values) -> str:
    """Return the heading of a note: whose it is, and how it begins."""
    first_line = join_lines(note["text"])
    short = first_line if len(first_line) <= HEAD else f"{first_line[:HEAD]} …"
    state = f" ({t('report.note_answered')})" if note["standing"] == "answered" else ""
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


def describe_item_decision(decision: Values) -> str:
    """Return the decision on an item of the agenda in a line."""
    reason = join_lines(decision["reason"])
    line = t(f"report.item_{decision['verdict']}", name=decision["author"], reason=reason)
    return f"{line} {t('report.item_changed')}" if decision["bytes"] == "changed" else line


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
    return " ".join((f"{label}.", *omitted)) if omitted else label


def head_plan(line: Values) -> str:
    """Return the heading of a planned comparison: its question, and what is expected."""
    question: str = line["question"] or t("scores.pair", a=line["a"], b=line["b"])
    return t("report.question", question=question, expected=line["expected"]) if line["expected"] else question


def describe_fairness(line: Values) -> str:
    """Say that a planned comparison is not fair, or not known to be; an empty text where it is, or was not checked."""
    return {"unfair": t("report.fair_no"), "unknown": t("report.fair_unknown")}.get(line["fair"] or "", "")


def head_spread(scores: Values) -> str:
    """Return the heading of the distributions: which criterion, and who scored it, where that is named."""
    key = "report.spread" if scores["judge"] else "report.spread_alone"
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
    """Write a value of a table: a number with DIGITS digits and a minus sign, a dash for none, a text as it is."""
    if value is None:
        return "\u2013"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "\u2212")
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}".replace("-", "\u2212")
    return str(value)


def format_minute(time: str) -> str:
    """Write an ISO time without its seconds: 2026-11-24 16:05."""
    return time[:16].replace("T", " ")


def join_lines(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())

"""The first page of a report: question, answer, verdict, decisions and whether they hold, of nothing but its values.

All that it says is taken from the sections that follow it, so that it cannot say anything else than they do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback.words import t

WORST = ("stale", "unread", "evidence", "same")  # of several sign-offs the first of these is what the page begins with
PAIRS = 6  # rows of a picture where no comparison was planned
LINE = re.compile(
    r'^(?P<kind>condition|mode|task) "(?P<name>(?:[^"\\]|\\.)*)" (?P<layer>[\w-]+): (?P<what>.*)$', re.DOTALL
)
MESSAGES, READ = "messages", "model-input"

Values = Mapping[str, Any]


def build_summary(report: Values) -> dict[str, Any]:
    """Build what the first page says of the values of a whole report."""
    scores = report["scores"]
    decisions = [decision for decision in report["decisions"] if decision["in_force"]]
    return {
        "standing": _build_standing(report["signoffs"]),
        "questions": list(_list_questions(report)),
        "criterion": scores["criterion"] if scores else None,
        "judge": scores["judge"] if scores else None,
        "other_answers": _count_others(scores),
        "synthetic": bool(scores and scores["synthetic"]),
        "earlier": bool(scores and scores["earlier"]),
        "decisions": [
            {
                "about": decision["on"] or decision["about"],
                "verdict": decision["verdict"],
                "kind": decision["kind"],
                "owner": decision["author"],
                "time": decision["time"],
                "reason": decision["reason"],
                "bytes": decision["bytes"],
            }
            for decision in sorted(decisions, key=lambda decision: decision["verdict"] == "defer")
        ],
        "open_notes": [
            {"text": note["text"], "owner": note["owner"], "due": note["due"], "overdue": note["overdue"]}
            for note in sorted(report["notes"], key=lambda note: not note["overdue"])
        ],
        "undecided": sum(item["decision"] is None for item in report["agenda"]),
        "deferred": sum(decision["verdict"] == "defer" for decision in decisions),
        "rules": {
            severity: sum(finding["severity"] == severity for finding in report["findings"])
            for severity in ("error", "warning", "info")
        },
    }


def group_changes(changes: Sequence[str]) -> list[dict[str, Any]]:
    """Return each change once, with the conditions it is in. What a model reads changes with its messages: such a line
    is left out where the condition's messages have one.
    """
    lines = [(LINE.match(change), change) for change in changes]
    with_messages = {match["name"] for match, _ in lines if match and match["layer"] == MESSAGES}
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for match, change in lines:
        if match is None:
            groups[change, ""] = {"what": change, "where": [], "layer": ""}
            continue
        if match["layer"] == READ and match["name"] in with_messages:
            continue
        key = (match["what"], match["layer"])
        if match["layer"] == MESSAGES:
            layer = ""
        else:
            layer = match["layer"]
        group = groups.setdefault(key, {"what": match["what"], "where": [], "layer": layer})
        group["where"].append(match["name"].replace('\\"', '"'))
    return list(groups.values())


def _build_standing(signoffs: Sequence[Values]) -> dict[str, Any]:
    """Build what the sign-offs that were not withdrawn come to: the word of the worst one, and its changes."""
    there = [signoff for signoff in signoffs if signoff["standing"] != "withdrawn"]
    if not there:
        return {"state": "unsigned", "who": None, "time": None, "about": None, "changes": [], "signoffs": 0}
    worst = min(there, key=lambda signoff: WORST.index(signoff["standing"]))
    return {
        "state": worst["standing"],
        "who": worst["author"],
        "time": worst["time"],
        "about": worst["about"],
        "changes": group_changes(worst["changes"]) if worst["standing"] == "stale" else [],
        "why": "; ".join(worst["evidence"]) or worst["unsaid"],
        "signoffs": len(there),
    }


def _list_questions(report: Values) -> Iterator[dict[str, Any]]:
    """Yield the questions that were planned, with their answers by the first criterion; else which condition is best;
    without scores which conditions may be compared.
    """
    scores = report["scores"]
    fairness = {frozenset((verdict["a"], verdict["b"])): verdict for verdict in report["verdicts"]}
    if scores:
        planned = [line for line in scores["planned"] if line["criterion"] == scores["criterion"]]
    else:
        planned = []
    for line in planned:
        verdict = fairness.get(frozenset((line["a"], line["b"])), {})
        yield {
            "question": line["question"] or t("scores.pair", a=line["a"], b=line["b"]),
            "answer": line["headline"],
            "fair": line["fair"],
            "why": list(verdict.get("why", ())),
            "rows": [{"name": t("report.minus", a=line["a"], b=line["b"]), **line["numbers"]}]
            if line["numbers"]
            else [],
        }
    if planned:
        return
    if scores:
        yield _build_best(scores)
        return
    for verdict in report["verdicts"]:
        question = t("verdict.asked", a=verdict["a"], b=verdict["b"])
        yield {"question": question, "answer": None, "fair": verdict["kind"], "why": list(verdict["why"]), "rows": []}


def _build_best(scores: Values) -> dict[str, Any]:
    differences = scores["differences"]
    if differences:
        rows = differences["table"]["rows"]
    else:
        rows = []
    return {
        "question": t("report.which_best", criterion=scores["criterion"]),
        "answer": differences["said"][0] if differences and differences["said"] else scores["spread"]["said"],
        "fair": None,
        "why": [],
        "rows": [
            {"name": row[0], "difference": row[1], "low": row[2], "high": row[3], "n": row[8]}
            for row in rows[:PAIRS]
            if row[1] is not None
        ],
    }


def _count_others(scores: Values | None) -> int:
    """Count the answers by other criteria, which are in the section on scores."""
    if scores:
        return sum(line["criterion"] != scores["criterion"] for line in scores["planned"])
    return 0

"""The first line where requests were logged: how many equal the files, or that nothing is here to hold them against."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.comparisons import Pair, verdicts, weighed
from readback.checks.groups import groups
from readback.checks.held_requests import count_held, describe_apart, describe_held, list_further, part_conditions
from readback.checks.summary import Audit
from readback.readers.files.paths import resolve
from readback.readers.logs.decode import decode
from readback.requests.log_names import Matched, list_names_here
from readback.types import Diagnostic, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import caches, choice
from readback.words import t
from readback.workspace.tools import tool_logs

CODE = "fmt-assembly-differs"
MOST = 12  # conditions of which each is held against each
CHOICES = 20  # conditions of logs for which a choice is drawn


def describe(workspace: Workspace, audit: Audit, *, is_planned: bool = True) -> Markup:
    """Return the line about logged requests; "" where none were logged. Where no comparison `is_planned`, it says which
    conditions are not to be compared with the others.
    """
    alone = _count_alone(workspace, "requests")
    if alone:
        return show.h("{} {}", t("held.alone", n=alone), show.link("open", t("held.alone_next")))
    answers = _count_alone(workspace, "answers")
    if answers and not workspace.sent:
        return show.h("{}", t("held.answers_alone", n=answers))
    if not workspace.sent:
        return Markup("")
    observer = caches.observer(*choice.key())
    comparison = count_held(audit, observer.log.rows if observer else 0)
    if comparison is None:
        return Markup("")
    if not comparison.differing and observer is not None and not observer.log.matched:
        return Markup("")  # the table of conditions says it: logs of the study itself that equal it are no news
    is_sample = audit.sample is not None
    sentence = describe_held(comparison, sample=is_sample)
    if not is_planned and (apart := describe_apart(audit, comparison)):
        lead = show.link("findings", apart, code=CODE)
        return show.join([lead, *list_further(comparison, sample=is_sample)], " ")
    if not comparison.differing:
        return show.h("{}", sentence)
    return show.h("{} {}", sentence, show.link("findings", t("held.see"), code=CODE))


def is_differing(workspace: Workspace, audit: Audit) -> bool:
    """Tell whether the line says that logged requests differ."""
    if workspace.sent:
        comparison = count_held(audit, 0)
    else:
        comparison = None
    return comparison is not None and comparison.differing > 0 and bool(describe(workspace, audit))


def describe_comparable(audit: Audit) -> str:
    """Return which of the conditions whose logged requests all equal the files may be compared with each other; "" of
    too few or too many.
    """
    _, others = part_conditions(audit)
    if not 1 < len(others) <= MOST:
        return ""
    pairs = tuple(Pair(a, b) for a, b in combinations(others, 2))
    judged = verdicts(audit, weighed(audit, groups(audit), pairs), pairs)
    fair = sum(each.kind in ("fair", "same") for each in judged)
    if fair == len(pairs):
        return t("held.comparable_all")
    return t("held.comparable_some", fair=fair, pairs=len(pairs))


def draw_logs(workspace: Workspace) -> None:
    """Draw behind a line that opens: which log belongs to what here, by which sign, and a choice for each."""
    if not workspace.sent:
        return
    observer = caches.observer(*choice.key())
    logs = observer.log.matched if observer else ()
    if not logs:
        return
    with st.expander(t("held.logs_title", n=len(logs))):
        show.draw(show.h("<p>{}</p>", t("held.logs_lead")))
        rows = [row for log in logs for row in _list_rows(log)]
        columns = (
            Column("log", t("held.log")),
            Column("name", t("held.log_name")),
            Column("here", t("held.log_here")),
            Column("sign", t("held.log_sign")),
            Column("requests", t("held.log_requests"), number=True),
            Column("records", t("held.log_records")),
        )
        table.table("logs", columns, rows, caption=t("held.logs_caption"))
        names = list(dict.fromkeys((*list_names_here(workspace).values(), *workspace.prompts)))
        for row in rows[:CHOICES]:
            _draw_choice(row, names)
        if len(rows) > CHOICES:
            show.draw(show.h('<p class="rb-small">{}</p>', t("held.logs_more", n=len(rows) - CHOICES)))


def _list_rows(log: Matched) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each condition of a log."""
    columns = ", ".join(log.columns)
    records = t(f"held.records_{log.record_sign}", n=log.records, columns=columns)
    for name, count in log.requests.items():
        here, sign = log.conditions.get(name, ("", "none"))
        yield {
            "log": log.log,
            "name": name,
            "here": here,
            "sign": t(f"held.sign_{sign}"),
            "requests": count,
            "records": records,
        }


def _draw_choice(row: Mapping[str, Any], names: Sequence[str]) -> None:
    key = f"log_{row['log']}_{row['name']}"
    st.session_state[key] = row["here"]
    st.selectbox(
        show.md(t("held.choose", name=row["name"], log=row["log"])),
        ["", *names],
        key=key,
        format_func=lambda name: name or t("held.choose_none"),
        on_change=_choose,
        args=(row["log"], row["name"], key),
        width=400,
    )


def _choose(log: str, name: str, key: str) -> None:
    stated = tool_logs.parse_log_names(address.get(tool_logs.KEY))
    stated.setdefault(log, {})[name] = st.session_state[key]
    address.put(**{tool_logs.KEY: tool_logs.format_log_names(stated)}, finding=None)
    choice.begin()


def _count_alone(workspace: Workspace, part: str) -> int:
    """Return how many requests, or answers, the logs hold whose messages are shown as they are."""
    total = 0
    alone = [each.logged for each in workspace.conditions if each.logged and not (each.mode or each.task)]
    for log in dict.fromkeys(alone):
        path = resolve(workspace.root, log)
        if isinstance(path, Diagnostic):
            continue
        with contextlib.suppress(OSError):
            decoded = decode(path, log)
            total += decoded.counts[part] if decoded else 0
    return total

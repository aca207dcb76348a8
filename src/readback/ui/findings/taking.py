"""Findings to take along as a file: lines for programs, a table for a spreadsheet, Markdown for a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from readback import as_json
from readback.bookmarks import markdown
from readback.checks.groups import Group, paragraphs
from readback.checks.sample import Sample
from readback.types import Finding, Location
from readback.ui.common import show
from readback.ui.common.draw import downloads, table
from readback.ui.common.draw.table import Column
from readback.words import t

FORMS: dict[str, tuple[str, str]] = {
    "csv": ("findings.csv", "text/csv"),
    "jsonl": ("findings.jsonl", "application/jsonl"),
    "markdown": ("findings.md", "text/markdown"),
}
MOST = 10_000  # findings of one file, which the server holds while it is fetched
HEAD = ("severity", "code", "message", "fix")
PLACE = (
    "file",
    "line",
    "column",
    "record",
    "index",
    "condition",
    "mode",
    "adapter",
    "task",
    "judge",
    "role",
    "field",
    "start",
    "end",
)


def download(groups: Sequence[Group], sample: Sample | None = None) -> None:
    """Draw a download of what the filter shows, in three forms; each is made when it is asked for. Of a sample, the
    names of the files say.
    """
    n = sum(len(group.findings) for group in groups)
    makers: dict[str, Callable[[Sequence[Group]], str | bytes]] = {
        "csv": rows,
        "jsonl": lines,
        "markdown": partial(text, sample=sample),
    }
    with st.popover(t("findings.download"), key="take_findings"):
        if n > MOST:
            show.draw(show.h("<p>{}</p>", t("findings.download_first", n=MOST, all=n)))
        show.draw(show.h("<p>{}</p>", t("findings.download_said", n=min(n, MOST))))
        for form, (name, kind) in FORMS.items():
            make, key = partial(_make_file, makers[form], groups), f"download_{form}"
            if sample:
                name = name.replace("findings", f"findings-of-a-sample-of-{sample.drawn}")
            downloads.button(t(f"findings.as_{form}"), make, name, kind, key=key, on_click="ignore")


def _make_file(make: Callable[[Sequence[Group]], str | bytes], groups: Sequence[Group]) -> str | bytes:
    return make(_first(groups))


def _first(groups: Sequence[Group]) -> list[Group]:
    """Return the groups with as many of their findings as one file takes."""
    room, first_groups = MOST, list[Group]()
    for group in groups:
        if len(group.findings) <= room:
            part = group.findings
        else:
            part = group.findings[:room]
        room -= len(part)
        first_groups.append(replace(group, findings=part))
    return first_groups


def lines(groups: Sequence[Group]) -> str:
    """Return the findings as JSON lines, in the shape of `readback check --format jsonl`."""
    return "".join(
        as_json.dumps(as_json.finding_to_json(finding)) + "\n" for group in groups for finding in group.findings
    )


def rows(groups: Sequence[Group]) -> bytes:
    """Return the findings as CSV, one a row, with the names of the JSON for its columns."""
    columns = [Column(name, name) for name in (*HEAD, *PLACE, "key")]
    return table.as_csv(columns, [_row(finding) for group in groups for finding in group.findings])


def text(groups: Sequence[Group], sample: Sample | None = None) -> str:
    """Return the findings as Markdown: each rule with what it finds and how to fix it, then its places."""
    if sample:
        head = [f"{t('sample.is', n=sample.drawn, of=sample.total, seed=sample.seed)}\n"]
    else:
        head = []
    return "\n".join((*head, *(line for group in groups for line in _section(group))))


def _row(finding: Finding) -> dict[str, object]:
    head = {name: getattr(finding, name) for name in HEAD}
    return {**head, **{name: getattr(finding.place, name) for name in PLACE}, "key": finding.key}


def _section(group: Group) -> Iterator[str]:
    yield f"## {t(f'frame.{group.severity}')}: {markdown.line(group.title)} (`{group.code}`)\n"
    yield f"{t('findings.places', n=group.count)}\n"
    sentences = paragraphs(group.code)  # ours, and written with the backticks of Markdown
    yield from (f"{paragraph}\n" for paragraph in (sentences[:1] + sentences[2:3]))
    yield from (
        f"- {markdown.line(finding.message)}  \n  {markdown.line(_where(finding.place))}" for finding in group.findings
    )
    if group.count > len(group.findings):
        yield f"\n{t('findings.left_from_list', n=group.count - len(group.findings))}"
    yield ""


def _where(at: Location) -> str:
    if at.start is not None and at.end is not None:
        span = f", {at.start}–{at.end}"
    else:
        span = ""
    return f"{show.where(at)}{span}" or "–"

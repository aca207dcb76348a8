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
PLACE = ("file", "line", "column", "record", "index", "condition", "mode", "adapter", "task", "judge", "role", "field",
         "start", "end")  # fmt: skip


def download(found: Sequence[Group], sample: Sample | None = None) -> None:
    """What is shown by the filter, in three forms; each is made when it is asked for. That it is of a sample, the names
    of the files say.
    """
    n = sum(len(group.findings) for group in found)
    makers: dict[str, Callable[[Sequence[Group]], str | bytes]] = {
        "csv": rows, "jsonl": lines, "markdown": partial(text, sample=sample),
    }  # fmt: skip
    with st.popover(t("findings.download"), key="take_findings"):
        if n > MOST:
            show.draw(show.h("<p>{}</p>", t("findings.download_first", n=MOST, all=n)))
        show.draw(show.h("<p>{}</p>", t("findings.download_said", n=min(n, MOST))))
        for form, (name, kind) in FORMS.items():
            make, key = partial(_made, makers[form], found), f"download_{form}"
            name = name.replace("findings", f"findings-of-a-sample-of-{sample.drawn}") if sample else name
            downloads.button(t(f"findings.as_{form}"), make, name, kind, key=key, on_click="ignore")


def _made(make: Callable[[Sequence[Group]], str | bytes], found: Sequence[Group]) -> str | bytes:
    return make(_first(found))


def _first(found: Sequence[Group]) -> list[Group]:
    """The groups with as many of their findings as one file takes."""
    room, made = MOST, list[Group]()
    for group in found:
        taken = group.findings if len(group.findings) <= room else group.findings[:room]
        room -= len(taken)
        made.append(replace(group, findings=taken))
    return made


def lines(found: Sequence[Group]) -> str:
    """The findings as JSON lines, in the shape of `readback check --format jsonl`."""
    return "".join(as_json.dumps(as_json.finding_to_json(one)) + "\n" for group in found for one in group.findings)


def rows(found: Sequence[Group]) -> bytes:
    """The findings as CSV, one a row, with the names of the JSON for its columns."""
    columns = [Column(name, name) for name in (*HEAD, *PLACE, "key")]
    return table.as_csv(columns, [_row(one) for group in found for one in group.findings])


def text(found: Sequence[Group], sample: Sample | None = None) -> str:
    """The findings as Markdown: each rule with what it finds and how to fix it, then its places."""
    head = [f"{t('sample.is', n=sample.drawn, of=sample.of, seed=sample.seed)}\n"] if sample else []
    return "\n".join((*head, *(line for group in found for line in _section(group))))


def _row(one: Finding) -> dict[str, object]:
    head = {name: getattr(one, name) for name in HEAD}
    return {**head, **{name: getattr(one.place, name) for name in PLACE}, "key": one.key}


def _section(group: Group) -> Iterator[str]:
    yield f"## {t(f'frame.{group.severity}')}: {markdown.line(group.title)} (`{group.code}`)\n"
    yield f"{t('findings.places', n=group.count)}\n"
    told = paragraphs(group.code)  # ours, and written with the backticks of Markdown
    yield from (f"{paragraph}\n" for paragraph in (told[:1] + told[2:3]))
    yield from (f"- {markdown.line(one.message)}  \n  {markdown.line(_where(one.place))}" for one in group.findings)
    if group.count > len(group.findings):
        yield f"\n{t('findings.left_from_list', n=group.count - len(group.findings))}"
    yield ""


def _where(at: Location) -> str:
    span = f", {at.start}–{at.end}" if at.start is not None and at.end is not None else ""
    return f"{show.where(at)}{span}" or "–"

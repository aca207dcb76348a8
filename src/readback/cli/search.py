"""The command `readback search`: the messages of every record that have a text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.cli._sentence import fill
from readback.compare.search import Hit, SearchResult, SelectionHits, search
from readback.compare.search_expression import Query, QueryError
from readback.prompts import selections
from readback.records.dataset import DatasetChanged
from readback.types import Selection, Workspace
from readback.words import t

TITLE = "Search the messages of every record for a text, or with --regex for an RE2 expression."
ABOUT = (
    "Without --case the search ignores the case of letters. JSON holds the first 1,000 records of each"
    " condition; text\n"
    "lists all.\n"
    "\n"
    "exit codes: 0 searched; 2 wrong use, or there is nothing to search"
)

SENTENCES_SEARCH = {
    "lost_rest": "not searched: the other records: {why}",
    "lost_rest_under": "not searched: the other records under {choice}: {why}",
    "lost": "not searched: record {index}: {why}",
    "lost_under": "not searched: record {index} under {choice}: {why}",
}

FIELDS = ("index", "record", "count", "message", "role", "start", "end", "before", "text", "after")


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    add = parser.add_argument
    add("text", metavar="TEXT", help="the text to search for")
    add("--regex", action="store_true", help="TEXT is an RE2 expression, without look-around and back-references")
    add("--case", action="store_true", help="match the case of letters")
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    _options.jobs(parser)
    _options.loudness(parser, "the counts alone: no progress, and in text no line for each record")


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    choices = _choices(opened, args.condition)
    if not choices:
        raise UsageError("there is nothing to search: the workspace has no condition, mode or task")
    query = Query(args.text, args.regex, args.case)
    progress = _progress.Progress(args.quiet)
    try:
        found = search(opened, choices, query, progress, _options.workers(args))
    except QueryError as refused:
        raise UsageError(fill("search: {why}", why=refused)) from None
    except DatasetChanged as changed:
        raise UsageError(fill("{why}; run the command again", why=changed)) from None
    finally:
        progress.end()
    if args.format == "json":
        print(as_json.dumps(_answer(found), indent=1))
    else:
        print("\n".join(_lines.safe(line) for line in _text(found, args.quiet)))
    return 0


def _choices(opened: Workspace, wanted: list[str]) -> list[Selection]:
    """What is searched: everything that is sent, but the judges' prompts where there is anything else."""
    known = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
    conditions = (opened.condition(_workspace.one_of("condition", name, known)) for name in wanted)
    if names := [condition.name for condition in conditions if condition]:
        return [Selection(condition=name) for name in names]
    every = selections.list_selections(opened)
    return [one for one in every if one.judge is None] or list(every)


def _answer(found: SearchResult) -> dict[str, Any]:
    """The answer of `search --format json`."""
    return {
        "query": {"text": found.query.text, "regex": found.query.regex, "case": found.query.case},
        "records": {"searched": found.done, "total": found.total},
        "choices": [_hits(hits) for hits in found.hits],
        "lost": [
            {**(_chosen(one.choice) if one.choice else {}), "index": one.index, "why": one.why} for one in found.lost
        ],
    }


def _hits(hits: SelectionHits) -> dict[str, Any]:
    first = [{name: getattr(hit, name) for name in FIELDS} for hit in hits.first]
    return {**_chosen(hits.choice), "records": len(hits.records), "hits": hits.count, "first": first}


def _chosen(choice: Selection) -> dict[str, str | None]:
    return as_json.selection_to_json(choice, None)


def _text(found: SearchResult, counts: bool) -> Iterator[str]:
    for hits in found.hits:
        name = _name(hits.choice)
        yield fill(
            "{choice}: {records:,} of {all:,} {all:record|records}, {hits:,} {hits:hit|hits}",
            choice=name,
            records=len(hits.records),
            all=found.done,
            hits=hits.count,
        )
        if not counts:
            yield from (_line(hit) for hit in hits.first)
            yield from _rest(hits)
    for one in found.lost:
        lost = (("lost", "lost_under"), ("lost_rest", "lost_rest_under"))[one.index is None][bool(one.choice)]
        choice = _name(one.choice) if one.choice else ""
        yield fill(SENTENCES_SEARCH[lost], index=one.index, choice=choice, why=one.why)


def _line(hit: Hit) -> str:
    said = " ".join(f"{hit.before}[{hit.text}]{hit.after}".split())
    record = " ".join(str(part) for part in (hit.index, hit.record) if part is not None)
    return fill(
        "  record {record}, {role} {start}-{end}: {text}",
        record=record,
        role=hit.role,
        start=hit.start,
        end=hit.end,
        text=said,
    )


def _rest(hits: SelectionHits) -> Iterator[str]:
    if more := hits.records[len(hits.first) :]:
        yield fill("  also in the records {records}", records=", ".join(map(str, more)))


def _name(choice: Selection) -> str:
    parts = [(name, getattr(choice, name)) for name in ("condition", "mode", "task", "adapter", "judge")]
    named = [t(f"frame.{name}_is", **{name: value}) for name, value in parts if value is not None]
    return ", ".join(named) or "all"

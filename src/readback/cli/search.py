"""Run `readback search`: the messages of every record that have a text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from readback import as_json
from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.lines import make_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import Progress, fill
from readback.cli.common.workspace import add_workspace_arguments, find_condition, open_workspace
from readback.compare.search import Hit, SearchResult, SelectionHits, search
from readback.compare.search_expression import Query, QueryError
from readback.prompts import selections as selection_lists
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

HIT_FIELDS = ("index", "record", "count", "message", "role", "start", "end", "before", "text", "after")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback search`."""
    add_workspace_arguments(parser)
    add = parser.add_argument
    add("text", metavar="TEXT", help="the text to search for")
    add("--regex", action="store_true", help="TEXT is an RE2 expression, without look-around and back-references")
    add("--case", action="store_true", help="match the case of letters")
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    options.add_jobs(parser)
    options.add_loudness(parser, "the counts alone: no progress, and in text no line for each record")


def run(args: argparse.Namespace) -> int:
    """Search and print the hits; return the exit code."""
    workspace = open_workspace(args)
    selections = _list_selections(workspace, args.condition)
    if not selections:
        raise UsageError("there is nothing to search: the workspace has no condition, mode or task")
    query = Query(args.text, args.regex, args.case)
    progress = Progress(args.quiet)
    try:
        result = search(workspace, selections, query, progress, options.read_jobs(args))
    except QueryError as refused:
        raise UsageError(fill("search: {why}", why=refused)) from None
    finally:
        progress.end()
    if args.format == "json":
        print(as_json.dumps(_build_json(result), indent=1))
    else:
        print("\n".join(make_safe(line) for line in _format_lines(result, args.quiet)))
    return 0


COMMANDS = {"search": Command(TITLE, ABOUT, add_arguments, run)}


def _list_selections(workspace: Workspace, conditions: list[str]) -> list[Selection]:
    """Return the conditions, or everything that is sent; judges' prompts only where there is nothing else."""
    if conditions:
        return [Selection(condition=find_condition(workspace, name).name) for name in conditions]
    selections = selection_lists.list_selections(workspace)
    return [selection for selection in selections if selection.judge is None] or list(selections)


def _build_json(result: SearchResult) -> dict[str, Any]:
    return {
        "query": {"text": result.query.text, "regex": result.query.regex, "case": result.query.case},
        "records": {"searched": result.done, "total": result.total},
        "choices": [_build_hits(hits) for hits in result.hits],
        "lost": [
            {**(as_json.selection_to_json(gap.choice, None) if gap.choice else {}), "index": gap.index, "why": gap.why}
            for gap in result.failures
        ],
    }


def _build_hits(hits: SelectionHits) -> dict[str, Any]:
    first = [{name: getattr(hit, name) for name in HIT_FIELDS} for hit in hits.first]
    selection = as_json.selection_to_json(hits.choice, None)
    return {**selection, "records": len(hits.records), "hits": hits.count, "first": first}


def _format_lines(result: SearchResult, counts_only: bool) -> Iterator[str]:
    for hits in result.hits:
        yield fill(
            "{choice}: {records:,} of {all:,} {all:record|records}, {hits:,} {hits:hit|hits}",
            choice=_describe_selection(hits.choice),
            records=len(hits.records),
            all=result.done,
            hits=hits.count,
        )
        if not counts_only:
            yield from (_format_hit(hit) for hit in hits.first)
            more = hits.records[len(hits.first) :]
            if more:
                yield fill("  also in the records {records}", records=", ".join(map(str, more)))
    for gap in result.failures:
        if gap.index is None:
            records = "the other records"
        else:
            records = f"record {gap.index}"
        if gap.choice:
            records += f" under {_describe_selection(gap.choice)}"
        yield f"not searched: {records}: {gap.why}"


def _format_hit(hit: Hit) -> str:
    record = " ".join(str(part) for part in (hit.index, hit.record) if part is not None)
    text = " ".join(f"{hit.before}[{hit.text}]{hit.after}".split())
    return f"  record {record}, {hit.role} {hit.start}-{hit.end}: {text}"


def _describe_selection(selection: Selection) -> str:
    names = ("condition", "mode", "task", "adapter", "judge")
    values = [(name, getattr(selection, name)) for name in names]
    parts = [t(f"frame.{name}_is", **{name: value}) for name, value in values if value is not None]
    return ", ".join(parts) or "all"

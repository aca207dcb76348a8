"""Count how many lines of the shared vectors of other tools the exports of Readback equal, tool by tool.

    python benchmarks/_shared_vectors.py [TOOL ...]

Each case is exported as `readback export CASE/FILE --as messages-jsonl --as-tool TOOL` (`--what observed` for logs),
with `--env` as its lines say, and compared with `expected.jsonl`: row with index, id with record where both have one,
messages or text, and that a row is refused. TOOL is the folder, or where a line names one with its version, that one.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from readback import workspace
from readback.exporting.export import export
from readback.exporting.observed import export_observed
from readback.exporting.selections import NothingToExport, list_default_selections
from readback.readers.logs.formats import find_format
from readback.workspace.tools import tool_choices, tool_projects

SHARED = Path(os.environ.get("READBACK_SHARED", "../shared")) / "vectors/ecosystem"


def main(tools: list[str]) -> None:
    """Print the table, and each line that does not equal."""
    for tool in tools or sorted(path.name for path in SHARED.iterdir() if path.is_dir()):
        right, total, wrong = Counter[str](), Counter[str](), []
        for case, expected in _group_cases(tool):
            folder = SHARED / tool / case
            choices = [
                {
                    tool_choices.KEY: tool_choices.find_name(line.get("tool") or tool) or "",
                    tool_projects.ENVIRONMENT_KEY: tool_projects.format_environment(line.get("env") or {}),
                }
                for line in expected
            ]
            rows: dict[str, list[dict[str, Any]]] = {}
            for choice in choices:
                if str(choice) not in rows:
                    rows[str(choice)] = _export_case(folder, expected, choice)
            for line, choice in zip(expected, choices, strict=True):
                total[case] += 1
                if _is_equal(line, rows[str(choice)]):
                    right[case] += 1
                else:
                    wrong.append(f"{case} row {line.get('row')} {line.get('condition')}")
        print(f"{tool}: {right.total()} of {total.total()}")
        for text in wrong:
            print(f"    {text}")


def _group_cases(tool: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    cases: dict[str, list[dict[str, Any]]] = {}
    with (SHARED / tool / "expected.jsonl").open(encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            cases.setdefault(line["case"], []).append(line)
    yield from cases.items()


def _export_case(folder: Path, expected: list[dict[str, Any]], chosen: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of every file that the expected lines name; a file that is refused has one row that says so."""
    files: dict[str, None] = {}
    for line in expected:
        named = line.get("observed_file") or line.get("file")
        for name in named if isinstance(named, list) else [named]:
            if name:
                files.setdefault(name)
    rows: list[dict[str, Any]] = []
    for name in files:
        try:
            rows += _export_file(folder / name, chosen)
        except (NothingToExport, workspace.NothingRead) as refused:
            rows.append({"refused": str(refused)})
    return rows


def _export_file(path: Path, chosen: Mapping[str, str]) -> list[dict[str, Any]]:
    out = io.BytesIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        if find_format(path) is not None:
            export_observed(path, "observed", out)
            scores = io.BytesIO()
            export_observed(path, "scores", scores)
            grades = [json.loads(line) for line in scores.getvalue().splitlines()]
            refused = []
        else:
            opened = workspace.open(path, chosen=chosen)
            grades = []
            refused = [each.values for each in opened.diagnostics if each.code == "dat-project-refused"]
            export(opened, list_default_selections(opened), "messages-jsonl", out)
    rows = [{**json.loads(line), "grades": grades} for line in out.getvalue().splitlines()]
    return [*rows, *({"refused": str(values)} for values in refused)]


def _is_equal(line: Mapping[str, Any], rows: list[dict[str, Any]]) -> bool:
    if line.get("refused") or line.get("load_error"):
        return any("refused" in row for row in rows)
    if line.get("kind") in ("log", "results") and line.get("row") is None and "messages" not in line:
        return bool(rows)
    hits = [row for row in rows if _is_about(line, row)]
    if line.get("error") and not line.get("messages"):
        return any(row.get("error") or not row.get("messages") for row in hits)
    if "calls" in line:
        sent = [(row["messages"], row["output"]) for row in hits]
        return all((call["messages"], call.get("output")) in sent for call in line["calls"])
    if line.get("messages") is not None:
        return any(row.get("messages") == line["messages"] for row in hits)
    if line.get("text") is not None:
        return any(row.get("text") == line["text"] for row in hits)
    return bool(hits)


def _is_about(line: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    if "refused" in row:
        return False
    if line.get("id") is not None and row.get("record") is not None and not _has_numbers(row):
        return str(line["id"]) == str(row["record"]) and row.get("epoch", 1) == (line.get("epoch") or 1)
    if line.get("row") is not None and row.get("index") is not None and "calls" not in line:
        same_row = line["row"] == row["index"]
        return same_row or (line.get("kind") == "results" and line["row"] == row.get("record"))
    return True


def _has_numbers(row: Mapping[str, Any]) -> bool:
    return str(row.get("record")) == str(row.get("index"))


if __name__ == "__main__":
    main(sys.argv[1:])

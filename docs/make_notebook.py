"""Write docs/notebook.ipynb: its cells, and what they answer when they are run from top to bottom.

    python docs/make_notebook.py

The cells run in a process of their own, in the folder of the repository, as in any notebook that is opened there.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CELLS = (
    "# Readback in a notebook\n\nThe package behind the dashboard opens the same workspaces. What it assembles and "
    "finds is what the pages and the command line show.",
    '%import readback\n\nstudy = readback.open("configs/examples/six-conditions")\nstudy',
    "The exact messages of one record under one condition. In a notebook they are drawn with their origins: what you "
    "wrote, what came from the data, what an adapter added.",
    '%made = study.assemble("RAG-trained, open book", "ellery-06")\nmade',
    "Text, messages for a client, fingerprint and origins are at hand.",
    '%made.text("system")',
    "%made.segments()",
    "%made.fingerprint",
    "Records are read from disk when they are asked for: in a loop, by id or number, or as a data frame.",
    '%len(study.records), study.records["ellery-06"].fields["instruction"]',
    "%study.records.to_pandas().columns.tolist()",
    "The one text that a server makes of the messages.",
    '%study.model_input("RAG-trained, open book", "ellery-06").text[:120]',
    "What differs between two conditions, for one record and in how many of all.",
    '%compared = study.compare("RAG-trained, closed book", "RAG-trained, open book", "ellery-06")\ncompared.sentence',
    "%compared.over_records().differing",
    "What the rules find over the whole dataset, as rows; `to_pandas()` makes a data frame of them.",
    '%found = study.findings(select=["fmt"])\nfound.to_pandas().groupby(["severity", "code"]).size().to_dict()',
    "Scores by condition, on their own scales, as a data frame with the interval that the pages show. Those of this "
    "demo are made up, and it is said.",
    '%study.scores(criterion="relevance")[["condition", "n", "mean", "ci_low", "ci_high", "synthetic"]]',
    "Which condition is better under each criterion, and whether that is clear: the sentences of `readback scores`.",
    '%[one["answer"] for one in study.conclusions("relevance")]',
    "A name that is not there is answered with those that are.",
    '%try:\n    study.assemble("RAG-trained, open bok")\nexcept KeyError as error:\n    said = str(error)\nsaid',
    "Trying a value changes no file.",
    '%study.assemble("base, closed book", 0, values={"instruction": "Where may I moor?"}).text()',
)
SHOW = (
    "def _show(value):\n"
    "    html = getattr(value, '_repr_html_', None)\n"
    "    data = {'text/plain': repr(value)} | ({'text/html': html()} if html else {})\n"
    "    answers.append(data)\n"
)


def notebook() -> dict[str, Any]:
    """The notebook as JSON values, its cells freshly run."""
    code = [cell[1:] for cell in CELLS if cell.startswith("%")]
    answers = iter(_run(code))
    return {
        "cells": [_code(cell[1:], next(answers)) if cell.startswith("%") else _words(cell) for cell in CELLS],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def _run(cells: list[str]) -> list[dict[str, str] | None]:
    """What the last line of each cell answers; all cells run in one process, in their order."""
    parts = ["import json, sys\nanswers = []", SHOW]
    for cell in cells:
        tree = ast.parse(cell)
        if isinstance(last := tree.body[-1], ast.Expr):
            tree.body[-1] = ast.Expr(ast.Call(ast.Name("_show", ast.Load()), [last.value], []))
            parts.append(ast.unparse(ast.fix_missing_locations(tree)))
        else:
            parts.append(f"{cell}\nanswers.append(None)")
    parts.append("json.dump(answers, sys.stdout)")
    done = subprocess.run(
        [sys.executable, "-"], input="\n".join(parts), capture_output=True, text=True, check=True, cwd=HERE.parent
    )
    found: list[dict[str, str] | None] = json.loads(done.stdout)
    return found


def _words(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(source: str, answer: dict[str, str] | None) -> dict[str, Any]:
    data = {kind: text.splitlines(keepends=True) for kind, text in (answer or {}).items()}
    output = {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [output] if answer else [],
        "source": source.splitlines(keepends=True),
    }


if __name__ == "__main__":
    text = json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n"
    (HERE / "notebook.ipynb").write_text(text, "utf-8")

"""Write the demo `copied-prompts`: a study with eleven prompts, a promptfoo project into which they were copied by
hand, two of them wrong, and the result file of that project.

    python configs/examples/make_copied_prompts.py

The library, its house rules and the readers are invented. The result file has the shape that promptfoo 0.123.1 writes
with `promptfoo eval -o results.json` and the provider `echo`, which answers with the prompt itself; what was sent is
rendered by Readback's reading of promptfoo projects.
"""

from __future__ import annotations

import csv
import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

from readback.projects import promptfoo
from readback.projects.model import Project

FOLDER = Path(__file__).parent / "copied-prompts"
COPY = FOLDER / "promptfoo"
AT = "2026-05-04T08:30:00.000Z"
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "readback:copied-prompts")
RULE = "Passage: {{passage}}\nQuestion: {{question}}"

# name: the prompt as the study has it, and the sentence that was lost in copying
PROMPTS: dict[str, tuple[str, str]] = {
    "plain": (f"Answer the reader's question from the passage.\n\n{RULE}", ""),
    "short": (f"Answer in one sentence of at most 20 words.\n\n{RULE}", ""),
    "quoted": (f"Answer, and quote the words of the passage that you rely on.\n\n{RULE}", ""),
    "refusing": (
        "Answer from the passage only. If the passage does not say it, reply: please ask at the desk."
        f" Do not guess.\n\n{RULE}",
        " Do not guess.",
    ),
    "child": ("{{passage}}\n\nExplain this to a child who asks: {{question}}", ""),
    "letter": ("Write a letter of three sentences to {{reader}}.\n\n" + RULE, ""),
    "steps": (f"List what the reader has to do, one step a line.\n\n{RULE}", ""),
    "yes or no": (f"Reply with yes or no first, then give the reason.\n\n{RULE}", ""),
    "polite": (
        "You work at the desk of the library in Port Ellery. Greet {{reader}} by name."
        f" Stay polite even if the answer is no.\n\n{RULE}",
        " Stay polite even if the answer is no.",
    ),
    "translated": (f"Answer in the language of the question.\n\n{RULE}", ""),
    "checked": (f"Answer, then say how sure you are: sure, fairly sure, or not sure.\n\n{RULE}", ""),
}

ROWS = (
    ("How long may I keep a book?", "Books are lent for 28 days; new novels for 14.", "Ms Aldous"),
    (
        "Can I renew by telephone?",
        "Loans are renewed at the desk or by telephone, twice at most.",
        "Mr Bray",
    ),
    ("What does a lost card cost?", "A lost card is replaced for 4 crowns; the first one is free.", "Ida Coll"),
    ("Is the reading room open on Sundays?", "The reading room is open from Tuesday to Saturday, 9 to 18.", "Mr Dunn"),
    ("May I bring coffee?", 'Drinks with a lid are allowed; "no food" stands on every door.', "Ms Eaves"),
    ("Wie lange ist die Ausleihe?", "Books are lent for 28 days; new novels for 14.", "Frau Förster"),
    ("Puis-je imprimer ici ?", "A printed page costs 0.10 crowns; colour 0.50. Pay at the machine.", "Mme Girard"),
    ("Where do I return DVDs?", "Films go into the grey box, books into the flap beside the door.", "Hal Hobbs"),
    ("Who can use the study rooms?", "Study rooms are for members over 16, for three hours a day.", "Ms Ibarra"),
    ("Do you take donations?", "The library takes books younger than ten years, and no encyclopaedias.", "Mr Jansen"),
    ("How many books may my son borrow?", "Children borrow up to ten books; adults up to twenty.", "Mr Kerr"),
    ("Is there a fee for being late?", "Each day late costs 0.20 crowns a book, at most 6 crowns.", "Lou Lamb"),
    (
        "Can I reserve a book that is out?",
        "A reservation is free; the book is kept for seven days.",
        "Ms Moss",
    ),
    ("Is there a story hour?", "Stories are read on Wednesdays at 15, for children from four years on.", "Mr Nash"),
    ("¿Hay libros en español?", "The shelf of foreign languages has French, German and Spanish novels.", "Sra. Ortiz"),
    ("Can I scan documents?", "Scanning is free; bring a memory stick, or send the file by mail.", "Pat Pell"),
    ("What if a page is torn?", "Show damage at the desk: it is mended free of charge.", "Mr Quill"),
    ("May dogs come in?", "Only assistance dogs may come in.", "Ms Rowe"),
    ("How do I become a member?", "Bring a paper with your address; those under 16 need a signature.", "Sam Stone"),
    ("Where is the map collection?", "Maps are in the cellar; ask at the desk, the door is locked.", "Ms Thorne"),
    ("Is the lift working?", "The lift is out of order until Friday; a ramp is at the side door.", "Mr Usher"),
    ("Can I borrow a tablet?", "Tablets are lent for use in the house; leave your card at the desk.", "Vi Vance"),
    ("Do I need a card to read here?", "Nobody needs a card to read in the house.", "Mr Webb"),
    ("When do you close for the holidays?", "The library is closed from 24 December to 2 January.", "Ms Yates"),
)

STUDY = """\
# Demo: eleven prompts, and a promptfoo project into which they were copied by hand: two of them lost a sentence.
# The library of Port Ellery is invented; everything here was written by make_copied_prompts.py.
name: Library desk, eleven prompts
dataset: {path: questions.csv, id: id}

modes:
"""
CONFIG_HEAD = """\
description: Library desk, copied by hand
prompts:
"""
CONFIG_TAIL = """\
providers:
  - {id: echo, label: house}
tests: file://questions.csv
"""


def write_study() -> None:
    """Write the study: its file, its prompts, its rows."""
    modes = [f"  {name}: {{template_file: prompts/{name_file(name)}}}\n" for name in PROMPTS]
    (FOLDER / "prompts").mkdir(parents=True, exist_ok=True)
    (FOLDER / "readback.yml").write_text(STUDY + "".join(modes), "utf-8")
    for name, (text, _) in PROMPTS.items():
        (FOLDER / "prompts" / name_file(name)).write_text(text, "utf-8")
    write_rows(FOLDER / "questions.csv", with_ids=True)


def write_copy() -> None:
    """Write the promptfoo project, with a sentence less in two prompts."""
    prompts = [f"  - {{id: 'file://prompts/{name_file(name)}', label: {name}}}\n" for name in PROMPTS]
    (COPY / "prompts").mkdir(parents=True, exist_ok=True)
    (COPY / "promptfooconfig.yaml").write_text(CONFIG_HEAD + "".join(prompts) + CONFIG_TAIL, "utf-8")
    for name, (text, lost) in PROMPTS.items():
        copied = text.replace(lost, "") if lost else text
        (COPY / "prompts" / name_file(name)).write_text(copied, "utf-8")
    write_rows(COPY / "questions.csv", with_ids=False)


def name_file(name: str) -> str:
    """Return the name of a prompt's file."""
    return name.replace(" ", "_") + ".md"


def write_rows(path: Path, *, with_ids: bool) -> None:
    """Write the rows, with an id in the study."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow([*(["id"] if with_ids else []), "question", "passage", "reader"])
        for number, row in enumerate(ROWS, 1):
            table.writerow([*([f"desk-{number:02}"] if with_ids else []), *row])


def write_results() -> None:
    """Write the result file of the copied project."""
    project = promptfoo.read_project(COPY / "promptfooconfig.yaml", COPY, {})
    results: list[dict[str, Any]] = []
    positions = {mode.name: index for index, mode in enumerate(project.modes)}
    for row, mode, provider in promptfoo.list_combinations(project):
        answer = promptfoo.render_messages(mode.settings, row.settings, row.fields)
        messages = answer.messages or ()
        text = str(messages[0]["content"])
        position = positions[mode.name]
        results.append(describe_result(row.index, position, mode.name, provider, dict(row.fields), text))
    prompts = [describe_prompt(mode.settings, len(project.rows)) for mode in project.modes]
    document = {
        "evalId": f"eval-DsK-{AT[:19]}",
        "results": {
            "version": 3,
            "timestamp": AT,
            "prompts": prompts,
            "results": results,
            "stats": {
                "successes": len(results), "failures": 0, "errors": 0, "tokenUsage": count_tokens(len(results)),
                "durationMs": 41, "evaluationDurationMs": 41,
            },
        },
        "config": describe_config(project),
        "shareableUrl": None,
        "metadata": {
            "promptfooVersion": "0.123.1", "nodeVersion": "v22.23.3", "platform": "linux", "arch": "x64",
            "exportedAt": AT, "evaluationCreatedAt": AT,
        },
        "vars": ["question", "passage", "reader"],
        "runtimeOptions": {
            "eventSource": "cli", "showProgressBar": False, "repeat": 1, "maxConcurrency": 1, "cache": False,
        },
    }  # fmt: skip
    written = json.dumps(document, ensure_ascii=False, indent=1)
    (COPY / "results.json").write_text(written + "\n", "utf-8")


def describe_result(
    index: int, position: int, label: str, provider: str, fields: dict[str, Any], text: str
) -> dict[str, Any]:
    """Return one row of the result file."""
    return {
        "cost": 0,
        "gradingResult": {"pass": True, "score": 1, "reason": "No assertions", "tokensUsed": count_tokens(0)},
        "id": str(uuid.uuid5(NAMESPACE, f"{index}-{position}")),
        "latencyMs": 0,
        "namedScores": {},
        "prompt": {"raw": text, "label": label, "config": {}},
        "promptId": hashlib.sha256(label.encode()).hexdigest(),
        "promptIdx": position,
        "provider": {"id": "echo", "label": provider},
        "response": {"output": text, "raw": text, "cost": 0, "cached": False, "tokenUsage": count_tokens(1)},
        "score": 1,
        "success": True,
        "testCase": {"vars": fields, "assert": [], "options": {}, "description": f"Row #{index + 1}", "metadata": {}},
        "testIdx": index,
        "vars": fields,
        "metadata": {"_promptfooFileMetadata": {}},
        "failureReason": 0,
    }


def describe_prompt(settings: Any, rows: int) -> dict[str, Any]:
    """Return a prompt of the result file with its counts."""
    metrics = {
        "score": rows, "testPassCount": rows, "testFailCount": 0, "testErrorCount": 0, "assertPassCount": 0,
        "assertFailCount": 0, "totalLatencyMs": 0, "tokenUsage": count_tokens(rows), "namedScores": {},
        "namedScoresCount": {}, "namedScoreWeights": {}, "cost": 0,
    }  # fmt: skip
    return {
        "id": hashlib.sha256(settings["label"].encode()).hexdigest(),
        "raw": settings["raw"],
        "label": settings["label"],
        "provider": "house",
        "metrics": metrics,
    }


def count_tokens(requests: int) -> dict[str, int]:
    """Return the counts of tokens: the provider `echo` counts none."""
    return {"prompt": 0, "completion": 0, "cached": 0, "total": 0, "numRequests": requests}


def describe_config(project: Project) -> dict[str, Any]:
    """Return the configuration as the result file repeats it, with the rows of the table."""
    tests = [
        {"vars": dict(row.fields), "assert": [], "options": {}, "description": row.description} for row in project.rows
    ]
    return {
        "tags": {},
        "description": project.name,
        "prompts": [{"id": f"file://prompts/{name_file(mode.name)}", "label": mode.name} for mode in project.modes],
        "providers": [{"id": "echo", "label": "house"}],
        "tests": tests,
        "env": {},
        "sharing": False,
        "outputPath": ["results.json"],
        "extensions": [],
        "metadata": {},
        "evaluateOptions": {},
    }


if __name__ == "__main__":
    write_study()
    write_copy()
    write_results()

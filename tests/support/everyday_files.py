"""Write the files that everybody has, one of each kind, with texts in which a wrong byte shows."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc, parquet

Write = Callable[[Path], None]
TEMPLATE = "C: {context}\nQ: {question}\nN: {note}|{id}|"
NAMES = ("id", "question", "context", "note")
ROWS = (
    {"id": "q0", "question": "Why?", "context": "None", "note": "NA"},
    {"id": "007", "question": '  Où est l\'"été"…\nLigne 2, fin  ', "context": "", "note": "1.50"},
    {"id": "q2", "question": "=1+1 – «très» €", "context": "a;b\tc", "note": "TRUE"},
)
EMOJI = tuple({**row, "context": row["context"] + "😀" if row["context"] else ""} for row in ROWS)
WANTED = 1  # the record that is looked at


def fill(row: Mapping[str, Any]) -> str:
    """Return the text that the template makes of a row."""
    return TEMPLATE.format_map(row)


def write_csv(rows: Sequence[Mapping[str, Any]], delimiter: str = ",", above: Sequence[Sequence[str]] = ()) -> str:
    """Return rows as a table."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows(above)
    writer.writerow(NAMES)
    writer.writerows([row[name] for name in NAMES] for row in rows)
    return out.getvalue()


def write_xlsx(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Write a workbook, a list of rows a sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for at, row in enumerate(rows, 1):
            for column, value in enumerate(row, 1):
                if value is not None:
                    cell = sheet.cell(at, column)
                    cell.value = value
                    if isinstance(value, str):
                        cell.data_type = "s"  # a text that begins with = is no formula
    book.save(path)


def list_cells(rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return rows as cells, an empty text as an empty cell."""
    return [list(NAMES), *([row[name] or None for name in NAMES] for row in rows)]


def write_arrow_folder(folder: Path, rows: Sequence[Mapping[str, Any]], shards: int = 2) -> None:
    """Write rows as `Dataset.save_to_disk` of the package datasets does (5.2: Arrow streams and two JSON files)."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(list(rows))
    names = []
    size = -(-len(rows) // shards)
    for shard in range(shards):
        names.append(f"data-{shard:05d}-of-{shards:05d}.arrow")
        with ipc.new_stream(folder / names[-1], table.schema) as writer:
            writer.write_table(table.slice(shard * size, size))
    features = {name: {"dtype": "string", "_type": "Value"} for name in table.column_names}
    info = {"citation": "", "description": "", "features": features, "homepage": "", "license": ""}
    state = {
        "_data_files": [{"filename": name} for name in names],
        "_fingerprint": "5f1b6d3a1b0c4f7e",
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    (folder / "dataset_info.json").write_text(json.dumps(info, indent=2), "utf-8")
    (folder / "state.json").write_text(json.dumps(state, indent=2), "utf-8")


def write_sqlite(path: Path, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write a database, a list of rows a table."""
    with sqlite3.connect(path) as base:
        for name, rows in tables.items():
            columns = list(rows[0])
            base.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
            base.executemany(
                f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', [tuple(row.values()) for row in rows]
            )
    base.close()


def write_text(name: str, text: str, encoding: str = "utf-8") -> Write:
    """Return what writes a text file."""
    return lambda folder: (folder / name).write_bytes(text.encode(encoding)) and None


def write_json(name: str, value: Any) -> Write:
    """Return what writes a JSON file."""
    return write_text(name, json.dumps(value, ensure_ascii=False, indent=2))


def write_zip(folder: Path) -> None:
    """Write a zip file with a folder in it."""
    with zipfile.ZipFile(folder / "study.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study/rows.csv", write_csv(EMOJI))
        archive.writestr("study/prompt.txt", TEMPLATE)


PYTHON = '''"""Prompts of the study."""
import os

SYSTEM_PROMPT = "Sois bref.\\n "
QUESTION = """C: {context}
Q: {question}
N: {note}|{id}|"""
GREETING = f"Hello {os.environ['USER']}: {QUESTION}"
os.system("touch /tmp/never")
'''
CONSTANT = TEMPLATE  # as it stands in the file
GROUPS = ["Record", "", "Extra", ""]
SYSTEM = {"role": "system", "content": "Sois bref.\n "}
ASKED = EMOJI[WANTED]["question"]
TABLES = {
    "csv": write_text("rows.csv", write_csv(EMOJI)),
    "tsv": write_text("rows.tsv", write_csv(EMOJI, "\t")),
    "xlsx": lambda folder: write_xlsx(folder / "rows.xlsx", {"Tabelle1": list_cells(EMOJI), "Notes": [["see there"]]}),
    "jsonl": write_text("rows.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in EMOJI)),
    "json list": write_json("rows.json", EMOJI),
    "json by id": write_json("rows.json", {row["id"]: {n: row[n] for n in NAMES[1:]} for row in EMOJI}),
    "parquet": lambda folder: parquet.write_table(pa.Table.from_pylist(list(EMOJI)), folder / "rows.parquet"),
    "arrow folder": lambda folder: write_arrow_folder(folder / "saved", EMOJI),
    "sqlite": lambda folder: write_sqlite(folder / "rows.db", {"eval rows": EMOJI, "other": [{"a": 1}]}),
    "windows-1252": write_text("rows.csv", write_csv(ROWS), "cp1252"),
    "utf-16": write_text("rows.csv", write_csv(EMOJI), "utf-16"),
    "group header": write_text("rows.csv", write_csv(EMOJI, above=[GROUPS])),
}


def write_python(folder: Path) -> None:
    """Write prompts as constants of a program beside rows."""
    (folder / "prompts.py").write_text(PYTHON, "utf-8")
    (folder / "rows.csv").write_text(write_csv(EMOJI), "utf-8")


MESSAGES = [[SYSTEM, {"role": "user", "content": row["question"]}] for row in EMOJI]
ALPACA = [{"instruction": row["question"], "input": row["context"], "output": row["note"]} for row in EMOJI]
SHAREGPT = [
    {
        "id": row["id"],
        "conversations": [
            {"from": "system", "value": SYSTEM["content"]},
            {"from": "human", "value": row["question"]},
            {"from": "gpt", "value": row["note"]},
        ],
    }
    for row in EMOJI
]
TRAINING = {"alpaca": write_json("train.json", ALPACA), "sharegpt": write_json("chats.json", SHAREGPT)}

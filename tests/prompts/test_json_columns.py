"""Cells of a table that hold JSON: read as such where the whole column does, and nowhere else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import many
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_judge_sources import CONDITION, PROMPTS, codes, inserted, judged

from readback import workspace
from readback.checks.run import engine
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource, Selection

Write = Callable[[Mapping[str, Any]], Path]


def table(*rows: tuple[str, ...], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def opened(folder: Path, name: str = "d.csv", **said: Any) -> Dataset:
    return open_dataset(folder, DatasetSource(name, **said))


def fields(data: Dataset) -> list[Mapping[str, Any]]:
    return [record.fields for record in data.records()]


TWO = table(("id", "context", "note"), ("1", '["D one", "D two"]', "[1]"), ("2", "", "plain"), ("3", '{"a": 1.50}', ""))


@pytest.mark.parametrize(("name", "text"), [("d.csv", TWO), ("d.tsv", TWO.replace(",", "\t").replace("\t ", ", "))])
def test_a3_a_column_of_json_is_read_as_json_and_said(write: Write, name: str, text: str) -> None:
    if name == "d.tsv":
        text = table(*csv.reader(io.StringIO(TWO)), delimiter="\t")  # type: ignore[arg-type]
    data = opened(write({name: text}), name)
    assert [row["context"] for row in fields(data)] == [["D one", "D two"], "", {"a": 1.5}]
    assert [row["note"] for row in fields(data)] == ["[1]", "plain", ""]
    (diagnostic,) = [diagnostic for diagnostic in data.diagnostics if diagnostic.code == "dat-json-column"]
    assert (diagnostic.values["columns"], diagnostic.place.file) == (["context"], name)


def test_a3_the_evaluators_own_results_reach_the_judge_as_documents(write: Write) -> None:
    setup = "dataset: results.tsv\njudges: {j: {prompts: p.py}}\n"
    text = table(("qid", "question", "answer", "context"), ("1", "Q", "A", '["D one", "D two"]'), delimiter="\t")
    made = judged(write({"readback.yml": setup, "p.py": PROMPTS, "results.tsv": text}), Selection(judge="j"))
    assert "\nDocument 1:\nD one\n\nDocument 2:\nD two\n" in made.messages[-1].text
    assert "jdg-documents-not-list" not in codes(made)


def test_a3_one_other_cell_at_the_end_keeps_the_whole_column_text(write: Write) -> None:
    rows = [(str(n), '["D"]') for n in range(300)]
    data = opened(write({"d.csv": table(("id", "context"), *rows, ("300", "none"))}))
    assert {row["context"] for row in fields(data)} == {'["D"]', "none"}
    assert (data.ids()[0], len(data), data.diagnostics) == ("0", 301, ())


def test_a3_a_number_alone_is_no_list(write: Write) -> None:
    assert fields(opened(write({"d.csv": table(("id", "n"), ("1", "7"), ("2", "8"))})))[0]["n"] == "7"


def test_a3_json_names_the_columns_and_a_cell_that_is_none_is_a_finding(write: Write) -> None:
    text = table(("id", "context", "other"), ("1", '["D"]', "[1]"), ("2", "none", "[2]"), ("3", "7", "[3]"))
    folder = write({"readback.yml": "dataset: {path: d.csv, json: [context]}\n", "d.csv": text})
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    assert [(row["context"], row["other"]) for row in fields(data)] == [(["D"], "[1]"), ("none", "[2]"), (7, "[3]")]
    (diagnostic,) = data.diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.place.field) == ("dat-cell-not-json", 3, "context")
    assert "dat-cell-not-json" in {one.code for one in engine.check(opened).findings}


def test_a3_json_without_columns_keeps_every_cell_a_text(write: Write) -> None:
    folder = write({"readback.yml": "dataset: {path: d.csv, json: []}\n", "d.csv": TWO})
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    assert fields(data)[0]["context"] == '["D one", "D two"]'
    assert data.diagnostics == ()
    (folder / "readback.yml").write_text(workspace.init_text(opened), "utf-8")
    again = workspace.open(folder).dataset
    assert again is not None
    assert again.json == ()


def test_a3_a_column_that_is_not_there_is_said(write: Write) -> None:
    (diagnostic,) = opened(write({"d.csv": table(("id", "context"), ("1", "[]"))}), json=("contexts",)).diagnostics
    assert (diagnostic.code, diagnostic.values["key"], diagnostic.values["nearest"]) == (
        "dat-unknown-key",
        "contexts",
        "context",
    )


def test_a3_what_the_json_reader_notes_is_noted_of_a_cell(write: Write) -> None:
    data = opened(write({"d.csv": table(("id", "m"), ("1", '{"a": 1, "a": 2}'), ("2", "[NaN]"))}))
    assert sorted(diagnostic.code for diagnostic in data.diagnostics) == [
        "dat-duplicate-key",
        "dat-json-column",
        "dat-nan",
    ]
    assert {diagnostic.place.field for diagnostic in data.diagnostics if diagnostic.code != "dat-json-column"} >= {"m"}


def test_a3_an_id_inside_a_cell_keeps_its_spelling(write: Write) -> None:
    data = opened(write({"d.csv": table(("meta",), ('{"id": 1.0}',), ('{"id": 1e3}',))}), id="meta.id")
    assert data.ids() == ("1.0", "1e3")


def test_a3_a_reply_stays_the_text_that_was_written(write: Write) -> None:
    setup = (
        "dataset: ref.jsonl\njudges: {j: {prompts: p.py}}\nmodes: [{mode: m, template: '{{ question }}'}]\n"
        "conditions: [{name: sysA, mode: m, judge: j, answers: a.csv}]\n"
    )
    reply = '{"b":  1,"a": [2]}'
    text = table(("qid", "response", "context"), ("1", reply, '["D"]'))
    made = judged(
        write({"readback.yml": setup, "p.py": PROMPTS, "ref.jsonl": [{"qid": "1", "question": "Q"}], "a.csv": text}),
        CONDITION,
    )
    assert (inserted(made)["answer"].text, inserted(made)["documents[0]"].text) == (reply, "D")


CELL = st.one_of(
    st.just(""),
    st.sampled_from(["[", "{}", "[1.50]", '["a"]', '{"a": "b"}', "x", "7", "null", " [2] ", "[1] x", '["é\\u00e9"]']),
    st.lists(st.text('ab,"\n', max_size=3), max_size=2).map(json.dumps),
)


@pytest.mark.long
@settings(
    max_examples=max(50, many(2000)),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_law_a_record_at_random_is_the_record_of_the_whole_reading(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    (tmp_path / "d.csv").write_text(table(("id", "a", "b"), *((str(n), *row) for n, row in enumerate(rows))), "utf-8")
    data = opened(tmp_path)
    for name, cells in zip(("a", "b"), zip(*rows, strict=True), strict=True):
        read = [record.fields[name] for record in data.records()]
        assert read == [data.record(n).fields[name] for n in reversed(range(len(rows)))][::-1]
        assert read == _expected(cells)


def _expected(cells: tuple[str, ...]) -> list[Any]:
    """The cells as JSON where all that hold something are lists or objects, else as they are."""
    try:
        values = [json.loads(cell) if cell.strip(" \t\r\n") else cell for cell in cells]
    except ValueError:
        return list(cells)
    held = [value for value, cell in zip(values, cells, strict=True) if cell.strip(" \t\r\n")]
    return values if all(isinstance(value, list | dict) for value in held) else list(cells)

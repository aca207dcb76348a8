"""Tables as people save them: groups above the header, blanks in it, other encodings, several records on a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.records.dataset import Dataset, open_dataset

Write = Callable[[Mapping[str, Any]], Path]


def opened(write: Write, name: str, content: Any) -> Dataset:
    found = workspace.open(write({name: content}) / name)
    return open_dataset(found.root, found.dataset)


@pytest.mark.parametrize(
    "above",
    [
        ",Input,,Output,",
        "Input,,,Output,",
        "Record,Input,Input,Output,Output",
        ",Input,Input,Output,Output",
        ",Input,Input,Input,Output",
        "Case,,,Result,\n,,,,",
        "Pilot study of May,,,,\n,Input,,Output,",
    ],
)
def test_a_row_of_groups_above_the_header_is_no_header(write: Write, above: str) -> None:
    text = f"{above}\nid,question,context,answer,score\nq1,Why is it so?,A text,Because,3\nq2,When?,B text,Then,4\n"
    data = opened(write, "d.csv", text)
    assert data.fields == ("id", "question", "context", "answer", "score")
    assert [record.id for record in data.records()] == ["q1", "q2"]
    counts = data.counts
    assert counts.read + counts.bad + counts.blank + counts.header == counts.lines
    assert "dat-comment-lines" in [one.code for one in data.diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        ",question,answer\n0,Why?,So\n1,When?,Then\n",  # an index without a name
        "id,question,,answer\nq1,Why,x,So\nq2,When,y,Then\n",  # one column without a name
        "name,name,note,note\n1,2,3,4\n5,6,7,8\n",  # names that are there twice
        "id,question,\nq1,Why,x\nq2,When,y\n",  # a column without a name at the end
        "id,question,answer\nq1,,\nq2,Why,So\n",
        "id,left,right\nname,text,other\nq,r,s\n",
    ],
)
def test_a_plain_header_stays_the_header(write: Write, text: str) -> None:
    data = opened(write, "d.csv", text)
    first = text.split("\n", 1)[0].split(",")
    assert [name for name in data.fields if not name.endswith("_2")] == list(dict.fromkeys(first))


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id, question, answer", ["' question'", "' answer'"]),
        ("id,question ,answer", ["'question '"]),
        ("id,question,answer", []),
    ],
)
def test_blanks_around_the_names_of_columns_are_named(write: Write, header: str, names: list[str]) -> None:
    data = opened(write, "d.csv", f"{header}\nq1,Why?,So\n")
    found = [one.values["names"] for one in data.diagnostics if one.code == "dat-header-blanks"]
    assert found == ([names] if names else [])


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le-mark", "cp1252"])
@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl", "user.txt"])
def test_an_encoding_is_named_in_the_finding(write: Write, coding: str, name: str) -> None:
    text = '{"id": "1", "question": "Où est le café?"}\n' if name == "d.jsonl" else "id\tquestion\n1\tOù est le café?\n"
    raw = b"\xff\xfe" + text.encode("utf-16-le") if coding == "utf-16-le-mark" else text.encode(coding)
    root = write({"good.csv": "id,question\n1,Why?\n", name: raw})
    if name == "user.txt":
        (root / "readback.yml").write_text("dataset: good.csv\nprompts: [user.txt]\n", "utf-8")
        found = workspace.open(root).diagnostics
    else:
        made = workspace.open(root / name)
        found = open_dataset(made.root, made.dataset).diagnostics
    values = [one.values for one in found if one.code.startswith("dat-encoding")]
    key = "looks" if name == "user.txt" else "encoding"
    assert [value[key] for value in values] == ["Windows-1252" if coding == "cp1252" else "UTF-16"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('[{"q": "a"}, {"q": "b"}, {"q": "c"}]', ["row_1", "row_2", "row_3"]),
        ('[{"q": "a"}]', ["line_1"]),
        ('[\n{"q": "a"},\n{"q": "b"}\n]', ["line_2", "line_3"]),
        ('[{"q": "a"}, {"q": "b"},\n{"q": "c"}]', ["row_1", "row_2", "line_2"]),
        ('[{"id": "row_2", "q": "a"}, {"id": "x", "q": "b"}, {"q": "c"}, {"id": "z"}]', ["row_2", "x", "row_3", "z"]),
        ('[{"id": "row_3", "q": "a"}, {"id": "x", "q": "b"}, {"q": "c"}, {"id": "z"}]', ["row_3", "x", "row_3_", "z"]),
    ],
)
def test_records_that_share_a_line_are_called_by_their_number(write: Write, text: str, ids: list[str]) -> None:
    data = opened(write, "d.json", text)
    assert [record.id for record in data.records()] == ids
    assert len(set(ids)) == len(data)
    for index, record in enumerate(data.records()):
        own = "id" in json.loads(text)[index]
        assert record.is_called_by_place == data.is_called_by_line(index) == (not own)
        assert data.find(record.id or "") == index

"""The package in a notebook: what a program gets is what the pages and the command line get."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import readback
from readback.checks.run.chunk import check_record
from readback.notebook import study
from readback.notebook.assembled import Assembled
from readback.notebook.rows import MAX_SHOWN, Rows
from readback.project_files import PROJECT
from readback.types import Assembly, Message, Segment, Selection

DEMO = PROJECT / "configs" / "examples" / "six-conditions-mistakes"


def test_a_demo_is_opened_assembled_checked_and_scored() -> None:
    opened = readback.open(DEMO)
    made = opened.assemble("base, closed book", "ellery-01")
    question = opened.records.record(0).fields["instruction"]
    assert made.text() == f"Question: {question}\n\nAnswer:"
    assert made.as_messages() == [{"role": message.role, "content": message.text} for message in made.messages]
    assert "".join(row["text"] for row in made.segments()) == "".join(message.text for message in made.messages)
    assert {row["code"] for row in opened.findings(select=["fmt"])} >= {"fmt-system-text-in-user", "fmt-system-varies"}
    assert len(opened.scores(criterion="relevance")) == 6
    assert opened.records["ellery-01"] == next(iter(opened.records)) == opened.records[0]
    assert "24 records" in repr(opened)


def test_a_record_is_given_by_its_id_or_its_number() -> None:
    opened = readback.open(DEMO)
    assert (
        opened.assemble("base, open book", "ellery-06").fingerprint == opened.assemble("base, open book", 5).fingerprint
    )


def test_rules_run_when_findings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str | None] = []

    def check(opened: Any, record: Any, *rest: Any) -> Any:
        checked.append(record.id)
        return check_record(opened, record, *rest)

    monkeypatch.setattr(study, "check_record", check)
    made = readback.open(DEMO).assemble("mistake 1: system text in the question", "ellery-01")
    assert made.text()
    assert not checked
    assert made.findings
    assert not made.faults
    assert checked == ["ellery-01"]


def test_a_value_can_be_tried_and_changes_no_file() -> None:
    opened = readback.open(DEMO)
    tried = opened.assemble("base, closed book", 0, values={"instruction": "Why?"})
    assert tried.text() == "Question: Why?\n\nAnswer:"
    assert tried.fingerprint != opened.assemble("base, closed book", 0).fingerprint


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        (
            {"condition": "bse, open book"},
            KeyError,
            "there is no condition 'bse, open book'; choose one of 'base, closed",
        ),
        ({"mode": "nothing like it"}, KeyError, "there is no mode 'nothing like it'; choose one of 'instruction', "),
        ({"judge": "x"}, KeyError, "there is no judge 'x'; choose one of 'harbour-judge'"),
        ({"mode": "rag", "adapter": "x"}, KeyError, "there is no adapter 'x'; choose one of "),
        ({}, ValueError, "say which condition, mode or task: 'base, closed book', "),
        ({"condition": "base, open book", "mode": "rag"}, ValueError, "give either it or them"),
        (
            {"condition": "base, open book", "record": "99"},
            KeyError,
            "there is no record '99' among 24; the ids of task_id are 'ellery-01', ",
        ),
        (
            {"condition": "base, open book", "record": 24},
            IndexError,
            "there is no record 24: there are 24, counted from 0",
        ),
    ],
)
def test_a_wrong_name_says_what_there_is(asked: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as error:
        readback.open(DEMO).assemble(**asked)
    assert said in str(error.value)


def test_a_folder_with_nothing_in_it_says_why(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(str(tmp_path))):
        readback.open(tmp_path)


def test_an_assembly_shows_each_stretch_with_its_origin() -> None:
    html = readback.open(DEMO).assemble("RAG-trained, open book", 5)._repr_html_()
    assert "written by you" in html
    assert "from the data" in html
    assert "sha256" in html
    assert "<script" not in html
    assert "http" not in html


@settings(max_examples=some(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=80))
def test_what_is_drawn_is_the_text(text: str) -> None:
    made = Assembly(Selection(mode="m"), "1", 0, (Message("user", (Segment(text, "variable", "x"),)),), "f")
    html = Assembled(made)._repr_html_()
    inner = re.search(r'<div class="rb-exact">(.*)</div>(?=<p>sha256)', html, re.DOTALL)
    assert inner is not None
    drawn = re.sub(r"&#(\d+);", lambda m: chr(int(m[1])), re.sub(r"<[^>]*>", "", inner[1]))
    assert unescape(drawn) == text


def test_rows_say_what_they_hold_back() -> None:
    rows = Rows(("n", "name"), tuple({"n": n, "name": f"<{n}>"} for n in range(MAX_SHOWN + 3)))
    assert "and 3 more rows" in repr(rows)
    assert "and 3 more rows" in rows._repr_html_()
    assert "<0>" not in rows._repr_html_()
    assert len(rows[:2]) == 2
    frame = rows.to_pandas()
    assert list(frame["n"]) == list(range(MAX_SHOWN + 3))
    assert frame["n"].dtype.kind == "i"


def test_ids_stay_text_in_a_data_frame(write: Any) -> None:
    folder = write({"data.csv": "id,question\n007,\nNA,\n", "readback.yml": "dataset: data.csv\nmodes: [{mode: m, "
                    "template: '{{ question }}{{ question.a.b }}'}]\n"})  # fmt: skip
    frame = readback.open(folder).findings().to_pandas()
    assert {"007", "NA"} <= set(frame["record"].dropna())


def test_the_notebook_of_the_documentation_says_what_its_cells_say_today() -> None:
    stored = json.loads((PROJECT / "docs" / "notebook.ipynb").read_text("utf-8"))
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_notebook", PROJECT / "docs" / "make_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert stored == maker.notebook()

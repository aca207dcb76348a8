"""The variables over all records: counted exactly, whatever the chunks, and bounded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from variable_study import PLAN, ROWS

from readback import cli, workspace
from readback.checks import variables
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.checks.variables import AccountReader, AccountWriter, VariableRow, Variables, record_uses, value
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.types import Location, Selection, VariableUse

Write = Callable[[Mapping[str, Any]], Path]


def audited(folder: Path) -> Audit:
    return engine.check(workspace.open(folder))


def counts(audit: Audit) -> dict[str, dict[str, int]]:
    """By name, the counts that are not 0."""
    names = (*variables.STATES, "needed")
    return {row.name: {what: n for what in names if (n := getattr(row, what))} for row in audit.variables}


def row(audit: Audit, name: str) -> VariableRow:
    return next(one for one in audit.variables if one.name == name)


def test_every_state_is_counted_in_records(write: Write) -> None:
    audit = audited(write({"readback.yml": PLAN, "d.jsonl": ROWS}))
    assert counts(audit) == {
        "docs": {"used": 2, "missing": 1, "needed": 1, "idle": 1},
        "docs[*].title": {"used": 1, "missing": 1, "needed": 1, "empty": 1},
        "docs[*].text": {"used": 2},
        "docs[*].year": {"used": 1, "missing": 2},
        "question": {"used": 1, "missing": 1, "needed": 1, "empty": 2},
        "tone": {"used": 1, "default": 3},
        "long": {"used": 1, "missing": 3},
        "summary": {"missing": 1, "needed": 1},
    }
    assert {one.records for one in audit.variables} == {4}


def test_the_first_record_of_each_count_and_the_nearest_field_of_the_first_that_lacks_it(write: Write) -> None:
    audit = audited(write({"readback.yml": PLAN, "d.jsonl": ROWS}))
    assert row(audit, "docs").first == {"used": 0, "idle": 1, "missing": 3, "needed": 3}
    assert (row(audit, "summary").nearest, row(audit, "docs").nearest) == ("sumary", "documents")
    assert row(audit, "question").place == Location(file="readback.yml", line=row(audit, "docs").place.line)


def test_fields_that_nothing_reads_are_listed_once_the_deeper_only_where_their_holder_is_read(write: Write) -> None:
    audit = audited(write({"readback.yml": PLAN, "d.jsonl": ROWS}))
    unused = {one.name: one.records for one in audit.unused}
    assert unused == {"note": 1, "sumary": 1, "documents": 1, "docs[*].url": None}


@pytest.mark.parametrize(
    ("template", "unused"),
    [
        ("{{ rag.prompt }}", ["q", "rag.ids"]),
        ("{{ rag }}{{ q }}", []),
        ("{{ rag | tojson }}", ["q"]),
        ("{% for k in rag %}{{ k }}{% endfor %}{{ q }}", []),
        ("{{ mapped }}{{ q }}", ["rag.ids"]),
        ("fixed", []),
    ],
)
def test_what_is_read_whole_is_read_in_all_its_parts(write: Write, template: str, unused: list[str]) -> None:
    plan = {
        "dataset": {"path": "d.jsonl", "fields": {"mapped": "rag.prompt"}},
        "modes": [{"mode": "m", "template": template}],
    }
    folder = write({"readback.yml": plan, "d.jsonl": [{"id": "1", "q": "Q", "rag": {"prompt": "p", "ids": [1]}}]})
    assert [one.name for one in audited(folder).unused] == unused


def test_conditions_with_the_same_texts_make_one_row(write: Write) -> None:
    conditions = [{"name": name, "mode": "m"} for name in ("A", "B")]
    audit = audited(write({"readback.yml": {**PLAN, "conditions": conditions}, "d.jsonl": ROWS}))
    assert counts(audit)["question"] == {"used": 1, "missing": 1, "needed": 1, "empty": 2}
    assert row(audit, "question").choice == Selection(condition="A")


def test_built_in_formats_judges_and_adapters_say_what_they_read() -> None:
    audit = audited(Path("configs/examples/six-conditions-mistakes").resolve())
    read = {(one.kind, one.reader, one.name): one.used for one in audit.variables}
    assert read["mode", "hybrid", "rag.contexts"] == 24
    assert read["mode", "rag", "rag.prompt"] == 24
    assert read["judge", "harbour-judge", "expected_response"] == 24
    assert "rag.sources" in {one.name for one in audit.unused}


def test_an_albert_mode_tells_documented_names_from_others(write: Write) -> None:
    config = "prompts: [{mode: rag, template: rag.jinja}]\n"
    template = "{% for c in sheet_chunks %}{{ c.titel }}{{ c.text }}{% endfor %}{{ qurey }}{{ institution }}\n"
    audit = audited(write({"prompt_config.yml": config, "rag.jinja": template, "d.jsonl": [{"id": "1"}]}))
    known = {one.name: (one.documented, one.suggested) for one in audit.variables}
    assert known == {
        "sheet_chunks": (True, None),
        "sheet_chunks[*].titel": (False, "title"),
        "sheet_chunks[*].text": (True, None),
        "qurey": (False, "query"),
        "institution": (True, None),
    }


SHAPES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(("present", "missing", "null", "idle")), st.booleans()),
    max_size=4,
)


@given(st.lists(SHAPES, max_size=30), st.integers(1, 4))
def test_counts_are_exact_however_few_accounts_are_kept(records: list[Any], kept: int) -> None:
    before, variables.SHAPES = variables.SHAPES, kept
    try:
        told, heard, made = AccountWriter(), AccountReader(), Variables()
        choice = Selection(mode="m")
        for index, record in enumerate(records):
            uses = [VariableUse(name, state, only_asked=asked) for name, state, asked in record]
            frame = json.loads(json.dumps(told.tell(uses)))
            made.take((choice,), (heard.read(frame),), index)
            assert len(heard.shapes) <= kept
            assert len(made.waiting) <= kept
        made.count()
    finally:
        variables.SHAPES = before
    for name in "abc":
        held = made.counts.get((choice, name))
        expected = [n for n, record in enumerate(records) if any(one[:2] == (name, "missing") for one in record)]
        assert (held.records["missing"] if held else 0) == len(expected)
        assert (held.first.get("missing") if held else None) == (expected[0] if expected else None)
    assert made.looked_at[choice] == len(records)


def test_the_number_of_names_is_bounded_and_said(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    monkeypatch.setattr(variables, "NAMES", 3)
    audit = audited(write({"readback.yml": PLAN, "d.jsonl": ROWS}))
    assert (len(audit.variables), audit.names_left_out > 0) == (3, True)


def test_a_template_that_fails_still_names_what_it_lacks(write: Write) -> None:
    plan = {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "{{ q }}{{ meta.title }}"}]}
    audit = audited(write({"readback.yml": plan, "d.jsonl": [{"id": "1", "q": "Q"}]}))
    assert audit.counts == {"alb-render-error": 1}
    assert counts(audit)["meta"] == {"missing": 1, "needed": 1}


def test_one_record_has_a_line_for_each_name(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": PLAN, "d.jsonl": ROWS}))
    record = open_dataset(opened.root, opened.dataset).record(2)
    lines = {one.name: one for one in record_uses(opened, record, assemble(opened, record, Selection(mode="m")))}
    assert [(use.state, use.times, use.total) for use in lines["docs[*].year"].uses] == [
        ("missing", 1, 2),
        ("present", 1, 2),
    ]
    assert (lines["docs[*].text"].value, lines["docs[*].year"].value) == ("x", 1)
    assert (lines["summary"].nearest, lines["summary"].place.file) == ("sumary", "readback.yml")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", {"b": [1, {"c": 2}]}),
        ("a.b[0]", 1),
        ("a.b[*].c", 2),
        ("a.b[*]", 1),
        ("a.b[-1].c", 2),
        ("a.b[-3]", None),
        ("a.b[9]", None),
        ("a.x", None),
    ],
)
def test_a_path_gives_the_first_value(name: str, expected: Any) -> None:
    found = value({"a": {"b": [1, {"c": 2}]}}, name)
    assert (found or None) == expected


def test_check_tells_the_variables(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write({"readback.yml": PLAN, "d.jsonl": ROWS})
    cli.main(["check", str(folder), "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    (docs,) = [one for one in answer["variables"] if one["name"] == "docs"]
    assert (docs["mode"], docs["records"], docs["used"], docs["missing"], docs["idle"]) == ("m", 4, 2, 1, 1)
    assert {"name": "note", "records": 1} in answer["unused"]
    cli.main(["check", str(folder)])
    text = capsys.readouterr().out
    assert "mode m: docs: no value in 1 of 4 records, loop over an empty list in 1 of 4 records" in text
    assert "no template reads: note, sumary" in text


RAG = """dataset: {path: data.jsonl, id: task_id}
modes:
  - mode: rag
    template: |
      {% for m in messages[:-1] %}{{ m.role }}: {{ m.content }}
      {% endfor %}
      {% for c in contexts %}[{{ loop.index }}] {% if c.title %}{{ c.title }}: {% endif %}{{ c.text }}
      {% else %}No passages.
      {% endfor %}
      Question: {{ messages[-1].content }}
  - {mode: closed, template: "{{ messages[-1].content }}"}
"""


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("mtrag_demo_60rows.jsonl", {}),
        ("mtragun_reference_first60.jsonl", {"messages": "input", "m.role": "m.speaker", ".content": ".text"}),
    ],
)
def test_real_conversations_give_no_error_and_a_useful_table(
    shared: Path, tmp_path: Path, file: str, names: Mapping[str, str]
) -> None:
    shutil.copy(shared / "data/mtrag" / file, tmp_path / "data.jsonl")
    plan = reduce(lambda text, pair: text.replace(*pair), names.items(), RAG)
    (tmp_path / "readback.yml").write_text(plan, "utf-8")
    audit = audited(tmp_path)
    assert audit.faults == ()
    assert [one.code for one in audit.findings if one.severity == "error"] == []
    assert {code for code in audit.counts if code.startswith("alb-")} <= {"alb-chunks-empty"}
    found = {one.name: one for one in audit.variables if one.reader == "rag"}
    assert found["contexts[*].text"].used + found["contexts"].idle == found["contexts"].records == 60
    assert {"contexts[*].document_id"} <= {one.name for one in audit.unused}


ALBERT = [
    {"id": "1", "query": "Q?", "sheet_chunks": [{"url": "u", "title": "t", "context": "c", "text": "x"}]},
    {"id": "2", "query": "Q?", "sheet_chunks": []},
    {"id": "3", "query": "Q?", "documents": [{"text": "a"}]},
    {"id": "4", "sheet_chunks": [{"title": "t"}, {"url": "u", "title": "t", "text": "x"}], "limit": 0},
]


@pytest.mark.realdata
@pytest.mark.parametrize("config", ["prompt_config.yml", "scripts_prompt_config.yml"])
def test_real_albert_configurations_tell_what_is_missing_where(shared: Path, tmp_path: Path, config: str) -> None:
    for name in ("rag_prompt_template.jinja", "simple_prompt_template.jinja"):
        shutil.copy(shared / "data/albert" / name, tmp_path / name)
    shutil.copy(shared / "data/albert" / config, tmp_path / "prompt_config.yml")
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(each) + "\n" for each in ALBERT), "utf-8")
    found = [
        (
            one.code,
            one.place.mode,
            one.place.record,
            one.severity,
            one.values.get("variable") or one.values.get("field"),
        )
        for one in audited(tmp_path).findings
        if one.code.startswith(("alb-variable", "alb-field", "alb-chunks", "alb-falsy", "alb-query", "alb-default"))
    ]
    assert sorted(found, key=str) == sorted(
        [
            ("alb-chunks-empty", "rag", "2", "warning", None),
            ("alb-variable-no-data", "rag", "3", "warning", "sheet_chunks"),
            ("alb-variable-no-data", "rag", "4", "warning", "query"),
            ("alb-variable-no-data", "simple", "4", "warning", "query"),
            ("alb-field-missing", "rag", "4", "info", "context"),
            ("alb-field-missing", "rag", "4", "warning", "url"),
            ("alb-field-missing", "rag", "4", "warning", "text"),
            ("alb-falsy-default", "rag", "4", "warning", None),
        ],
        key=str,
    )


@pytest.mark.realdata
def test_a_real_template_with_names_of_its_own_is_told_so(shared: Path, tmp_path: Path) -> None:
    shutil.copy(shared / "data/albert/tell_rag_prompt.jinja", tmp_path / "tell.jinja")
    config = "prompt_format: chatml\nprompts: [{mode: tell, template: tell.jinja, default: {limit: 5}}]\n"
    (tmp_path / "prompt_config.yml").write_text(config, "utf-8")
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(each) + "\n" for each in ALBERT), "utf-8")
    findings = audited(tmp_path).findings
    unknown = {(f.values["variable"], f.severity) for f in findings if f.code == "alb-variable-unknown"}
    assert unknown == {("system_prompt", "info"), ("chunks", "warning")}
    assert {f.values["field"] for f in findings if f.code == "alb-field-unknown"} == {"h"}
    nearest = {f.place.record: f.values["nearest"] for f in findings if f.values.get("variable") == "chunks"}
    # said once for each field that is offered: no record has the variable
    assert nearest == {"1": "sheet_chunks", "3": "documents"}


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("destinataire", {"alb-variable-no-data"}),
        ("zzyx", {"alb-variable-no-data"}),
        ("qurey", {"alb-variable-no-data", "alb-variable-unknown"}),  # which names `query` besides
    ],
)
def test_a_name_without_a_value_that_resembles_none_is_reported_once(write: Write, name: str, codes: set[str]) -> None:
    root = write(
        {
            "prompt_config.yml": "prompts: [{mode: simple, template: simple.jinja}]\n",
            "simple.jinja": f"{{{{ query }}}} {{{{ {name} }}}}\n",
            "data.jsonl": '{"id": "1", "query": "Q"}\n{"id": "2", "query": "R"}\n',
        }
    )
    assert {one.code for one in audited(root).findings if one.values.get("variable") == name} == codes


def test_a_variable_that_no_record_has_is_told_once_and_another_at_each_record(write: Write) -> None:
    template = "{{ tone }}{% if long %}{{ summary }}{% endif %}{{ question }}{{ asked }}"
    plan = {
        "dataset": {"path": "d.jsonl", "fields": {"asked": "query"}},
        "modes": [{"mode": "m", "template": template}, {"mode": "n", "template": "{{ tone }}"}],
    }
    rows = [{"id": "a", "question": "Q"}, {"id": "b", "long": True}, {"id": "c", "long": True}]
    found = [
        one for one in audited(write({"readback.yml": plan, "d.jsonl": rows})).findings if "variable" in one.values
    ]
    told = [(one.place.mode, one.place.record, one.values["variable"]) for one in found if one.severity == "warning"]
    assert sorted(told) == [
        *[("m", "a", name) for name in ("asked", "tone")],
        *[("m", "b", name) for name in ("question", "summary")],
        ("m", "c", "question"),
        ("n", "a", "tone"),
    ]
    assert "no value here, and in none of the 3 records" in found[0].message
    assert {one.message for one in found if one.values["variable"] == "question"} == {
        "the template reads question, which has no value here"
    }

"""A cell of a table is the text that it is; only a template that goes into it gets the list or object."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback import cli, workspace
from readback.checks.run import engine
from readback.prompts.assemble import assemble
from readback.prompts.render import Template, render
from readback.readers.json_text import NotJson
from readback.readers.tables.table_columns import CellList, CellObject, looks_like_python, read_python
from readback.records.dataset import open_dataset
from readback.types import Selection, Syntax

Write = Callable[[Mapping[str, Any]], Path]

OBJECT = '{"tone": "formal",  "n":1.0, "x": null, "e": "\\u00e9"}'
LIST = '["one",  "two", 2e3]'
VALUES = {
    "style": CellObject({"tone": "formal", "n": 1.0, "x": None, "e": "é"}, OBJECT),
    "docs": CellList(["one", "two", 2000.0], LIST),
    "empty": CellList([], "[ ]"),
}

WHOLE = [  # printed whole, or worked on as a text: the cell
    ("jinja", "{{ style }}", OBJECT),
    ("jinja", "{{ style | upper }}", OBJECT.upper()),
    ("jinja", "{{ docs[:6] }}", LIST[:6]),
    ("jinja", "{{ docs | length }}", str(len(LIST))),
    ("jinja", "{{ docs | replace('one', '1') }}", LIST.replace("one", "1")),
    ("jinja", "{% set d = docs %}{{ d }}", LIST),
    ("jinja", "{{ '%s' % docs }}", LIST),
    ("jinja", "{{ docs ~ '!' }}", LIST + "!"),
    ("jinja", "{{ docs.strip('[') }}", LIST[1:]),
    ("jinja", "{% for l in docs.split(',') %}{{ l }};{% endfor %}", ";".join(LIST.split(",")) + ";"),
    ("jinja", "{% if empty %}{{ empty }}{% endif %}", "[ ]"),
    ("jinja", "{% if docs is string %}{{ docs }}{% else %}{% for d in docs %}{{ d }}{% endfor %}{% endif %}", LIST),
    ("format", "{style}", OBJECT),
    ("format", "{docs!r}", repr(LIST)),
    ("percent", "%(style)s", OBJECT),
    ("dollar", "$style ${docs}", f"{OBJECT} {LIST}"),
    ("mustache", "{{{style}}}", OBJECT),
    ("mustache", "{{&empty}}", "[ ]"),
    ("placeholder", "{{docs}}", LIST),
]
INTO = [  # gone into: what is in the cell, and the cell beside it
    ("jinja", "{% for d in docs %}<{{ d }}>{% endfor %}", "<one><two><2000.0>"),
    ("jinja", "{% for d in docs[1:] %}<{{ d }}>{% endfor %}", "<two><2000.0>"),
    ("jinja", "{{ docs | join('+') }} {{ docs }}", f"one+two+2000.0 {LIST}"),
    ("jinja", "{{ docs[1] }}{{ docs | last }}", "two2000.0"),
    ("jinja", "{{ style.tone }} {{ style['n'] }} {{ style }}", f"formal 1.0 {OBJECT}"),
    ("jinja", "{{ style.get('tone') }}", "formal"),
    ("jinja", "{% for k, v in style.items() %}{{ k }} {% endfor %}", "tone n x e "),
    ("jinja", "{% set d = docs or [] %}{% for x in d %}{{ x }}{% endfor %}", "onetwo2000.0"),
    ("jinja", "{% macro m(x) %}{% for y in x %}<{{ y }}>{% endfor %}{% endmacro %}{{ m(docs) }}", "<one><two><2000.0>"),
    ("mustache", "{{#docs}}<{{.}}>{{/docs}}", "<one><two><2000.0>"),
    ("mustache", "{{#style}}{{tone}}{{/style}} {{style.n}}", "formal 1.0"),
]


@pytest.mark.parametrize(("syntax", "template", "text"), WHOLE + INTO)
def test_a_cell_is_its_text_or_what_is_in_it(syntax: Syntax, template: str, text: str) -> None:
    for origins in (True, False):
        (made,) = render((Template(template, syntax),), VALUES, origins=origins)
        assert made.text == text
        assert made.diagnostics == ()


LOOPED = [
    ("{% for c in x %}{{ c }}{% endfor %}", "['a', 'b']", "error", "Python list"),
    ("{% for c in x %}{{ c }}{% endfor %}", '["a", "b"]', "error", "JSON list"),
    ("{% for c in x %}{{ c }}{% endfor %}", "['a' 'b']", "error", "Python list"),
    ("{% for c in x %}{{ c }}{% endfor %}", "plain words", "warning", "is a text,"),
    ("{{ x | join(', ') }}", "[{'a': 1}]", "error", "Python list"),
    ("{% set y = x %}{% for c in y %}{{ c }}{% endfor %}", "[1, 2]", "error", "JSON list"),
    ("{{ x[0] }}", "['a']", "warning", "Python list"),
    ("{{ x.title }}", "{'title': 'a'}", "warning", "Python list"),
]


@pytest.mark.parametrize(("template", "value", "severity", "phrase"), LOOPED)
def test_a_text_where_a_list_is_meant_is_named(
    write: Write, template: str, value: str, severity: str, phrase: str
) -> None:
    folder = write({"p.jinja": template + "{{ q }}", "d.jsonl": [{"id": "1", "q": "Q", "x": value}]})
    findings = [one for one in engine.check(workspace.open(folder)).findings if one.code == "asm-text-for-list"]
    assert [(one.severity, one.place.file, one.place.line) for one in findings] == [(severity, "p.jinja", 1)]
    assert phrase in findings[0].message
    assert "json: [x]" in findings[0].fix


QUIET = [
    ("{% if x is string %}{{ x }}{% else %}{% for c in x %}{{ c }}{% endfor %}{% endif %}", "['a']"),
    ("{% if k %}{% for c in x %}{{ c }}{% endfor %}{% else %}{{ x }}{% endif %}", "['a']"),
    ("{% for line in x.splitlines() %}{{ line }}{% endfor %}", "['a']"),
    ("{{ x[0] }}", "Words"),
    ("{{ x | first }}", "Words"),
    ("{{ x }}", "['a']"),
    ("{% for c in x %}{{ c }}{% endfor %}", ["a"]),
    ("{% for c in x %}{{ c }}{% endfor %}", ""),
]


@pytest.mark.parametrize(("template", "value"), QUIET)
def test_nothing_is_said_where_a_text_is_meant(write: Write, template: str, value: Any) -> None:
    folder = write({"p.jinja": template + "{{ q }}", "d.jsonl": [{"id": "1", "q": "Q", "x": value, "k": ""}]})
    assert "asm-text-for-list" not in {one.code for one in engine.check(workspace.open(folder)).findings}


def test_a_section_of_mustache_over_a_text_is_named(write: Write) -> None:
    rows = [{"id": "1", "q": "Q", "x": "['a', 'b']"}]
    folder = write({"p.mustache": "{{#x}}<{{.}}>{{/x}} {{q}}", "d.jsonl": rows})
    assert "asm-text-for-list" in {one.code for one in engine.check(workspace.open(folder)).findings}


@pytest.mark.parametrize(("name", "delimiter"), [("d.csv", ","), ("d.csv", ";"), ("d.tsv", "\t")])
def test_a_named_column_of_python_lists_is_lists(write: Write, name: str, delimiter: str) -> None:
    text = table([("id", "q", "x"), ("1", "Q", "['a', \"b's\", None, 1.5]")], delimiter)
    loop = "{% for c in x %}<{{ c }}>{% endfor %}"
    setup = f"dataset: {{path: {name}, json: [x]}}\nmodes: [{{mode: m, template: '{loop}'}}]\n"
    folder = write({"readback.yml": setup, name: text})
    opened = workspace.open(folder)
    (record,) = open_dataset(opened.root, opened.dataset).records()
    assert record.fields["x"] == ["a", "b's", None, 1.5]
    assert assemble(opened, record, Selection(mode="m")).messages[0].text == "<a><b's><None><1.5>"
    assert "asm-text-for-list" not in {one.code for one in engine.check(opened).findings}


PYTHON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PYTHON, max_size=4) | st.dictionaries(st.text(max_size=5), PYTHON, max_size=4))
def test_what_python_writes_is_read_as_it_was(value: Any) -> None:
    assert read_python(repr(value)) == value


@settings(max_examples=300, deadline=None)
@given(st.text("[]{}(),:'\"\\ab1.-eNone x\n", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    looks_like_python(text)
    try:
        value = read_python(text)
    except NotJson:
        return
    assert isinstance(value, list | dict)


@pytest.mark.parametrize(
    "text", ["['a' 'b']", "[x]", "['a'", "[" * 500, "['a'] + ['b']", "{1: 2}", "[__import__('os')]"]
)
def test_what_is_no_list_of_plain_values_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        read_python(text)


def table(rows: list[tuple[str, ...]], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


CELL = (
    PYTHON.map(json.dumps).filter(lambda text: text[0] in "[{")
    | st.lists(PYTHON, max_size=3).map(lambda value: json.dumps(value, ensure_ascii=False, indent=1))
    | st.text("ab{}[]\"': ,\\$%\n\t é", max_size=12).filter(lambda text: "\0" not in text)
)
TEMPLATES = {
    "p.jinja": "{{ x }}",
    "p.mustache": "{{{x}}}",
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(CELL, min_size=1, max_size=4), name=st.sampled_from(sorted(TEMPLATES)))
def test_what_is_shown_exported_and_found_is_the_cell(tmp_path_factory: Any, cells: list[str], name: str) -> None:
    folder = tmp_path_factory.mktemp("cells")
    rows = [("id", "x", "y"), *((str(number), cell, "z") for number, cell in enumerate(cells))]
    (folder / "d.csv").write_text(table(rows), "utf-8", newline="")
    (folder / name).write_text(TEMPLATES[name], "utf-8")
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    (mode,) = opened.prompts
    shown = [assemble(opened, record, Selection(mode=mode)).messages[0].text for record in data.records()]
    assert shown == cells
    out = folder / "out.jsonl"
    assert cli.main(["export", str(folder), "--as", "messages-jsonl", "--out", str(out)]) == 0
    exported = [json.loads(line)["messages"][0]["content"] for line in out.read_bytes().splitlines()]
    assert exported == cells

"""A template that no record fills is one error with the count of records; one absent optional field is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
CODE = "asm-no-field-filled"
TABLE = "Frage,Quelle\nWie tief?,Neun Meter.\nWer?,Der Pilot.\nWann?,1987\n"


def find_errors(folder: Path, **options: Any) -> list[Finding]:
    audit = engine.check(workspace.open(folder), engine.CheckOptions(**options))
    return [one for one in audit.findings if one.code == CODE]


@pytest.mark.parametrize(
    "files",
    [
        {"p.j2": "Answer {{ question }} from {{ context }}."},
        {"p.mustache": "Answer {{question}} from {{context}}."},
        {"prompt.txt": "Answer {{question}} from {{context}}."},
        {"prompt.txt": "Answer {question} from {context}."},
        {"prompt.txt": "Answer %(question)s from %(context)s."},
        {"readback.yml": {"dataset": "d.csv", "modes": [{"mode": "p", "template": "{{ question }}, {{ context }}"}]}},
        {"readback.yml": {"dataset": "d.csv", "modes": [{"mode": "p", "template": "{question} from {context}"}]}},
        {
            "readback.yml": {
                "dataset": "d.csv",
                "modes": [{"mode": "p", "template": "{{question}}, {{context}}", "syntax": "placeholder"}],
            }
        },
    ],
    ids=["jinja", "mustache", "text-jinja", "text-format", "text-percent", "inline", "inline-format", "placeholder"],
)
def test_a_template_none_of_whose_names_is_a_field_is_one_error_with_the_count(
    write: Write, files: dict[str, Any]
) -> None:
    (finding,) = find_errors(write({"d.csv": TABLE, **files}))
    assert (finding.severity, finding.values["records"], finding.values["count"]) == ("error", 3, 2)
    assert finding.place.file in files
    assert "Frage, Quelle" in finding.message
    assert "question" in finding.message
    assert "context" in finding.message


def test_a_template_that_refuses_an_absent_name_has_an_error_of_its_own(write: Write) -> None:
    modes = [{"mode": syntax, "syntax": syntax, "template": text} for syntax, text in (
        ("format", "{question}"), ("percent", "%(question)s"), ("dollar", "$question"),
    )]  # fmt: skip
    audit = engine.check(workspace.open(write({"d.csv": TABLE, "readback.yml": {"dataset": "d.csv", "modes": modes}})))
    errors = {(one.code, one.place.mode) for one in audit.findings if one.severity == "error"}
    assert errors == {("jdg-format-field", one["mode"]) for one in modes}


def test_a_row_above_the_header_that_is_taken_for_it_is_this_error(write: Write) -> None:
    """As wide as the table and full: nothing in the file tells which of the two rows has the names."""
    table = "2024,harbour office\nquestion,context\nHow deep?,Nine metres.\nWho?,The pilot.\n"
    (finding,) = find_errors(write({"d.csv": table, "p.j2": "{{ question }} {{ context }}"}))
    assert (finding.values["records"], finding.values["fields"]) == (3, "2024, harbour office")


@pytest.mark.parametrize(
    ("template", "rows"),
    [
        ("{{ question }} {{ context }}", [{"question": "Why?"}, {"question": "Who?"}]),
        ("{{ question }} {{ context }}", [{"id": "1", "topic": "x"}, {"id": "2", "question": "Who?"}]),
        ("{% if hint %}{{ hint }}{% endif %}Tell a story.", [{"topic": "Boats"}, {"topic": "Tides"}]),
        ("{{ hint | default('none') }}", [{"topic": "Boats"}, {"topic": "Tides"}]),
        ("{% for c in chunks %}{{ c.text }}{% endfor %}", [{"chunks": []}, {"chunks": []}]),
        ("{{ question }}", [{"question": ""}, {"question": None}]),
        ("Tell a story.", [{"topic": "Boats"}, {"topic": "Tides"}]),
        ('Answer as JSON: {"answer": "..."}', [{"topic": "Boats"}]),
    ],
)
def test_one_absent_field_of_several_or_an_optional_one_is_no_such_error(
    write: Write, template: str, rows: list[dict[str, Any]]
) -> None:
    assert find_errors(write({"d.jsonl": rows, "p.j2": template})) == []


def test_each_condition_has_its_error_and_a_judge_and_a_folder_without_records_have_none(write: Write) -> None:
    plan = {
        "dataset": "d.csv",
        "modes": [{"mode": "a", "template": "{{ question }}"}, {"mode": "b", "template": "{{ Frage }}"}],
        "conditions": [{"name": "one", "mode": "a"}, {"name": "two", "mode": "a"}, {"name": "three", "mode": "b"}],
    }
    found = find_errors(write({"d.csv": TABLE, "readback.yml": plan}))
    assert [one.place.condition for one in found] == ["one", "two"]
    assert len({one.key for one in found}) == 2


def test_without_records_nothing_is_absent(write: Write) -> None:
    assert find_errors(write({"p.j2": "{{ question }}"})) == []


def test_a_text_that_is_stated_to_be_plain_means_its_marks_as_text(write: Write) -> None:
    folder = write({"d.csv": TABLE, "prompt.txt": "Answer {question}."})
    stated = workspace.open(folder, chosen={"syntax": "prompt=text"})
    assert CODE not in engine.check(stated).counts
    assert CODE in engine.check(workspace.open(folder)).counts


def test_mapped_fields_end_it(write: Write) -> None:
    folder = write({"d.csv": TABLE, "readback.yml": {
        "dataset": {"path": "d.csv", "fields": {"question": "Frage"}},
        "modes": [{"mode": "p", "template": "{{ question }}"}],
    }})  # fmt: skip
    assert find_errors(folder) == []


def test_a_field_whose_name_has_blanks_around_it_is_in_quotes(write: Write) -> None:
    (finding,) = find_errors(write({"d.csv": "id, question\n1,Why?\n", "p.j2": "{{ question }}"}))
    assert "' question'" in finding.message


def test_codes_that_are_not_asked_for_are_not_looked_for(write: Write) -> None:
    folder = write({"d.csv": TABLE, "p.j2": "{{ question }}"})
    assert find_errors(folder, ignore=[CODE]) == []
    assert find_errors(folder, select=[CODE]) != []


def test_a_sample_has_it_where_the_whole_file_has_no_such_field_and_only_there(write: Write) -> None:
    rows = [{"id": str(n), "topic": "Boats"} for n in range(200)]
    (finding,) = find_errors(write({"d.jsonl": rows, "p.j2": "{{ question }}"}), sample=5)
    assert finding.values["records"] == 200
    folder = write({"d.jsonl": [*rows, {"id": "200", "question": "Why?"}], "p.j2": "{{ question }}"})
    assert find_errors(folder, sample=5) == []

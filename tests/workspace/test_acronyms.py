"""A table of acronyms in a file: how it is read, what it changes, and who wrote the inserted text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import cli, workspace
from readback.prompts.albert import expand_acronyms, split_expansions
from readback.prompts.assemble import assemble
from readback.types import Record, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
CNI, APL = "carte nationale d'identité", "aide au logement"
RECORD = Record("1", {"id": "1", "query": "Ma CNI et APL ?"})
BASE = {
    "prompt_config.yml": "prompts: [{mode: a, template: t.jinja}, {mode: loud, template: loud.jinja}]\n",
    "t.jinja": "Q: {{ query }}!",
    "loud.jinja": "{{ query | upper }}",
    "d.jsonl": '{"id": "1", "query": "Ma CNI et APL ?"}\n',
}


def files(name: str, content: str, more: str = "") -> dict[str, str]:
    return {
        **BASE,
        name: content,
        "readback.yml": f"dataset: d.jsonl\nprompts: [prompt_config.yml]\nacronyms: {name}\n{more}",
    }


def codes(opened: Workspace) -> list[str]:
    return [one.code for one in opened.diagnostics if one.severity != "info" and not one.code.startswith("dat-crlf")]


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("a.csv", f"CNI,{CNI}\nAPL,{APL}\n", (1, 2)),
        ("a.csv", f"Acronyme;Forme longue\nCNI;{CNI}\n\nAPL;{APL}", (2, 4)),
        ("a.csv", f'symbol,text\r\n"CNI","{CNI}"\r\nAPL,{APL}\r\n', (2, 3)),
        ("a.tsv", f"CNI\t{CNI}\nAPL\t{APL}\n", (1, 2)),
        ("a.json", json.dumps({"CNI": CNI, "APL": APL}, indent=1), (2, 3)),
        ("a.json", json.dumps([{"symbol": "CNI", "text": CNI}, {"text": APL, "symbol": "APL"}]), (1, 1)),
        ("a.yml", f"CNI: {CNI}\nAPL: {APL}\n", (1, 2)),
    ],
)
def test_a_file_is_read_with_the_line_of_each_acronym(
    write: Write, name: str, content: str, lines: tuple[int, int]
) -> None:
    opened = workspace.open(write(files(name, content)))
    assert opened.acronyms == {"CNI": CNI, "APL": APL}
    assert codes(opened) == []
    assert tuple(opened.acronym_places[one].line for one in ("CNI", "APL")) == lines
    assert next(one for one in opened.recognised if one.path == name).used


def test_what_is_put_in_comes_from_the_file_and_the_rest_from_the_record(write: Write) -> None:
    opened = workspace.open(write(files("a.csv", f"CNI,{CNI}\nAPL,{APL}\n")))
    made = assemble(opened, RECORD, Selection(mode="a"))
    (message,) = made.messages
    assert [(one.text, one.origin, one.name, one.place.file, one.place.line) for one in message.segments] == [
        ("Q: ", "template", None, "t.jinja", 1),
        ("Ma CNI", "variable", "query", "t.jinja", 1),
        (f" ({CNI})", "default", "acronyms.CNI", "a.csv", 1),
        (" et APL", "variable", "query", "t.jinja", 1),
        (f" ({APL})", "default", "acronyms.APL", "a.csv", 2),
        (" ?", "variable", "query", "t.jinja", 1),
        ("!", "template", None, "t.jinja", 1),
    ]


def test_a_query_that_the_template_changes_further_is_one_piece(write: Write) -> None:
    opened = workspace.open(write(files("a.csv", f"CNI,{CNI}\n")))
    made = assemble(opened, RECORD, Selection(mode="loud"))
    assert made.messages[0].text == f"MA CNI ({CNI.upper()}) ET APL ?"
    assert {one.origin for one in made.messages[0].segments} == {"variable"}


def test_the_later_program_spells_nothing_out_and_this_is_said(write: Write) -> None:
    opened = workspace.open(write(files("a.csv", f"CNI,{CNI}\n", "options: {albert_dialect: current}\n")))
    made = assemble(opened, RECORD, Selection(mode="a"))
    assert made.messages[0].text == "Q: Ma CNI et APL ?!"
    assert codes(opened).count("alb-acronym-unused") == 1


@pytest.mark.parametrize(
    ("name", "content", "code", "line"),
    [
        ("a.csv", f"CNI,{CNI}\nCNI,carte\n", "alb-duplicate-acronym", 2),
        ("a.csv", f"CNI,{CNI}\ncni,carte\n", "alb-duplicate-acronym", 2),
        ("a.csv", f"CNI,{CNI}\nAPL, \n", "alb-acronym-unused", 2),
        ("a.csv", f"CNI,{CNI}\nAP,{APL}\n", "alb-acronym-unused", 2),
        ("a.csv", f"CNI,{CNI}\nAPL\n", "dat-bad-line", 2),
        ("a.csv", f'CNI,{CNI}\nA,"b"c\n', "dat-bad-line", 2),
        ("a.yml", f"CNI: {CNI}\nAPL:\n", "alb-acronym-unused", 2),
        ("a.yml", f"CNI: {CNI}\nAPL: [x]\n", "dat-wrong-value", 2),
        ("a.json", f'{{"CNI": "x",\n"CNI": "{CNI}"}}', "dat-duplicate-key", 2),
        ("a.json", f'[{{"symbol": "CNI", "text": "{CNI}"}},\n"APL"]', "dat-wrong-value", 2),
        ("a.yml", "7", "dat-wrong-value", 1),
    ],
)
def test_what_is_wrong_with_the_table_is_a_finding_with_its_line(
    write: Write, name: str, content: str, code: str, line: int
) -> None:
    opened = workspace.open(write(files(name, content)))
    assert [(one.code, one.place.file, one.place.line) for one in opened.diagnostics if one.code == code] == [
        (code, name, line)
    ]
    assert len(opened.acronyms) == (1 if "CNI" in content else 0)


@pytest.mark.parametrize("name", ["nowhere.csv", "../out.csv"])
def test_a_file_that_cannot_be_read_is_a_finding(write: Write, name: str) -> None:
    opened = workspace.open(
        write({**BASE, "readback.yml": f"dataset: d.jsonl\nprompts: [prompt_config.yml]\nacronyms: {name}\n"})
    )
    (one,) = [one for one in opened.diagnostics if one.code in ("dat-file-missing", "dat-path-outside")]
    assert (one.place.file, one.place.line, opened.acronyms) == ("readback.yml", 3, {})


def test_several_files_and_a_mapping_are_one_table_and_init_writes_them_down(write: Write) -> None:
    root = write(files("a.csv", f"CNI,{CNI}\n"))
    text = (root / "readback.yml").read_text("utf-8")
    (root / "readback.yml").write_text(text.replace("acronyms: a.csv", f"acronyms: [{{APL: {APL}}}, a.csv]"), "utf-8")
    opened = workspace.open(root)
    assert opened.acronyms == {"APL": APL, "CNI": CNI}
    assert f"acronyms: [{{APL: {APL}}}, a.csv]" in workspace.init_text(opened)


def test_render_names_the_file(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(files("a.csv", f"CNI,{CNI}\n"))
    cli.main(["render", str(root), "--mode", "a", "--verbose"])
    assert "default acronyms.CNI (a.csv:1)" in capsys.readouterr().out


@given(
    st.text(alphabet="CNIAPLb .('é\n", max_size=60),
    st.dictionaries(st.sampled_from(["CNI", "apl", "PLC"]), st.sampled_from(["x", "CNI", "a (b)", ""])),
)
def test_the_pieces_are_the_query_with_long_forms_between(query: str, table: Mapping[str, str]) -> None:
    pieces = split_expansions(query, table)
    assert "".join(text for text, name in pieces if name is None) == query
    assert all(text == f" ({table[name]})" for text, name in pieces if name is not None)
    assert "".join(text for text, _ in pieces) == expand_acronyms(query, table)

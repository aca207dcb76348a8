"""An edit before any file is written: which prompts it reaches, what it changes, and the patch that git takes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.compare.record_differences import count_version_differences
from readback.prompts import assemble, editing
from readback.prompts.editing import Target, make_patch, restore_line_ends
from readback.types import Record, Selection

Write = Callable[[Mapping[str, Any]], Path]
T = Target("mode", "m", "template")
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def applied(folder: Path, file: str, old: str, new: str, where: str = ".") -> bytes:
    """What the file holds after `git apply` in `where`."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(old.encode())
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    (folder / "p.patch").write_bytes(make_patch(file.removeprefix(f"{where}/"), old, new).encode())
    done = subprocess.run(["git", "apply", str(folder / "p.patch")], cwd=folder / where, capture_output=True, text=True)
    assert done.stderr == ""
    return path.read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb", "a\nc"),
        ("a\nb\n", "a\nb"),
        ("a\nb", "a\nb\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("x\u2028y\x0bz\x85w\n", "x\u2028y\x0bz\x85v\n"),
        ("été\n", "hiver 𝒳\n"),
        ("a\n", ""),
        ("\ufeffa\nb\n", "\ufeffc\nb\n"),
        ("one\n" * 50, "one\n" * 20 + "two\n" + "one\n" * 29 + "three"),
    ],
)
def test_git_applies_the_patch(tmp_path: Path, old: str, new: str) -> None:
    assert applied(tmp_path, "t.jinja", old, new) == new.encode()


@pytest.mark.parametrize(
    "name", ["with blank.jinja", "é/ü.jinja", 'q"uote.jinja', "deep/er/t.jinja", "tab\there.jinja"]
)
def test_git_finds_the_file_by_its_name(tmp_path: Path, name: str) -> None:
    assert applied(tmp_path, name, "a\n", "b\n") == b"b\n"


def test_the_patch_applies_inside_a_workspace_that_is_part_of_a_repository(tmp_path: Path) -> None:
    assert applied(tmp_path, "study/t.jinja", "a\n", "b\n", where="study") == b"b\n"


@given(st.text(max_size=30), st.text(max_size=30))
def test_equal_texts_need_no_patch_and_others_do(old: str, new: str) -> None:
    assert (make_patch("f", old, new) == "") == (old == new)


@pytest.mark.parametrize(
    ("original", "said", "kept"),
    [
        ("a\r\nb", "a\nb", "a\r\nb"),
        ("a\r\nb", "a\nc\nd", "a\r\nc\r\nd"),
        ("a\nb", "a\nc", "a\nc"),
        ("a\r\nb\nc", "a\nb\nx", "a\nb\nx"),
        ("a", "a\nb", "a\nb"),
    ],
)
def test_what_is_typed_keeps_the_line_ends_of_the_file(original: str, said: str, kept: str) -> None:
    assert restore_line_ends(original, said) == kept


def test_the_texts_of_what_is_sent_can_be_edited(write: Write) -> None:
    modes = [{"mode": "m", "system": "S", "template": "T"}, {"mode": "n", "template": "U"}]
    opened = workspace.open(write({"readback.yml": {"modes": modes, "tasks": {"parsing": {"user": "P"}}}}))
    assert editing.list_targets(opened, Selection(mode="m")) == (T, Target("mode", "m", "system"))
    assert editing.list_targets(opened, Selection(mode="n")) == (Target("mode", "n", "template"),)
    assert editing.list_targets(opened, Selection(task="parsing")) == (Target("task", "parsing", "template"),)
    assert editing.list_targets(opened, Selection(judge="j")) == ()
    assert editing.list_targets(opened, Selection(mode="nowhere")) == ()
    new = editing.replace_text(opened, T, "X")
    assert (new.prompts["m"].template, new.prompts["n"].template) == ("X", "U")
    assert opened.prompts["m"].template == "T"


def test_modes_that_share_a_file_change_together(write: Write) -> None:
    modes = [
        {"mode": name, "template_file": file} for name, file in (("m", "t.jinja"), ("n", "t.jinja"), ("o", "u.jinja"))
    ]
    opened = workspace.open(write({"readback.yml": {"modes": modes}, "t.jinja": "T", "u.jinja": "T"}))
    assert [one.name for one in editing.list_sharing(opened, T)] == ["m", "n"]
    new = editing.replace_text(opened, T, "X")
    assert [new.prompts[name].template for name in "mno"] == ["X", "X", "T"]


def test_only_a_text_that_is_a_whole_file_can_be_patched(write: Write) -> None:
    modes = [{"mode": "m", "template_file": "t.jinja"}, {"mode": "n", "template": "inline"}]
    opened = workspace.open(write({"readback.yml": {"modes": modes}, "t.jinja": "\ufeffT\r\n"}))
    assert editing.read_whole_file(opened, T) == "\ufeffT\r\n"
    assert editing.get_text(opened, T) == "T\r\n"
    assert editing.read_whole_file(opened, Target("mode", "n", "template")) is None


def test_the_records_that_change_are_counted(write: Write) -> None:
    config = {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "{{ q }}"}]}
    rows = [{"id": f"r{n}", "q": "yes" if n % 3 else "no"} for n in range(10)]
    opened = workspace.open(write({"readback.yml": config, "d.jsonl": rows}))
    new = editing.replace_text(opened, T, "{{ q }}{% if q == 'no' %}!{% endif %}")
    found = count_version_differences(opened, new, Selection(mode="m"))
    assert (found.done, found.total, found.differing, found.stopped) == (10, 10, 4, False)
    assert found.first == ((0, "r0"), (3, "r3"), (6, "r6"), (9, "r9"))
    assert dict(found.kinds) == {"added": 4}  # by the new one, which is B
    broken = count_version_differences(opened, editing.replace_text(opened, T, "{{ q }"), Selection(mode="m"))
    assert (broken.done, broken.differing, broken.only_a, broken.only_b) == (10, 0, 10, 0)


@pytest.mark.usefixtures("hurried")
def test_a_copy_that_never_ends_is_not_counted_and_says_why(write: Write) -> None:
    config = {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "{{ q }}"}]}
    opened = workspace.open(write({"readback.yml": config, "d.jsonl": [{"id": str(n), "q": "x"} for n in range(50)]}))
    found = count_version_differences(opened, editing.replace_text(opened, T, LOOP), Selection(mode="m"))
    assert (found.differing, found.only_a, found.done) == (0, 0, 0)
    assert "time to render a template" in found.why


ASKED = {"instruction": "  Why? ", "rag": {"prompt": "P\n", "contexts": ["one ", None, "two\n"]}}
FORMATS = [
    (ASKED, {}),
    ({**ASKED, "rag": {"prompt": "P", "contexts": ["[1] one", "[2] two"]}}, {"condition4": "standard"}),
    ({"instruction": "{{ 7 }}", "contexts": [1, "{% x %}"], "prompt": " q "}, {"spacing": "document"}),
    ({"instruction": "q", "rag": {"prompt": "P", "contexts": []}}, {"closed_book": "short"}),
    ({"instruction": "q", "rag_prompt": "é\u2028\r\n"}, {"condition4": "standard"}),
]


@pytest.mark.parametrize("model_type", ["base", "instruction_only", "rag_trained"])
@pytest.mark.parametrize(("fields", "options"), FORMATS)
def test_a_built_in_format_is_written_out_as_a_template_of_the_same_text(
    write: Write, fields: dict[str, Any], options: dict[str, str], model_type: str
) -> None:
    config = {
        "dataset": "d.jsonl",
        "prompts": ["builtin:prompt-formats"],
        "options": options,
        "models": {"m": {"type": model_type}},
        "conditions": [
            {"name": mode, "mode": mode, "model": "m"} for mode in ("instruction", "rag", "hybrid", "standard")
        ],
    }
    opened = workspace.open(write({"readback.yml": config, "d.jsonl": [{"id": "a", **fields}]}))
    record = Record("a", fields)
    for one in opened.conditions:
        choice = Selection(condition=one.name)
        was = assemble.assemble(opened, record, choice)
        found = editing.list_targets(opened, choice, record)
        assert [target.part for target in found] == (["template"] if was.messages else [])
        for target in found:
            again = assemble.assemble(
                editing.replace_text(opened, target, editing.get_text(opened, target)), record, choice
            )
            assert again.fingerprint == was.fingerprint
            other = editing.replace_text(opened, target, "Say {{ instruction }}")
            said = assemble.assemble(other, record, choice).messages[-1].text
            assert said == f"Say {fields['instruction']}"


def test_nothing_is_written_out_of_a_format_that_makes_nothing_of_the_record(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": {"prompts": ["builtin:prompt-formats"]}}))
    assert editing.list_targets(opened, Selection(mode="hybrid"), Record("a", {"instruction": " "})) == ()
    assert editing.list_targets(opened, Selection(mode="rag")) == ()

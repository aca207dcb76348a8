"""The system text of training is found where it lives, and no code is run to get it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.sources.templates.python_constants import find_texts, parse_sources
from readback.sources.training import training_text

Write = Callable[[Mapping[str, Any]], Path]
BRIEF = "You are brief."


def notebook(*sources: str | list[str], kind: str = "code") -> dict[str, Any]:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "source": ["# Training\n", "role: system"]}]
    return {"cells": cells + [{"cell_type": kind, "source": source} for source in sources]}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('m = [{"role": "system", "content": "You are brief."}]\n', 1),
        ('S = "You are brief."\nm = {"content": S, "role": "system"}\n', 2),
        ('S = ("You are "\n     "brief.")\nm = dict(role="system", content=S)\n', 3),
        ('A = "brief"\nm = {"role": "system", "content": f"You are {A}."}\n', 2),
        ('m = {"role": "system", "content": "You are " + "brief" + "."}\n', 1),
        ('m = {"role": "system", "content": """\nYou are brief.\n""".strip()}\n', 1),
        ('R = "system"\nm = {"role": R, "content": "You are brief."}\n', 2),
        ('def f(q):\n    s = "You are brief."\n    return [{"role": "system", "content": s}, user(q)]\n', 3),
        ('SYSTEM_PROMPT = "You are brief."\n', 1),
        ('if True:\n    SYSTEM_MESSAGE: str = "You are brief."\n', 2),
        ('S = "You are "\nS += "brief."\nm = {"role": "system", "content": S}\n', 3),
    ],
)  # fmt: skip
def test_a_system_message_in_python_is_read_without_running_it(write: Write, source: str, line: int) -> None:
    root = write({"train.py": source + "open('ran', 'w').close()\n"})
    text, diagnostics = training_text.read(root / "train.py", root)
    assert diagnostics == ()
    assert text is not None
    assert (text.text, text.source, text.verified) == (BRIEF, "training", True)
    assert (text.place.file, text.place.line) == ("train.py", line)
    assert not (root / "ran").exists()


@pytest.mark.parametrize(
    "source",
    [
        'm = {"role": "system", "content": open("x").read()}\n',
        'def f(s):\n    return {"role": "system", "content": s}\n',
        's = "You are brief."\ns = s.upper()\nm = {"role": "system", "content": s}\n',
        'm = {"role": "user", "content": "You are brief."}\n',
        "",
    ],
)
def test_a_text_that_would_have_to_be_computed_is_not_guessed(write: Write, source: str) -> None:
    root = write({"train.py": source})
    text, (diagnostic,) = training_text.read(root / "train.py", root)
    assert (text, diagnostic.code) == (None, "trn-system-not-found")


def test_a_constant_can_be_named(write: Write) -> None:
    root = write({"train.py": 'OLD = "Old."\nNEW = "New."\nm = {"role": "system", "content": OLD}\n'})
    text, diagnostics = training_text.read(root / "train.py", root, "NEW")
    assert text is not None
    assert (text.text, text.place.line, diagnostics) == ("New.", 2, ())
    text, (diagnostic,) = training_text.read(root / "train.py", root, "NONE")
    assert (text, diagnostic.values["reason"]) == (None, "NONE is not a text in it")


def test_two_texts_are_a_note_with_both_places_and_the_first_is_taken(write: Write) -> None:
    one, two = ({"role": "system", "content": text} for text in ("One.", "Two."))
    root = write({"train.py": f"a = {one}\nb = {two}\nc = {one}\n"})
    text, (diagnostic,) = training_text.read(root / "train.py", root)
    assert text is not None
    assert text.text == "One."
    assert diagnostic.code == "trn-system-candidates"
    assert diagnostic.values == {"count": 2, "places": "line 1 'One.'; line 2 'Two.'", "taken": "line 1"}


def test_equal_texts_are_one_candidate(write: Write) -> None:
    root = write(
        {
            "t.ipynb": notebook(
                f'S = "{BRIEF}"',
                'a = {"role": "system", "content": S}',
                f'b = {{"role": "system", "content": "{BRIEF}"}}',
            )
        }
    )
    text, diagnostics = training_text.read(root / "t.ipynb", root)
    assert diagnostics == ()
    assert text is not None
    assert (text.text, text.place.field, text.place.line) == (BRIEF, "cell 3", 1)


@pytest.mark.parametrize(
    "source",
    [
        ["%matplotlib inline\n", "!pip install x\n", 'm = {"role": "system", "content": "You are brief."}'],
        ["%%time\n", "\n", 'm = {"role": "system", "content": "You are brief."}'],
        ["if True:\n", "    !ls\n", 'm = {"role": "system", "content": "You are brief."}'],
    ],
)
def test_a_notebooks_magics_do_not_stand_in_the_way_and_lines_stay(write: Write, source: list[str]) -> None:
    root = write({"t.ipynb": notebook(source)})
    text, diagnostics = training_text.read(root / "t.ipynb", root)
    assert diagnostics == ()
    assert text is not None
    assert (text.text, text.place.field, text.place.line) == (BRIEF, "cell 2", 3)


def test_a_magic_inside_a_text_is_text(write: Write) -> None:
    root = write({"t.ipynb": notebook('m = {"role": "system", "content": """a\n% b\n! c"""}')})
    text, _ = training_text.read(root / "t.ipynb", root)
    assert text is not None
    assert text.text == "a\n% b\n! c"


def test_a_cell_that_is_no_python_is_skipped_and_said(write: Write) -> None:
    root = write(
        {
            "t.ipynb": notebook(
                "?print", 'm = {"role": "system", "content": "You are brief."}', "%%bash\nfor i in *; do ls; done"
            )
        }
    )
    text, diagnostics = training_text.read(root / "t.ipynb", root)
    assert text is not None
    assert [(diagnostic.code, diagnostic.values["cell"]) for diagnostic in diagnostics] == [
        ("trn-cell-skipped", "cell 2"),
        ("trn-cell-skipped", "cell 4"),
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{not json", "trn-cell-skipped"),
        (b"[1]", "trn-cell-skipped"),
        (b'{"cells": [5, {"cell_type": "code"}, {"cell_type": "code", "source": [1]}]}', "trn-system-not-found"),
        (b"[" * 100_000, "trn-cell-skipped"),
        (b"\xff", "dat-encoding"),
    ],
)
def test_a_broken_notebook_is_a_note(write: Write, content: bytes, code: str) -> None:
    root = write({"t.ipynb": content})
    text, diagnostics = training_text.read(root / "t.ipynb", root)
    assert text is None
    assert code in [diagnostic.code for diagnostic in diagnostics]


SYSTEM, USER = {"role": "system", "content": BRIEF}, {"role": "user", "content": "Q"}


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [SYSTEM, USER]},
        {"input": {"messages": [SYSTEM, USER]}, "preferred_output": []},
        {"prompt": [SYSTEM, USER], "chosen": [], "rejected": []},
        {"messages": [{"role": "system", "content": [{"type": "text", "text": BRIEF}]}]},
        {"chosen_messages": [{"role": "system", "content": [{"type": "text", "value": BRIEF}]}]},
        {"conversations": [{"from": "system", "value": BRIEF}, {"from": "human", "value": "Q"}]},
    ],
)
def test_a_messages_file_gives_its_first_system_message(write: Write, row: Any) -> None:
    root = write({"train.jsonl": [{"messages": [USER]}, row, row]})
    text, diagnostics = training_text.read(root / "train.jsonl", root)
    assert diagnostics == ()
    assert text is not None
    assert (text.text, text.place.line) == (BRIEF, 2)


def test_a_messages_file_with_two_texts_is_a_note(write: Write) -> None:
    other = {"role": "system", "content": "Other."}
    root = write({"train.jsonl": [{"messages": [SYSTEM]}, {"messages": [other]}, {"messages": [SYSTEM]}]})
    text, (diagnostic,) = training_text.read(root / "train.jsonl", root)
    assert text is not None
    assert (text.text, diagnostic.code, diagnostic.values["count"]) == (BRIEF, "trn-system-candidates", 2)


def test_a_bad_line_is_a_note_and_the_rest_is_read(write: Write) -> None:
    root = write({"train.jsonl": '{bad\n{"messages": [{"role": "system", "content": "You are brief."}]}\n'})
    text, diagnostics = training_text.read(root / "train.jsonl", root)
    assert text is not None
    assert [diagnostic.code for diagnostic in diagnostics] == ["dat-bad-line"]


@pytest.mark.realdata
def test_real_training_files_give_their_system_text(shared: Path) -> None:
    text, diagnostics = training_text.read(shared / "data/training/chat_messages.jsonl", shared)
    assert text is not None
    assert (text.text, diagnostics) == ("Reply user's question as accurately as possible.", ())
    text, diagnostics = training_text.read(shared / "data/training/v1_dpo_demo.jsonl", shared)
    assert text is not None
    assert [diagnostic.code for diagnostic in diagnostics] == ["trn-system-candidates"]


def test_hostile_source_costs_a_bounded_time() -> None:
    assert find_texts(["A='x'\n" + "A = A + A\n" * 300]).constants == ()
    assert find_texts(["A = '' + " * 20_000 + "''"]).skipped
    assert find_texts(["x = " + "-" * 200_000 + "1"]).skipped
    assert find_texts(["A = 'x'" + ".strip()" * 5_000]).constants == ()


@given(st.lists(st.text(max_size=60), max_size=3))
def test_any_sources_are_looked_at(sources: list[str]) -> None:
    found = parse_sources(sources)
    assert {source for source, _, _ in found["skipped"]} <= set(range(len(sources)))


@pytest.mark.parametrize("begin", ["def build(tools):\n    ", "class Build:\n    ", "if True:\n    "])
def test_a_system_text_that_is_added_to_is_told_as_computed_where_that_is_done(begin: str) -> None:
    source = begin + 'system_text = "You are Kimi."\n    system_text += "".join(tools)\n    other = system_text\n'
    found = find_texts([source])
    assert found.stopped is None
    added = [one for one in found.others if one.text is None]
    assert [(one.name, one.line, one.code) for one in added] == [("system_text", 3, "system_text + ''.join(tools)")]

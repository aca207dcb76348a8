"""Tables with one column for each judge: proposed, never taken for records, read as scores when confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.cli import main
from readback.scores import loading

Write = Callable[[Mapping[str, Any]], Path]
FIVE = "item,j1,j2,j3,j4,j5\na,1,2,3,4,5\nb,2,3,3,4,5\nc,5,5,4,4,1\n"


@pytest.mark.parametrize(
    ("table", "judges"),
    [
        (FIVE, ("j1", "j2", "j3", "j4", "j5")),
        ("query,passage,gpt-4o,llama3\nq1,p1,0,1\nq1,p2,1,1\nq2,p1,2,0\n", ("gpt-4o", "llama3")),
        ("item,anna,ben,carl\na,1,0,1\nb,0,0,1\nc,1,1,1\n", ("anna", "ben", "carl")),
        ("id,label,fold\na,1,0\nb,0,1\nc,1,2\n", ()),  # a class and a fold
        ("id,question,a,b,c\n1,What is the fee for a boat of more than six metres?,1,2,3\n2,x,1,1,1\n3,y,2,2,2\n", ()),
        ("item,anna,ben,carl\na,1,0,1\na,0,0,1\na,1,1,1\n", ()),  # nothing tells the rows apart
        ("item,anna,ben,carl\na,1,0,1\nb,0,0,1\n", ()),  # two rows say little
        ("item,n1,n2,n3\n" + "".join(f"i{n},{n},{n * 2},{n * 3}\n" for n in range(40)), ()),  # running numbers
    ],
)
def test_columns_that_look_like_judges_are_proposed(write: Write, table: str, judges: tuple[str, ...]) -> None:
    opened = workspace.open(write({"t.csv": table}))
    assert opened.alternatives.get("judges", ()) == ((f"t.csv={','.join(judges)}",) if judges else ())
    assert (opened.dataset is None) == bool(judges)
    assert [one.code for one in opened.diagnostics if one.code.startswith("asm")] == ["asm-nothing-to-send"]


def test_confirmed_they_are_scores_by_judge(write: Write) -> None:
    folder = write({"t.csv": FIVE})
    opened = workspace.open(folder, chosen={"judges": "t.csv=j1,j2,j3,j4,j5"})
    table = loading.load(opened)
    assert table.columns.judges == ("j1", "j2", "j3", "j4", "j5")
    assert len(table.columns) == 15
    assert opened.diagnostics == ()
    assert "judges: [j1, j2, j3, j4, j5]" in workspace.init_text(opened)


def test_beside_other_rows_the_table_is_no_second_dataset(write: Write) -> None:
    rows = '{"id": "a", "question": "Why?"}\n'
    opened = workspace.open(write({"t.csv": FIVE, "d.jsonl": rows, "p.txt": "{question}"}))
    assert opened.dataset is not None
    assert opened.dataset.path == "d.jsonl"
    assert list(opened.prompts) == ["p"]


def test_the_command_line_says_how_and_does_it(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write({"t.csv": FIVE})
    assert main(["check", str(folder)]) == 2  # nothing is read until somebody says so
    assert "its columns look like judges: j1, j2, j3, j4, j5" in capsys.readouterr().out
    assert main(["scores", str(folder), "--judges", "t.csv=j1,j2,j3,j4,j5"]) == 0
    assert "judge j3" in capsys.readouterr().out


def test_the_scores_command_proposes_what_readback_yml_would_say(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write({"t.csv": FIVE, "p.txt": "{question}"})
    assert main(["scores", str(folder)]) == 2  # no scores are read yet
    told = capsys.readouterr().out
    assert "5 columns of t.csv look like judges' scores: j1, j2, j3, j4, j5." in told
    assert f"readback scores {folder} --judges t.csv=j1,j2,j3,j4,j5" in told
    line = "- {path: t.csv, item: [item], judges: [j1, j2, j3, j4, j5]}"
    assert line in told
    assert line in workspace.init_text(workspace.open(folder, chosen={"judges": "t.csv=j1,j2,j3,j4,j5"}))
    assert main(["scores", str(folder), "--format", "csv"]) == 2
    written = capsys.readouterr()
    assert "look like" in written.err
    assert "look like" not in written.out


def test_a_table_that_is_opened_by_itself_is_proposed_and_read(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write({"t.csv": FIVE}) / "t.csv"
    assert workspace.open(file).dataset is None
    assert main(["scores", str(file), "--judges", "t.csv=j1,j2,j3,j4,j5"]) == 0
    assert "judge j3" in capsys.readouterr().out
